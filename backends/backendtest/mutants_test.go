package backendtest

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// nodes is the type of oracle.node.
type nodes = func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor

// otherAttr: a node of op is computed as if an attribute had the
// value that change makes of it, where that is defined and has the same sizes.
func otherAttr(name, param string, change func(graph.Value) (graph.Value, bool)) nodes {
	return func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if op.Name != name {
			return nil
		}
		i := op.ParamIndex(param)
		v, ok := change(a[i])
		if !ok {
			return nil
		}
		b := slices.Clone(a)
		b[i] = v
		return applied(op, b, in, out)
	}
}

// applied is a node's result, or nil if there is none of these sizes.
func applied(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
	res, err := interp.Apply(interp.Float{}, op, a, in)
	if err != nil || len(res) != len(out) {
		return nil
	}
	for i := range res {
		if len(res[i].Data) != graph.NumElements(out[i]) {
			return nil
		}
		res[i].Sizes = out[i]
	}
	return res
}

// otherInputs changes the operands of an operator.
func otherInputs(name string, change func(in []tensor) []tensor) nodes {
	return func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if op.Name != name {
			return nil
		}
		return applied(op, a, change(in), out)
	}
}

// otherResult changes the results.
func otherResult(name string, change func(in, out []float64)) nodes {
	return func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if op.Name != name {
			return nil
		}
		res := applied(op, a, in, out)
		for i := range res {
			var first []float64
			if len(in) > 0 {
				first = in[0].Data
			}
			change(first, res[i].Data)
		}
		return res
	}
}

// function replaces a function of one element.
func function(name string, f func(float64) float64) nodes {
	return otherResult(name, func(in, out []float64) {
		for i := range out {
			out[i] = f(in[i])
		}
	})
}

func swapped(v graph.Value) (graph.Value, bool) {
	t, ok := v.Tuple()
	if !ok || len(t) != 2 {
		return v, false
	}
	return graph.TupleValue(t[1], t[0]), t[0] != t[1]
}

func renamed(from, to string) func(graph.Value) (graph.Value, bool) {
	return func(v graph.Value) (graph.Value, bool) {
		name, _ := v.Name()
		return graph.NameValue(to), name == from
	}
}

func number(x float64) func(graph.Value) (graph.Value, bool) {
	return func(graph.Value) (graph.Value, bool) { return graph.NumberValue(x), true }
}

// reversedPads exchanges top with bottom and left with right.
func reversedPads(v graph.Value) (graph.Value, bool) {
	t, ok := v.Tuple()
	if !ok || len(t) != 4 {
		return v, false
	}
	return graph.TupleValue(t[2], t[3], t[0], t[1]), true
}

func nextAxis(by int64) func(graph.Value) (graph.Value, bool) {
	return func(v graph.Value) (graph.Value, bool) {
		d, _ := v.Dim()
		n, ok := d.Const()
		return graph.IntValue(n + by), ok
	}
}

// flat replaces what is not a number, as fmaxf does.
func flat(x []float64) {
	for i, v := range x {
		if v != v {
			x[i] = math.Inf(-1)
		}
	}
}

