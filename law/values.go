package law

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bounds"
)

// WithoutValue is a term of a law that may have no value at some real numbers, and with which
// something is computed, such as log(X) in exp(log(X)); nil if there is none.
//
// If there is none, both sides have values at the same real tensors. What is proved of a law
// is proved whatever value a function is given where it has none. An entry of a side that is
// without a value is the value of such a function there: with that value it changes, and with
// it the other side's entry, which therefore is without one too. A function variable stands
// for a function that has a value everywhere.
func WithoutValue(l *Law) *Term {
	if anyPartial(l) == nil {
		return nil
	}
	plain, err := Untransposed(l)
	if err != nil {
		return anyPartial(l)
	}
	sizes, ok := withAxes(plain)
	if !ok {
		return anyPartial(l)
	}
	vars := sizes.VarShapes()
	for _, ts := range [2][]*Term{sizes.LHS, sizes.RHS} {
		v := valued{shapes: map[*Term]graph.Shape{}, real: map[*Term]bool{}, plain: map[*Term]bool{}}
		var f graph.Unifier
		for _, t := range ts {
			if _, err := TypeOf(&f, t, vars, v.shapes); err != nil {
				return anyPartial(l)
			}
		}
		for _, t := range ts {
			if u := v.inside(t); u != nil {
				return u
			}
		}
	}
	return nil
}

// Stated is a law with the tag real where it needs one, or the law itself.
func Stated(l *Law) *Law {
	if l.HasTag(TagReal) || WithoutValue(l) == nil {
		return l
	}
	m := *l
	m.Tags = append(slices.Clone(l.Tags), TagReal)
	return &m
}

// CheckStated is an error if a law needs the tag real and does not have it: its sides may
// have values at other inputs.
func CheckStated(l *Law) error {
	if l.HasTag(TagReal) {
		return nil
	}
	if u := WithoutValue(l); u != nil {
		return fmt.Errorf("%s may have no value: the law holds where every term has one, and must say so with the tag %s", u.Brief(), TagReal)
	}
	return nil
}

// anyPartial is WithoutValue of a law whose shapes are not known here: no function of it may
// be partial.
func anyPartial(l *Law) (found *Term) {
	seen := map[*Term]bool{}
	for _, ts := range [2][]*Term{l.LHS, l.RHS} {
		for _, t := range ts {
			t.WalkNew(func(u *Term) bool { return seen[u] }, func(u *Term) {
				seen[u] = true
				if found == nil && partial(u) {
					found = u
				}
			})
		}
	}
	return found
}

// partial reports whether a term applies a partial function.
func partial(u *Term) bool {
	if u.Op == nil {
		return false
	}
	if u.Op.Partial {
		return true
	}
	for i, p := range u.Op.Params {
		if name, ok := u.Attrs[i].Name(); ok && p.Sort == graph.SortAct {
			if f, ok := graph.Lookup(name); ok && f.Partial {
				return true
			}
		}
	}
	return false
}

// withAxes is a law with one axis of any size for each axis run. It is not ok if the length
// of a run is used as a number.
func withAxes(l *Law) (out *Law, ok bool) {
	_, runs := Variables(l)
	ok = true
	seen := map[*Term]bool{}
	for _, ts := range [2][]*Term{l.LHS, l.RHS} {
		for _, t := range ts {
			t.WalkNew(func(u *Term) bool { return seen[u] }, func(u *Term) {
				seen[u] = true
				for i, v := range u.Attrs {
					v.Walk(func(a graph.Atom) {
						ok = ok && (a.Kind != graph.AtomAxisRun || u.Op.Params[i].Sort == "axis" || v.Kind() == graph.KindShape)
					})
				}
			})
		}
	}
	b := &graph.Substitution{Runs: map[string]graph.Shape{}}
	for _, r := range runs {
		b.Runs[r] = graph.Shape{graph.Axis(graph.Var(r + ".axis"))}
	}
	return l.Subst(b), ok
}

// valued knows which terms of a side have values.
type valued struct {
	shapes map[*Term]graph.Shape
	real   map[*Term]bool
	plain  map[*Term]bool // inside found nothing
}

// inside is a term that may have no value and with which something is computed, t being a
// result or taken over into one; nil if there is none.
func (v *valued) inside(t *Term) *Term {
	if v.plain[t] {
		return nil
	}
	look := v.without
	rearranges := t.Op != nil && t.Op.OnlyRearranges()
	if rearranges {
		look = v.inside
	}
	for _, a := range t.Args {
		if u := look(a); u != nil {
			return u
		}
	}
	if !rearranges && v.status(t) == bounds.Within {
		return t
	}
	v.plain[t] = true
	return nil
}

// without is a term, t or below it, that may have no value; nil if there is none.
func (v *valued) without(t *Term) *Term {
	if v.real[t] {
		return nil
	}
	for _, a := range t.Args {
		if u := v.without(a); u != nil {
			return u
		}
	}
	if v.status(t) != bounds.Real {
		return t
	}
	v.real[t] = true
	return nil
}

// status is that of a term of operands that have values.
func (v *valued) status(t *Term) bounds.Status {
	return bounds.Of[*Term](v, t, func(*Term) bool { return true })
}

// Application is the operator of a term; a function variable has a value of any number, and
// is any.
func (v *valued) Application(t *Term) (op *graph.Op, attrs graph.Attrs, operands []*Term, out int) {
	return t.Op, t.Attrs, t.Args, t.Out
}

func (v *valued) DType(*Term) graph.DType { return graph.Float64 }

func (v *valued) Shape(t *Term) graph.Shape { return v.shapes[t] }

func (v *valued) Leaf(*Term) graph.Interval { return graph.AnyReal }
