package onnx

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/ort"
	sweeps "github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// A sweep makes small models of every listed operator in its operator sets, with
// its attributes, and asks ONNX Runtime what they compute: of the file as made,
// and of what we write after reading it. Neither answer comes from our code.

// operand is an input of a variant: a constant of the file if it is fixed.
type operand struct {
	name  string
	k     *constant
	fixed bool
}

// variant is a small model.
type variant struct {
	name  string
	opset int64
	nodes []*onnxpb.NodeProto
	in    []operand
	outs  []string
	types map[string]graph.TensorType // declared, of values that we cannot infer

	domain string // that the model imports beside ONNX's

	// What must happen instead of "read, and the same numbers": a node stays
	// opaque for a reason, the file is refused with an error, or ONNX Runtime
	// cannot run the model and says so.
	opaque, refused, peerless string

	// departs says why ONNX Runtime's answer for the file is not ONNX's. What we
	// write must still give our answer.
	departs string
}

// feed is an operand with small numbers that are made from its name.
func feed(name string, sizes ...int) operand {
	k := newConstant(graph.Float32, sizes...)
	rng := rand.New(rand.NewPCG(uint64(len(name))+uint64(name[0]), 7))
	for i := range k.floats {
		k.floats[i] = float64(float32(rng.IntN(4001)-2000) / 500)
	}
	return operand{name: name, k: k}
}

// fixedFeed is such an operand that the file holds.
func fixedFeed(name string, sizes ...int) operand {
	o := feed(name, sizes...)
	o.fixed = true
	return o
}

// given is an operand with these numbers, [n].
func given(name string, xs ...float64) operand {
	return operand{name: name, k: &constant{dtype: graph.Float32, sizes: []int{len(xs)}, floats: xs}}
}

func (o operand) sized(sizes ...int) operand {
	k := *o.k
	k.sizes = sizes
	o.k = &k
	return o
}

func (o operand) held() operand { o.fixed = true; return o }

// whole is an operand of integers, held by the file, [n].
func whole(name string, xs ...int64) operand {
	return operand{name: name, k: &constant{dtype: graph.Int64, sizes: []int{len(xs)}, ints: xs}, fixed: true}
}

func (o operand) as(t graph.DType) operand {
	k := newConstant(t, o.k.sizes...)
	for i := range o.k.len() {
		if x := o.k.number(i); t.IsFloat() {
			k.floats[i] = model.Round(t, x)
		} else {
			k.ints[i] = model.Wrap(t, int64(x))
		}
	}
	o.k = k
	return o
}

// proto is the model file of a variant.
func (v *variant) proto() *onnxpb.ModelProto {
	m := &onnxpb.ModelProto{
		IrVersion:   proto.Int64(irVersion(v.opset)),
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(v.opset)}},
		Graph:       &onnxpb.GraphProto{Name: proto.String("variant"), Node: v.nodes},
	}
	if v.domain != "" {
		m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(v.domain), Version: proto.Int64(1)})
	}
	for _, o := range v.in {
		t := graph.TensorType{DType: o.k.dtype, Sizes: o.k.sizes}
		if !o.fixed {
			m.Graph.Input = append(m.Graph.Input, valueInfo(o.name, t))
			continue
		}
		w := tensorProto(o.name, t)
		if w.RawData = pack(o.k.dtype, o.k.encode()); w.RawData == nil {
			w.RawData = []byte{}
		}
		m.Graph.Initializer = append(m.Graph.Initializer, w)
	}
	for _, o := range v.outs {
		info := &onnxpb.ValueInfoProto{Name: proto.String(o)}
		if t, ok := v.types[o]; ok {
			info = valueInfo(o, t)
		}
		m.Graph.Output = append(m.Graph.Output, info)
	}
	return m
}

func (v *variant) feeds() []ort.Tensor {
	var in []ort.Tensor
	for _, o := range v.in {
		if !o.fixed {
			in = append(in, ort.Tensor{Name: o.name, DType: o.k.dtype.String(), Sizes: o.k.sizes, Data: o.k.encode()})
		}
	}
	return in
}

