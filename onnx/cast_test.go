package onnx

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// castModel is a model of one Cast, of operator set 25.
func castModel(from, to graph.DType, n int, a ...*onnxpb.AttributeProto) *onnxpb.ModelProto {
	m := &onnxpb.ModelProto{IrVersion: proto.Int64(irVersion(25)), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(25)}}, Graph: &onnxpb.GraphProto{Name: proto.String("m")}}
	m.Graph.Input = []*onnxpb.ValueInfoProto{valueInfo("x", graph.TensorType{DType: from, Sizes: []int{n}})}
	m.Graph.Node = []*onnxpb.NodeProto{node("Cast", []string{"x"}, []string{"y"}, append(a, intAttribute("to", int64(elemOf(to))))...)}
	m.Graph.Output = []*onnxpb.ValueInfoProto{valueInfo("y", graph.TensorType{DType: to, Sizes: []int{n}})}
	return m
}

// conversions are the attributes that matter for a type.
func conversions(to graph.DType) (out [][]*onnxpb.AttributeProto) {
	out = append(out, nil)
	if len(graph.Modes(to)) > 1 && to.IsFloat() {
		out = append(out, []*onnxpb.AttributeProto{intAttribute("saturate", 0)})
	}
	if to == graph.Float8E8M0 {
		for _, dir := range []string{"up", "down", "nearest"} {
			out = append(out, []*onnxpb.AttributeProto{textAttribute("round_mode", dir)}, []*onnxpb.AttributeProto{textAttribute("round_mode", dir), intAttribute("saturate", 0)})
		}
	}
	return out
}

// shortened is an integer of a type that is a float64.
func shortened(t graph.DType, n int64) int64 {
	if t == graph.Uint64 {
		return int64(uint64(n) >> 12)
	}
	return n >> min(12, t.Bits()-1)
}

// TestCasts: from every type to every other a Cast computes what is folded where its input
// is constant, and is written as what it was.
func TestCasts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, from := range graph.DTypes() {
		k, err := decodeConstant(from, []int{40}, codes(r, from, 40))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 { // numbers that most types hold, too
			if x := float64(i%5 - 1); from.IsFloat() {
				k.floats[i] = graph.CastValue(from, "default")(x / 2)
			} else {
				k.ints[i] = graph.WrapInt(from, int64(x))
			}
			if from.IsFloat() && math.IsNaN(k.floats[i]) { // float8e8m0 has neither 0 nor -1
				k.floats[i] = 1
			}
		}
		for i := range k.ints { // others are no float64s
			k.ints[i] = shortened(from, k.ints[i])
		}
		for _, to := range graph.DTypes() {
			for _, a := range conversions(to) {
				name := fmt.Sprintf("from %s to %s %v", from, to, a)
				m, report, err := Read(put(t, marshal(t, castModel(from, to, k.len(), a...))), ReadOptions{})
				if err != nil || len(report.Opaque) > 0 {
					t.Errorf("%s: %v, %v", name, err, report)
					continue
				}
				k := k
				if to == graph.Uint64 && from.IsSigned() { // what is below 0 would be no float64
					k = k.copied()
					for i, n := range k.ints {
						k.ints[i] = max(n, -(n + 1))
					}
				}
				out, err := evaluate(m, map[string]*constant{"x": k})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				how := byDefault
				for _, x := range a {
					if x.GetName() == "saturate" {
						how.overflow = true
					} else {
						how.to = string(x.GetS())
					}
				}
				for i, x := range out[0].Data {
					one := newConstant(from)
					if one.put(0, k, i); from.IsFloat() && !to.IsFloat() && math.IsInf(k.floats[i], 0) {
						continue
					}
					want, err := one.values().Cast(to, how.mode(from, to))
					if err != nil {
						if !math.IsNaN(x) {
							t.Errorf("%s: %v is %v, and is not folded", name, k.number(i), x)
						}
						continue
					}
					y := ofValues(want).number(0)
					if x != y && !(math.IsNaN(x) && (math.IsNaN(y) || !to.IsFloat())) {
						t.Errorf("%s: %v is %v, and %v where it is folded", name, k.number(i), x, y)
					}
				}
				_, back := reread(t, m, WriteOptions{})
				sameGraph(t, back.Graph, m.Graph)
			}
		}
	}
}

