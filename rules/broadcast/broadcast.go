package broadcast

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Options say what a law means and bound the patterns of All. The zero value is a good
// default.
type Options struct {
	// Patterns is the greatest number of laws; 0: 512.
	Patterns int
	// Groups: a convolution has as many groups as the channels of its operands say,
	// whatever the law gives it. Broadcasting can make that another number.
	Groups bool
}

// Pattern is a law read with element-wise operators that broadcast, under
// one pattern of axes of size 1.
type Pattern struct {
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

// Patterns is the result of All.
type Patterns struct {
	// Laws are those whose two sides have one shape; OneSided the others. Both
	// with the fewest axes of size 1 first.
	Laws, OneSided []Pattern
	// Complete says that there are no other patterns: that the law is true under
	// broadcasting if all of Laws are true and OneSided is empty. If not, Bound
	// says what was left out.
	Complete bool
	Bound    string
}

// Causes of an error of Explicit, and of a Pattern.Err, which is never the first of
// them.
var (
	ErrLeftNotDefined = errors.New("the left side is not defined")
	ErrNotDefined     = errors.New("the right side is not defined")
	ErrOtherShape     = errors.New("the sides differ in shape")
)

// All lists what a law says if the operands of ewadd and ewmul on its left side may
// differ in shape.
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
// In others an axis run stands for one axis, which is as good as any number.
func All(l *law.Law, opts Options) (*Patterns, error) {
	out := &Patterns{}
	var err error
	out.Bound, err = Each(l, opts, func(b Pattern) bool {
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

// Each calls yield for what All lists, until it returns false. The bound says what
// was left out, and is empty if nothing was. The error says why the law is
// ill-formed.
func Each(l *law.Law, opts Options, yield func(Pattern) bool) (bound string, err error) {
	if opts.Patterns <= 0 {
		opts.Patterns = 512
	}
	if _, err := l.Types(); err != nil {
		return "", fmt.Errorf("broadcast: %w", err)
	}
	if !mentionsElementwise(l.LHS) || Cellwise(l) {
		m := *l
		m.OneWay = true
		yield(Pattern{Law: &m, Plain: l})
		return "", nil
	}
	if opts.Groups {
		l = freeGroups(l)
	}
	e := &broadcaster{groups: opts.Groups, left: opts.Patterns, tries: 8 * opts.Patterns, most: 8 * opts.Patterns, seen: map[string]bool{}, yield: yield}
	single, ok := singleRuns(l)
	if !ok {
		e.bound = "sizes depend on the rank; axis runs stand for one axis only"
	}
	if !e.law(l.Subst(single)) {
		return "not all patterns were asked for", nil
	}
	return e.bound, nil
}

func mentionsElementwise(ts []*law.Term) bool {
	found := false
	for _, t := range ts {
		t.Walk(func(u *law.Term) { found = found || isElementwise(u) })
	}
	return found
}

// singleRuns binds every axis run of a law to one axis. That says all, unless
// sizes other than axis numbers depend on the lengths of runs; then ok is false.
//
// Why it does: what accepts axis runs treats their axes apart from each other
// and from all other axes (element-wise operators and functions; concatenation
// and slices along other axes; batches of a matrix product). So a side is
// defined for a run of several axes if it is for each of them alone, and its
// shape there is what it would be alone. And the cells of both sides at one
// place of the run's axes are a function of the inputs' cells at that place, or
// at 0 where an input has size 1; so the sides are equal for a run of several
// axes if they are for one axis of size 1. A run without axes is one axis of
// size 1.
func singleRuns(l *law.Law) (b *graph.Substitution, ok bool) {
	b, ok = &graph.Substitution{Runs: map[string]graph.Shape{}}, true
	taken := map[string]bool{}
	l.EachAtom(func(a graph.Atom) { taken[a.Name] = true })
	length := func(a graph.Atom) { ok = ok && a.Kind != graph.AtomAxisRun }
	items := func(s graph.Shape) {
		for _, it := range s {
			switch {
			case it.AxisRun == "":
				it.Dim.Walk(length)
			case b.Runs[it.AxisRun] == nil:
				name := strings.ToLower(it.AxisRun)
				for taken[name] {
					name += "1"
				}
				taken[name] = true
				b.Runs[it.AxisRun] = graph.ShapeOf(graph.Var(name))
			}
		}
	}
	for _, g := range l.Given {
		items(g.Shape)
	}
	l.EachTerm(func(u *law.Term) {
		for i, v := range u.Attrs {
			if s, isShape := v.Shape(); isShape {
				items(s)
			} else if u.Op.Params[i].Sort != "axis" {
				v.Walk(length)
			}
		}
	})
	for _, p := range l.Where {
		p.Walk(length)
	}
	return b, ok
}

// Explicit is a law, to be read left to right, with a broadcast operator
// wherever the operands of an element-wise operator differ in shape: one axis
// after the other, so that each operator adds or fills a single axis. With
// Options.Groups, convolutions get the groups that their operands say. Sizes
// count as different unless they are the same polynomial. The error, which
// comes with the law, says that a side has no shape, or that the sides have not
// the same.
func Explicit(l *law.Law, opts Options) (*law.Law, error) {
	out := *l
	out.OneWay = true
	vars := l.VarShapes()
	var left, right []graph.Shape
	var err, bad error
	out.LHS, left, err = explicit(l.LHS, vars, opts.Groups)
	out.RHS, right, bad = explicit(l.RHS, vars, opts.Groups)
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
func explicit(ts []*law.Term, vars map[string]graph.Shape, groups bool) (out []*law.Term, shapes []graph.Shape, err error) {
	return explicitMemo(ts, vars, groups, map[*law.Term]typed{})
}

// typed is what stands for a term, and its shape; nil if it has none.
type typed struct {
	term  *law.Term
	shape graph.Shape
}

// explicitMemo is explicit, noting what it finds for each term.
func explicitMemo(ts []*law.Term, vars map[string]graph.Shape, groups bool, memo map[*law.Term]typed) (out []*law.Term, shapes []graph.Shape, err error) {
	var facts graph.Unifier
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
			from := slices.Clone(in)
			if groups {
				u.Attrs = withGroups(t, t.Attrs, in)
			}
			s, e := shapeOf(&facts, t, u.Attrs, in)
			for i := range in {
				u.Args[i] = spread(u.Args[i], from[i], in[i])
			}
			if e == nil {
				r.shape = s
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
		case it == *at || it == single && at.AxisRun == "":
		case *at == single && it.AxisRun == "":
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