// same compares what a run gave with what it must give: every element within
// 1e-4 of its own size or 1e-6 of the largest.
func same(got, want *constant) error {
	if got.dtype != want.dtype || !slices.Equal(got.sizes, want.sizes) {
		return fmt.Errorf("%s%v, want %s%v", got.dtype, got.sizes, want.dtype, want.sizes)
	}
	size := 1e-3
	for i := range want.len() {
		if x := math.Abs(want.number(i)); !math.IsInf(x, 0) && !math.IsNaN(x) {
			size = math.Max(size, x)
		}
	}
	tol := 1e-4
	if want.dtype == graph.Float16 {
		tol = 2e-3
	}
	for i := range want.len() {
		x, y := got.number(i), want.number(i)
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		if !(math.Abs(x-y) <= tol*math.Max(math.Abs(y), size/100)) {
			return fmt.Errorf("element %d is %g, want %g", i, x, y)
		}
	}
	return nil
}

func constantOf(t ort.Tensor) (*constant, error) {
	for _, d := range graph.DTypes() {
		if d.String() == t.DType {
			return decodeConstant(d, t.Sizes, t.Data)
		}
	}
	return nil, fmt.Errorf("element type %s", t.DType)
}

// evaluateVariant runs what was read in float64.
func evaluateVariant(m *model.Model, v *variant) ([]*constant, error) {
	byName := map[string]*constant{}
	for _, o := range v.in {
		byName[o.name] = o.k
	}
	ts, err := evaluate(m, byName)
	if err != nil {
		return nil, err
	}
	return rounded(m.Graph, ts), nil
}

// rounded are results with the element types of the graph's outputs.
func rounded(g *graph.Graph, ts []interp.Tensor[float64]) []*constant {
	var out []*constant
	for i, t := range ts {
		k := newConstant(g.DType(g.Outputs()[i]), t.Sizes...)
		for j, x := range t.Data {
			if k.dtype.IsFloat() {
				k.floats[j] = model.Round(k.dtype, x)
			} else {
				n := int64(x)
				if k.dtype == graph.Uint64 && x >= 1<<63 {
					n = int64(uint64(x))
				}
				k.ints[j] = n
			}
		}
		out = append(out, k)
	}
	return out
}

// addsTo adds keys to a set, and reports whether one of them is new.
func addsTo(set map[string]bool, keys iter.Seq[string]) bool {
	n := len(set)
	for k := range keys {
		set[k] = true
	}
	return len(set) > n
}

// sample is every third of many variants, and each that is the first with an operator in an
// operator set, with a number of inputs, with inputs of some ranks, with an element type, with
// an attribute's value, or with another outcome than "read, and the same numbers".
func sample(vs []*variant) []*variant {
	part, met := sweeps.Size(3, 1), map[string]bool{}
	if len(vs) < 120 {
		return vs
	}
	var out []*variant
	for i, v := range vs {
		keys := []string{fmt.Sprint(v.opaque, v.refused, v.peerless, v.departs)}
		for _, n := range v.nodes {
			op := n.GetOpType()
			keys = append(keys, fmt.Sprint(op, v.opset), fmt.Sprint(op, len(n.Input), len(n.Output)))
			for j, o := range v.in {
				keys = append(keys, fmt.Sprint(op, j, o.k.dtype, o.fixed), fmt.Sprint(op, j, len(o.k.sizes)))
				if o.fixed && len(o.k.floats) <= 4 {
					keys = append(keys, fmt.Sprint(op, v.opset, j, o.k.floats))
				}
			}
			for _, a := range n.Attribute {
				keys = append(keys, fmt.Sprint(op, v.opset, a))
			}
		}
		if addsTo(met, slices.Values(keys)) || i%part == 0 {
			out = append(out, v)
		}
	}
	return out
}

