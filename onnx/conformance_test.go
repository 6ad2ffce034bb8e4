package onnx

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// conformanceDir is where Debian's libonnx-testdata puts ONNX's own tests:
// models with inputs and the outputs that they must give.
const conformanceDir = "/usr/lib/python3/dist-packages/onnx/backend/test/data"

// listed are the operators that must be read, and those of arithmetic on shapes.
var listed = strings.Fields(`Conv Gemm MatMul Add Sub Mul Div Relu Sigmoid Tanh LeakyRelu Clip HardSigmoid HardSwish
	Softmax BatchNormalization LayerNormalization MaxPool AveragePool GlobalAveragePool Concat Split Slice Transpose
	Reshape Flatten Squeeze Unsqueeze ReduceMean ReduceSum ReduceMax Pad Resize Identity Dropout Constant Cast Gather Gelu
	Elu Exp Sqrt Erf Reciprocal Neg Abs Log Max Min Shape Size ConstantOfShape Expand Sum`)

// refused are all-float32 models of listed operators that are kept opaque, with
// the reason.
var refused = map[string]string{}

type conformanceTest struct {
	name, model string
	in, out     []*onnxpb.TensorProto
	inputs      []string
	ops         map[string]bool
	float32     bool
}

func conformanceTests(t *testing.T) []*conformanceTest {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(conformanceDir, "*", "*", "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no ONNX test data: apt-get install libonnx-testdata")
	}
	var tests []*conformanceTest
	for _, f := range files {
		c := &conformanceTest{model: f, float32: true, ops: map[string]bool{}}
		c.name = filepath.Base(filepath.Dir(f))
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var m onnxpb.ModelProto
		if err := proto.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		for _, n := range m.GetGraph().GetNode() {
			c.ops[opName(n)] = true
		}
		init := map[string]bool{}
		for _, w := range m.GetGraph().GetInitializer() {
			init[w.GetName()] = true
		}
		for _, v := range slices.Concat(m.GetGraph().GetInput(), m.GetGraph().GetOutput()) {
			if elem(v.GetType().GetTensorType().GetElemType()) != elemFloat {
				c.float32 = false
			}
		}
		for _, v := range m.GetGraph().GetInput() {
			c.inputs = append(c.inputs, v.GetName())
		}
		dir := filepath.Join(filepath.Dir(f), "test_data_set_0")
		c.in, c.out = readTensors(t, dir, "input"), readTensors(t, dir, "output")
		tests = append(tests, c)
	}
	return tests
}

func readTensors(t *testing.T, dir, what string) []*onnxpb.TensorProto {
	t.Helper()
	var out []*onnxpb.TensorProto
	for i := 0; ; i++ {
		raw, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_%d.pb", what, i)))
		if err != nil {
			return out
		}
		p := &onnxpb.TensorProto{}
		if proto.Unmarshal(raw, p) != nil {
			p = nil // a sequence or an optional
		}
		out = append(out, p)
	}
}

// tensorOf is a tensor of test data as a constant.
func tensorOf(p *onnxpb.TensorProto) (*constant, error) {
	if p == nil {
		return nil, fmt.Errorf("not a tensor")
	}
	w, err := readWeight(p, source{})
	if err != nil {
		return nil, err
	}
	raw, err := w.Read()
	if err != nil {
		return nil, err
	}
	return decodeConstant(w.DType, w.Sizes, raw)
}

// read reads the model; the inputs from the given one on become constants.
func (c *conformanceTest) read(from int) (*model.Model, *Report, error) {
	opt := ReadOptions{Constants: map[string]*model.Weight{}, Shapes: map[string][]int{}}
	for i, p := range c.in {
		if i >= len(c.inputs) {
			break
		}
		k, err := tensorOf(p)
		if err != nil {
			return nil, nil, err
		}
		if i >= from {
			opt.Constants[c.inputs[i]] = k.weight()
		} else {
			opt.Shapes[c.inputs[i]] = k.sizes
		}
	}
	return Read(c.model, opt)
}

// best reads the model with all its inputs, or, if that leaves a node opaque or
// is refused, with the first one only, the others being constants: many tests
// have shapes and axes as inputs.
func (c *conformanceTest) best() (*model.Model, *Report, error) {
	m, r, err := c.read(len(c.inputs))
	if err == nil && len(r.Opaque) == 0 {
		return m, r, nil
	}
	m1, r1, err1 := c.read(1)
	if err1 == nil && (err != nil || len(r1.Opaque) == 0) {
		return m1, r1, nil
	}
	return m, r, err
}

