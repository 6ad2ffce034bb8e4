package rewrite

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Apply makes an application in a host and returns its output out: of an
// operator, or of the host's function variable fn where op is nil. It may keep
// neither attrs nor args. An error says that the operator does not fit, or that
// the host takes no more.
type Apply[T comparable] func(op *graph.Op, attrs graph.Attrs, fn string, args []T, out int) (T, error)

// Build makes the target of a match and returns what is equal to the roots, in
// their order. The error is that of apply, or says that a target has not the
// shape of its root; then the law is not to be used here. What was made before
// stays. The result is valid during the call that the match was given to.
func (m *Match[T]) Build(apply Apply[T]) ([]T, error) {
	x, d := m.m, m.Direction
	x.built = x.built[:0]
	for i := range d.Steps {
		st := &d.Steps[i]
		x.args = x.args[:0]
		for _, a := range st.Args {
			x.args = append(x.args, m.ref(a))
		}
		op, attrs, fn := st.Op, graph.Attrs(nil), ""
		if op == nil {
			f := m.Fns[st.Fn]
			op, attrs, fn = f.Op, f.Attrs, f.Name
		} else {
			var ok bool
			if attrs, ok = st.AttrsIn(m.s, x.attrs[:0]); !ok {
				return nil, fmt.Errorf("law %s: an attribute of %s is not known", d.Law.Law.Name, op.Name)
			}
			if st.static == nil {
				x.attrs = attrs
			}
		}
		t, err := apply(op, attrs, fn, x.args, st.Out)
		if err != nil {
			return nil, err
		}
		x.built = append(x.built, t)
	}
	n := len(x.built)
	for i, ref := range d.Targets {
		t := m.ref(ref)
		if have, want := x.host.Shape(t), x.host.Shape(m.Roots[i]); !have.Equal(want) {
			return nil, fmt.Errorf("law %s: the target has shape %s, what it replaces %s", d.Law.Law.Name, have, want)
		}
		x.built = append(x.built, t)
	}
	return x.built[n:], nil
}

func (m *Match[T]) ref(ref int32) T {
	if ref < 0 {
		return m.Vars[^ref]
	}
	return m.m.built[ref]
}

// AttrsIn is the step's attributes under a solution; they are appended to dst
// where variables are in them. It reports false if a variable has no value.
func (st *Step) AttrsIn(s *Solver, dst graph.Attrs) (graph.Attrs, bool) {
	if st.static != nil {
		return st.static, true
	}
	for i := range st.attrs {
		v, ok := s.known.value(&st.attrs[i])
		if !ok {
			return nil, false
		}
		dst = append(dst, v)
	}
	return dst, true
}
