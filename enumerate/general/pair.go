package general

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// Pair is two terms that agree in the case, as law terms with the case's
// literal attributes, and the variables' sizes there.
type Pair struct {
	Left, Right []*law.Term
	Sizes       map[string][]int
	Weight      map[string]bool // of a kernel's height and width
}

// String is the pair with the sizes of the case.
func (p *Pair) String() string {
	var given []string
	for _, v := range law.Vars(append(slices.Clone(p.Left), p.Right...)...) {
		given = append(given, fmt.Sprintf("%s : %s", v, graph.Sizes(p.Sizes[v]...)))
	}
	return strings.Join(given, ", ") + ": " + law.FormatOutputs(p.Left) + " == " + law.FormatOutputs(p.Right)
}

// Form is how general the attributes of a law are. Each field counts from the
// most general form down.
type Form struct {
	window int // 0: any stride and padding; 1: any stride, SAME; 2: any stride; 3: SAME; 4: as in the case
	kernel int // 0: all sizes; 1: constants share the pools' kernel; 2: odd ones only; 3: as in the case
	cut    int // 0: any position of a split or a slice; 1: a split where its input was joined, a slice from where it begins in the case
	groups int // 0: any number of groups, and of members where concats are dealt out; 1: as in the case
	ones   int // 0: axes of size 1 are of any size; 1: they have size 1. It matters to reshapes only
	tie    int // 0: every tensor has sizes of its own; 1: tensors of one shape in the case have one shape
	// sizes has a letter (see below) for each kernel size that kernel 3 would keep constant, in the
	// order in which a builder meets them. "": all stay constant.
	sizes string
}

// Letters of Form.sizes. Upper case letters are variables that several sizes share: up to
// lastShared any size, the others odd.
const (
	asInCase, anySize, oddSize = 'c', 'n', 'o'
	firstShared, firstOdd      = 'A', 'N'
	lastShared, lastOdd        = 'M', 'Z'
)

// Asked are the most general form and then some less general ones, in which it is
// asked whether a pair follows from other laws.
func (p *Pair) Asked() []Form {
	f := p.features()
	forms := []Form{{}}
	if f.cut {
		forms = append(forms, Form{cut: 1})
	}
	if f.ones {
		forms = append(forms, Form{ones: 1})
	}
	if f.window || f.kernel {
		forms = append(forms, Form{window: 1, cut: 1}, Form{window: 1, kernel: 2, cut: 1}, Form{window: 3, kernel: 3, cut: 1})
	}
	return forms
}

// features says which fields of a form matter for a pair.
type features struct{ window, kernel, cut, groups, ones bool }

func (p *Pair) features() features {
	var f features
	parts, joined := false, false
	for _, side := range [2][]*law.Term{p.Left, p.Right} {
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				if u.Op == nil {
					return
				}
				switch member, own := member(u.Op, u.Attrs); member.Name {
				case "conv2d":
					f.window, f.kernel = true, true
					if own[2] != graph.IntValue(1) {
						f.groups = true
					}
				case "poolavg", "poolmax":
					f.window, f.kernel = true, true
				case "enlarge", "iconv", "cpool":
					f.kernel = true
				case "split":
					f.cut = true
				case "reshape":
					f.ones = true
				case "slice":
					f.cut = f.cut || lit(own[1]) > 0
				case "partition", "pipeline":
					parts = true
				case "concat":
					joined = true
				}
			})
		}
	}
	f.groups = f.groups || parts && joined // parts may be what was joined
	return f
}

const lastWindow, lastKernel = 4, 3

// builder gives a pair fresh size variables and solves for them.
type builder struct {
	p      *Pair
	form   Form
	facts  *graph.Unifier
	atCase map[string]int64 // the case's value of each size variable
	vars   map[string]graph.Shape
	odd    []graph.Dim
	cuts   []cut
	n      int
	sized  []int64            // the case's value of each size that the form's sizes are about
	shared map[byte]graph.Dim // by letter
	rows   *graph.Dim         // of the table of all keys
	// windows are the strides and paddings of the case.
	windows windows
}

type cut struct {
	at   graph.Dim
	arg  *law.Term // the rebuilt operand
	axis int
	lit  int64
}

func (b *builder) fresh(atCase int64) graph.Dim {
	b.n++
	name := fmt.Sprintf("n%d", b.n)
	b.atCase[name] = atCase
	return graph.Var(name)
}

// member is what a lifted operator applies to each member; of any other it is the operator
// itself. Attributes of it that are changed are those of the lifted one.
func member(op *graph.Op, attrs graph.Attrs) (*graph.Op, graph.Attrs) {
	if one, own, _ := op.Member(attrs); one != nil {
		return one, own
	}
	return op, attrs
}

