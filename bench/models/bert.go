package models

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// bertPaper is the graph that TASO and Tensat call BERT: in each layer three
// projections, two products of matrices a head, and a fourth projection of the
// layer's input that feeds the next one. There is no softmax, no transposed
// key, no residual, normalization or feed-forward part.
type bertPaper struct{ sequence, hidden, heads, layers int }

func (c bertPaper) build(seed uint64) *model.Model {
	n := newNet(seed, 1, plain)
	x := n.input("x", c.sequence, c.hidden)
	x = n.apply("relu", "relu", nil, x)
	var outputs []tensor
	for i := 0; i < c.layers; i++ {
		n.in(fmt.Sprintf("layer%d", i), func() {
			q := n.headsFirst("q", n.linear("q", x, c.hidden, false), c.heads)
			k := n.headsFirst("k", n.linear("k", x, c.hidden, false), c.heads)
			v := n.headsFirst("v", n.linear("v", x, c.hidden, false), c.heads)
			// q and k fit without a transpose because a head's size is the number of
			// positions.
			logits := n.apply("logits", "matmul", nil, q, k)
			outputs = append(outputs, n.headsLast("out", n.apply("mix", "matmul", nil, logits, v)))
			x = n.linear("o", x, c.hidden, false)
		})
	}
	return n.finish(append(outputs, x)...)
}

// headsFirst cuts the last axis of [sequence, hidden] into heads and puts them
// first: [heads, sequence, hidden/heads].
func (n *net) headsFirst(name string, x tensor, heads int) tensor {
	x = n.apply(name+"_heads", "reshape", attrs{"shape": shape(x.sizes[0], heads, x.sizes[1]/heads)}, x)
	return n.apply(name+"_first", "transpose", attrs{"perm": graph.TupleValue(1, 0, 2)}, x)
}

// headsLast undoes headsFirst.
func (n *net) headsLast(name string, x tensor) tensor {
	x = n.apply(name+"_last", "transpose", attrs{"perm": graph.TupleValue(1, 0, 2)}, x)
	return n.apply(name+"_flat", "reshape", attrs{"shape": shape(x.sizes[0], x.sizes[1]*x.sizes[2])}, x)
}

// EncoderConfig describes the encoder of a transformer as published in BERT:
// layers of attention and feed-forward parts, each with a residual connection
// and normalized after it. All sizes must be at least 1, and Heads divide
// Hidden.
type EncoderConfig struct {
	Layers   int
	Sequence int // positions
	Hidden   int // size of a position's vector
	Heads    int
	Inner    int // size inside the feed-forward part; 0 is 4 times Hidden
}

// withInner fills in the default.
func (c EncoderConfig) withInner() EncoderConfig {
	if c.Inner == 0 {
		c.Inner = 4 * c.Hidden
	}
	return c
}

// one is a single layer of it.
func (c EncoderConfig) one() EncoderConfig {
	c.Layers = 1
	return c
}

// BERTBase is the encoder of BERT-base: 12 layers of hidden size 768.
func BERTBase(sequence int) EncoderConfig {
	return EncoderConfig{Layers: 12, Sequence: sequence, Hidden: 768, Heads: 12}
}

// BERTLarge is the encoder of BERT-Large: 24 layers of hidden size 1024.
func BERTLarge(sequence int) EncoderConfig {
	return EncoderConfig{Layers: 24, Sequence: sequence, Hidden: 1024, Heads: 16}
}

// Encoder builds the encoder: input and output are [Sequence, Hidden], the
// vectors after the embedding. There is no mask: all positions take part.
func Encoder(c EncoderConfig, seed uint64) (m *model.Model, err error) {
	c = c.withInner()
	if c.Layers < 1 || c.Sequence < 1 || c.Hidden < 1 || c.Heads < 1 || c.Inner < 1 {
		return nil, fmt.Errorf("build encoder: %+v: sizes must be at least 1", c)
	}
	if c.Hidden%c.Heads != 0 {
		return nil, fmt.Errorf("build encoder: %d heads do not divide hidden size %d", c.Heads, c.Hidden)
	}
	m, err = try(c.build, seed)
	if err != nil {
		return nil, fmt.Errorf("build encoder: %w", err)
	}
	m.Name = fmt.Sprintf("encoder-%dx%d-%d", c.Layers, c.Hidden, c.Sequence)
	return m, nil
}

func (c EncoderConfig) build(seed uint64) *model.Model {
	c = c.withInner()
	n := newNet(seed, 1, plain)
	n.eps = 1e-12
	x := n.input("x", c.Sequence, c.Hidden)
	for i := 0; i < c.Layers; i++ {
		n.in(fmt.Sprintf("layer%d", i), func() { x = n.encoderLayer(x, c) })
	}
	return n.finish(x)
}

func (n *net) encoderLayer(x tensor, c EncoderConfig) tensor {
	q := n.headsFirst("q", n.linear("q", x, c.Hidden, true), c.Heads)
	k := n.linear("k", x, c.Hidden, true)
	k = n.apply("k_heads", "reshape", attrs{"shape": shape(c.Sequence, c.Heads, c.Hidden/c.Heads)}, k)
	k = n.apply("k_columns", "transpose", attrs{"perm": graph.TupleValue(1, 2, 0)}, k)
	v := n.headsFirst("v", n.linear("v", x, c.Hidden, true), c.Heads)
	// Scores are divided by the root of a head's size.
	scale := 1 / math.Sqrt(float64(c.Hidden/c.Heads))
	scores := n.apply("scores", "matmul", nil, q, k)
	scores = n.apply("scaled", "smul", nil, scores, n.weight("scale", scale, scale))
	p := n.apply("softmax", "softmax", attrs{"axis": graph.IntValue(2)}, scores)
	mix := n.headsLast("mix", n.apply("mix", "matmul", nil, p, v))
	x = n.layerNorm("norm1", n.apply("add1", "ewadd", nil, x, n.linear("o", mix, c.Hidden, true)))
	h := n.apply("gelu", "gelu", nil, n.linear("up", x, c.Inner, true))
	return n.layerNorm("norm2", n.apply("add2", "ewadd", nil, x, n.linear("down", h, c.Hidden, true)))
}

// layerNorm normalizes the last axis.
func (n *net) layerNorm(name string, x tensor) (y tensor) {
	n.in(name, func() {
		last := len(x.sizes) - 1
		scale := n.weight("scale", 0.9, 1.1, x.sizes[last])
		bias := n.weight("bias", -0.1, 0.1, x.sizes[last])
		y = n.apply("norm", "layernorm", attrs{"axis": graph.IntValue(last), "eps": graph.NumberValue(n.eps)}, x, scale, bias)
	})
	return y
}
