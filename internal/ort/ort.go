package ort

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

//go:embed run.py
var script string

// Tensor is an input or an output: little-endian, row-major.
type Tensor struct {
	Name  string
	DType string // as numpy names it: float32, int64, bool …
	Sizes []int
	Data  []byte
}

// Float32 is a float32 tensor.
func Float32(name string, sizes []int, xs []float32) Tensor {
	t := Tensor{Name: name, DType: "float32", Sizes: sizes}
	for _, x := range xs {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(x))
	}
	return t
}

// Float32s are the elements of a float32 tensor.
func (t Tensor) Float32s() ([]float32, error) {
	if t.DType != "float32" {
		return nil, fmt.Errorf("tensor %s is %s, not float32", t.Name, t.DType)
	}
	out := make([]float32, len(t.Data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return out, nil
}

// ErrAbsent is the error where there is no ONNX Runtime.
var ErrAbsent = errors.New("no ONNX Runtime: scripts/setup python installs it, or TASO_ORT_PYTHON names a Python that can import onnxruntime")

// Runtime is a Python that can import onnxruntime.
type Runtime struct {
	Python  string // its path
	Version string // of ONNX Runtime
	ONNX    string // version of the package onnx, "" if there is none
}

// Find looks for ONNX Runtime, once in a process: in the Python that TASO_ORT_PYTHON names,
// in the environment that scripts/setup makes, and in python3.
func Find(ctx context.Context) (*Runtime, error) {
	found.Lock()
	defer found.Unlock()
	if found.looked {
		return found.rt, found.err
	}
	found.rt, found.err = find(ctx)
	found.looked = ctx.Err() == nil
	return found.rt, found.err
}

// found is what Find remembers.
var found struct {
	sync.Mutex
	looked bool
	rt     *Runtime
	err    error
}

func find(ctx context.Context) (*Runtime, error) {
	tries := []string{os.Getenv("TASO_ORT_PYTHON")}
	if dir, err := environment(); err == nil {
		tries = append(tries, filepath.Join(dir, "bin", "python3"))
	}
	for _, p := range append(tries, "python3") {
		if p == "" {
			continue
		}
		if rt, err := probe(ctx, p); err == nil {
			return rt, nil
		}
	}
	return nil, ErrAbsent
}

func probe(ctx context.Context, python string) (*Runtime, error) {
	const program = `import numpy, onnxruntime
try:
    import onnx
except ImportError:
    onnx = None
print(onnxruntime.__version__, onnx.__version__ if onnx else "")`
	out, err := exec.CommandContext(ctx, python, "-c", program).Output()
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", python, err)
	}
	version, onnx, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return &Runtime{Python: python, Version: version, ONNX: onnx}, nil
}

//go:embed requirements.txt
var requirements []byte

// environment is the folder of the Python environment with the versions of
// requirements.txt, which scripts/setup makes in the user's cache folder.
func environment() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	return filepath.Join(dir, "taso", fmt.Sprintf("python-%.6x", sha256.Sum256(requirements))), nil
}

// Options say how a model is run.
type Options struct {
	// Optimize: 0 runs the nodes as they stand in the file, 1 lets ONNX Runtime
	// rewrite the graph.
	Optimize int
	// Threads is how many threads an operator uses; 0 is one.
	Threads int
	// Repeat runs the model so many times after the first run, and measures; 0
	// is none.
	Repeat int
}

// Result is what a run gave.
type Result struct {
	Outputs []Tensor
	Seconds []float64 // of each repeated run
	Err     error     // of this model, where several were run
}

// Job is one model to run.
type Job struct {
	Model  string // path of the file
	Inputs []Tensor
	Options
}

type header struct{ Jobs []job }

type job struct {
	Model                     string
	Optimize, Threads, Repeat int
	Tensors                   []spec
	Seconds                   []float64
	Error                     string
}

type spec struct {
	Name  string
	DType string
	Sizes []int
	Bytes int
}

// maxHeader bounds what is believed of the other process.
const maxHeader = 1 << 26

// Run runs a model file on inputs, which are found by name; those that the model
// does not have are left out.
func (r *Runtime) Run(ctx context.Context, model string, in []Tensor, opt Options) (*Result, error) {
	res, err := r.RunAll(ctx, []Job{{model, in, opt}})
	if err != nil {
		return nil, err
	}
	return &res[0], res[0].Err
}

// RunAll runs several models in one process, one after another. The error of
// one model is in its result.
func (r *Runtime) RunAll(ctx context.Context, jobs []Job) ([]Result, error) {
	var h header
	var body bytes.Buffer
	var names []string
	for _, j := range jobs {
		w := job{Model: j.Model, Optimize: j.Optimize, Threads: max(j.Threads, 1), Repeat: j.Repeat, Tensors: []spec{}}
		for _, t := range j.Inputs {
			w.Tensors = append(w.Tensors, spec{t.Name, t.DType, t.Sizes, len(t.Data)})
			body.Write(t.Data)
		}
		h.Jobs = append(h.Jobs, w)
		names = append(names, j.Model)
	}
	fail := func(err error) ([]Result, error) {
		return nil, fmt.Errorf("run ONNX Runtime on %s: %w", strings.Join(names, ", "), err)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return fail(err)
	}
	var stdin bytes.Buffer
	stdin.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(head))))
	stdin.Write(head)
	stdin.Write(body.Bytes())
	cmd := exec.CommandContext(ctx, r.Python, "-c", script)
	cmd.Stdin = &stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fail(fmt.Errorf("%w\n%s", err, tailOf(stderr.String())))
	}
	out := stdout.Bytes()
	if len(out) < 8 {
		return fail(fmt.Errorf("no answer\n%s", tailOf(stderr.String())))
	}
	errCut := errors.New("the answer is cut")
	n := binary.LittleEndian.Uint64(out)
	if n > maxHeader || n > uint64(len(out)-8) {
		return fail(errCut)
	}
	var ans header
	if err := json.Unmarshal(out[8:8+n], &ans); err != nil {
		return fail(err)
	}
	if len(ans.Jobs) != len(jobs) {
		return fail(errCut)
	}
	rest := out[8+n:]
	results := make([]Result, len(jobs))
	for i, j := range ans.Jobs {
		res := &results[i]
		if j.Error != "" {
			res.Err = fmt.Errorf("run ONNX Runtime on %s: %s", jobs[i].Model, j.Error)
			continue
		}
		res.Seconds = j.Seconds
		for _, s := range j.Tensors {
			if s.Bytes < 0 || s.Bytes > len(rest) {
				return fail(errCut)
			}
			res.Outputs = append(res.Outputs, Tensor{s.Name, s.DType, s.Sizes, rest[:s.Bytes]})
			rest = rest[s.Bytes:]
		}
	}
	return results, nil
}

// tailOf is the end of a long message.
func tailOf(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 2000 {
		s = "…" + s[len(s)-2000:]
	}
	return s
}
