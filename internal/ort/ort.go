package ort

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
)

//go:embed worker.py
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

	idle chan *Worker // workers that RunAll keeps for its next call; nil: none
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
