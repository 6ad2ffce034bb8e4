package op_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// A negative position counts from the end; one that is outside has no value.
func TestGatherOutside(t *testing.T) {
	x, idx := fill(1, 3), tensor{Sizes: []int{4}, Data: []float64{-3, 2, 3, 0.5}}
	out, err := interp.Apply(interp.Float{}, op.Gather, op.Gather.MustAttr(named{"axis": n(0)}), []tensor{x, idx})
	if err != nil {
		t.Fatal(err)
	}
	if d := out[0].Data; d[0] != x.Data[0] || d[1] != x.Data[2] || !math.IsNaN(d[2]) || !math.IsNaN(d[3]) {
		t.Errorf("got %v of %v", d, x.Data)
	}
}

// Large inputs do not overflow.
func TestSoftmaxStaysInRange(t *testing.T) {
	x := tensor{Sizes: []int{2}, Data: []float64{1000, 1001}}
	compare(t, op.Softmax, named{"axis": n(0)}, []tensor{x}, tensor{Sizes: x.Sizes, Data: []float64{1 / (1 + math.E), math.E / (1 + math.E)}})
}

// Element types that an operator takes and gives.
func TestElementTypes(t *testing.T) {
	build := func(b *graph.Builder, o *graph.Op, a named, types ...graph.DType) (*graph.Graph, error) {
		var in []graph.Tensor
		for i, d := range types {
			x, _ := b.AddInput(fmt.Sprint("x", i), d, 2)
			in = append(in, x)
		}
		id, err := b.Apply("y", o, o.MustAttr(a), in...)
		if err != nil {
			return nil, err
		}
		return b.Finish(id.Out(0))
	}
	for _, c := range []struct {
		op    *graph.Op
		a     named
		types []graph.DType
		want  string
	}{
		{op.Cast, named{"to": name("int64")}, []graph.DType{graph.Float32}, "int64"},
		{op.Gather, named{"axis": n(0)}, []graph.DType{graph.Float16, graph.Int64}, "float16"},
		{op.Gather, named{"axis": n(0)}, []graph.DType{graph.Float16, graph.Float16}, "node y: operator gather: positions are of type float16, want int64 or int32"},
		{op.EWMax, nil, []graph.DType{graph.Int64, graph.Int64}, "int64"},
		{op.EWMax, nil, []graph.DType{graph.Int64, graph.Int32}, "node y: operator ewmax: operands x0 int64[2] and x1 int32[2] have different element types"},
	} {
		got := ""
		if g, err := build(&graph.Builder{}, c.op, c.a, c.types...); err != nil {
			got = err.Error()
		} else {
			got = g.DType(g.Outputs()[0]).String()
			if h, err := graph.ParseText("f", g.String()); err != nil || !h.Equal(g) {
				t.Errorf("%s reads back as %v, %v", g, h, err)
			}
		}
		if got != c.want {
			t.Errorf("%s of %v: got %s, want %s", c.op.Name, c.types, got, c.want)
		}
	}
}

// Results of operators that say so lie between two numbers, whatever the operands are.
func TestBounded(t *testing.T) {
	inf := math.Inf(1)
	some := false
	for _, o := range graph.Ops() {
		if !o.Bounded {
			continue
		}
		some = true
		if o.In != 1 || len(o.Params) != 1 {
			t.Fatalf("%s: write how it is tested", o.Name)
		}
		x := tensor{Sizes: []int{5, 3}, Data: []float64{1, -inf, 2, -inf, -inf, -inf, inf, 1e300, -1e300, math.NaN(), 0, 1, 1e308, 1e308, inf}}
		out, err := interp.Apply(interp.Float{}, o, o.MustAttr(named{o.Params[0].Name: n(1)}), []tensor{x})
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range out[0].Data {
			if math.Abs(y) > 1 { // and not what is no number
				t.Errorf("%s: element %d is %g", o.Name, i, y)
			}
		}
	}
	if !some {
		t.Error("no operator has bounds")
	}
}
