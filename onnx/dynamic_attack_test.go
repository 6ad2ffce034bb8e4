package onnx

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// attack is a model that a reader with variables may get wrong.
type attack struct {
	name  string
	in    string // inputs, such as: x n,4; y m
	nodes []*onnxpb.NodeProto
	ints  map[string][]int64 // constants
	float map[string][]int   // weights, with their sizes
	out   string
	info  string // declared types of values, as in
	opt   ReadOptions

	refused string // the error has this in it; "" if the model is right at all sizes
	dynamic string // the variables, if the model is read
	opaque  int    // nodes that are kept
	domain  string // that the model imports, too
}

// declaredAll parses types of float32, such as: x n,4; y m. Names are dynamic dimensions, ? is
// one without a name.
func declaredAll(text string) (all []*onnxpb.ValueInfoProto) {
	for _, part := range strings.Split(text, ";") {
		name, dims, _ := strings.Cut(strings.TrimSpace(part), " ")
		if name == "" {
			continue
		}
		v := valueInfo(name, graph.TensorType{DType: graph.Float32, Sizes: []int{}})
		shape := v.Type.GetTensorType().Shape
		for _, d := range strings.Split(dims, ",") {
			n := 0
			if _, err := fmt.Sscan(d, &n); err == nil {
				shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(n)}})
			} else if d != "" {
				shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: d}})
			}
		}
		all = append(all, v)
	}
	return all
}

func (a *attack) proto() *onnxpb.ModelProto {
	g := &onnxpb.GraphProto{Name: proto.String(a.name), Input: declaredAll(a.in), ValueInfo: declaredAll(a.info)}
	for i, n := range a.nodes {
		n.Name = proto.String(fmt.Sprintf("%s %d", n.GetOpType(), i))
	}
	g.Node = a.nodes
	for name, xs := range a.ints {
		g.Initializer = append(g.Initializer, intsWeight(name, []int{len(xs)}, xs...))
	}
	for name, sizes := range a.float {
		w := tensorProto(name, graph.TensorType{DType: graph.Float32, Sizes: sizes})
		k := newConstant(graph.Float32, sizes...)
		for i := range k.floats {
			k.floats[i] = float64(i%7) - 3
		}
		w.RawData = k.encode()
		g.Initializer = append(g.Initializer, w)
	}
	for _, name := range strings.Fields(a.out) {
		g.Output = append(g.Output, &onnxpb.ValueInfoProto{Name: proto.String(name)})
	}
	m := &onnxpb.ModelProto{IrVersion: proto.Int64(8), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}}, Graph: g}
	if a.domain != "" {
		m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(a.domain), Version: proto.Int64(1)})
	}
	return m
}

// to makes a node from text: Op in in -> out out.
func to(text string, as ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	left, right, _ := strings.Cut(text, "->")
	words := strings.Fields(left)
	for i, w := range words {
		if w == "_" {
			words[i] = ""
		}
	}
	return node(words[0], words[1:], strings.Fields(right), as...)
}

func choose(then, otherwise []*onnxpb.NodeProto) []*onnxpb.AttributeProto {
	branch := func(name string, nodes []*onnxpb.NodeProto) *onnxpb.AttributeProto {
		for i, n := range nodes {
			n.Name = proto.String(fmt.Sprintf("%s %s %d", name, n.GetOpType(), i))
		}
		last := nodes[len(nodes)-1].GetOutput()[0]
		g := &onnxpb.GraphProto{Name: proto.String(name), Node: nodes, Output: []*onnxpb.ValueInfoProto{{Name: proto.String(last)}}}
		return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: g}
	}
	return []*onnxpb.AttributeProto{branch("then_branch", then), branch("else_branch", otherwise)}
}

func samplesOf(n int) ReadOptions { return ReadOptions{Samples: map[string]int{"n": n, "m": n}} }

func from(lo int64) ReadOptions {
	return ReadOptions{Ranges: map[string]graph.Range{"n": {Lo: lo, Hi: 1000}}}
}

func ranged(name string, lo, hi int64) ReadOptions {
	return ReadOptions{Ranges: map[string]graph.Range{name: {Lo: lo, Hi: hi}}}
}

// fewInts are constants by their names.
var fewInts = map[string][]int64{"zero_": {0}, "one_": {1}, "two_": {2}, "three_": {3}, "ten_": {10}}

