package parallel

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// made are the layout operators that make members in a role, with the one by which the
// tensor comes of these members: its law says that the tensor comes back.
func made(r Role, on graph.Value) (begin, end func(x *law.Term) *law.Term, err error) {
	apply := func(o *graph.Op, attrs ...graph.Value) func(*law.Term) *law.Term {
		return func(x *law.Term) *law.Term { return law.Apply(o, attrs, x) }
	}
	switch axis := number(r.Axis); r.Kind {
	case Copy:
		return apply(op.Replicate, on), apply(op.Drop), nil
	case Shard:
		if r.Blocks > 0 {
			break // operators hand such parts on, none deals them out
		}
		return apply(op.Partition, axis, on), apply(op.Combine, axis), nil
	case First:
		return apply(op.Lift, on), apply(op.Drop), nil
	case Sum:
		return apply(op.Lift, on), apply(op.Reduce), nil
	}
	return nil, nil, fmt.Errorf("no members are made that are: %s", r)
}

// back is the law that a tensor of those sizes comes back of members made in a role, with
// the values of its variables.
func (s *Strategies) back(ctx context.Context, r Role, sizes []int, degree int) (*law.Law, map[string]graph.Dim, error) {
	dims := map[string]graph.Dim{degreeName: graph.Int(int64(degree))}
	g := graph.Var(degreeName)
	begin, end, err := made(r, graph.DimValue(g))
	if err != nil {
		return nil, nil, err
	}
	var shape graph.Shape
	for k, n := range sizes {
		name := fmt.Sprintf("n%d", k)
		d := graph.Var(name)
		if r.Kind == Shard && r.Axis == k {
			n /= degree
			d = g.Mul(d)
		}
		dims[name] = graph.Int(int64(n))
		shape = append(shape, graph.ShapeOf(d)...)
	}
	x := law.V(variable(0))
	l := &law.Law{Kind: law.Lemma, Name: "spread", Tags: []string{"parallel"},
		Given: []law.Declaration{{Name: x.Var, Shape: shape}}, LHS: []*law.Term{end(begin(x))}, RHS: []*law.Term{x}}
	p, err := s.proved(ctx, l, l, false)
	if err != nil {
		return nil, nil, err
	}
	if p.law == nil {
		return nil, nil, fmt.Errorf("no proof of %s", law.Format(l))
	}
	return p.law, dims, nil
}
