package jax

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

//go:embed grad.py
var script string

// ErrAbsent is the error where there is no JAX.
var ErrAbsent = errors.New("no JAX: set TASO_JAX_PYTHON to a Python that can import jax")

// Runtime is a Python that can import jax.
type Runtime struct {
	Python  string // its path
	Version string // of JAX
}

// Find looks for JAX.
func Find(ctx context.Context) (*Runtime, error) {
	for _, p := range []string{os.Getenv("TASO_JAX_PYTHON"), "python3"} {
		if p == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, p, "-c", "import jax; print(jax.__version__)").Output()
		if err == nil {
			return &Runtime{Python: p, Version: strings.TrimSpace(string(out))}, nil
		}
	}
	return nil, ErrAbsent
}

// Job is a graph to be differentiated.
type Job struct {
	// Text is the graph, as graph.Graph.String writes it.
	Text string
	// Inputs are the elements of the graph's inputs by name, row-major.
	Inputs map[string][]float64
	// Out are the derivatives of a number by the graph's outputs.
	Out [][]float64
}

// Result is what JAX says of a job, in float64.
type Result struct {
	Values [][]float64          // of the outputs
	In     map[string][]float64 // derivatives by the inputs of floating-point types
	Error  string               // why there are none
}

// Grad differentiates graphs, one after the other.
func (r *Runtime) Grad(ctx context.Context, jobs []Job) ([]Result, error) {
	in, err := json.Marshal(jobs)
	if err != nil {
		return nil, fmt.Errorf("run JAX: %w", err)
	}
	cmd := exec.CommandContext(ctx, r.Python, "-c", imports+operators+script)
	cmd.Env = append(os.Environ(), "JAX_ENABLE_X64=1", "JAX_PLATFORMS=cpu")
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run JAX: %w\n%s", err, bytes.TrimSpace(said.Bytes()))
	}
	var res []Result
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		return nil, fmt.Errorf("read what JAX says: %w", err)
	}
	if len(res) != len(jobs) {
		return nil, fmt.Errorf("JAX says %d results, want %d", len(res), len(jobs))
	}
	return res, nil
}
