package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Typing is the shapes of a law's terms.
type Typing struct {
	// Shape of each term met (by pointer).
	Shape map[*Term]graph.Shape
	// Needs are the conditions under which each side is defined.
	LeftNeeds, RightNeeds []graph.Need
}

// TypeOf infers the shape of one term, given the shapes of variables, using f.
// memo may be nil.
func TypeOf(f *graph.Unifier, t *Term, vars map[string]graph.Shape, memo map[*Term]graph.Shape) (graph.Shape, error) {
	if memo == nil {
		memo = map[*Term]graph.Shape{}
	}
	for _, s := range vars {
		f.Reserve(s.Walk)
	}
	t.Walk(func(u *Term) {
		for _, v := range u.Attrs {
			f.Reserve(v.Walk)
		}
	})
	var err error
	t.Walk(func(u *Term) {
		if err != nil || memo[u] != nil {
			return
		}
		switch {
		case u.Var != "":
			s, ok := vars[u.Var]
			if !ok {
				err = fmt.Errorf("tensor %s has no shape", u.Var)
				return
			}
			if s == nil {
				s = graph.Shape{}
			}
			if s.TooLarge() {
				err = fmt.Errorf("tensor %s: %w", u.Var, graph.ErrTooLarge)
				return
			}
			memo[u] = s
		case u.Fn != "":
			memo[u] = memo[u.Args[0]]
		default:
			in := make([]graph.Shape, len(u.Args))
			for i, a := range u.Args {
				in[i] = memo[a]
			}
			out, e := u.Op.InferShapes(f, u.Attrs, in)
			if e == nil {
				e = u.Op.Real(u.Attrs)
			}
			if e != nil {
				err = fmt.Errorf("%s: %w", u.Brief(), e)
				return
			}
			if u.Out >= len(out) {
				err = fmt.Errorf("%s: no output %d", u.Brief(), u.Out)
				return
			}
			memo[u] = out[u.Out]
		}
	})
	if err != nil {
		return nil, err
	}
	return memo[t], nil
}

// VarShapes are the shapes of the tensor variables.
func (l *Law) VarShapes() map[string]graph.Shape {
	m := map[string]graph.Shape{}
	for _, b := range l.Given {
		if b.Sort == "" {
			m[b.Name] = b.Shape
		}
	}
	return m
}

// Types infers all shapes of the law. It is an error if a side cannot be
// typed or the outputs of the two sides differ in shape. Of a law with permutation
// variables these are the shapes and conditions of [Untransposed] l: terms that are
// transposed by such a variable have none.
func (l *Law) Types() (*Typing, error) {
	l, err := Untransposed(l)
	if err != nil {
		return nil, err
	}
	ty := &Typing{Shape: map[*Term]graph.Shape{}}
	vars := l.VarShapes()
	for side, ts := range [2][]*Term{l.LHS, l.RHS} {
		var f graph.Unifier
		for _, t := range ts {
			if _, err := TypeOf(&f, t, vars, ty.Shape); err != nil {
				return nil, fmt.Errorf("law %s: %w", l.Name, err)
			}
		}
		if side == 0 {
			ty.LeftNeeds = f.Needs
		} else {
			ty.RightNeeds = f.Needs
		}
	}
	if len(l.LHS) != len(l.RHS) {
		return nil, fmt.Errorf("law %s: %d outputs on the left, %d on the right", l.Name, len(l.LHS), len(l.RHS))
	}
	for i := range l.LHS {
		a, b := ty.Shape[l.LHS[i]], ty.Shape[l.RHS[i]]
		if !a.Equal(b) {
			return nil, fmt.Errorf("law %s: left side has shape %s, right side %s", l.Name, a, b)
		}
	}
	return ty, nil
}
