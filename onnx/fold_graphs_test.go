package onnx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Random graphs of constants. Each is read twice: with its inputs as constants, so that it is
// folded, and with them as inputs.

var (
	signedTypes   = []graph.DType{graph.Int8, graph.Int16, graph.Int32, graph.Int64}
	unsignedTypes = []graph.DType{graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64}
	intTypes      = slices.Concat(signedTypes, unsignedTypes)
	realTypes     = []graph.DType{graph.Float16, graph.BFloat16, graph.Float32, graph.Float64}
	numberTypes   = slices.Concat(intTypes, realTypes)
	boolType      = []graph.DType{graph.Bool}
	plainTypes    = slices.Concat(numberTypes, boolType)
)

// foldable is an operator that is folded, and the element types of its first input.
type foldable struct {
	op    string
	types []graph.DType
	// rest are the other inputs for a first input x, and the attributes. Inputs that are held
	// are in the file both times.
	rest func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto)
	// outputs is the number of outputs; 0: 1.
	outputs int
}

// randomElement is an element of a type: small, at an end of the type, or where rounding shows.
func randomElement(r *rand.Rand, t graph.DType) (int64, float64) {
	lo, hi := t.IntRange()
	switch {
	case t == graph.Bool:
		return int64(r.IntN(2)), 0
	case !t.IsFloat():
		small := int64(r.IntN(9))
		if t.IsSigned() {
			small -= 4
		}
		return model.Wrap(t, []int64{small, small, small, lo, int64(hi), int64(hi) - 1, lo + 1, r.Int64()}[r.IntN(8)]), 0
	}
	small := float64(r.IntN(17)-8) / 4
	return 0, model.Round(t, []float64{small, small, small, r.NormFloat64(), 1 + math.Ldexp(r.Float64(), -10), math.Ldexp(small, 20), 1.0 / 3, 0.1}[r.IntN(8)])
}

func randomConstant(r *rand.Rand, t graph.DType, sizes ...int) *constant {
	k := newConstant(t, sizes...)
	for i := range k.len() {
		if n, x := randomElement(r, t); t.IsFloat() {
			k.floats[i] = x
		} else {
			k.ints[i] = n
		}
	}
	return k
}

// like is a constant beside x, of the same sizes or of some that broadcast with them.
func like(r *rand.Rand, x *constant, t graph.DType) *constant {
	sizes := slices.Clone(x.sizes)
	for i := range sizes {
		if r.IntN(4) == 0 {
			sizes[i] = 1
		}
	}
	return randomConstant(r, t, sizes[r.IntN(len(sizes)+1):]...)
}

func other(k *constant) operand { return operand{k: k} }
func kept(k *constant) operand  { return operand{k: k, fixed: true} }
func ints64(xs ...int) operand  { return kept(intConstant(xs...)) }

func alone(*rand.Rand, *constant) ([]operand, []*onnxpb.AttributeProto) { return nil, nil }

func withLike(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
	return []operand{other(like(r, x, x.dtype))}, nil
}

// withDivisor is withLike without zeros of integers.
func withDivisor(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
	k := like(r, x, x.dtype)
	for i, n := range k.ints {
		if n == 0 {
			k.ints[i] = 3
		}
	}
	return []operand{other(k)}, nil
}

func randomAxis(r *rand.Rand, x *constant) int { return r.IntN(2*x.rank()) - x.rank() }

func withAxis(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
	return nil, []*onnxpb.AttributeProto{intAttribute("axis", int64(randomAxis(r, x))), intAttribute("select_last_index", int64(r.IntN(2)))}
}

func withAxes(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
	return []operand{ints64(randomAxis(r, x))}, []*onnxpb.AttributeProto{intAttribute("keepdims", int64(r.IntN(2)))}
}

// positionsOn are positions on an axis.
func positionsOn(r *rand.Rand, axis int, sizes ...int) *constant {
	k := newConstant(graph.Int64, sizes...)
	for i := range k.ints {
		k.ints[i] = int64(r.IntN(2*axis) - axis)
	}
	return k
}

// scale are positive numbers.
func scale(r *rand.Rand, t graph.DType) *constant {
	return &constant{dtype: t, floats: []float64{model.Round(t, 0.25+r.Float64())}}
}

func castsTo(types []graph.DType) func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
	return func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return nil, []*onnxpb.AttributeProto{intAttribute("to", int64(elemOf(types[r.IntN(len(types))])))}
	}
}

func shapeOf(sizes ...int) operand { return ints64(sizes...) }

