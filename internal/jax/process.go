package jax

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

//go:embed process.py
var process string

// Process is a Python that has imported JAX and runs one program after the other: to start one
// takes longer than most programs of tests.
type Process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer
}

// unhurried has XLA compile fast: what it makes of operators and collectives is the same, what
// LLVM makes of that is not optimized.
const unhurried = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"

// Start starts a process whose CPU has so many virtual devices. It ends with the context, or by
// [Process.Close].
func (r *Runtime) Start(ctx context.Context, devices int) (*Process, error) {
	p := &Process{cmd: exec.CommandContext(ctx, r.Python, "-c", process)}
	p.cmd.Env = append(os.Environ(), "JAX_PLATFORMS=cpu", fmt.Sprintf("XLA_FLAGS=--xla_force_host_platform_device_count=%d %s", devices, unhurried))
	p.cmd.Stderr = &p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start JAX: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start JAX: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start JAX: %w", err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, nil
}

// Run runs a program as Python's main one, with arguments, and gives what it writes. The error
// has what Python says. A process that is over, as one whose context is, runs nothing more.
func (p *Process) Run(ctx context.Context, program string, args ...string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("run JAX: %w", err)
	}
	err := json.NewEncoder(p.in).Encode(map[string]any{"program": program, "args": args})
	var line []byte
	if err == nil {
		line, err = p.out.ReadBytes('\n')
	}
	if err != nil {
		end := p.cmd.Wait() // after which all that it said is there
		return nil, fmt.Errorf("run JAX: %w\n%s", errors.Join(err, end), bytes.TrimSpace(p.said.Bytes()))
	}
	var answer struct{ Out, Error string }
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, fmt.Errorf("run JAX: read its answer: %w", err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("run JAX: %s", strings.TrimSpace(answer.Error))
	}
	return []byte(answer.Out), nil
}

// Close ends the process.
func (p *Process) Close() error {
	if err := p.in.Close(); err != nil {
		return fmt.Errorf("end JAX: %w", err)
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("end JAX: %w\n%s", err, bytes.TrimSpace(p.said.Bytes()))
	}
	return nil
}
