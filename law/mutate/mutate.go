package mutate

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Mutant is a law that differs from another in one place.
type Mutant struct {
	Name string // what was changed and where, unique among a law's mutants
	Law  *law.Law
}

// Mutants lists the mutants of a law by name. A change that gives no well-typed
// law, or two sides that are one term, or a law that says the same up to
// renaming, exchange of the sides and order of commutative operands, is left
// out. The mutants share terms with the law and have its name.
func Mutants(l *law.Law) []Mutant {
	m := &mutator{law: l, id: law.ID(l), seen: map[string]bool{}}
	m.conditions()
	m.sorts()
	m.outputs()
	for side := range 2 {
		for k := range m.side(l, side) {
			m.terms(side, k)
		}
	}
	sort.Slice(m.out, func(i, j int) bool { return m.out[i].Name < m.out[j].Name })
	return m.out
}

type mutator struct {
	law  *law.Law
	id   string
	seen map[string]bool
	out  []Mutant
}

// add keeps a changed law if it is one.
func (m *mutator) add(name string, c *law.Law) {
	if m.seen[name] {
		return
	}
	m.seen[name] = true
	if law.FormatOutputs(c.LHS) == law.FormatOutputs(c.RHS) {
		return
	}
	if !stated(c) || law.ID(c) == m.id {
		return
	}
	m.out = append(m.out, Mutant{Name: name, Law: c})
}

// stated reports that a law is well typed, or would be if its sides had their axes in one
// order: whether they have may depend on permutation variables.
func stated(l *law.Law) bool {
	_, err := l.Types()
	if errors.Is(err, law.ErrOrder) {
		_, err = law.PermRanks(l)
	}
	return err == nil
}

func (m *mutator) side(l *law.Law, side int) []*law.Term {
	if side == 0 {
		return l.LHS
	}
	return l.RHS
}

// conditions leaves out one condition.
func (m *mutator) conditions() {
	for i, p := range m.law.Where {
		c := *m.law
		c.Where = append(append([]law.Pred{}, m.law.Where[:i]...), m.law.Where[i+1:]...)
		m.add("without "+p.String(), &c)
	}
}

// permutations are those near one that is not known, and axes near one that such a
// permutation takes an axis to: the factors in another order, inverse ones for others, one
// left out.
func permutations(v graph.Value) []graph.Value {
	vars := v.PermVars()
	var out []graph.Value
	add := func(factors ...graph.PermVar) {
		var p graph.Value
		for i, f := range factors {
			w := f.Var
			if f.Inverse {
				w, _ = graph.PermInverse(w)
			}
			if i > 0 {
				w, _ = graph.PermAfter(p, w)
			}
			p = w
		}
		_, at, isAxis := v.Axis()
		switch none := len(p.PermVars()) == 0; {
		case isAxis && none:
			p = graph.DimValue(at)
		case isAxis:
			p, _ = graph.PermAt(p, graph.DimValue(at))
		case none:
			return
		}
		if p != v {
			out = append(out, p)
		}
	}
	for i, f := range vars {
		turned := slices.Clone(vars)
		turned[i].Inverse = !f.Inverse
		add(turned...)
		add(slices.Delete(slices.Clone(vars), i, i+1)...)
		if i > 0 {
			swapped := slices.Clone(vars)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			add(swapped...)
		}
	}
	return out
}

// sorts lets a variable stand for more.
func (m *mutator) sorts() {
	wide := map[string]string{graph.SortSame: graph.SortPadding, law.SortZero1: law.SortPointwise1}
	for i, b := range m.law.Given {
		if to := wide[b.Sort]; to != "" {
			c := *m.law
			c.Given = append([]law.Declaration{}, m.law.Given...)
			c.Given[i].Sort = to
			m.add(fmt.Sprintf("%s : %s", b.Name, to), &c)
		}
	}
}

