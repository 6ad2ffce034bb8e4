package jax

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Run runs a Python program in a process of its own, and gives what it writes. The error
// has what it says on the way.
func (r *Runtime) Run(ctx context.Context, program string, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "taso-jax-*")
	if err != nil {
		return nil, fmt.Errorf("run JAX: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "program.py")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		return nil, fmt.Errorf("run JAX: %w", err)
	}
	cmd := exec.CommandContext(ctx, r.Python, append([]string{file}, args...)...)
	cmd.Env = append(os.Environ(), "JAX_PLATFORMS=cpu", "XLA_FLAGS=")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run JAX: %w\n%s", err, bytes.TrimSpace(said.Bytes()))
	}
	return out.Bytes(), nil
}
