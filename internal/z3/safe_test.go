package z3

import (
	"context"
	"errors"
	"testing"
	"time"
	"unsafe"

	goz3 "github.com/mitchellh/go-z3"
	"pgregory.net/rapid"
)

// TestGoZ3Layout pins what this package takes for granted of go-z3: its context
// is Z3's pointer and nothing else, both packages speak to one library, and
// our handler replaced the one that exits.
func TestGoZ3Layout(t *testing.T) {
	if a, b := unsafe.Sizeof(goz3.Context{}), unsafe.Sizeof(uintptr(0)); a != b {
		t.Fatalf("go-z3's Context has %d bytes, want %d", a, b)
	}
	c := newContext(t)
	if got := *(*raw)(unsafe.Pointer(c.goz)); got != c.raw {
		t.Fatalf("handle %#x, go-z3 holds %#x", c.raw, got)
	}
	// A term of go-z3's making and one of ours are the same term.
	g := c.goz.Const(c.goz.Symbol("shared"), c.goz.IntSort())
	type ast struct{ ctx, ast raw } // go-z3's AST
	if a, b := unsafe.Sizeof(*g), unsafe.Sizeof(ast{}); a != b {
		t.Fatalf("go-z3's AST has %d bytes, want %d", a, b)
	}
	if ours := c.Const("shared", c.Int()); (*ast)(unsafe.Pointer(g)).ast != ours.raw {
		t.Errorf("go-z3's %v is not our %v", g, ours)
	}
}

// TestAnyTermIsSafe builds random terms, most of them ill sorted: Z3 must
// answer each with a term or an error, and agree with the sorts it reports.
func TestAnyTermIsSafe(t *testing.T) {
	c := newContext(t)
	u := c.Uninterpreted("U")
	f := c.Func("f", []Sort{u, c.Int()}, u)
	s := newSolver(t, c, SolverConfig{RLimit: 5000})
	rapid.Check(t, func(t *rapid.T) {
		pool := []Term{c.Const("a", u), c.Const("i", c.Int()), c.Const("p", c.Bool()), c.IntVal(3), c.True(), {}}
		pick := func() Term { return rapid.SampledFrom(pool).Draw(t, "operand") }
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			x, y := pick(), pick()
			build := map[string]func() Term{
				"add": func() Term { return c.Add(x, y) }, "and": func() Term { return c.And(x, y) },
				"app": func() Term { return f.Apply(x, y) }, "mod": func() Term { return c.Mod(x, y) },
				"eq": func() Term { return c.Eq(x, y) }, "ite": func() Term { return c.Ite(pick(), x, y) },
				"le": func() Term { return c.Le(x, y) }, "mul": func() Term { return c.Mul(x, y) },
				"not": func() Term { return c.Not(x) },
				"forall": func() Term {
					return c.ForAll(Quantifier{ID: "q", Bound: []Term{x}, Patterns: [][]Term{{y}}, Body: pick()})
				},
			}
			name := rapid.SampledFrom([]string{"add", "and", "app", "eq", "forall", "ite", "le", "mod", "mul", "not"}).Draw(t, "op")
			v := build[name]()
			if (v.Err() == nil) != (v.Sort().Err() == nil) {
				t.Fatalf("%s: %v but its sort %v", name, v.Err(), v.Sort().Err())
			}
			if v.Err() == nil {
				pool = append(pool, v)
			}
		}
		last := pool[len(pool)-1]
		formula := last.Err() == nil && last.Sort().String() == "Bool"
		if err := errors.Join(s.Push()); err != nil {
			t.Fatal(err)
		}
		if err := s.Assert(last); (err == nil) != formula {
			t.Fatalf("assert %v: %v", last, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.Check(ctx); err != nil {
			t.Fatalf("check %v: %v", last, err)
		}
		if err := s.Pop(); err != nil {
			t.Fatal(err)
		}
	})
}
