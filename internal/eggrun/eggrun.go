package eggrun

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

//go:embed run.py
var script string

// ErrAbsent says that no Python has egglog.
var ErrAbsent = errors.New("no egglog: set TASO_EGGLOG_PYTHON to a Python that can import egglog (pip install egglog)")

// Python is a Python that can import egglog; the error is [ErrAbsent].
func Python(ctx context.Context) (string, error) {
	for _, p := range []string{os.Getenv("TASO_EGGLOG_PYTHON"), "python3"} {
		if p != "" && exec.CommandContext(ctx, p, "-c", "import egglog.bindings").Run() == nil {
			return p, nil
		}
	}
	return "", ErrAbsent
}

// Run runs programs with a Python of [Python], each by itself. The error is what egglog
// says of the first that it refuses, or in which a check fails.
func Run(ctx context.Context, python string, programs ...string) error {
	cmd := exec.CommandContext(ctx, python, "-c", script)
	cmd.Stdin = strings.NewReader(strings.Join(programs, "\x00\n"))
	var faults bytes.Buffer
	cmd.Stderr = &faults
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("egglog: %w: %.2000s", err, faults.String())
	}
	return nil
}
