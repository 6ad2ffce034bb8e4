package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Several nodes of a graph as one of ONNX: what a runtime computes in one kernel, and
// looks for in one node. Reading takes the node apart again.

// cover finds nodes that need no ONNX node of their own because that of a user says
// the same: biases of convolutions, factors and rows of Gemm, reshapes around products
// with a matrix, broadcasts of operands, concatenations within concatenations.
func (e *exporter) cover() {
	e.coverAgain()
	// A sum takes a product before the product takes its factors, and both before an
	// operand that is broadcast is taken alone.
	for _, find := range []func(graph.NodeID){e.coverSum, e.coverSignalSum, e.coverSignals, e.coverTransposed, e.coverTall, e.coverMatrix, e.coverProduct, e.coverOperand} {
		for id := range e.g.Nodes() {
			if e.g.Op(id) != nil && !e.covered[id] && e.as[id] == nil {
				find(id)
			}
		}
	}
}

// single reports whether a tensor is made by the operator and read once, and not taken
// yet.
func (e *exporter) single(t graph.Tensor, op string) bool {
	o := e.g.Op(t.Node)
	return o != nil && o.Name == op && e.uses[t] == 1 && !e.covered[t.Node] && e.as[t.Node] == nil
}

// takes covers the nodes that make tensors.
func (e *exporter) takes(ts ...graph.Tensor) {
	for _, t := range ts {
		e.covered[t.Node] = true
	}
}

// coverSum finds convolutions with a bias, and products of matrices with a row.
func (e *exporter) coverSum(id graph.NodeID) {
	if e.g.Op(id).Name != "ewadd" {
		return
	}
	for i, y := range e.g.Operands(id) {
		other := e.g.Operands(id)[1-i]
		if e.single(y, "conv2d") && e.biased(id, y, other) || e.single(y, "matmul") && e.gemmRow(id, y, other) {
			return
		}
	}
}

// bias is what a convolution's node has as its bias for a tensor that is added to the
// result.
type bias struct {
	of   graph.Tensor   // with one number for each channel
	over []graph.Tensor // those between, which are covered
	note string         // what the reader makes of it; "" for reshape and broadcast
}

// Notes of biases: a weight has the sizes of a tensor of 3 or 4 axes that is broadcast,
// although it is a vector in the file, or the vector is reshaped to three axes.
const (
	biasWeight3  = "bias of 3 axes"
	biasWeight4  = "bias of 4 axes"
	biasReshape3 = "bias reshaped to 3 axes"
)

// biased recognizes a convolution and a number added to each channel.
func (e *exporter) biased(id graph.NodeID, conv, other graph.Tensor) bool {
	if act, _ := e.attr(conv.Node, "act").Name(); act != "none" || e.dilatedSame(conv.Node) != "" {
		return false // the node has one note at most
	}
	b, ok := e.biasOf(other, e.g.Sizes(conv))
	if !ok {
		return false
	}
	e.takes(append(b.over, conv)...)
	if b.note == biasWeight3 || b.note == biasWeight4 {
		e.stored[b.of.Node] = []int{e.g.Sizes(conv)[1]}
	}
	e.as[id] = func() {
		n := e.conv(conv.Node, append(e.operands(conv.Node), e.of(b.of)), e.out(id))
		if b.note != "" {
			mark(n, b.note)
		}
	}
	return true
}

// biasOf is a tensor that is added to a result of the given sizes as a bias.
func (e *exporter) biasOf(t graph.Tensor, sizes []int) (b bias, ok bool) {
	g, c := e.g, sizes[1]
	if e.single(t, "broadcast") {
		from := g.Operands(t.Node)[0]
		if slices.Equal(g.Sizes(from), sizes) {
			return b, false // would read as no broadcast
		}
		b.over = append(b.over, t)
		t = from
	}
	form := g.Sizes(t)
	four, three := slices.Equal(form, ofChannels(c, 4)), slices.Equal(form, []int{c, 1, 1})
	switch {
	case !four && !three:
		return b, false
	case e.single(t, "reshape"):
		b.of, b.over = g.Operands(t.Node)[0], append(b.over, t)
		if three {
			b.note = biasReshape3
		}
		return b, slices.Equal(g.Sizes(b.of), []int{c})
	case g.Op(t.Node) == nil && g.IsWeight(t.Node) && e.uses[t] == 1:
		if b.of, b.note = t, biasWeight4; three {
			b.note = biasWeight3
		}
		return b, true
	}
	return b, false
}

