package backends

import (
	"math"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Narrow floating-point numbers on their way to float32 and back.

// tables are all elements of the types of one and two bytes as float32, by their bits.
var tables sync.Map // of func() []float32 by graph.DType

func table(t graph.DType) []float32 {
	f, _ := tables.LoadOrStore(t, sync.OnceValue(func() []float32 {
		all := make([]float32, 1<<(8*t.Bytes()))
		for i := range all {
			_, x := model.Element(t, []byte{byte(i), byte(i >> 8)})
			all[i] = float32(x)
		}
		return all
	}))
	return f.(func() []float32)()
}

// decode reads the elements of a tensor from as many as it has.
func (t Tensor) decode(raw []byte) {
	step := t.DType.Bytes()
	if t.F32 != nil && step <= 2 {
		all := table(t.DType)
		for i := range t.F32 {
			k := int(raw[i*step])
			if step == 2 {
				k |= int(raw[i*step+1]) << 8
			}
			t.F32[i] = all[k]
		}
		return
	}
	for i := range t.Len() {
		n, x := model.Element(t.DType, raw[i*step:])
		switch {
		case t.F32 != nil:
			t.F32[i] = float32(x)
		case t.F64 != nil:
			t.F64[i] = x
		default:
			t.I64[i] = n
		}
	}
}

// RoundTo rounds float32s, in place, to numbers of a type.
func RoundTo(t graph.DType, xs []float32) {
	switch t {
	case graph.Float32:
	case graph.Float16, graph.BFloat16:
		// Between the least normal number and the largest one the last bits are cut off,
		// rounding to even.
		cut, least, most := uint32(13), float32(0x1p-14), float32(65504)
		if t == graph.BFloat16 {
			cut, least, most = 16, 0x1p-126, 0x1.fep127
		}
		for i, x := range xs {
			if a := float32(math.Abs(float64(x))); a >= least && a <= most {
				b := math.Float32bits(x)
				b += 1<<(cut-1) - 1 + b>>cut&1
				xs[i] = math.Float32frombits(b &^ (1<<cut - 1))
			} else if a != 0 {
				xs[i] = float32(model.Round(t, float64(x)))
			}
		}
	default:
		for i, x := range xs {
			xs[i] = float32(model.Round(t, float64(x)))
		}
	}
}

// Rounding is the largest relative error of casting a number to a type of
// floating-point numbers: half the distance from 1 to the next one, all of it where
// casts round upwards. It is 0 for other types.
func Rounding(t graph.DType) float64 {
	if !t.IsFloat() {
		return 0
	}
	switch t { // casts to them count as exact
	case graph.Float32:
		return 0x1p-24
	case graph.Float64:
		return 0x1p-53
	}
	unit, round := 1.0, graph.CastValue(t, "default")
	for round(1+unit) != 1 {
		if unit /= 2; 1+unit == 1 { // no number above 1 is rounded down
			return 1
		}
	}
	return unit
}
