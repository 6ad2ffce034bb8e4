package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph"
)

// drawnDim is a random size over the variables a and b, with functions of windows.
func drawnDim(r *rand.Rand, depth int) graph.Dim {
	v := graph.Var([]string{"a", "b"}[r.IntN(2)])
	switch n := r.IntN(7); {
	case depth == 0 || n == 0:
		return v
	case n == 1:
		return graph.Int(int64(r.IntN(9) - 4))
	case n == 2:
		return drawnDim(r, depth-1).Mul(drawnDim(r, depth-1))
	case n == 3:
		return drawnDim(r, depth-1).Scale(int64(r.IntN(7) - 3))
	case n == 4:
		st := 2 + r.IntN(3)
		return graph.WindowOut(drawnDim(r, depth-1), graph.Int(int64(1+r.IntN(4))), graph.TupleValue(st, 1), graph.NameValue(graph.Valid), 0)
	case n == 5:
		return graph.WindowOut(drawnDim(r, depth-1), graph.Int(3), graph.TupleValue(2+r.IntN(3), 1), graph.NameValue(graph.SameUpper), 0)
	}
	return drawnDim(r, depth-1).Add(drawnDim(r, depth-1))
}

// TestSizingBounds: what is claimed of sizes is so at all values of small ranges.
func TestSizingBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	claims, solved, same := 0, 0, 0
	for range 2500 {
		var s graph.Sizing
		ranges := map[string]graph.Range{}
		for _, name := range []string{"a", "b"} {
			lo := 1 + r.Int64N(6)
			ranges[name] = graph.Range{Lo: lo, Hi: lo + r.Int64N(7)}
			if err := s.Add(graph.SizeVar{Name: name, Sample: int(lo), Range: ranges[name]}); err != nil {
				t.Fatal(err)
			}
		}
		x := drawnDim(r, 4)
		if x.TooLarge() {
			continue
		}
		claim := s.NonNegative(x)
		lo, hi := s.Bounds(x)
		simple := s.Simplify(x)
		name, least, ok := s.Least(x)
		if claim {
			claims++
		}
		if ok {
			solved++
		}
		if simple != x {
			same++
		}
		for a := ranges["a"].Lo; a <= ranges["a"].Hi; a++ {
			for b := ranges["b"].Lo; b <= ranges["b"].Hi; b++ {
				at := &graph.Substitution{Dims: map[string]graph.Dim{"a": graph.Int(a), "b": graph.Int(b)}}
				n, err := x.Eval(at)
				if err != nil {
					t.Fatalf("%s at a = %d, b = %d: %v", x, a, b, err)
				}
				v := a
				if name == "b" {
					v = b
				}
				m, err := simple.Eval(at)
				switch {
				case claim && n < 0:
					t.Fatalf("%s is %d at a = %d, b = %d, not 0 or more", x, n, a, b)
				case n < lo || n > hi:
					t.Fatalf("%s is %d at a = %d, b = %d, not %d to %d", x, n, a, b, lo, hi)
				case ok && (n >= 0) != (v >= least):
					t.Fatalf("%s is %d at a = %d, b = %d, not 0 or more just from %s = %d", x, n, a, b, name, least)
				case err != nil || m != n:
					t.Fatalf("%s is %d at a = %d, b = %d, and %s is %d (%v)", x, n, a, b, simple, m, err)
				}
			}
		}
	}
	if claims < 1000 || solved < 500 || same < 100 {
		t.Errorf("%d claims, %d solved, %d simplified", claims, solved, same)
	}
	t.Logf("%d claims, %d solved, %d simplified", claims, solved, same)
}
