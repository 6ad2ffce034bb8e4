package parallel

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/memo"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
)

// Strategy is a way to compute an operator along one mesh axis, each device on its
// members: if the members of the operands are In, those of the results are Out.
type Strategy struct {
	In, Out []Role // by operand, by result; no halo
	// Attrs are the operator's attributes where it is applied to a member.
	Attrs graph.Attrs
	// Laws say so, one for each result: what the members computed stand for is the operator
	// applied to what the operands' members stand for. Where all are copies, the members
	// are copies of the operator applied to the tensors.
	Laws []*law.Law

	whole int                    // the operand of which the laws' variable is the tensor and not its members; -1: none
	dims  []map[string]graph.Dim // of each law: its size variables but the degree
}

// degreeName is the size variable for the number of members in laws of strategies.
const degreeName = "g"

// variable is the tensor variable for an operand in these laws.
func variable(operand int) string { return fmt.Sprintf("X%d", operand) }

// Strategies finds in which ways operators can be spread over a mesh axis. Each is a
// law that is proved from operator semantics (verify/prove), with symbols for
// sizes and the degree where attributes do not hold sizes; nothing is written down
// operator by operator. It may be used by several goroutines, and what it finds does not depend
// on what was asked before.
type Strategies struct {
	known  memo.Memo[string, []*Strategy]
	laws   memo.Memo[string, *decided] // by text
	prover prove.Prover
}

type decided struct {
	law     *law.Law // nil: not proved
	refuted bool     // it fails at small sizes
	typed   bool     // its sides have a shape
}

// NewStrategies has found nothing yet.
func NewStrategies() *Strategies { return &Strategies{} }

// Proof is that of a law of a strategy, by its name; nil: none has it.
func (s *Strategies) Proof(name string) *law.Proof { return s.prover.Proof(name) }

// rounds are in which a law is decided, the cheap one first: by how many operations it may be
// evaluated to see whether it fails, and how long a proof is looked for. Most laws are
// decided in the first.
var rounds = []struct {
	evaluated int64
	effort    prove.Effort
}{{1 << 15, prove.Glance}, {1 << 19, prove.Search}}

// Of lists the strategies of an operator at operands of the given sizes, for members of
// which there are degree along the axis: copies first, then shards in the order of the
// result's axes, then sums. Sizes along shards are multiples of the degree.
func (s *Strategies) Of(ctx context.Context, o *graph.Op, attrs graph.Attrs, sizes [][]int, degree int) ([]*Strategy, error) {
	key := fmt.Sprintf("%d %s%s %v", degree, o.Name, o.FormatAttrs(attrs), sizes)
	return s.known.Get(ctx, key, func() ([]*Strategy, error) { return s.find(ctx, o, attrs, sizes, degree) })
}

func (s *Strategies) find(ctx context.Context, o *graph.Op, attrs graph.Attrs, sizes [][]int, degree int) (out []*Strategy, err error) {
	whole, _ := resultsOf(o, attrs, sizes)
	seen := map[string]bool{}
	for _, c := range candidates(o, attrs, sizes, degree) {
		k := fmt.Sprint(c.in)
		if c.copies() {
			k += fmt.Sprint(c.axis)
		}
		if !seen[k] && !vanishes(c, out) {
			seen[k] = true
			st, err := s.decide(ctx, o, attrs, sizes, whole, degree, c)
			if err != nil {
				return nil, err
			}
			if st != nil {
				out = append(out, st)
			}
		}
	}
	return out, nil
}

// vanishes reports whether a guess has partial sums in two operands in each of which alone
// the result is additive: sums in both would make it zero.
func vanishes(c candidate, known []*Strategy) bool {
	sums := 0
	for i, r := range c.in {
		if r.Kind != Sum {
			continue
		}
		for _, st := range known {
			alone := st.In[i].Kind == Sum
			for k, other := range st.In {
				alone = alone && (k == i || other.Kind == Copy)
			}
			if alone {
				sums++
				break
			}
		}
	}
	return sums > 1
}

// candidate is a guess: what operands are, and, if it is known, the axis along which
// results are shards; -1: any.
type candidate struct {
	in   []Role
	axis int
}

// copies reports whether all operands are copies.
func (c *candidate) copies() bool {
	return !slices.ContainsFunc(c.in, func(r Role) bool { return r.Kind != Copy })
}

