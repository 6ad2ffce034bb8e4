package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Weight is a tensor whose numbers are loaded when they are needed. It is
// read-only and may be shared.
type Weight struct {
	DType graph.DType
	Sizes []int // no sizes are a scalar
	// Load returns the elements, little-endian and row-major, Bytes() of them.
	// Each call gives the same numbers; the caller must not write to the slice.
	// It may be called by several goroutines at once.
	Load func() ([]byte, error)
	// Finite: no element is infinite or no number, as whoever made the weight knows;
	// without it nothing is said.
	Finite bool
	// Folded: the elements were computed when the model was read, and may be rounded; no
	// file stores them.
	Folded bool
}

// Elements is the number of elements, 1 for a scalar.
func (w *Weight) Elements() int64 { return graph.Product(w.Sizes...) }

// Bytes is the size of the loaded numbers in bytes.
func (w *Weight) Bytes() int64 { return graph.Product(int(w.Elements()), w.DType.Bytes()) }

// Read is Load with its result checked: an error names what Load returned that
// does not fit the type and sizes.
func (w *Weight) Read() ([]byte, error) {
	if w.Load == nil {
		return nil, errors.New("load weight: there is nothing to load it from")
	}
	raw, err := w.Load()
	if err != nil {
		return nil, fmt.Errorf("load weight: %w", err)
	}
	if int64(len(raw)) != w.Bytes() {
		return nil, fmt.Errorf("load weight: %s%s has %d bytes, not %d", w.DType, graph.Sizes(w.Sizes...), w.Bytes(), len(raw))
	}
	return raw, nil
}

// Constant is the number that all elements are, if they are one finite number and there are
// any; ok is false of others, and of integers.
func (w *Weight) Constant() (x float64, ok bool, err error) {
	size := w.DType.Bytes()
	if !w.DType.IsFloat() || size == 0 || w.Elements() == 0 {
		return 0, false, nil
	}
	raw, err := w.Read()
	if err != nil {
		return 0, false, err
	}
	for i := size; i < len(raw); i += size {
		if !bytes.Equal(raw[i:i+size], raw[:size]) {
			return 0, false, nil
		}
	}
	_, x = Element(w.DType, raw)
	return x, !math.IsNaN(x) && !math.IsInf(x, 0), nil
}

// Float32s loads the elements of a float32 weight into a new slice.
func (w *Weight) Float32s() ([]float32, error) {
	raw, err := w.typed(graph.Float32)
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out, nil
}

// Int64s loads the elements of an int64 weight into a new slice.
func (w *Weight) Int64s() ([]int64, error) {
	raw, err := w.typed(graph.Int64)
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(raw)/8)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return out, nil
}

func (w *Weight) typed(t graph.DType) ([]byte, error) {
	if w.DType != t {
		return nil, fmt.Errorf("load weight: it is %s, not %s", w.DType, t)
	}
	return w.Read()
}

// check says what is wrong with a weight for an input of the given type.
func (w *Weight) check(t graph.DType, sizes []int) error {
	switch {
	case w == nil:
		return errors.New("it has no numbers")
	case w.Load == nil:
		return errors.New("there is nothing to load it from")
	case w.DType != t || !slices.Equal(w.Sizes, sizes):
		return fmt.Errorf("its numbers are %s%s, the input is %s%s",
			w.DType, graph.Sizes(w.Sizes...), t, graph.Sizes(sizes...))
	}
	return nil
}

// FromFloat32 is a weight of the given sizes with these elements. It keeps
// data, which must not change afterwards. If the number of elements does not
// fit, Load says so.
func FromFloat32(sizes []int, data []float32) *Weight {
	w := &Weight{DType: graph.Float32, Sizes: slices.Clone(sizes)}
	w.Load = func() ([]byte, error) {
		if w.Elements() != int64(len(data)) {
			return nil, fmt.Errorf("sizes %v hold %d elements, not %d", w.Sizes, w.Elements(), len(data))
		}
		raw := make([]byte, 4*len(data))
		for i, x := range data {
			binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(x))
		}
		return raw, nil
	}
	return w
}

// FromInt64 is FromFloat32 for integers.
func FromInt64(sizes []int, data []int64) *Weight {
	w := &Weight{DType: graph.Int64, Sizes: slices.Clone(sizes)}
	w.Load = func() ([]byte, error) {
		if w.Elements() != int64(len(data)) {
			return nil, fmt.Errorf("sizes %v hold %d elements, not %d", w.Sizes, w.Elements(), len(data))
		}
		raw := make([]byte, 8*len(data))
		for i, x := range data {
			binary.LittleEndian.PutUint64(raw[8*i:], uint64(x))
		}
		return raw, nil
	}
	return w
}

// FromBytes is a weight that holds its numbers as Load returns them. It keeps
// raw, which must not change afterwards.
func FromBytes(t graph.DType, sizes []int, raw []byte) *Weight {
	return &Weight{DType: t, Sizes: slices.Clone(sizes), Load: func() ([]byte, error) { return raw, nil }}
}
