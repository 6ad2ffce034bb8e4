package ort

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/taso-go/taso/internal/atomicfile"
)

// A probe starts a Python and imports packages, which takes from a fraction of a second to
// seconds. Its answer is kept in the user's cache folder for as long as the files that it
// depends on stay as they are.

// probed is a probe's answer for one path of Python.
type probed struct {
	Runtime Runtime
	// Files are what the answer depends on: the Python, onnxruntime, the folder of packages.
	Files []stamp
}

// stamp says of which time and size a file is.
type stamp struct {
	Path       string
	Nanosecond int64
	Size       int64
}

func stampOf(path string) (stamp, error) {
	i, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{path, i.ModTime().UnixNano(), i.Size()}, nil
}

// probe returns what a Python has, from the cache if it is there.
func probe(ctx context.Context, python string) (*Runtime, error) {
	path, err := exec.LookPath(python)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", python, err)
	}
	kept := keptProbes()
	if p, ok := kept[path]; ok && p.fresh() {
		return &p.Runtime, nil
	}
	p, err := ask(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(p.Files) > 0 {
		kept[path] = *p
		keepProbes(kept)
	}
	return &p.Runtime, nil
}

// ask starts a Python and asks which packages it has.
func ask(ctx context.Context, python string) (*probed, error) {
	const program = `import numpy, onnxruntime
try:
    import onnx
except ImportError:
    onnx = None
print(onnxruntime.__version__, onnx.__version__ if onnx else "")
print(onnxruntime.__file__)`
	out, err := exec.CommandContext(ctx, python, "-c", program).Output()
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", python, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	version, onnx, _ := strings.Cut(strings.TrimSpace(lines[0]), " ")
	p := &probed{Runtime: Runtime{Python: python, Version: version, ONNX: onnx}}
	if len(lines) == 1 {
		return p, nil // nothing to check the answer by
	}
	// The folder of all packages changes when one is installed.
	of := strings.TrimSpace(lines[1])
	var files []stamp
	for _, path := range []string{python, of, filepath.Dir(filepath.Dir(of))} {
		s, err := stampOf(path)
		if err != nil {
			return p, nil
		}
		files = append(files, s)
	}
	p.Files = files
	return p, nil
}

// fresh reports whether all files are as they were.
func (p *probed) fresh() bool {
	for _, f := range p.Files {
		if s, err := stampOf(f.Path); err != nil || s != f {
			return false
		}
	}
	return len(p.Files) > 0
}

func probeFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "taso", "onnxruntime.json"), err
}

// keptProbes are the answers in the cache, by path of the Python. A file that cannot be
// read is no answers.
func keptProbes() map[string]probed {
	kept := map[string]probed{}
	path, err := probeFile()
	if err != nil {
		return kept
	}
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, &kept) != nil {
		return map[string]probed{}
	}
	return kept
}

// keepProbes writes the answers. Without a cache folder the next process asks again.
func keepProbes(kept map[string]probed) {
	path, err := probeFile()
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	_ = atomicfile.WriteFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(kept) })
}
