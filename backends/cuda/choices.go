package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/internal/atomicfile"
)

// choices are the algorithms that were fastest, by the shape of the call. They are kept
// in a file beside the compiled kernels, one for each device with its libraries and
// mode, so that what runs later is what was measured.
type choices struct {
	path  string // "": they are not kept
	about string // what they were measured on

	mu      sync.Mutex
	m       map[string]choice
	refused map[string]map[choice]bool // see refuse
}

// A choice is number At of Of algorithms: a list of another length, made in less
// workspace, is another list.
type choice struct {
	At int `json:"at"`
	Of int `json:"of"`
}

// choicesFile is the file.
type choicesFile struct {
	About   string            `json:"taso_cuda_choices_of"`
	Choices map[string]choice `json:"choices"`
}

// openChoices reads what was kept in a folder.
func openChoices(dir string, info backends.Info, workspace int64) *choices {
	c := &choices{about: fmt.Sprintf("%s, workspace of %d bytes", info, workspace), m: map[string]choice{}, refused: map[string]map[choice]bool{}}
	if dir != "" {
		sum := sha256.Sum256([]byte(c.about))
		c.path = filepath.Join(dir, "choices-"+hex.EncodeToString(sum[:8])+".json")
	}
	maps.Copy(c.m, c.read())
	return c
}

// read is what the file has. One that is damaged is as one that is not there.
func (c *choices) read() map[string]choice {
	var f choicesFile
	data, err := os.ReadFile(c.path)
	if err != nil || json.Unmarshal(data, &f) != nil || f.About != c.about {
		return nil
	}
	return f.Choices
}

func (c *choices) get(shape string, of int) (at int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.m[shape]
	return x.At, ok && x.Of == of && x.At >= 0 && x.At < of && !c.refused[shape][x]
}

// put keeps a choice. That the file cannot be written is no error. Another process
// may have written it meanwhile: its choices are taken over.
func (c *choices) put(shape string, at, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	theirs := c.read()
	c.m[shape] = choice{at, of}
	if c.path == "" || os.MkdirAll(filepath.Dir(c.path), 0o777) != nil {
		return
	}
	if theirs == nil {
		theirs = map[string]choice{}
	}
	maps.Copy(theirs, c.m)
	_ = atomicfile.WriteFile(c.path, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(choicesFile{c.about, theirs})
	})
}

// shapeOfMatmul is what the library's list of algorithms depends on: everything but
// where the operands lie. Of that it sees how addresses are aligned.
func shapeOfMatmul(m dl.Matmul) string {
	m.A, m.B, m.C, m.D, m.Bias = alignment(m.A), alignment(m.B), alignment(m.C), alignment(m.D), alignment(m.Bias)
	return fmt.Sprintf("matmul %+v", m)
}

// shapeOfConv is the same for a convolution.
func shapeOfConv(c dl.Conv) string {
	c.X, c.Filter, c.Bias, c.Z, c.Y = alignment(c.X), alignment(c.Filter), alignment(c.Bias), alignment(c.Z), alignment(c.Y)
	return fmt.Sprintf("conv %+v", c)
}

// alignment is a reference that says only whether it is there, and its place modulo
// what bases are multiples of.
func alignment(r dl.Ref) dl.Ref {
	if r.Base < 0 {
		return dl.None
	}
	return dl.At(0, r.Offset%256)
}