// mutants are wrong backends, and the operator that they get wrong, "" for
// those that break a promise of the interface.
var mutants = []struct {
	name, op string
	o        *oracle
}{
	{"convolution: the odd cell of padding on the other side", "conv2d", &oracle{node: otherAttr("conv2d", "pad", renamed("same_upper", "same_lower"))}},
	{"convolution: and the other way round", "conv2d", &oracle{node: otherAttr("conv2d", "pad", renamed("same_lower", "same_upper"))}},
	{"convolution: pads exchanged", "conv2d", &oracle{node: otherAttr("conv2d", "pad", reversedPads)}},
	{"convolution: strides exchanged", "conv2d", &oracle{node: otherAttr("conv2d", "stride", swapped)}},
	{"convolution: the kernel turned", "conv2d", &oracle{node: otherInputs("conv2d", func(in []tensor) []tensor {
		w := tensor{Sizes: in[1].Sizes, Data: slices.Clone(in[1].Data)}
		cells := w.Sizes[2] * w.Sizes[3]
		for i := 0; i < len(w.Data); i += cells {
			slices.Reverse(w.Data[i : i+cells])
		}
		return []tensor{in[0], w}
	})}},
	{"convolution: no activation", "conv2d", &oracle{node: otherAttr("conv2d", "act", renamed("relu", "none"))}},
	{"convolution: the groups of the first for all", "conv2d", &oracle{node: func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if op.Name != "conv2d" || in[0].Sizes[1] == in[1].Sizes[1] {
			return nil
		}
		x := tensor{Sizes: in[0].Sizes, Data: slices.Clone(in[0].Data)}
		cells := x.Sizes[2] * x.Sizes[3]
		for i := range x.Data {
			c := i / cells % x.Sizes[1]
			x.Data[i] = in[0].Data[i+(c%in[1].Sizes[1]-c)*cells]
		}
		return applied(op, a, []tensor{x, in[1]}, out)
	}}},
	{"convolution: the second image is the first", "conv2d", &oracle{node: otherResult("conv2d", func(_, out []float64) {
		if n := len(out); n == 2*5*7*9 {
			copy(out[n/2:], out[:n/2])
		}
	})}},
	{"max pool: a border of zeros", "poolmax", &oracle{node: otherResult("poolmax", func(_, out []float64) {
		for i := range out {
			out[i] = math.Max(out[i], 0)
		}
	})}},
	{"max pool: what is no number is lost", "poolmax", &oracle{node: otherInputs("poolmax", func(in []tensor) []tensor {
		x := tensor{Sizes: in[0].Sizes, Data: slices.Clone(in[0].Data)}
		flat(x.Data)
		return []tensor{x}
	})}},
	{"average pool: counts the border", "poolavg", &oracle{node: otherAttr("poolavg", "border", renamed("excluded", "counted"))}},
	{"average pool: does not count the border", "poolavg", &oracle{node: otherAttr("poolavg", "border", renamed("counted", "excluded"))}},
	{"product: half the precision", "matmul", &oracle{node: otherResult("matmul", func(_, out []float64) {
		for i := range out {
			out[i] = coarse(out[i])
		}
	})}},
	{"product: all batches take the first matrix", "matmul", &oracle{node: otherInputs("matmul", func(in []tensor) []tensor {
		y := tensor{Sizes: in[1].Sizes, Data: slices.Clone(in[1].Data)}
		r := len(y.Sizes)
		one := y.Sizes[r-1] * y.Sizes[r-2]
		for i := range y.Data {
			y.Data[i] = y.Data[i%one]
		}
		return []tensor{in[0], y}
	})}},
	{"product: the last term of a long sum is left out", "matmul", &oracle{node: otherInputs("matmul", func(in []tensor) []tensor {
		x := tensor{Sizes: in[0].Sizes, Data: slices.Clone(in[0].Data)}
		if k := x.Sizes[len(x.Sizes)-1]; k > 256 {
			for i := k - 1; i < len(x.Data); i += k {
				x.Data[i] = 0
			}
		}
		return []tensor{x, in[1]}
	})}},
	{"softmax along another axis", "softmax", &oracle{node: otherAttr("softmax", "axis", nextAxis(-1))}},
	{"softmax without a bound", "softmax", &oracle{node: otherResult("softmax", func(in, out []float64) {
		if slices.Max(in) > 88.8 { // where float32 overflows
			out[0] = math.NaN()
		}
	})}},
	{"softmax: masked elements count", "softmax", &oracle{node: otherInputs("softmax", func(in []tensor) []tensor {
		x := tensor{Sizes: in[0].Sizes, Data: slices.Clone(in[0].Data)}
		for i := range x.Data {
			x.Data[i] = math.Max(x.Data[i], -9)
		}
		return []tensor{x}
	})}},
	{"layer norm: no epsilon", "layernorm", &oracle{node: otherAttr("layernorm", "eps", number(0))}},
	{"batch norm: another epsilon", "batchnorm", &oracle{node: otherAttr("batchnorm", "eps", number(1e-4))}},
	{"batch norm: mean and bias exchanged", "batchnorm", &oracle{node: otherInputs("batchnorm", func(in []tensor) []tensor {
		return []tensor{in[0], in[1], in[3], in[2], in[4]}
	})}},
	{"gelu by tanh", "gelu", &oracle{node: function("gelu", func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	})}},
	{"relu: what is not a number is zero", "relu", &oracle{node: function("relu", func(x float64) float64 {
		if x > 0 {
			return x
		}
		return 0
	})}},
	{"exp overflows early", "exp", &oracle{node: function("exp", func(x float64) float64 { return math.Exp(math.Max(-60, math.Min(x, 3))) })}},
	{"maximum: what is not a number is lost", "ewmax", &oracle{node: otherResult("ewmax", func(_, out []float64) { flat(out) })}},
	{"difference: the wrong way", "ewsub", &oracle{node: otherInputs("ewsub", func(in []tensor) []tensor { return []tensor{in[1], in[0]} })}},
	{"quotient: the wrong way", "ewdiv", &oracle{node: otherInputs("ewdiv", func(in []tensor) []tensor { return []tensor{in[1], in[0]} })}},
	{"sigmoid as it is hard", "sigmoid", &oracle{node: function("sigmoid", func(x float64) float64 { return math.Max(0, math.Min(1, x/6+0.5)) })}},
	{"tanh by a short series", "tanh", &oracle{node: function("tanh", func(x float64) float64 {
		if math.Abs(x) < 1 {
			return x - x*x*x/3 + 2*x*x*x*x*x/15
		}
		return math.Tanh(x)
	})}},
	{"elu with another slope", "elu", &oracle{node: otherAttr("elu", "alpha", number(1))}},
	{"leaky relu with another slope", "leakyrelu", &oracle{node: otherAttr("leakyrelu", "alpha", number(0.01))}},
	{"clip: one bound", "clip", &oracle{node: otherAttr("clip", "lo", number(math.Inf(-1)))}},
	{"hard sigmoid of the book", "hardsigmoid", &oracle{node: otherAttr("hardsigmoid", "alpha", number(0.2))}},
	{"transpose: the inverse", "transpose", &oracle{node: otherAttr("transpose", "perm", func(v graph.Value) (graph.Value, bool) {
		t, _ := v.Tuple()
		inv := make([]int64, len(t))
		for i, p := range t {
			inv[p] = int64(i)
		}
		return graph.TupleValue(inv...), true
	})}},
	{"concat: the other order", "concat", &oracle{node: otherInputs("concat", func(in []tensor) []tensor { return []tensor{in[1], in[0]} })}},
	{"slice: one further", "slice", &oracle{node: func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if op.Name != "slice" {
			return nil
		}
		b := slices.Clone(a)
		for _, p := range []string{"lo", "hi"} {
			b[op.ParamIndex(p)], _ = nextAxis(-1)(a[op.ParamIndex(p)])
		}
		return applied(op, b, in, out)
	}}},
	{"split: the parts exchanged", "split", &oracle{node: func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		res := applied(op, a, in, out)
		if op.Name == "split" && len(res[0].Data) == len(res[1].Data) {
			return []tensor{res[1], res[0]}
		}
		return nil
	}}},
	{"pad: before and after exchanged", "pad", &oracle{node: func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if op.Name != "pad" {
			return nil
		}
		return applied(op, graph.Attrs{a[1], a[0], a[2]}, in, out)
	}}},
	{"pad: zeros", "pad", &oracle{node: otherAttr("pad", "value", number(0))}},
	{"sum: the first axis only", "reducesum", &oracle{node: otherResult("reducesum", func(in, out []float64) {
		if len(out) == 4 {
			out[3] = 0
		}
	})}},
	{"mean: divides by one less", "reducemean", &oracle{node: otherResult("reducemean", func(in, out []float64) {
		if n := len(in) / len(out); n > 1 {
			for i := range out {
				out[i] *= float64(n) / float64(n-1)
			}
		}
	})}},
	{"maximum of rows: at least zero", "reducemax", &oracle{node: otherResult("reducemax", func(_, out []float64) {
		for i := range out {
			out[i] = math.Max(out[i], 0)
		}
	})}},
	{"resize: half a cell off", "resize", &oracle{node: otherAttr("resize", "mode", renamed("linear_half_pixel", "linear_asymmetric"))}},
	{"resize: ties up", "resize", &oracle{node: otherAttr("resize", "mode", renamed("nearest_round_half_pixel", "nearest_roundup_half_pixel"))}},
	{"resize: corners", "resize", &oracle{node: otherAttr("resize", "mode", renamed("linear_align_corners", "linear_half_pixel"))}},
	{"resize: one cell", "resize", &oracle{node: otherAttr("resize", "mode", renamed("linear_pytorch_half_pixel", "linear_half_pixel"))}},
	{"gather: positions modulo two", "gather", &oracle{node: otherInputs("gather", func(in []tensor) []tensor {
		i := tensor{Sizes: in[1].Sizes, Data: slices.Clone(in[1].Data)}
		for k := range i.Data {
			i.Data[k] = math.Mod(i.Data[k], 2)
		}
		return []tensor{in[0], i}
	})}},
	{"cast: to the nearest integer", "cast", &oracle{node: func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor {
		if to, _ := a[0].Name(); op.Name != "cast" || to != "int64" {
			return nil
		}
		res := applied(op, a, in, out)
		for i, v := range in[0].Data {
			res[0].Data[i] = math.Round(v)
		}
		return res
	}}},
	{"integers of 32 bits", "transpose", &oracle{node: otherResult("transpose", func(in, out []float64) {
		for i, v := range out {
			if v > math.MaxInt32 {
				out[i] = float64(int32(int64(v)))
			}
		}
	})}},
	{"broadcast: cells of the first row repeated", "broadcast", &oracle{node: otherResult("broadcast", func(in, out []float64) {
		for i := range out {
			out[i] = in[i%len(in)]
		}
	})}},
	{"reshape: transposes", "reshape", &oracle{node: otherResult("reshape", func(in, out []float64) {
		slices.Reverse(out)
	})}},
	{"enlarge: to the end", "enlarge", &oracle{node: otherResult("enlarge", func(in, out []float64) {
		slices.Reverse(out)
	})}},
	{"constant kernels of ones", "iconv", &oracle{node: otherResult("iconv", func(_, out []float64) {
		for i := range out {
			out[i] = 1
		}
	})}},
	{"an operator that is said not to be there", "conv2d", &oracle{lacks: "conv2d"}},

	{"inputs are not checked", "", &oracle{noCheck: true}},
	{"sizes of weights are not checked", "", &oracle{noShapeCheck: true}},
	{"contexts are ignored", "", &oracle{ignoreCancel: true}},
	{"weights are read when running", "", &oracle{lateWeights: true}},
	{"results are overwritten", "", &oracle{ownResults: true}},
	{"inputs are overwritten", "", &oracle{eatsInputs: true}},
	{"a cancelled run shows in the next", "", &oracle{stale: true}},
	{"a closed plan runs", "", &oracle{runsClosed: true}},
	{"plans cannot be closed twice", "", &oracle{closeTwice: true}},
	{"reshape is free", "", &oracle{freeOp: "reshape"}},
	{"a profile without a run", "", &oracle{earlyProfile: true}},
	{"unknown nodes are not named", "", &oracle{notNamed: true}},
}