// axis is the size of an axis: a variable, or 1 where the form keeps that.
func (b *builder) axis(atCase int64) graph.Dim {
	if atCase == 1 && b.form.ones == 1 {
		return graph.Int(1)
	}
	return b.fresh(atCase)
}

// freshShape is a shape of the case with sizes that are variables.
func (b *builder) freshShape(v graph.Value) graph.Value {
	s, _ := v.Shape()
	sh := make(graph.Shape, len(s))
	for i, it := range s {
		n, _ := it.Dim.Const()
		sh[i] = graph.Axis(b.axis(n))
	}
	return graph.ShapeValue(sh)
}

// CaseKernel is the size of a kernel in the case.
const CaseKernel = 3

// lit is an attribute value that is a number.
func lit(v graph.Value) int64 {
	d, _ := v.Dim()
	n, _ := d.Const()
	return n
}

// kernelSize is the size of a kernel axis under the form; shared is the one
// variable for all pools of the law.
func (b *builder) kernelSize(atCase int64, shared *graph.Dim, isPool bool) graph.Dim {
	switch {
	case b.form.kernel == lastKernel:
		return b.ownSize(atCase)
	case isPool || b.form.kernel >= 1:
		if *shared == graph.Int(0) {
			*shared = b.fresh(atCase)
			b.odd = append(b.odd, *shared)
		}
		return *shared
	}
	d := b.fresh(atCase)
	b.odd = append(b.odd, d)
	return d
}

// ownSize is the next size that the form has a letter for.
func (b *builder) ownSize(atCase int64) graph.Dim {
	i := len(b.sized)
	b.sized = append(b.sized, atCase)
	if i >= len(b.form.sizes) {
		return graph.Int(atCase)
	}
	letter := b.form.sizes[i]
	d, met := b.shared[letter]
	switch {
	case letter == asInCase:
		return graph.Int(atCase)
	case met:
		return d
	}
	d = b.fresh(atCase)
	if letter >= firstShared && letter <= lastOdd {
		b.shared[letter] = d
	}
	if letter == oddSize || letter >= firstOdd && letter <= lastOdd {
		b.odd = append(b.odd, d)
	}
	return d
}

// Law types the pair in a form.
func (p *Pair) Law(fm Form) (*law.Law, error) {
	l, _, err := p.law(fm)
	return l, err
}

