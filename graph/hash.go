package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sort"
)

// Hash is the content hash of a graph: the first 128 bits of a SHA-256.
type Hash [16]byte

// String is the hash in 32 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Hash is a hash of what the graph computes with which operators. It does not
// depend on the order of nodes, on the names of operator nodes, on the order
// of a commutative operator's operands, or on dead operators. It does depend
// on the inputs by name (unused ones too), on which of them are weights, on the kinds
// and payloads of opaque nodes, and on how often equal operators occur:
// a graph that computes a tensor twice costs more than one that shares it.
func (g *Graph) Hash() Hash {
	live := g.live()
	node := make([]Hash, len(g.op))
	var inputs, ops []Hash
	for id := range g.Nodes() {
		var w hashWriter
		if op := g.op[id]; op == nil {
			if g.weight[id] {
				w.text("weight")
			} else {
				w.text("input")
			}
			w.text(g.name[id])
			w.sizes(g.DType(id.Out(0)), g.Sizes(id.Out(0)))
			w.open(g, id)
			node[id] = w.sum()
			inputs = append(inputs, node[id])
			continue
		} else if live[id] {
			w.text(op.Name)
			if o := g.opaque[id]; o != nil {
				w.text(o.kind)
				w.text(string(o.digest))
				for i := range op.Out {
					w.sizes(g.DType(id.Out(i)), g.Sizes(id.Out(i)))
				}
				w.open(g, id)
			}
			var attrs []string
			for i, v := range g.OpenAttrs(id) {
				switch p := &op.Params[i]; {
				case p.Late && p.Written(v):
					attrs = append(attrs, p.Name+"="+v.String())
				case !p.Late:
					attrs = append(attrs, v.String())
				}
			}
			w.number(len(attrs))
			for _, text := range attrs {
				w.text(text)
			}
			w.text(g.DType(id.Out(0)).String())
			w.tensors(node, g.Operands(id), op.Commutative)
			node[id] = w.sum()
			ops = append(ops, node[id])
		}
	}
	var w hashWriter
	for _, list := range [][]Hash{inputs, ops} {
		slices.SortFunc(list, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
		w.number(len(list))
		for _, h := range list {
			w.Write(h[:])
		}
	}
	w.tensors(node, g.outputs, false)
	return w.sum()
}

// hashWriter collects fields, each with its length, so that two lists of
// fields never read alike.
type hashWriter struct{ bytes.Buffer }

func (w *hashWriter) number(n int) {
	w.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func (w *hashWriter) text(s string) {
	w.number(len(s))
	w.WriteString(s)
}

func (w *hashWriter) sizes(t DType, sizes []int) {
	w.text(t.String())
	w.number(len(sizes))
	for _, n := range sizes {
		w.number(n)
	}
}

// open writes the shapes of a node's results that have variables.
func (w *hashWriter) open(g *Graph, id NodeID) {
	for i := range g.NumOut(id) {
		if s, ok := g.shapes[id.Out(i)]; ok {
			w.text(s.Key())
		}
	}
}

func (w *hashWriter) tensors(node []Hash, ts []Tensor, anyOrder bool) {
	keys := make([]string, len(ts))
	for i, t := range ts {
		keys[i] = string(binary.LittleEndian.AppendUint32(append([]byte{}, node[t.Node][:]...), t.Out))
	}
	if anyOrder {
		sort.Strings(keys)
	}
	w.number(len(keys))
	for _, k := range keys {
		w.WriteString(k)
	}
}

func (w *hashWriter) sum() Hash {
	s := sha256.Sum256(w.Bytes())
	return Hash(s[:16])
}
