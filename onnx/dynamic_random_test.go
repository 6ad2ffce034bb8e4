package onnx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	sweeps "github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Random models with dynamic dimensions and arithmetic on shapes. The generator knows what
// each value is at some assignments of numbers to the dimensions, and adds only nodes that are
// defined at all of them. Whether they are defined at others is for the reader to find.

const assignments = 3

// drawnTensor is a tensor of float32 with its sizes at each assignment.
type drawnTensor struct {
	name  string
	sizes [assignments][]int
}

// drawnInts is a list of integers with its elements at each assignment.
type drawnInts struct {
	name string
	xs   [assignments][]int
}

type drawnModel struct {
	r       *rand.Rand
	g       *onnxpb.GraphProto
	dims    [assignments]map[string]int
	tensors []drawnTensor
	lists   []drawnInts
	ops     map[string]int
}

// maxDrawn bounds the elements of tensors, so that models are evaluated quickly.
const maxDrawn = 600

func (m *drawnModel) fresh() string { return fmt.Sprintf("v%d", len(m.g.Node)+len(m.g.Initializer)) }

func (m *drawnModel) node(op string, in []string, as ...*onnxpb.AttributeProto) string {
	out := m.fresh()
	n := node(op, in, []string{out}, as...)
	n.Name = proto.String("to " + out)
	m.g.Node = append(m.g.Node, n)
	m.ops[op]++
	return out
}

// ints is a constant list.
func (m *drawnModel) ints(xs ...int) drawnInts {
	l := drawnInts{name: m.fresh()}
	w := tensorProto(l.name, graph.TensorType{DType: graph.Int64, Sizes: []int{len(xs)}})
	k := intConstant(xs...)
	w.RawData = k.encode()
	if w.RawData == nil {
		w.RawData = []byte{}
	}
	m.g.Initializer = append(m.g.Initializer, w)
	for a := range l.xs {
		l.xs[a] = xs
	}
	return l
}

// weight is a constant tensor.
func (m *drawnModel) weight(sizes ...int) drawnTensor {
	t := drawnTensor{name: m.fresh()}
	k := newConstant(graph.Float32, sizes...)
	for i := range k.floats {
		k.floats[i] = float64(m.r.IntN(9)-4) / 4
	}
	w := tensorProto(t.name, graph.TensorType{DType: graph.Float32, Sizes: sizes})
	w.RawData = k.encode()
	m.g.Initializer = append(m.g.Initializer, w)
	for a := range t.sizes {
		t.sizes[a] = sizes
	}
	return t
}

func (m *drawnModel) tensor() drawnTensor { return m.tensors[m.r.IntN(len(m.tensors))] }
func (m *drawnModel) list() drawnInts     { return m.lists[m.r.IntN(len(m.lists))] }

// one is a list of one integer.
func (m *drawnModel) one() drawnInts {
	l := m.list()
	n := len(l.xs[0])
	if n == 1 {
		return l
	}
	i := m.r.IntN(n)
	at := m.ints(i - n*m.r.IntN(2))
	y := drawnInts{name: m.node("Gather", []string{l.name, at.name}, intAttribute("axis", 0))}
	for a := range y.xs {
		y.xs[a] = []int{l.xs[a][i]}
	}
	m.lists = append(m.lists, y)
	return y
}

// fits reports whether sizes are such that a tensor may have them.
func fitsDrawn(sizes []int) bool {
	n := 1
	for _, s := range sizes {
		if s < 1 || s > maxDrawn {
			return false
		}
		n *= s
	}
	return n <= maxDrawn && len(sizes) <= 5
}

// sized computes the sizes of a result at each assignment; false if there are none.
func sizedAt(f func(a int) []int) (out [assignments][]int, ok bool) {
	for a := range out {
		if out[a] = f(a); out[a] == nil || !fitsDrawn(out[a]) {
			return out, false
		}
	}
	return out, true
}

