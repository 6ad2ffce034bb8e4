package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Primitive is t with derived operators replaced by what they stand for: a split
// by slices. shape has the shapes of all its subterms, by pointer, as [TypeOf]
// leaves them. A term without derived operators is returned as it is.
func Primitive(t *Term, shape map[*Term]graph.Shape) (*Term, error) {
	memo := map[*Term]*Term{}
	var rec func(t *Term) (*Term, error)
	rec = func(t *Term) (*Term, error) {
		if len(t.Args) == 0 && (t.Op == nil || t.Op.Expand == nil) {
			return t, nil
		}
		if u, ok := memo[t]; ok {
			return u, nil
		}
		u := *t
		u.Args = make([]*Term, len(t.Args))
		same := true
		for i, a := range t.Args {
			x, err := rec(a)
			if err != nil {
				return nil, err
			}
			u.Args[i] = x
			same = same && x == a
		}
		out := &u
		if t.Op != nil && t.Op.Expand != nil {
			in := make([]graph.Shape, len(t.Args))
			for i, a := range t.Args {
				in[i] = shape[a]
			}
			p, n, err := t.Op.Primitive(t.Attrs, in, t.Out)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t, err)
			}
			u.Op, u.Attrs, u.Out = p.Op, p.Attrs, n
		} else if same {
			out = t
		}
		memo[t] = out
		return out, nil
	}
	return rec(t)
}

// AsSplit reads a split's output or a slice that is one as output n of the
// split s.
func AsSplit(t *Term, ty *Typing) (s *Term, n int, ok bool) {
	if t.Op == nil {
		return nil, 0, false
	}
	switch t.Op.Name {
	case "split":
		return t.Output(0), t.Out, true
	case "slice":
		axis, _ := t.Attrs[0].Dim()
		lo, _ := t.Attrs[1].Dim()
		hi, _ := t.Attrs[2].Dim()
		in := ty.Shape[t.Args[0]]
		i, err := in.Index(axis)
		split, found := graph.Lookup("split")
		if err != nil || !found {
			return nil, 0, false
		}
		zero, end := graph.Int(0), in[i].Dim
		switch {
		case lo == zero && hi != end:
			return Apply(split, graph.Attrs{t.Attrs[0], t.Attrs[2]}, t.Args[0]), 0, true
		case hi == end && lo != zero:
			return Apply(split, graph.Attrs{t.Attrs[0], t.Attrs[1]}, t.Args[0]), 1, true
		}
	}
	return nil, 0, false
}
