package instance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Instance is a program at values of the law's variables.
type Instance struct {
	*Program
	Given [][]int // sizes of the tensors given, in order
	Steps []Step  // of the nodes
}

// Step is a subterm at values of the law's variables.
type Step struct {
	Sizes []int
	// Err says why the term is not defined; Cause is the node that is at fault,
	// the term itself or one in it.
	Err   error
	Cause int
	// Mean is what an operator computes; see [Instance.Compile].
	Mean *graph.Program
	// Fn is the function, as a ring knows it, that is applied to what Mean gives,
	// or to the argument; "" if there is none.
	Fn string

	attrs   graph.Attrs
	in, out [][]int
}

// ErrSkip says of an instance that nothing is known of it: its sizes are beyond
// what is computed, or evaluating it is too much work.
var ErrSkip = errors.New("not tried")

const (
	// MaxAxis bounds an axis, so that sums of sizes are far from the end of 64
	// bits.
	MaxAxis = 1 << 40
	// maxWork bounds the arithmetic operations of one application.
	maxWork = 1 << 26
)

// InRange says whether all axes are from 1 to MaxAxis.
func InRange(sizes []int) bool {
	return !slices.ContainsFunc(sizes, func(n int) bool { return n < 1 || n > MaxAxis })
}

// TooLarge says whether a tensor has more elements than cells.
func TooLarge(sizes []int, cells int) bool {
	n := 1
	for _, s := range sizes {
		if s < 1 || s > cells {
			return true
		}
		if n *= s; n > cells {
			return true
		}
	}
	return false
}

// At infers the sizes of all subterms, of any number of elements, from those of
// the tensors given. The error is ErrSkip.
//
// An activation that v names and no operator stands for is applied to the result
// as a function of that name.
func (p *Program) At(v *Valuation, given [][]int) (*Instance, error) {
	in := &Instance{Program: p, Given: given, Steps: make([]Step, len(p.Nodes))}
	for i := range p.Nodes {
		st := &in.Steps[i]
		for _, a := range p.Nodes[i].Args {
			if s := &in.Steps[a]; s.Err != nil && st.Err == nil {
				st.Err, st.Cause = s.Err, s.Cause
			}
		}
		if st.Err != nil {
			continue
		}
		if st.Err = in.infer(&p.Nodes[i], v, st); st.Err == ErrSkip {
			return nil, ErrSkip
		}
		st.Cause = i
	}
	return in, nil
}

// infer fills in the sizes of a node whose arguments have theirs.
func (in *Instance) infer(n *Node, v *Valuation, st *Step) error {
	t := n.Term
	switch {
	case n.Input >= 0:
		st.Sizes = in.Given[n.Input]
		return nil
	case t.Fn != "":
		name, ok := v.Fns[t.Fn]
		if !ok {
			return fmt.Errorf("function %s is not bound", t.Fn)
		}
		st.Sizes, st.Fn = in.Steps[n.Args[0]].Sizes, name
		return nil
	}
	st.attrs = t.Attrs
	if !n.fixed {
		st.attrs = t.Attrs.Subst(&v.Substitution)
	}
	if n.act >= 0 {
		if name, ok := st.attrs[n.act].Name(); ok && name != "none" && !graph.IsActivation(name) {
			st.attrs, st.Fn = slices.Clone(st.attrs), name
			st.attrs[n.act] = graph.NameValue("none")
		}
	}
	st.in = make([][]int, len(n.Args))
	shapes := make([]graph.Shape, len(n.Args))
	for i, a := range n.Args {
		st.in[i] = in.Steps[a].Sizes
		shapes[i] = graph.Sizes(st.in[i]...)
	}
	var f graph.Unifier
	out, err := t.Op.InferShapes(&f, st.attrs, shapes)
	if err != nil {
		return err
	}
	if len(f.Needs) > 0 || t.Out >= len(out) {
		return ErrSkip
	}
	st.out = make([][]int, len(out))
	for i, s := range out {
		c, ok := s.Concrete()
		if !ok {
			return fmt.Errorf("operator %s: shape %s is not concrete", t.Op.Name, s)
		}
		if !InRange(c) {
			return ErrSkip
		}
		st.out[i] = c
	}
	st.Sizes = st.out[t.Out]
	return nil
}