// markedBias is the bias of a convolution as its note says that it was, to be broadcast;
// nil if there is no such note.
func (c *call) markedBias(y, b *value) *value {
	if b == nil || b.rank() != 1 || y.rank() != 4 || b.size(0) != y.size(1) {
		return nil
	}
	three, four := []int{b.sizes()[0], 1, 1}, ofChannels(b.sizes()[0], 4)
	switch text, _ := c.noteOf(); text {
	case biasReshape3:
		return c.im.reshaped(b, dimsOf(three...))
	case biasWeight3:
		return b.resized(three)
	case biasWeight4:
		return b.resized(four)
	}
	return nil
}

// gemmRow recognizes a product of two matrices and a row added to each of its rows.
func (e *exporter) gemmRow(id graph.NodeID, y, other graph.Tensor) bool {
	g, sizes := e.g, e.g.Sizes(y)
	if len(sizes) != 2 || !g.DType(y).IsFloat() {
		return false
	}
	row := []int{sizes[1]}
	if e.single(other, "broadcast") {
		from := g.Operands(other.Node)[0]
		if slices.Equal(g.Sizes(from), sizes) || !slices.Equal(g.Sizes(from), row) && !slices.Equal(g.Sizes(from), []int{1, row[0]}) {
			return false
		}
		e.takes(other)
		other = from
	} else if sizes[0] != 1 || !g.IsWeight(other.Node) {
		return false
	}
	e.takes(y)
	e.gemm(id, y, &other)
	return true
}

// coverProduct finds products of which a factor is transposed.
func (e *exporter) coverProduct(id graph.NodeID) {
	y := id.Out(0)
	if e.g.Op(id).Name != "matmul" || len(e.g.Sizes(y)) != 2 || !e.g.DType(y).IsFloat() {
		return
	}
	if slices.ContainsFunc(e.g.Operands(id), e.turned) {
		e.gemm(id, y, nil)
	}
}

// turned reports whether a matrix is a transposed one, which nobody else reads.
func (e *exporter) turned(t graph.Tensor) bool {
	return e.single(t, "transpose") && slices.Equal(e.tuple(t.Node, "perm"), []int{1, 0})
}

// gemm emits a product of matrices y, and a row if there is one, at the node id.
func (e *exporter) gemm(id graph.NodeID, y graph.Tensor, row *graph.Tensor) {
	var factors []graph.Tensor
	turned := [2]bool{}
	for i, t := range e.g.Operands(y.Node) {
		if turned[i] = e.turned(t); turned[i] {
			e.takes(t)
			t = e.g.Operands(t.Node)[0]
		}
		factors = append(factors, t)
	}
	e.as[id] = func() {
		var in []string
		for _, t := range factors {
			in = append(in, e.of(t))
		}
		if row != nil {
			in = append(in, e.of(*row))
		}
		n := e.emit("Gemm", in, e.out(id))
		for i, name := range []string{"transA", "transB"} {
			if turned[i] {
				n.Attribute = append(n.Attribute, intAttribute(name, 1))
			}
		}
	}
}

// coverTall finds a product of a tensor of three or more axes with a matrix, which is one
// of a tall matrix here.
func (e *exporter) coverTall(id graph.NodeID) {
	g := e.g
	if g.Op(id).Name != "reshape" {
		return
	}
	y := g.Operands(id)[0]
	if !e.single(y, "matmul") || len(g.Sizes(y)) != 2 {
		return
	}
	tall, w := g.Operands(y.Node)[0], g.Operands(y.Node)[1]
	if tall == w || !e.single(tall, "reshape") {
		return
	}
	x := g.Operands(tall.Node)[0]
	from, last := g.Sizes(x), len(g.Sizes(x))-1
	if last < 2 || from[last] != g.Sizes(tall)[1] || !slices.Equal(e.sizes(id), append(slices.Clone(from[:last]), g.Sizes(w)[1])) {
		return
	}
	e.takes(y, tall)
	e.as[id] = func() { e.emit("MatMul", []string{e.of(x), e.of(w)}, e.out(id)) }
}

// noteMatrix is the note of a product with a weight that has axes of size 1 in front, as
// many axes as the other factor, although it is a matrix in the file: ONNX Runtime packs
// matrices ahead, and puts a sum behind the product into it.
const noteMatrix = "matrix with more axes"

// coverMatrix finds products with a matrix that has axes of size 1 in front.
func (e *exporter) coverMatrix(id graph.NodeID) {
	g := e.g
	if g.Op(id).Name != "matmul" {
		return
	}
	x, w := g.Operands(id)[0], g.Operands(id)[1]
	sizes := g.Sizes(w)
	lead := len(sizes) - 2
	if lead < 1 || !all(sizes[:lead], 1) || g.Op(w.Node) != nil || !g.IsWeight(w.Node) || e.uses[w] != 1 {
		return
	}
	e.stored[w.Node] = sizes[lead:]
	e.as[id] = func() { mark(e.emit("MatMul", []string{e.of(x), e.of(w)}, e.out(id)), noteMatrix) }
}