// outputs exchanges two outputs of the right side.
func (m *mutator) outputs() {
	for i := range m.law.RHS {
		for j := range i {
			c := *m.law
			c.RHS = append([]*law.Term{}, m.law.RHS...)
			c.RHS[i], c.RHS[j] = c.RHS[j], c.RHS[i]
			m.add(fmt.Sprintf("outputs %d and %d exchanged", j, i), &c)
		}
	}
}

// terms changes each subterm of one output of one side.
func (m *mutator) terms(side, k int) {
	m.side(m.law, side)[k].Walk(func(u *law.Term) {
		e := &editor{m: m, side: side, k: k, at: u}
		if u.IsVar() {
			e.variables()
			return
		}
		e.operands()
		e.operators()
		e.attributes()
	})
}

// editor changes one subterm wherever it occurs in one output of one side.
type editor struct {
	m       *mutator
	side, k int
	at      *law.Term
}

func (e *editor) replace(what string, by *law.Term) {
	var nodes law.Nodes
	c := *e.m.law
	c.LHS, c.RHS = append([]*law.Term{}, c.LHS...), append([]*law.Term{}, c.RHS...)
	ts := e.m.side(&c, e.side)
	// The replacement may contain what it replaces, so that it is put in once
	// the search for it is over.
	hole := law.V("\x00")
	t := ts[e.k].Rewrite(func(u *law.Term) *law.Term {
		if nodes.Of(u) == nodes.Of(e.at) {
			return hole
		}
		return u
	})
	ts[e.k] = t.Subst(map[string]*law.Term{hole.Var: by}, nil, nil)
	name := fmt.Sprintf("%s in %s, side %d", what, e.at, e.side)
	if len(ts) > 1 {
		name += fmt.Sprintf(", output %d", e.k)
	}
	e.m.add(name, &c)
}

// variables puts another tensor in the place of one.
func (e *editor) variables() {
	for _, b := range e.m.law.Given {
		if b.Sort == "" && b.Name != e.at.Var {
			e.replace(b.Name+" put", law.V(b.Name))
		}
	}
}

// operands exchanges operands, drops one, or takes another output.
func (e *editor) operands() {
	u := e.at
	for i := range u.Args {
		for j := range i {
			if law.Equal(u.Args[i], u.Args[j]) || u.Op != nil && u.Op.Commutative {
				continue
			}
			name := "exchanged"
			if len(u.Args) > 2 {
				name = fmt.Sprintf("exchanged %d and %d", j, i)
			}
			args := append([]*law.Term{}, u.Args...)
			args[i], args[j] = args[j], args[i]
			e.replace(name, &law.Term{Op: u.Op, Fn: u.Fn, Attrs: u.Attrs, Args: args, Out: u.Out})
		}
	}
	switch {
	case len(u.Args) == 1:
		e.replace("dropped", u.Args[0])
	case len(u.Args) > 1:
		for i, a := range u.Args {
			e.replace(fmt.Sprintf("only operand %d", i), a)
		}
	}
	if u.Op != nil {
		for i := range u.Op.Out {
			if i != u.Out {
				e.replace(fmt.Sprintf("output %d", i), u.Output(i))
			}
		}
	}
}

// operators puts another operator of as many operands in the place of one: one
// that shares its parameters, or has none of its own; or a function before it.
func (e *editor) operators() {
	u := e.at
	for _, op := range slices.Concat(graph.Ops(), graph.Lifted()) {
		if u.Op == op || op.In != len(u.Args) || op.Out != 1 || op.In == 0 || op.Infer == nil || !distinct(op) {
			continue
		}
		if a, ok := carry(u, op); ok {
			e.replace(op.Name, law.Apply(op, a, u.Args...))
		}
	}
	for _, op := range graph.Ops() {
		if len(op.Params) == 0 && op.IsFunction() && op != u.Op && distinct(op) {
			e.replace(op.Name+" put before", law.Apply(op, graph.Attrs{}, u))
		}
	}
}

