package interp

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Ring is arithmetic on elements of type T.
type Ring[T any] interface {
	// Rat is num/den; den is positive.
	Rat(num, den int64) T
	Add(a, b T) T
	Mul(a, b T) T
	// Max is the largest of a non-empty list.
	Max(xs []T) T
	// Fn applies a pointwise function by name, such as "relu", or
	// "leakyrelu(0.01)" where it has parameters ([graph.FuncText]).
	Fn(name string, x T) T
}

// Rounding is a ring whose arithmetic rounds, such as floating point: it takes
// steps that keep numbers in range ([graph.StepShift]).
type Rounding interface{ Rounds() bool }

// Scales is a ring that multiplies by a fraction with one rounding less.
type Scales[T any] interface{ Scale(x T, num, den int64) T }

// Functions is a ring that looks a function up once for many elements.
type Functions[T any] interface{ FnOf(name string) func(T) T }

// Direct is a ring that has functions of several numbers; nil for those that it has not.
type Direct[T any] interface {
	DirectOf(f *graph.Several) func(args []T) T
}

// Extended is a ring with elements that are no real numbers. DirectAt is a function of
// several elements, of which expr is what is said of it for real ones.
type Extended[T any] interface {
	DirectAt(f *graph.Several, expr T, args []T) T
}

// Run evaluates a program with lists on flat input tensors, one output slice per
// output of the operator.
func Run[T any](r Ring[T], p *graph.Program, in [][]T) [][]T {
	out, _ := run(r, p, in, func(st *graph.Step, get func(graph.Operand) []T, out []T) error {
		step(r, st, get, out)
		return nil
	})
	return out
}

func run[T any](r Ring[T], p *graph.Program, in [][]T, step func(st *graph.Step, get func(graph.Operand) []T, out []T) error) ([][]T, error) {
	tmp := make([][]T, len(p.Steps))
	get := func(o graph.Operand) []T {
		if o >= 0 {
			return in[o]
		}
		return tmp[-1-o]
	}
	for i := range p.Steps {
		tmp[i] = make([]T, p.Steps[i].N)
		if err := step(&p.Steps[i], get, tmp[i]); err != nil {
			return nil, err
		}
	}
	res := make([][]T, len(p.Outs))
	for i, o := range p.Outs {
		res[i] = tmp[o]
	}
	return res, nil
}

// step evaluates one step.
func step[T any](r Ring[T], st *graph.Step, get func(graph.Operand) []T, out []T) {
	switch st.Kind {
	case graph.StepGather:
		gather(r, st, get, out)
	case graph.StepSumProd:
		x, y := get(st.X), get(st.Y)
		if s, ok := r.(Sums[T]); ok {
			for i := range out {
				lo, hi := st.Start[i], st.Start[i+1]
				out[i] = scale(r, s.SumProd(x, y, st.A[lo:hi], st.B[lo:hi]), st)
			}
			break
		}
		for i := range out {
			sum := r.Rat(0, 1)
			for j := st.Start[i]; j < st.Start[i+1]; j++ {
				sum = r.Add(sum, r.Mul(x[st.A[j]], y[st.B[j]]))
			}
			out[i] = scale(r, sum, st)
		}
	case graph.StepSum:
		x := get(st.X)
		for i := range out {
			sum := r.Rat(0, 1)
			for _, p := range st.A[st.Start[i]:st.Start[i+1]] {
				sum = r.Add(sum, x[p])
			}
			out[i] = scale(r, sum, st)
		}
	case graph.StepMax:
		largest(r, st, get(st.X), out)
	case graph.StepAdd:
		x, y := get(st.X), get(st.Y)
		for i := range out {
			out[i] = r.Add(x[i], y[i])
		}
	case graph.StepMul:
		x, y := get(st.X), get(st.Y)
		for i := range out {
			out[i] = r.Mul(x[i], y[i])
		}
	case graph.StepScale:
		x, y := get(st.X), get(st.Y)
		for i := range out {
			out[i] = r.Mul(x[i], y[0])
		}
	case graph.StepMap:
		x, fn := get(st.X), func(x T) T { return r.Fn(st.Fn, x) }
		if fs, ok := r.(Functions[T]); ok {
			fn = fs.FnOf(st.Fn)
		}
		for i := range out {
			out[i] = fn(x[i])
		}
	case graph.StepConst:
		for i := range out {
			out[i] = Const(r, st, i)
		}
	case graph.StepShift:
		if f, ok := r.(Rounding); ok && f.Rounds() {
			largest(r, st, get(st.X), out)
			break
		}
		for i := range out {
			out[i] = r.Rat(0, 1)
		}
	case graph.StepTake:
		take(r, st, get(st.X), get(st.Y), out)
	case graph.StepDirect:
		direct(r, st, get, out)
	}
}

// direct is a function of several numbers, if the ring has it, and else what is said of it.
func direct[T any](r Ring[T], st *graph.Step, get func(graph.Operand) []T, out []T) {
	var f func(args []T) T
	if d, ok := r.(Direct[T]); ok {
		f = d.DirectOf(st.Direct)
	}
	ext, extends := r.(Extended[T])
	if f == nil && !extends {
		copy(out, get(st.X))
		return
	}
	xs := make([][]T, len(st.More))
	for i, o := range st.More {
		xs[i] = get(o)
	}
	args := make([]T, len(xs))
	for i := range out {
		for k, x := range xs {
			args[k] = x[i]
		}
		if f != nil {
			out[i] = f(args)
		} else {
			out[i] = ext.DirectAt(st.Direct, get(st.X)[i], args)
		}
	}
}

