package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// integerProducts are two products of bytes; what they have in common is made once, or twice.
func integerProducts(shared bool, more string) string {
	first := "a = cast[to=float32, mode=exact](x)\naz = cast[to=float32, mode=exact](z)\nab = broadcast[shape=[3, 6]](az)\na0 = ewsub(a, ab)\n"
	second, of := "", "a0"
	if !shared {
		second, of = strings.NewReplacer("a =", "b =", "az", "bz", "ab", "bb", "a0", "b0", "(a,", "(b,").Replace(first), "b0"
	}
	return "x : uint8[3, 6]\nz : weight uint8[]\nu : weight int8[6, 4]\nv : weight int8[6, 4]\n" + first + `cu = cast[to=float32, mode=exact](u)
m = matmul(a0, cu)
p = cast[to=int32](m)
` + second + fmt.Sprintf(`cv = cast[to=float32, mode=exact](v)
n = matmul(%s, cv)
q = cast[to=int32](n)
`, of) + more
}

// quantizing is a graph that quantizes with a scale and a zero point.
func quantizing(lo, hi, typ, zero string) string {
	return fmt.Sprintf(`x : float32[2, 3]
s : weight float32[]
z : weight %s[]
sb = broadcast[shape=[2, 3]](s)
d = ewdiv(x, sb)
r = round(d)
zf = cast[to=float32, mode=exact](z)
zb = broadcast[shape=[2, 3]](zf)
p = ewadd(r, zb)
c = clip[lo=%s, hi=%s](p)
y = cast[to=%s](c)
return y`, zero, lo, hi, typ)
}

// dynamics are two dynamic quantizations that share the numbers 255 and 1, or do not.
func dynamics(shared bool, more string) string {
	text := "x : float32[2, 3]\nn255 : weight float32[]\nn1 : weight float32[]\n"
	if !shared {
		text += "o255 : weight float32[]\no1 : weight float32[]\n"
	}
	text += "t = relu(x)\n"
	for i, of := range []string{"x", "t"} {
		c255, c1 := "n255", "n1"
		if i > 0 && !shared {
			c255, c1 = "o255", "o1"
		}
		text += strings.ReplaceAll(fmt.Sprintf(`h@ = reducemax[axes=(0, 1)](%[1]s)
hr@ = relu(h@)
g@ = neg(%[1]s)
l@ = reducemax[axes=(0, 1)](g@)
lr@ = relu(l@)
w@ = ewadd(hr@, lr@)
ws@ = ewdiv(w@, %[2]s)
s@ = ewwhere(w@, ws@, %[3]s)
q@ = ewdiv(lr@, s@)
k@ = clip[lo=0.0, hi=255.0](q@)
z@ = round(k@)
zu@ = cast[to=uint8](z@)
sb@ = broadcast[shape=[2, 3]](s@)
d@ = ewdiv(%[1]s, sb@)
r@ = round(d@)
zb@ = broadcast[shape=[2, 3]](z@)
p@ = ewadd(r@, zb@)
c@ = clip[lo=0.0, hi=255.0](p@)
y@ = cast[to=uint8](c@)
`, of, c255, c1), "@", fmt.Sprint(i))
	}
	return text + more
}

// smallWeight are small numbers other than 0, but what a name ends in if that is a number.
func smallWeight(name string, t graph.TensorType) *model.Weight {
	k := newConstant(t.DType, t.Sizes...)
	end := strings.TrimLeft(name, "no")
	for i := range k.len() {
		switch x, err := strconv.Atoi(end); {
		case !t.DType.IsFloat():
			k.ints[i] = int64(i%7 + 1)
		case err == nil:
			k.floats[i] = float64(x)
		default:
			k.floats[i] = float64(i%3+1) / 64
		}
	}
	return k.weight()
}