// evaluate runs a model in float64 on the test's inputs.
func (c *conformanceTest) evaluate(m *model.Model) ([]interp.Tensor[float64], error) {
	byName := map[string]*constant{}
	for i, p := range c.in {
		if i < len(c.inputs) {
			k, err := tensorOf(p)
			if err != nil {
				return nil, err
			}
			byName[c.inputs[i]] = k
		}
	}
	return evaluate(m, byName)
}

func evaluate(m *model.Model, byName map[string]*constant) ([]interp.Tensor[float64], error) {
	var args []interp.Tensor[float64]
	for _, id := range m.Graph.Inputs() {
		k := byName[m.Graph.Name(id)]
		if w := m.Weights[id]; w != nil {
			raw, err := w.Read()
			if err != nil {
				return nil, err
			}
			if k, err = decodeConstant(w.DType, w.Sizes, raw); err != nil {
				return nil, err
			}
		}
		if k == nil {
			return nil, fmt.Errorf("no value for input %s", m.Graph.Name(id))
		}
		t := interp.Tensor[float64]{Sizes: k.sizes}
		for i := range k.len() {
			t.Data = append(t.Data, k.number(i))
		}
		args = append(args, t)
	}
	return interp.EvalGraph(context.Background(), interp.Float{}, m.Graph, args)
}

// agree compares with ONNX's own tolerances.
func agree(got interp.Tensor[float64], want *constant) error {
	if !slices.Equal(got.Sizes, want.sizes) {
		return fmt.Errorf("sizes %v, want %v", got.Sizes, want.sizes)
	}
	for i, x := range got.Data {
		y := want.number(i)
		if x != y && !(math.Abs(x-y) <= 1e-5+1e-3*math.Abs(y)) && !(math.IsNaN(x) && math.IsNaN(y)) {
			return fmt.Errorf("element %d is %g, want %g", i, x, y)
		}
	}
	return nil
}

// TestConformance: every model of float32 tensors that has only listed
// operators is read without opaque nodes, and every model that is read without
// opaque nodes computes the recorded outputs.
func TestConformance(t *testing.T) {
	t.Parallel()
	tests := conformanceTests(t)
	var all, float, mustRead, agreed, otherAgreed int
	missing := map[string]int{}
	failed := map[string]int{}
	for _, c := range tests {
		all++
		if c.float32 {
			float++
		}
		must := c.float32
		for op := range c.ops {
			must = must && slices.Contains(listed, op)
		}
		if _, ok := refused[c.name]; ok {
			must = false
		}
		if must {
			mustRead++
		}
		m, r, err := c.best()
		if err != nil || len(r.Opaque) > 0 {
			why := fmt.Sprint(err)
			if err == nil {
				why = fmt.Sprintf("opaque: %v", r.Opaque)
			}
			if must {
				t.Errorf("%s: %s", c.name, why)
			}
			if c.float32 {
				for op := range c.ops {
					if lowerings[op] == nil {
						missing[op]++
					}
				}
			}
			if err != nil {
				failed["refused"]++
			} else {
				failed["opaque"]++
			}
			if testing.Verbose() {
				t.Logf("not lowered: float32=%v %s: %s", c.float32, c.name, why)
			}
			continue
		}
		out, err := c.evaluate(m)
		if err == nil {
			for i, o := range out {
				if i >= len(c.out) {
					break
				}
				var k *constant
				if k, err = tensorOf(c.out[i]); err == nil {
					err = agree(o, k)
				}
				if err != nil {
					err = fmt.Errorf("output %d: %w", i, err)
					break
				}
			}
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.float32 {
			agreed++
		} else {
			otherAgreed++
		}
	}
	var names []string
	for op, n := range missing {
		names = append(names, fmt.Sprintf("%s %d", op, n))
	}
	sort.Strings(names)
	t.Logf("%d models, %d all-float32; %d of listed operators; computed as recorded: %d all-float32, %d others; kept opaque: %d, refused: %d",
		all, float, mustRead, agreed, otherAgreed, failed["opaque"], failed["refused"])
	t.Logf("operators without a lowering in all-float32 models: %s", strings.Join(names, ", "))
}
