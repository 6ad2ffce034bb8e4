package jax

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// One process runs programs one after the other, each as if it were the only one, and goes on
// after one that fails.
func TestProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rt, err := Find(ctx)
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	p, err := rt.Start(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, out, wrong string }{
		{"import sys, jax\nx = 1\nprint(__name__, sys.argv[1:], len(jax.devices()))", "__main__ ['a', 'b'] 3\n", ""},
		{"print(x)", "", "NameError: name 'x' is not defined"},
		{"raise SystemExit('enough')", "", "SystemExit: enough"},
		{"print('still here')", "still here\n", ""},
	} {
		out, err := p.Run(ctx, c.program, "a", "b")
		if string(out) != c.out || (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %q, %v", c.program, out, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if _, err := p.Run(ctx, "print(1)"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