// law is Law. sized are the sizes of the case that kernel 3 leaves as they are.
func (p *Pair) law(fm Form) (l *law.Law, sized []int64, err error) {
	b := &builder{shared: map[byte]graph.Dim{}, p: p, form: fm, facts: graph.Solver(), atCase: map[string]int64{}, vars: map[string]graph.Shape{}}
	names := law.Vars(append(append([]*law.Term{}, p.Left...), p.Right...)...)
	for _, name := range names {
		sizes := p.Sizes[name]
		sh := make(graph.Shape, len(sizes))
		for i, n := range sizes {
			if p.Weight[name] && i >= 2 && fm.kernel == lastKernel {
				sh[i] = graph.Axis(b.ownSize(int64(n)))
				continue
			}
			d := b.axis(int64(n))
			sh[i] = graph.Axis(d)
			if p.Weight[name] && i >= 2 {
				b.odd = append(b.odd, d)
			}
		}
		b.vars[name] = sh
	}
	var kh, kw graph.Dim
	var nodes law.Nodes
	memo := map[int]*law.Term{}
	var rebuild func(t *law.Term) *law.Term
	apps := map[int]graph.Attrs{}
	rebuild = func(t *law.Term) *law.Term {
		if t.IsVar() {
			return t
		}
		// A constant is a new one wherever it stands: its sizes follow from
		// its use there.
		key := nodes.Of(t)
		if u, ok := memo[key]; ok && len(t.Args) > 0 {
			return u
		}
		u := &law.Term{Op: t.Op, Fn: t.Fn, Out: t.Out}
		for _, a := range t.Args {
			u.Args = append(u.Args, rebuild(a))
		}
		appKey := nodes.App(t)
		attrs, ok := apps[appKey]
		if (!ok || len(t.Args) == 0) && t.Op != nil {
			attrs = append(graph.Attrs(nil), t.Attrs...)
			one, own := member(t.Op, attrs)
			if one != t.Op {
				attrs[0] = b.freshShape(attrs[0])
			}
			switch one.Name {
			case "conv2d":
				own[0], own[1] = b.windows.of(fm.window, own[0], own[1])
				if g := lit(own[2]); g != 1 && fm.groups == 0 {
					own[2] = graph.DimValue(b.fresh(g))
				}
			case "poolavg", "poolmax":
				own[2], own[3] = b.windows.of(fm.window, own[2], own[3])
				own[0] = graph.DimValue(b.kernelSize(lit(own[0]), &kh, true))
				own[1] = graph.DimValue(b.kernelSize(lit(own[1]), &kw, true))
			case "iconv", "cpool":
				own[0] = graph.DimValue(b.fresh(lit(own[0])))
				own[1] = graph.DimValue(b.kernelSize(lit(own[1]), &kh, false))
				own[2] = graph.DimValue(b.kernelSize(lit(own[2]), &kw, false))
			case "enlarge":
				own[0] = graph.DimValue(b.kernelSize(lit(own[0]), &kh, true))
				own[1] = graph.DimValue(b.kernelSize(lit(own[1]), &kw, true))
			case "imatmul":
				own[0] = graph.DimValue(b.fresh(lit(own[0])))
			case "one", "fill":
				own[0] = b.freshShape(own[0])
			case "split":
				at := b.fresh(lit(own[1]))
				b.cuts = append(b.cuts, cut{at: at, arg: u.Args[0], axis: int(lit(own[0])), lit: lit(own[1])})
				own[1] = graph.DimValue(at)
			case "partition", "pipeline":
				if fm.groups == 0 {
					own[1] = graph.DimValue(b.fresh(lit(own[1])))
				}
			case "replicate", "lift":
				own[0] = graph.DimValue(b.fresh(lit(own[0])))
			case "slice":
				if lo := lit(own[1]); lo > 0 && fm.cut == 0 { // a variable is at least 1
					own[1] = graph.DimValue(b.fresh(lo + 1).Sub(graph.Int(1)))
				}
				own[2] = graph.DimValue(b.fresh(lit(own[2])))
			case "reshape":
				own[0] = b.freshShape(own[0])
			default:
				if c := composites[t.Op]; c != nil && c.free != nil {
					c.free(b, attrs)
				}
			}
			apps[appKey] = attrs
		}
		u.Attrs = attrs
		memo[key] = u
		return u
	}
	l = &law.Law{Kind: law.Rule, Name: "candidate"}
	for _, t := range p.Left {
		l.LHS = append(l.LHS, rebuild(t))
	}
	for _, t := range p.Right {
		l.RHS = append(l.RHS, rebuild(t))
	}
	if fm.tie == 1 {
		if err := b.tie(names); err != nil {
			return nil, nil, err
		}
	}
	if err := b.solve(l); err != nil {
		return nil, nil, err
	}
	l, err = b.finish(l, names)
	return l, b.sized, err
}

