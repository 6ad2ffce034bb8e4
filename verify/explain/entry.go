package explain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/wrap"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

// A proof from what operators compute is shown by what both sides compute at one index, as the
// definitions of their operators say (graph.Op.Entry).

// mostEntry is the longest formula that is shown.
const mostEntry = 2 * lineWidth

// entries writes what the outputs of both sides are at one index. It reports false where that
// cannot be said in short. An axis run has one index.
func entries(b *strings.Builder, goal *law.Law) bool {
	names, carried := meaning.Runs(goal)
	if !carried {
		return false
	}
	runs := map[string]graph.Shape{}
	for _, n := range names {
		runs[n] = meaning.Axes(goal, n, 1)
	}
	by := &graph.Substitution{Runs: runs}
	vars := map[string]graph.Shape{}
	for n, s := range goal.VarShapes() {
		vars[n] = s.Subst(by)
	}
	var text strings.Builder
	for i := range goal.LHS {
		var sides [2]string
		at := ""
		for k, t := range []*law.Term{goal.LHS[i], goal.RHS[i]} {
			var err error
			if at, sides[k], err = entryOf(t.Subst(nil, nil, by), vars); err != nil {
				return false
			}
		}
		text.WriteString("     ")
		if at != "[]" {
			text.WriteString("at " + at + ", ")
		}
		text.WriteString("the left side is\n")
		for k, side := range sides {
			if k == 1 {
				text.WriteString("     and the right side is\n")
			}
			fmt.Fprintf(&text, "       %s\n", wrap.Hanging(side, strings.Repeat(" ", 9), lineWidth))
		}
	}
	b.WriteString(text.String())
	return true
}

// entryOf is an index of a term, and its entry there.
func entryOf(t *law.Term, vars map[string]graph.Shape) (at, entry string, err error) {
	defer graph.CatchTooLarge(&err)
	s := &speller{space: &graph.Space{}, shapes: map[*law.Term]graph.Shape{}, by: map[graph.Sym]graph.Index{}}
	shape, err := law.TypeOf(&graph.Unifier{}, t, vars, s.shapes)
	if err != nil {
		return "", "", err
	}
	var index []graph.Index
	for i := range shape {
		index = append(index, s.space.Var(fmt.Sprintf("i%d", i+1)).Index())
	}
	if entry, _, err = s.term(t, index); strings.Contains(entry, ":") {
		err = errors.New("functions of windows have long names")
	}
	return s.places(index), entry, err
}

// speller writes entries as text.
type speller struct {
	space  *graph.Space
	shapes map[*law.Term]graph.Shape
	by     map[graph.Sym]graph.Index // names of bound variables that no size has
}

func (s *speller) text(e graph.Index) string { return s.space.String(s.space.Subst(e, s.by)) }

// How tightly a text binds: a sum needs parentheses in a product.
const (
	sum = iota
	product
	single
)

func (s *speller) places(at []graph.Index) string {
	parts := make([]string, len(at))
	for i, e := range at {
		parts[i] = s.text(e)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (s *speller) term(t *law.Term, at []graph.Index) (string, int, error) {
	switch {
	case t.IsVar():
		if len(at) == 0 {
			return t.Var, single, nil
		}
		return t.Var + s.places(at), single, nil
	case t.Fn != "":
		x, _, err := s.term(t.Args[0], at)
		return t.Fn + "(" + x + ")", single, err
	}
	in := make([]graph.Shape, len(t.Args))
	for i, a := range t.Args {
		in[i] = s.shapes[a]
	}
	p, _, err := t.Op.Primitive(t.Attrs, in, t.Out)
	if err != nil || p.Op.Entry == nil {
		return "", 0, errors.Join(err, errors.New("no entry"))
	}
	e, err := p.Op.Entry(s.space, p.Attrs, in, at)
	if err != nil {
		return "", 0, err
	}
	return s.expr(e, t)
}

func (s *speller) expr(e *graph.Expr, t *law.Term) (string, int, error) {
	switch e.Kind {
	case graph.ExprNumber:
		return s.text(e.Size), sum, nil
	case graph.ExprRead:
		return s.term(t.Args[e.In], e.At)
	case graph.ExprAdd:
		return s.join(e.Args, t, " + ", sum)
	case graph.ExprMul:
		return s.join(e.Args, t, "*", product)
	case graph.ExprInv:
		x, err := s.inside(e.Args[0], t, single)
		return "1/" + x, product, err
	case graph.ExprFn:
		x, _, err := s.expr(e.Args[0], t)
		return e.Fn.String() + "(" + x + ")", single, err
	}
	word := map[graph.ExprKind]string{graph.ExprSum: "sum", graph.ExprMax: "max"}[e.Kind]
	var over []string
	for _, v := range e.Over {
		s.by[v.Var] = s.space.Var(fmt.Sprintf("k%d", len(s.by)+1)).Index()
		over = append(over, s.text(v.Var.Index())+" < "+s.text(v.N))
	}
	for _, g := range e.If {
		over = append(over, s.guard(g))
	}
	x, err := s.inside(e.Args[0], t, product)
	if err != nil {
		return "", 0, err
	}
	conditions := strings.Join(over, ", ")
	switch {
	case len(over) == 0:
		return x, product, nil
	case len(e.Over) == 0 && e.Kind == graph.ExprSum:
		return "(" + x + " if " + conditions + ", else 0)", single, nil
	}
	return word + "(" + x + " for " + conditions + ")", single, nil
}

// guard writes a condition without minus signs: i2 < a for a-1-i2 >= 0.
func (s *speller) guard(g graph.Guard) string {
	c := g.E.Constant()
	large, small := graph.IndexInt(max(c, 0)), graph.IndexInt(max(-c, 0))
	for i := range g.E.Len() {
		if v, k := g.E.Term(i); k > 0 {
			large = large.AddScaled(v.Index(), k)
		} else {
			small = small.AddScaled(v.Index(), -k)
		}
	}
	rel := " <= "
	switch {
	case g.Eq:
		rel = " == "
	case c == -1:
		rel, small = " < ", small.AddInt(-1)
	}
	return s.text(small) + rel + s.text(large)
}

func (s *speller) join(args []*graph.Expr, t *law.Term, with string, binds int) (string, int, error) {
	parts := make([]string, len(args))
	for i, a := range args {
		var err error
		if parts[i], err = s.inside(a, t, binds); err != nil {
			return "", 0, err
		}
	}
	text := strings.Join(parts, with)
	if len(text) > mostEntry {
		return "", 0, errors.New("too long")
	}
	return text, binds, nil
}

// inside is an expression in parentheses if it binds less than what is around it.
func (s *speller) inside(e *graph.Expr, t *law.Term, binds int) (string, error) {
	x, own, err := s.expr(e, t)
	if own < binds {
		x = "(" + x + ")"
	}
	if len(x) > mostEntry {
		err = errors.New("too long")
	}
	return x, err
}
