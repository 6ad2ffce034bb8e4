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

// Functions is a ring that looks a function up once for many elements.
type Functions[T any] interface{ FnOf(name string) func(T) T }

// Integers is a ring that can tell which integer an element is, if it is one.
type Integers[T any] interface{ Integer(x T) (int64, bool) }

// Run evaluates a program with lists on flat input tensors, one output slice per
// output of the operator.
func Run[T any](r Ring[T], m *graph.Program, in [][]T) [][]T {
	tmp := make([][]T, len(m.Steps))
	get := func(o graph.Operand) []T {
		if o >= 0 {
			return in[o]
		}
		return tmp[-1-o]
	}
	for si := range m.Steps {
		st := &m.Steps[si]
		out := make([]T, st.N)
		tmp[si] = out
		switch st.Kind {
		case graph.StepGather:
			zero, c := r.Rat(0, 1), r.Rat(st.Num, st.Den)
			for i, p := range st.A {
				switch {
				case p == -1:
					out[i] = zero
				case p == -2:
					out[i] = c
				case st.Src == nil || st.Src[i] == 0:
					out[i] = get(st.X)[p]
				case st.Src[i] == 1:
					out[i] = get(st.Y)[p]
				default:
					out[i] = get(st.More[st.Src[i]-2])[p]
				}
			}
		case graph.StepSumProd:
			x, y := get(st.X), get(st.Y)
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
		}
	}
	res := make([][]T, len(m.Outs))
	for i, o := range m.Outs {
		res[i] = tmp[o]
	}
	return res
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

// take copies elements at places given by elements. An element that is no
// integer in range yields an unknown function of it.
func take[T any](r Ring[T], st *graph.Step, x, y, out []T) {
	ints, known := r.(Integers[T])
	for i := range out {
		at := y[st.B[i]]
		if !known {
			out[i] = r.Rat(0, 1)
			for k := range int(st.Den) {
				front := r.Fn(graph.IsZero, r.Add(at, r.Rat(int64(-k), 1)))
				end := r.Fn(graph.IsZero, r.Add(at, r.Rat(st.Den-int64(k), 1)))
				out[i] = r.Add(out[i], r.Mul(r.Add(front, end), x[int(st.A[i])+int(st.Num)*k]))
			}
			continue
		}
		k, ok := ints.Integer(at)
		if k < 0 {
			k += st.Den
		}
		if !ok || k < 0 || k >= st.Den {
			out[i] = r.Fn("outside", at)
			continue
		}
		out[i] = x[int64(st.A[i])+st.Num*k]
	}
}

func scale[T any](r Ring[T], x T, st *graph.Step) T {
	if st.Num == st.Den {
		return x
	}
	return r.Mul(x, r.Rat(st.Num, st.Den))
}

// Tensor is a concrete tensor over T.
type Tensor[T any] struct {
	Sizes []int
	Data  []T // row-major
}

func (t Tensor[T]) check() error {
	for _, n := range t.Sizes {
		if n < 1 {
			return fmt.Errorf("sizes %v: %d is less than 1", t.Sizes, n)
		}
	}
	if n := graph.Product(t.Sizes...); n != int64(len(t.Data)) {
		return fmt.Errorf("sizes %v hold %d elements, not %d", t.Sizes, n, len(t.Data))
	}
	return nil
}

// maxTerms bounds the sums and comparisons of one application, and its
// elements: a meaning spells each of them out, with 32-bit indices.
const maxTerms = 1 << 28

// Apply infers shapes and evaluates one operator application. It is an error
// if a tensor's data do not fit its sizes, or if the application is too large
// to spell out (2^28 elements or operations).
func Apply[T any](r Ring[T], op *graph.Op, a graph.Attrs, in []Tensor[T]) ([]Tensor[T], error) {
	shapes := make([]graph.Shape, len(in))
	sizes := make([][]int, len(in))
	data := make([][]T, len(in))
	for i, t := range in {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("operator %s: operand %d: %w", op.Name, i, err)
		}
		shapes[i], sizes[i], data[i] = graph.Sizes(t.Sizes...), t.Sizes, t.Data
	}
	var f graph.Facts
	outShapes, err := op.InferShapes(&f, a, shapes)
	if err != nil {
		return nil, err
	}
	if len(f.Needs) > 0 {
		return nil, fmt.Errorf("operator %s: undecided for concrete shapes: %s", op.Name, graph.NeedsString(f.Needs))
	}
	outSizes := make([][]int, len(outShapes))
	for i, s := range outShapes {
		c, ok := s.Concrete()
		if !ok {
			return nil, fmt.Errorf("operator %s: output shape %s is not concrete", op.Name, s)
		}
		outSizes[i] = c
	}
	for i, s := range outSizes {
		if n := graph.Product(s...); n > maxTerms {
			return nil, fmt.Errorf("operator %s: output %d, %s, is too large to interpret", op.Name, i, outShapes[i])
		}
	}
	if n := op.WorkOf(a, sizes, outSizes).FLOPs; n > maxTerms {
		return nil, fmt.Errorf("operator %s: %d operations are too many to interpret", op.Name, n)
	}
	m, err := op.Program(a, sizes, outSizes)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op.Name, err)
	}
	res := Run(r, m, data)
	out := make([]Tensor[T], len(res))
	for i := range res {
		out[i] = Tensor[T]{Sizes: outSizes[i], Data: res[i]}
	}
	return out, nil
}
