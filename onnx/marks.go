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
