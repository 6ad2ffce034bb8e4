package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/law"
)

// terms builds nodes with their shapes. It brings every split to slices.
type terms struct {
	*closure
	sizes *sizes
	heads map[string]int // encoded operators and variables to numbers
	shape []shape        // of each node
	ops   []string       // of each node: its operator, or ""
	needs []conds        // of each node: exactly when its operator accepts its arguments
	// split is what splits need beyond their slices: split[at](x).0 is
	// slice[0, at](x) provided that the other part is not empty. splits is what
	// each asks for.
	split  set
	splits map[*law.Term]conds
}

func newTerms() *terms {
	return &terms{closure: newClosure(), sizes: newSizes(), heads: map[string]int{}, splits: map[*law.Term]conds{}}
}

// Kinds of heads.
const (
	headTensor   = 't'
	headFunction = 'f'
	headOperator = 'o'
)

// head is the number of an operator with its attributes and output, or of a
// variable.
func (b *terms) head(kind byte, name string, out int, attrs []value) int {
	var k strings.Builder
	k.WriteByte(kind)
	putText(&k, name)
	fmt.Fprintf(&k, "%d.%d", out, len(attrs))
	for i := range attrs {
		attrs[i].encode(&k)
	}
	n, ok := b.heads[k.String()]
	if !ok {
		n = len(b.heads)
		b.heads[k.String()] = n
	}
	return n
}

// tensor is the node of a tensor variable of the rule.
func (b *terms) tensor(name string, s shape) int {
	return b.intern(b.head(headTensor, name, 0, nil), "", nil, s, nil)
}

// build is the node of t under e; the error says why t has no shape. A term is
// looked at once, however often it is shared.
func (b *terms) build(t *law.Term, e *env) (int, error) {
	var err error
	known := func(u *law.Term) bool { _, ok := e.built[u]; return ok || err != nil }
	t.WalkNew(known, func(u *law.Term) {
		if err != nil {
			return
		}
		var id int
		if id, err = b.node(u, e); err == nil {
			e.built[u] = id
		}
	})
	return e.built[t], err
}

// node is the node of a term whose arguments have theirs.
func (b *terms) node(t *law.Term, e *env) (int, error) {
	if t.IsVar() {
		id, ok := e.tensors[t.Var]
		if !ok {
			return 0, fmt.Errorf("tensor %s is not a variable of the rule", t.Var)
		}
		return id, nil
	}
	args := make([]int, len(t.Args))
	in := make([]shape, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.built[a]
		in[i] = b.shape[args[i]]
	}
	if t.Fn != "" {
		f, ok := e.fns[t.Fn]
		if !ok || len(args) != 1 {
			return 0, fmt.Errorf("%s: %s is not a function variable of the rule", t.Brief(), t.Fn)
		}
		head := b.head(headFunction, f.name, 0, nil)
		if f.op != nil {
			head = b.head(headOperator, f.op.Name, 0, f.attrs)
		}
		return b.intern(head, "", args, in[0], nil), nil
	}
	if t.Op == nil || len(args) != t.Op.In || len(t.Attrs) != len(t.Op.Params) || t.Out < 0 || t.Out >= t.Op.Out {
		return 0, fmt.Errorf("%s: wrong number of arguments, attributes or outputs", t.Brief())
	}
	var needs conds
	a := &application{t: b.sizes, op: t.Op, out: t.Out, in: in, args: args, needs: &needs, attrs: make([]value, len(t.Attrs))}
	for i, v := range t.Attrs {
		var err error
		if a.attrs[i], err = e.value(v); err != nil {
			return 0, fmt.Errorf("%s: %w", t.Brief(), err)
		}
	}
	out, err := a.infer()
	if err == nil {
		err = out.filled()
	}
	if err == nil {
		err = real(t.Op.Name, a.attrs)
	}
	if err == nil {
		err = b.sizes.err
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.Brief(), err)
	}
	name, output, attrs := t.Op.Name, t.Out, a.attrs
	one, _, _ := a.member()
	if one == nil {
		one = a
	}
	if one.op.Name == "split" {
		at, end := one.attr("at"), sizeValue(axisSize(b.sizes, one.in[0], one.attr("axis")))
		lo, hi := sizeValue(nil), at
		if output == 1 {
			lo, hi = at, end
		}
		name, output = strings.TrimSuffix(name, "split")+"slice", 0
		attrs = append(slices.Clone(a.attrs[:len(a.attrs)-len(one.attrs)]), one.attr("axis"), lo, hi)
		var parts conds
		for _, d := range []size{at.size, end.size.minus(at.size)} {
			if err := parts.atLeast(b.sizes, d, 1); err != nil {
				return 0, fmt.Errorf("%s: %w", t.Brief(), err)
			}
		}
		b.split.add(parts...)
		b.splits[t] = parts
	}
	return b.intern(b.head(headOperator, name, output, attrs), name, args, out, needs), nil
}

func (b *terms) intern(head int, op string, args []int, s shape, needs conds) int {
	id := b.add(head, args)
	if id == len(b.shape) {
		b.shape = append(b.shape, s)
		b.ops = append(b.ops, op)
		b.needs = append(b.needs, needs)
	}
	return id
}
