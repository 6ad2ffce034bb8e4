package onnx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/fetch"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// conformanceDir is where Debian's libonnx-testdata puts ONNX's own tests:
// models with inputs and the outputs that they must give. Where the package is
// not installed, it is fetched and unpacked into the user's cache folder.
var conformanceDir = sync.OnceValues(func() (string, error) {
	return fetch.Debian(context.Background(), "libonnx-testdata", "/usr/lib/python3/dist-packages/onnx/backend/test/data", !testing.Short())
})

// listed are the operators that a reader of ONNX must know.
var listed = strings.Fields(`Conv Gemm MatMul Add Sub Mul Div Relu Sigmoid Tanh LeakyRelu Clip HardSigmoid HardSwish
	Softmax BatchNormalization LayerNormalization MaxPool AveragePool GlobalAveragePool Concat Split Slice Transpose
	Reshape Flatten Squeeze Unsqueeze ReduceMean ReduceSum ReduceMax Pad Resize Identity Dropout Constant Cast Gather Gelu`)

// alongside are those that must be read, too: what decomposed forms and
// arithmetic on shapes need.
var alongside = strings.Fields(`Elu Exp Sqrt Erf Reciprocal Neg Abs Log Max Min Shape Size ConstantOfShape Expand Sum`)

type conformanceTest struct {
	name, model string
	in, out     []*onnxpb.TensorProto
	inputs      []string
	ops         map[string]bool
	float32     bool
	newer       bool // of a newer version
	readBest    func() reading
}

// newerDir are the tests of single operators of a newer version of ONNX, of operator sets
// up to 26, from its Python package.
var newerDir = sync.OnceValues(func() (string, error) {
	return fetch.PyPI(context.Background(), "onnx", "1.21.0", "onnx/backend/test/data/node", !testing.Short())
})

func conformanceTests(t *testing.T) []*conformanceTest {
	t.Helper()
	dir, err := conformanceDir()
	if err != nil {
		ort.Absent(t, "ONNX's test data (apt-get install libonnx-testdata)", err)
	}
	return testsIn(t, dir, filepath.Join("*", "*"), false)
}

// newerTests are those of the newer version.
func newerTests(t *testing.T) []*conformanceTest {
	t.Helper()
	dir, err := newerDir()
	if err != nil {
		ort.Absent(t, "newer test data of ONNX (pip download onnx==1.21.0)", err)
	}
	return testsIn(t, dir, "*", true)
}

// testsOf are the tests of each folder, which several tests share.
var testsOf = struct {
	sync.Mutex
	in map[string][]*conformanceTest
}{in: map[string][]*conformanceTest{}}

