package onnx

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// intsWeight is an initializer of integers.
func intsWeight(name string, sizes []int, xs ...int64) *onnxpb.TensorProto {
	w := tensorProto(name, graph.TensorType{DType: graph.Int64, Sizes: sizes})
	w.Int64Data = xs
	return w
}

// TestEvaluate: arithmetic on integers is done while reading.
func TestEvaluate(t *testing.T) {
	type in = *onnxpb.TensorProto
	v := func(xs ...int64) in { return intsWeight("", []int{len(xs)}, xs...) }
	s := func(x int64) in { return intsWeight("", nil, x) }
	mat := intsWeight("", []int{2, 3}, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		op    string
		in    []in
		attrs []*onnxpb.AttributeProto
		want  string // sizes and elements, or part of the error
	}{
		{"Add", []in{v(1, 2), s(10)}, nil, "[2] [11 12]"},
		{"Sub", []in{mat, v(1, 1, 2)}, nil, "[2 3] [0 1 1 3 4 4]"},
		{"Mul", []in{v(2, -3), v(4, 5)}, nil, "[2] [8 -15]"},
		{"Div", []in{v(7, -7, 7), v(2, 2, -2)}, nil, "[3] [3 -3 -3]"},
		{"Div", []in{v(1), v(0)}, nil, "division by zero"},
		{"Mod", []in{v(7, -7, 7), v(3, 3, -3)}, nil, "[3] [1 2 -2]"},
		{"Mod", []in{v(7, -7, 7), v(3, 3, -3)}, []*onnxpb.AttributeProto{intAttribute("fmod", 1)}, "[3] [1 -1 1]"},
		{"Mod", []in{v(1), v(0)}, nil, "division by zero"},
		{"Mod", []in{v(1), v(0)}, []*onnxpb.AttributeProto{intAttribute("fmod", 1)}, "division by zero"},
		{"Pow", []in{v(2, 3), s(3)}, nil, "[2] [8 27]"},
		{"Max", []in{v(1, 5), v(3, 2), s(2)}, nil, "[2] [3 5]"},
		{"Min", []in{v(1, 5), v(3, 2)}, nil, "[2] [1 2]"},
		{"Neg", []in{v(1, -5)}, nil, "[2] [-1 5]"},
		{"Abs", []in{v(1, -5)}, nil, "[2] [1 5]"},
		{"Sign", []in{v(3, -5, 0)}, nil, "[3] [1 -1 0]"},
		{"Equal", []in{v(1, 2), v(1, 3)}, nil, "[2] [1 0]"},
		{"Less", []in{v(1, 2), v(2, 2)}, nil, "[2] [1 0]"},
		{"LessOrEqual", []in{v(1, 3), v(2, 2)}, nil, "[2] [1 0]"},
		{"Greater", []in{v(3, 2), v(2, 2)}, nil, "[2] [1 0]"},
		{"GreaterOrEqual", []in{v(1, 2), v(2, 2)}, nil, "[2] [0 1]"},
		{"Cast", []in{v(300, -1, 256)}, []*onnxpb.AttributeProto{intAttribute("to", int64(elemUint8))}, "[3] [44 255 0]"},
		{"Cast", []in{v(300, 0)}, []*onnxpb.AttributeProto{intAttribute("to", int64(elemBool))}, "[2] [1 0]"},
		{"Gather", []in{mat, v(2, -3)}, []*onnxpb.AttributeProto{intAttribute("axis", 1)}, "[2 2] [3 1 6 4]"},
		{"Gather", []in{mat, s(-1)}, nil, "[3] [4 5 6]"},
		{"Gather", []in{mat, s(2)}, nil, "index 2 of axis 0"},
		{"Concat", []in{v(1), intsWeight("", []int{0}), v(2, 3)}, []*onnxpb.AttributeProto{intAttribute("axis", 0)}, "[3] [1 2 3]"},
		{"Concat", []in{mat, v(1)}, []*onnxpb.AttributeProto{intAttribute("axis", 0)}, "cannot be joined along axis 0"},
		{"Slice", []in{v(0, 1, 2, 3, 4), v(4), v(math.MinInt64), v(0), v(-2)}, nil, "[3] [4 2 0]"},
		{"Slice", []in{mat, v(1), v(math.MaxInt64), v(-1)}, nil, "[2 2] [2 3 5 6]"},
		{"Slice", []in{v(0, 1), v(0), v(1), v(0), v(0)}, nil, "step 0"},
		{"Transpose", []in{mat}, nil, "[3 2] [1 4 2 5 3 6]"},
		{"Reshape", []in{mat, v(3, -1)}, nil, "[3 2] [1 2 3 4 5 6]"},
		{"Flatten", []in{mat}, []*onnxpb.AttributeProto{intAttribute("axis", 0)}, "[1 6] [1 2 3 4 5 6]"},
		{"Unsqueeze", []in{v(1, 2), v(0, -1)}, nil, "[1 2 1] [1 2]"},
		{"Squeeze", []in{intsWeight("", []int{1, 2, 1}, 1, 2), v(0)}, nil, "[2 1] [1 2]"},
		{"Squeeze", []in{mat, v(0)}, nil, "is not of size 1"},
		{"Expand", []in{v(1, 2), v(2, 1)}, nil, "[2 2] [1 2 1 2]"},
		{"Tile", []in{v(1, 2), v(2)}, nil, "[4] [1 2 1 2]"},
		{"Range", []in{s(2), s(9), s(3)}, nil, "[3] [2 5 8]"},
		{"Where", []in{tensorBools(true, false), v(1, 2), s(9)}, nil, "[2] [1 9]"},
		{"NonZero", []in{intsWeight("", []int{2, 2}, 0, 5, 6, 0)}, nil, "[2 2] [0 1 1 0]"},
		{"And", []in{tensorBools(true, false), tensorBools(true, true)}, nil, "[2] [1 0]"},
		{"Or", []in{tensorBools(true, false), tensorBools(false, false)}, nil, "[2] [1 0]"},
		{"Xor", []in{tensorBools(true, false), tensorBools(true, true)}, nil, "[2] [0 1]"},
		{"Not", []in{tensorBools(true, false)}, nil, "[2] [0 1]"},
		{"ReduceProd", []in{mat}, []*onnxpb.AttributeProto{intsAttribute("axes", 1)}, "[2 1] [6 120]"},
		{"ReduceSum", []in{mat, v(0)}, []*onnxpb.AttributeProto{intAttribute("keepdims", 0)}, "[3] [5 7 9]"},
		{"ReduceMax", []in{mat}, nil, "[1 1] [6]"},
		{"ReduceMin", []in{mat}, []*onnxpb.AttributeProto{intAttribute("keepdims", 0)}, "[] [1]"},
		{"ConstantOfShape", []in{v(2, 1)}, nil, "[2 1] [0 0]"},
		{"Shape", []in{mat}, []*onnxpb.AttributeProto{intAttribute("start", -1)}, "[1] [3]"},
		{"Size", []in{mat}, nil, "[] [6]"},
	} {
		k := folded(t, c.op, c.in, c.attrs, c.want)
		if k == nil {
			continue
		}
		xs := k.ints
		for _, x := range k.floats {
			xs = append(xs, int64(x))
		}
		if s := fmt.Sprint(k.sizes, xs); s != c.want {
			t.Errorf("%s: got %s, want %s", c.op, s, c.want)
		}
	}
}

