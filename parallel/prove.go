package parallel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
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
	// maxEvaluated bounds the operations, and the elements, of an equation that is evaluated.
	maxEvaluated = 1 << 22
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
	if _, _, n := memberOf(q.op, q.attrs); n > 0 {
		return Role{}, nil
	}
	sp := &spreading{op: q.op, member: q.attrs, sizes: q.sizes, in: q.roles, degree: q.size}
	ranks, ok := sp.ranks()
	if !ok || q.out >= len(ranks) {
		return Role{}, nil
	}
	try := []Role{{Kind: Sum}}
	if slices.ContainsFunc(q.roles, func(r Role) bool { return r.Kind == First }) {
		try = []Role{{Kind: First}, {Kind: Sum}}
	}
	for k := range ranks[q.out] {
		try = append(try, Role{Kind: Shard, Axis: k, Level: level})
	}
	for _, attrs := range q.wholeAttrs() {
		sp.whole = attrs
		for _, r := range try {
			if ok, err := sp.holds(ctx, q.out, r); ok || err != nil {
				return r, err
			}
		}
	}
	return Role{}, nil
}

// holds decides whether the members of a result are r. At sizes at which that is quick
// both sides of the equation are evaluated on random elements of a prime field, with
// random functions for functions of one element: sides that differ agree with a
// probability of less than 2^-40. Larger ones are proved.
func (q *spreading) holds(ctx context.Context, out int, r Role) (bool, error) {
	l, _ := q.law(out, r, false)
	if l == nil {
		return false, nil
	}
	if _, err := l.Types(); err != nil {
		return false, nil // of another shape
	}
	if q.op.Places != nil || graph.Product(q.degree, q.work()) > maxEvaluated { // places are not any numbers
		for _, general := range []bool{true, false} {
			m, _ := q.law(out, r, general)
			if m == nil {
				continue // there is no law with size variables
			}
			if _, err := m.Types(); err != nil {
				continue // an attribute holds a size
			}
			if c, err := prove.Shared.Certify(ctx, m, prove.Search); c.Proved() || err != nil {
				return c.Proved(), err
			}
		}
		return false, nil
	}
	known := map[*law.Term]interp.Tensor[uint64]{}
	x, err := evaluate(l, l.LHS[0], known)
	if err != nil {
		return false, nil // not defined
	}
	y, err := evaluate(l, l.RHS[0], known)
	return err == nil && slices.Equal(x.Sizes, y.Sizes) && slices.Equal(x.Data, y.Data), nil
}

// work is the number of operations on one member, or of elements of its operands and
// results, whichever is more.
func (q *spreading) work() int {
	shapes := make([]graph.Shape, len(q.sizes))
	for i, x := range q.sizes {
		shapes[i] = graph.Sizes(x...)
	}
	var f graph.Unifier
	out, err := q.op.InferShapes(&f, q.member, shapes)
	if err != nil {
		return 0
	}
	results := make([][]int, len(out))
	elements := 0
	for i, s := range out {
		results[i], _ = s.Concrete()
		elements += graph.NumElements(results[i])
	}
	for _, x := range q.sizes {
		elements += graph.NumElements(x)
	}
	return max(elements, int(q.op.WorkOf(q.member, q.sizes, results).FLOPs))
}

// evaluate is the value of a term of a law for random values of the variables.
func evaluate(l *law.Law, t *law.Term, known map[*law.Term]interp.Tensor[uint64]) (x interp.Tensor[uint64], err error) {
	if x, ok := known[t]; ok {
		return x, nil
	}
	if t.IsVar() {
		d, _ := l.Find(t.Var)
		x.Sizes, _ = d.Shape.Concrete()
		x.Data = fingerprint.Random(1, t.Var, graph.NumElements(x.Sizes))
		known[t] = x
		return x, nil
	}
	var args []interp.Tensor[uint64]
	for _, a := range t.Args {
		y, err := evaluate(l, a, known)
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
