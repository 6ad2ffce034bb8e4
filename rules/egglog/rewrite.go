package egglog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// rewrite is one direction of an instance of a rule.
type rewrite struct {
	in       *expansion
	lhs, rhs []string
	shapes   []string // conditions: shapes of the variables
	conds    []string // the others
	sets     []string // what is known of the shapes of what is made
	bare     bool     // shapes are no condition of the rewrite
	ruleset  string
	sizes
}

// newRewrite writes one direction. The error says why it cannot be written.
func newRewrite(in *expansion, src, dst []*law.Term) (*rewrite, error) {
	w := &rewrite{in: in, sizes: newSizes(), ruleset: Ruleset}
	w.bare = elementwise(in.law, src)
	for _, t := range src {
		if t.IsVar() {
			w.bare, w.ruleset = false, InputRuleset
		}
	}
	seen := law.MentionsOf(src...).Names
	for _, g := range in.law.Given {
		if !seen[g.Name] {
			return nil, fmt.Errorf("this side does not mention %s", g.Name)
		}
		switch g.Sort {
		case "":
			s, err := w.shape(g.Shape, true)
			if err != nil {
				return nil, err
			}
			w.shapes = append(w.shapes, fmt.Sprintf("(= %s (t-shape %s))", s, g.Name))
		case graph.SortSame:
			w.conds = append(w.conds, fmt.Sprintf("(t-same %s)", attr(g.Name)))
		case law.SortZero1:
			w.conds = append(w.conds, fmt.Sprintf("(t-zero %s)", attr(g.Name)))
		case law.SortMesh:
			return nil, fmt.Errorf("variables of sort %s", g.Sort)
		}
	}
	for _, t := range src {
		s, err := w.pattern(t)
		if err != nil {
			return nil, err
		}
		w.lhs = append(w.lhs, s)
	}
	more, err := w.solve()
	if err != nil {
		return nil, err
	}
	w.conds = append(w.conds, more...)
	for _, c := range in.law.Where {
		s, err := w.condition(c)
		if err != nil {
			return nil, err
		}
		w.conds = append(w.conds, s)
	}
	for _, t := range dst {
		s, err := w.build(t)
		if err != nil {
			return nil, err
		}
		w.rhs = append(w.rhs, s)
	}
	for run := range w.runs {
		// A shape may be used although it is no condition, as that of a constant.
		if slices.ContainsFunc(slices.Concat(w.lhs, w.rhs), func(s string) bool { return strings.Contains(s, runShape(run)) }) {
			w.bare = false
		}
	}
	return w, w.made(dst)
}

// elementwise says whether tensors need no shape that is said: all are of one, whatever
// it is, and the operators of a side see to that.
func elementwise(l *law.Law, src []*law.Term) bool {
	run := ""
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		if len(g.Shape) != 1 || g.Shape[0].AxisRun == "" || run != "" && g.Shape[0].AxisRun != run {
			return false
		}
		run = g.Shape[0].AxisRun
	}
	ok := true
	for _, t := range src {
		t.Walk(func(u *law.Term) { ok = ok && (u.IsVar() || isMap(u) || u.Op.Elementwise && alike(u.Op)) })
	}
	// Of several outputs nothing says that they are of one shape.
	return ok && len(src) == 1
}

// alike says whether an operator has no parameters and takes operands of one shape only.
func alike(o *graph.Op) bool {
	if len(o.Params) > 0 {
		return false
	}
	p, q := graph.Shape{graph.AxisRun("P")}, graph.Shape{graph.AxisRun("Q")}
	for i := range o.In {
		for _, other := range []graph.Shape{q, {}} {
			in := slices.Repeat([]graph.Shape{p}, o.In)
			in[i] = other
			if _, err := o.InferShapes(&graph.Unifier{}, nil, in); err == nil && o.In > 1 {
				return false
			}
		}
	}
	return true
}

// attr is the name of an attribute or function variable; sizes and tensors keep
// theirs, in which there is no hyphen.
func attr(name string) string { return "?-" + name }

// pattern writes a term to be matched.
func (w *rewrite) pattern(t *law.Term) (string, error) {
	return w.term(t, w.pattern, func(v graph.Value) (string, error) {
		if d, ok := v.Dim(); ok {
			return w.dim(d, false)
		}
		s, _ := v.Shape()
		return w.shape(s, false)
	})
}

// build writes a term to be made.
func (w *rewrite) build(t *law.Term) (string, error) {
	return w.term(t, w.build, func(v graph.Value) (string, error) {
		if d, ok := v.Dim(); ok {
			return w.expr(d)
		}
		s, _ := v.Shape()
		return w.shapeExpr(s)
	})
}