// sweep reads variants, and compares three answers: our evaluation, ONNX
// Runtime on the variant's file, and ONNX Runtime on what we write.
func sweep(t *testing.T, vs []*variant) {
	t.Helper()
	all := len(vs)
	vs = sample(vs)
	rt := ort.ForTest(t)
	dir := t.TempDir()
	var jobs []ort.Job
	ours := make([][]*constant, len(vs))
	written := make([]int, len(vs)) // job of what we write; 0 is none
	kept, refusals := 0, 0
	names := map[string]bool{}
	for i, v := range vs {
		for names[v.name] {
			v.name += "'"
		}
		names[v.name] = true
		path := filepath.Join(dir, fmt.Sprintf("%d.onnx", i))
		if err := os.WriteFile(path, marshal(t, v.proto()), 0o666); err != nil {
			t.Fatal(err)
		}
		m, r, err := Read(path, ReadOptions{})
		if err != nil {
			refusals++
			if v.refused == "" || !strings.Contains(err.Error(), v.refused) {
				t.Errorf("%s: %v", v.name, err)
			}
			continue
		}
		if v.refused != "" {
			t.Errorf("%s: it was read; want the error %s", v.name, v.refused)
		}
		if len(r.Opaque) > 0 {
			kept++
			if got := fmt.Sprint(r.Opaque); v.opaque == "" || !strings.Contains(got, v.opaque) {
				t.Errorf("%s: opaque %s", v.name, got)
			}
		} else if v.opaque != "" {
			t.Errorf("%s: nothing is opaque; want %s", v.name, v.opaque)
		} else if ours[i], err = evaluateVariant(m, v); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		jobs = append(jobs, ort.Job{Model: path, Inputs: v.feeds()})
		out := filepath.Join(dir, fmt.Sprintf("%d.written.onnx", i))
		sameGraph(t, rereadAt(t, out, m).Graph, m.Graph)
		written[i] = len(jobs)
		jobs = append(jobs, ort.Job{Model: out, Inputs: v.feeds()})
	}
	res, err := rt.RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, v := range vs {
		if written[i] == 0 {
			continue
		}
		peer, again := res[written[i]-1], res[written[i]]
		if v.peerless != "" {
			if peer.Err == nil || !strings.Contains(peer.Err.Error(), v.peerless) {
				t.Errorf("%s: ONNX Runtime: %v, want %s", v.name, peer.Err, v.peerless)
			}
			continue
		}
		if peer.Err != nil || again.Err != nil {
			t.Errorf("%s: ONNX Runtime on the file: %v; on what we write: %v", v.name, peer.Err, again.Err)
			continue
		}
		for j, o := range peer.Outputs {
			if v.departs != "" && v.opaque != "" {
				break // it is the same node, of which nothing is known
			}
			want, err := constantOf(o)
			if err != nil {
				t.Errorf("%s: %v", v.name, err)
				continue
			}
			got, err := constantOf(again.Outputs[j])
			if v.departs != "" && ours[i] != nil {
				if err == nil && same(ours[i][j], want) == nil {
					t.Errorf("%s: ONNX Runtime does not depart", v.name)
				}
				want = ours[i][j]
			}
			if err == nil {
				err = same(got, want)
			}
			if err != nil {
				t.Errorf("%s: what we write gives another output %d: %v", v.name, j, err)
			}
			if ours[i] != nil {
				if err := same(ours[i][j], want); err != nil {
					t.Errorf("%s: output %d: %v", v.name, j, err)
				}
			}
		}
		compared++
	}
	t.Logf("%d of %d variants: %d run by ONNX Runtime %s before and after with the same result, %d of them opaque; %d refused", len(vs), all, compared, rt.Version, kept, refusals)
}

// attributesNamed are attributes by name and value: int, float64, string, []int.
func attributesNamed(as []any) (out []*onnxpb.AttributeProto) {
	for i := 0; i+1 < len(as); i += 2 {
		switch name := as[i].(string); x := as[i+1].(type) {
		case int:
			out = append(out, intAttribute(name, int64(x)))
		case float64:
			out = append(out, floatAttribute(name, x))
		case string:
			out = append(out, textAttribute(name, x))
		case []int:
			out = append(out, intsAttribute(name, x...))
		default:
			panic(name)
		}
	}
	return out
}