var foldables = []foldable{
	{"Add", numberTypes, withLike, 0}, {"Sub", numberTypes, withLike, 0}, {"Mul", numberTypes, withLike, 0},
	{"Div", numberTypes, withDivisor, 0}, {"Mod", intTypes, withDivisor, 0},
	{"Mod", numberTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		in, _ := withDivisor(r, x)
		return in, []*onnxpb.AttributeProto{intAttribute("fmod", 1)}
	}, 0},
	{"Max", numberTypes, withLike, 0}, {"Min", numberTypes, withLike, 0}, {"Sum", numberTypes, withLike, 0}, {"Mean", realTypes, withLike, 0},
	{"Pow", []graph.DType{graph.Int32, graph.Int64, graph.Float16, graph.Float32, graph.Float64}, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		k := newConstant([]graph.DType{x.dtype, graph.Int32, graph.Int64, graph.Float32}[r.IntN(4)])
		if n := r.IntN(5); k.dtype.IsFloat() {
			k.floats[0] = float64(n)
		} else {
			k.ints[0] = int64(n)
		}
		return []operand{kept(k)}, nil
	}, 0},
	{"BitwiseAnd", intTypes, withLike, 0}, {"BitwiseOr", intTypes, withLike, 0}, {"BitwiseXor", intTypes, withLike, 0}, {"BitwiseNot", intTypes, alone, 0},
	{"BitShift", unsignedTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		k := newConstant(x.dtype, x.sizes...)
		for i := range k.ints {
			k.ints[i] = int64(r.IntN(x.dtype.Bits()))
		}
		return []operand{other(k)}, []*onnxpb.AttributeProto{textAttribute("direction", []string{"LEFT", "RIGHT"}[r.IntN(2)])}
	}, 0},
	{"Equal", plainTypes, withLike, 0}, {"Less", numberTypes, withLike, 0}, {"LessOrEqual", numberTypes, withLike, 0},
	{"Greater", numberTypes, withLike, 0}, {"GreaterOrEqual", numberTypes, withLike, 0},
	{"And", boolType, withLike, 0}, {"Or", boolType, withLike, 0}, {"Xor", boolType, withLike, 0}, {"Not", boolType, alone, 0},
	{"Neg", slices.Concat(signedTypes, realTypes), alone, 0}, {"Abs", numberTypes, alone, 0}, {"Sign", numberTypes, alone, 0},
	{"Floor", realTypes, alone, 0}, {"Ceil", realTypes, alone, 0}, {"Round", realTypes, alone, 0}, {"Sqrt", realTypes, alone, 0},
	{"Exp", realTypes, alone, 0}, {"Log", realTypes, alone, 0}, {"Tanh", realTypes, alone, 0}, {"Reciprocal", realTypes, alone, 0}, {"Relu", slices.Concat(signedTypes, realTypes), alone, 0},
	{"HardSigmoid", realTypes, alone, 0}, {"Softplus", realTypes, alone, 0}, {"ThresholdedRelu", realTypes, alone, 0}, {"Shrink", realTypes, alone, 0},
	{"IsNaN", realTypes, alone, 0}, {"IsInf", []graph.DType{graph.Float32, graph.Float64}, alone, 0},
	{"Clip", numberTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		k := randomConstant(r, x.dtype, 2)
		lo, hi := newConstant(x.dtype), newConstant(x.dtype)
		i := int(truth(k.compare(0, 1) > 0))
		lo.put(0, k, i)
		hi.put(0, k, 1-i)
		return []operand{kept(lo), kept(hi)}, nil
	}, 0},
	{"Where", boolType, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		t := plainTypes[r.IntN(len(plainTypes))]
		return []operand{other(like(r, x, t)), other(like(r, x, t))}, nil
	}, 0},
	{"Cast", intTypes, castsTo(plainTypes), 0}, {"Cast", boolType, castsTo(plainTypes), 0},
	{"Cast", realTypes, castsTo(slices.Concat(realTypes, boolType, []graph.DType{graph.Int64, graph.Int32})), 0},
	{"Cast", realTypes, castsTo([]graph.DType{graph.Float8E4M3FN, graph.Float8E4M3FNUZ, graph.Float8E5M2, graph.Float8E5M2FNUZ}), 0},
	{"ReduceSum", numberTypes, withAxes, 0}, {"ReduceProd", numberTypes, withAxes, 0}, {"ReduceMax", numberTypes, withAxes, 0}, {"ReduceMin", numberTypes, withAxes, 0},
	{"ReduceMean", realTypes, withAxes, 0}, {"ReduceL1", realTypes, withAxes, 0}, {"ReduceL2", realTypes, withAxes, 0}, {"ReduceSumSquare", numberTypes, withAxes, 0},
	{"ReduceLogSumExp", realTypes, withAxes, 0},
	{"ArgMax", numberTypes, withAxis, 0}, {"ArgMin", numberTypes, withAxis, 0}, {"Softmax", realTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return nil, []*onnxpb.AttributeProto{intAttribute("axis", int64(randomAxis(r, x)))}
	}, 0},
	{"CumSum", numberTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{kept(intScalar(randomAxis(r, x)))}, []*onnxpb.AttributeProto{intAttribute("exclusive", int64(r.IntN(2))), intAttribute("reverse", int64(r.IntN(2)))}
	}, 0},
	{"TopK", numberTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		a := r.IntN(x.rank())
		return []operand{ints64(1 + r.IntN(x.sizes[a]))}, []*onnxpb.AttributeProto{intAttribute("axis", int64(a)), intAttribute("largest", int64(r.IntN(2)))}
	}, 2},
	{"MatMul", slices.Concat(realTypes, []graph.DType{graph.Int32, graph.Int64, graph.Uint32, graph.Uint64}), func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{other(randomConstant(r, x.dtype, x.sizes[x.rank()-1], 2))}, nil
	}, 0},
	{"MatMulInteger", []graph.DType{graph.Int8, graph.Uint8}, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{other(randomConstant(r, []graph.DType{graph.Int8, graph.Uint8}[r.IntN(2)], x.sizes[x.rank()-1], 2))}, nil
	}, 0},
	{"QuantizeLinear", []graph.DType{graph.Float32}, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{other(scale(r, x.dtype)), kept(randomConstant(r, []graph.DType{graph.Int8, graph.Uint8}[r.IntN(2)]))}, nil
	}, 0},
	{"DequantizeLinear", []graph.DType{graph.Int8, graph.Uint8}, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{other(scale(r, graph.Float32)), kept(randomConstant(r, x.dtype))}, nil
	}, 0},
	{"Transpose", plainTypes, alone, 0}, {"Identity", plainTypes, alone, 0},
	{"Reshape", plainTypes, func(_ *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{shapeOf(-1, 1)}, nil
	}, 0},
	{"Expand", plainTypes, func(_ *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{shapeOf(slices.Concat([]int{2}, x.sizes)...)}, nil
	}, 0},
	{"Tile", plainTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		reps := make([]int, x.rank())
		for i := range reps {
			reps[i] = r.IntN(3)
		}
		return []operand{shapeOf(reps...)}, nil
	}, 0},
	{"Slice", plainTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{ints64(r.IntN(5) - 2), ints64(r.IntN(7) - 3), ints64(randomAxis(r, x)), ints64([]int{1, 2, -1}[r.IntN(3)])}, nil
	}, 0},
	{"Concat", plainTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		a := r.IntN(x.rank())
		sizes := slices.Clone(x.sizes)
		sizes[a] = 1 + r.IntN(2)
		return []operand{other(randomConstant(r, x.dtype, sizes...))}, []*onnxpb.AttributeProto{intAttribute("axis", int64(a))}
	}, 0},
	{"Gather", plainTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		a := r.IntN(x.rank())
		return []operand{other(positionsOn(r, x.sizes[a], 3))}, []*onnxpb.AttributeProto{intAttribute("axis", int64(a))}
	}, 0},
	{"GatherElements", plainTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		a := r.IntN(x.rank())
		return []operand{kept(positionsOn(r, x.sizes[a], x.sizes...))}, []*onnxpb.AttributeProto{intAttribute("axis", int64(a))}
	}, 0},
	{"ScatterElements", numberTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		a := r.IntN(x.rank())
		k := positionsOn(r, x.sizes[a], x.sizes...)
		how := []string{"none", "add", "mul", "max", "min"}[r.IntN(5)]
		if how == "none" { // places of which none comes twice
			graph.Each(x.sizes, func(flat int, idx []int) { k.ints[flat] = int64(x.sizes[a] - 1 - idx[a]) })
		}
		return []operand{kept(k), other(randomConstant(r, x.dtype, x.sizes...))}, []*onnxpb.AttributeProto{intAttribute("axis", int64(a)), textAttribute("reduction", how)}
	}, 0},
	{"Compress", plainTypes, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		a := r.IntN(x.rank())
		return []operand{kept(randomConstant(r, graph.Bool, x.sizes[a]))}, []*onnxpb.AttributeProto{intAttribute("axis", int64(a))}
	}, 0},
	{"OneHot", []graph.DType{graph.Int32, graph.Int64, graph.Float32}, func(r *rand.Rand, x *constant) ([]operand, []*onnxpb.AttributeProto) {
		return []operand{ints64(3), other(randomConstant(r, []graph.DType{x.dtype, graph.Int64, graph.Float32}[r.IntN(3)], 2))}, nil
	}, 0},
}