func testsIn(t *testing.T, dir, folders string, newer bool) []*conformanceTest {
	t.Helper()
	testsOf.Lock()
	defer testsOf.Unlock()
	if tests := testsOf.in[dir]; tests != nil {
		return tests
	}
	files, err := filepath.Glob(filepath.Join(dir, folders, "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 1000 {
		t.Fatalf("only %d models in %s", len(files), dir)
	}
	var tests []*conformanceTest
	for _, f := range files {
		c := &conformanceTest{model: f, float32: true, newer: newer, ops: map[string]bool{}}
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
		for _, v := range slices.Concat(m.GetGraph().GetInput(), m.GetGraph().GetOutput()) {
			if elem(v.GetType().GetTensorType().GetElemType()) != elemFloat {
				c.float32 = false
			}
		}
		for _, v := range m.GetGraph().GetInput() {
			c.inputs = append(c.inputs, v.GetName())
		}
		dir := filepath.Join(filepath.Dir(f), "test_data_set_0")
		c.in = readTensors(t, dir, "input", m.GetGraph().GetInput())
		c.out = readTensors(t, dir, "output", m.GetGraph().GetOutput())
		c.readBest = sync.OnceValue(c.findBest)
		tests = append(tests, c)
	}
	testsOf.in[dir] = tests
	return tests
}

// readTensors reads recorded inputs or outputs; those that are sequences and
// the like are nil.
func readTensors(t *testing.T, dir, what string, types []*onnxpb.ValueInfoProto) []*onnxpb.TensorProto {
	t.Helper()
	var out []*onnxpb.TensorProto
	for i := 0; ; i++ {
		raw, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_%d.pb", what, i)))
		if err != nil {
			return out
		}
		p := &onnxpb.TensorProto{}
		if i < len(types) && types[i].GetType().GetTensorType() == nil {
			p = nil
		} else if err := proto.Unmarshal(raw, p); err != nil {
			t.Fatalf("%s: %s %d: %v", dir, what, i, err)
		} else if i < len(types) && elem(types[i].GetType().GetTensorType().GetElemType()) == onnxpb.TensorProto_BFLOAT16 && elem(p.GetDataType()) == onnxpb.TensorProto_UINT16 {
			p.DataType = proto.Int32(int32(onnxpb.TensorProto_BFLOAT16)) // older data hold their bits
		}
		out = append(out, p)
	}
}

// tensorOf is a tensor of test data as a constant.
func tensorOf(p *onnxpb.TensorProto) (*constant, error) {
	if p == nil {
		return nil, errors.New("an input or output is not a tensor")
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
	opt := ReadOptions{Defaults: true, Constants: map[string]*model.Weight{}, Shapes: map[string][]int{}}
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
// have shapes and axes as inputs. It is read once for all tests.
func (c *conformanceTest) best() (*model.Model, *Report, error) {
	b := c.readBest()
	return b.m, b.r, b.err
}

type reading struct {
	m   *model.Model
	r   *Report
	err error
}

func (c *conformanceTest) findBest() (b reading) {
	if b.m, b.r, b.err = c.read(len(c.inputs)); b.err == nil && len(b.r.Opaque) == 0 {
		return b
	}
	m, r, err := c.read(1)
	if err == nil && (b.err != nil || len(r.Opaque) == 0) {
		return reading{m, r, nil}
	}
	return b
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
// opaque nodes computes the recorded outputs. The others are in
// testdata/conformance.golden, with what is missing.
func TestConformance(t *testing.T) {
	t.Parallel()
	tests := conformanceTests(t)
	var float, mustRead, mustCompute, agreed, otherAgreed, opaque, refused int
	var rest []string
	for _, c := range tests {
		if c.float32 {
			float++
		}
		// All that count: operators of the list alone, and these with those that
		// models need beside them.
		listedOnly, must := c.float32, c.float32
		for op := range c.ops {
			listedOnly = listedOnly && slices.Contains(listed, op)
			must = must && (slices.Contains(listed, op) || slices.Contains(alongside, op))
		}
		if listedOnly {
			mustRead++
		}
		if must {
			mustCompute++
		}
		m, r, err := c.best()
		if err != nil || len(r.Opaque) > 0 {
			why := c.missing(r, err)
			if must {
				t.Errorf("%s: %s", c.name, why)
			}
			if err != nil {
				refused++
			} else {
				opaque++
			}
			kind := "others "
			if c.float32 {
				kind = "float32"
			}
			rest = append(rest, fmt.Sprintf("%s %s: %s", kind, c.name, why))
			continue
		}
		if err := c.computes(m); err != nil {
			if why := misrecorded[c.name]; why != "" {
				rest = append(rest, fmt.Sprintf("others  %s: %s", c.name, why))
				continue
			}
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.float32 {
			agreed++
		} else {
			otherAgreed++
		}
	}
	if float < 500 || mustRead < 200 || mustCompute < 300 || agreed < mustCompute {
		t.Errorf("only %d all-float32 models, %d and %d that must be read, %d that compute their outputs", float, mustRead, mustCompute, agreed)
	}
	t.Logf("%d models, %d all-float32; %d of these have only listed operators, %d with those alongside; computed as recorded: %d all-float32, %d others; kept opaque: %d, refused: %d",
		len(tests), float, mustRead, mustCompute, agreed, otherAgreed, opaque, refused)
	if len(tests) != 1072 {
		t.Logf("another version of the test data: the rest is not compared with what is known of 1.12")
		return
	}
	sort.Strings(rest)
	golden.Equal(t, filepath.Join("testdata", "conformance.golden"), strings.Join(rest, "\n")+"\n")
}

// missing is why a model is not read: the operators that are not known, or what
// else was said, without the file's name.
func (c *conformanceTest) missing(r *Report, err error) string {
	if err != nil {
		return strings.ReplaceAll(strings.ReplaceAll(err.Error(), c.model+": ", ""), "\n", " ")
	}
	var parts []string
	for _, op := range slices.Sorted(maps.Keys(r.Missing)) {
		for _, o := range r.Opaque {
			if o.Op == op {
				parts = append(parts, fmt.Sprintf("%s (%s)", op, o.Reason))
				break
			}
		}
	}
	return strings.Join(parts, ", ")
}

// misrecorded are tests whose outputs are not those of their models, with the reason. ONNX
// leaves them out of its own runs.
var misrecorded = map[string]string{
	"test_adam_multiple":                                                    "its outputs were recorded with an epsilon of 0.01, which its node does not say",
	"test_qlinearmatmul_2D_int8_float16":                                    wrapped,
	"test_qlinearmatmul_2D_int8_float32":                                    wrapped,
	"test_qlinearmatmul_3D_int8_float16":                                    wrapped,
	"test_qlinearmatmul_3D_int8_float32":                                    wrapped,
	"test_attention_3d_with_past_and_present_qk_matmul_bias":                unmasked,
	"test_attention_4d_with_past_and_present_qk_matmul_bias":                unmasked,
	"test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask":        unmasked,
	"test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask_causal": unmasked,
	"test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask":        unmasked,
	"test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask_causal": unmasked,
	"test_attention_4d_with_qk_matmul_bias":                                 unmasked,
	"test_attention_3d_with_past_and_present_qk_matmul_softcap":             capped,
	"test_attention_4d_with_qk_matmul_softcap":                              capped,
}

const unmasked = "its scores were recorded with the mask, where ONNX 1.23 and ONNX Runtime have them without"

const capped = "its outputs were recorded with the cap behind the mask, where ONNX 1.23 and ONNX Runtime add the mask behind the cap"

const wrapped = "its outputs were recorded modulo 256, where ONNX says that they are kept within the range of int8"

// rounds reports whether a model rounds to integers: what lies half-way between two of them
// in float32 need not in float64.
func rounds(m *model.Model) bool {
	for id := range m.Graph.Nodes() {
		if op := m.Graph.Op(id); op != nil && op.Name == "round" {
			return true
		}
	}
	return false
}

// computes runs the model and compares with the recorded outputs.
func (c *conformanceTest) computes(m *model.Model) error {
	out, err := c.evaluate(m)
	if err != nil {
		return err
	}
	if len(out) == 0 || len(c.out) != len(out) {
		return fmt.Errorf("%d outputs, %d are recorded", len(out), len(c.out))
	}
	for i, o := range out {
		k, err := tensorOf(c.out[i])
		if err == nil && k.dtype == graph.BFloat16 {
			// What ONNX 1.12 recorded was cut and not rounded; either is beside the number.
			for j, x := range o.Data {
				if d := math.Abs(x - k.number(j)); d > 0 && d <= math.Abs(x)/128 && !c.newer {
					o.Data[j] = k.number(j)
				}
			}
		}
		if err == nil && k.dtype == graph.Uint8 && rounds(m) {
			for j, x := range o.Data {
				if math.Abs(x-k.number(j)) == 1 {
					o.Data[j] = k.number(j)
				}
			}
		}
		if err == nil {
			err = agree(o, k)
		}
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}