// markedMatrix is the second factor of a product with the axes in front that its note says;
// the factor as it is if there is no such note.
func (c *call) markedMatrix(x, y *value) *value {
	if c.marked(noteShared) && y.rank() == 2 && x.rank() > 2 {
		return c.im.broadcastTo(y, slices.Concat(x.dims()[:x.rank()-2], y.dims()))
	}
	if !c.marked(noteMatrix) || y.rank() != 2 || x.rank() < 3 || !all(x.sizes()[:x.rank()-2], 1) {
		return y
	}
	if w := y.resized(append(slices.Clone(x.sizes()[:x.rank()-2]), y.sizes()...)); w != nil {
		return w
	}
	return y
}

// noteShared is the note of a product of a tensor of three or more axes with one matrix that is
// repeated. Without it such a product reads as one of a tall matrix.
const noteShared = "repeated matrix"

func writeMatMul(e *exporter, id graph.NodeID) {
	n := e.emit("MatMul", e.spread(id), e.out(id))
	if y := e.g.Operands(id)[1]; e.covered[y.Node] && len(e.g.Sizes(e.g.Operands(y.Node)[0])) == 2 {
		mark(n, noteShared)
	}
}

// coverOperand finds operands that are broadcast, and concatenations whose first operand
// is one along the same axis.
func (e *exporter) coverOperand(id graph.NodeID) {
	g, op := e.g, e.g.Op(id)
	if kept, ok := repeats(op); ok {
		e.coverBroadcasts(id, kept)
	}
	if op.Name == "concat" {
		if t := g.Operands(id)[0]; e.single(t, "concat") && e.int(t.Node, "axis") == e.int(id, "axis") {
			e.covered[t.Node] = true
		}
	}
}

// repeats reports whether the node of ONNX for an operator broadcasts its operands, and how many
// axes at the end it does not broadcast: the two of the matrices of a product.
func repeats(op *graph.Op) (kept int, ok bool) {
	if op.Name == "matmul" {
		return 2, true
	}
	_, ok = broadcasts[op.Name]
	return 0, ok
}

// coverBroadcasts takes operands that are broadcast, as long as the others have all sizes.
func (e *exporter) coverBroadcasts(id graph.NodeID, kept int) {
	in := e.g.Operands(id)
	if slices.ContainsFunc(in, func(t graph.Tensor) bool { return e.covered[t.Node] }) {
		return
	}
	for i, taken := range implicit(e.g, id, kept, func(t graph.Tensor) bool { return e.single(t, "broadcast") }) {
		if taken {
			e.covered[in[i].Node] = true
		}
	}
}

// implicit says which operands of a node can be written without their broadcast: ONNX repeats
// them along all axes but the last ones that are kept, as the others have all sizes. Constants
// come first, so that what is broadcast by a node of its own is no constant.
func implicit(g *graph.Graph, id graph.NodeID, kept int, may func(graph.Tensor) bool) []bool {
	in, all := g.Operands(id), leading(g, id.Out(0), kept)
	taken := make([]bool, len(in))
	source := func(i int) graph.Tensor { return g.Operands(in[i].Node)[0] }
	for _, constants := range []bool{true, false} {
		for i, t := range in {
			if op := g.Op(t.Node); op == nil || op.Name != "broadcast" || !may(t) {
				continue
			}
			from := source(i)
			if isConstant(g, from.Node) != constants || g.Shape(from).Key() == g.Shape(t).Key() { // the latter would read as no broadcast
				continue
			}
			if !slices.Equal(trailing(g, from, kept), trailing(g, t, kept)) {
				continue
			}
			taken[i] = true
			var now [][]graph.Dim
			for k, x := range in {
				if taken[k] {
					x = source(k)
				}
				now = append(now, leading(g, x, kept))
			}
			taken[i] = slices.Equal((*dynamic)(nil).jointOf(now...), all)
		}
	}
	return taken
}

// trailing are the last sizes of a tensor, all if it has fewer.
func trailing(g *graph.Graph, t graph.Tensor, n int) []graph.Dim {
	sizes := dimsOfShape(g.Shape(t))
	return sizes[max(len(sizes)-n, 0):]
}

// leading are the sizes in front of the last ones.
func leading(g *graph.Graph, t graph.Tensor, n int) []graph.Dim {
	sizes := dimsOfShape(g.Shape(t))
	return sizes[:max(len(sizes)-n, 0)]
}

// isConstant reports whether a node is a weight or a number.
func isConstant(g *graph.Graph, id graph.NodeID) bool {
	if op := g.Op(id); op != nil {
		return op.In == 0 && op.Name != graph.OpaqueName
	}
	return g.IsWeight(id)
}
