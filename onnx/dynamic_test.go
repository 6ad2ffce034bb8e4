package onnx

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	sweeps "github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// readFrom reads a model with other options.
type readFrom func(opt ReadOptions) (*model.Model, *Report, error)

// fileIn reads a model in memory.
func fileIn(t *testing.T, p *onnxpb.ModelProto) readFrom {
	t.Helper()
	raw, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return func(opt ReadOptions) (*model.Model, *Report, error) {
		return decode(bytes.NewReader(raw), inMemory(raw), opt)
	}
}

// inputValues are random values for the inputs of a model.
func inputValues(r *rand.Rand, m *model.Model) []interp.Values {
	var in []interp.Values
	for _, id := range m.Inputs() {
		typ := m.Graph.Type(id.Out(0))
		v := interp.Values{DType: typ.DType, Sizes: typ.Sizes}
		for range graph.NumElements(typ.Sizes) {
			if typ.DType.IsFloat() {
				v.Floats = append(v.Floats, float64(r.IntN(65)-32)/16)
			} else {
				v.Ints = append(v.Ints, int64(r.IntN(2)))
			}
		}
		in = append(in, v)
	}
	return in
}

// valuesFrom evaluates a model on values of its inputs.
func valuesFrom(m *model.Model, in []interp.Values) ([]interp.Values, error) {
	given := map[graph.NodeID]interp.Values{}
	for i, id := range m.Inputs() {
		given[id] = in[i]
	}
	var all []interp.Values
	for _, id := range m.Graph.Inputs() {
		if w := m.Weights[id]; w != nil {
			raw, err := w.Read()
			if err != nil {
				return nil, err
			}
			k, err := decodeConstant(w.DType, w.Sizes, raw)
			if err != nil {
				return nil, err
			}
			given[id] = k.values()
		}
		all = append(all, given[id])
	}
	return interp.EvalValues(context.Background(), m.Graph, all)
}

// sameValues compares outputs of one model, read in two ways.
func sameValues(a, b []interp.Values) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d and %d outputs", len(a), len(b))
	}
	for i, x := range a {
		y := b[i]
		if x.DType != y.DType || !slices.Equal(x.Sizes, y.Sizes) {
			return fmt.Errorf("output %d: %s%v and %s%v", i, x.DType, x.Sizes, y.DType, y.Sizes)
		}
		for j, n := range x.Ints {
			if y.Ints[j] != n {
				return fmt.Errorf("output %d: element %d is %d and %d", i, j, n, y.Ints[j])
			}
		}
		for j, p := range x.Floats {
			if q := y.Floats[j]; p != q && !(math.Abs(p-q) <= 1e-4*(1+math.Abs(q))) && !(math.IsNaN(p) && math.IsNaN(q)) {
				return fmt.Errorf("output %d: element %d is %g and %g", i, j, p, q)
			}
		}
	}
	return nil
}

// atSizes compares a model with dynamic sizes, at values of its variables, with the file read
// at these sizes. With run it compares what they compute, else the types of their outputs.
func atSizes(read readFrom, opt ReadOptions, m *model.Model, sizes map[string]int, r *rand.Rand, run bool) error {
	a, err := m.At(sizes)
	if err != nil {
		return fmt.Errorf("at %v: %w", sizes, err)
	}
	opt.Dynamic, opt.Shapes, opt.Some = false, map[string][]int{}, true
	for _, id := range a.Inputs() {
		opt.Shapes[a.Graph.Name(id)] = a.Graph.Sizes(id.Out(0))
	}
	b, _, err := read(opt)
	if err != nil {
		// Then the model has to fail, too, as by a division by zero.
		if run && !hasOpaque(a) {
			if _, failed := valuesFrom(a, inputValues(r, a)); failed != nil {
				return nil
			}
		}
		return fmt.Errorf("at %v the file fails: %w", sizes, err)
	}
	if !run || hasOpaque(a) || hasOpaque(b) {
		for i, x := range a.Graph.Outputs() {
			if s, y := a.Graph.Type(x), b.Graph.Type(b.Graph.Outputs()[i]); s.DType != y.DType || !slices.Equal(s.Sizes, y.Sizes) {
				return fmt.Errorf("at %v: output %d is %s and %s", sizes, i, s, y)
			}
		}
		return nil
	}
	in := inputValues(r, a)
	x, err := valuesFrom(a, in)
	y, failed := valuesFrom(b, in)
	if err != nil && failed != nil {
		return nil // such as a division by zero
	}
	if err == nil {
		err = failed
	}
	if err == nil {
		err = sameValues(x, y)
	}
	if err != nil {
		return fmt.Errorf("at %v: %w", sizes, err)
	}
	return nil
}

func hasOpaque(m *model.Model) bool {
	for id := range m.Graph.Nodes() {
		if _, _, ok := m.Graph.Opaque(id); ok {
			return true
		}
	}
	return false
}

// drawn are random values of variables, near the lower ends of their ranges.
func drawn(r *rand.Rand, vars []Variable, most int) map[string]int {
	sizes := map[string]int{}
	for _, v := range vars {
		sizes[v.Name] = int(min(v.Lo+int64(r.IntN(most)), v.Hi))
	}
	return sizes
}