// floatNodes are nodes on scalars of float32: the size k of axis 0 of x, and numbers.
func floatNodes(names string, text ...string) (all []*onnxpb.NodeProto) {
	all = append(all, to("Shape x -> d"), to("Gather d zero_ -> g", intAttribute("axis", 0)), to("Squeeze g zero_ -> h_"), to("Cast h_ -> k", intAttribute("to", 1)))
	for _, n := range strings.Fields(names) {
		all = append(all, to(fmt.Sprintf("Squeeze %s_ zero_ -> %s_s", n, n)), to(fmt.Sprintf("Cast %s_s -> %s", n, n), intAttribute("to", 1)))
	}
	for _, t := range text {
		all = append(all, to(t))
	}
	return all
}

// pool are the attributes of windows.
func pool(kernel, strides, pads string, ceil bool) (all []*onnxpb.AttributeProto) {
	for name, text := range map[string]string{"kernel_shape": kernel, "strides": strides, "pads": pads} {
		var xs []int64
		for _, f := range strings.Fields(text) {
			n := int64(0)
			fmt.Sscan(f, &n)
			xs = append(xs, n)
		}
		if xs != nil {
			all = append(all, intsAttribute(name, xs...))
		}
	}
	return append(all, intAttribute("ceil_mode", truth(ceil)))
}

var conv3 = []*onnxpb.AttributeProto{intsAttribute("kernel_shape", 3, 3), intsAttribute("pads", 1, 1, 1, 1), intsAttribute("strides", 2, 2)}

func nodes(ns ...*onnxpb.NodeProto) []*onnxpb.NodeProto { return ns }

