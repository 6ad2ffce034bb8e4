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

func (c bertPaper) build(seed uint64) *Network {
	n := newNet(seed, 1, plain)
	x := n.input("x", c.sequence, c.hidden)
	x = n.apply("relu", "relu", nil, x)
	var outputs []tensor
	for i := 0; i < c.layers; i++ {
		n.layer(fmt.Sprintf("layer%d", i), func() {
			q := n.headsFirst("q", n.linear("q", x, c.hidden, false), 0, c.heads)
			k := n.headsFirst("k", n.linear("k", x, c.hidden, false), 0, c.heads)
			v := n.headsFirst("v", n.linear("v", x, c.hidden, false), 0, c.heads)
			// q and k fit without a transpose because a head's size is the number of
			// positions.
			logits := n.apply("logits", "matmul", nil, q, k)
			outputs = append(outputs, n.headsLast("out", n.apply("mix", "matmul", nil, logits, v), 0))
			x = n.linear("o", x, c.hidden, false)
		})
	}
	return n.finish(append(outputs, x)...)
}

// heads cuts the last axis of [positions, hidden] into heads and puts the axes position,
// head and element of the head in another order: perm says which is where. With samples,
// positions are those of the first sample, then those of the second and so on, and an
// axis of samples stays in front.
func (n *net) heads(name, order string, x tensor, samples, heads int, perm ...int) tensor {
	x = n.apply(name+"_heads", "reshape", attrs{"shape": shape(bySample(samples, x.sizes[0], heads, x.sizes[1]/heads)...)}, x)
	return n.apply(name+"_"+order, "transpose", permuted(behindSamples(samples, perm...)...), x)
}

// headsFirst gives [heads, positions, hidden/heads].
func (n *net) headsFirst(name string, x tensor, samples, heads int) tensor {
	return n.heads(name, "first", x, samples, heads, 1, 0, 2)
}

// headsLast undoes headsFirst.
func (n *net) headsLast(name string, x tensor, samples int) tensor {
	x = n.apply(name+"_last", "transpose", permuted(behindSamples(samples, 1, 0, 2)...), x)
	last := len(x.sizes) - 1
	return n.apply(name+"_flat", "reshape", attrs{"shape": shape(max(samples, 1)*x.sizes[last-2], x.sizes[last-1]*x.sizes[last])}, x)
}

// bySample divides the first axis among samples, if there are any.
func bySample(samples int, sizes ...int) []int {
	if samples == 0 {
		return sizes
	}
	return append([]int{samples, sizes[0] / samples}, sizes[1:]...)
}

// behindSamples is an order of axes behind the one of samples, if there is one.
func behindSamples(samples int, perm ...int) []int {
	if samples == 0 {
		return perm
	}
	out := []int{0}
	for _, p := range perm {
		out = append(out, p+1)
	}
	return out
}

// EncoderConfig describes the encoder of a transformer as published in BERT:
// layers of attention and feed-forward parts, each with a residual connection
// and normalized after it. All sizes must be at least 1, and Heads divide
// Hidden.
type EncoderConfig struct {
	// Batch is the number of samples, the first axis of input and output; 0: one sample,
	// and no axis for it.
	Batch    int
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

// Encoder builds the encoder: input and output are [Sequence, Hidden], or
// [Batch, Sequence, Hidden], the vectors after the embedding. There is no mask: all positions take part.
func Encoder(c EncoderConfig, seed uint64) (*model.Model, error) {
	c = c.withInner()
	if c.Batch < 0 || c.Layers < 1 || c.Sequence < 1 || c.Hidden < 1 || c.Heads < 1 || c.Inner < 1 {
		return nil, fmt.Errorf("build encoder: %+v: sizes must be at least 1", c)
	}
	if c.Hidden%c.Heads != 0 {
		return nil, fmt.Errorf("build encoder: %d heads do not divide hidden size %d", c.Heads, c.Hidden)
	}
	n, err := try(c, seed)
	if err != nil {
		return nil, fmt.Errorf("build encoder: %w", err)
	}
	n.Name = fmt.Sprintf("encoder-%dx%d-%d", c.Layers, c.Hidden, c.Sequence)
	return n.Model, nil
}

func (c EncoderConfig) batch() int { return max(c.Batch, 1) }

func (c EncoderConfig) withBatch(samples int) builder {
	c.Batch = samples
	return c
}

func (c EncoderConfig) build(seed uint64) *Network {
	c = c.withInner()
	n := newNet(seed, 1, plain)
	n.eps = 1e-12
	in := n.input("x", bySample(c.Batch, c.batch()*c.Sequence, c.Hidden)...)
	x := n.encoder(n.rows(in), c)
	if c.Batch > 0 {
		x = n.apply("y", "reshape", attrs{"shape": shape(in.sizes...)}, x)
	}
	return n.finish(x)
}

// encoder is the layers of an encoder, on rows.
func (n *net) encoder(x tensor, c EncoderConfig) tensor {
	for i := 0; i < c.Layers; i++ {
		n.layer(fmt.Sprintf("layer%d", i), func() {
			x = n.attention(x, tensor{}, c)
			x = n.feedForward(x, c)
		})
	}
	return x
}

// rows makes [samples * positions, hidden] of [samples, positions, hidden]: matrices of
// weights are multiplied with all positions of all samples at once.
func (n *net) rows(x tensor) tensor {
	if len(x.sizes) != 3 {
		return x
	}
	return n.apply("rows", "reshape", attrs{"shape": shape(x.sizes[0]*x.sizes[1], x.sizes[2])}, x)
}

// attention is the part of a layer in which positions look at each other, and the
// normalization behind it. What the mask has is added to the scores; it is
// [positions, positions], or there is none.
func (n *net) attention(x, mask tensor, c EncoderConfig) tensor {
	q := n.headsFirst("q", n.linear("q", x, c.Hidden, true), c.Batch, c.Heads)
	k := n.keys(n.linear("k", x, c.Hidden, true), c)
	v := n.headsFirst("v", n.linear("v", x, c.Hidden, true), c.Batch, c.Heads)
	// Scores are divided by the root of a head's size.
	scale := 1 / math.Sqrt(float64(c.Hidden/c.Heads))
	scores := n.apply("scores", "matmul", nil, q, k)
	scores = n.apply("scaled", "smul", nil, scores, n.weight("scale", scale, scale))
	if mask.sizes != nil {
		mask = n.apply("mask_all", "broadcast", attrs{"shape": shape(scores.sizes...)}, mask)
		scores = n.apply("masked", "ewadd", nil, scores, mask)
	}
	p := n.apply("softmax", "softmax", axis(len(scores.sizes)-1), scores)
	mix := n.headsLast("mix", n.apply("mix", "matmul", nil, p, v), c.Batch)
	return n.layerNorm("norm1", n.apply("add1", "ewadd", nil, x, n.linear("o", mix, c.Hidden, true)))
}

// keys gives [heads, hidden/heads, positions], behind samples in two steps, as models that
// are trained do: heads first, then their matrices transposed.
func (n *net) keys(x tensor, c EncoderConfig) tensor {
	if c.Batch == 0 {
		return n.heads("k", "columns", x, 0, c.Heads, 1, 2, 0)
	}
	return n.apply("k_columns", "transpose", permuted(0, 1, 3, 2), n.headsFirst("k", x, c.Batch, c.Heads))
}

// feedForward is the other part of a layer, and the normalization behind it.
func (n *net) feedForward(x tensor, c EncoderConfig) tensor {
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
