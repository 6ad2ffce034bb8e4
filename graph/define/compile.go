package define

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Op compiles the definition to an operator. It is not in the registry, see [Register].
func (d *Definition) Op() *graph.Op {
	o := &graph.Op{Name: d.Name, Doc: d.Doc, In: len(d.operands), Out: 1, Definition: d, Class: "copy",
		Infer: d.infer, Entry: d.entry}
	if o.Doc == "" {
		o.Doc = "Defined by a text: " + d.String() + "."
	}
	o.Moves, o.Rearranges = true, true
	d.body.walk(func(e *node) {
		switch e.kind {
		case isRead, isWhere:
		case isNumber:
			o.Rearranges = false
		default:
			o.Moves, o.Rearranges = false, false
		}
		switch e.kind {
		case isSum, isMost, isLeast:
			o.Class = "reduce"
		case isDiv:
			o.Partial = o.Partial || !d.isCount(e.args[1])
		case isCall:
			f, _ := graph.Lookup(e.name)
			o.Partial = o.Partial || f.Partial || f.HasValue != nil
		}
	})
	if !d.shaped {
		o.Class, o.Moves, o.Rearranges = "pointwise", false, false
		o.Elementwise, o.Batched, o.Turns = true, true, len(d.operands)
		if len(d.operands) > 2 {
			o.AxisOf = func(_ graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
				var out []graph.OperandAxis
				for i := range ranks {
					out = append(out, graph.OperandAxis{Operand: i, Axis: axis})
				}
				return out
			}
		}
		return o
	}
	axes := d.axes()
	o.AxisOf = func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis { return axes[axis] }
	return o
}

func (e *node) walk(f func(*node)) {
	f(e)
	for _, a := range e.args {
		a.walk(f)
	}
}

// axes are the axes of operands of which each axis of the result is one: its index is that along
// them at all reads, and occurs nowhere else.
func (d *Definition) axes() [][]graph.OperandAxis {
	out := make([][]graph.OperandAxis, len(d.at))
	for i, name := range d.at {
		at := map[place]bool{}
		alone := true
		no := func(ls ...linear) {
			for _, l := range ls {
				alone = alone && l.coef(name) == 0
			}
		}
		reads := map[int]int{}   // of each operand
		along := map[place]int{} // of these, with the index along an axis
		d.body.walk(func(e *node) {
			no(e.lo, e.hi)
			for _, c := range e.conds {
				no(c.a, c.b)
			}
			if e.kind != isRead {
				return
			}
			reads[e.in]++
			for k, x := range e.index {
				if x.c == 0 && len(x.t) == 1 && x.coef(name) == 1 {
					at[place{e.in, k}] = true
					along[place{e.in, k}]++
				} else {
					no(x)
				}
			}
		})
		for p := range at {
			alone = alone && along[p] == reads[p.operand]
		}
		if !alone {
			continue
		}
		for p := range at {
			out[i] = append(out[i], graph.OperandAxis{Operand: p.operand, Axis: p.axis})
		}
		slices.SortFunc(out[i], func(a, b graph.OperandAxis) int {
			if a.Operand != b.Operand {
				return a.Operand - b.Operand
			}
			return a.Axis - b.Axis
		})
	}
	return out
}

// sizes are the values of size variables for operands of these shapes.
func (d *Definition) sizes(f *graph.Unifier, in []graph.Shape) (map[string]graph.Dim, error) {
	for i, o := range d.operands {
		if len(in[i]) != len(o.shape) || in[i].HasAxisRun() {
			return nil, fmt.Errorf("operand %s: shape %s, want %s", o.name, in[i], list(o.shape))
		}
	}
	axes, err := d.order()
	if err != nil {
		return nil, err
	}
	at := map[string]graph.Dim{}
	for _, p := range axes {
		o, have := d.operands[p.operand], in[p.operand][p.axis].Dim
		s := o.shape[p.axis]
		wrap := func(err error) error {
			return fmt.Errorf("operand %s: shape %s, want %s: %w", o.name, in[p.operand], list(o.shape), err)
		}
		if s.gives() {
			if _, ok := at[s.t[0].name]; !ok {
				n := f.Norm(have).Sub(graph.Int(s.c))
				var err error
				if s.c == 0 {
					n, err = f.Quotient(have, graph.Int(s.t[0].k))
				}
				if err == nil {
					err = f.Le(graph.Int(1), n)
				}
				if err != nil {
					return nil, wrap(err)
				}
				at[s.t[0].name] = n
				continue
			}
		}
		if err := f.Eq(have, s.dim(at)); err != nil {
			return nil, wrap(err)
		}
	}
	return at, nil
}

func (a linear) dim(at map[string]graph.Dim) graph.Dim {
	out := graph.Int(a.c)
	for _, f := range a.t {
		out = out.Add(at[f.name].Scale(f.k))
	}
	return out
}

func (d *Definition) infer(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	if !d.shaped {
		for _, s := range in[1:] {
			if err := f.EqShape(in[0], s); err != nil {
				return nil, err
			}
		}
		return []graph.Shape{f.NormShape(in[0])}, nil
	}
	at, err := d.sizes(f, in)
	if err != nil {
		return nil, err
	}
	out := graph.Shape{}
	for _, s := range d.out {
		out = append(out, graph.Axis(s.dim(at)))
	}
	return []graph.Shape{f.NormShape(out)}, nil
}

