package verifymodels

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// What an opaque node computes is not known, but for this: it is a function of
// its operands, unless it draws random numbers. So exact arithmetic takes it for
// a random function, like any other function of which nothing is used.

// isOpaque reports whether a node is opaque.
func isOpaque(g *graph.Graph, id graph.NodeID) bool {
	_, _, ok := g.Opaque(id)
	return ok
}

// kindOf is what an opaque node is called.
func kindOf(g *graph.Graph, id graph.NodeID) string {
	kind, _, _ := g.Opaque(id)
	return kind
}

// opset is the operator set that an opaque node was written for, if it says so:
// a name may mean something else in another.
func opset(g *graph.Graph, id graph.NodeID) int64 {
	_, payload, _ := g.Opaque(id)
	if p, ok := payload.(*onnx.Opaque); ok {
		return p.Opset
	}
	return 0
}

// drawsNumbers reports whether a node may give other results for the same
// operands.
func drawsNumbers(g *graph.Graph, id graph.NodeID) bool {
	kind, payload, ok := g.Opaque(id)
	if !ok {
		return false
	}
	if randomKind(kind[strings.LastIndexByte(kind, '.')+1:]) {
		return true
	}
	p, ok := payload.(*onnx.Opaque)
	if !ok {
		return false
	}
	if drawsInside(p.Node) {
		return true
	}
	for _, f := range p.Functions {
		if anyDraws(f.GetNode()) {
			return true
		}
	}
	return false
}

func drawsInside(n *onnxpb.NodeProto) bool {
	for _, a := range n.GetAttribute() {
		for _, g := range append(a.GetGraphs(), a.GetG()) {
			if anyDraws(g.GetNode()) {
				return true
			}
		}
	}
	return false
}

func anyDraws(nodes []*onnxpb.NodeProto) bool {
	for _, n := range nodes {
		if randomKind(n.GetOpType()) || drawsInside(n) {
			return true
		}
	}
	return false
}

// randomKind reports whether ONNX's operator of that name draws random numbers.
func randomKind(op string) bool {
	switch op {
	case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial", "Dropout":
		return true
	}
	return false
}

// opaque is the random function in the place of an opaque node.
func (z residues) opaque(g *graph.Graph, id graph.NodeID, in []interp.Tensor[uint64]) ([]interp.Tensor[uint64], error) {
	kind := kindOf(g, id)
	if drawsNumbers(g, id) {
		return nil, fmt.Errorf("operator %s: it draws random numbers", kind)
	}
	*z.functions = true
	key := fingerprint.Mix(z.zp.Key ^ uint64(opset(g, id)))
	for _, c := range []byte(kind) {
		key = fingerprint.Mix(key ^ uint64(c))
	}
	digest := g.OpaqueDigest(id)
	for ; len(digest) >= 8; digest = digest[8:] {
		key = fingerprint.Mix(key ^ binary.LittleEndian.Uint64(digest))
	}
	for _, t := range in {
		key = fingerprint.Mix(key ^ uint64(len(t.Sizes)))
		for _, n := range t.Sizes {
			key = fingerprint.Mix(key ^ uint64(n))
		}
		for _, x := range t.Data {
			key = fingerprint.Mix(key ^ x&^bounded)
		}
	}
	out := make([]interp.Tensor[uint64], g.NumOut(id))
	for i := range out {
		sizes := g.Sizes(id.Out(i))
		out[i] = interp.Tensor[uint64]{Sizes: sizes, Data: make([]uint64, graph.NumElements(sizes))}
		key = fingerprint.Mix(key + 1)
		for j := range out[i].Data {
			out[i].Data[j] = fingerprint.Mix(key^fingerprint.Mix(uint64(j))) % p
		}
	}
	return out, nil
}
