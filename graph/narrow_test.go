package graph_test

import (
	"math"
	"sort"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// code is a number with its code.
type code struct {
	bits uint16
	x    float64
}

// layout is how the documents of ONNX, of the OCP and of IEEE 754 say what codes mean.
type layout struct {
	sign, exp, frac, bias int
	inf                   []uint16 // without sign
	nan                   func(bits uint16) bool
}

var layouts = map[graph.DType]layout{
	graph.Float16:        {1, 5, 10, 15, []uint16{0x7c00}, func(b uint16) bool { return b&0x7fff > 0x7c00 }},
	graph.BFloat16:       {1, 8, 7, 127, []uint16{0x7f80}, func(b uint16) bool { return b&0x7fff > 0x7f80 }},
	graph.Float8E4M3FN:   {1, 4, 3, 7, nil, func(b uint16) bool { return b&0x7f == 0x7f }},
	graph.Float8E4M3FNUZ: {1, 4, 3, 8, nil, func(b uint16) bool { return b == 0x80 }},
	graph.Float8E5M2:     {1, 5, 2, 15, []uint16{0x7c}, func(b uint16) bool { return b&0x7f > 0x7c }},
	graph.Float8E5M2FNUZ: {1, 5, 2, 16, nil, func(b uint16) bool { return b == 0x80 }},
	graph.Float4E2M1:     {1, 2, 1, 1, nil, func(uint16) bool { return false }},
}

// number is the value of a code, bit by bit.
func (l layout) number(bits uint16) float64 {
	at := func(i int) float64 { return float64(bits >> i & 1) }
	if l.nan(bits) {
		return math.NaN()
	}
	sign := 1 - 2*at(l.exp+l.frac)
	for _, b := range l.inf {
		if bits&(1<<(l.exp+l.frac)-1) == b {
			return math.Inf(int(sign))
		}
	}
	exp, frac := 0.0, 0.0
	for i := range l.exp {
		exp += at(l.frac+i) * math.Pow(2, float64(i))
	}
	for i := range l.frac {
		frac += at(i) * math.Pow(2, float64(i-l.frac))
	}
	if exp == 0 {
		return sign * frac * math.Pow(2, float64(1-l.bias))
	}
	return sign * (1 + frac) * math.Pow(2, exp-float64(l.bias))
}

// TestDecode: every code is the number that the documents say.
func TestDecode(t *testing.T) {
	same := func(x, y float64) bool {
		return math.IsNaN(x) && math.IsNaN(y) || x == y && math.Signbit(x) == math.Signbit(y)
	}
	for d, l := range layouts {
		for b := range 1 << d.Bits() {
			if got, want := graph.Decode(d, uint16(b)), l.number(uint16(b)); !same(got, want) {
				t.Errorf("%s: code %x is %v, want %v", d, b, got, want)
			}
		}
	}
	for b := range 256 {
		want := math.Pow(2, float64(b-127))
		if b == 255 {
			want = math.NaN()
		}
		if got := graph.Decode(graph.Float8E8M0, uint16(b)); !same(got, want) {
			t.Errorf("float8e8m0: code %x is %v, want %v", b, got, want)
		}
	}
	for d, most := range map[graph.DType]float64{graph.Float16: 65504, graph.Float8E4M3FN: 448, graph.Float8E4M3FNUZ: 240, graph.Float8E5M2: 57344, graph.Float8E5M2FNUZ: 57344, graph.Float4E2M1: 6} {
		if got := graph.CastValue(d, "default")(most); got != most {
			t.Errorf("%s: its largest number %v is %v", d, most, got)
		}
	}
}

// finite are the numbers of a type from 0 on, in order, and what would be the next one.
func (l layout) finite(d graph.DType) (all []code, beyond float64) {
	for b := range uint16(1) << (d.Bits() - l.sign) {
		if x := l.number(b); !math.IsNaN(x) && !math.IsInf(x, 0) {
			all = append(all, code{b, x})
		}
	}
	last := all[len(all)-1].x
	_, exp := math.Frexp(last)
	return all, last + math.Ldexp(1, exp-1-l.frac)
}

// nearest is the nearest of the numbers of a type, the even one of two; over tells that it
// is what would be behind the largest.
func nearest(all []code, beyond, x float64) (c code, over bool) {
	i := sort.Search(len(all), func(i int) bool { return all[i].x >= x })
	up := code{all[len(all)-1].bits + 1, beyond}
	if x > beyond {
		return up, true
	}
	if i < len(all) {
		up = all[i]
	}
	if i > 0 {
		if down := all[i-1]; x-down.x < up.x-x || x-down.x == up.x-x && down.bits&1 == 0 {
			return down, false
		}
	}
	return up, up.x == beyond
}

// edges are numbers at which rounding changes: those of a type, the middles of neighbours,
// and what is just beside.
func edges(all []code, beyond float64) (xs []float64) {
	for i, c := range all {
		next := beyond
		if i+1 < len(all) {
			next = all[i+1].x
		}
		mid := (c.x + next) / 2
		for _, x := range []float64{c.x, mid, next} {
			xs = append(xs, x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)))
		}
	}
	return append(xs, beyond*1.5, 1e300, math.Inf(1), math.SmallestNonzeroFloat64, 0)
}

