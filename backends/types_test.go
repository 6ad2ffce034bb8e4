package backends_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Elements of all types come back as they were.
func TestTensorBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range graph.DTypes() {
		typ := graph.TensorType{DType: d, Sizes: []int{3, 100}}
		raw := make([]byte, 0, typ.Bytes())
		for range 300 {
			n, x := model.Element(d, binaryOf(r))
			raw = model.AppendElement(raw, d, n, x)
		}
		x, err := backends.FromBytes(typ, raw)
		if err != nil || x.Check(typ) != nil {
			t.Fatalf("%s: %v, %v", d, err, x.Check(typ))
		}
		if !bytes.Equal(x.Bytes(), raw) {
			t.Errorf("%s: the elements are others", d)
		}
		held := map[graph.DType]bool{graph.Float32: x.F32 != nil, graph.Float64: x.F64 != nil, graph.Int64: x.I64 != nil}
		if !held[lower.Wide(d)] || x.Len() != 300 {
			t.Errorf("%s is held as %v", d, held)
		}
		if _, err := backends.FromBytes(typ, raw[1:]); err == nil {
			t.Errorf("%s: a byte is missing", d)
		}
		y, err := backends.Numbers(typ, x.Float64s())
		if d.Bits() < 64 && !slices.ContainsFunc(x.Float64s(), math.IsNaN) && (err != nil || !bytes.Equal(y.Bytes(), raw)) {
			t.Errorf("%s: the numbers are others, %v", d, err)
		}
		z, err := backends.Random(3, typ)
		if err != nil || z.Check(typ) != nil {
			t.Errorf("%s: random: %v", d, err)
		}
		for i := range z.Len() {
			if v := z.Number(i); d.IsFloat() && !(v != 0 && v >= -1 && v <= 1 && model.Round(d, v) == v) || !d.IsFloat() && v != 0 {
				t.Fatalf("%s: random: %v", d, v)
			}
		}
	}
}

// binaryOf are random bytes, more than an element has.
func binaryOf(r *rand.Rand) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// A tensor of integers that its type does not hold is refused.
func TestTensorRange(t *testing.T) {
	for _, c := range []struct {
		t  graph.DType
		n  int64
		ok bool
	}{
		{graph.Bool, 1, true}, {graph.Bool, 2, false}, {graph.Int8, -128, true}, {graph.Int8, 128, false},
		{graph.Uint4, 15, true}, {graph.Uint4, 16, false}, {graph.Uint8, -1, false}, {graph.Uint64, -1, true}, {graph.Int64, math.MinInt64, true},
	} {
		x := backends.Tensor{DType: c.t, Sizes: []int{1}, I64: []int64{c.n}}
		if err := x.Check(x.Type()); (err == nil) != c.ok {
			t.Errorf("%d as %s: %v", c.n, c.t, err)
		}
	}
	if x := (backends.Tensor{DType: graph.Float16, Sizes: []int{1}, F64: []float64{1}}); x.Check(x.Type()) == nil {
		t.Error("float16 in the wrong slice")
	}
	if x := (backends.Tensor{DType: graph.Uint64, I64: []int64{-1}}); x.Number(0) != 0x1p64 {
		t.Errorf("2^64 - 1 is %v", x.Number(0))
	}
}

// RoundTo is model.Round, for all magnitudes.
func TestRoundTo(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var xs []float32
	for range 200000 {
		xs = append(xs, math.Float32frombits(r.Uint32()))
	}
	for _, x := range []float32{0, 65504, 65519, 65520, 65535, 0x1p-14, 0x1.ffcp-15, 0x1.ffep-15, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.ffp127, 0x1.fep127, 0x1.fefffep127, 0x1p-126, 0x1p-149, 1.0009765625, 1.00048828125, 1.00146484375, float32(math.Inf(1))} {
		xs = append(xs, x, -x)
	}
	for _, d := range []graph.DType{graph.Float16, graph.BFloat16, graph.Float8E5M2, graph.Float32} {
		got := slices.Clone(xs)
		backends.RoundTo(d, got)
		for i, x := range xs {
			want := float32(model.Round(d, float64(x)))
			if math.Float32bits(want) != math.Float32bits(got[i]) && !(want != want && got[i] != got[i]) {
				t.Fatalf("%s: %g becomes %g, want %g", d, x, got[i], want)
			}
		}
	}
}

func TestTolerance(t *testing.T) {
	for d, want := range map[graph.DType]float64{graph.Float32: 0x1p-24, graph.Float16: 0x1p-11, graph.BFloat16: 0x1p-8,
		graph.Float64: 0x1p-53, graph.Float8E4M3FN: 0x1p-4, graph.Float8E5M2: 0x1p-3, graph.Float4E2M1: 0x1p-2, graph.Float8E8M0: 1, graph.Int8: 0} {
		if got := backends.Rounding(d); got != want {
			t.Errorf("%s rounds to %g, want %g", d, got, want)
		}
	}
	parse := func(text string) *graph.Graph {
		g, err := graph.ParseText("g", text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	half := parse("x : float16[2]\ny = relu(x)\nreturn y")
	single := parse("x : float32[2]\nd = cast[to=float16](x)\nz = cast[to=float64](x)\ny = relu(x)\nreturn y, z")
	for _, c := range []struct {
		gs   []*graph.Graph
		want float64
		of   graph.DType
		as   string
	}{
		{[]*graph.Graph{half}, 0x1p-7, graph.Float16, "float16 in float32"},
		{[]*graph.Graph{single}, 1e-4, graph.Float32, "float32, float64"},
		{[]*graph.Graph{single, half}, 0x1p-7, graph.Float16, "float32, float16 in float32, float64"},
		{[]*graph.Graph{parse("x : bfloat16[2]\nf = cast[to=float8e5m2](x)\ni = cast[to=bool](f)\nreturn f, i")}, 0.25, graph.Float8E5M2, "bool in int64, float8e5m2 in float32"},
		{[]*graph.Graph{parse("x : float16[2]\nreturn x")}, 1e-4, graph.Float32, "float32"},
	} {
		if got, of := backends.Tolerance(c.gs...); got != c.want || of != c.of {
			t.Errorf("tolerance %g of %s, want %g of %s", got, of, c.want, c.of)
		}
		if got := backends.Arithmetic(c.gs...); got != c.as {
			t.Errorf("computed in %s, want %s", got, c.as)
		}
	}
	if !strings.Contains(backends.Arithmetic(parse("x : uint64[2]\ny = relu(x)\nreturn y")), "uint64") {
		t.Error("uint64")
	}
}