// candidates are guesses from which axes of operands an axis of the result is. They
// need not be right, and where an operator does not say, all are made.
func candidates(o *graph.Op, attrs graph.Attrs, sizes [][]int, degree int) (out []candidate) {
	n := len(sizes)
	copies := func() []Role { return slices.Repeat([]Role{{Kind: Copy}}, n) }
	out = append(out, candidate{copies(), -1})
	fits := func(operand, axis int) bool {
		return axis >= 0 && axis < len(sizes[operand]) && sizes[operand][axis]%degree == 0
	}
	ranks, shapes := make([]int, n), make([]graph.Shape, n)
	for i, x := range sizes {
		ranks[i], shapes[i] = len(x), graph.Sizes(x...)
	}
	var f graph.Unifier
	result, err := o.InferShapes(&f, attrs, shapes)
	if err != nil || len(result) == 0 {
		return out
	}
	used := map[graph.OperandAxis]bool{} // axes of which the result has one
	for k := range result[0] {
		axes := o.OperandAxes(attrs, ranks, k)
		if len(axes) == 0 { // each device makes a part of what has the same all along the axis
			out = append(out, candidate{copies(), k})
		}
		in, ok := copies(), len(axes) > 0
		for _, a := range axes {
			used[a] = true
			if ok = ok && a.Operand < n && fits(a.Operand, a.Axis); ok {
				in[a.Operand] = Role{Kind: Shard, Axis: a.Axis}
			}
		}
		if ok {
			out = append(out, candidate{in, k})
			if more := ofGroups(in, sizes, groups(o, attrs), degree); more != nil {
				out = append(out, candidate{more, k})
			}
		}
	}
	if len(used) == 0 && n > 0 && n <= 3 {
		out = append(out, everyShard(sizes, fits)...)
	}
	for pick := 1; pick < 1<<n; pick++ {
		in := copies()
		for i := range in {
			if pick>>i&1 != 0 {
				in[i] = Role{Kind: Sum}
			}
		}
		out = append(out, candidate{in, -1})
	}
	// An axis that the result does not have is summed over, by each device over its part.
	for i := range sizes {
		for j, size := range sizes[i] {
			if used[graph.OperandAxis{Operand: i, Axis: j}] || !fits(i, j) {
				continue
			}
			in := copies()
			in[i] = Role{Kind: Shard, Axis: j}
			out = append(out, candidate{slices.Clone(in), -1})
			for i2 := i + 1; i2 < n; i2++ {
				for j2, size2 := range sizes[i2] {
					if used[graph.OperandAxis{Operand: i2, Axis: j2}] || !fits(i2, j2) {
						continue
					}
					both := slices.Clone(in)
					both[i2] = Role{Kind: Shard, Axis: j2}
					switch groups := groups(o, attrs); { // of which each is a block where an axis is all of them
					case size == size2:
					case groups > 1 && size == groups*size2:
						both[i].Blocks = groups
					case groups > 1 && size2 == groups*size:
						both[i2].Blocks = groups
					default:
						continue
					}
					out = append(out, candidate{both, -1})
				}
			}
		}
	}
	return out
}

// everyShard guesses each choice of an axis, or none, of each operand.
func everyShard(sizes [][]int, fits func(operand, axis int) bool) (out []candidate) {
	var rec func(i int, in []Role, some bool)
	rec = func(i int, in []Role, some bool) {
		if i == len(sizes) {
			if some {
				out = append(out, candidate{slices.Clone(in), -1})
			}
			return
		}
		rec(i+1, append(in, Role{Kind: Copy}), some)
		for j := range sizes[i] {
			if fits(i, j) {
				rec(i+1, append(in, Role{Kind: Shard, Axis: j}), true)
			}
		}
	}
	rec(0, nil, false)
	return out
}

// decide proves a guess, or returns nil.
func (s *Strategies) decide(ctx context.Context, o *graph.Op, attrs graph.Attrs, sizes [][]int, whole []graph.Shape, degree int, c candidate) (*Strategy, error) {
	for _, member := range memberAttrs(o, attrs, c, degree) {
		q := &spreading{op: o, whole: attrs, member: member, in: c.in, degree: degree}
		for i, x := range sizes {
			own := slices.Clone(x)
			if r := c.in[i]; r.Kind == Shard {
				own[r.Axis] /= degree
			}
			q.sizes = append(q.sizes, own)
		}
		results, ok := resultsOf(o, member, q.sizes)
		if !ok {
			continue
		}
		st := &Strategy{In: c.in, Attrs: member, whole: q.positions()}
		if st.whole >= 0 && c.in[st.whole].Kind == Sum {
			return nil, nil // places are no sums of others
		}
		for out := range results {
			can := func(r Role) bool { return out >= len(whole) || joins(results[out], whole[out], r, degree) }
			role, l, dims, err := s.result(ctx, q, out, len(results[out]), c.axis, can)
			if err != nil {
				return nil, err
			}
			if l == nil {
				break
			}
			st.Out, st.Laws, st.dims = append(st.Out, role), append(st.Laws, l), append(st.dims, dims)
		}
		if len(st.Out) == len(results) {
			return st, nil
		}
	}
	return nil, nil
}

