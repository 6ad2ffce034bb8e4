package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// claim is what a rule says under one reading.
type claim struct {
	// rule and reading are what law says; nil of a law in our own language. Grouped in
	// reading: convolutions have any number of groups, as the reading says so or as the
	// rule has shapes only then.
	rule    *tasopb.Rule
	reading taso.Reading
	// law has the most general shapes that suit both sides.
	law *law.Law
	// Of each direction: what its source alone permits.
	way [2]direction
	// err says why there is no law; kind tells ill-formed from unsupported.
	err  error
	kind Outcome
}

// direction is a rule used from one side to the other: wherever the source is
// defined, so is the target, and they are equal.
type direction struct {
	// condition says what the shapes of the law ask for beyond those of the
	// source; "" if nothing.
	condition string
	// general is that claim, written =>, with the most general shapes of the
	// source; nil if there is no condition, or no such law.
	general *law.Law
}

// own is the claim of a law in our own language, whose shapes are part of it.
func own(l *law.Law) *claim {
	l, err := fit(l)
	return &claim{law: l, err: err, kind: IllFormed}
}

// peerClaim reads a rule of TASO's operators.
func peerClaim(r *tasopb.Rule, reading taso.Reading) *claim {
	l, grouped, err := translate(r, reading)
	if errors.Is(err, taso.ErrTyping) {
		// Sizes that no formula makes equal may still be equal here and there.
		if open, bad := taso.Open(r, reading); bad == nil {
			open.Name = anyName
			l, err = open, nil
		}
	}
	if err != nil {
		c := &claim{err: err, kind: IllFormed}
		if errors.Is(err, taso.ErrUnsupported) {
			c.kind = Unsupported
		}
		return c
	}
	reading.Grouped = grouped
	c := &claim{law: l, rule: r, reading: reading}
	for i, side := range []tasopb.Side{tasopb.Src, tasopb.Dst} {
		s, err := taso.SideOf(r, side, reading)
		if err != nil {
			c.way[i] = direction{condition: lawShapes}
			continue
		}
		c.way[i] = generalize(l, s, i == 1)
	}
	return c
}

// lawShapes is the condition of a direction whose source alone is not
// understood well enough to say what the law asks beyond it.
const lawShapes = "the shapes are those of the law"

// anyName is the name of rules while they are decided.
const anyName = "this_rule"

// translate reads a rule; grouped says that its convolutions have any number of groups.
func translate(r *tasopb.Rule, reading taso.Reading) (l *law.Law, grouped bool, err error) {
	t := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{*r}}, reading)[0]
	if t.Err == nil {
		// Rules that say the same are decided once.
		t.Law.Name = anyName
		return t.Law, t.Grouped, nil
	}
	var te *taso.Error
	if errors.As(t.Err, &te) && te.Op >= 0 {
		return nil, reading.Grouped, fmt.Errorf("%s operator %d (%s): %w", te.Side, te.Op, te.Type, te.Err)
	} else if te != nil {
		return nil, reading.Grouped, te.Err
	}
	return nil, reading.Grouped, t.Err
}