// tie gives tensors that have one shape in the case one shape.
func (b *builder) tie(names []string) error {
	for i, x := range names {
		for _, y := range names[:i] {
			if slices.Equal(b.p.Sizes[x], b.p.Sizes[y]) {
				if err := b.facts.EqShape(b.vars[x], b.vars[y]); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

func (b *builder) solve(l *law.Law) error {
	shapes := map[*law.Term]graph.Shape{}
	for i := range l.LHS {
		x, err := law.TypeOf(b.facts, l.LHS[i], b.vars, shapes)
		if err != nil {
			return err
		}
		y, err := law.TypeOf(b.facts, l.RHS[i], b.vars, shapes)
		if err != nil {
			return err
		}
		if err := b.facts.EqShape(x, y); err != nil {
			return err
		}
	}
	if b.form.cut == 1 {
		for _, c := range b.cuts {
			s := b.seamsOf(c.arg, c.axis, shapes)
			for _, d := range s {
				if b.caseValue(d) == c.lit {
					if err := b.facts.Eq(c.at, d); err != nil {
						return err
					}
					break
				}
			}
		}
	}
	return b.coincide()
}

// coincide resolves equations that have no principal solution by letting
// sizes agree that agree in the case, or a size and a product of two others.
func (b *builder) coincide() error {
	for round := 0; round < 32; round++ {
		pending := b.facts.Pending()
		if len(pending) == 0 {
			return nil
		}
		done := false
		for _, e := range pending {
			for _, x := range sizeVars(e[0]) {
				for _, y := range sizeVars(e[1]) {
					if x != y && b.atCase[x] == b.atCase[y] && !done {
						if err := b.facts.Eq(graph.Var(x), graph.Var(y)); err != nil {
							return err
						}
						done = true
					}
				}
			}
			if done {
				break
			}
		}
		if !done {
			x, product, ok := b.factors(pending)
			if !ok {
				return fmt.Errorf("sizes %s and %s cannot be made to agree", pending[0][0], pending[0][1])
			}
			if err := b.facts.Eq(x, product); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("sizes cannot be made to agree")
}

// factors is a size of a pending equation and a product of two sizes of its other side that it equals
// in the case.
func (b *builder) factors(pending [][2]graph.Dim) (x, product graph.Dim, ok bool) {
	for _, e := range pending {
		for side := range e {
			for _, x := range sizeVars(e[side]) {
				others := sizeVars(e[1-side])
				for i, y := range others {
					for _, z := range others[i+1:] {
						if x != y && x != z && b.atCase[y] > 1 && b.atCase[z] > 1 && b.atCase[x] == b.atCase[y]*b.atCase[z] {
							return graph.Var(x), graph.Var(y).Mul(graph.Var(z)), true
						}
					}
				}
			}
		}
	}
	return graph.Dim{}, graph.Dim{}, false
}

func sizeVars(d graph.Dim) []string {
	var out []string
	d.Walk(func(a graph.Atom) {
		if a.Kind == graph.AtomVar {
			out = append(out, a.Name)
		}
	})
	return out
}

func (b *builder) caseValue(d graph.Dim) int64 {
	bind := &graph.Substitution{Dims: map[string]graph.Dim{}}
	for _, v := range sizeVars(d) {
		bind.Dims[v] = graph.Int(b.atCase[v])
	}
	n, err := d.Eval(bind)
	if err != nil {
		return -1
	}
	return n
}

// seamsOf lists the positions at which t was joined along an axis.
func (b *builder) seamsOf(t *law.Term, axis int, shapes map[*law.Term]graph.Shape) []graph.Dim {
	if t.Op == nil {
		return nil
	}
	arg := func(i, axis int) []graph.Dim { return b.seamsOf(t.Args[i], axis, shapes) }
	switch t.Op {
	case op.Concat:
		if int(lit(t.Attrs[0])) != axis {
			break
		}
		first := b.facts.NormShape(shapes[t.Args[0]])[axis].Dim
		out := append(arg(0, axis), first)
		for _, d := range arg(1, axis) {
			out = append(out, first.Add(d))
		}
		return out
	case op.Split:
		if int(lit(t.Attrs[0])) != axis {
			break
		}
		at, _ := t.Attrs[1].Dim()
		var out []graph.Dim
		for _, d := range arg(0, axis) {
			if t.Out == 1 {
				d = d.Sub(at)
			}
			out = append(out, d)
		}
		return out
	}
	var out []graph.Dim
	ranks := make([]int, len(t.Args))
	for i, a := range t.Args {
		ranks[i] = len(shapes[a])
	}
	for _, at := range t.Op.OperandAxes(t.Attrs, ranks, axis) {
		out = append(out, arg(at.Operand, at.Axis)...)
	}
	return out
}

func (b *builder) finish(l *law.Law, names []string) (*law.Law, error) {
	sol := b.facts.Solution()
	for i := range l.LHS {
		l.LHS[i] = l.LHS[i].Subst(nil, nil, sol)
		l.RHS[i] = l.RHS[i].Subst(nil, nil, sol)
	}
	sorts := map[string]string{}
	l.EachTerm(func(u *law.Term) {
		for _, v := range u.Attrs {
			if n, sort, ok := v.Var(); ok {
				sorts[n] = sort
			}
		}
	})
	for _, n := range append([]string{"a", "s", "p"}, b.windows.further()...) {
		if sort, ok := sorts[n]; ok {
			l.Given = append(l.Given, law.Declaration{Name: n, Sort: sort})
		}
	}
	for _, name := range names {
		l.Given = append(l.Given, law.Declaration{Name: name, Shape: b.facts.NormShape(b.vars[name])})
	}
	if b.form.kernel >= 2 {
		seen := map[graph.Dim]bool{}
		two := graph.Int(2)
		for _, d := range b.odd {
			d = b.facts.Norm(d)
			if _, isConst := d.Const(); isConst || seen[d] {
				continue
			}
			seen[d] = true
			l.Where = append(l.Where, law.Pred{Left: d, Mod: &two, Rel: "==", Right: graph.Int(1)})
		}
	}
	ty, err := l.Types()
	if err != nil {
		return nil, err
	}
	l.EachTerm(func(u *law.Term) {
		if err == nil && u.Op != nil && u.Op.Name == "enlarge" && ty.Shape[u.Args[0]].Equal(ty.Shape[u]) {
			err = fmt.Errorf("%s enlarges nothing", u)
		}
	})
	if err != nil {
		return nil, err
	}
	// A law says that both sides are defined at the same sizes: what only one of them needs is a
	// condition.
	for _, one := range [2][2][]graph.Need{{ty.LeftNeeds, ty.RightNeeds}, {ty.RightNeeds, ty.LeftNeeds}} {
		for _, n := range rules.Missing(one[0], one[1], l.Where) {
			l.Where = append(l.Where, law.Pred{Left: n.Left, Rel: n.Rel, Right: n.Right})
		}
	}
	return l, nil
}
