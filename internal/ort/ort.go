package ort

import (
	"bytes"
	"context"
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
var ErrAbsent = errors.New("no ONNX Runtime: set TASO_ORT_PYTHON to a Python that can import onnxruntime")

// Runtime is a Python that can import onnxruntime.
type Runtime struct {
	Python  string // its path
	Version string // of ONNX Runtime
}

// finder remembers what was found, and what was not.
type finder struct {
	sync.Mutex
	looked, tried bool
	rt            *Runtime
	err, failed   error // of looking, and of installing
}

var found finder

func (f *finder) find(ctx context.Context) (*Runtime, error) {
	if !f.looked {
		f.rt, f.err = find(ctx)
		f.looked = true
	}
	return f.rt, f.err
}

// Find looks for ONNX Runtime, once in a process.
func Find(ctx context.Context) (*Runtime, error) {
	found.Lock()
	defer found.Unlock()
	return found.find(ctx)
}

// Ensure is Find, and Install where there is none. Both are done once in a
// process: without a network, each try takes a minute.
func Ensure(ctx context.Context) (*Runtime, error) {
	found.Lock()
	defer found.Unlock()
	if rt, err := found.find(ctx); !errors.Is(err, ErrAbsent) {
		return rt, err
	}
	if !found.tried {
		found.tried = true
		rt, err := Install(ctx)
		if found.failed = err; err == nil {
			found.rt, found.err = rt, nil
		}
	}
	return found.rt, found.failed
}

func find(ctx context.Context) (*Runtime, error) {
	tries := []string{os.Getenv("TASO_ORT_PYTHON"), "python3"}
	if dir, err := environment(); err == nil {
		tries = append(tries, filepath.Join(dir, "bin", "python3"))
	}
	for _, p := range tries {
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
	out, err := exec.CommandContext(ctx, python, "-c", "import numpy, onnxruntime; print(onnxruntime.__version__)").Output()
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", python, err)
	}
	return &Runtime{Python: python, Version: strings.TrimSpace(string(out))}, nil
}

// environment is the folder in which Install puts its Python environment.
func environment() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	return filepath.Join(dir, "taso", "onnxruntime"), nil
}

// Install makes a Python environment with ONNX Runtime in the user's cache
// folder, from the Python package index: some 60 MiB over the network.
func Install(ctx context.Context) (*Runtime, error) {
	dir, err := environment()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, fmt.Errorf("install ONNX Runtime: %w", err)
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "onnxruntime-part")
	if err != nil {
		return nil, fmt.Errorf("install ONNX Runtime: %w", err)
	}
	defer os.RemoveAll(part)
	for _, c := range [][]string{
		{"python3", "-m", "venv", part},
		{filepath.Join(part, "bin", "python3"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20", "numpy", "onnxruntime"},
	} {
		if out, err := exec.CommandContext(ctx, c[0], c[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("install ONNX Runtime: %s: %w\n%s", strings.Join(c, " "), err, bytes.TrimSpace(out))
		}
	}
	// Another process may have been faster, and an older one may have left half an
	// environment behind.
	python := filepath.Join(dir, "bin", "python3")
	if os.Rename(part, dir) != nil {
		if rt, err := probe(ctx, python); err == nil {
			return rt, nil
		}
		if err := errors.Join(os.RemoveAll(dir), os.Rename(part, dir)); err != nil {
			return nil, fmt.Errorf("install ONNX Runtime: %w", err)
		}
	}
	return probe(ctx, python)
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
