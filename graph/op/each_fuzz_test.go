package op_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// fuzzed reads choices from bytes; 0 when there are no more.
type fuzzed struct{ b []byte }

func (c *fuzzed) next() int {
	if len(c.b) == 0 {
		return 0
	}
	x := int(c.b[0])
	c.b = c.b[1:]
	return x
}

func (c *fuzzed) of(n int) int { return c.next() % n }

// dim is a size: small, none, negative, large, a variable or a sum of them.
func (c *fuzzed) dim() graph.Dim {
	switch k := c.of(16); k {
	case 0:
		return graph.Int(0)
	case 1:
		return graph.Int(-int64(c.of(4)))
	case 2:
		return graph.Int(math.MaxInt64 - int64(c.of(3)))
	case 3:
		return graph.Int(1 << (20 + c.of(40)))
	case 4:
		return v([]string{"a", "g"}[c.of(2)])
	case 5:
		return v("a").Mul(v("g")).Sub(graph.Int(int64(c.of(3))))
	default:
		return graph.Int(int64(1 + k%4))
	}
}

func (c *fuzzed) shape(most int) graph.Shape {
	out := graph.Shape{}
	for range c.of(most + 1) {
		if c.of(12) == 0 {
			out = append(out, graph.AxisRun([]string{"P", "Q"}[c.of(2)]))
			continue
		}
		out = append(out, graph.Axis(c.dim()))
	}
	return out
}

// value is one of any kind, mostly of the kind that is wanted.
func (c *fuzzed) value(p graph.Param) graph.Value {
	sort := p.Sort
	if c.of(16) == 0 {
		sort = []string{"int", "shape", "perm", "act", "number"}[c.of(5)]
	}
	small := func() int64 { return int64(c.of(6)) - 1 }
	switch sort {
	case "shape":
		return graph.ShapeValue(c.shape(3))
	case "perm", "tuple", "stride", "padding":
		xs := make([]int64, c.of(5))
		for i := range xs {
			xs[i] = small()
		}
		return tuple(xs...)
	case "act", "border", "dtype", "name":
		return name([]string{"none", "relu", "valid", "counted", "excluded", "int64", "linear_half_pixel"}[c.of(7)])
	case "number":
		return num(float64(c.of(5)) / 2)
	case "flag":
		return n(int64(c.of(3)))
	}
	if c.of(4) > 0 {
		return n(small())
	}
	return graph.DimValue(c.dim())
}

// FuzzEach applies lifted operators to families over anything: what inference accepts has
// a meaning, and anything else is an error.
func FuzzEach(f *testing.F) {
	for k := range byte(60) {
		f.Add([]byte{k, 1, 1, 9, 2, 1, 9, 1, 9, 1, 6, 1, 7, 2, 3, 4})
		f.Add([]byte{k, 3, 1, 0, 1, 1, 1, 2, 1, 3, 2, 1, 4, 0, 0, 3, 1, 5})
		f.Add([]byte{k, 2, 0, 0, 1, 7, 9, 2, 0, 1, 1, 1, 9, 9, 9, 200, 100, 17, 31})
		f.Add([]byte{k, 0, 0, 0, 0, 0})
	}
	ops := graph.Lifted()
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &fuzzed{b}
		e := ops[c.of(len(ops))]
		over := c.shape(4)
		attrs := make(graph.Attrs, len(e.Params))
		for i, p := range e.Params {
			attrs[i] = c.value(p)
		}
		if c.of(8) > 0 {
			attrs[0] = graph.ShapeValue(over)
		}
		in := make([]graph.Shape, e.In)
		concrete := true
		for i := range in {
			if c.of(8) > 0 {
				in[i] = append(in[i], over...)
			}
			in[i] = append(in[i], c.shape(4)...)
			_, ok := in[i].Concrete()
			concrete = concrete && ok
		}
		for _, u := range []*graph.Unifier{{}, graph.Solver(), graph.ExactSolver()} {
			out, err := e.InferShapes(u, attrs, in)
			if err == nil && len(out) != e.Out {
				t.Fatalf("%s: %d outputs", e.Name, len(out))
			}
		}
		if !concrete {
			return
		}
		var tensors []tensor
		for _, x := range in {
			sizes, _ := x.Concrete()
			if graph.NumElements(sizes) > 1<<12 || graph.NumElements(sizes) < 0 {
				return
			}
			tensors = append(tensors, fill(1, sizes...))
		}
		one, own, axes := e.Member(attrs)
		if one == nil {
			t.Fatalf("%s is no lifted operator", e.Name)
		}
		out, err := interp.Apply(interp.Float{}, e, attrs, tensors)
		if err != nil {
			return
		}
		// Once more for the first member alone.
		var first []tensor
		for _, x := range tensors {
			y := tensor{Sizes: x.Sizes[len(axes):]}
			y.Data = x.Data[:graph.NumElements(y.Sizes)]
			first = append(first, y)
		}
		want, err := interp.Apply(interp.Float{}, one, own, first)
		if err != nil {
			t.Fatalf("%s%s: of a member: %v", e.Name, e.FormatAttrs(attrs), err)
		}
		for i := range want {
			for k, x := range want[i].Data {
				if y := out[i].Data[k]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					t.Fatalf("%s%s: entry %d of output %d is %g, of a member %g", e.Name, e.FormatAttrs(attrs), k, i, y, x)
				}
			}
		}
	})
}
