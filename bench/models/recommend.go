package models

import (
	"fmt"
)

// dlrm is DLRM as Unity measures it: dense features through a chain of layers, one row
// of a table for each categorical feature, all beside each other, and another chain to
// one score.
type dlrm struct {
	samples, features int
	bottom, top       int // layers
	hidden            int // of both chains
	tables, rows      int
	width             int // of a row
}

func (c dlrm) batch() int { return c.samples }

func (c dlrm) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c dlrm) build(seed uint64) *Network {
	n := newNet(seed, 1, biased)
	x := n.chain("bottom", n.input("dense", c.samples, c.features), c.bottom, c.hidden)
	for i := range c.tables {
		x = n.concat(x, n.row(i, c.samples, c.rows, c.width))
	}
	x = n.chain("top", x, c.top, c.hidden)
	return n.finish(n.linear("score", x, 1, true))
}

// row is the row of table i for a categorical feature of each sample.
func (n *net) row(i, samples, rows, width int) (x tensor) {
	n.in(fmt.Sprintf("table%d", i), func() {
		table := n.weight("rows", -0.05, 0.05, rows, width)
		x = n.apply("gather", "gather", axis(0), table, n.positions("feature", samples))
	})
	return x
}

// chain is linear layers, each rectified, with biases unless the style is plain.
func (n *net) chain(name string, x tensor, layers, out int) tensor {
	for i := range layers {
		n.layer(fmt.Sprintf("%s%d", name, i), func() {
			x = n.apply("relu", "relu", nil, n.linear("fc", x, out, n.style != plain))
		})
	}
	return x
}

// xdl is XDL as Unity measures it: rows of tables beside each other, and a chain to two
// scores. No layer has a bias.
type xdl struct {
	samples, tables, rows, width int
	layers, hidden               int // of the chain before the scores
}

func (c xdl) batch() int { return c.samples }

func (c xdl) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c xdl) build(seed uint64) *Network {
	n := newNet(seed, 1, plain)
	x := n.row(0, c.samples, c.rows, c.width)
	for i := 1; i < c.tables; i++ {
		x = n.concat(x, n.row(i, c.samples, c.rows, c.width))
	}
	x = n.linear("score", n.chain("top", x, c.layers, c.hidden), 2, false)
	return n.finish(n.apply("sigmoid", "sigmoid", nil, x))
}

// towers is the MLP that Unity measures: two chains of the same input, added. The softmax
// belongs to the loss.
type towers struct{ samples, features, layers, hidden int }

func (c towers) batch() int { return c.samples }

func (c towers) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c towers) build(seed uint64) *Network {
	n := newNet(seed, 1, biased)
	x := n.input("x", c.samples, c.features)
	y := n.apply("add", "ewadd", nil, n.chain("left", x, c.layers, c.hidden), n.chain("right", x, c.layers, c.hidden))
	return n.finish(y)
}