// attacks are made anew for each call: reading must not change nodes, and the test names them.
func attacks() []*attack {
	float := func(name string, sizes ...int) map[string][]int { return map[string][]int{name: sizes} }
	ints := func(name string, xs ...int64) map[string][]int64 { return map[string][]int64{name: xs} }
	scales := to("Constant -> s", &onnxpb.AttributeProto{Name: proto.String("value_floats"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{1, 1, 2, 2}})
	nearest := []*onnxpb.AttributeProto{textAttribute("mode", "nearest"), textAttribute("coordinate_transformation_mode", "asymmetric"), textAttribute("nearest_mode", "floor")}
	shapeN := slices.Clip(nodes(to("Shape x -> d"), to("Gather d zero -> n", intAttribute("axis", 0))))
	return []*attack{
		// A sample is a constant of the file.
		{name: "add a weight", in: "x n,4", nodes: nodes(to("Add x w -> y")), float: float("w", 3, 4), opt: samplesOf(3), refused: "do not broadcast at all sizes"},
		{name: "multiply a weight", in: "x 2,n", nodes: nodes(to("MatMul x w -> y")), float: float("w", 3, 5), opt: samplesOf(3), refused: "whether 3 is n"},
		{name: "join a weight", in: "x n,4", nodes: nodes(to("Concat x w -> y", intAttribute("axis", 1))), float: float("w", 3, 4), opt: samplesOf(3), refused: "n"},
		{name: "join along", in: "x n,4", nodes: nodes(to("Concat x w -> y", intAttribute("axis", 0))), float: float("w", 3, 4), opt: samplesOf(3), dynamic: "n from 1"},
		{name: "expand to a number", in: "x n,4", nodes: nodes(to("Expand x s -> y")), ints: ints("s", 3, 4), opt: samplesOf(3), refused: "do not broadcast at all sizes"},
		{name: "two variables of one sample", in: "x n; z m", nodes: nodes(to("Add x z -> y")), opt: samplesOf(4), refused: "do not broadcast at all sizes"},
		{name: "one name twice", in: "x n; z n", nodes: nodes(to("Add x z -> y")), dynamic: "n from 1"},
		{name: "no names", in: "x ?; z ?", nodes: nodes(to("Add x z -> y")), refused: "do not broadcast at all sizes"},
		{name: "channels", in: "x 1,n,5,5", nodes: nodes(to("Conv x w -> y")), float: float("w", 2, 3, 3, 3), opt: samplesOf(3), refused: "n"},
		{name: "a bias", in: "x n,3", nodes: nodes(to("Gemm x w b -> y", intAttribute("transA", 1))), float: map[string][]int{"w": {5, 2}, "b": {2}}, opt: samplesOf(5), refused: "n"},

		// Sizes of 1.
		{name: "broadcast a variable", in: "x n,4; z 1,4", nodes: nodes(to("Add x z -> y")), dynamic: "n from 1"},
		{name: "expand a variable", in: "x n,4", nodes: nodes(to("Expand x s -> y")), ints: ints("s", 5, 1, 1), dynamic: "n from 1"},
		{name: "expand to a variable", in: "x 1,4; z n", nodes: nodes(to("Shape z -> d"), to("Concat d four -> s", intAttribute("axis", 0)), to("Expand x s -> y")), ints: ints("four", 4), dynamic: "n from 1"},
		{name: "squeeze a variable", in: "x n,4", nodes: nodes(to("Squeeze x a -> y")), ints: ints("a", 0), opt: samplesOf(1), refused: "whether n is 1"},
		{name: "squeeze all", in: "x n,1,4", nodes: nodes(to("Squeeze x -> y")), refused: "whether n is 1"},
		{name: "squeeze all that are 1", in: "x n,1,4", nodes: nodes(to("Squeeze x -> y")), opt: from(2), dynamic: "n from 2"},

		// Reshapes that fit at samples.
		{name: "reshape to numbers", in: "x n,4", nodes: nodes(to("Reshape x s -> y")), ints: ints("s", 6, 2), opt: samplesOf(3), refused: "cannot be reshaped"},
		{name: "reshape to rows", in: "x n,4", nodes: nodes(to("Reshape x s -> y")), ints: ints("s", -1, 8), dynamic: "2*n from 1"},
		{name: "reshape to rows of 7", in: "x n,4", nodes: nodes(to("Reshape x s -> y")), ints: ints("s", -1, 28), dynamic: "7*n from 1"},
		{name: "keep and fill", in: "x n,4,m", nodes: nodes(to("Reshape x s -> y")), ints: ints("s", 0, 2, -1), dynamic: "n from 1, m from 1"},
		{name: "keep and fill with the wrong axis", in: "x 4,n", nodes: nodes(to("Reshape x s -> y")), ints: ints("s", 0, 4, -1), dynamic: "4*n from 1"},
		{name: "exchange sizes", in: "x n,m", nodes: nodes(to("Shape x -> d"), to("Gather d i -> e", intAttribute("axis", 0)), to("Reshape x e -> y")), ints: ints("i", 1, 0), dynamic: "n from 1, m from 1"},

		// Conditions that are true at samples.
		{name: "if with two ranks", in: "x n,4", nodes: append(shapeN, to("Equal n three -> c"), to("If c -> y", choose(nodes(to("Relu x -> p")), nodes(to("Unsqueeze x zero -> q")))...)),
			ints: map[string][]int64{"zero": {0}, "three": {3}}, opt: samplesOf(3), refused: "condition"},
		{name: "if with one rank", in: "x n,4", nodes: append(shapeN, to("Less n three -> c"), to("If c -> y", choose(nodes(to("Relu x -> p")), nodes(to("Neg x -> q")))...)),
			ints: map[string][]int64{"zero": {0}, "three": {3}}, dynamic: "n from 1"},
		{name: "if that is decided", in: "x n,4", nodes: append(shapeN, to("Less n one -> c"), to("If c -> y", choose(nodes(to("Relu x -> p")), nodes(to("Unsqueeze x zero -> q")))...)),
			ints: map[string][]int64{"zero": {0}, "one": {1}}, dynamic: "n from 1"},
		{name: "if with a branch that fails", in: "x n,4; z 1", nodes: nodes(to("Less z z -> c"), to("If c -> y", choose(nodes(to("Gather x five -> p", intAttribute("axis", 0))), nodes(to("Gather x zero -> q", intAttribute("axis", 0))))...)),
			ints: map[string][]int64{"zero": {0}, "five": {5}}, refused: "then_branch"},
		{name: "a shape by choice", in: "x n,4", nodes: append(shapeN, to("Less n three -> c"), to("Where c p q -> s"), to("Reshape x s -> y")),
			ints: map[string][]int64{"zero": {0}, "three": {3}, "p": {-1, 1}, "q": {-1, 2}}, refused: "not constant"},
		{name: "numbers by choice", in: "x n,4", nodes: append(shapeN, to("Less n three -> c"), to("Where c x w -> y")), float: float("w", 1, 4),
			ints: map[string][]int64{"zero": {0}, "three": {3}}, dynamic: "n from 1"},
		{name: "the larger size", in: "x n,1", nodes: append(shapeN, to("Max n three -> k"), to("Concat one k -> s", intAttribute("axis", 0)), to("Expand x s -> y")),
			ints: map[string][]int64{"zero": {0}, "three": {3}, "one": {1}}, refused: "not constant"},
		{name: "rounds of a loop", in: "x n,4", nodes: append(shapeN, to("Squeeze n zero -> k"), to("Cast one -> c", intAttribute("to", 9)), to("Squeeze c zero -> go"), to("Loop k go x -> y", &onnxpb.AttributeProto{Name: proto.String("body"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: &onnxpb.GraphProto{
			Input: []*onnxpb.ValueInfoProto{{Name: proto.String("i")}, {Name: proto.String("on")}, {Name: proto.String("v")}}, Node: nodes(to("Identity on -> still"), to("Neg v -> w")),
			Output: []*onnxpb.ValueInfoProto{{Name: proto.String("still")}, {Name: proto.String("w")}}}})),
			ints: map[string][]int64{"zero": {0}, "one": {1}}, refused: "number of rounds"},

		// Sizes at which the file fails, and sizes at which it is another model.
		{name: "an index", in: "x n,4", nodes: nodes(to("Gather x i -> y", intAttribute("axis", 0))), ints: ints("i", 4), dynamic: "n from 5"},
		{name: "an index from the end", in: "x n,4", nodes: nodes(to("Gather x i -> y", intAttribute("axis", 0))), ints: ints("i", -3, 1), dynamic: "n from 3"},
		{name: "a slice", in: "x n,4", nodes: nodes(to("Slice x lo hi -> y")), ints: map[string][]int64{"lo": {0}, "hi": {3}}, refused: "whether n is at least 3"},
		{name: "a slice of enough", in: "x n,4", nodes: nodes(to("Slice x lo hi -> y")), ints: map[string][]int64{"lo": {0}, "hi": {3}}, opt: from(3), dynamic: "n from 3"},
		{name: "every other", in: "x n,4", nodes: nodes(to("Slice x lo hi a by -> y")), ints: map[string][]int64{"lo": {0}, "hi": {1 << 60}, "a": {0}, "by": {2}}, dynamic: "n from 1"},
		{name: "backwards", in: "x n,4", nodes: nodes(to("Slice x lo hi a by -> y")), ints: map[string][]int64{"lo": {-1}, "hi": {-1 << 60}, "a": {0}, "by": {-1}}, dynamic: "n from 1"},
		{name: "a large end that is no end", in: "x n,4", nodes: nodes(to("Concat x x -> z", intAttribute("axis", 0)), to("Slice z lo hi -> y")), ints: map[string][]int64{"lo": {0}, "hi": {1_000_000_000}}, refused: "2*n"},
		{name: "halves", in: "x n,4", nodes: nodes(to("Split x -> y z", intAttribute("axis", 0))), out: "y z", dynamic: "2*n from 1"},
		{name: "parts", in: "x n,4", nodes: nodes(to("Split x s -> y z", intAttribute("axis", 0))), ints: ints("s", 3, 2), out: "y z", refused: "n"},
		{name: "a kernel", in: "x 1,1,n,m", nodes: nodes(to("Conv x w -> y")), float: float("w", 2, 1, 5, 3), dynamic: "n from 5, m from 3"},
		{name: "a kernel behind strides", in: "x 1,1,n,8", nodes: nodes(to("MaxPool x -> p", intsAttribute("kernel_shape", 3, 3), intsAttribute("strides", 2, 1)), to("Conv p w -> y")), float: float("w", 2, 1, 4, 3), dynamic: "n from 9"},
		{name: "reflection", in: "x n,4", nodes: nodes(to("Pad x p -> y", textAttribute("mode", "reflect"))), ints: ints("p", 3, 0, 1, 0), dynamic: "n from 4"},
		{name: "the largest", in: "x n,4", nodes: nodes(to("TopK x k -> y z", intAttribute("axis", 0))), ints: ints("k", 3), out: "y z", dynamic: "n from 3"},
		{name: "an encoder and a decoder", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", conv3...), to("Conv a w -> b", conv3...), scales, to("Resize b _ s -> u", nearest...), to("Add a u -> y")), float: float("w", 2, 2, 3, 3), dynamic: "4*n from 1, 4*m from 1"},
		{name: "linear", in: "x 1,2,n,m", nodes: nodes(scales, to("Resize x _ s -> y", textAttribute("mode", "linear"))), dynamic: "n from 1, m from 1"},
		{name: "linear with corners", in: "x 1,2,n,m", nodes: nodes(scales, to("Resize x _ s -> y", textAttribute("mode", "linear"), textAttribute("coordinate_transformation_mode", "align_corners"))), dynamic: "n from 1, m from 1"},
		{name: "linear to the sizes of another", in: "x 1,2,n,m; z 1,2,k,k", nodes: nodes(to("Shape z -> d"), to("Resize x _ _ d -> y", textAttribute("mode", "linear"), textAttribute("coordinate_transformation_mode", "asymmetric"))), dynamic: "n from 1, m from 1, k from 1"},
		{name: "nearest", in: "x 1,2,n,m", nodes: nodes(scales, to("Resize x _ s -> y", nearest...)), dynamic: "n from 1, m from 1"},
		{name: "a range without elements", in: "x n", nodes: append(shapeN, to("Sub n two -> e"), to("Squeeze e zero -> f"), to("Squeeze zero zero -> o"), to("Squeeze one zero -> p"), to("Range o f p -> y")),
			ints: map[string][]int64{"zero": {0}, "one": {1}, "two": {2}}, refused: "whether n-2 is at least 1"},
		{name: "a range of floats", in: "x n", nodes: floatNodes("two three", "Range two k three -> y"), ints: fewInts, opt: from(3), dynamic: "n from 3"},
		{name: "a range of floats from a size", in: "x n", nodes: floatNodes("one ten", "Range k ten one -> y"), ints: fewInts, opt: ranged("n", 1, 9), dynamic: "n from 1"},
		{name: "a range of too many floats", in: "x n", nodes: floatNodes("zero one", "Range zero k one -> y"), ints: fewInts, refused: "float32 does not hold all numbers up to n, which may be above 16777216"},
		{name: "a range of many floats", in: "x n", nodes: floatNodes("zero one", "Range zero k one -> y"), ints: fewInts, opt: ranged("n", 1, 1<<24), dynamic: "n from 1"},
		{name: "a range of parts", in: "x n", nodes: floatNodes("zero", "Div k w -> h", "Range zero h w -> y"), ints: fewInts, float: float("w"), opt: from(3), refused: "Range"},
		{name: "a range by parts", in: "x n", nodes: floatNodes("zero", "Range zero k w -> y"), ints: fewInts, float: float("w"), opt: from(3), refused: "Range"},
		{name: "division by a size", in: "x n", nodes: append(shapeN, to("Sub n four -> e"), to("Div ten e -> y")), ints: map[string][]int64{"zero": {0}, "four": {4}, "ten": {10}}, dynamic: "n from 5"},
		{name: "a size as a number", in: "x n,m", nodes: nodes(to("Shape x -> d"), to("ReduceProd d -> e", intAttribute("keepdims", 0)), to("Cast e -> f", intAttribute("to", 1)), to("Div x f -> y")), dynamic: "n from 1, m from 1"},
		{name: "a negative size", in: "x n", nodes: append(shapeN, to("Sub four n -> y")), ints: map[string][]int64{"zero": {0}, "four": {4}}, dynamic: "n from 1"},

		// Windows whose number is rounded up.
		{name: "up", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", pool("2 2", "2 2", "", true)...)), dynamic: "n from 1, m from 1"},
		{name: "up from overlaps", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", pool("3 3", "2 2", "", true)...)), dynamic: "n from 2, m from 2"},
		{name: "up with a border", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", pool("3 4", "2 3", "1 2 1 0", true)...)), dynamic: "n from 1, m from 1"},
		{name: "up to windows that begin outside", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", pool("2 3", "4 3", "1 1 1 2", true)...)), dynamic: "n from 1, m from 1"},
		{name: "up along one axis", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", pool("3 1", "2 1", "1 0 0 0", true)...)), dynamic: "n from 1, m from 1"},
		{name: "up of a line", in: "x 1,2,n", nodes: nodes(to("MaxPool x -> y", pool("3", "3", "", true)...)), dynamic: "n from 1"},
		{name: "up in space", in: "x 1,2,n,m,5", nodes: nodes(to("MaxPool x -> y", pool("3 2 3", "2 2 3", "", true)...)), dynamic: "n from 2, m from 1"},
		{name: "up at multiples", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", pool("2 2", "2 2", "", true)...)), opt: ReadOptions{Steps: map[string]int{"n": 2, "m": 4}}, dynamic: "2*n from 1, 4*m from 1"},
		{name: "averages", in: "x 1,2,n,m", nodes: nodes(to("AveragePool x -> y", pool("3 2", "2 3", "", true)...)), dynamic: "n from 2, m from 1"},
		{name: "averages with a border", in: "x 1,2,n,m", nodes: nodes(to("AveragePool x -> y", pool("3 4", "2 5", "1 2 0 3", true)...)), dynamic: "n from 1, m from 1"},
		{name: "averages with a border that counts", in: "x 1,2,n,m", nodes: nodes(to("AveragePool x -> y", append(pool("3 4", "2 3", "1 2 1 1", true), intAttribute("count_include_pad", 1))...)), dynamic: "n from 1, m from 1"},
		{name: "up with gaps", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", append(pool("2 2", "2 2", "", true), intsAttribute("dilations", 2, 2))...)), opaque: 1, dynamic: "n from 2, m from 2"},
		{name: "down with gaps", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> p", append(pool("2 3", "2 1", "0 1 1 2", false), intsAttribute("dilations", 2, 1))...), to("Relu p -> y")), opaque: 1, dynamic: "n from 2, m from 1"},
		{name: "gaps and padding by strides", in: "x 1,2,n,m", nodes: nodes(to("MaxPool x -> y", append(pool("2 3", "2 3", "", true), intsAttribute("dilations", 2, 3), textAttribute("auto_pad", "SAME_UPPER"))...)), refused: "auto_pad is SAME and dilations are not 1"},
		{name: "crops", in: "x 3,n", nodes: nodes(to("Resize x r s -> y", textAttribute("mode", "cubic"), textAttribute("coordinate_transformation_mode", "tf_crop_and_resize"))), float: map[string][]int{"r": {4}, "s": {2}}, refused: "does not follow"},
		{name: "a shortcut", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", conv3...), to("Conv x v -> b", intsAttribute("strides", 2, 2)), to("Add a b -> y")), float: map[string][]int{"w": {2, 2, 3, 3}, "v": {2, 2, 1, 1}}, dynamic: "n from 1, m from 1"},
		{name: "a shortcut that is rounded down", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", conv3...), to("MaxPool x -> b", pool("2 2", "2 2", "", false)...), to("Add a b -> y")), float: float("w", 2, 2, 3, 3), dynamic: "2*n from 1, 2*m from 1"},
		{name: "a shortcut that is rounded up", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", conv3...), to("MaxPool x -> b", pool("2 2", "2 2", "", true)...), to("Add a b -> y")), float: float("w", 2, 2, 3, 3), dynamic: "n from 1, m from 1"},
		{name: "patches", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", intsAttribute("strides", 4, 4)), to("Shape x -> d"), to("Div d four -> e"), to("Gather e hw -> f"), to("Concat bc f -> s", intAttribute("axis", 0)), to("Expand one s -> b"), to("Cast b -> c", intAttribute("to", 1)), to("Add a c -> y")),
			float: float("w", 3, 2, 4, 4), ints: map[string][]int64{"four": {1, 1, 4, 4}, "hw": {2, 3}, "bc": {1, 3}, "one": {1}}, opt: ReadOptions{Ranges: map[string]graph.Range{"n": {Lo: 4, Hi: 64}, "m": {Lo: 4, Hi: 64}}}, dynamic: "n from 4, m from 4"},

		// Dimensions that are called a sum.
		{name: "a sum", in: "x n + m; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Add x c -> y")), dynamic: "n from 1, m from 1"},
		{name: "a sum behind its parts", in: "z n; w m; x n + m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Add x c -> y")), dynamic: "n from 1, m from 1"},
		{name: "a sum that needs to be none", in: "x n + m; z n; w m", nodes: nodes(to("Relu x -> y")), dynamic: "nm from 1, n from 1, m from 1"},
		{name: "a sum of other sizes", in: "x n + k; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Add x c -> y")), refused: "do not broadcast at all sizes"},
		{name: "another sum", in: "x n + m; z n; w m", nodes: nodes(to("Concat z w w -> c", intAttribute("axis", 0)), to("Add x c -> y")), refused: "do not broadcast"},
		{name: "a sum of steps", in: "x n + m; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Add x c -> y")), opt: ReadOptions{Steps: map[string]int{"n": 3}}, dynamic: "3*n from 1, m from 1"},
		{name: "a slice up to a sum", in: "x 12; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Shape c -> d"), to("Slice x zero d -> e"), to("Add e c -> y")), ints: ints("zero", 0), refused: "a --range of n and m may decide it"},
		{name: "a slice up to a sum that is within", in: "x 12; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Shape c -> d"), to("Slice x zero d -> e"), to("Add e c -> y")), ints: ints("zero", 0),
			opt: ReadOptions{Ranges: map[string]graph.Range{"n": {Lo: 1, Hi: 7}, "m": {Lo: 1, Hi: 5}}}, dynamic: "n from 1, m from 1"},

		// Nodes that are kept, with sizes that their inputs say.
		{name: "to the sizes of a shortcut", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", conv3...), to("Shape x -> d"), to("Resize a _ _ d -> b", nearest...), to("Add x b -> y")), float: float("w", 2, 2, 3, 3), opaque: 1, dynamic: "n from 1, m from 1"},
		{name: "to the sizes of a shortcut at multiples", in: "x 1,2,n,m", nodes: nodes(to("Conv x w -> a", conv3...), to("Shape x -> d"), to("Resize a _ _ d -> b", nearest...), to("Add x b -> y")), float: float("w", 2, 2, 3, 3), opt: ReadOptions{Steps: map[string]int{"n": 2, "m": 2}}, dynamic: "2*n from 1, 2*m from 1"},
		{name: "cubic", in: "x 1,2,n,m", nodes: nodes(scales, to("Resize x _ s -> y", textAttribute("mode", "cubic"))), opaque: 1, dynamic: "n from 1, m from 1"},
		{name: "cubic to dynamic sizes", in: "z n", nodes: nodes(to("Shape z -> d"), to("Concat six d -> s", intAttribute("axis", 0)), to("Resize w _ _ s -> y", textAttribute("mode", "cubic"))), float: float("w", 3, 4), ints: ints("six", 6), opaque: 1, dynamic: "n from 1"},
		{name: "cubic to a size below", in: "x 3,n", nodes: nodes(to("Shape x -> d"), to("Sub d by -> s"), to("Resize x _ _ s -> y", textAttribute("mode", "cubic"))), ints: ints("by", 1, 2), opaque: 1, dynamic: "n from 3"},
		{name: "cubic by a part", in: "x 3,n", nodes: nodes(to("Resize x _ w -> y", textAttribute("mode", "cubic"))), float: float("w", 2), refused: "does not follow"},
		{name: "cubic with one scale", in: "x 3,n", nodes: nodes(to("Shape x -> s"), to("Resize x _ _ s -> y", textAttribute("mode", "cubic"), textAttribute("keep_aspect_ratio_policy", "not_larger"))), refused: "keep_aspect_ratio_policy"},

		// Nodes that are kept.
		{name: "kept without a type", in: "x n,4", nodes: nodes(to("Odd x -> y")), refused: "not say it", domain: "odd"},
		{name: "kept with a name", in: "x n,4", nodes: nodes(to("Odd x -> p"), to("Relu p -> y")), info: "p 4,n", opaque: 1, dynamic: "n from 1", domain: "odd"},
		{name: "kept with another name", in: "x n,4", nodes: nodes(to("Odd x -> p"), to("Relu p -> y")), info: "p 4,k", refused: "not fixed", domain: "odd"},
		{name: "kept with fixed sizes", in: "x n,4", nodes: nodes(to("Odd x -> p"), to("Add p w -> y")), info: "p 2,4", float: float("w", 2, 4), opaque: 1, dynamic: "n from 1", domain: "odd"},
		{name: "places of elements", in: "x n,4", nodes: nodes(to("NonZero x -> p"), to("Cast p -> y", intAttribute("to", 1))), info: "p 2,k", refused: "not fixed"},
		{name: "steps of a recurrent layer", in: "x n,2,3", nodes: nodes(to("LSTM x w r -> p q", intAttribute("hidden_size", 5)), to("Relu p -> y")), float: map[string][]int{"w": {1, 20, 3}, "r": {1, 20, 5}}, out: "y q", opaque: 1, dynamic: "n from 1"},
		{name: "the batch of a recurrent layer", in: "x 3,n,3", nodes: nodes(to("GRU x w r -> p q", intAttribute("hidden_size", 2)), to("Relu p -> y")), float: map[string][]int{"w": {1, 6, 3}, "r": {1, 6, 2}}, out: "y q", dynamic: "n from 1"},
	}
}

// TestDynamicAttacks: what is right at the sample sizes only is refused. What is read is right
// at all sizes.
func TestDynamicAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range attacks() {
		if a.out == "" {
			a.out = "y"
		}
		if a.domain != "" {
			a.nodes[0].Domain = proto.String(a.domain)
		}
		read := fileIn(t, a.proto())
		opt := a.opt
		opt.Dynamic = true
		m, rep, err := read(opt)
		if a.refused != "" {
			if err == nil || !strings.Contains(err.Error(), a.refused) {
				t.Errorf("%s: error %v, want one with %q", a.name, err, a.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		var vars []string
		for _, v := range rep.Dynamic {
			name := v.Name
			if v.Step != 1 {
				name = fmt.Sprintf("%d*%s", v.Step, name)
			}
			vars = append(vars, fmt.Sprintf("%s from %d", name, v.Lo))
		}
		if got := strings.Join(vars, ", "); got != a.dynamic || len(rep.Opaque) != a.opaque {
			t.Errorf("%s: %s with %d opaque nodes, want %s with %d", a.name, got, len(rep.Opaque), a.dynamic, a.opaque)
		}
		r := rand.New(rand.NewPCG(1, 1))
		opt.Samples = nil
		for range 6 {
			if err := atSizes(read, opt, m, drawn(r, rep.Dynamic, 7), r, true); err != nil {
				t.Errorf("%s: %v", a.name, err)
			}
		}
	}
}

// TestDynamicSamples: samples are sizes that nothing in the file has, and large enough.
func TestDynamicSamples(t *testing.T) {
	a := &attack{name: "kernel", in: "x 2,3,n,m", nodes: nodes(to("Conv x w -> y")), float: map[string][]int{"w": {5, 3, 7, 1}}, out: "y"}
	for _, c := range []struct {
		opt  ReadOptions
		want string
	}{
		{ReadOptions{}, "n 11 from 7, m 13 from 1"},
		{ReadOptions{Samples: map[string]int{"n": 3, "m": 2}}, "n 7 from 7, m 2 from 1"},
		{ReadOptions{Steps: map[string]int{"n": 4}, Ranges: map[string]graph.Range{"n": {Lo: 9, Hi: 16}}}, "n 3 from 3, m 11 from 1"},
		{ReadOptions{Batch: 9, Samples: map[string]int{"n": 30}}, "n 30 from 7, m 2 from 1"},
	} {
		p := a.proto()
		if c.opt.Batch > 0 {
			openDim(p.Graph.Input[0], 0, "batch")
		}
		c.opt.Dynamic = true
		m, rep, err := fileIn(t, p)(c.opt)
		if err != nil {
			t.Errorf("%v: %v", c.opt, err)
			continue
		}
		var got []string
		for _, v := range rep.Dynamic {
			got = append(got, fmt.Sprintf("%s %d from %d", v.Name, v.Sample, v.Lo))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%v: %s, want %s", c.opt, s, c.want)
		}
		if b := m.Graph.Sizes(m.Inputs()[0].Out(0))[0]; c.opt.Batch > 0 && b != 9 {
			t.Errorf("the batch is %d", b)
		}
	}
}

// TestDynamicFunctions: a name of a dimension within a function is not that of an input.
func TestDynamicFunctions(t *testing.T) {
	a := &attack{name: "function", in: "x m,4; z n,4", nodes: nodes(to("Call x -> p"), to("Add p z -> y")), out: "y", domain: "odd"}
	p := a.proto()
	p.Graph.Node[0].Domain = proto.String("odd")
	inner := to("Odd v -> t")
	inner.Domain = proto.String("odd")
	p.Functions = []*onnxpb.FunctionProto{{Domain: proto.String("odd"), Name: proto.String("Call"), Input: []string{"v"}, Output: []string{"w"},
		Node: nodes(inner, to("Relu t -> w")), ValueInfo: declaredAll("t n,4"), OpsetImport: p.OpsetImport}}
	if _, _, err := fileIn(t, p)(ReadOptions{Dynamic: true}); err == nil || !strings.Contains(err.Error(), "not fixed") {
		t.Errorf("error %v, want one of a size that is not fixed", err)
	}
}

// TestDynamicSums: a dimension that is called a sum is one only where the file cannot be read
// otherwise, or where variables that are given say so; then the report says it.
func TestDynamicSums(t *testing.T) {
	with := func(names ...string) ReadOptions {
		opt := ReadOptions{Dynamic: true, Variables: map[string]graph.SizeVar{}}
		for _, n := range names {
			opt.Variables[n] = graph.SizeVar{Range: graph.Range{Lo: 1, Hi: 9}, Step: 1}
		}
		return opt
	}
	for _, c := range []struct {
		add  bool
		opt  ReadOptions
		want string
	}{
		{false, ReadOptions{Dynamic: true}, "nm = 1 or more, n = 1 or more, m = 1 or more"},
		{false, with("n", "m", "nm"), "nm = 1 to 9, n = 1 to 9, m = 1 to 9"},
		{false, with("n", "m"), `n = 1 to 9, m = 1 to 9 (dimension "n + m" is m+n)`},
		{true, ReadOptions{Dynamic: true}, `n = 1 or more, m = 1 or more (dimension "n + m" is m+n)`},
		{true, with("n", "m"), `n = 1 to 9, m = 1 to 9 (dimension "n + m" is m+n)`},
	} {
		a := &attack{name: "sum", in: "x n + m; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Relu x -> y")), out: "y c"}
		if c.add {
			a = &attack{name: "sum", in: "x n + m; z n; w m", nodes: nodes(to("Concat z w -> c", intAttribute("axis", 0)), to("Add x c -> y")), out: "y"}
		}
		m, rep, err := fileIn(t, a.proto())(c.opt)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if got := m.Graph.Sizing().String(); got != c.want {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
		var list []string
		for _, v := range rep.Dynamic {
			list = append(list, v.String())
		}
		if got := strings.Join(list, ", "); got != c.want {
			t.Errorf("%v: the report says %s, want %s", c, got, c.want)
		}
	}
}
