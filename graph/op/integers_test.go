package op_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// Functions of two integers at the ends of their types, and where they have no value.
func TestIntegersAtTheirEnds(t *testing.T) {
	none := math.NaN()
	least := float64(math.MinInt64)
	for _, c := range []struct {
		fn         string
		typ        graph.DType
		x, y, want float64
	}{
		{"quo", graph.Int32, -7, 2, -3}, {"rem", graph.Int32, -7, 2, -1}, {"mod", graph.Int32, -7, 2, 1}, {"mod", graph.Int32, 7, -2, -1},
		{"quo", graph.Int32, 7, 0, none}, {"rem", graph.Int64, 7, 0, none}, {"mod", graph.Uint8, 7, 0, none},
		{"quo", graph.Int64, least, -1, least}, {"rem", graph.Int64, least, -1, 0}, {"mod", graph.Int64, least, -1, 0}, {"quo", graph.Int8, -128, -1, -128},
		{"bitand", graph.Int8, -2, 7, 6}, {"bitor", graph.Int8, -128, 1, -127}, {"bitxor", graph.Uint8, 255, 1, 254},
		{"shl", graph.Uint8, 200, 1, 144}, {"shl", graph.Uint32, 1, 31, 1 << 31}, {"shl", graph.Uint8, 1, 64, 0}, {"shr", graph.Uint8, 200, 3, 25}, {"shr", graph.Uint8, 1, 200, 0},
		{"shl", graph.Int32, 1, -1, none},
	} {
		attrs := op.EWInt.MustAttr(named{"fn": name(c.fn)})
		in := []tensor{{Sizes: []int{1}, Data: []float64{c.x}}, {Sizes: []int{1}, Data: []float64{c.y}}}
		out, err := interp.Float{}.ApplyInts(op.EWInt, attrs, in, []graph.DType{c.typ, c.typ}, []graph.DType{c.typ})
		if err != nil {
			t.Errorf("%s of %s %v and %v: %v", c.fn, c.typ, c.x, c.y, err)
			continue
		}
		if got := out[0].Data[0]; got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s of %s %v and %v is %v, want %v", c.fn, c.typ, c.x, c.y, got, c.want)
		}
	}
	for _, c := range []struct{ x, y, want float64 }{{3, 40, 0}, {-1, 7, -1}, {2, -1, 0}, {0, -1, none}, {0, 0, 1}, {2, 62, 1 << 62}} {
		in := []tensor{{Sizes: []int{1}, Data: []float64{c.x}}, {Sizes: []int{1}, Data: []float64{c.y}}}
		types := []graph.DType{graph.Int64}
		out, err := interp.Float{}.ApplyInts(op.EWPow, nil, in, append(types, types...), types)
		if c.x == 3 { // no float64
			if err == nil {
				t.Errorf("3 to the power of 40 is %v", out[0].Data[0])
			}
			continue
		}
		if err != nil || out[0].Data[0] != c.want && !math.IsNaN(c.want) {
			t.Errorf("%v to the power of %v: %v, %v", c.x, c.y, out, err)
		}
	}
	if _, err := op.EWInt.DTypes(op.EWInt.MustAttr(named{"fn": name("bitand")}), []graph.DType{graph.Float32, graph.Float32}); err == nil {
		t.Error("bits of float32 are combined")
	}
}
