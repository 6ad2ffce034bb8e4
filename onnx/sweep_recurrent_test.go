package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// TestSweepRecurrent: recurrent networks of both directions, with all their inputs.
func TestSweepRecurrent(t *testing.T) {
	t.Parallel()
	var vs []*variant
	const steps, batch, in, hidden = 3, 2, 4, 5
	strings := func(ss ...string) *onnxpb.AttributeProto {
		a := &onnxpb.AttributeProto{Name: proto.String("activations"), Type: onnxpb.AttributeProto_STRINGS.Enum()}
		for _, s := range ss {
			a.Strings = append(a.Strings, []byte(s))
		}
		return a
	}
	for op, gates := range map[string]int{"RNN": 1, "GRU": 3, "LSTM": 4} {
		for _, way := range []string{"forward", "reverse", "bidirectional"} {
			dirs := 1
			if way == "bidirectional" {
				dirs = 2
			}
			x, w, r := feed("x", steps, batch, in), fixedFeed("w", dirs, gates*hidden, in), fixedFeed("r", dirs, gates*hidden, hidden)
			b, h, c := fixedFeed("b", dirs, 2*gates*hidden), feed("h", dirs, batch, hidden), feed("c", dirs, batch, hidden)
			as := []*onnxpb.AttributeProto{textAttribute("direction", way), intAttribute("hidden_size", hidden)}
			outs := []string{"yy", "last"}
			vs = append(vs, variantOf(14, op, list(x, w, r), []string{"yy"}, as...), variantOf(22, op, list(x, w, r, b), outs, as...))
			with := list(x, w, r, b, none, h)
			if op == "LSTM" {
				with, outs = append(with, c), append(outs, "cell")
				vs = append(vs, variantOf(14, op, append(with, fixedFeed("p", dirs, 3*hidden)), outs, as...))
			}
			vs = append(vs, variantOf(14, op, with, outs, as...))
			if op == "GRU" {
				vs = append(vs, variantOf(14, op, with, outs, append(as, intAttribute("linear_before_reset", 1))...))
			}
		}
	}
	x, w, r := feed("x", steps, batch, in), fixedFeed("w", 1, hidden, in), fixedFeed("r", 1, hidden, hidden)
	vs = append(vs,
		variantOf(14, "RNN", list(x, w, r), []string{"yy"}, intAttribute("hidden_size", hidden), strings("Relu")),
		variantOf(14, "RNN", list(x, w, r), []string{"", "last"}, intAttribute("hidden_size", hidden), strings("Sigmoid")),
		variantOf(14, "RNN", list(x, w, r), z, intAttribute("hidden_size", hidden), floatAttribute("clip", 1)).keeps("attribute clip is 1, which is not supported"),
		variantOf(14, "RNN", list(x, w, r), z, intAttribute("hidden_size", hidden), floatAttribute("clip", 0)).keeps("attribute clip is 0, which is not supported"),
		variantOf(14, "RNN", list(x, w, r), z, intAttribute("hidden_size", hidden+1)).fails("hidden_size is 6, and its weights are for 5").alone("hidden"),
		variantOf(14, "RNN", list(x, w, r, none, whole("n", 2, 3).as(graph.Int32).held()), z, intAttribute("hidden_size", hidden)).keeps("sequences of different lengths are not supported"),
		variantOf(14, "RNN", list(feed("x", 300, 1, in), w, r), z, intAttribute("hidden_size", hidden)).keeps("sequence length 300"),
		variantOf(14, "RNN", list(x, fixedFeed("w", 1, hidden+1, in), r), z, intAttribute("hidden_size", hidden)).fails("want 1 directions of 5"),
	)
	sweep(t, vs)
}
