package fingerprint

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// Env says what a law's variables stand for in one instance: sizes, runs and
// attributes in Binding, function variables in Fns (a name that Ring.Fn
// knows). Tensors are random.
type Env struct {
	graph.Binding
	Fns map[string]string
}

// Outcome is the result of comparing the two sides of a law on one instance.
type Outcome uint8

const (
	// Undefined: neither side is defined.
	Undefined Outcome = iota
	// Equal: both sides defined, same shapes, same values.
	Equal
	// Differs: both defined, but shapes or values differ.
	Differs
	// OneSided: only one side is defined.
	OneSided
	// NotAnInstance: the given shapes or conditions do not hold.
	NotAnInstance
)

// String names the outcome.
func (o Outcome) String() string {
	return [...]string{"undefined", "equal", "differs", "one-sided", "not an instance"}[o]
}

// Input draws the elements of an input tensor.
type Input[T any] func(name string, n int) []T

// Compare evaluates both sides of l on one instance. It is an error if the sides
// have different numbers of outputs, or a tensor's shape is not bound.
func Compare[T comparable](r interp.Ring[T], l *law.Law, env *Env, input Input[T]) (Outcome, error) {
	if len(l.LHS) != len(l.RHS) {
		return NotAnInstance, fmt.Errorf("law %s: %d outputs on the left, %d on the right", l.Name, len(l.LHS), len(l.RHS))
	}
	for _, p := range l.Where {
		if holds, ok := p.Holds(&env.Binding); !ok || !holds {
			return NotAnInstance, nil
		}
	}
	vars := map[string]interp.Tensor[T]{}
	for _, b := range l.Given {
		if b.Sort != "" {
			continue
		}
		sizes, ok := b.Shape.Subst(&env.Binding).Concrete()
		if !ok {
			return NotAnInstance, fmt.Errorf("law %s: tensor %s: shape %s is not bound", l.Name, b.Name, b.Shape)
		}
		for _, s := range sizes {
			if s < 1 {
				return NotAnInstance, nil
			}
		}
		vars[b.Name] = interp.Tensor[T]{Sizes: sizes, Data: input(b.Name, graph.NumElements(sizes))}
	}
	left, lerr := evalSide(r, l.LHS, env, vars)
	right, rerr := evalSide(r, l.RHS, env, vars)
	switch {
	case lerr != nil && rerr != nil:
		return Undefined, nil
	case lerr != nil:
		return OneSided, fmt.Errorf("left side: %w", lerr)
	case rerr != nil:
		return OneSided, fmt.Errorf("right side: %w", rerr)
	}
	out := Equal
	for i := range left {
		if !sameTensor(left[i], right[i]) {
			out = Differs
		}
		if overflown(left[i]) || overflown(right[i]) {
			return NotAnInstance, nil
		}
	}
	return out, nil
}

// overflown reports whether a rational computation left its range, in which
// case nothing can be said.
func overflown[T any](t interp.Tensor[T]) bool {
	for _, x := range t.Data {
		q, ok := any(x).(interp.Q)
		if !ok {
			return false
		}
		if q.IsBad() {
			return true
		}
	}
	return false
}

func sameTensor[T comparable](a, b interp.Tensor[T]) bool {
	if len(a.Sizes) != len(b.Sizes) {
		return false
	}
	for i := range a.Sizes {
		if a.Sizes[i] != b.Sizes[i] {
			return false
		}
	}
	for i := range a.Data {
		if a.Data[i] != b.Data[i] {
			return false
		}
	}
	return true
}

func evalSide[T any](r interp.Ring[T], ts []*law.Term, env *Env, vars map[string]interp.Tensor[T]) ([]interp.Tensor[T], error) {
	var nodes law.Nodes
	for _, t := range ts {
		nodes.Of(t)
	}
	// Arguments have smaller numbers than what they are arguments of.
	values := make([]interp.Tensor[T], len(nodes.All()))
	for k, t := range nodes.All() {
		in := make([]interp.Tensor[T], len(t.Args))
		for i, a := range t.Args {
			in[i] = values[nodes.Of(a)]
		}
		var err error
		if values[k], err = evalTerm(r, t, in, env, vars); err != nil {
			return nil, err
		}
	}
	out := make([]interp.Tensor[T], len(ts))
	for i, t := range ts {
		out[i] = values[nodes.Of(t)]
	}
	return out, nil
}

// evalTerm is the value of a term whose arguments have these.
func evalTerm[T any](r interp.Ring[T], t *law.Term, in []interp.Tensor[T], env *Env, vars map[string]interp.Tensor[T]) (interp.Tensor[T], error) {
	var v interp.Tensor[T]
	switch {
	case t.IsVar():
		v, ok := vars[t.Var]
		if !ok {
			return v, fmt.Errorf("tensor %s is not given", t.Var)
		}
		return v, nil
	case t.Fn != "":
		name, ok := env.Fns[t.Fn]
		if !ok {
			return v, fmt.Errorf("function %s is not bound", t.Fn)
		}
		v = interp.Tensor[T]{Sizes: in[0].Sizes, Data: make([]T, len(in[0].Data))}
		for i, x := range in[0].Data {
			v.Data[i] = r.Fn(name, x)
		}
		return v, nil
	}
	out, err := interp.Apply(r, t.Op, t.Attrs.Subst(&env.Binding), in)
	if err != nil {
		return v, err
	}
	return out[t.Out], nil
}