// foldGraph is a chain of nodes on constants.
type foldGraph struct {
	variant
}

// grow adds a node that reads x, a value of the graph of which k is known.
func (g *foldGraph) grow(r *rand.Rand, f *foldable, x string, k *constant) string {
	rest, attrs := f.rest(r, k)
	in := []string{x}
	for _, o := range rest {
		o.name = fmt.Sprintf("i%d", len(g.in))
		in = append(in, o.name)
		g.in = append(g.in, o)
	}
	var outs []string
	for i := range max(f.outputs, 1) {
		outs = append(outs, fmt.Sprintf("v%d.%d", len(g.nodes), i))
	}
	g.nodes = append(g.nodes, node(f.op, in, outs, attrs...))
	g.outs = outs
	g.name += " " + f.op + " " + graph.TensorType{DType: k.dtype, Sizes: k.sizes}.String()
	return outs[0]
}

func newFoldGraph(k *constant) *foldGraph {
	return &foldGraph{variant: variant{opset: 18, in: []operand{{name: "x", k: k}}}}
}

// folded are the outputs where all inputs are constants; nil if one was not computed.
func (g *foldGraph) folded(t *testing.T) []*constant {
	t.Helper()
	consts := map[string]*model.Weight{}
	for _, o := range g.in {
		if !o.fixed {
			consts[o.name] = o.k.weight()
		}
	}
	m, _, err := Read(put(t, marshal(t, g.proto())), ReadOptions{Constants: consts, KeepDecomposed: true})
	if err != nil {
		return nil
	}
	var out []*constant
	for _, y := range m.Graph.Outputs() {
		w := m.Weights[y.Node]
		if w == nil {
			return nil
		}
		k, err := weightValue("", w).constant()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, k)
	}
	return out
}

