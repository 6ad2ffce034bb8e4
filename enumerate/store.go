package enumerate

import (
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// MaxOps is the largest number of operators of a term.
const MaxOps = maxOps

const maxOps = 6

// tid is a tensor in a store; 0 is none. appID is an operator application.
type (
	tid   uint32
	appID uint32
)

// tensor is one value of a store: an input, or an output of an application.
type tensor struct {
	app    appID // 0: an input
	input  uint8 // number of the input + 1
	out    uint8
	size   uint8 // distinct applications below and including this one
	rep    uint8 // repUnknown, repYes, repNo
	shape  uint16
	ops    int32 // operators with repetition, up to maxWeight
	weight bool  // an input that is a weight
	data   bool  // depends on an input that is not a weight
	nodes  [maxOps]appID
	seams  seamSet // positions at which it was joined, per axis
	val    []uint64
}

const (
	repUnknown = iota
	repYes
	repNo
)

// app is an operator instance applied to tensors of the store.
type app struct {
	inst uint16
	args [2]tid // second 0: none
	outs [2]tid // second: of a split
	plan *plan
}

type appKey struct {
	inst uint16
	a, b tid
}

// appTable finds applications. Nearly all keys fit into one word, which a map finds
// twice as fast.
type appTable struct {
	near map[uint64]appID
	far  map[appKey]appID
}

// nearBits is the width of a tensor's number that fits.
const nearBits = 24

func (k appKey) word() (w uint64, ok bool) {
	return uint64(k.inst)<<(2*nearBits) | uint64(k.a)<<nearBits | uint64(k.b), (k.a|k.b)>>nearBits == 0
}

func (t *appTable) get(k appKey) (appID, bool) {
	if w, ok := k.word(); ok {
		id, ok := t.near[w]
		return id, ok
	}
	id, ok := t.far[k]
	return id, ok
}

func (t *appTable) put(k appKey, id appID) {
	if w, ok := k.word(); ok {
		t.near[w] = id
		return
	}
	if t.far == nil {
		t.far = map[appKey]appID{}
	}
	t.far[k] = id
}

// plan is an instance for operands of certain shapes: output shapes and the
// kernel that computes them. nil output shapes: the operands do not fit.
type plan struct {
	outs   []uint16
	kernel *fingerprint.Kernel
	keep   [seamAxes][]graph.OperandAxis // see graph.Op.OperandAxes
}

// planKey is an instance and two shapes.
func planKey(in, a, b uint16) uint64 { return uint64(in)<<32 | uint64(a)<<16 | uint64(b) }

// store holds hash-consed tensors: an application to the same tensors exists
// once and is evaluated at most once. A store belongs to one goroutine.
type store struct {
	u        *Universe
	z        fingerprint.Zp
	seed     uint64
	insts    []inst
	instOf   map[instKey]uint16
	numbers  [256]uint32 // identities of small numbers as attributes
	tensors  []tensor
	apps     []app
	appAt    appTable
	shapes   [][]int
	symbolic []graph.Shape // the same, for inference
	shapeAt  map[string]uint16
	plans    map[uint64]*plan
	inputs   []tid   // by input number
	typeOf   []uint8 // type of each input number
	first    []uint8 // first input number of each type
}

const noApp = ^appID(0)

func newStore(u *Universe, seed uint64) *store {
	s := &store{u: u, z: fingerprint.Zp{Key: fingerprint.Mix(seed)}, seed: seed,
		insts: append([]inst(nil), u.insts...), instOf: map[instKey]uint16{},
		tensors: make([]tensor, 1, 1<<12), apps: make([]app, 1, 1<<12),
		appAt: appTable{near: map[uint64]appID{}}, shapeAt: map[string]uint16{}, plans: map[uint64]*plan{}}
	for i := range s.insts {
		key := instKey{op: s.insts[i].op}
		copy(key.attrs[:], s.insts[i].ids)
		s.instOf[key] = uint16(i)
	}
	for ti, ty := range u.Types {
		s.first = append(s.first, uint8(len(s.inputs)))
		sh := s.shape(ty.Sizes)
		var seams seamSet
		for axis, at := range ty.Seam {
			if at > 0 {
				seams[axis] = 1 << at
			}
		}
		for k := 0; k < ty.Count; k++ {
			n := uint8(len(s.inputs))
			s.tensors = append(s.tensors, tensor{input: n + 1, shape: sh, weight: ty.Weight, data: !ty.Weight, seams: seams, rep: repYes,
				val: fingerprint.Random(seed, fmt.Sprintf("%s%d", ty.Name, k+1), graph.NumElements(ty.Sizes))})
			s.inputs = append(s.inputs, tid(len(s.tensors)-1))
			s.typeOf = append(s.typeOf, uint8(ti))
		}
	}
	return s
}

func (s *store) shape(sizes []int) uint16 {
	key := make([]byte, 0, 16)
	for _, n := range sizes {
		key = binary.AppendUvarint(key, uint64(n))
	}
	if id, ok := s.shapeAt[string(key)]; ok {
		return id
	}
	id := uint16(len(s.shapes))
	s.shapes = append(s.shapes, append([]int(nil), sizes...))
	s.symbolic = append(s.symbolic, graph.Sizes(sizes...))
	s.shapeAt[string(key)] = id
	return id
}

func (s *store) sizes(t tid) []int { return s.shapes[s.tensors[t].shape] }

// maxElements bounds tensors of the case: beyond it terms are not visited
// (TASO's own bound is 512).
const maxElements = 1 << 12

func (s *store) planFor(in uint16, a, b uint16) *plan {
	key := planKey(in, a, b)
	if p, ok := s.plans[key]; ok {
		return p
	}
	p := &plan{}
	s.plans[key] = p
	ins := &s.insts[in]
	var sizes [][]int
	var shapes []graph.Shape
	for i, sh := range [2]uint16{a, b} {
		if i < ins.op.In {
			sizes = append(sizes, s.shapes[sh])
			shapes = append(shapes, s.symbolic[sh])
		}
	}
	var f graph.Unifier
	outs, err := ins.op.InferShapes(&f, ins.attrs, shapes)
	if err != nil || len(f.Needs) > 0 {
		return p
	}
	outSizes := make([][]int, len(outs))
	for i, o := range outs {
		c, ok := o.Concrete()
		if !ok || graph.NumElements(c) > maxElements {
			return p
		}
		for _, n := range c {
			if n > maxCut {
				return p
			}
		}
		outSizes[i] = c
	}
	m, err := ins.op.Program(ins.attrs, sizes, outSizes)
	if err != nil {
		return p
	}
	p.kernel = s.z.Compile(m)
	for _, c := range outSizes {
		p.outs = append(p.outs, s.shape(c))
	}
	ranks := make([]int, len(sizes))
	for i, s := range sizes {
		ranks[i] = len(s)
	}
	for axis := 0; axis < min(seamAxes, len(outSizes[0])); axis++ {
		for _, at := range ins.op.OperandAxes(ins.attrs, ranks, axis) {
			if at.Axis < seamAxes {
				p.keep[axis] = append(p.keep[axis], at)
			}
		}
	}
	return p
}

// apply is the application of an instance to tensors, or noApp if they do not
// fit. The operands of a commutative operator must come ordered.
func (s *store) apply(in uint16, a, b tid) appID {
	key := appKey{in, a, b}
	if id, ok := s.appAt.get(key); ok {
		return id
	}
	id := s.top(in, a, b)
	s.appAt.put(key, id)
	return id
}

// top is a new application, even if there is one of the instance to these tensors: one
// that is looked at and dropped again, in which case it is not found later. It is noApp
// if they do not fit.
func (s *store) top(in uint16, a, b tid) appID {
	p := s.planFor(in, s.tensors[a].shape, s.tensors[b].shape)
	if p.outs == nil {
		return noApp
	}
	id := appID(len(s.apps))
	s.apps = append(s.apps, app{inst: in, args: [2]tid{a, b}, plan: p})
	nodes, n := s.union(a, b, id)
	ops := s.opsOf(a, b)
	data := s.tensors[a].data || s.tensors[b].data
	seams := s.seams(p, in, a, b)
	for o, sh := range p.outs {
		t := tensor{app: id, out: uint8(o), shape: sh, size: n, ops: ops, data: data, nodes: nodes, seams: seams}
		if len(p.outs) == 2 {
			t.seams = s.cut(in, seams, o)
		}
		s.tensors = append(s.tensors, t)
		s.apps[id].outs[o] = tid(len(s.tensors) - 1)
	}
	return id
}

// union is the sorted set of applications below a and b, and id itself. size
// 255 says there are too many for a term.
func (s *store) union(a, b tid, id appID) (nodes [maxOps]appID, n uint8) {
	ta, tb := &s.tensors[a], &s.tensors[b]
	if ta.size == 255 || tb.size == 255 {
		return nodes, 255
	}
	i, j := uint8(0), uint8(0)
	for i < ta.size || j < tb.size {
		var next appID
		switch {
		case j >= tb.size || i < ta.size && ta.nodes[i] < tb.nodes[j]:
			next = ta.nodes[i]
			i++
		case i >= ta.size || tb.nodes[j] < ta.nodes[i]:
			next = tb.nodes[j]
			j++
		default:
			next = ta.nodes[i]
			i++
			j++
		}
		if n == maxOps {
			return nodes, 255
		}
		nodes[n] = next
		n++
	}
	if n == maxOps {
		return nodes, 255
	}
	nodes[n] = id
	return nodes, n + 1
}

// seams are the positions at which the result was joined.
func (s *store) seams(p *plan, in uint16, a, b tid) seamSet {
	operands := [2]*tensor{&s.tensors[a], &s.tensors[b]}
	var out seamSet
	for axis, from := range p.keep {
		for _, at := range from {
			out[axis] |= operands[at.Operand].seams[at.Axis]
		}
	}
	if s.insts[in].op == op.Concat {
		if axis := instNum(s.insts[in], 0); axis < seamAxes {
			n := s.sizes(a)[axis]
			out[axis] |= 1<<n | operands[1].seams[axis]<<n
		}
	}
	return out
}

// cut is the seams of one output of a split.
func (s *store) cut(in uint16, seams seamSet, o int) seamSet {
	axis, at := instNum(s.insts[in], 0), instNum(s.insts[in], 1)
	if axis >= seamAxes { // of an instance that a law made
		return seams
	}
	if o == 0 {
		seams[axis] &= 1<<at - 1
	} else {
		seams[axis] = seams[axis] >> at &^ 1
	}
	return seams
}

func instNum(in inst, i int) int {
	d, _ := in.attrs[i].Dim()
	n, _ := d.Const()
	return int(n)
}

// value is the tensor's elements; computed once.
func (s *store) value(t tid) []uint64 {
	if v := s.tensors[t].val; v != nil {
		return v
	}
	a := s.apps[s.tensors[t].app]
	v := make([]uint64, a.plan.kernel.Len(int(s.tensors[t].out)))
	s.compute(v, a, int(s.tensors[t].out))
	s.tensors[t].val = v
	return v
}

func (s *store) compute(dst []uint64, a app, out int) {
	switch {
	case a.args[0] == 0:
		a.plan.kernel.Into(dst, out)
	case a.args[1] == 0:
		a.plan.kernel.Into(dst, out, s.value(a.args[0]))
	default:
		a.plan.kernel.Into(dst, out, s.value(a.args[0]), s.value(a.args[1]))
	}
}

// hash is the fingerprint of a tensor; its elements are not kept unless they
// were there.
func (s *store) hash(t tid, scratch []uint64) (fingerprint.Hash, []uint64) {
	if v := s.tensors[t].val; v != nil {
		return fingerprint.Sum(s.sizes(t), v), scratch
	}
	a := s.apps[s.tensors[t].app]
	n := a.plan.kernel.Len(int(s.tensors[t].out))
	if cap(scratch) < n {
		scratch = make([]uint64, n)
	}
	s.compute(scratch[:n], a, int(s.tensors[t].out))
	return fingerprint.Sum(s.sizes(t), scratch[:n]), scratch
}

// drop takes back the application that [store.top] made last.
func (s *store) drop(id appID) {
	s.tensors = s.tensors[:s.apps[id].outs[0]]
	s.apps = s.apps[:id]
}
