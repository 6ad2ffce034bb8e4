package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// A transposed convolution whose windows do not overlap is read as a product of channels
// and a reshuffle of what comes out. It is written as a transposed convolution again,
// which a runtime does without moving the result twice:
//
//	x [n, c, h, w] ── conv2d 1x1 ── reshape [n, o, a, b, h, w] ── transpose ── reshape [n, o, h*a, w*b]

// noteTransposed is the note of a kernel that has the name of the one that the reader makes
// of it.
const noteTransposed = "transposed"

// compact is a kernel as it is in the file: that of a transposed convolution.
type compact struct {
	note  string
	sizes []int
	raw   []byte
}

// coverTransposed finds such a reshuffle by its last reshape.
func (e *exporter) coverTransposed(id graph.NodeID) {
	g, out := e.g, e.sizes(id)
	if g.Op(id).Name != "reshape" || len(out) != 4 {
		return
	}
	turn := g.Operands(id)[0]
	if !e.single(turn, "transpose") || !slices.Equal(e.tuple(turn.Node, "perm"), []int{0, 1, 4, 2, 5, 3}) {
		return
	}
	apart := g.Operands(turn.Node)[0]
	if !e.single(apart, "reshape") {
		return
	}
	conv := g.Operands(apart.Node)[0]
	if !e.single(conv, "conv2d") || !e.perCell(conv.Node) {
		return
	}
	x, w := g.Operands(conv.Node)[0], g.Operands(conv.Node)[1]
	in, cells, groups := g.Sizes(x), g.Sizes(apart), e.int(conv.Node, "groups")
	n, o, kh, kw, h, v := cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]
	if in[0] != n || in[2] != h || in[3] != v || o%groups != 0 || !slices.Equal(out, []int{n, o, h * kh, v * kw}) {
		return
	}
	weight := e.m.Weights[w.Node]
	if weight == nil || e.uses[w] != 1 || e.stored[w.Node] != nil || g.DType(w) != graph.Float32 || graph.NumElements(g.Sizes(w)) > maxDerived {
		return
	}
	e.takes(turn, apart, conv)
	k := unturned(must.Get(decodeConstant(weight.DType, weight.Sizes, must.Get(weight.Read()))), groups, o/groups, kh, kw)
	e.compact[w.Node] = &compact{note: noteTransposed, sizes: k.sizes, raw: k.encode()}
	e.as[id] = func() {
		e.emit("ConvTranspose", []string{e.of(x), e.of(w)}, e.out(id), intsAttribute("strides", kh, kw),
			intsAttribute("kernel_shape", kh, kw), intAttribute("group", int64(groups)))
	}
}

// perCell reports whether a convolution is a product of the channels of each cell.
func (e *exporter) perCell(id graph.NodeID) bool {
	pad, _ := e.attr(id, "pad").Name()
	act, _ := e.attr(id, "act").Name()
	return pad == graph.Valid && act == "none" && all(e.operandSizes(id, 1)[2:], 1) && all(e.tuple(id, "stride"), 1) && all(e.tuple(id, "dilation"), 1)
}
