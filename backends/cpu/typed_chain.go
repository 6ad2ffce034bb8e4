package cpu

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Chains of elements that are not held as float32.

// typedBinary are the functions of two elements; those of floating-point numbers alone
// are not here.
func typedBinary[T numeric](fn string) func(x, p T) T {
	switch fn {
	case "ewadd":
		return func(x, p T) T { return x + p }
	case "ewsub":
		return func(x, p T) T { return x - p }
	case "ewmul":
		return func(x, p T) T { return x * p }
	case "ewmax":
		return func(x, p T) T { return max(x, p) }
	case "ewmin":
		return func(x, p T) T { return min(x, p) }
	}
	return nil
}

// typedStep reports whether chains of elements that are held as float64 or int64 can do
// a function. Of integers those of one element are such whose values are integers; what
// is none is found when it runs.
func typedStep(fn string, held graph.DType) bool {
	if fn == "affine" || fn == "ewdiv" {
		return held == graph.Float64
	}
	op, ok := graph.Lookup(fn)
	return typedBinary[int64](fn) != nil || fn == "neg" || ok && op.Pointwise && op.Value != nil
}

// typedUnary is a function of one element: of integers one that says what is no
// integer.
func typedUnary[T numeric](b *binder, s *lower.Step, t graph.DType) (func(T) (T, error), error) {
	whole := t.IsInt() || t == graph.Bool
	switch {
	case s.Fn == "neg":
		return func(x T) (T, error) { return -x, nil }, nil
	case s.Fn == "relu" && whole:
		return func(x T) (T, error) { return max(x, 0), nil }, nil
	case s.Fn == "abs" && whole:
		return func(x T) (T, error) {
			if x < 0 {
				return -x, nil
			}
			return x, nil
		}, nil
	}
	op, ok := graph.Lookup(s.Fn)
	if !ok || op.Value == nil {
		return nil, fmt.Errorf("function %s: there is no kernel", s.Fn)
	}
	a := b.attrs(s.Node)
	var params []float64
	for _, p := range op.Params {
		x, err := a.Real(p.Name)
		if err != nil {
			return nil, err
		}
		params = append(params, x)
	}
	f := op.Value(params)
	if !whole {
		return func(x T) (T, error) { return T(f(float64(x))), nil }, nil
	}
	return func(x T) (T, error) {
		v := float64(x)
		if !(math.Abs(v) <= exact) {
			return 0, fmt.Errorf("integer %v is beyond 2^53, and there is no kernel for integers", x)
		}
		y := f(v)
		if y != math.Trunc(y) || !(math.Abs(y) <= exact) {
			return 0, fmt.Errorf("%s of %v is %v, which is no integer that is computed exactly", s.Fn, x, y)
		}
		if y < 0 {
			return -T(-y), nil
		}
		return T(y), nil
	}, nil
}

// pass is one step of a chain over rows of n elements: to[i] of from[i] and operands.
type pass[T numeric] func(to, from []T, n, mod int) error

func bindTypedChain[T numeric](b *binder, k *lower.Kernel, s *step) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	var passes []pass[T]
	for i := range k.Tail.Steps {
		p, err := typedPass[T](b, &k.Tail.Steps[i], y.Type)
		if err != nil {
			return err
		}
		passes = append(passes, p)
	}
	n, mod := k.Tail.N, max(k.Tail.Mod, 1)
	s.run = func(ptr) error {
		from, to := elements[T](x), elements[T](y)
		if n == 0 {
			n = len(to)
		}
		for _, p := range passes {
			if err := p(to, from, n, mod); err != nil {
				return err
			}
			wrap(y.Type, to)
			from = to
		}
		return nil
	}
	return nil
}

func typedPass[T numeric](b *binder, st *lower.Step, t graph.DType) (pass[T], error) {
	p, q := b.value(st.Args[0]), b.value(st.Args[1])
	switch {
	case p == nil:
		f, err := typedUnary[T](b, st, t)
		return func(to, from []T, _, _ int) (err error) {
			for i, v := range from {
				if to[i], err = f(v); err != nil {
					return err
				}
			}
			return nil
		}, err
	case q != nil: // affine: by rows
		return func(to, from []T, n, mod int) error {
			scale, shift := all[T](p.ptr(), mod), all[T](q.ptr(), mod)
			for r := range len(to) / n {
				c, d := scale[r%mod], shift[r%mod]
				for i := r * n; i < (r+1)*n; i++ {
					to[i] = from[i]*c + d
				}
			}
			return nil
		}, nil
	}
	f := typedBinary[T](st.Fn)
	if st.Fn == "ewdiv" && t == graph.Float64 {
		f = func(x, p T) T { return x / p }
	}
	if f == nil {
		return nil, fmt.Errorf("function %s: there is no kernel", st.Fn)
	}
	if g := f; st.Reversed {
		f = func(x, p T) T { return g(p, x) }
	}
	return func(to, from []T, n, mod int) error {
		for r := range len(to) / n {
			row, x := to[r*n:][:n], from[r*n:][:n]
			switch st.Mode {
			case lower.Full, lower.Col:
				at := 0
				if st.Mode == lower.Full {
					at = r * n
				}
				for i, v := range all[T](p.ptr(), at+n)[at:] {
					row[i] = f(x[i], v)
				}
			default:
				at := 0
				if st.Mode == lower.Row {
					at = r % mod
				}
				v := all[T](p.ptr(), at+1)[at]
				for i := range row {
					row[i] = f(x[i], v)
				}
			}
		}
		return nil
	}, nil
}
