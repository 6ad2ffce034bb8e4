package onnx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/must"
)

// constantOperator reads a weight of a file of our own whose note says that it
// is the result of an operator without inputs, such as iconv; nil if it is not.
// The note is believed only if the numbers are the operator's.
func (im *importer) constantOperator(w *value, text string) *value {
	op, a, ok := parseOperator(text)
	if !ok || op.In != 0 || !w.dtype.IsReal() || w.elements() > maxConstant {
		return nil
	}
	types, err := graph.ApplyTypes(op, a, nil, w.dtype)
	if err != nil || !slices.Equal(types[0].Sizes, w.sizes()) {
		return nil
	}
	numbers, err := constantNumbers(op, a, w.dtype)
	if err != nil {
		return nil
	}
	raw, err := w.weight.Read()
	if err != nil || !bytes.Equal(raw, numbers) {
		return nil
	}
	return im.entered(must.Get(im.made.Constant("", w.dtype, op, a)))[0]
}

// parseOperator reads an operator with its attributes, such as iconv[c=3, kh=3,
// kw=3], as the text form of graphs writes it.
func parseOperator(text string) (*graph.Op, graph.Attrs, bool) {
	if len(text) > 1000 || strings.ContainsAny(text, "\n\"#") {
		return nil, nil, false
	}
	g, err := graph.ParseText("note", fmt.Sprintf("x = %s()\nreturn x\n", text))
	if err != nil || g.Len() != 1 || g.Op(1) == nil {
		return nil, nil, false
	}
	return g.Op(1), g.Attrs(1), true
}

// constantNumbers are the elements of an operator without inputs, of a type of real numbers.
func constantNumbers(op *graph.Op, a graph.Attrs, t graph.DType) ([]byte, error) {
	out, err := interp.Apply(interp.Float{}, op, a, []interp.Tensor[float64]{})
	if err != nil {
		return nil, err
	}
	k := &constant{dtype: t, sizes: out[0].Sizes, floats: out[0].Data}
	return k.encode(), nil
}

// noteOf is the note of a node of a file of our own.
func (c *call) noteOf() (string, bool) {
	if !c.im.own {
		return "", false
	}
	return strings.CutPrefix(c.node.GetDocString(), note)
}

// marked reports whether a node's note is just this.
func (c *call) marked(what string) bool {
	text, ok := c.noteOf()
	return ok && text == what
}

// exact is a number of the file, which is a float32, as it was before: a note
// may give it in float64, which must round to it.
func (c *call) exact(name string, x float64) graph.Value {
	text, _ := c.noteOf()
	for _, part := range strings.Fields(text) {
		if s, ok := strings.CutPrefix(part, name+"="); ok {
			if y, err := graph.ParseNumber(s); err == nil && float32(y) == float32(x) {
				return graph.NumberValue(y)
			}
		}
	}
	return graph.NumberValue(x)
}

// fused is the convolution before a node with the node's function as a part of it,
// if the note says that it was written so, or nil.
func (c *call) fused(own string, v *value) *value {
	conv := c.im.from(v.tensor, "conv2d")
	if conv == 0 || !c.marked("fused") || v.uses != 1 {
		return nil
	}
	g := c.im.made.Graph()
	op, a := g.Op(conv), slices.Clone(g.Attrs(conv))
	at := op.ParamIndex("act")
	if a[at] != graph.NameValue("none") {
		return nil
	}
	a[at] = graph.NameValue(own)
	return c.im.applyAttrs(op, a, c.im.valuesOf(g.Operands(conv))...)[0]
}

// rsqrt is rsqrt[eps](x) if the node is the last of 1 / sqrt(x + eps) and its
// note says so, or nil.
func (c *call) rsqrt(root *value) (v *value) {
	if text, ok := c.noteOf(); !ok || !strings.HasPrefix(text, "rsqrt ") {
		return nil
	}
	im := c.im
	s := im.from(root.tensor, "sqrt")
	if s == 0 {
		return nil
	}
	sum := im.from(im.made.Graph().Operands(s)[0], "ewadd")
	if sum == 0 {
		return nil
	}
	in := im.made.Graph().Operands(sum)
	eps, ok := im.oneNumber(im.unspread(in[1]))
	if !ok {
		return nil
	}
	// Where the number is none that the operator takes, it stays as it is written.
	_ = must.Try(func() {
		v = im.apply("rsqrt", attrs{"eps": c.exact("eps", shortest(float32(eps)))}, im.values[in[0]])
	})
	return v
}
