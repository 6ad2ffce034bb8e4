package op_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// ordersOf are all orders of n things.
func ordersOf(n int) [][]int {
	out := [][]int{{}}
	for i := range n {
		var more [][]int
		for _, p := range out {
			for at := range len(p) + 1 {
				more = append(more, slices.Insert(slices.Clone(p), at, i))
			}
		}
		out = more
	}
	return out
}

// transposed has x's axes in another order behind the first, which stay, and by hand.
func transposed(x tensor, stay int, q []int) tensor {
	from := make([]int, len(x.Sizes))
	for i := range from {
		if from[i] = i; i >= stay {
			from[i] = stay + q[i-stay]
		}
	}
	out := tensor{Sizes: make([]int, len(from)), Data: make([]float64, len(x.Data))}
	for i, a := range from {
		out.Sizes[i] = x.Sizes[a]
	}
	strides := graph.Strides(x.Sizes)
	graph.Each(out.Sizes, func(flat int, idx []int) {
		at := 0
		for i, a := range from {
			at += idx[i] * strides[a]
		}
		out.Data[flat] = x.Data[at]
	})
	return out
}

// Operators that say so do the same whatever order the axes are in: with the operands
// transposed by q, and axes i for axes q[i], the result is the one transposed by q.
func TestTurns(t *testing.T) {
	seen := map[string]int{}
	try := func(o *graph.Op, attrs graph.Attrs, in []tensor, _ func([]tensor) []tensor) {
		k := o.Turning()
		if k == 0 {
			return
		}
		want, err := interp.Apply(interp.Float{}, o, attrs, in)
		if err != nil {
			t.Fatal(err)
		}
		before, after := 0, 0
		switch o.Layout {
		case graph.LayoutMakes:
			after = 1
		case graph.LayoutEnds:
			before = 1
		case graph.LayoutKeeps:
			t.Fatalf("%s exchanges something between members", o.Name)
		}
		n := len(in[0].Sizes) - before
		if n > 4 {
			return
		}
		for _, q := range ordersOf(n) {
			turned, a := slices.Clone(in), slices.Clone(attrs)
			for i := range k {
				turned[i] = transposed(in[i], before, q)
			}
			for i, p := range o.Params {
				if p.Sort == "axis" {
					d, _ := attrs[i].Dim()
					axis, _ := d.Const()
					a[i] = graph.IntValue(slices.Index(q, int(axis)))
				}
			}
			got, err := interp.Apply(interp.Float{}, o, a, turned)
			if err != nil {
				t.Fatalf("%s%s of tensors transposed by %v: %v", o.Name, o.FormatAttrs(attrs), q, err)
			}
			for i := range want {
				w := transposed(want[i], after, q)
				if !slices.Equal(got[i].Sizes, w.Sizes) {
					t.Fatalf("%s%s of tensors transposed by %v has sizes %v, want %v", o.Name, o.FormatAttrs(attrs), q, got[i].Sizes, w.Sizes)
				}
				for j, y := range w.Data {
					if d := got[i].Data[j] - y; d > 1e-9 || d < -1e-9 {
						t.Fatalf("%s%s of tensors transposed by %v: entry %d is %g, want %g", o.Name, o.FormatAttrs(attrs), q, j, got[i].Data[j], y)
					}
				}
			}
			if !slices.IsSorted(q) {
				seen[o.Name]++
			}
		}
	}
	concrete(t, try)
	x := tensor{Sizes: []int{2, 3, 2, 2}, Data: make([]float64, 24)}
	for i := range x.Data {
		x.Data[i] = float64(i*i%17) - 5
	}
	try(op.EWMul, nil, []tensor{x, transposed(x, 0, []int{2, 1, 0, 3})}, nil)
	try(op.Reduce, nil, []tensor{x}, nil)
	try(op.Drop, nil, []tensor{x}, nil)
	try(op.Lift, graph.Attrs{graph.IntValue(2)}, []tensor{x}, nil)
	for _, o := range graph.Ops() {
		if o.Turning() > 0 && seen[o.Name] == 0 {
			t.Errorf("%s is said to do the same whatever order the axes are in, and is tried in one only", o.Name)
		}
	}
}