func jointSizes(x, y []int) []int {
	if len(x) < len(y) {
		x, y = y, x
	}
	out := slices.Clone(x)
	for i := range y {
		p := len(x) - len(y) + i
		switch {
		case out[p] == y[i] || y[i] == 1:
		case out[p] == 1:
			out[p] = y[i]
		default:
			return nil
		}
	}
	if out == nil {
		out = []int{}
	}
	return out
}

// rankOf is the rank of a tensor.
func (t drawnTensor) rank() int { return len(t.sizes[0]) }

// static is a size that is the same at all assignments, 0 if it is not.
func (t drawnTensor) static(axis int) int {
	n := t.sizes[0][axis]
	for a := range t.sizes {
		if t.sizes[a][axis] != n {
			return 0
		}
	}
	return n
}

// add adds a tensor that a node computes.
func (m *drawnModel) add(sizes [assignments][]int, op string, in []string, as ...*onnxpb.AttributeProto) {
	m.tensors = append(m.tensors, drawnTensor{m.node(op, in, as...), sizes})
}

// arithmetic adds a list that is computed from one or two integers.
func (m *drawnModel) arithmetic() {
	x, y := m.one(), m.ints(1+m.r.IntN(4))
	if m.r.IntN(3) == 0 {
		y = m.one()
	}
	op := []string{"Add", "Sub", "Mul", "Div", "Mod", "Max", "Min"}[m.r.IntN(7)]
	z := drawnInts{}
	for a := range z.xs {
		p, q := x.xs[a][0], y.xs[a][0]
		if q == 0 && (op == "Div" || op == "Mod") || p < 0 {
			return
		}
		n := 0
		switch op {
		case "Add":
			n = p + q
		case "Sub":
			n = p - q
		case "Mul":
			n = p * q
		case "Div":
			n = p / q
		case "Mod":
			n = p % q
		case "Max":
			n = max(p, q)
		case "Min":
			n = min(p, q)
		}
		if n < 0 || n > maxDrawn {
			return
		}
		z.xs[a] = []int{n}
	}
	z.name = m.node(op, []string{x.name, y.name})
	if m.r.IntN(6) == 0 {
		z.name = m.node("Cast", []string{m.node("Cast", []string{z.name}, intAttribute("to", 6))}, intAttribute("to", 7))
	}
	m.lists = append(m.lists, z)
}

// shape adds the shape of a tensor, or a part of it.
func (m *drawnModel) shape() drawnInts {
	x := m.tensor()
	l := drawnInts{name: m.node("Shape", []string{x.name}), xs: x.sizes}
	if x.rank() == 0 {
		return m.ints(1)
	}
	m.lists = append(m.lists, l)
	if n := x.rank(); n > 1 && m.r.IntN(3) == 0 {
		lo := m.r.IntN(n)
		hi := lo + 1 + m.r.IntN(n-lo)
		part := drawnInts{}
		for a := range part.xs {
			part.xs[a] = l.xs[a][lo:hi]
		}
		part.name = m.node("Slice", []string{l.name, m.ints(lo).name, m.ints(hi).name, m.ints(0).name})
		m.lists = append(m.lists, part)
		return part
	}
	return l
}

// joinedList adds a concatenation.
func (m *drawnModel) joinedList(parts ...drawnInts) drawnInts {
	var names []string
	l := drawnInts{}
	for _, p := range parts {
		names = append(names, p.name)
		for a := range l.xs {
			l.xs[a] = append(slices.Clone(l.xs[a]), p.xs[a]...)
		}
	}
	l.name = m.node("Concat", names, intAttribute("axis", 0))
	m.lists = append(m.lists, l)
	return l
}

// dimOf is a size of a tensor as a list of one integer.
func (m *drawnModel) dimOf(x drawnTensor, axis int) drawnInts {
	l := drawnInts{name: m.node("Gather", []string{m.node("Shape", []string{x.name}), m.ints(axis).name}, intAttribute("axis", 0))}
	for a := range l.xs {
		l.xs[a] = []int{x.sizes[a][axis]}
	}
	m.lists = append(m.lists, l)
	return l
}