// generalize compares the shapes of a law with those that one side, its source,
// asks for alone; alone is a law whose sides are both that side.
func generalize(l, alone *law.Law, backward bool) direction {
	source, target := l.LHS, l.RHS
	if backward {
		source, target = target, source
	}
	joint := l.VarShapes()

	// Runs of the source that have a number of axes in the law get that many.
	var conds conditions
	runs, other, unranked := &graph.Substitution{Runs: map[string]graph.Shape{}}, &graph.Substitution{Runs: map[string]graph.Shape{}}, alone
	for _, g := range alone.Given {
		s, js := g.Shape, joint[g.Name]
		if g.Sort != "" || len(s) == 0 || s[len(s)-1].AxisRun == "" || runs.Runs[s[len(s)-1].AxisRun] != nil {
			continue
		}
		run := s[len(s)-1].AxisRun
		axes := graph.Shape{}
		for i := len(s) - 1; i < len(js) && js[i].AxisRun == ""; i++ {
			axes = append(axes, graph.Axis(graph.Var(fmt.Sprintf("%s_%d", strings.ToLower(run), i))))
		}
		if js.HasAxisRun() {
			axes = append(axes, graph.AxisRun(run))
		} else {
			conds.add("%s has %d axes", g.Name, len(js))
			other.Runs[run] = graph.Shape{}
			if len(axes) == 0 {
				other.Runs[run] = graph.Shape{graph.Axis(graph.Var(strings.ToLower(run) + "_0"))}
			}
		}
		runs.Runs[run] = axes
	}
	alone = alone.Subst(runs)
	free := alone.VarShapes()

	// What stands for the variables of the law: by the inputs' axes, and by the
	// attributes of the source.
	back := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}}
	shared := map[graph.Dim][]place{}
	var order []graph.Dim
	same := true
	for _, g := range l.Given {
		js, fs := g.Shape, free[g.Name]
		if g.Sort != "" {
			continue
		}
		if len(js) != len(fs) {
			if fs == nil {
				continue // the target alone uses this input
			}
			return direction{condition: lawShapes}
		}
		for i := range js {
			if js[i].AxisRun != "" {
				if fs[i].AxisRun == "" {
					return direction{condition: lawShapes}
				}
				if r, ok := back.Runs[js[i].AxisRun]; ok && r[0].AxisRun != fs[i].AxisRun {
					conds.add("%s has the shape of other inputs", g.Name)
					same = false
				} else if !ok {
					back.Runs[js[i].AxisRun] = graph.Shape{fs[i]}
				}
				continue
			}
			if name, ok := js[i].Dim.IsVar(); ok {
				if _, ok := back.Dims[name]; !ok {
					back.Dims[name] = fs[i].Dim
				}
			}
			if len(shared[js[i].Dim]) == 0 {
				order = append(order, js[i].Dim)
			}
			shared[js[i].Dim] = append(shared[js[i].Dim], place{g.Name, i})
		}
	}
	for i := range source {
		pairAttrs(source[i], alone.LHS[i], back)
	}
	words := sizeWords(l)
	at := func(p place) graph.Dim { return free[p.tensor][p.axis].Dim }
	for _, d := range order {
		ps := shared[d]
		if _, isConst := d.Const(); isConst {
			for _, p := range ps {
				if at(p) != d {
					conds.add("%s = %s", p, d)
					same = false
				}
			}
			continue
		}
		for _, p := range ps[1:] {
			if at(p) != at(ps[0]) {
				conds.add("%s = %s", ps[0], p)
				same = false
			}
		}
		bindFactor(d, at(ps[0]), back)
		if _, isVar := d.IsVar(); !isVar && d.Subst(back) != at(ps[0]) {
			conds.add("%s", axisInWords(ps[0], d, words))
			same = false
		}
	}
	if same && len(conds.list) == 0 {
		return direction{}
	}
	if same {
		// What refutes it is any other number of axes.
		alone = unranked.Subst(other)
	}
	b := back
	side := func(ts []*law.Term) (out []*law.Term) {
		for _, t := range ts {
			out = append(out, t.Subst(nil, nil, b))
		}
		return out
	}
	general := *alone
	general.Name, general.Kind, general.OneWay = l.Name, law.Rule, true
	general.RHS = side(target)
	general.Where = append(slices.Clone(alone.Where), l.Where...)
	for _, g := range l.Given {
		if _, ok := general.Find(g.Name); !ok {
			if g.Sort == "" {
				g.Shape = g.Shape.Subst(b)
			}
			general.Given = append(general.Given, g)
		}
	}
	return direction{general: &general, condition: conds.String()}
}

// bindFactor binds the one size variable of a product d for which nothing
// stands yet, such as the channels of a group, to what is left of e when the
// rest of d is divided out.
func bindFactor(d, e graph.Dim, b *graph.Substitution) {
	terms, constant := d.Terms()
	if len(terms) != 1 || constant != 0 {
		return
	}
	rest, open := graph.Int(terms[0].Coef), ""
	for _, a := range terms[0].Atoms {
		if a.Kind != graph.AtomVar {
			return
		}
		if x, ok := b.Dims[a.Name]; ok {
			rest = rest.Mul(x)
		} else if open != "" {
			return
		} else {
			open = a.Name
		}
	}
	if open == "" {
		return
	}
	// The factor is one of the products of what e is made of.
	terms, constant = e.Terms()
	if len(terms) != 1 || constant != 0 {
		return
	}
	for _, a := range terms[0].Atoms {
		if a.Kind != graph.AtomVar {
			return
		}
	}
	if factor, ok := e.Quo(rest); ok {
		b.Dims[open] = factor
	}
}

// pairAttrs binds the size variables in attributes of a term to what stands
// there in a term of the same form.
func pairAttrs(t, u *law.Term, b *graph.Substitution) {
	if t.Op == nil || u.Op != t.Op || len(t.Args) != len(u.Args) {
		return
	}
	for i := range t.Attrs {
		d, ok := t.Attrs[i].Dim()
		e, also := u.Attrs[i].Dim()
		if name, isVar := d.IsVar(); ok && also && isVar {
			if _, known := b.Dims[name]; !known {
				b.Dims[name] = e
			}
		}
	}
	for i := range t.Args {
		pairAttrs(t.Args[i], u.Args[i], b)
	}
}