// result is what the members of a result are, with the law that says so; can reports whether their
// sizes are those of a role.
func (s *Strategies) result(ctx context.Context, q *spreading, out, rank, axis int, can func(Role) bool) (Role, *law.Law, map[string]graph.Dim, error) {
	var try []Role
	switch {
	case axis >= 0:
		try = []Role{{Kind: Shard, Axis: axis}}
	case !slices.ContainsFunc(q.in, func(r Role) bool { return r.Kind != Copy }):
		try = []Role{{Kind: Copy}}
	default:
		try = []Role{{Kind: Sum}}
		if slices.ContainsFunc(q.in, func(r Role) bool { return r.Kind == Shard }) {
			for k := range rank {
				try = append(try, Role{Kind: Shard, Axis: k})
			}
			try = append(try, q.blocks(out)...)
		}
	}
	for _, r := range slices.DeleteFunc(try, func(r Role) bool { return !can(r) }) {
		stated := false // in words that are more general than numbers
		for _, how := range []wording{divided, grouped, general, apart, partly, literal} {
			if how == literal && stated {
				break // numbers make a proof longer, and hardly ever possible
			}
			l, dims := q.worded(out, r, how)
			if l == nil {
				continue
			}
			like := l
			if how == grouped { // what fails with two groups does so with more
				like = q.paired(out, r, l)
			}
			p, err := s.proved(ctx, l, like, q.op.Places != nil)
			if err != nil {
				return Role{}, nil, nil, err
			}
			if p.law != nil {
				return r, p.law, dims, nil
			}
			if p.refuted {
				break
			}
			stated = stated || p.typed && how != divided
		}
	}
	return Role{}, nil, nil, nil
}

// proved decides a law, which is then under its own name. like is one that holds where it does,
// and is evaluated to see whether it fails; places: its operator reads them from a tensor.
func (s *Strategies) proved(ctx context.Context, l, like *law.Law, places bool) (*decided, error) {
	key := law.Format(l)
	if like != l {
		key += law.Format(like)
	}
	return s.laws.Get(ctx, key, func() (*decided, error) {
		d := &decided{}
		if _, err := l.Types(); err != nil {
			return d, nil
		}
		d.typed = true
		at := 0
		for _, r := range rounds {
			if d.refuted, at = refuted(like, places, r.evaluated, at); d.refuted {
				break
			}
			var err error
			if d.law, err = s.prover.Lemma(ctx, "spread_", l, r.effort); err != nil {
				return nil, err
			}
			if d.law != nil {
				break
			}
		}
		return d, nil
	})
}

// memberAttrs are the attributes that an operator may have where it is applied to members:
// its own, or a size among them divided by the degree.
func memberAttrs(o *graph.Op, attrs graph.Attrs, c candidate, degree int) []graph.Attrs {
	out := []graph.Attrs{attrs}
	if c.axis < 0 && !slices.ContainsFunc(c.in, func(r Role) bool { return r.Kind == Shard }) {
		return out
	}
	for i, p := range o.Params {
		if one, _, _ := o.Member(attrs); one != nil && i == 0 {
			continue // axes of the mesh
		}
		with := func(v graph.Value) {
			a := slices.Clone(attrs)
			a[i] = v
			out = append(out, a)
		}
		switch p.Sort {
		case "shape":
			shape, _ := attrs[i].Shape()
			for k := range shape {
				if n, ok := shape[k].Dim.Const(); ok && n%int64(degree) == 0 {
					with(graph.ShapeValue(shape.With(k, graph.Int(n/int64(degree)))))
				}
			}
		case "int":
			if d, ok := attrs[i].Dim(); ok {
				if n, ok := d.Const(); ok && n%int64(degree) == 0 {
					with(graph.IntValue(n / int64(degree)))
				}
			}
		}
	}
	return out
}
