package models

// modal is a transformer of several kinds of input, a picture, a text, a sound: a branch
// of layers for each, and what they say of each position joined by two linear layers.
type modal struct {
	EncoderConfig // of each branch
	branches      int
}

func (c modal) withBatch(samples int) builder {
	c.Batch = samples
	return c
}

func (c modal) build(seed uint64) *Network {
	c.EncoderConfig = c.withInner()
	n := newNet(seed, 1, biased)
	var all []tensor
	for _, name := range []string{"text", "picture", "sound", "place"}[:c.branches] {
		n.in(name, func() {
			x := n.rows(n.input("x", c.Batch, c.Sequence, c.Hidden))
			all = append(all, n.encoder(x, c.EncoderConfig))
		})
	}
	x := n.apply("gelu", "gelu", nil, n.linear("join", n.concat(all...), c.Hidden, true))
	return n.finish(n.linear("score", x, c.Hidden, true))
}