// Undefined says why a side is not defined, 0 being the left one, and which node
// is at fault; nil if it is defined.
func (in *Instance) Undefined(side int) (cause int, err error) {
	for _, o := range in.Out[side] {
		if st := &in.Steps[o]; st.Err != nil {
			return st.Cause, st.Err
		}
	}
	return 0, nil
}

// Shapes says what the shapes tell of an instance; Equal leaves the answer to
// the values. Of sides that differ output is the first that does.
func (in *Instance) Shapes() (out Outcome, output int) {
	_, left := in.Undefined(0)
	_, right := in.Undefined(1)
	switch {
	case left != nil && right != nil:
		return Undefined, 0
	case left != nil || right != nil:
		return OneSided, 0
	}
	for k := range in.Out[0] {
		if !slices.Equal(in.Steps[in.Out[0][k]].Sizes, in.Steps[in.Out[1][k]].Sizes) {
			return Differs, k
		}
	}
	return Equal, 0
}

// Compile fills in what the operators of an instance compute whose sides are both
// defined. It fails with ErrSkip where a tensor has more elements than cells or
// an application is too much work, else as graph.Op.Program does.
func (in *Instance) Compile(cells int) error {
	// A tensor that no side reads is made, too.
	if slices.ContainsFunc(in.Given, func(sizes []int) bool { return TooLarge(sizes, cells) }) {
		return ErrSkip
	}
	for i := range in.Steps {
		st, op := &in.Steps[i], in.Nodes[i].Term.Op
		if TooLarge(st.Sizes, cells) {
			return ErrSkip
		}
		if op == nil {
			continue
		}
		if slices.ContainsFunc(st.out, func(s []int) bool { return TooLarge(s, cells) }) ||
			op.WorkOf(st.attrs, st.in, st.out).FLOPs > maxWork {
			return ErrSkip
		}
		var err error
		if st.Mean, err = op.Program(st.attrs, st.in, st.out); err != nil {
			return fmt.Errorf("operator %s: %w", op.Name, err)
		}
	}
	return nil
}

// Fast is a ring that runs whole programs by itself.
type Fast[T any] interface {
	Run(m *graph.Program, in [][]T) [][]T
}

// Run evaluates the subterms of a compiled instance, given the elements of the
// tensors given, in order.
func Run[T any](in *Instance, r interp.Ring[T], inputs [][]T) [][]T {
	run := func(m *graph.Program, args [][]T) [][]T { return interp.Run(r, m, args) }
	if f, ok := r.(Fast[T]); ok {
		run = f.Run
	}
	val := make([][]T, len(in.Steps))
	for i := range in.Steps {
		n, st := &in.Nodes[i], &in.Steps[i]
		switch {
		case n.Input >= 0:
			val[i] = inputs[n.Input]
		case st.Mean == nil:
			val[i] = val[n.Args[0]]
		default:
			args := make([][]T, len(n.Args))
			for k, a := range n.Args {
				args[k] = val[a]
			}
			val[i] = run(st.Mean, args)[n.Term.Out]
		}
		if st.Fn != "" {
			out := make([]T, len(val[i]))
			for k, x := range val[i] {
				out[k] = r.Fn(st.Fn, x)
			}
			val[i] = out
		}
	}
	return val
}

// Place is the index of an element that is at a place in row-major order.
func Place(sizes []int, flat int) []int {
	at := make([]int, len(sizes))
	for i, st := range graph.Strides(sizes) {
		at[i], flat = flat/st, flat%st
	}
	return at
}