// term writes a term; sub writes operands, size the attributes that are sizes or
// shapes.
func (w *rewrite) term(t *law.Term, sub func(*law.Term) (string, error), size func(graph.Value) (string, error)) (string, error) {
	if t.IsVar() {
		return t.Var, nil
	}
	var words []string
	switch {
	case t.Fn != "":
		if g, ok := w.in.law.Find(t.Fn); !ok || !law.IsFuncSort(g.Sort) {
			return "", fmt.Errorf("the function %s", t.Fn)
		}
		words = []string{"t-map", attr(t.Fn)}
	case isMap(t):
		for _, v := range t.Attrs {
			if name, _, ok := v.Var(); ok {
				return "", fmt.Errorf("%s with a variable %s", t.Op.Name, name)
			}
		}
		words = []string{"t-map", fmt.Sprintf("%q", graph.FunctionName(t.Op, t.Attrs))}
	default:
		words = []string{"t-" + t.Op.Name}
		if t.Op.Out > 1 {
			words = append(words, fmt.Sprint(t.Out))
		}
		for _, v := range t.Attrs {
			s := fmt.Sprintf("%q", v.String())
			if name, _, ok := v.Var(); ok {
				s = attr(name)
			} else if v.Kind() == graph.KindDim || v.Kind() == graph.KindShape {
				var err error
				if s, err = size(v); err != nil {
					return "", err
				}
			}
			words = append(words, s)
		}
	}
	for _, a := range t.Args {
		s, err := sub(a)
		if err != nil {
			return "", err
		}
		words = append(words, s)
	}
	return "(" + strings.Join(words, " ") + ")", nil
}

// condition writes a condition of a law.
func (w *rewrite) condition(c law.Pred) (string, error) {
	l, err := w.expr(c.Left)
	if err != nil {
		return "", err
	}
	r, err := w.expr(c.Right)
	if err != nil {
		return "", err
	}
	if c.Mod != nil {
		m, err := w.expr(*c.Mod)
		if err != nil {
			return "", err
		}
		l = fmt.Sprintf("(%% %s %s)", l, m)
	}
	rel := c.Rel
	if rel == "==" {
		rel = "="
	}
	return fmt.Sprintf("(%s %s %s)", rel, l, r), nil
}

// made notes the shapes of what is made below the outputs, which have those of what they
// are equal to, as far as they can be said.
func (w *rewrite) made(dst []*law.Term) error {
	ty, err := w.in.law.Types()
	if err != nil {
		return err
	}
	for _, t := range dst {
		t.Walk(func(u *law.Term) {
			if u == t || u.IsVar() {
				return
			}
			s, err := w.shapeExpr(ty.Shape[u])
			if err != nil {
				return // a size that egglog cannot compute: the shape stays unknown
			}
			term, err := w.build(u)
			if err != nil {
				return
			}
			if set := fmt.Sprintf("(set (t-shape %s) %s)", term, s); !slices.Contains(w.sets, set) {
				w.sets = append(w.sets, set)
			}
		})
	}
	return nil
}

// String is the rewrite, and a rule about shapes behind it, a line each.
func (w *rewrite) String() string {
	var b strings.Builder
	conds := w.conds
	if !w.bare {
		conds = slices.Concat(w.shapes, w.conds)
	}
	if len(w.lhs) == 1 {
		fmt.Fprintf(&b, "(rewrite %s %s", w.lhs[0], w.rhs[0])
		if len(conds) > 0 {
			fmt.Fprintf(&b, " :when (%s)", strings.Join(conds, " "))
		}
	} else {
		b.WriteString("(rule (" + w.roots())
		for _, c := range conds {
			b.WriteString(" " + c)
		}
		b.WriteString(") (")
		for i, r := range w.rhs {
			fmt.Fprintf(&b, "(union o-%d %s)", i, r)
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, " :ruleset %s)\n", w.ruleset)
	if len(w.sets) > 0 {
		fmt.Fprintf(&b, "(rule (%s %s) (%s) :ruleset %s)\n", w.roots(), strings.Join(slices.Concat(w.shapes, w.conds), " "),
			strings.Join(w.sets, " "), w.ruleset)
	}
	return b.String()
}

// roots are the facts that match the outputs.
func (w *rewrite) roots() string {
	var facts []string
	for i, l := range w.lhs {
		facts = append(facts, fmt.Sprintf("(= o-%d %s)", i, l))
	}
	return strings.Join(facts, " ")
}