func (d *Definition) entry(s *graph.Space, _ graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
	c := &compiler{d: d, s: s, at: at, by: map[string]graph.Index{}}
	if !d.shaped {
		return c.expr(d.body, d.top()), nil
	}
	if len(at) != len(d.at) {
		return nil, errors.New("an index of another number of axes")
	}
	var f graph.Unifier
	sizes, err := d.sizes(&f, in)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		c.by[name] = s.Size(sizes[name])
	}
	for i, name := range d.at {
		c.by[name] = at[i]
	}
	c.dims = sizes
	return c.expr(d.body, d.top()), nil
}

// compiler makes the expression of an entry.
type compiler struct {
	d    *Definition
	s    *graph.Space
	at   []graph.Index
	by   map[string]graph.Index // sizes, indices and counters
	dims map[string]graph.Dim   // sizes
}

func (c *compiler) index(l linear) graph.Index {
	out := graph.IndexInt(l.c)
	for _, f := range l.t {
		out = out.AddScaled(c.by[f.name], f.k)
	}
	return out
}

func (c *compiler) guards(ls []linear) []graph.Guard {
	out := make([]graph.Guard, len(ls))
	for i, l := range ls {
		out[i] = graph.Guard{E: c.index(l)}
	}
	return out
}

func (c *compiler) conditions(cs []condition, s scope) []graph.Guard {
	var out []graph.Guard
	for _, x := range cs {
		if x.rel == "==" {
			out = append(out, graph.GuardEq(c.index(x.a.subst(s.by)), c.index(x.b.subst(s.by))))
			continue
		}
		out = append(out, c.guards(x.facts(s.by))...)
	}
	return out
}

func minus(e *graph.Expr) *graph.Expr {
	return graph.EntryMul(graph.EntryNumber(graph.IndexInt(-1)), e)
}

func (c *compiler) expr(e *node, s scope) *graph.Expr {
	arg := func(i int) *graph.Expr { return c.expr(e.args[i], s) }
	switch e.kind {
	case isNumber:
		return graph.EntryNumber(graph.IndexInt(e.n))
	case isIndex:
		return graph.EntryNumber(c.index(e.lo.subst(s.by)))
	case isElement:
		return graph.EntryRead(e.in, c.at...)
	case isRead:
		at := make([]graph.Index, len(e.index))
		for i, x := range e.index {
			at[i] = c.index(x.subst(s.by))
		}
		return graph.EntryRead(e.in, at...)
	case isAdd:
		return graph.EntryAdd(arg(0), arg(1))
	case isSub:
		return graph.EntryAdd(arg(0), minus(arg(1)))
	case isMul:
		return graph.EntryMul(arg(0), arg(1))
	case isDiv:
		if c.d.isCount(e.args[1]) {
			return graph.EntryMul(arg(0), graph.EntryInv(arg(1)))
		}
		return graph.EntryMul(arg(0), graph.EntryFn(graph.NameValue(graph.FuncText("reciprocal")), arg(1)))
	case isNeg:
		return minus(arg(0))
	case isPower:
		fs := make([]*graph.Expr, e.n)
		for i := range fs {
			fs[i] = arg(0) // with bound variables of its own
		}
		return graph.EntryMul(fs...)
	case isCall:
		return graph.EntryFn(graph.NameValue(graph.FuncText(e.name)), arg(0))
	case isLarger:
		return c.larger(arg(0), arg(1))
	case isSmaller:
		return minus(c.larger(minus(arg(0)), minus(arg(1))))
	case isSum, isMost, isLeast:
		in, count, guard := s.enter(e)
		v := c.s.Var(e.name)
		old, had := c.by[count.name]
		c.by[count.name] = v.Index()
		var where []graph.Guard
		if guard != nil {
			where = c.guards([]linear{*guard})
		}
		over := []graph.Bound{{Var: v, N: c.s.Size(count.n.dim(c.dims))}}
		body := c.expr(e.args[0], in)
		if delete(c.by, count.name); had {
			c.by[count.name] = old
		}
		switch e.kind {
		case isSum:
			return graph.EntrySum(body, over, where...)
		case isMost:
			return graph.EntryMax(body, over, where...)
		}
		return minus(graph.EntryMax(minus(body), over, where...))
	}
	parts := []*graph.Expr{graph.EntryWhen(arg(0), c.conditions(e.conds, s)...)}
	for _, cs := range otherwise(e.conds) {
		parts = append(parts, graph.EntryWhen(arg(1), c.conditions(cs, s)...))
	}
	return graph.EntryAdd(parts...)
}

// larger is the larger of two expressions: the maximum over k of 0 and 1 of the one with that
// number.
func (c *compiler) larger(x, y *graph.Expr) *graph.Expr {
	k := c.s.Var("k")
	first := graph.EntryWhen(x, graph.GuardEq(k.Index(), graph.IndexInt(0)))
	second := graph.EntryWhen(y, graph.GuardEq(k.Index(), graph.IndexInt(1)))
	return graph.EntryMax(graph.EntryAdd(first, second), []graph.Bound{{Var: k, N: graph.IndexInt(2)}})
}

// isCount reports whether e is a product of numbers of at least 1 and sizes.
func (d *Definition) isCount(e *node) bool {
	switch e.kind {
	case isNumber:
		return e.n >= 1
	case isIndex:
		return slices.ContainsFunc(d.operands, func(o operand) bool {
			return slices.ContainsFunc(o.shape, func(s linear) bool { return s.coef(e.lo.t[0].name) != 0 })
		})
	case isMul:
		return d.isCount(e.args[0]) && d.isCount(e.args[1])
	}
	return false
}