// TestEncode: all numbers that a type has, all middles between two of them, and what is
// beside these are rounded to the nearest, the even one of two; beyond the largest number
// is what each type has there.
func TestEncode(t *testing.T) {
	for d, l := range layouts {
		all, beyond := l.finite(d)
		checkRounding(t, d, l, all, beyond, edges(all, beyond))
	}
}

func checkRounding(t *testing.T, d graph.DType, l layout, all []code, beyond float64, xs []float64) {
	t.Helper()
	for _, a := range xs {
		for _, x := range []float64{a, -a} {
			c, over := nearest(all, beyond, a)
			plain, saturated := math.Copysign(c.x, x), math.Copysign(c.x, x)
			if over {
				plain, saturated = math.NaN(), math.Copysign(all[len(all)-1].x, x)
				if len(l.inf) > 0 {
					plain = math.Copysign(math.Inf(1), x)
				}
				if d == graph.Float4E2M1 {
					plain = saturated
				}
			}
			got := graph.Decode(d, graph.Encode(d, x))
			if got != plain && !(math.IsNaN(got) && math.IsNaN(plain)) {
				t.Fatalf("%s: %v is %v, want %v", d, x, got, plain)
			}
			want := plain
			if d.Bits() == 8 {
				want = saturated
			}
			if got := graph.CastValue(d, "default")(x); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%s: %v is cast to %v, want %v", d, x, got, want)
			}
			if d.Bits() == 8 {
				if got := graph.CastValue(d, "overflow")(x); got != plain && !(math.IsNaN(got) && math.IsNaN(plain)) {
					t.Fatalf("%s: %v is cast to %v without saturation, want %v", d, x, got, plain)
				}
			}
		}
	}
}

// TestCodes: every code that is a number comes back, -0 as far as there is one.
func TestCodes(t *testing.T) {
	for _, d := range graph.DTypes() {
		if !d.IsNarrow() {
			continue
		}
		for b := range 1 << d.Bits() {
			x := graph.Decode(d, uint16(b))
			if back := graph.Encode(d, x); back != uint16(b) && !math.IsNaN(x) || math.IsNaN(x) && !math.IsNaN(graph.Decode(d, back)) {
				t.Errorf("%s: code %x is %v, which is %x", d, b, x, back)
			}
		}
		if x := graph.Decode(d, graph.Encode(d, math.NaN())); !math.IsNaN(x) && (d != graph.Float4E2M1 || x != 0) {
			t.Errorf("%s: NaN is %v", d, x)
		}
	}
	for _, d := range []graph.DType{graph.Float8E4M3FNUZ, graph.Float8E5M2FNUZ} {
		if got := graph.Encode(d, math.Copysign(0, -1)); got != 0 {
			t.Errorf("%s: -0 is %x", d, got)
		}
		if got := graph.Encode(d, -1e-9); got != 0 {
			t.Errorf("%s: -1e-9 is %x", d, got)
		}
	}
}

// TestPowers: float8e8m0 has powers of 2 only; the table is that of ONNX's Cast.
func TestPowers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	least, most := math.Pow(2, -127), math.Pow(2, 127)
	for _, c := range []struct {
		mode string
		x, y float64
	}{
		{"default", 0, least}, {"default", nan, nan}, {"default", inf, most}, {"default", 1.5 * most, most}, {"default", least / 2, least},
		{"nearest_overflow", 0, nan}, {"nearest_overflow", nan, nan}, {"nearest_overflow", inf, nan}, {"nearest_overflow", 1.01 * most, nan}, {"nearest_overflow", least / 2, nan},
		{"default", 1.1, 2}, {"default", 1, 1}, {"default", 0.124, 0.125}, {"default", 2, 2},
		{"down", 1.9, 1}, {"down", 4, 4}, {"nearest", 1.5, 2}, {"nearest", 1.49, 1}, {"nearest", 3, 4}, {"nearest_overflow", 2.9, 2},
		{"down", inf, most}, {"nearest", 1.9 * most, most}, {"up_overflow", inf, nan}, {"down_overflow", 1.01 * most, nan}, {"down", 0, least},
		{"default", -1, nan}, {"down", -1, nan}, {"up_overflow", 3, 4}, {"down_overflow", 3, 2},
		{"default", 1.5 * least, 2 * least}, {"down", 1.5 * least, least}, {"default", 0.75 * most, most},
	} {
		if y := graph.CastValue(graph.Float8E8M0, c.mode)(c.x); y != c.y && !(math.IsNaN(y) && math.IsNaN(c.y)) {
			t.Errorf("%s: %v is %v, want %v", c.mode, c.x, y, c.y)
		}
	}
}