func gather[T any](r Ring[T], st *graph.Step, get func(graph.Operand) []T, out []T) {
	zero, c := r.Rat(0, 1), r.Rat(st.Num, st.Den)
	var x []T
	for _, p := range st.A {
		if p >= 0 {
			x = get(st.X)
			break
		}
	}
	for i, p := range st.A {
		switch {
		case p == -1:
			out[i] = zero
		case p == -2:
			out[i] = c
		case st.Src == nil || st.Src[i] == 0:
			out[i] = x[p]
		case st.Src[i] == 1:
			out[i] = get(st.Y)[p]
		default:
			out[i] = get(st.More[st.Src[i]-2])[p]
		}
	}
}

// Const is element i of a step of constants.
func Const[T any](r Ring[T], st *graph.Step, i int) T {
	if st.D != nil {
		return r.Rat(st.C[i], st.D[i])
	}
	return r.Rat(st.C[i], st.Den)
}

func largest[T any](r Ring[T], st *graph.Step, x, out []T) {
	var window []T
	for i := range out {
		window = window[:0]
		for _, p := range st.A[st.Start[i]:st.Start[i+1]] {
			window = append(window, x[p])
		}
		out[i] = r.Max(window)
	}
}

func scale[T any](r Ring[T], x T, st *graph.Step) T {
	if st.Num == st.Den {
		return x
	}
	if s, ok := r.(Scales[T]); ok {
		return s.Scale(x, st.Num, st.Den)
	}
	return r.Mul(x, r.Rat(st.Num, st.Den))
}

// maxListed is the work up to which sums of products are evaluated from lists by
// a ring that has Dot.
const maxListed = 1 << 14

// apply evaluates an operator on tensors whose shapes are known to fit.
func apply[T any](r Ring[T], op *graph.Op, a graph.Attrs, in, out [][]int, data [][]T) ([][]T, error) {
	work := op.WorkOf(a, in, out).FLOPs
	d, fast := r.(Dots[T])
	if !fast || work <= maxListed {
		if work > maxTerms {
			return nil, fmt.Errorf("%d operations are too many to interpret", work)
		}
		p, err := op.Program(a, in, out)
		if err != nil {
			return nil, err
		}
		return Run(r, p, data), nil
	}
	p, err := op.Loops(a, in, out)
	if err != nil {
		return nil, err
	}
	return runLoops(r, d, p, data)
}

// runLoops evaluates a program in which sums of products have no lists.
func runLoops[T any](r Ring[T], d Dots[T], p *graph.Program, in [][]T) ([][]T, error) {
	return run(r, p, in, func(st *graph.Step, get func(graph.Operand) []T, out []T) error {
		if st.Kind == graph.StepSumProd && st.Over != nil {
			fs, err := st.Factors()
			if err == nil {
				dots(r, d, st, fs, get(st.X), get(st.Y), out)
			}
			return err
		}
		if err := st.List(); err != nil {
			return err
		}
		step(r, st, get, out)
		return nil
	})
}

// Tensor is a concrete tensor over T.
type Tensor[T any] struct {
	Sizes []int
	Data  []T // row-major
}

func (t Tensor[T]) check() error {
	for _, n := range t.Sizes {
		if n < 0 {
			return fmt.Errorf("sizes %v: %d is less than 0", t.Sizes, n)
		}
	}
	if n := graph.Product(t.Sizes...); n != int64(len(t.Data)) {
		return fmt.Errorf("sizes %v hold %d elements, not %d", t.Sizes, n, len(t.Data))
	}
	return nil
}

// maxTerms bounds the sums and comparisons of one application, and its
// elements: lists spell each of them out, with 32-bit indices.
const maxTerms = 1 << 28

// Apply infers shapes and evaluates one operator application. It is an error
// if a tensor's data do not fit its sizes, or if the application is too large
// to spell out (2^28 elements or operations).
func Apply[T any](r Ring[T], op *graph.Op, a graph.Attrs, in []Tensor[T]) ([]Tensor[T], error) {
	sizes := make([][]int, len(in))
	data := make([][]T, len(in))
	for i, t := range in {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("operator %s: operand %d: %w", op.Name, i, err)
		}
		sizes[i], data[i] = t.Sizes, t.Data
	}
	outSizes, err := graph.InferSizes(op, a, sizes)
	if err != nil {
		return nil, err
	}
	for i, s := range outSizes {
		if n := graph.Product(s...); n > maxTerms {
			return nil, fmt.Errorf("operator %s: output %d of shape %v has %d elements, at most %d are interpreted", op.Name, i, s, n, int64(maxTerms))
		}
	}
	res, err := apply(r, op, a, sizes, outSizes, data)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op.Name, err)
	}
	out := make([]Tensor[T], len(res))
	for i := range res {
		out[i] = Tensor[T]{Sizes: outSizes[i], Data: res[i]}
	}
	return out, nil
}