// step adds one node or a few.
func (m *drawnModel) step() {
	r, x := m.r, m.tensor()
	rank := x.rank()
	axis := 0
	if rank > 0 {
		axis = r.IntN(rank)
	}
	kind := r.IntN(25)
	if rank == 4 && r.IntN(4) == 0 {
		kind = 17
	}
	if rank == 0 && kind > 3 {
		return
	}
	switch kind {
	case 0:
		m.add(x.sizes, []string{"Relu", "Neg", "Abs", "Sigmoid"}[r.IntN(4)], []string{x.name})
	case 1, 2: // two tensors that broadcast
		y := m.tensor()
		if sizes, ok := sizedAt(func(a int) []int { return jointSizes(x.sizes[a], y.sizes[a]) }); ok {
			m.add(sizes, []string{"Add", "Mul", "Sub", "Max"}[r.IntN(4)], []string{x.name, y.name})
		}
	case 3:
		m.shape()
	case 4, 5:
		m.arithmetic()
	case 6:
		perm := r.Perm(rank)
		if sizes, ok := sizedAt(func(a int) []int {
			out := make([]int, rank)
			for i, p := range perm {
				out[i] = x.sizes[a][p]
			}
			return out
		}); ok {
			m.add(sizes, "Transpose", []string{x.name}, intsAttribute("perm", perm...))
		}
	case 7, 8: // axes made one: 0, -1, numbers and computed sizes
		lo := axis
		hi := lo + 1 + r.IntN(rank-lo)
		var parts []drawnInts
		open := r.IntN(2) == 0
		sizes, ok := sizedAt(func(a int) []int {
			n := 1
			for _, s := range x.sizes[a][lo:hi] {
				n *= s
			}
			return slices.Concat(x.sizes[a][:lo], []int{n}, x.sizes[a][hi:])
		})
		if !ok {
			return
		}
		for i := range lo {
			if r.IntN(2) == 0 {
				parts = append(parts, m.ints(0))
			} else {
				parts = append(parts, m.dimOf(x, i))
			}
		}
		if open {
			parts = append(parts, m.ints(-1))
		} else {
			n := m.dimOf(x, lo)
			for i := lo + 1; i < hi; i++ {
				d := m.dimOf(x, i)
				p := drawnInts{name: m.node("Mul", []string{n.name, d.name})}
				for a := range p.xs {
					p.xs[a] = []int{n.xs[a][0] * d.xs[a][0]}
				}
				n = p
			}
			parts = append(parts, n)
		}
		for i := hi; i < rank; i++ {
			parts = append(parts, m.dimOf(x, i))
		}
		m.add(sizes, "Reshape", []string{x.name, m.joinedList(parts...).name})
	case 9: // to one axis and back, or to a list that fits by chance
		l := m.list()
		if sizes, ok := sizedAt(func(a int) []int {
			if graph.NumElements(l.xs[a]) != graph.NumElements(x.sizes[a]) || slices.Contains(l.xs[a], 0) {
				return nil
			}
			return l.xs[a]
		}); ok {
			m.add(sizes, "Reshape", []string{x.name, l.name})
		}
	case 10:
		l := m.list()
		if r.IntN(2) == 0 {
			l = m.joinedList(m.ints(1+r.IntN(3)), m.shape())
		}
		if sizes, ok := sizedAt(func(a int) []int { return jointSizes(x.sizes[a], l.xs[a]) }); ok {
			m.add(sizes, "Expand", []string{x.name, l.name})
		}
	case 11:
		l := m.list()
		if sizes, ok := sizedAt(func(a int) []int { return l.xs[a] }); ok {
			m.add(sizes, "ConstantOfShape", []string{l.name})
		}
	case 12: // numbers in a row
		n := m.one()
		if sizes, ok := sizedAt(func(a int) []int { return n.xs[a] }); ok {
			zero, one := m.scalar(m.ints(0)), m.scalar(m.ints(1))
			m.add(sizes, "Cast", []string{m.node("Range", []string{zero, m.scalar(n), one})}, intAttribute("to", 1))
		}
	case 13:
		parts := make([]drawnInts, rank)
		for i := range parts {
			if parts[i] = m.ints(1 + r.IntN(2)); r.IntN(4) == 0 {
				parts[i] = m.one()
			}
		}
		rep := m.joinedList(parts...)
		if sizes, ok := sizedAt(func(a int) []int {
			out := slices.Clone(x.sizes[a])
			for i := range out {
				out[i] *= rep.xs[a][i]
			}
			return out
		}); ok {
			m.add(sizes, "Tile", []string{x.name, rep.name})
		}
	case 14, 15: // a slice with numbers or computed bounds
		lo, hi := m.ints(r.IntN(3)-1), m.ints([]int{-1, 1, 2, 1 << 40}[r.IntN(4)])
		if r.IntN(3) == 0 {
			lo = m.one()
		}
		if r.IntN(3) == 0 {
			hi = m.one()
		}
		step := 1 + r.IntN(5)/3
		in := []string{x.name, lo.name, hi.name, m.ints(axis).name}
		if step > 1 {
			in = append(in, m.ints(step).name)
		}
		if sizes, ok := sizedAt(func(a int) []int {
			n := x.sizes[a][axis]
			place := func(p int) int {
				if p < 0 {
					p += n
				}
				return min(max(p, 0), n)
			}
			out := slices.Clone(x.sizes[a])
			out[axis] = (place(hi.xs[a][0]) - place(lo.xs[a][0]) + step - 1) / step
			return out
		}); ok {
			m.add(sizes, "Slice", in)
		}
	case 16: // a product with a weight, or with another tensor
		n := x.static(rank - 1)
		if y := m.tensor(); rank == y.rank() && rank >= 2 && r.IntN(2) == 0 {
			if sizes, ok := sizedAt(func(a int) []int {
				p, q := x.sizes[a], y.sizes[a]
				lead := jointSizes(p[:rank-2], q[:rank-2])
				if p[rank-1] != q[rank-2] || lead == nil {
					return nil
				}
				return append(slices.Clone(lead), p[rank-2], q[rank-1])
			}); ok {
				m.add(sizes, "MatMul", []string{x.name, y.name})
			}
			return
		}
		if n == 0 {
			return
		}
		k := 1 + r.IntN(4)
		if sizes, ok := sizedAt(func(a int) []int { return append(slices.Clone(x.sizes[a][:rank-1]), k) }); ok {
			m.add(sizes, "MatMul", []string{x.name, m.weight(n, k).name})
		}
	case 17: // windows
		if rank != 4 || x.static(1) == 0 {
			return
		}
		k, s, p := 1+r.IntN(3), 1+r.IntN(2), r.IntN(2)
		if p >= k {
			p = 0
		}
		ch := x.static(1)
		conv := r.IntN(2) == 0
		if conv {
			ch = 1 + r.IntN(3)
		}
		sizes, ok := sizedAt(func(a int) []int {
			q := x.sizes[a]
			if min(q[2], q[3])+2*p < k {
				return nil
			}
			return []int{q[0], ch, (q[2]+2*p-k)/s + 1, (q[3]+2*p-k)/s + 1}
		})
		if !ok {
			return
		}
		as := []*onnxpb.AttributeProto{intsAttribute("kernel_shape", k, k), intsAttribute("strides", s, s), intsAttribute("pads", p, p, p, p)}
		if conv {
			m.add(sizes, "Conv", []string{x.name, m.weight(ch, x.static(1), k, k).name}, as...)
		} else {
			m.add(sizes, "MaxPool", []string{x.name}, as...)
		}
	case 18:
		keep := r.IntN(2)
		op := []string{"ReduceMean", "ReduceMax"}[r.IntN(2)]
		if sizes, ok := sizedAt(func(a int) []int { return append([]int{}, reducedSizes(x.sizes[a], []int{axis}, keep == 1)...) }); ok {
			m.add(sizes, op, []string{x.name}, intsAttribute("axes", axis), intAttribute("keepdims", int64(keep)))
		}
	case 19: // with itself or another
		y := m.tensor()
		if r.IntN(2) == 0 {
			y = x
		}
		if sizes, ok := sizedAt(func(a int) []int {
			p, q := slices.Clone(x.sizes[a]), slices.Clone(y.sizes[a])
			if len(p) != len(q) {
				return nil
			}
			n := p[axis] + q[axis]
			p[axis], q[axis] = n, n
			if !slices.Equal(p, q) {
				return nil
			}
			return p
		}); ok {
			m.add(sizes, "Concat", []string{x.name, y.name}, intAttribute("axis", int64(axis)))
		}
	case 20:
		least := x.sizes[0][axis]
		for a := range x.sizes {
			least = min(least, x.sizes[a][axis])
		}
		at := []int{r.IntN(least), -1 - r.IntN(least)}[:1+r.IntN(2)]
		if sizes, ok := sizedAt(func(a int) []int {
			out := slices.Clone(x.sizes[a])
			out[axis] = len(at)
			return out
		}); ok {
			m.add(sizes, "Gather", []string{x.name, m.ints(at...).name}, intAttribute("axis", int64(axis)))
		}
	case 21:
		if sizes, ok := sizedAt(func(a int) []int { return slices.Insert(slices.Clone(x.sizes[a]), axis, 1) }); ok && r.IntN(2) == 0 {
			m.add(sizes, "Unsqueeze", []string{x.name, m.ints(axis).name})
		} else if x.static(axis) == 1 {
			sizes, _ := sizedAt(func(a int) []int { return slices.Delete(slices.Clone(x.sizes[a]), axis, axis+1) })
			in := []string{x.name, m.ints(axis).name}
			m.add(sizes, "Squeeze", in)
		}
	case 22:
		m.add(x.sizes, "Softmax", []string{x.name}, intAttribute("axis", int64(axis)))
	case 23: // padding
		mode := []string{"constant", "edge", "reflect"}[r.IntN(3)]
		lo, hi := r.IntN(2), 1
		pads := make([]int, 2*rank)
		pads[axis], pads[rank+axis] = lo, hi
		if sizes, ok := sizedAt(func(a int) []int {
			out := slices.Clone(x.sizes[a])
			if out[axis] += lo + hi; mode == "reflect" && x.sizes[a][axis] < 2 {
				return nil
			}
			return out
		}); ok {
			m.add(sizes, "Pad", []string{x.name, m.ints(pads...).name}, textAttribute("mode", mode))
		}
	case 24: // a number of the sizes, or a choice by it
		n := m.one()
		f := m.node("Cast", []string{n.name}, intAttribute("to", 1))
		if r.IntN(2) == 0 {
			m.add(x.sizes, "Mul", []string{x.name, f})
			return
		}
		is := m.node([]string{"Less", "Equal", "GreaterOrEqual"}[r.IntN(3)], []string{n.name, m.ints(1 + r.IntN(5)).name})
		m.add(x.sizes, "Where", []string{is, x.name, m.node("Neg", []string{x.name})})
	}
}