// TestCastModes: a cast of a graph that no file would ask for comes back, too.
func TestCastModes(t *testing.T) {
	for _, text := range []string{
		"x : int64[2]\ny = cast[to=int8](x)\nreturn y", "x : int8[2]\ny = cast[to=int64, mode=wrap](x)\nreturn y", "x : int8[2]\ny = cast[to=int8, mode=wrap](x)\nreturn y",
		"x : float8e8m0[2]\ny = cast[to=float8e8m0, mode=down_overflow](x)\nreturn y", "x : float16[2]\ny = cast[to=float8e5m2, mode=overflow](x)\nreturn y",
	} {
		g, err := graph.ParseText("m", text)
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: "m", Graph: g}
		_, back := reread(t, m, WriteOptions{})
		sameGraph(t, back.Graph, g)
	}
}

// TestCastOnce: integers that are no float64s are rounded once.
func TestCastOnce(t *testing.T) {
	digits := map[graph.DType]uint{graph.Float64: 53, graph.Float32: 24, graph.BFloat16: 8}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		n := r.Uint64() >> r.IntN(20)
		if r.IntN(2) == 0 { // beside the middle of two numbers
			n = n>>40<<40 | 1<<39 | uint64(r.IntN(3))
		}
		for _, from := range []graph.DType{graph.Int64, graph.Uint64} {
			k := &constant{dtype: from, ints: []int64{int64(n)}}
			exact := new(big.Float).SetUint64(n)
			if from == graph.Int64 {
				exact = new(big.Float).SetInt64(int64(n))
			}
			for to, p := range digits {
				want, _ := new(big.Float).SetPrec(p).SetMode(big.ToNearestEven).Set(exact).Float64()
				if got := k.cast(to).floats[0]; got != want {
					t.Fatalf("%s %d is %s %v, want %v", from, n, to, got, want)
				}
			}
		}
	}
}

// TestBitCast: the bits of constants are those of the other type, and of integers that are
// not constant they are the number that wraps around.
func TestBitCast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for _, from := range graph.DTypes() {
		raw := codes(r, from, 16)
		for _, to := range graph.DTypes() {
			m := castModel(from, to, 16)
			m.Graph.Node[0].OpType = proto.String("BitCast")
			m.OpsetImport[0].Version = proto.Int64(26)
			path := put(t, marshal(t, m))
			k, _ := decodeConstant(from, []int{16}, raw)
			folded, report, err := Read(path, ReadOptions{Constants: map[string]*model.Weight{"x": k.weight()}})
			if from.Bits() != to.Bits() {
				if err == nil && len(report.Opaque) == 0 {
					t.Errorf("%s is taken for %s", from, to)
				}
				continue
			}
			if err != nil || len(report.Opaque) > 0 {
				t.Errorf("from %s to %s: %v, %v", from, to, err, report)
				continue
			}
			id, _ := folded.Graph.Find("y")
			got, err := folded.Weights[folded.Graph.Outputs()[0].Node].Read()
			if back, _ := decodeConstant(to, []int{16}, got); err != nil || to != graph.Bool && from != graph.Bool && !equalCodes(back, k) {
				t.Errorf("from %s to %s: other bits, %v %v", from, to, err, id)
			}
			run, report, err := Read(path, ReadOptions{})
			open := from != to && (from.IsFloat() || to.IsFloat() || to == graph.Bool)
			if err != nil || (len(report.Opaque) > 0) != open {
				t.Errorf("from %s to %s, not constant: %v, %v", from, to, err, report)
				continue
			}
			if open {
				continue
			}
			small := k.copied()
			for i := range small.ints {
				small.ints[i] = shortened(from, small.ints[i])
			}
			out, err := evaluate(run, map[string]*constant{"x": small})
			if to == graph.Uint64 && from == graph.Int64 && err != nil {
				continue // what is below 0 is no float64 there
			}
			for i := range small.len() {
				if want := small.number(i); err != nil || from != to && !from.IsFloat() && out[0].Data[i] != float64(graph.WrapInt(to, small.ints[i])) && to != graph.Uint64 || from == to && out[0].Data[i] != want {
					t.Errorf("from %s to %s: %v is %v, %v", from, to, want, out, err)
				}
			}
		}
	}
}

// equalCodes reports whether two constants are held as the same bits.
func equalCodes(a, b *constant) bool {
	x, y := pack(a.dtype, a.encode()), pack(b.dtype, b.encode())
	for i := range x {
		if x[i] != y[i] && !(len(a.floats) > 0 && math.IsNaN(a.floats[i*8/a.dtype.Bits()])) {
			return false
		}
	}
	return len(x) == len(y)
}
