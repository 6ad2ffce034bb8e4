package widen

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// none is the position in a tensor that gets no axis run.
const none = -1

// axes puts an axis run into the outputs of a law, at each position, and into the operands where
// the operators need it to be.
func axes(l *law.Law) []*law.Law {
	ty, err := l.Types()
	if err != nil {
		return nil
	}
	var out []*law.Law
	for pos := range len(ty.Shape[l.LHS[0]]) + 1 {
		if s := ty.Shape[l.LHS[0]]; pos > 0 && s[pos-1].AxisRun != "" || pos < len(s) && s[pos].AxisRun != "" {
			continue
		}
		for _, short := range []bool{false, true} {
			if m := insertRun(l, ty, pos, short); m != nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// insertion puts a run into terms.
type insertion struct {
	ty    *law.Typing
	run   string
	at    map[string]int // the position in each variable
	short bool           // operands of a broadcast with the run at their front get none
	used  bool           // the law has the run somewhere
}

func insertRun(l *law.Law, ty *law.Typing, pos int, short bool) *law.Law {
	x := &insertion{ty: ty, run: fresh(l, []string{"P", "Q", "S", "T"}[min(runs(l), 3)]), at: map[string]int{}, short: short}
	m := *l
	m.LHS, m.RHS = nil, nil
	for _, side := range []struct {
		from []*law.Term
		to   *[]*law.Term
	}{{l.LHS, &m.LHS}, {l.RHS, &m.RHS}} {
		for _, t := range side.from {
			u, ok := x.term(t, pos)
			if !ok {
				return nil
			}
			*side.to = append(*side.to, u)
		}
	}
	m.Given = nil
	for _, d := range l.Given {
		if i, ok := x.at[d.Name]; ok && d.Sort == "" && i != none {
			d.Shape = x.insert(d.Shape, i)
		}
		m.Given = append(m.Given, d)
	}
	if !x.used {
		return nil
	}
	return &m
}

func runs(l *law.Law) int { return len(l.Mentions(l.Outputs()...).Runs) }

func (x *insertion) insert(s graph.Shape, i int) graph.Shape {
	x.used = true
	out := append(graph.Shape{}, s[:i]...)
	out = append(out, graph.AxisRun(x.run))
	return append(out, s[i:]...)
}

// axis is the number of an axis of s after the run was put at i.
func (x *insertion) axis(s graph.Shape, d graph.Dim, i int) (graph.Dim, bool) {
	for k := range s {
		if s.AxisOf(k) == d {
			if k >= i {
				d = d.Add(graph.AxisRunLen(x.run))
			}
			return d, true
		}
	}
	return d, false
}

// term is t with the run at a position of its result.
func (x *insertion) term(t *law.Term, pos int) (*law.Term, bool) {
	if pos > len(x.ty.Shape[t]) {
		return nil, false
	}
	if t.Op != nil && t.Op.Layout != graph.LayoutNone && !slices.ContainsFunc(t.Args, func(a *law.Term) bool {
		s := x.ty.Shape[a]
		return len(s) > 0 && s[0].AxisRun == ""
	}) && t.Op.Layout != graph.LayoutMakes {
		return nil, false // the axis of the mesh is not known
	}
	if t.IsVar() {
		if old, ok := x.at[t.Var]; ok && old != pos {
			return nil, false
		}
		x.at[t.Var] = pos
		return t, true
	}
	u := *t
	u.Args = make([]*law.Term, len(t.Args))
	in := make([]int, len(t.Args))
	if pos == none {
		for i := range in {
			in[i] = none
		}
	} else {
		shapes := make([]graph.Shape, len(t.Args))
		for i, a := range t.Args {
			shapes[i] = x.ty.Shape[a]
		}
		if t.Op == nil {
			in[0] = pos
		} else if attrs, ok := x.through(t.Op, t.Attrs, shapes, x.ty.Shape[t], pos, in); ok {
			u.Attrs = attrs
		} else {
			return nil, false
		}
	}
	for i, a := range t.Args {
		arg, ok := x.term(a, in[i])
		if !ok {
			return nil, false
		}
		u.Args[i] = arg
	}
	return &u, true
}

// through says where the operands of an operator have the run, for one at pos of its result, and
// what its attributes become.
func (x *insertion) through(op *graph.Op, a graph.Attrs, s []graph.Shape, out graph.Shape, pos int, in []int) (graph.Attrs, bool) {
	a = append(graph.Attrs(nil), a...)
	if one, own, over := op.Member(a); one != nil {
		n := len(over)
		if pos < n {
			return nil, false
		}
		members := make([]graph.Shape, len(s))
		for i := range s {
			members[i] = s[i][n:]
		}
		own, ok := x.through(one, own, members, out[n:], pos-n, in)
		if !ok {
			return nil, false
		}
		for i := range in {
			if in[i] != none {
				in[i] += n
			}
		}
		return append(a[:1:1], own...), true
	}
	all := func(p int) {
		for i := range in {
			in[i] = p
		}
	}
	axisAt := func(k int, s graph.Shape, p int) bool {
		d, ok := a[k].Dim()
		if ok {
			d, ok = x.axis(s, d, p)
			a[k] = graph.DimValue(d)
		}
		return ok
	}
	if (op.Pointwise || op.Elementwise) && op.Name != "smul" {
		all(pos)
		return a, true
	}
	switch op.Name {
	case "smul":
		in[0], in[1] = pos, none
	case "concat", "split", "slice", "softmax":
		all(pos)
		return a, axisAt(0, s[0], pos)
	case "layernorm":
		all(none)
		in[0] = pos
		return a, axisAt(0, s[0], pos)
	case "one", "fill":
		all(none)
		k := op.ParamIndex("shape")
		sh, ok := a[k].Shape()
		if !ok {
			return nil, false
		}
		a[k] = graph.ShapeValue(x.insert(sh, pos))
	case "reshape":
		sh, ok := a[0].Shape()
		if !ok {
			return nil, false
		}
		if in[0] = samePlace(sh, pos, s[0]); in[0] == none {
			return nil, false
		}
		a[0] = graph.ShapeValue(x.insert(sh, pos))
	case "broadcast":
		sh, ok := a[0].Shape()
		if !ok {
			return nil, false
		}
		behind := len(sh) - pos
		in[0] = len(s[0]) - behind
		if in[0] < 0 || in[0] == 0 && x.short {
			in[0] = none
		}
		a[0] = graph.ShapeValue(x.insert(sh, pos))
	case "matmul":
		if pos > len(out)-2 {
			return nil, false
		}
		all(pos)
	case "partition", "pipeline":
		if pos == 0 {
			return nil, false
		}
		in[0] = pos - 1
		return a, axisAt(0, s[0], pos-1)
	case "combine", "batch":
		in[0] = pos + 1
		return a, axisAt(0, s[0][1:], pos)
	case "reverse":
		list, ok := a[0].Tuple()
		if !ok || len(list) == 0 || pos <= int(list[len(list)-1]) || s[0][:pos].HasAxisRun() {
			return nil, false
		}
		in[0] = pos
	case "gather", "scatteradd":
		if len(s[1]) != 1 || s[1].HasAxisRun() {
			return nil, false
		}
		in[0], in[1] = pos, none
		return a, axisAt(0, s[0], pos)
	case "pick":
		if pos == 0 || s[1].HasAxisRun() || s[2].HasAxisRun() || len(s[2]) != 1 {
			return nil, false
		}
		all(none)
		in[0] = pos
	case "batchnorm":
		if pos < 2 {
			return nil, false
		}
		all(none)
		in[0] = pos
	case "replicate", "lift":
		if pos == 0 {
			return nil, false
		}
		in[0] = pos - 1
	case "reduce", "drop":
		in[0] = pos + 1
	case "allreduce":
		if pos == 0 {
			return nil, false
		}
		in[0] = pos
	case "alltoall":
		if pos == 0 {
			return nil, false
		}
		in[0] = pos
		return a, axisAt(0, s[0][1:], pos-1) && axisAt(1, s[0][1:], pos-1)
	case "halo", "allgather", "reducescatter":
		if pos == 0 {
			return nil, false
		}
		in[0] = pos
		return a, axisAt(0, s[0][1:], pos-1)
	case "reducesum", "reducemean", "reducemax":
		list, ok := a[0].Tuple()
		if !ok || len(list) == 0 {
			return nil, false
		}
		in[0] = pos
		if k := op.ParamIndex("keep"); k < 0 || a[k] != graph.IntValue(1) {
			in[0] += len(list)
		}
		// Axes are numbers: none of them may be behind the run.
		if in[0] > len(s[0]) || in[0] <= int(list[len(list)-1]) || s[0][:in[0]].HasAxisRun() {
			return nil, false
		}
	default:
		return nil, false
	}
	return a, true
}

// samePlace is the position of a shape with as many elements in front of it as there are in front of
// position pos of another; none if there is none.
func samePlace(of graph.Shape, pos int, in graph.Shape) int {
	front := func(s graph.Shape) (graph.Dim, string) {
		n, names := graph.Int(1), ""
		for _, it := range s {
			if it.AxisRun != "" {
				names += it.AxisRun + ".."
			} else {
				n = n.Mul(it.Dim)
			}
		}
		return n, names
	}
	n, names := front(of[:pos])
	if pos == len(of) {
		return len(in)
	}
	for i := range len(in) + 1 {
		if m, other := front(in[:i]); m == n && other == names {
			return i
		}
	}
	return none
}
