package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// BroadcastOptions bounds the patterns of Broadcastings. The zero value is a
// good default.
type BroadcastOptions struct {
	// Patterns is the greatest number of laws; 0: 512.
	Patterns int
	// MaxRun is the greatest number of axes put in the place of an axis run;
	// 0: 2. At least one is.
	MaxRun int
}

// Broadcasting is a law read with element-wise operators that broadcast, under
// one pattern of axes of size 1.
type Broadcasting struct {
	// Law has a broadcast operator wherever the operands of an element-wise
	// operator differ in shape, one for each axis. It is read left to right.
	Law *law.Law
	// Plain is the same without the broadcast operators: the law's terms over
	// inputs of the pattern's shapes. It is ill-typed where the operands of an
	// element-wise operator differ.
	Plain *law.Law
	// Axes counts the axes of inputs that are 1, or missing in front, where the
	// law has a size. Of the law itself it is 0.
	Axes int
	// Err is not nil if the right side has no shape, or not that of the left
	// side, for shapes for which the left side is defined: the law is false
	// under broadcasting. An operator that has no shape is left as it is.
	Err error
}

// Broadcasts is the result of Broadcastings.
type Broadcasts struct {
	// Laws are those whose two sides have one shape; OneSided the others. Both
	// with the fewest axes of size 1 first.
	Laws, OneSided []Broadcasting
	// Complete says that there are no other patterns: that the law is true under
	// broadcasting if all of Laws are true and OneSided is empty. If not, Bound
	// says what was left out.
	Complete bool
	Bound    string
}

// Causes of an error of WithBroadcasts, and of a Broadcasting.Err, which is never
// the first of them.
var (
	ErrLeftNotDefined = errors.New("the left side is not defined")
	ErrNotDefined     = errors.New("the right side is not defined")
	ErrOtherShape     = errors.New("the sides differ in shape")
)

// Broadcastings lists what a law says if the operands of ewadd and ewmul on its
// left side may differ in shape, as in ONNX and in TASO's runtime: aligned at
// the end, axes of size 1 taking any size.
//
// Formally: given tensors of the law's shapes, but with some axes of size 1
// instead, or missing in front, so that the left side is defined under
// broadcasting. A size variable that is nowhere but in shapes may then stand
// for different sizes where broadcasting no longer makes them agree; one that
// stands on no axis any more is 1. The patterns are found by trying, axis by
// axis, at each element-wise operator of the left side, that the operands agree
// or that one of them has size 1, and solving for the inputs' shapes; so an
// axis is 1 only where that matters.
//
// A law that is cell by cell (see [Cellwise]) has only the pattern without
// broadcasting, and so has one without element-wise operators on its left side.
// Other laws over axis runs are instantiated at a few ranks, and then the list
// is not complete.
func Broadcastings(l *law.Law, opts BroadcastOptions) (*Broadcasts, error) {
	out := &Broadcasts{}
	var err error
	out.Bound, err = EachBroadcasting(l, opts, func(b Broadcasting) bool {
		if b.Err != nil {
			out.OneSided = append(out.OneSided, b)
		} else {
			out.Laws = append(out.Laws, b)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	out.Complete = out.Bound == ""
	return out, nil
}

// EachBroadcasting calls yield for what Broadcastings lists, until it returns
// false. The bound says what was left out, and is empty if nothing was. The
// error says why the law is ill-formed.
func EachBroadcasting(l *law.Law, opts BroadcastOptions, yield func(Broadcasting) bool) (bound string, err error) {
	if opts.Patterns <= 0 {
		opts.Patterns = 512
	}
	if opts.MaxRun <= 0 {
		opts.MaxRun = 2
	}
	if _, err := l.Types(); err != nil {
		return "", fmt.Errorf("broadcast: %w", err)
	}
	if !mentionsElementwise(l.LHS) || Cellwise(l) {
		m := *l
		m.OneWay = true
		yield(Broadcasting{Law: &m, Plain: l})
		return "", nil
	}
	e := &broadcaster{left: opts.Patterns, tries: 8 * opts.Patterns, most: 8 * opts.Patterns, seen: map[string]bool{}, yield: yield}
	ranks := ranksOf(l, opts.MaxRun)
	for _, b := range ranks {
		if !e.law(l.Subst(b)) {
			return "not all patterns were asked for", nil
		}
	}
	switch {
	case e.bound != "":
		return e.bound, nil
	case len(ranks) > 1 || len(ranks[0].Runs) > 0:
		return fmt.Sprintf("axis runs stand for 1 to %d axes only", opts.MaxRun), nil
	}
	return "", nil
}

func mentionsElementwise(ts []*law.Term) bool {
	found := false
	for _, t := range ts {
		t.Walk(func(u *law.Term) { found = found || isElementwise(u) })
	}
	return found
}

// ranksOf lists bindings of the law's axis runs, one without runs if it has
// none: all runs have the same number of axes.
func ranksOf(l *law.Law, most int) []*graph.Binding {
	var runs []string
	see := func(a graph.Atom) {
		if a.Kind == graph.AtomRun && !slices.Contains(runs, a.Name) {
			runs = append(runs, a.Name)
		}
	}
	eachAtom(l, see)
	if len(runs) == 0 {
		return []*graph.Binding{{}}
	}
	slices.Sort(runs)
	var out []*graph.Binding
	for n := 1; n <= most; n++ {
		b := &graph.Binding{Runs: map[string]graph.Shape{}}
		for _, r := range runs {
			s := graph.Shape{}
			for i := 1; i <= n; i++ {
				s = append(s, graph.Axis(graph.Var(fmt.Sprintf("%s%d", strings.ToLower(r), i))))
			}
			b.Runs[r] = s
		}
		out = append(out, b)
	}
	return out
}

// eachAtom calls f for the sizes of a law's shapes, attributes and conditions.
func eachAtom(l *law.Law, f func(graph.Atom)) {
	for _, g := range l.Given {
		g.Shape.Walk(f)
	}
	eachFixed(l, f)
}

// eachFixed is eachAtom without the shapes.
func eachFixed(l *law.Law, f func(graph.Atom)) {
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				v.Walk(f)
			}
		})
	}
	for _, p := range l.Where {
		p.Left.Walk(f)
		p.Right.Walk(f)
		if p.Mod != nil {
			p.Mod.Walk(f)
		}
	}
}

