package cpu

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// bindTopK finds the positions of the largest or smallest elements along an axis.
func bindTopK(b *binder, k *lower.Kernel, s *step) error {
	smallest, err := b.attrs(k.Node).Int("smallest")
	if err != nil {
		return err
	}
	count, err := b.attrs(k.Node).Int("k")
	if err != nil {
		return err
	}
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	s.run = func(ptr) error {
		switch to := elements[int64](y); {
		case x.DType == graph.Float32:
			topk(to, elements[float32](x), k.Span, count, smallest == 1)
		case x.DType == graph.Float64:
			topk(to, elements[float64](x), k.Span, count, smallest == 1)
		case x.Type == graph.Uint64:
			topk(to, elements[uint64](x), k.Span, count, smallest == 1)
		default:
			topk(to, elements[int64](x), k.Span, count, smallest == 1)
		}
		return nil
	}
	return nil
}

// insertions is up to how many of a line are kept in order while it is gone through; for
// more it is sorted.
const insertions = 64

func topk[T float32 | float64 | int64 | uint64](to []int64, from []T, span [3]int, k int, smallest bool) {
	outer, n, inner := span[0], span[1], span[2]
	type element struct {
		v  T
		at int64
	}
	// What is not a number is the largest, and alike to its kind.
	compare := func(a, b T) int {
		switch {
		case a > b || a != a && b == b:
			return -1
		case a < b || b != b && a == a:
			return 1
		}
		return 0
	}
	if smallest {
		largest := compare
		compare = func(a, b T) int { return largest(b, a) }
	}
	order := func(a, b element) int {
		if d := compare(a.v, b.v); d != 0 {
			return d
		}
		return int(a.at - b.at)
	}
	line := make([]element, 0, n)
	for o := range outer {
		for i := range inner {
			line = line[:0]
			row := from[o*n*inner+i:]
			for j := range n {
				e := element{row[j*inner], int64(j)}
				switch {
				case k > insertions || len(line) < k:
					line = append(line, e)
				case compare(e.v, line[k-1].v) < 0:
					line[k-1] = e
				default:
					continue
				}
				if k > insertions {
					continue
				}
				// The ones before it are in order, and of equal ones the first came first.
				for p := len(line) - 1; p > 0 && compare(e.v, line[p-1].v) < 0; p-- {
					line[p], line[p-1] = line[p-1], e
				}
			}
			if k > insertions {
				slices.SortFunc(line, order)
			}
			for t := range k {
				to[(o*k+t)*inner+i] = line[t].at
			}
		}
	}
}
