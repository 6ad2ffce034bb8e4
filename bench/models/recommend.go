package models

import (
	"fmt"

	"github.com/taso-go/taso/model"
)

// dlrm is DLRM as Unity measures it: dense features through a chain of layers, one row
// of a table for each categorical feature, all beside each other, and another chain to
// one score.
type dlrm struct {
	batch, features int
	bottom, top     int // layers
	hidden          int // of both chains
	tables, rows    int
	width           int // of a row
}

func (c dlrm) build(seed uint64) *model.Model {
	n := newNet(seed, 1, biased)
	x := n.chain("bottom", n.input("dense", c.batch, c.features), c.bottom, c.hidden)
	for i := range c.tables {
		n.in(fmt.Sprintf("table%d", i), func() {
			table := n.weight("rows", -0.05, 0.05, c.rows, c.width)
			at := n.positions("feature", c.batch)
			x = n.concat(x, n.apply("gather", "gather", axis(0), table, at))
		})
	}
	x = n.chain("top", x, c.top, c.hidden)
	return n.finish(n.linear("score", x, 1, true))
}

// chain is linear layers, each rectified.
func (n *net) chain(name string, x tensor, layers, out int) tensor {
	for i := range layers {
		n.in(fmt.Sprintf("%s%d", name, i), func() { x = n.apply("relu", "relu", nil, n.linear("fc", x, out, true)) })
	}
	return x
}

// towers is the MLP that Unity measures: two chains of the same input, added. The softmax
// belongs to the loss.
type towers struct{ batch, features, layers, hidden int }

func (c towers) build(seed uint64) *model.Model {
	n := newNet(seed, 1, biased)
	x := n.input("x", c.batch, c.features)
	y := n.apply("add", "ewadd", nil, n.chain("left", x, c.layers, c.hidden), n.chain("right", x, c.layers, c.hidden))
	return n.finish(y)
}

// further are networks that are trained rather than rewritten, of large batches.
var further = []entry{
	{"dlrm", "DLRM, eight tables of a million rows, batch 1024", unity,
		dlrm{batch: 1024, features: 1024, bottom: 9, top: 5, hidden: 1024, tables: 8, rows: 1_000_000, width: 256}.build,
		dlrm{batch: 6, features: 5, bottom: 3, top: 2, hidden: 7, tables: 3, rows: 4, width: 3}.build},
	{"mlp", "two towers of eight layers of 8192, added, batch 256", unity,
		towers{batch: 256, features: 1024, layers: 8, hidden: 8192}.build,
		towers{batch: 6, features: 5, layers: 3, hidden: 7}.build},
}

const unity = "Unity (Unger et al., OSDI 2022)"

// Further lists networks beside those of [Names], which no table of benchmarks holds:
// they are there to be trained.
func Further() []string {
	names := make([]string, len(further))
	for i, e := range further {
		names[i] = e.name
	}
	return names
}