// TestCastIntegers: numbers lose their fraction, integers wrap, and what cannot be told is NaN.
func TestCastIntegers(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		to   graph.DType
		mode string
		x, y float64
	}{
		{graph.Int8, "default", -1.9, -1}, {graph.Int8, "default", 127.9, 127}, {graph.Int8, "default", 128, nan}, {graph.Int8, "default", -128.5, -128},
		{graph.Int8, "default", -129, nan}, {graph.Uint8, "default", -0.5, 0}, {graph.Uint8, "default", -1, nan}, {graph.Uint8, "default", 255.5, 255}, {graph.Uint8, "default", 256, nan},
		{graph.Int64, "default", math.Pow(2, 63), nan}, {graph.Int64, "default", -math.Pow(2, 63), -math.Pow(2, 63)}, {graph.Uint64, "default", math.Pow(2, 63), math.Pow(2, 63)},
		{graph.Uint64, "default", math.Pow(2, 64), nan}, {graph.Uint16, "default", 65535, 65535}, {graph.Uint32, "default", math.Pow(2, 32), nan}, {graph.Int16, "default", nan, nan},
		{graph.Int4, "default", 8.5, -8}, {graph.Int4, "default", 1.5, 2}, {graph.Int4, "default", 2.5, 2}, {graph.Int4, "default", -0.6, -1}, {graph.Int4, "default", nan, nan}, {graph.Int4, "default", -9, 7}, {graph.Uint4, "default", -9, 7}, {graph.Uint2, "default", -1.5, 2}, {graph.Int2, "default", 3, -1}, {graph.Int2, "default", math.Inf(1), nan},
		{graph.Int8, "wrap", 200, -56}, {graph.Uint8, "wrap", -1, 255}, {graph.Int32, "wrap", math.Pow(2, 31), -math.Pow(2, 31)}, {graph.Int8, "wrap", 1.5, nan}, {graph.Int16, "wrap", 98304, -32768},
		{graph.Uint64, "wrap", -1, nan}, {graph.Uint64, "wrap", -2048, math.Pow(2, 64) - 2048}, {graph.Int64, "wrap", math.Pow(2, 63), -math.Pow(2, 63)}, {graph.Uint4, "wrap", 255, 15}, {graph.Int8, "wrap", nan, nan}, {graph.Uint64, "wrap", 5, 5},
		{graph.Bool, "default", -0.1, 1}, {graph.Bool, "default", 0, 0}, {graph.Float32, "default", 0.1, float64(float32(0.1))}, {graph.Float32, "default", 1<<24 + 1, 1 << 24}, {graph.Float32, "default", 1e39, math.Inf(1)},
		{graph.Float64, "default", 0.1, 0.1}, {graph.Float32, "exact", 0.5, 0.5},
	} {
		if y := graph.CastValue(c.to, c.mode)(c.x); y != c.y && !(math.IsNaN(y) && math.IsNaN(c.y)) {
			t.Errorf("%v to %s, %s: %v, want %v", c.x, c.to, c.mode, y, c.y)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]graph.DType{graph.Int64, graph.Int32, graph.Int16, graph.Int8, graph.Int4, graph.Int2, graph.Uint64, graph.Uint32, graph.Uint16, graph.Uint8, graph.Uint4, graph.Uint2}).Draw(t, "type")
		n := rapid.Int64().Draw(t, "n")
		lo, hi := d.IntRange()
		w := graph.WrapInt(d, n)
		if d.Bits() < 64 && (w < lo || w > int64(hi) || (w-n)%(1<<d.Bits()) != 0) {
			t.Fatalf("%d as %s is %d", n, d, w)
		}
		if n %= 1 << 53; d.Bits() < 64 && graph.CastValue(d, "wrap")(float64(n)) != float64(graph.WrapInt(d, n)) {
			t.Fatalf("%d as %s is %v", n, d, graph.CastValue(d, "wrap")(float64(n)))
		}
	})
	if _, err := graph.CastFn(graph.Int8, "overflow"); err == nil {
		t.Error("a mode of other types is taken")
	}
	for d, want := range map[graph.DType][2]uint64{graph.Uint64: {0, math.MaxUint64}, graph.Int64: {1 << 63, 1<<63 - 1}, graph.Int4: {8, 7}, graph.Uint2: {0, 3}, graph.Bool: {0, 0}, graph.Float8E4M3FN: {0, 0}} {
		if lo, hi := d.IntRange(); uint64(-lo) != want[0] || hi != want[1] {
			t.Errorf("%s is from %d to %d", d, lo, hi)
		}
	}
}