// fails is the first case that a backend fails.
func fails(t *testing.T, cases []Case, b backends.Backend) (Case, error) {
	for _, c := range cases {
		var err error
		func() {
			defer func() {
				if r := recover(); r != nil {
					err = errors.New("panic")
				}
			}()
			err = c.Check(t.Context(), b)
		}()
		if err != nil {
			return c, err
		}
	}
	return Case{}, nil
}

// TestMutants: a backend that gets one thing wrong does not pass.
func TestMutants(t *testing.T) {
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		var cases []Case
		for _, c := range all {
			if slices.Contains(c.Ops, m.op) || m.op == "" && (len(c.Ops) == 0 || slices.Contains(c.Ops, "tanh")) {
				cases = append(cases, c)
			}
		}
		if len(cases) == 0 {
			t.Errorf("%s: no case has operator %s", m.name, m.op)
		}
		if c, err := fails(t, cases, m.o); err == nil {
			t.Errorf("%s: it passes", m.name)
		} else if testing.Verbose() {
			t.Logf("%s: fails %s", m.name, c.Name)
		}
	}
}

// TestOracle: the interpreter passes.
func TestOracle(t *testing.T) { Run(t, &oracle{}) }

// TestEveryOperator: each operator there is has cases of its own: fed, with
// weights, alone and with a tail.
func TestEveryOperator(t *testing.T) {
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, c := range all {
		for _, op := range c.Ops {
			count[op]++
		}
	}
	for _, op := range graph.Ops() {
		if op.Name == graph.OpaqueName {
			continue
		}
		if least := map[bool]int{true: 1, false: 5}[op.In == 0]; count[op.Name] < least {
			t.Errorf("operator %s is in %d cases", op.Name, count[op.Name])
		}
	}
}

// TestCaseNames: each name occurs once.
func TestCaseNames(t *testing.T) {
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.Name] {
			t.Errorf("case %s occurs twice", c.Name)
		}
		seen[c.Name] = true
	}
	if len(all) < 1000 {
		t.Errorf("%d cases", len(all))
	}
}
