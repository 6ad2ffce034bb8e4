package parallel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// question asks what the members of an operator's result are, given what those of its
// operands are.
type question struct {
	op    *graph.Op
	attrs graph.Attrs
	out   int
	size  int // of the mesh axis
	roles []Role
	sizes [][]int // of the operands' members
	// uniform are operands all elements of which are one constant: copies of it are parts of
	// a larger one too.
	uniform []bool
}

func (q question) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s.%d %d", q.op.Name, q.op.FormatAttrs(q.attrs), q.out, q.size)
	for i := range q.roles {
		fmt.Fprintf(&b, " %v%v", q.roles[i], q.roles[i].Level)
		fmt.Fprintf(&b, "%v%t", q.sizes[i], q.uniform[i])
	}
	return b.String()
}

// prover answers questions, each once.
type prover struct {
	known    map[string]Role
	constant map[graph.Tensor][]uint64 // members of what depends on no input
}

// field is the arithmetic in which equations are evaluated.
var field interp.Ring[uint64] = fingerprint.Zp{Key: 1}

const (
	// maxEvaluated bounds the operations of an equation that is evaluated.
	maxEvaluated = 1 << 22
	// maxWork bounds the search for one proof, see [sums.CertifyWithin].
	maxWork = 2000
	// small is the largest size that may be that of a window or a number of groups.
	small = 8
)

func (pr *prover) role(ctx context.Context, q question) (Role, error) {
	if !slices.ContainsFunc(q.roles, func(r Role) bool { return r.Kind != Copy }) {
		return Role{Kind: Copy}, nil // the same is computed of the same
	}
	key := q.key()
	if r, ok := pr.known[key]; ok {
		return r, nil
	}
	r, err := q.decide(ctx)
	if other, ok := q.asShards(); ok && err == nil && r.Kind == Unknown {
		r, err = other.decide(ctx)
	}
	if err == nil {
		pr.known[key] = r
	}
	return r, err
}

// asShards is the question with uniform copies taken for shards, as another operand's are.
func (q question) asShards() (question, bool) {
	i := slices.IndexFunc(q.roles, func(r Role) bool { return r.Kind == Shard && r.Before+r.After == 0 })
	if i < 0 {
		return q, false
	}
	some := false
	roles := slices.Clone(q.roles)
	for k := range roles {
		if q.uniform[k] && roles[k].Kind == Copy && q.roles[i].Axis < len(q.sizes[k]) {
			roles[k], some = q.roles[i], true
		}
	}
	q.roles = roles
	return q, some
}

// decide finds a role for which the equation between members and wholes holds.
func (q question) decide(ctx context.Context) (Role, error) {
	level, leveled := 0, false
	for _, r := range q.roles {
		if r.Kind == Shard {
			if leveled && r.Level != level {
				return Role{}, nil // in different orders
			}
			level, leveled = r.Level, true
		}
	}
	e, ok := q.sides()
	if !ok {
		return Role{}, nil
	}
	try := []Role{{Kind: Sum}}
	if slices.ContainsFunc(q.roles, func(r Role) bool { return r.Kind == First }) {
		try = []Role{{Kind: First}, {Kind: Sum}}
	}
	for k := range e.rank {
		try = append(try, Role{Kind: Shard, Axis: k, Level: level})
	}
	for _, attrs := range q.wholeAttrs() {
		whole := law.Apply(q.op, attrs, e.wholes...).Output(q.out)
		for _, r := range try {
			left, right := e.family, whole
			switch r.Kind {
			case First:
				right = law.Apply(op.Lift, graph.Attrs{number(q.size)}, whole)
			case Sum:
				left = law.Apply(op.Reduce, nil, e.family)
			case Shard:
				left = law.Apply(op.Combine, graph.Attrs{number(r.Axis)}, e.family)
			}
			if ok, err := e.hold(ctx, left, right); ok || err != nil {
				return r, err
			}
		}
	}
	return Role{}, nil
}

// equation is what the sides of an equation between members and wholes are made of.
type equation struct {
	given  []law.Declaration
	family *law.Term   // the operator applied to each member
	wholes []*law.Term // what the members of the operands stand for
	rank   int         // of a member of the result
	flops  int64       // of all members together
	places bool        // an operand holds places, which are not any numbers
}

// sides: variables are families whose members are shards or sums, and tensors of which
// the members are copies. false: the operator has no such equation.
func (q question) sides() (*equation, bool) {
	o, attrs := q.op.Each(), q.attrs
	if o != q.op {
		attrs = append(graph.Attrs{graph.ShapeValue(graph.Sizes(q.size))}, attrs...)
	} else if _, _, n := memberOf(q.op, q.attrs); n > 0 {
		return nil, false
	}
	e := &equation{places: q.op.Places != nil}
	own := make([]graph.Shape, len(q.sizes))
	var members []*law.Term
	for i, r := range q.roles {
		own[i] = graph.Sizes(q.sizes[i]...)
		shape, v := own[i], law.V(fmt.Sprintf("X%d", i))
		member, whole := v, v
		switch r.Kind {
		case Copy:
			member = law.Apply(op.Replicate, graph.Attrs{number(q.size)}, v)
		case First:
			member = law.Apply(op.Lift, graph.Attrs{number(q.size)}, v)
		case Sum:
			whole = law.Apply(op.Reduce, nil, v)
		case Shard:
			if r.Before+r.After > 0 {
				shape = shape.With(r.Axis, graph.Int(int64(q.sizes[i][r.Axis]-r.Before-r.After)))
				member = law.Apply(op.Halo, graph.Attrs{number(r.Axis), number(r.Before), number(r.After)}, v)
			}
			whole = law.Apply(op.Combine, graph.Attrs{number(r.Axis)}, v)
		}
		if r.Kind == Sum || r.Kind == Shard {
			shape = append(graph.Sizes(q.size), shape...)
		}
		e.given = append(e.given, law.Declaration{Name: v.Var, Shape: shape})
		members, e.wholes = append(members, member), append(e.wholes, whole)
	}
	e.family = law.Apply(o, attrs, members...).Output(q.out)
	var f graph.Unifier
	out, err := q.op.InferShapes(&f, q.attrs, own)
	if err != nil || q.out >= len(out) {
		return nil, false
	}
	e.rank = len(out[q.out])
	results := make([][]int, len(out))
	for i, s := range out {
		results[i], _ = s.Concrete()
	}
	e.flops = graph.Product(q.size, int(q.op.WorkOf(q.attrs, q.sizes, results).FLOPs))
	return e, true
}

