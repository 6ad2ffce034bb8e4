package onnx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// constantOperator reads a weight of a file of our own whose note says that it
// is the result of an operator without inputs, such as iconv. The note is
// believed only if the numbers are the operator's.
func (im *importer) constantOperator(w *value, text string) (*value, bool) {
	op, a, ok := parseOperator(text)
	if !ok || op.In != 0 || w.dtype != graph.Float32 || w.elements() > maxConstant {
		return nil, false
	}
	v, err := im.applyAttrs(op, a)
	if err != nil || !slices.Equal(v.sizes, w.sizes) {
		return nil, false
	}
	numbers, err := constantNumbers(op, a)
	if err != nil {
		return nil, false
	}
	raw, err := w.weight.Read()
	if err != nil || !bytes.Equal(raw, numbers) {
		return nil, false
	}
	return v, true
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

// constantNumbers are the elements of an operator without inputs, in float32.
func constantNumbers(op *graph.Op, a graph.Attrs) ([]byte, error) {
	out, err := interp.Apply(interp.Float{}, op, a, []interp.Tensor[float64]{})
	if err != nil {
		return nil, err
	}
	k := &constant{dtype: graph.Float32, sizes: out[0].Sizes, floats: out[0].Data}
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

// rsqrt is rsqrt[eps](x) if the node is the last of 1 / sqrt(x + eps) and its
// note says so, or nil.
func (c *call) rsqrt(root *value) *value {
	if text, ok := c.noteOf(); !ok || !strings.HasPrefix(text, "rsqrt ") {
		return nil
	}
	s := from(root, "sqrt")
	if s == nil {
		return nil
	}
	sum := from(s.in[0], "ewadd")
	if sum == nil {
		return nil
	}
	eps, ok := number(unspread(sum.in[1]))
	if !ok {
		return nil
	}
	v, err := c.im.apply("rsqrt", attrs{"eps": c.exact("eps", shortest(float32(eps)))}, sum.in[0])
	if err != nil {
		return nil
	}
	return v
}
