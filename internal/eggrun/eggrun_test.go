package eggrun_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/eggrun"
)

func TestAbsent(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("TASO_EGGLOG_PYTHON", "")
	if _, err := eggrun.Python(context.Background()); !errors.Is(err, eggrun.ErrAbsent) {
		t.Errorf("%v", err)
	}
}

func TestRun(t *testing.T) {
	ctx := context.Background()
	python, err := eggrun.Python(ctx)
	if err != nil {
		t.Skip(err)
	}
	program := "(datatype T (A) (B))\n(rewrite (A) (B))\n(A)\n(run 1)\n"
	if err := eggrun.Run(ctx, python, program+"(check (= (A) (B)))"); err != nil {
		t.Error(err)
	}
	if err := eggrun.Run(ctx, python, program, program, "(check (= 1 2))"); err == nil || !strings.Contains(err.Error(), "program 2: ") {
		t.Errorf("of three: %v", err)
	}
	for _, wrong := range []string{"(check (!= (A) (B)))", "(check", "(unknown)"} {
		if err := eggrun.Run(ctx, python, program+wrong); err == nil || !strings.Contains(err.Error(), "program 0: ") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// It prints nothing where egglog is not there.
func ExampleRun() {
	ctx := context.Background()
	python, err := eggrun.Python(ctx)
	if err != nil {
		return
	}
	if err := eggrun.Run(ctx, python, "(datatype T (A) (B))\n(rewrite (A) (B))\n(A)\n(run 1)\n(check (= (A) (B)))\n"); err != nil {
		fmt.Println(err)
	}
	// Output:
}