func tensorBools(xs ...bool) *onnxpb.TensorProto {
	w := tensorProto("", graph.TensorType{DType: graph.Bool, Sizes: []int{len(xs)}})
	for _, x := range xs {
		w.Int32Data = append(w.Int32Data, int32(truth(x)))
	}
	return w
}

// TestFormulas: operators that are lowered to several compute their formulas.
func TestFormulas(t *testing.T) {
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	attr := func(lines []string, a ...*onnxpb.AttributeProto) *onnxpb.ModelProto {
		m := program(lines...)
		m.OpsetImport[0].Version = proto.Int64(20)
		m.Graph.Node[0].Attribute = append(m.Graph.Node[0].Attribute, a...)
		return m
	}
	for name, c := range map[string]struct {
		m *onnxpb.ModelProto
		f func(x float64) float64
	}{
		"gelu":      {attr([]string{"y = Gelu(x)"}), func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		"gelu tanh": {attr([]string{"y = Gelu(x)"}, textAttribute("approximate", "tanh")), func(x float64) float64 { return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }},
		"mish":      {attr([]string{"y = Mish(x)"}), func(x float64) float64 { return x * math.Tanh(softplus(x)) }},
		"softplus":  {attr([]string{"y = Softplus(x)"}), softplus},
		"softsign":  {attr([]string{"y = Softsign(x)"}), func(x float64) float64 { return x / (1 + math.Abs(x)) }},
		"celu":      {attr([]string{"y = Celu(x)"}, floatAttribute("alpha", 2)), func(x float64) float64 { return math.Max(0, x) + math.Min(0, 2*math.Expm1(x/2)) }},
		"prelu":     {attr([]string{"y = PRelu(x, 0.25)"}), func(x float64) float64 { return math.Max(x, x/4) }},
		"pow 3":     {attr([]string{"y = Pow(x, 3)"}), func(x float64) float64 { return x * x * x }},
		"pow -1":    {attr([]string{"y = Pow(x, -1)"}), func(x float64) float64 { return 1 / x }},
		"rsqrt":     {attr([]string{"a = Abs(x)", "y = Pow(a, -0.5)"}), func(x float64) float64 { return 1 / math.Sqrt(math.Abs(x)) }},
		"mask": {attr([]string{"a = Greater(x, 0.5)", "b = Less(x, -1)", "c = Or(a, b)", "d = Not(c)", "e = Cast(d)", "y = Mul(x, e)"}), func(x float64) float64 {
			if x > 0.5 || x < -1 {
				return 0
			}
			return x
		}},
		"constant":  {attr([]string{"a = Mul(x, 1)", "b = Mul(a, 2)", "c = Sub(b, a)", "y = Add(c, 3)"}), func(x float64) float64 { return x + 3 }},
		"minimum":   {attr([]string{"a = Min(x, 1, 0.5)", "y = Max(a, -1)"}), func(x float64) float64 { return math.Max(-1, math.Min(x, 0.5)) }},
		"hardswish": {attr([]string{"y = HardSwish(x)"}), func(x float64) float64 { return x * math.Max(0, math.Min(1, x/6+0.5)) }},
	} {
		if name == "mask" {
			c.m.Graph.Node[4].Attribute = append(c.m.Graph.Node[4].Attribute, intAttribute("to", 1))
		}
		got, r, err := Read(put(t, marshal(t, c.m)), ReadOptions{})
		if err != nil || len(r.Opaque) > 0 {
			t.Errorf("%s: %v, opaque %v", name, err, r)
			continue
		}
		x := newConstant(graph.Float32, 2, 4)
		for i := range x.floats {
			x.floats[i] = 1.1*float64(i) - 3.2
		}
		out, err := evaluate(got, map[string]*constant{"x": x})
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range out[0].Data {
			if want := c.f(x.floats[i]); math.Abs(y-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s(%g) is %g, want %g", name, x.floats[i], y, want)
			}
		}
	}
}

// TestMatMulRanks: vectors, matrices and stacks of them, as in numpy.
func TestMatMulRanks(t *testing.T) {
	for _, c := range [][3][]int{
		{{3}, {3}, {}},
		{{3}, {3, 4}, {4}},
		{{2, 3}, {3}, {2}},
		{{5, 2, 3}, {3}, {5, 2}},
		{{3}, {5, 3, 4}, {5, 4}},
		{{5, 2, 3}, {3, 4}, {5, 2, 4}},
		{{2, 3}, {5, 3, 4}, {5, 2, 4}},
		{{6, 1, 2, 3}, {5, 3, 4}, {6, 5, 2, 4}},
	} {
		m := small()
		m.Graph.Input = []*onnxpb.ValueInfoProto{float32Info("x", c[0]...), float32Info("y", c[1]...)}
		m.Graph.Node[0].OpType = proto.String("MatMul")
		got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		x, y := newConstant(graph.Float32, c[0]...), newConstant(graph.Float32, c[1]...)
		for i := range x.floats {
			x.floats[i] = float64(i%5) - 1
		}
		for i := range y.floats {
			y.floats[i] = float64(i%7) - 3
		}
		out, err := evaluate(got, map[string]*constant{"x": x, "y": y})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out[0].Sizes, c[2]) {
			t.Errorf("%v by %v: %v, want %v", c[0], c[1], out[0].Sizes, c[2])
			continue
		}
		// The first element: the first row by the first column.
		columns := 1
		if len(c[1]) > 1 {
			columns = c[1][len(c[1])-1]
		}
		want := 0.0
		for k := range 3 {
			want += x.floats[k] * y.floats[k*columns]
		}
		if out[0].Data[0] != want {
			t.Errorf("%v by %v: %g, want %g", c[0], c[1], out[0].Data[0], want)
		}
	}
}

