package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Convolutions of signals: graphs have convolutions of images, so that a signal is an image of
// one row, reshaped before and behind.

// noteRow is the note of a convolution of signals whose kernel has an axis for the one row,
// although it has none in the file.
const noteRow = "kernel of one row"

// signals is a convolution of signals in a graph.
type signals struct {
	conv, x, w graph.Tensor   // the convolution, and the signals and the kernel in the file
	over       []graph.Tensor // what else is covered
	row        bool           // the kernel is a weight with an axis for the row
}

// signalsOf recognizes a convolution of signals by the reshape behind it.
func (e *exporter) signalsOf(id graph.NodeID) (s signals, ok bool) {
	g := e.g
	if g.Op(id).Name != "reshape" || !e.single(g.Operands(id)[0], "conv2d") {
		return s, false
	}
	s.conv = g.Operands(id)[0]
	if !isRow(e.sizes(id), g.Sizes(s.conv)) || !e.slides(s.conv.Node) {
		return s, false
	}
	x, w := g.Operands(s.conv.Node)[0], g.Operands(s.conv.Node)[1]
	if x == w || !e.single(x, "reshape") {
		return s, false
	}
	s.over = []graph.Tensor{s.conv, x}
	s.x, s.w = g.Operands(x.Node)[0], w
	switch {
	case !isRow(g.Sizes(s.x), g.Sizes(x)):
		return s, false
	case e.single(w, "reshape"):
		s.over, s.w = append(s.over, w), g.Operands(w.Node)[0]
		return s, isRow(g.Sizes(s.w), g.Sizes(w))
	}
	s.row = true
	return s, g.Op(w.Node) == nil && g.IsWeight(w.Node) && e.uses[w] == 1 && g.Sizes(w)[2] == 1
}

// isRow reports whether sizes of images are those of signals, of one row.
func isRow(signal, image []int) bool {
	return len(signal) == 3 && slices.Equal([]int{signal[0], signal[1], 1, signal[2]}, image)
}

// slides reports whether a convolution of images of one row slides along the row alone.
func (e *exporter) slides(id graph.NodeID) bool {
	act, _ := e.attr(id, "act").Name()
	name, _ := e.attr(id, "pad").Name()
	p, padded := e.attr(id, "pad").Tuple()
	return act == "none" && e.tuple(id, "stride")[0] == 1 && e.tuple(id, "dilation")[0] == 1 &&
		(name == graph.Valid || padded && p[0]+p[2] == 0)
}

// coverSignals finds convolutions of signals.
func (e *exporter) coverSignals(id graph.NodeID) {
	if s, ok := e.signalsOf(id); ok {
		e.signals(s, nil, id)
	}
}

// coverSignalSum finds convolutions of signals with a bias.
func (e *exporter) coverSignalSum(id graph.NodeID) {
	g := e.g
	if g.Op(id).Name != "ewadd" {
		return
	}
	y, all := g.Operands(id)[0], g.Operands(id)[1]
	if !e.single(y, "reshape") || !e.single(all, "broadcast") {
		return
	}
	form := g.Operands(all.Node)[0]
	s, ok := e.signalsOf(y.Node)
	if !ok || !e.single(form, "reshape") {
		return
	}
	channels := g.Sizes(y)[1]
	bias := g.Operands(form.Node)[0]
	if slices.Equal(g.Sizes(form), []int{1, channels, 1}) && slices.Equal(g.Sizes(bias), []int{channels}) {
		s.over = append(s.over, y, all, form)
		e.signals(s, &bias, id)
	}
}

// signals emits a convolution of signals, with a bias if there is one, at the node id.
func (e *exporter) signals(s signals, bias *graph.Tensor, id graph.NodeID) {
	e.takes(s.over...)
	kernel := e.g.Sizes(e.g.Operands(s.conv.Node)[1])
	if s.row {
		e.stored[s.w.Node] = []int{kernel[0], kernel[1], kernel[3]}
	}
	e.as[id] = func() {
		in := []string{e.of(s.x), e.of(s.w)}
		if bias != nil {
			in = append(in, e.of(*bias))
		}
		conv := s.conv.Node
		a := []*onnxpb.AttributeProto{intsAttribute("strides", e.tuple(conv, "stride")[1])}
		if p, ok := e.attr(conv, "pad").Tuple(); ok {
			a = append(a, textAttribute("auto_pad", "NOTSET"), intsAttribute("pads", p[1], p[3]))
		} else {
			a = append(a, intsAttribute("pads", 0, 0))
		}
		if d := e.tuple(conv, "dilation")[1]; d != 1 {
			a = append(a, intsAttribute("dilations", d))
		}
		n := e.emit("Conv", in, e.out(id), append(a, intsAttribute("kernel_shape", kernel[3]), intAttribute("group", int64(e.int(conv, "groups"))))...)
		if s.row {
			mark(n, noteRow)
		}
	}
}