// distinct leaves out operators that would only repeat what another one in the
// place of a term tells: of the functions of one element the relu speaks
// for all, ewsub for neg, ewdiv and other operators on two elements, maximum pooling for ewmax and ewmin; what a softmax is
// not can only be told by numbers that are not exact; names are what they stand for.
func distinct(op *graph.Op) bool {
	switch op.Name {
	case "neg", "ewdiv", "ewmax", "ewmin", "ewless", "ewlessequal", "ewequal", "ewpow", "ewwhere", "cast", "softmax":
		return false
	}
	return op.Chain == nil && (!op.Pointwise || op.Name == "relu")
}

// carry gives op the attributes of u by name; the others must have a default.
func carry(u *law.Term, op *graph.Op) (graph.Attrs, bool) {
	named := map[string]graph.Value{}
	if u.Op != nil {
		for i, p := range u.Op.Params {
			if op.ParamIndex(p.Name) >= 0 {
				named[p.Name] = u.Attrs[i]
			}
		}
	}
	a, err := op.Attr(named)
	return a, err == nil
}

// attributes changes one attribute.
func (e *editor) attributes() {
	u := e.at
	for i := range u.Attrs {
		p := u.Op.Params[i]
		for _, c := range changes(p, u.Attrs[i]) {
			a := append(graph.Attrs{}, u.Attrs...)
			a[i] = c.to
			e.replace(c.name, &law.Term{Op: u.Op, Attrs: a, Args: u.Args, Out: u.Out})
		}
	}
}

type change struct {
	name string
	to   graph.Value
}

// others are the values that stand in for any other value of a sort.
var others = map[string][]graph.Value{
	graph.SortStride: {graph.TupleValue(1, 1), graph.TupleValue(2, 2)},
	graph.SortPadding: {graph.NameValue(graph.Valid), graph.NameValue(graph.SameUpper),
		graph.NameValue(graph.SameLower)},
	graph.SortAct:    {graph.NameValue("none"), graph.NameValue("relu")},
	graph.SortBorder: {graph.NameValue("counted"), graph.NameValue("excluded")},
}

// changes lists values near v.
func changes(p graph.Param, v graph.Value) []change {
	var out []change
	for _, w := range others[p.Sort] {
		if w != v {
			name := w.String()
			if p.Sort == graph.SortStride || p.Sort == graph.SortAct {
				name = p.Name + " " + name
			}
			out = append(out, change{name, w})
		}
	}
	if d, ok := v.Dim(); ok {
		out = append(out, change{p.Name + " one more", graph.DimValue(d.Add(graph.Int(1)))},
			change{p.Name + " one less", graph.DimValue(d.Sub(graph.Int(1)))})
	}
	for _, w := range permutations(v) {
		out = append(out, change{p.Name + " " + w.String(), w})
	}
	if t, ok := v.Tuple(); ok && (p.Sort == "perm" || p.Sort == graph.SortStride) {
		for i := 1; i < len(t); i++ {
			w := append([]int64{}, t...)
			w[i-1], w[i] = w[i], w[i-1]
			if x := graph.TupleValue(w...); x != v {
				out = append(out, change{p.Name + " " + x.String(), x})
			}
		}
	}
	if s, ok := v.Shape(); ok {
		for i := range s {
			w := append(graph.Shape{}, s...)
			if s[i].AxisRun == "" {
				w[i].Dim = s[i].Dim.Add(graph.Int(1))
				out = append(out, change{fmt.Sprintf("%s %d one more", p.Name, i), graph.ShapeValue(w)})
			}
			if i > 0 && s[i] != s[i-1] {
				w := append(graph.Shape{}, s...)
				w[i-1], w[i] = w[i], w[i-1]
				out = append(out, change{fmt.Sprintf("%s %d and %d exchanged", p.Name, i-1, i), graph.ShapeValue(w)})
			}
		}
	}
	return out
}