// TestOrder: nodes may come in any order.
func TestOrder(t *testing.T) {
	m := program("a = Relu(x)", "b = Neg(a)", "c = Add(a, b)", "d = Abs(c)", "y = Mul(d, a)")
	want, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(m.Graph.Node)
	got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, got.Graph, want.Graph)
	m.Graph.Node[0], m.Graph.Node[3] = m.Graph.Node[3], m.Graph.Node[0]
	if got, _, err = Read(put(t, marshal(t, m)), ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	sameGraph(t, got.Graph, want.Graph)
}

// TestNames: outputs keep their names where nodes vanish.
func TestNames(t *testing.T) {
	m := program("a = Relu(x)", "y = Identity(a)")
	m.Graph.Output = append(m.Graph.Output, float32Info("a", 2, 4))
	got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := Write(path, got, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	m = program("a = Relu(x)", "b = Identity(a)", "y = Identity(b)")
	if got, _, err = Read(put(t, marshal(t, m)), ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if text := got.Graph.String(); !strings.HasSuffix(text, "y = relu(x)\nreturn y\n") {
		t.Errorf("got\n%s", text)
	}
}

// text is a constant's sizes and elements.
func (k *constant) text() string {
	s := fmt.Sprint(k.sizes, " ")
	if k.dtype.IsFloat() {
		return s + strings.ToLower(strings.ReplaceAll(fmt.Sprint(k.floats), "+", ""))
	}
	return s + fmt.Sprint(k.ints)
}

// folded reads a node z of op on initializers and returns what it was computed to; nil
// where reading fails, which has to be as want says, or where it was not computed.
func folded(t *testing.T, op string, in []*onnxpb.TensorProto, attrs []*onnxpb.AttributeProto, want string) *constant {
	t.Helper()
	m := small()
	n := node(op, nil, []string{"z"}, attrs...)
	for i, p := range in {
		p = proto.Clone(p).(*onnxpb.TensorProto)
		p.Name = proto.String(fmt.Sprintf("i%d", i))
		m.Graph.Initializer = append(m.Graph.Initializer, p)
		n.Input = append(n.Input, p.GetName())
	}
	m.Graph.Node = []*onnxpb.NodeProto{n}
	got, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", op, err, want)
		}
		return nil
	}
	id, ok := got.Graph.Find("z")
	if !ok || !got.Graph.IsWeight(id) || r.Folded != 1 {
		t.Errorf("%s: not folded:\n%s", op, got.Graph)
		return nil
	}
	k, err := weightValue("z", got.Weights[id]).constant()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestEvaluateComparisons: what is not a number is neither less, nor equal, nor more.
func TestEvaluateComparisons(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := &constant{dtype: graph.Float32, sizes: []int{4}, floats: []float64{nan, inf, -inf, 1}}
	y := &constant{dtype: graph.Float32, sizes: []int{4}, floats: []float64{1, inf, inf, nan}}
	for op, want := range map[string][]int64{
		"Equal": {0, 1, 0, 0}, "Less": {0, 0, 1, 0}, "LessOrEqual": {0, 1, 1, 0}, "Greater": {0, 0, 0, 0}, "GreaterOrEqual": {0, 1, 0, 0},
	} {
		c := &call{im: &importer{opset: 13}, node: node(op, nil, []string{"z"}), op: lookup("", op), in: []*value{valueOf(x), valueOf(y)}, outs: make([]*value, 1)}
		got := c.evaluated()[0]
		if !slices.Equal(got.ints, want) {
			t.Errorf("%s: got %v, want %v", op, got.ints, want)
		}
	}
}
