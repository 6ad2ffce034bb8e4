package graph

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
)

// opaque is a node that is kept as it is and never rewritten.
type opaque struct {
	kind    string
	payload any
	digest  []byte // of the payload
}

func (o *opaque) equal(p *opaque) bool {
	return o.kind == p.kind && bytes.Equal(o.digest, p.digest)
}

// digestOf tells payloads apart.
func digestOf(payload any) ([]byte, error) {
	var text []byte
	switch p := payload.(type) {
	case nil:
	case interface{ Hash() []byte }:
		return slices.Clone(p.Hash()), nil
	case string:
		text = []byte(p)
	case []byte:
		text = p
	case fmt.Stringer:
		text = []byte(p.String())
	default:
		return nil, fmt.Errorf("payload of type %T: want a string, bytes, or a method Hash() []byte or String() string", payload)
	}
	sum := sha256.Sum256(text)
	return sum[:16], nil
}

// Opaque adds a node of which it is not known here what it computes: kind says what it is
// called where it comes from, and payload is whatever is needed to write it
// back. Its outputs have the given types, at least one. Such a node is kept
// exactly as it is: no rule applies to it, and no two of a graph are one.
//
// Two graphs are the same only if the payloads are: they are compared by
// Hash() []byte if payload has this method, or by text if it is a string, bytes
// or a fmt.Stringer, or nil; anything else is an error.
func (b *Builder) Opaque(name, kind string, payload any, in []Tensor, outs []TensorType) (NodeID, error) {
	b.init()
	wrap := func(err error) (NodeID, error) {
		return 0, b.fail(fmt.Errorf("node %s: opaque %s: %w", quoteName(name), quoteName(kind), err))
	}
	if kind == "" {
		return wrap(fmt.Errorf("no kind"))
	}
	if len(outs) == 0 {
		return wrap(fmt.Errorf("no outputs"))
	}
	for i, x := range in {
		if err := b.exists(x); err != nil {
			return wrap(fmt.Errorf("operand %d: %w", i, err))
		}
	}
	sizes, types := make([][]int, len(outs)), make([]DType, len(outs))
	for i, t := range outs {
		if t.DType >= numDTypes {
			return wrap(fmt.Errorf("output %d: element type %s is not known", i, t.DType))
		}
		if err := CheckSizes(t.Sizes); err != nil {
			return wrap(fmt.Errorf("output %d: %w", i, err))
		}
		sizes[i], types[i] = append([]int{}, t.Sizes...), t.DType
	}
	digest, err := digestOf(payload)
	if err != nil {
		return wrap(err)
	}
	if err := b.claim(name); err != nil {
		return 0, b.fail(err)
	}
	id := b.g.push(opaqueOp(len(in), sizes), nil, name, types, in, sizes)
	b.g.keepOpaque(id, &opaque{kind, payload, digest})
	return id, nil
}

// OpaqueOpen is [Builder.Opaque] for outputs whose shapes may have variables of dynamic sizes:
// outs have their element types.
func (b *Builder) OpaqueOpen(name, kind string, payload any, in []Tensor, outs []TensorType, shapes []Shape) (NodeID, error) {
	b.init()
	at := make([]TensorType, len(outs))
	for i := range outs {
		sizes, err := b.g.sizing.SizesOf(shapes[i])
		if err != nil {
			return 0, b.fail(err)
		}
		at[i] = TensorType{outs[i].DType, sizes}
	}
	id, err := b.Opaque(name, kind, payload, in, at)
	if err != nil {
		return 0, err
	}
	for i, s := range shapes {
		b.g.keepShape(id.Out(i), s)
	}
	return id, nil
}

func (g *Graph) keepOpaque(id NodeID, o *opaque) {
	if g.opaque == nil {
		g.opaque = map[NodeID]*opaque{}
	}
	g.opaque[id] = o
}

// Opaque returns what [Builder.Opaque] was given for a node; false for inputs
// and nodes whose operator is known.
func (g *Graph) Opaque(id NodeID) (kind string, payload any, ok bool) {
	o := g.opaque[id]
	if o == nil {
		return "", nil, false
	}
	return o.kind, o.payload, true
}

// OpaqueName is the name of the operators of opaque nodes. It is not in the
// registry.
const OpaqueName = "opaque"

// opaqueOp is the operator of one opaque node: it has fixed shapes, and nothing
// is known of what it computes.
func opaqueOp(in int, outs [][]int) *Op {
	return &Op{
		Name: OpaqueName, In: in, Out: len(outs),
		Doc: "A node that is kept as it is; what it computes is not known.",
		Infer: func(*Unifier, Attrs, []Shape) ([]Shape, error) {
			s := make([]Shape, len(outs))
			for i, o := range outs {
				s[i] = Sizes(o...)
			}
			return s, nil
		},
		FLOPs: func(Attrs, [][]int, [][]int) int64 { return 0 },
	}
}

// OpaqueDigest tells opaque nodes apart: two nodes of one kind whose digests are
// the same were given the same payload. It is nil for other nodes. The caller
// must not write to it.
func (g *Graph) OpaqueDigest(id NodeID) []byte {
	o := g.opaque[id]
	if o == nil {
		return nil
	}
	return o.digest
}
