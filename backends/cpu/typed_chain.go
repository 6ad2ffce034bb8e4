package cpu

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Chains of elements that are not held as float32.

// typedBinary are the functions of two elements, as in binaryCodes, that there are of
// integers, too.
var typedBinary = map[string]bool{"ewadd": true, "ewsub": true, "ewmul": true, "ewmax": true, "ewmin": true}

// typedStep reports whether chains of elements that are held as float64 or int64 can do
// a function. Of integers those of one element are such whose values are integers; what
// is none is found when it runs.
func typedStep(fn string, held graph.DType) bool {
	if fn == "affine" || fn == "ewdiv" {
		return held == graph.Float64
	}
	op, ok := graph.Lookup(fn)
	return typedBinary[fn] || fn == "neg" || ok && op.Pointwise && op.Value != nil
}

// typedUnary is a function of one element: of integers one that says what is no
// integer.
func typedUnary[T numeric](b *binder, s *lower.Step, t graph.DType) (func(T) (T, error), error) {
	whole := t.IsInt() || t == graph.Bool
	switch {
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
		p, err := typedPass[T](b, &k.Tail.Steps[i], y)
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

func typedPass[T numeric](b *binder, st *lower.Step, y *value) (pass[T], error) {
	p, q := b.value(st.Args[0]), b.value(st.Args[1])
	switch {
	case p == nil && (st.Fn == "relu" || st.Fn == "neg"):
		code, with := opMax, []T{0}
		if st.Fn == "neg" {
			code, with[0] = opMul, 0
			with[0]-- // -1, also modulo 2^64
		}
		kern, typ := b.t, wideOf[T]()
		return func(to, from []T, _, _ int) error {
			kern.zip(ptr(&to[0]), ptr(&from[0]), ptr(&with[0]), len(to), true, typ, code)
			return nil
		}, nil
	case p == nil:
		f, err := typedUnary[T](b, st, y.Type)
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
	if !typedStep(st.Fn, y.DType) {
		return nil, fmt.Errorf("function %s: there is no kernel", st.Fn)
	}
	code := binaryCodes[st.Fn][0]
	if st.Reversed {
		code = binaryCodes[st.Fn][1]
	}
	kern, typ := b.t, wideOf[T]()
	return func(to, from []T, n, mod int) error {
		at := func(xs []T, i int) ptr { return ptr(&xs[i]) }
		switch st.Mode {
		case lower.Full, lower.Scalar:
			kern.zip(at(to, 0), at(from, 0), p.ptr(), len(to), st.Mode == lower.Scalar, typ, code)
		case lower.Col:
			for i := 0; i < len(to); i += n {
				kern.zip(at(to, i), at(from, i), p.ptr(), n, false, typ, code)
			}
		default:
			for i := 0; i < len(to); i += n {
				kern.zip(at(to, i), at(from, i), bytesPtr(p.ptr(), 8*(i/n%mod)), n, true, typ, code)
			}
		}
		return nil
	}, nil
}
