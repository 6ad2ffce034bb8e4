package graph

import "fmt"

// member are the shapes of the members of families over a mesh.
func member(f *Unifier, over Shape, in []Shape) ([]Shape, error) {
	out := make([]Shape, len(in))
	for i, x := range in {
		if len(x) < len(over) {
			return nil, fmt.Errorf("shape %s is no family over %s", x, over)
		}
		if err := f.EqShape(x[:len(over)], over); err != nil {
			return nil, fmt.Errorf("shape %s is no family over %s: %w", x, over, err)
		}
		out[i] = x[len(over):]
	}
	return out, nil
}

// behind are the shapes behind the first n axes, which are known to be there.
func behind[S ~[]T, T any](n int, in []S) []S {
	out := make([]S, len(in))
	for i, x := range in {
		out[i] = x[n:]
	}
	return out
}

// toEach gives e the shapes and the meaning of op applied to each member of families.
func (e *Op) toEach(op *Op) {
	over := func(a Attrs) Shape { s, _ := a[0].Shape(); return s }
	e.AxisOf = func(a Attrs, ranks []int, axis int) []OperandAxis {
		n := len(over(a))
		if axis < n {
			all := make([]OperandAxis, len(ranks))
			for i := range all {
				all[i] = OperandAxis{i, axis}
			}
			return all
		}
		own := make([]int, len(ranks))
		for i, r := range ranks {
			own[i] = r - n
		}
		axes := op.OperandAxes(a[1:], own, axis-n)
		for i := range axes {
			axes[i].Axis += n
		}
		return axes
	}
	e.Infer = func(f *Unifier, a Attrs, in []Shape) ([]Shape, error) {
		mesh := f.NormShape(over(a))
		for _, it := range mesh {
			if it.AxisRun == "" {
				if err := f.Le(Int(1), it.Dim); err != nil {
					return nil, err
				}
			}
		}
		if f.Empty(mesh) {
			return nil, fmt.Errorf("mesh of shape %s has no members", mesh)
		}
		own, err := member(f, mesh, in)
		if err != nil {
			return nil, err
		}
		out, err := op.InferShapes(f, a[1:], own)
		if err != nil {
			return nil, err
		}
		mesh = f.NormShape(mesh)
		for i, s := range out {
			out[i] = append(mesh.Clone(), s...)
		}
		return out, nil
	}
	if op.DTypes != nil {
		e.DTypes = func(a Attrs, in []DType) ([]DType, error) { return op.DTypes(a[1:], in) }
	}
	if op.Places != nil {
		e.Places = func(a Attrs, in []Shape) (int, Dim, error) { return op.Places(a[1:], behind(len(over(a)), in)) }
	}
	if op.Entry != nil {
		e.Entry = func(s *Space, a Attrs, in []Shape, at []Index) (*Expr, error) {
			n := len(over(a))
			x, err := op.Entry(s, a[1:], behind(len(over(a)), in), at[n:])
			if err != nil {
				return nil, err
			}
			return x.inMember(at[:n]), nil
		}
	}
	if op.Expand != nil {
		e.Expand = func(a Attrs, in []Shape) ([]Prim, error) {
			ps, err := op.Expand(a[1:], behind(len(over(a)), in))
			if err != nil {
				return nil, err
			}
			out := make([]Prim, len(ps))
			for i, p := range ps {
				out[i] = p.each(a[0])
			}
			return out, nil
		}
		for _, x := range op.ExpandsTo {
			e.ExpandsTo = append(e.ExpandsTo, x.Each())
		}
	}
	if op.Chain != nil {
		e.Chain = func(a Attrs, in []Shape) ([]Prim, error) {
			ps, err := op.Chain(a[1:], behind(len(over(a)), in))
			out := make([]Prim, len(ps))
			for i, p := range ps {
				out[i] = p.each(a[0])
			}
			return out, err
		}
	}
	e.FLOPs = func(a Attrs, in, out [][]int) int64 {
		n := len(over(a))
		members := 1
		for _, it := range over(a) {
			k, _ := it.Dim.Const()
			members = int(Product(members, int(k)))
		}
		one := op.WorkOf(a[1:], behind(n, in), behind(n, out)).FLOPs
		return Product(members, int(one))
	}
}

// each is the application to each member.
func (p Prim) each(over Value) Prim {
	if e := p.Op.Each(); e != p.Op {
		return Prim{e, append(Attrs{over}, p.Attrs...)}
	}
	return p
}

// inMember is the expression with the inputs read in one member of a family. What it
// shares stays shared.
func (x *Expr) inMember(at []Index) *Expr {
	if len(at) == 0 {
		return x
	}
	known := map[*Expr]*Expr{nil: nil}
	var of func(x *Expr) *Expr
	of = func(x *Expr) *Expr {
		if y, ok := known[x]; ok {
			return y
		}
		y := *x
		if x.Kind == ExprRead {
			y.At = append(append(make([]Index, 0, len(at)+len(x.At)), at...), x.At...)
		}
		y.Args = nil
		for _, arg := range x.Args {
			y.Args = append(y.Args, of(arg))
		}
		y.Shift = of(x.Shift)
		if x.Pick != nil {
			y.Pick = &Pick{of(x.Pick.At), of(x.Pick.Of)}
		}
		if x.Direct != nil {
			d := &Direct{Fn: x.Direct.Fn}
			for _, arg := range x.Direct.Args {
				d.Args = append(d.Args, of(arg))
			}
			y.Direct = d
		}
		known[x] = &y
		return &y
	}
	return of(x)
}
