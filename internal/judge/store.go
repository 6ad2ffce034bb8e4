package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/ort"
)

// Store keeps decisions in a folder, each in a file of its own that is written in one
// step, so that several processes may use it. A file that cannot be read counts as absent.
type Store struct{ dir string }

// storeFormat is part of the keys: it changes when the rule of acceptance does.
const storeFormat = "taso decision 3"

// OpenStore is the store in a folder, which is made when it is first written to.
func OpenStore(dir string) *Store { return &Store{dir} }

// DefaultStore is the store in the user's cache folder, beside the measured costs.
func DefaultStore() (*Store, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("place of the decisions: %w", err)
	}
	return OpenStore(filepath.Join(dir, "taso", "decisions")), nil
}

// keyOf names what a decision depends on: the contents of the files, the inputs and the
// setting.
func keyOf(d *Decision, files []File, inputs []ort.Tensor) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q %q %s %d %s\n", storeFormat, d.Version, d.CPU, d.Level, d.Threads, d.Clock)
	for _, t := range inputs {
		fmt.Fprintf(h, "input %q %s %v %x\n", t.Name, t.DType, t.Sizes, sha256.Sum256(t.Data))
	}
	for _, f := range files {
		for _, path := range append([]string{f.Path}, f.Data...) {
			sum, err := digest(path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%x ", sum)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func digest(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

func (s *Store) path(key string) string { return filepath.Join(s.dir, key+".json") }

// get is the decision of a key; nil: there is none.
func (s *Store) get(key string) *Decision {
	raw, err := os.ReadFile(s.path(key))
	if err != nil {
		return nil
	}
	d := &Decision{}
	if json.Unmarshal(raw, d) != nil || d.Winner < 0 || d.Winner > len(d.Candidates) || d.Unix == 0 {
		return nil
	}
	return d
}

func (s *Store) put(key string, d *Decision) error {
	if err := os.MkdirAll(s.dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep the decision: %w", err)
	}
	return atomicfile.WriteFile(s.path(key), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(d)
	})
}
