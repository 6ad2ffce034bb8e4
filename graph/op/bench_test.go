package op_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// BenchmarkLoops makes programs with their lists, as for shapes that were not met
// before.
func BenchmarkLoops(b *testing.B) {
	image := []int{1, 2, 4, 4}
	for _, c := range []struct {
		op  *graph.Op
		a   named
		in  [][]int
		out []int
	}{
		{op.Relu, nil, [][]int{{3, 4}}, []int{3, 4}},
		{op.EWAdd, nil, [][]int{{3, 4}, {3, 4}}, []int{3, 4}},
		{op.MatMul, nil, [][]int{{3, 4}, {4, 5}}, []int{3, 5}},
		{op.Conv2D, named{"pad": name("same_upper")}, [][]int{image, {2, 2, 3, 3}}, image},
		{op.Transpose, named{"perm": tuple(1, 0)}, [][]int{{3, 4}}, []int{4, 3}},
		{op.Concat, named{"axis": n(1)}, [][]int{{3, 4}, {3, 2}}, []int{3, 6}},
		{op.Softmax, named{"axis": n(1)}, [][]int{{3, 4}}, []int{3, 4}},
		{op.LayerNorm, named{"axis": n(1), "eps": num(0.5)}, [][]int{{3, 4}, {4}, {4}}, []int{3, 4}},
		{op.PoolMax, named{"kh": n(3), "kw": n(3), "pad": name("same_upper")}, [][]int{image}, image},
	} {
		a := c.op.MustAttr(c.a)
		b.Run(c.op.Name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				p, err := c.op.Loops(a, c.in, [][]int{c.out})
				if err != nil {
					b.Fatal(err)
				}
				for i := range p.Steps {
					if err := p.Steps[i].List(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
