package parallel

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// refuted reports whether a law fails at small sizes, or at some that are no smaller than
// a window. Where it has large numbers in them, smaller ones stand for these: what does not
// hold there is hardly ever true of the numbers alone, and not worth the search for a proof.
// Operators that read places are not evaluated: those are not any numbers. Neither are laws
// with large sizes in attributes: there a proof is looked for at once.
//
// An evaluation takes at most so many operations. at is the number of the instance that was
// evaluated, from 1, 0 if there was none; one that is known not to fail is not evaluated again.
func refuted(l *law.Law, places bool, most int64, known int) (fails bool, at int) {
	if places {
		return false, 0
	}
	n := 0
	for _, of := range []*law.Law{l, smaller(l)} {
		if of == nil {
			continue
		}
		for own := range instances(of) {
			n++
			if n == known {
				return false, n
			}
			if ty, err := own.Types(); err != nil || !evaluable(ty, most) {
				continue
			}
			values := map[*law.Term]interp.Tensor[uint64]{}
			x, err := evaluate(own, own.LHS[0], values)
			if err != nil {
				continue
			}
			y, err := evaluate(own, own.RHS[0], values)
			return err == nil && !(slices.Equal(x.Sizes, y.Sizes) && slices.Equal(x.Data, y.Data)), n
		}
	}
	return false, 0
}

// instances are those of a law in which sizes are small, or no smaller than a window, and
// then those in which one of them is a number among the attributes, such as that of groups.
func instances(l *law.Law) func(yield func(*law.Law) bool) {
	return func(yield func(*law.Law) bool) {
		var names []string
		l.EachAtom(func(a graph.Atom) {
			if a.Kind == graph.AtomVar && !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		})
		at := func(least int, larger string, by int) *law.Law {
			b := &graph.Substitution{Dims: map[string]graph.Dim{}}
			for i, name := range names {
				n := least + i%3
				switch name {
				case degreeName:
					n = 2
				case larger:
					n = by
				}
				b.Dims[name] = graph.Int(int64(n))
			}
			return l.Subst(b)
		}
		leasts := []int{2, small + 1}
		for _, least := range leasts {
			if !yield(at(least, "", 0)) {
				return
			}
		}
		for _, least := range leasts {
			for _, by := range attrNumbers(at(least, "", 0)) {
				for _, name := range names {
					if by > 1 && name != degreeName && !yield(at(least, name, by)) {
						return
					}
				}
			}
		}
	}
}

// attrNumbers are those that attributes of a law are, each once.
func attrNumbers(l *law.Law) (out []int) {
	l.EachTerm(func(t *law.Term) {
		for _, v := range t.Attrs {
			if d, ok := v.Dim(); ok {
				if n, ok := d.Const(); ok && !slices.Contains(out, int(n)) {
					out = append(out, int(n))
				}
			}
		}
	})
	return out
}

// smaller is a law with the large numbers among its sizes divided by what they have in
// common, but for those that attributes hold too; nil: they have nothing in common.
func smaller(l *law.Law) *law.Law {
	fixed := attrNumbers(l)
	l.EachTerm(func(t *law.Term) {
		for _, v := range t.Attrs {
			shape, _ := v.Shape()
			for _, it := range shape {
				if n, ok := it.Dim.Const(); ok {
					fixed = append(fixed, int(n))
				}
			}
		}
	})
	common := 0
	each := func(shape graph.Shape, f func(axis, n int)) {
		for k, it := range shape {
			if n, ok := it.Dim.Const(); ok && it.AxisRun == "" && n > small && !slices.Contains(fixed, int(n)) {
				f(k, int(n))
			}
		}
	}
	for _, x := range l.Given {
		each(x.Shape, func(_, n int) {
			common = int(graph.GCD(int64(common), int64(n)))
		})
	}
	if common%2 == 0 {
		common /= 2 // sizes of one are like none
	}
	if common < 2 {
		return nil
	}
	out := *l
	out.Given = slices.Clone(l.Given)
	for i, x := range out.Given {
		shape := x.Shape.Clone()
		each(x.Shape, func(axis, n int) { shape = shape.With(axis, graph.Int(int64(n/common))) })
		out.Given[i].Shape = shape
	}
	return &out
}

// evaluable reports whether a law without size variables is evaluated by so many operations.
func evaluable(ty *law.Typing, most int64) bool {
	sizes := map[*law.Term][]int{}
	for t, shape := range ty.Shape {
		x, ok := shape.Concrete()
		if !ok || int64(graph.Product(x...)) > most {
			return false
		}
		sizes[t] = x
	}
	sum := int64(0)
	for t, x := range sizes {
		if t.Op == nil {
			continue
		}
		var in [][]int
		for _, a := range t.Args {
			in = append(in, sizes[a])
		}
		if sum += t.Op.WorkOf(t.Attrs, in, [][]int{x}).FLOPs; sum > most {
			return false
		}
	}
	return true
}