// run evaluates the graph that is read where the inputs are none: nil and no error if a node
// is kept as it is.
func (g *foldGraph) run(t *testing.T) ([]*constant, error) {
	t.Helper()
	m, report, err := Read(put(t, marshal(t, g.proto())), ReadOptions{KeepDecomposed: true})
	var untyped *Untyped
	if errors.As(err, &untyped) || err == nil && len(report.Opaque) > 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	byName := map[string]*constant{}
	for _, o := range g.in {
		byName[o.name] = o.k
	}
	var args []interp.Values
	for _, id := range m.Graph.Inputs() {
		k := byName[m.Graph.Name(id)]
		if w := m.Weights[id]; w != nil {
			if k, err = weightValue("", w).constant(); err != nil {
				return nil, err
			}
		}
		args = append(args, k.values())
	}
	vs, err := interp.EvalValues(context.Background(), m.Graph, args)
	var out []*constant
	for _, v := range vs {
		out = append(out, ofValues(v))
	}
	return out, err
}

// identical reports whether constants are the same numbers of one type.
func identical(a, b *constant) bool {
	if a.dtype != b.dtype || !slices.Equal(a.sizes, b.sizes) || !slices.Equal(a.ints, b.ints) {
		return false
	}
	return slices.EqualFunc(a.floats, b.floats, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// TestFoldedIsRun: what is folded is what the interpreter computes where nothing is folded,
// to the last bit.
func TestFoldedIsRun(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	type use struct {
		op string
		t  graph.DType
	}
	compared, tried := map[use]int{}, map[use]int{}
	trial := func(first *foldable, typ graph.DType, length int) {
		sizes := [][]int{{3}, {2, 3}, {2, 1, 3}}[r.IntN(3)]
		if first.op == "MatMulInteger" {
			sizes = []int{2, 3}
		}
		k := randomConstant(r, typ, sizes...)
		g := newFoldGraph(k)
		at := "x"
		for f := first; length > 0; length-- {
			u := use{f.op, k.dtype}
			at = g.grow(r, f, at, k)
			folded := g.folded(t)
			tried[u]++
			if folded == nil {
				return // it has no value, or no lowering
			}
			ran, err := g.run(t)
			switch {
			case err != nil:
				t.Errorf("%s: folded, and not run: %v", g.name, err)
			case ran == nil:
				compared[u]++ // kept as it is where it is not folded
			default:
				compared[u]++
				for i := range folded {
					if !identical(folded[i], ran[i]) {
						t.Fatalf("%s: folded to %s, run as %s", g.name, folded[i].text(), ran[i].text())
					}
				}
			}
			if k = folded[0]; k.len() == 0 || k.rank() == 0 || k.rank() > 3 || k.len() > 60 {
				return
			}
			var next []*foldable
			for i := range foldables {
				if slices.Contains(foldables[i].types, k.dtype) && (foldables[i].op != "MatMulInteger" || k.rank() == 2) {
					next = append(next, &foldables[i])
				}
			}
			if len(next) == 0 {
				return
			}
			f = next[r.IntN(len(next))]
		}
	}
	for i := range foldables {
		for _, typ := range foldables[i].types {
			for range 2 {
				trial(&foldables[i], typ, 1+r.IntN(3))
			}
		}
	}
	total := 0
	for u, n := range tried {
		total += compared[u]
		if compared[u] == 0 {
			t.Logf("%s of %s: never folded in %d graphs", u.op, u.t, n)
		}
	}
	t.Logf("%d graphs, %d operators and element types", total, len(compared))
}
