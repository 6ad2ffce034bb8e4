package pad

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/prove"
)

// kind is what a version is to its tensor.
type kind uint8

const (
	same  kind = iota // the tensor
	zero              // with cells of zeros
	loose             // with cells of which nothing is known
)

// Laws are those that were proved, each once: versions of operands and of the result of an
// operator. It is not for use by several goroutines.
type Laws struct {
	known  map[string]*law.Law // by what is asked; nil: not proved
	prover prove.Prover
}

// NewLaws knows none yet.
func NewLaws() *Laws {
	return &Laws{known: map[string]*law.Law{}}
}

// operand is what a law says of one.
type operand struct {
	kind  kind
	sizes []int // of the tensor
	after []int // cells; none of a tensor as it came
}

// padding is the operator that adds cells of zeros.
func padding(after []int) (*graph.Op, graph.Attrs) {
	before, behind := make([]int64, len(after)), make([]int64, len(after))
	for i, n := range after {
		behind[i] = int64(n)
	}
	return op.Pad, graph.Attrs{graph.TupleValue(before...), graph.TupleValue(behind...), graph.NumberValue(0)}
}

// cuts are the slices that take cells away, one for each axis that has some.
func cuts(sizes, after []int) (out []graph.Attrs) {
	for i, n := range after {
		if n > 0 {
			out = append(out, graph.Attrs{graph.IntValue(int64(i)), graph.IntValue(0), graph.IntValue(int64(sizes[i]))})
		}
	}
	return out
}

func cut(t *law.Term, sizes, after []int) *law.Term {
	for _, attrs := range cuts(sizes, after) {
		t = law.Apply(op.Slice, attrs, t)
	}
	return t
}

// longer are sizes with cells.
func longer(sizes, after []int) []int {
	out := slices.Clone(sizes)
	for i, n := range after {
		out[i] += n
	}
	return out
}

func variable(i int) string { return fmt.Sprintf("X%d", i) }

// of is the law that an operator applied to versions, with attributes of its own, gives a
// version of a result; nil: it is not proved.
func (s *Laws) of(ctx context.Context, o *graph.Op, whole, padded graph.Attrs, in []operand, out int, result operand) (*law.Law, error) {
	key := fmt.Sprint(o.Name, o.FormatAttrs(whole), o.FormatAttrs(padded), in, out, result)
	if l, ok := s.known[key]; ok {
		return l, nil
	}
	l := &law.Law{Kind: law.Lemma, Name: "pad", Tags: []string{"parallel"}}
	var members, wholes []*law.Term
	for i, x := range in {
		v := law.V(variable(i))
		sizes, member, as := x.sizes, v, v
		switch x.kind {
		case zero:
			member = zeros(v, x.after)
		case loose:
			sizes, as = longer(x.sizes, x.after), cut(v, x.sizes, x.after)
		}
		l.Given = append(l.Given, law.Declaration{Name: v.Var, Shape: graph.Sizes(sizes...)})
		members, wholes = append(members, member), append(wholes, as)
	}
	left, right := law.Apply(o, padded, members...).Output(out), law.Apply(o, whole, wholes...).Output(out)
	switch result.kind {
	case zero:
		right = zeros(right, result.after)
	case loose:
		left = cut(left, result.sizes, result.after)
	}
	l.LHS, l.RHS = []*law.Term{left}, []*law.Term{right}
	l, err := s.prove(ctx, l)
	if err == nil {
		s.known[key] = l
	}
	return l, err
}

// whole is the law that what a version with cells of zeros has inside is the tensor.
func (s *Laws) whole(ctx context.Context, sizes, after []int) (*law.Law, error) {
	v := law.V(variable(0))
	return s.prove(ctx, &law.Law{Kind: law.Lemma, Name: "pad", Tags: []string{"parallel"},
		Given: []law.Declaration{{Name: v.Var, Shape: graph.Sizes(sizes...)}},
		LHS:   []*law.Term{cut(zeros(v, after), sizes, after)}, RHS: []*law.Term{v}})
}

// masking is the law that a mask makes cells zeros.
func (s *Laws) masking(ctx context.Context, sizes, after []int) (*law.Law, error) {
	v := law.V(variable(0))
	x := v
	for axis, n := range after {
		if n > 0 {
			x = law.Apply(op.EWMul, nil, x, mask(sizes, after, axis))
		}
	}
	return s.prove(ctx, &law.Law{Kind: law.Lemma, Name: "pad", Tags: []string{"parallel"},
		Given: []law.Declaration{{Name: v.Var, Shape: graph.Sizes(longer(sizes, after)...)}},
		LHS:   []*law.Term{x}, RHS: []*law.Term{zeros(cut(v, sizes, after), after)}})
}

// applied is an operator with its attributes.
type applied struct {
	op    *graph.Op
	attrs graph.Attrs
}

// masks are the operators, one after the other, that make the mask of an axis: ones and then
// zeros, in the shape of the tensor.
func masks(sizes, after []int, axis int) []applied {
	all := longer(sizes, after)
	column := slices.Repeat([]int{1}, len(all))
	column[axis] = all[axis]
	shape := func(sizes ...int) graph.Attrs { return graph.Attrs{graph.ShapeValue(graph.Sizes(sizes...))} }
	o, attrs := padding(after[axis : axis+1])
	out := []applied{{op.One, shape(sizes[axis])}, {o, attrs}}
	if len(all) > 1 {
		out = append(out, applied{op.Reshape, shape(column...)}, applied{op.Broadcast, shape(all...)})
	}
	return out
}

func mask(sizes, after []int, axis int) (x *law.Term) {
	for _, a := range masks(sizes, after, axis) {
		if x == nil {
			x = law.Apply(a.op, a.attrs)
		} else {
			x = law.Apply(a.op, a.attrs, x)
		}
	}
	return x
}

// prove proves a law, which is then under its own name, or gives nil.
func (s *Laws) prove(ctx context.Context, l *law.Law) (*law.Law, error) {
	if _, err := l.Types(); err != nil {
		return nil, nil // its sides have no shape, or two
	}
	return s.prover.Lemma(ctx, "pad_", l, prove.Search)
}
