package general

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// frame is what the tensors of a law about meshes have in common: behind the axes of
// their meshes all have as many axes, which correspond.
type frame struct {
	rank    int     // axes behind the mesh; -1: not known
	axes    []int64 // those that operators look at, counted in a member
	product bool    // there is a product of matrices
	ok      bool
}

// frameOf is the frame of a law whose operators keep it.
func frameOf(l *law.Law) (f frame, types map[*law.Term]graph.Shape) {
	f = frame{rank: -1, ok: true}
	ty, err := l.Types()
	if err != nil {
		return frame{}, nil
	}
	types = ty.Shape
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil || !f.ok {
			return
		}
		one, own := member(u.Op, u.Attrs)
		mesh := 0
		if one != u.Op {
			_, _, over := u.Op.Member(u.Attrs)
			mesh = len(over)
		}
		axis := one.ParamIndex("axis")
		switch {
		case one.Layout == graph.LayoutEnds || one.Layout == graph.LayoutKeeps:
			mesh++
		case one.Layout == graph.LayoutMakes, one.Rearranges && axis >= 0: // also concats
		case one == u.Op && (one.Pointwise || one.Elementwise && one.Batched):
			return
		case one.Batched:
			f.product = true
			return
		default: // a scalar has no axes; of others not all axes correspond
			f.ok = false
			return
		}
		rank := len(types[u.Args[0]]) - mesh
		if f.rank >= 0 && f.rank != rank {
			f.ok = false
		}
		f.rank = rank
		if axis >= 0 {
			d, _ := own[axis].Dim()
			n, literal := d.Const()
			f.ok = f.ok && literal
			if !slices.Contains(f.axes, n) {
				f.axes = append(f.axes, n)
			}
		}
	})
	slices.Sort(f.axes)
	f.ok = f.ok && f.rank >= 0
	return f, types
}

// anyMeshRank is anyRank for laws about meshes: axes of members that no
// operator looks at become axis runs.
func anyMeshRank(l *law.Law) []*law.Law {
	layouts := false
	l.EachTerm(func(u *law.Term) {
		if u.Op != nil {
			one, _ := member(u.Op, u.Attrs)
			layouts = layouts || one.Layout != graph.LayoutNone
		}
	})
	if !layouts {
		return nil
	}
	f, types := frameOf(l)
	if !f.ok || len(f.axes) > 2 || f.product && f.rank != 2 {
		return nil
	}
	var frames []graph.Shape
	for _, d := range l.Given {
		if d.Sort != "" {
			continue
		}
		if d.Shape.HasAxisRun() || len(d.Shape) < f.rank {
			return nil
		}
		frames = append(frames, d.Shape[len(d.Shape)-f.rank:])
	}
	for _, s := range types {
		if len(s) < f.rank {
			return nil
		}
	}
	general := func(s graph.Shape) graph.Shape { return append(graph.Shape{graph.AxisRun("B")}, s...) }
	number := func(a int64) graph.Dim { return graph.AxisRunLen("B").Add(graph.Int(a)) }
	if !f.product {
		for i := range f.rank {
			for _, s := range frames {
				if s[i] != frames[0][i] && !slices.Contains(f.axes, int64(i)) {
					return nil
				}
			}
		}
		general, number = around(f.axes, f.rank)
	}
	m := rewriteLaw(l, func(u *law.Term) *law.Term {
		if u.Op == nil {
			return u
		}
		one, _ := member(u.Op, u.Attrs)
		if i := one.ParamIndex("axis"); i >= 0 {
			u.Attrs = slices.Clone(u.Attrs)
			i += len(u.Attrs) - len(one.Params)
			d, _ := u.Attrs[i].Dim()
			n, _ := d.Const()
			u.Attrs[i] = graph.DimValue(number(n))
		}
		return u
	})
	for i := range m.Given {
		if d := &m.Given[i]; d.Sort == "" {
			mesh := len(d.Shape) - f.rank
			d.Shape = append(d.Shape[:mesh:mesh], general(d.Shape[mesh:])...)
		}
	}
	return []*law.Law{m}
}

// around keeps axes of a shape and puts a run in the place of what is before, between
// and behind them, but for axes from front on, which stay as they are; number is what becomes of
// the number of a kept axis.
func around(axes []int64, front int) (general func(graph.Shape) graph.Shape, number func(int64) graph.Dim) {
	runs := []string{"P", "Q", "S"}
	at := map[int64]graph.Dim{}
	next := graph.AxisRunLen(runs[0])
	for k, a := range axes {
		at[a] = next
		next = next.Add(graph.Int(1)).Add(graph.AxisRunLen(runs[k+1]))
	}
	return func(s graph.Shape) graph.Shape {
			out := graph.Shape{graph.AxisRun(runs[0])}
			for k, a := range axes {
				out = append(out, s[a], graph.AxisRun(runs[k+1]))
			}
			return append(out, s[front:]...)
		}, func(a int64) graph.Dim {
			if a >= int64(front) {
				return next.Add(graph.Int(a - int64(front)))
			}
			return at[a]
		}
}