func (m *drawnModel) scalar(l drawnInts) string {
	return m.node("Squeeze", []string{l.name, m.ints(0).name})
}

// drawModel draws a model with up to three dynamic dimensions.
func drawModel(seed uint64) (*onnxpb.ModelProto, map[string]int) {
	m := &drawnModel{r: rand.New(rand.NewPCG(seed, 41)), g: &onnxpb.GraphProto{Name: proto.String("drawn")}, ops: map[string]int{}}
	r := m.r
	numbers := [assignments][]int{{4, 6, 5}, {7, 3, 9}, {2, 5, 3}}
	if r.IntN(2) == 0 {
		numbers[2] = []int{1, 4, 2}
	}
	names := []string{"a", "b", "c"}[:1+r.IntN(3)]
	for a := range m.dims {
		m.dims[a] = map[string]int{}
		for i, name := range names {
			m.dims[a][name] = numbers[a][i]
		}
	}
	for i := range 1 + r.IntN(3) {
		t := drawnTensor{name: fmt.Sprintf("in%d", i)}
		rank := 1 + r.IntN(4)
		image := i == 0 && r.IntN(3) == 0
		if image {
			rank = 4
		}
		info := valueInfo(t.name, graph.TensorType{DType: graph.Float32, Sizes: make([]int, rank)})
		for axis := range rank {
			if (r.IntN(2) == 0 || axis > 1 && image || i == 0 && axis == 0) && !(axis == 1 && image) {
				name := names[r.IntN(len(names))]
				openDim(info, axis, name)
				for a := range t.sizes {
					t.sizes[a] = append(t.sizes[a], m.dims[a][name])
				}
				continue
			}
			n := 1 + r.IntN(4)
			info.Type.GetTensorType().Shape.Dim[axis] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(n)}}
			for a := range t.sizes {
				t.sizes[a] = append(t.sizes[a], n)
			}
		}
		m.g.Input = append(m.g.Input, info)
		m.tensors = append(m.tensors, t)
	}
	m.shape()
	for range 6 + r.IntN(16) {
		m.step()
	}
	out := map[string]bool{m.tensors[len(m.tensors)-1].name: true, m.tensor().name: true, m.list().name: true}
	for _, in := range m.g.Input {
		delete(out, in.GetName())
	}
	for _, w := range m.g.Initializer {
		delete(out, w.GetName())
	}
	for _, n := range m.g.Node {
		if name := n.GetOutput()[0]; out[name] {
			m.g.Output = append(m.g.Output, &onnxpb.ValueInfoProto{Name: proto.String(name)})
		}
	}
	return &onnxpb.ModelProto{IrVersion: proto.Int64(8), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}}, Graph: m.g}, m.ops
}