// hold decides an equation. At sizes at which that is quick both sides are evaluated on
// random elements of a prime field, with random functions for functions of one element:
// sides that differ agree with a probability of less than 2^-40. Larger ones are proved.
func (e *equation) hold(ctx context.Context, left, right *law.Term) (bool, error) {
	l := &law.Law{Kind: law.Rule, Name: "role", Given: e.given, LHS: []*law.Term{left}, RHS: []*law.Term{right}}
	if _, err := l.Types(); err != nil {
		return false, nil // of another shape
	}
	if e.flops > maxEvaluated || e.places {
		return prove(ctx, l)
	}
	known := map[*law.Term]interp.Tensor[uint64]{}
	x, err := e.evaluate(left, known)
	if err != nil {
		return false, nil // not defined
	}
	y, err := e.evaluate(right, known)
	return err == nil && slices.Equal(x.Sizes, y.Sizes) && slices.Equal(x.Data, y.Data), nil
}

// prove looks for a proof of a law, for all sizes in place of the large ones if it can be
// stated so.
func prove(ctx context.Context, l *law.Law) (bool, error) {
	general := *l
	general.Given = slices.Clone(l.Given)
	for i, d := range l.Given {
		d.Shape = d.Shape.Clone()
		for k, it := range d.Shape {
			if n, ok := it.Dim.Const(); ok && n > small {
				d.Shape[k].Dim = graph.Var(fmt.Sprintf("n%d", n))
			}
		}
		general.Given[i] = d
	}
	for _, m := range []*law.Law{&general, l} {
		if _, err := m.Types(); err != nil {
			continue // an attribute holds a size
		}
		if proof, err := sums.CertifyWithin(ctx, m, maxWork); proof != nil || err != nil {
			return proof != nil, err
		}
	}
	return false, nil
}

// evaluate is the value of a term for random values of the variables.
func (e *equation) evaluate(t *law.Term, known map[*law.Term]interp.Tensor[uint64]) (x interp.Tensor[uint64], err error) {
	if x, ok := known[t]; ok {
		return x, nil
	}
	if t.IsVar() {
		i := slices.IndexFunc(e.given, func(d law.Declaration) bool { return d.Name == t.Var })
		x.Sizes, _ = e.given[i].Shape.Concrete()
		x.Data = fingerprint.Random(1, t.Var, graph.NumElements(x.Sizes))
		known[t] = x
		return x, nil
	}
	var args []interp.Tensor[uint64]
	for _, a := range t.Args {
		y, err := e.evaluate(a, known)
		if err != nil {
			return x, err
		}
		args = append(args, y)
	}
	out, err := interp.Apply(field, t.Op, t.Attrs, args)
	if err != nil {
		return x, err
	}
	known[t] = out[t.Out]
	return out[t.Out], nil
}

func number(n int) graph.Value { return graph.IntValue(int64(n)) }

// wholeAttrs are the attributes that the operator may have where it is applied to the
// wholes: those for a member, or with a size that is larger by the number of members, or
// with the places of neighbours as a padding.
func (q question) wholeAttrs() (out []graph.Attrs) {
	with := func(i int, v graph.Value) {
		a := slices.Clone(q.attrs)
		a[i] = v
		out = append(out, a)
	}
	halo := func(r Role) bool { return r.Kind == Shard && r.Before+r.After > 0 }
	if i := slices.IndexFunc(q.roles, halo); i >= 0 {
		r, rank := q.roles[i], len(q.sizes[i])
		for k, p := range q.op.Params {
			if p.Sort != graph.SortPadding || r.Axis < rank-2 {
				continue
			}
			pads := []int64{0, 0, 0, 0}
			if t, ok := q.attrs[k].Tuple(); ok && len(t) == 4 {
				pads = slices.Clone(t)
			} else if name, _ := q.attrs[k].Name(); name != "valid" {
				continue // which pads it stands for depends on sizes
			}
			side := r.Axis - (rank - 2)
			if pads[side] == 0 && pads[side+2] == 0 {
				pads[side], pads[side+2] = int64(r.Before), int64(r.After)
				with(k, graph.TupleValue(pads...))
			}
		}
		return out
	}
	out = append(out, q.attrs)
	for i, p := range q.op.Params {
		switch p.Sort {
		case "shape":
			s, _ := q.attrs[i].Shape()
			for k := range s {
				if s[k].AxisRun == "" {
					with(i, graph.ShapeValue(s.With(k, s[k].Dim.Mul(graph.Int(int64(q.size))))))
				}
			}
		case "int":
			if d, ok := q.attrs[i].Dim(); ok {
				with(i, graph.DimValue(d.Mul(graph.Int(int64(q.size)))))
			}
		}
	}
	return out
}