// TestWrittenAgain: what is just what reading makes of one node is that node, and whatever
// differs in one place is not. The same graph with the same weights comes back, also where
// nodes share operators, and ONNX Runtime computes from the file what the graph's definition
// says.
func TestWrittenAgain(t *testing.T) {
	t.Parallel()
	const composed = "Div Round Cast Add Clip Cast"
	const dynamic = "DynamicQuantizeLinear"
	const apart = "ReduceMax Relu Neg ReduceMax Relu Add Div Cast Where Div Clip Round Cast Div Round Add Clip Cast"
	var files []defined
	for _, c := range []struct{ name, graph, nodes string }{
		{"bytes", quantizing("0.0", "255.0", "uint8", "uint8"), "QuantizeLinear"},
		{"bytes with a sign", quantizing("-128.0", "127.0", "int8", "int8"), "QuantizeLinear"},
		{"another upper end", quantizing("0.0", "254.0", "uint8", "uint8"), composed},
		{"another lower end", quantizing("-127.0", "127.0", "int8", "int8"), composed},
		{"a zero point of another type", quantizing("0.0", "255.0", "uint8", "int8"), composed},
		{"no rounding", strings.Replace(quantizing("0.0", "255.0", "uint8", "uint8"), "round(", "relu(", 1), "Div Relu Cast Add Clip Cast"},
		{"a part is read", quantizing("0.0", "255.0", "uint8", "uint8") + ", r", "Div Round QuantizeLinear"},
		{"products", integerProducts(false, "return p, q"), "MatMulInteger MatMulInteger"},
		{"products that share", integerProducts(true, "return p, q"), "MatMulInteger MatMulInteger"},
		{"a factor is read", integerProducts(true, "return p, q, a0"), "Cast Cast Sub MatMulInteger MatMulInteger"},
		{"a product is read", integerProducts(true, "return p, q, m"), "Cast Cast Sub Cast MatMul Cast MatMulInteger"},
		{"dynamic", dynamics(false, "return y0, s0, zu0, y1, s1, zu1"), "Relu " + dynamic + " " + dynamic},
		{"dynamic, sharing numbers", dynamics(true, "return y0, s0, zu0, y1, s1, zu1"), "Relu " + dynamic + " " + dynamic},
		{"dynamic, without scale", dynamics(true, "return y0, y1"), "Relu " + dynamic + " " + dynamic},
		{"dynamic, the largest is read", dynamics(true, "return y0, y1, h0"), "Relu " + apart + " " + apart},
		{"dequantizing", `x : int8[2, 3]
s : weight float32[3]
z : weight int8[3]
f = cast[to=float32, mode=exact](x)
zf = cast[to=float32, mode=exact](z)
zr = reshape[shape=[1, 3]](zf)
zb = broadcast[shape=[2, 3]](zr)
d = ewsub(f, zb)
sr = reshape[shape=[1, 3]](s)
sb = broadcast[shape=[2, 3]](sr)
y = ewmul(d, sb)
return y`, "DequantizeLinear"},
		{"dequantizing along the first axis", `x : int8[2, 3]
s : weight float32[2]
f = cast[to=float32, mode=exact](x)
sr = reshape[shape=[2, 1]](s)
sb = broadcast[shape=[2, 3]](sr)
y = ewmul(f, sb)
return y`, "DequantizeLinear"},
		{"scaled sums of products", `x : int32[2, 3]
s : float32[]
f = cast[to=float32](x)
sb = broadcast[shape=[2, 3]](s)
y = ewmul(f, sb)
return y`, "Cast Mul"},
	} {
		g, err := graph.ParseText("g", c.graph)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for _, id := range g.Inputs() {
			if g.IsWeight(id) {
				m.Weights[id] = smallWeight(g.Name(id), g.Type(id.Out(0)))
			}
		}
		f := again(t, c.name, m)
		var ops []string
		for _, n := range f.Proto.Graph.Node {
			ops = append(ops, n.GetOpType())
		}
		if got := strings.Join(ops, " "); got != c.nodes {
			t.Errorf("%s: written as %s, want %s", c.name, got, c.nodes)
		}
		files = append(files, defined{c.name, m, f.Path})
	}
	asDefined(t, files)
}

// TestOperatorsWrittenAgain: operators on quantized numbers are written as themselves,
// which their files say.
func TestOperatorsWrittenAgain(t *testing.T) {
	t.Parallel()
	bytes := func(name string, t graph.DType, sizes ...int) operand { return feed(name, sizes...).as(t) }
	zero := func(name string, t graph.DType, x int64) operand { return whole(name, x).sized().as(t).held() }
	scale := func(name string, x float64) operand { return given(name, x).sized().held() }
	u, s := graph.Uint8, graph.Int8
	many := given("s2", 0.03, 0.01, 0.02, 0.04).held()
	zeros := whole("bz", 0, 0, 0, 0).as(s).held()
	bias := whole("bias", 100, -200, 7, 0).as(graph.Int32).held()
	for _, c := range []struct {
		op   string
		in   []operand
		as   []any
		many int // outputs
	}{
		{"QuantizeLinear", list(feed("x", 2, 4), many, whole("z0", 1, 2, 3, 4).as(s).held()), []any{"axis", 1}, 1},
		{"DequantizeLinear", list(bytes("x", s, 4, 2), many, whole("z0", 1, 2, 3, 4).as(s).held()), []any{"axis", 0}, 1},
		{"DynamicQuantizeLinear", list(feed("x", 2, 4)), nil, 3},
		{"MatMulInteger", list(bytes("a", u, 2, 3, 700), bytes("b", s, 700, 4).held(), zero("az", u, 3), zero("bz", s, 2)), nil, 1},
		{"ConvInteger", list(bytes("x", u, 1, 3, 6, 5), bytes("w", u, 4, 3, 3, 3), zero("az", u, 3)), []any{"pads", []int{1, 1, 1, 1}}, 1},
		{"QLinearMatMul", list(bytes("a", u, 3, 5), scale("s1", 0.02), zero("az", u, 3), bytes("b", s, 5, 4), many, zeros, scale("s3", 0.07), zero("z0", u, 100)), nil, 1},
		{"QLinearConv", list(bytes("x", u, 1, 3, 6, 5), scale("s1", 0.02), zero("az", u, 3), bytes("w", s, 4, 3, 3, 3).held(), many, zeros, scale("s3", 0.07), zero("z0", u, 90), bias), []any{"strides", []int{2, 2}}, 1},
		{"QLinearConv", list(bytes("x", u, 1, 4, 6, 5), scale("s1", 0.02), zero("az", u, 3), bytes("w", u, 4, 1, 3, 3).held(), scale("s2", 0.03), zero("bz", u, 2), scale("s3", 0.07), zero("z0", u, 90)), []any{"group", 4}, 1},
	} {
		outs := []string{"z", "zs", "zz"}[:c.many]
		v := variantOf(13, c.op, c.in, outs, attributesNamed(c.as)...)
		path := filepath.Join(t.TempDir(), "v.onnx")
		if err := os.WriteFile(path, marshal(t, v.proto()), 0o666); err != nil {
			t.Fatal(err)
		}
		m, _, err := Read(path, ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		f := again(t, c.op, m)
		var ops []string
		for _, n := range f.Proto.Graph.Node {
			ops = append(ops, n.GetOpType())
		}
		if !slices.Equal(ops, []string{c.op}) {
			t.Errorf("%s is written as %s", c.op, ops)
		}
		if c.op != "DynamicQuantizeLinear" && len(f.Proto.Graph.Initializer) > len(c.in) {
			t.Errorf("%s has weights of its own", c.op)
		}
	}
}