// TestDynamicRandom: random models that are read with variables compute at all sizes what the
// files compute that are read at these.
func TestDynamicRandom(t *testing.T) {
	t.Parallel()
	models, reads, compared := sweeps.Size(150, 500), 0, 0
	why := map[string]int{}
	ops := map[string]int{}
	for seed := range uint64(models) {
		p, made := drawModel(seed)
		if len(p.Graph.Output) == 0 {
			continue
		}
		read := fileIn(t, p)
		opt := ReadOptions{Dynamic: true}
		m, rep, err := read(opt)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Node == "" {
				t.Errorf("seed %d: the error names no node: %v", seed, err)
			} else {
				text := e.Err.Error()
				why[e.Op+": "+text[:min(len(text), 60)]]++
			}
			continue
		}
		if len(rep.Opaque) > 0 {
			why["opaque "+rep.Opaque[0].Op]++
			continue
		}
		reads++
		for op, n := range made {
			ops[op] += n
		}
		r := rand.New(rand.NewPCG(seed, 43))
		for range 3 {
			if err := atSizes(read, opt, m, drawn(r, rep.Dynamic, 6), r, true); err != nil {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			compared++
		}
	}
	t.Logf("%d of %d models are read for all sizes; %d comparisons; operators %v", reads, models, compared, ops)
	if testing.Verbose() {
		for text, n := range why {
			t.Logf("%d times %s", n, strings.ReplaceAll(text, "\n", " "))
		}
	}
	if reads < models*6/10 {
		t.Errorf("%d of %d models are read, want 60%%", reads, models)
	}
}