// WithBroadcasts is a law, to be read left to right, with a broadcast operator
// wherever the operands of an element-wise operator differ in shape: one axis
// after the other, so that each operator adds or fills a single axis. Sizes
// count as different unless they are the same polynomial. The error, which
// comes with the law, says that a side has no shape, or that the sides have not
// the same.
func WithBroadcasts(l *law.Law) (*law.Law, error) {
	out := *l
	out.OneWay = true
	vars := l.VarShapes()
	var left, right []graph.Shape
	var err, bad error
	out.LHS, left, err = explicit(l.LHS, vars)
	out.RHS, right, bad = explicit(l.RHS, vars)
	switch {
	case err != nil:
		return &out, fmt.Errorf("%w: %w", ErrLeftNotDefined, err)
	case bad != nil:
		return &out, fmt.Errorf("%w: %w", ErrNotDefined, bad)
	}
	for i := range left {
		if !left[i].Equal(right[i]) {
			return &out, fmt.Errorf("%w: %s and %s", ErrOtherShape, left[i], right[i])
		}
	}
	return &out, nil
}

// explicit rebuilds terms with broadcast operators where the operands of
// element-wise operators differ, for inputs of these shapes. An operator whose
// operands do not fit is left as it is; the error is about the first of them.
func explicit(ts []*law.Term, vars map[string]graph.Shape) (out []*law.Term, shapes []graph.Shape, err error) {
	type typed struct {
		term  *law.Term
		shape graph.Shape // of an operator without one, nil
	}
	memo := map[*law.Term]typed{}
	var facts graph.Facts
	var rec func(t *law.Term) typed
	rec = func(t *law.Term) typed {
		if r, ok := memo[t]; ok {
			return r
		}
		u := *t
		u.Args = make([]*law.Term, len(t.Args))
		in := make([]graph.Shape, len(t.Args))
		whole := true
		for i, a := range t.Args {
			r := rec(a)
			u.Args[i], in[i] = r.term, r.shape
			whole = whole && r.shape != nil
		}
		r := typed{term: &u}
		switch {
		case t.IsVar():
			r.term, r.shape = t, vars[t.Var]
			if r.shape == nil {
				r.shape = graph.Shape{}
			}
		case !whole:
		case t.Fn != "":
			r.shape = in[0]
		default:
			if isElementwise(t) {
				if to, ok := joint(in[0], in[1]); ok {
					for i := range in {
						u.Args[i] = spread(u.Args[i], in[i], to)
						in[i] = to
					}
				}
			}
			s, e := t.Op.InferShapes(&facts, t.Attrs, in)
			if e == nil && t.Out >= len(s) {
				e = fmt.Errorf("no output %d", t.Out)
			}
			if e == nil {
				r.shape = s[t.Out]
			} else if err == nil {
				err = fmt.Errorf("%s: %w", &u, e)
			}
		}
		memo[t] = r
		return r
	}
	for _, t := range ts {
		r := rec(t)
		out, shapes = append(out, r.term), append(shapes, r.shape)
	}
	return out, shapes, err
}

// joint is the shape to which both are broadcast; ok is false if there is none
// for all sizes.
func joint(x, y graph.Shape) (to graph.Shape, ok bool) {
	if len(x) < len(y) {
		x, y = y, x
	}
	to = x.Clone()
	front := len(x) - len(y)
	single := graph.Axis(graph.Int(1))
	for i, it := range y {
		switch at := &to[front+i]; {
		case it == *at || it == single && at.Run == "":
		case *at == single && it.Run == "":
			*at = it
		default:
			return nil, false
		}
	}
	return to, true
}

// spread broadcasts t, of shape from, to a shape: first the axes that are
// missing in front, the last of them first, then those of size 1, the first of
// them first. One operator an axis is what the laws speak of.
func spread(t *law.Term, from, to graph.Shape) *law.Term {
	add := func(s graph.Shape) {
		t = law.Apply(op.Broadcast, graph.Attrs{graph.ShapeValue(s)}, t)
	}
	for front := len(to) - len(from); front > 0; front-- {
		from = append(graph.Shape{to[front-1]}, from...)
		add(from)
	}
	for i := range from {
		if from[i] != to[i] {
			from = from.With(i, to[i].Dim)
			add(from)
		}
	}
	return t
}
