package cpu

import (
	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// bindCast converts between element types: to an integer towards 0 and modulo 2 to the
// number of its bits, to a truth value whether it is not 0, to floating point to the
// nearest number of the type.
func bindCast(b *binder, k *lower.Kernel, s *step) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	mode := b.attrs(k.Node).Word("mode")
	s.run = func(ptr) error {
		switch x.DType {
		case graph.Float32:
			cast(y, elements[float32](x), mode)
		case graph.Float64:
			cast(y, elements[float64](x), mode)
		default:
			if x.Type == graph.Uint64 {
				cast(y, elements[uint64](x), mode)
			} else {
				cast(y, elements[int64](x), mode)
			}
		}
		return nil
	}
	return nil
}

func cast[T float32 | float64 | int64 | uint64](y *value, from []T, mode string) {
	switch to := y.Type; {
	case to == graph.Bool:
		for i, ys := 0, elements[int64](y); i < len(ys); i++ {
			if ys[i] = 0; from[i] != 0 {
				ys[i] = 1
			}
		}
	case to == graph.Uint64:
		ys := elements[uint64](y)
		for i, x := range from {
			if x < 0 { // wraps around
				ys[i] = uint64(int64(x))
			} else {
				ys[i] = uint64(x)
			}
		}
	case to.IsInt():
		ys := elements[int64](y)
		for i, x := range from {
			ys[i] = int64(x)
		}
		wrap(to, ys)
	case y.DType == graph.Float64:
		ys := elements[float64](y)
		for i, x := range from {
			ys[i] = float64(x)
		}
	case to == graph.Float32:
		ys := elements[float32](y)
		for i, x := range from {
			ys[i] = float32(x)
		}
	default:
		ys := elements[float32](y)
		if xs, ok := any(from).([]float32); ok && to.Bits() == 16 {
			copy(ys, xs)
			backends.RoundTo(to, ys)
			return
		}
		round := graph.CastValue(to, mode)
		for i, x := range from { // rounded once
			ys[i] = float32(round(float64(x)))
		}
	}
}
