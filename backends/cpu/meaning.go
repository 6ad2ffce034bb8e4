package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/lower"
)

// bindMeaning runs an operator that has no kernel of its own by its definition, in
// float64, and rounds what comes out: right for every operator, and slow. Operators
// without operands are run so, too.
func bindMeaning(b *binder, k *lower.Kernel, s *step) error {
	a, in, out := b.attrs(k.Node), b.values(k.In), b.values(k.Out)
	whole := len(in) > 0 && !a.Op.Rearranges // all of integers: computed exactly
	var from, to []graph.DType
	for i, v := range in {
		if from = append(from, v.Type); !v.Dense() {
			return fmt.Errorf("operand %d is not dense", i)
		}
		whole = whole && v.DType == graph.Int64
	}
	for _, v := range out {
		to = append(to, v.Type)
		whole = whole && v.Type.IsInt()
	}
	s.run = func(ptr) error {
		args := make([]interp.Tensor[float64], len(in))
		for i, v := range in {
			xs, err := v.float64s()
			if err != nil {
				return fmt.Errorf("operand %d: %w", i, err)
			}
			args[i] = interp.Tensor[float64]{Sizes: v.Sizes, Data: xs}
		}
		apply := func() ([]interp.Tensor[float64], error) { return interp.Apply(interp.Float{}, a.Op, a.Values, args) }
		if whole {
			apply = func() ([]interp.Tensor[float64], error) {
				return interp.Float{}.ApplyInts(a.Op, a.Values, args, from, to)
			}
		}
		res, err := apply()
		if err != nil {
			return err
		}
		for i, v := range out {
			if err := v.put(res[i].Data); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// float64s are the elements of a dense value. An integer that is no float64 is an
// error: it would be computed with as another one.
func (v *value) float64s() ([]float64, error) {
	out := make([]float64, v.Elements())
	switch v.DType {
	case graph.Int64:
		for i, x := range elements[int64](v) {
			if out[i] = float64(x); x > exact || x < -exact {
				return nil, fmt.Errorf("integer %d is beyond 2^53, and there is no kernel for integers", x)
			}
		}
	case graph.Float64:
		copy(out, elements[float64](v))
	default:
		for i, x := range elements[float32](v) {
			out[i] = float64(x)
		}
	}
	return out, nil
}

// exact is the number up to which all integers are float64s.
const exact = 1 << 53

// put writes the elements of a dense value, rounded to what holds its type, or wrapped to
// its type.
func (v *value) put(xs []float64) error {
	switch v.DType {
	case graph.Float32:
		to := elements[float32](v)
		for i, x := range xs {
			to[i] = float32(x)
		}
	case graph.Float64:
		copy(elements[float64](v), xs)
	case graph.Int64:
		to := elements[int64](v)
		for i, x := range xs {
			if !(x >= -exact && x <= exact) {
				return fmt.Errorf("%v is no integer that is computed exactly", x)
			}
			to[i] = int64(x)
		}
		wrap(v.Type, to)
	default:
		return fmt.Errorf("elements of type %s", v.DType)
	}
	return nil
}
