package verifymodels

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// WeightDifference is how a weight that both models hold differs.
type WeightDifference struct {
	NameA    string `json:"a"`
	NameB    string `json:"b"`
	Sizes    []int  `json:"sizes"`
	Elements int64  `json:"elements"`
	Differ   int64  `json:"differ"` // elements that are not the same number
	// Largest is the largest magnitude of an element, in either model; Absolute is
	// the largest deviation. NaNs counts the elements that are no finite number in
	// one model and something else in the other; they have no deviation.
	Largest  float64 `json:"largest"`
	Absolute float64 `json:"absolute"`
	NaNs     int64   `json:"nans,omitempty"`
	// At is the index of the element that deviates most, the first of several; A
	// and B are its values, 0 if it is no finite number.
	At []int   `json:"at"`
	A  float64 `json:"valueA"`
	B  float64 `json:"valueB"`

	// rounded: float32 or float64 elements that differ by one rounding of them or, where one
	// of the weights is folded, by foldRoundings roundings of the largest element.
	rounded bool
	// congruent counts the elements that differ and are one number modulo the
	// prime: as 2^61 is 1 there, those that are apart by that factor.
	congruent int64
}

// foldRoundings is how many roundings of its largest element a folded weight may be off.
const foldRoundings = 16

// contents tells weights apart by type and numbers, bit for bit.
type contents struct{ of map[*model.Weight]int }

// read numbers the weights of models that some output depends on, from 0 on.
func (c *contents) read(ms ...*model.Model) error {
	c.of = map[*model.Weight]int{}
	type key struct {
		t    graph.DType
		rank int
		sum  [sha256.Size]byte
	}
	known := map[key]int{}
	for _, m := range ms {
		for _, id := range m.Graph.Inputs() {
			w := m.Weights[id]
			if _, ok := c.of[w]; ok || w == nil {
				continue
			}
			raw, err := w.Read()
			if err != nil {
				return fmt.Errorf("model %s: weight %s: %w", m.Name, m.Graph.Name(id), err)
			}
			h := sha256.New()
			for _, n := range w.Sizes {
				h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
			}
			h.Write(raw)
			k := key{t: w.DType, rank: len(w.Sizes), sum: [sha256.Size]byte(h.Sum(nil))}
			n, ok := known[k]
			if !ok {
				n = len(known)
				known[k] = n
			}
			c.of[w] = n
		}
	}
	return nil
}

// differences compares two weights of one type and size; nil if all elements are
// the same numbers (0 and -0 are).
func differences(v, w *model.Weight) (*WeightDifference, error) {
	x, err := v.Read()
	if err != nil {
		return nil, err
	}
	y, err := w.Read()
	if err != nil {
		return nil, err
	}
	d := &WeightDifference{Sizes: v.Sizes, Elements: v.Elements(), rounded: v.DType == graph.Float32 || v.DType == graph.Float64}
	next := math.Ldexp(1, -23) // by which neighbouring numbers differ at most, relatively
	if v.DType == graph.Float64 {
		next = math.Ldexp(1, -52)
	}
	step, folded := v.DType.Bytes(), v.Folded || w.Folded
	most := 0.0 // by which elements differ, relatively to themselves or to the largest
	for i := range int(d.Elements) {
		bx, by := x[i*step:(i+1)*step], y[i*step:(i+1)*step]
		a, b := decode(v.DType, bx), decode(v.DType, by)
		if finite(a) {
			d.Largest = max(d.Largest, math.Abs(a))
		}
		if finite(b) {
			d.Largest = max(d.Largest, math.Abs(b))
		}
		if bytes.Equal(bx, by) || v.DType.IsFloat() && (a == b || math.IsNaN(a) && math.IsNaN(b)) {
			continue
		}
		d.Differ++
		if apart := math.Abs(a - b); folded {
			most = max(most, apart)
		} else {
			d.rounded = d.rounded && apart <= next*max(math.Abs(a), math.Abs(b))
		}
		if x, err := (residues{}).fromFloat(a); err == nil {
			if y, err := (residues{}).fromFloat(b); err == nil && x == y && a != b {
				d.congruent++
			}
		}
		switch {
		case !finite(a) || !finite(b):
			d.NaNs++
			if d.At == nil {
				d.At = index(d.Sizes, i)
			}
		case d.At == nil || math.Abs(a-b) > d.Absolute:
			d.Absolute, d.A, d.B, d.At = math.Abs(a-b), a, b, index(d.Sizes, i)
		}
	}
	if d.Differ == 0 {
		return nil, nil
	}
	d.rounded = d.rounded && most <= foldRoundings*next*d.Largest && (d.NaNs == 0 || !folded)
	return d, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// decode is an element, rounded to float64.
func decode(t graph.DType, raw []byte) float64 {
	n, x := model.Element(t, raw)
	return x + float64(n)
}