// openDim lets an axis of an input be dynamic.
func openDim(in *onnxpb.ValueInfoProto, axis int, name string) {
	in.Type.GetTensorType().Shape.Dim[axis] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: name}}
}

// TestDynamicConformance: where ONNX's own tests of an operator are read with a dynamic first
// axis, they compute at other sizes what the file computes that is read at these.
func TestDynamicConformance(t *testing.T) {
	t.Parallel()
	tests := conformanceTests(t)
	r := rand.New(rand.NewPCG(3, 1))
	whole, reads, other := sweeps.Size(0, 1) == 1, 0, 0
	for i, c := range tests {
		if !whole && i%4 != 0 {
			continue
		}
		m, rep, err := c.best()
		if err != nil || len(rep.Opaque) > 0 || m.Graph.Len() > 300 {
			continue
		}
		raw, err := os.ReadFile(c.model)
		if err != nil {
			t.Fatal(err)
		}
		p := &onnxpb.ModelProto{}
		if err := proto.Unmarshal(raw, p); err != nil {
			t.Fatal(err)
		}
		// Inputs that the best reading takes for constants are such here.
		opt := ReadOptions{Dynamic: true, Defaults: true, Constants: map[string]*model.Weight{}, Some: true}
		names, opened := map[string]bool{}, false
		for _, id := range m.Inputs() {
			names[m.Graph.Name(id)] = true
		}
		first := -1
		for j, in := range p.Graph.Input {
			if !names[in.GetName()] {
				if j < len(c.in) {
					if k, err := tensorOf(c.in[j]); err == nil {
						opt.Constants[in.GetName()] = k.weight()
					}
				}
				continue
			}
			dims := in.GetType().GetTensorType().GetShape().GetDim()
			if len(dims) == 0 {
				continue
			}
			// One variable for all first axes of the same size.
			if n, fixed := dimSize(dims[0]); fixed && (first < 0 || int(n) == first) && n > 1 {
				first, opened = int(n), true
				openDim(in, 0, "first")
			}
		}
		for _, out := range p.Graph.Output {
			out.Type.GetTensorType().Reset()
		}
		if !opened {
			continue
		}
		read := fileIn(t, p)
		d, got, err := read(opt)
		if err != nil || len(got.Opaque) > 0 {
			if other++; testing.Verbose() {
				t.Logf("%s: %v", c.name, err)
			}
			continue
		}
		reads++
		for range 2 {
			if err := atSizes(read, opt, d, drawn(r, got.Dynamic, 4), r, true); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	t.Logf("%d read for all sizes, %d not", reads, other)
	if floor := sweeps.Size(60, 250); reads < floor {
		t.Errorf("only %d are read, want %d", reads, floor)
	}
}

// operations is the work of a model at values of its variables.
func operations(m *model.Model, sizes map[string]int) (n int64) {
	a, err := m.At(sizes)
	if err != nil {
		return 0
	}
	g := a.Graph
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil {
			var in, out [][]int
			for _, t := range g.Operands(id) {
				in = append(in, g.Sizes(t))
			}
			for i := range g.NumOut(id) {
				out = append(out, g.Sizes(id.Out(i)))
			}
			n += op.WorkOf(g.Attrs(id), in, out).FLOPs
		}
	}
	return n
}

// TestDynamicModels reads the models of $TASO_DYNAMIC_MODELS, a pattern of files, with variables
// and compares them at sizes with the files read at these.
func TestDynamicModels(t *testing.T) {
	pattern := os.Getenv("TASO_DYNAMIC_MODELS")
	if pattern == "" {
		t.Skip("TASO_DYNAMIC_MODELS is not set")
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range files {
		read := func(opt ReadOptions) (*model.Model, *Report, error) { return Read(f, opt) }
		name := strings.TrimSuffix(filepath.Base(f), ".onnx")
		opt := ReadOptions{Dynamic: true, Ranges: map[string]graph.Range{"sequence": {Lo: 1, Hi: 512}, "sequence_length": {Lo: 1, Hi: 512}}}
		m, rep, err := read(opt)
		if err != nil {
			t.Logf("%s: refused: %v", name, err)
			continue
		}
		if len(rep.Dynamic) == 0 {
			continue
		}
		what := "read"
		for _, o := range rep.Opaque {
			what += ", with " + o.Op
		}
		var vars []string
		for _, v := range rep.Dynamic {
			vars = append(vars, fmt.Sprintf("%s = %d*%s from %d", v.Dim, v.Step, v.Name, v.Lo))
		}
		t.Logf("%s: %s; %s", name, what, strings.Join(vars, ", "))
		for i := range 3 {
			sizes := drawn(r, rep.Dynamic, 4)
			run := i == 0 && !hasOpaque(m) && operations(m, sizes) < 1<<25
			if run {
				t.Logf("%s: numbers are compared at %v", name, sizes)
			}
			if err := atSizes(read, opt, m, sizes, r, run); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
