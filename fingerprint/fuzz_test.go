package fingerprint

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// choices reads small numbers from fuzzed bytes; 0 when there are no more.
type choices struct{ b []byte }

func (c *choices) next(n int) int {
	if len(c.b) == 0 {
		return 0
	}
	x := int(c.b[0])
	c.b = c.b[1:]
	return x % n
}

func (c *choices) size() int { return 1 + c.next(5) }

func (c *choices) shape(rank int) []int {
	s := make([]int, rank)
	for i := range s {
		s[i] = c.size()
	}
	return s
}

func (c *choices) stride() graph.Value {
	return graph.TupleValue(int64(1+c.next(3)), int64(1+c.next(3)))
}

func (c *choices) pad() graph.Value {
	switch k := c.next(4); k {
	case 3:
		return graph.TupleValue(int64(c.next(3)), int64(c.next(3)), int64(c.next(3)), int64(c.next(3)))
	default:
		return graph.NameValue([]string{graph.SameLower, graph.SameUpper, graph.Valid}[k])
	}
}

// application draws an operator with attributes and the sizes of its operands.
// It need not be well formed.
func (c *choices) application() (*graph.Op, map[string]graph.Value, [][]int) {
	type m = map[string]graph.Value
	num := func(n int) graph.Value { return graph.IntValue(int64(n)) }
	switch c.next(18) {
	case 0:
		b, x, y, z := c.shape(c.next(3)), c.size(), c.size(), c.size()
		return op.MatMul, m{}, [][]int{append(append([]int{}, b...), x, y), append(append([]int{}, b...), y, z)}
	case 1, 2:
		s := c.shape(c.next(4))
		return []*graph.Op{op.EWAdd, op.EWMul}[c.next(2)], m{}, [][]int{s, s}
	case 3:
		return op.SMul, m{}, [][]int{c.shape(c.next(4)), {}}
	case 4:
		return op.Relu, m{}, [][]int{c.shape(c.next(5))}
	case 5, 6, 7:
		groups, ch := 1+c.next(3), c.size()
		act := graph.NameValue([]string{"none", "relu"}[c.next(2)])
		return op.Conv2D, m{"stride": c.stride(), "pad": c.pad(), "groups": num(groups), "act": act},
			[][]int{{c.size(), groups * ch, c.size(), c.size()}, {groups * c.size(), ch, c.size(), c.size()}}
	case 8:
		return op.PoolMax, m{"kh": num(c.size()), "kw": num(c.size()), "stride": c.stride(), "pad": c.pad()}, [][]int{c.shape(4)}
	case 9:
		border := graph.NameValue([]string{"counted", "excluded"}[c.next(2)])
		return op.PoolAvg, m{"kh": num(c.size()), "kw": num(c.size()), "stride": c.stride(), "pad": c.pad(), "border": border},
			[][]int{c.shape(4)}
	case 10:
		s := c.shape(1 + c.next(4))
		axis := c.next(len(s))
		t := append([]int{}, s...)
		t[axis] = c.size()
		return op.Concat, m{"axis": num(axis)}, [][]int{s, t}
	case 11:
		s := c.shape(1 + c.next(4))
		lo := c.next(5)
		return op.Slice, m{"axis": num(c.next(len(s))), "lo": num(lo), "hi": num(lo + c.size())}, [][]int{s}
	case 12:
		s := c.shape(1 + c.next(4))
		return op.Split, m{"axis": num(c.next(len(s))), "at": num(c.size())}, [][]int{s}
	case 13:
		rank := 1 + c.next(4)
		perm := make([]int64, rank)
		for i := range perm {
			perm[i] = int64(i)
			j := c.next(i + 1)
			perm[i], perm[j] = perm[j], perm[i]
		}
		return op.Transpose, m{"perm": graph.TupleValue(perm...)}, [][]int{c.shape(rank)}
	case 14:
		return op.Enlarge, m{"kh": num(c.size()), "kw": num(c.size())}, [][]int{c.shape(4)}
	case 15:
		return []*graph.Op{op.IConv, op.CPool}[c.next(2)], m{"c": num(c.size()), "kh": num(c.size()), "kw": num(c.size())}, nil
	case 16:
		return op.IMatMul, m{"n": num(c.size())}, nil
	}
	return op.One, m{"shape": graph.ShapeValue(graph.Sizes(c.shape(c.next(4))...))}, nil
}

// FuzzKernel compares the fast kernels with the interpreter: all operators,
// any attributes and sizes.
func FuzzKernel(f *testing.F) {
	for k := range byte(18) {
		f.Add([]byte{k, 1, 2, 1, 2, 1, 2, 3, 1, 2, 1, 1, 1, 2}, uint64(k))
		f.Add([]byte{k, 2, 1, 4, 0, 3, 1, 1, 0, 2, 2, 1, 3, 1, 4, 2}, uint64(k)<<32)
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		c := &choices{b}
		o, named, in := c.application()
		attrs, err := o.Attr(named)
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		var tensors []interp.Tensor[uint64]
		var data [][]uint64
		for i, s := range in {
			d := Random(seed, string(rune('a'+i)), graph.NumElements(s))
			for j := range d {
				switch d[j] % 8 { // zeros and the largest number, too
				case 0:
					d[j] = 0
				case 1:
					d[j] = P - 1
				}
			}
			data = append(data, d)
			tensors = append(tensors, interp.Tensor[uint64]{Sizes: s, Data: d})
		}
		z := Zp{Key: seed}
		want, err := interp.Apply[uint64](z, o, attrs, tensors)
		if err != nil {
			return // not well formed
		}
		outs := make([][]int, len(want))
		for i := range want {
			outs[i] = want[i].Sizes
		}
		m, err := o.Program(attrs, in, outs)
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		k := z.Compile(m)
		if k.Program() != m {
			t.Fatalf("%s: the kernel has another meaning", o.Name)
		}
		all := k.Run(data...)
		for i, w := range want {
			if k.Len(i) != len(w.Data) {
				t.Fatalf("%s: output %d has %d elements, want %d", o.Name, i, k.Len(i), len(w.Data))
			}
			into := make([]uint64, k.Len(i))
			k.Into(into, i, data...)
			for j, x := range w.Data {
				if all[i][j] != x || into[j] != x {
					t.Fatalf("%s%v of %v: output %d, element %d: %d and %d, want %d", o.Name, o.FormatAttrs(attrs), in, i, j, all[i][j], into[j], x)
				}
			}
		}
	})
}
