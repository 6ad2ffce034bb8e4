package models

// candle is CANDLE-Uno, the response of a tumour to two drugs: a chain of layers for each
// feature of many numbers, all beside each other, and a chain to one score. No layer has a
// bias.
type candle struct {
	samples  int
	features []feature
	bottom   int // layers of each feature's chain
	top      int // layers of the last chain
	hidden   int
}

// feature is an input of so many numbers; one alone, a dose, has no chain.
type feature struct {
	name string
	size int
}

func (c candle) batch() int { return c.samples }

func (c candle) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c candle) build(seed uint64) *Network {
	n := newNet(seed, 1, plain)
	var all []tensor
	for _, f := range c.features {
		x := n.input(f.name, c.samples, f.size)
		if f.size > 1 {
			x = n.chain(f.name+"_", x, c.bottom, c.hidden)
		}
		all = append(all, x)
	}
	x := n.chain("top", n.concat(all...), c.top, c.hidden)
	return n.finish(n.linear("score", x, 1, false))
}

// unoFeatures are those of the public example of FlexFlow, in its order.
var unoFeatures = []feature{{"cell_rnaseq", 942}, {"dose1", 1}, {"dose2", 1},
	{"drug1_descriptors", 5270}, {"drug1_fingerprints", 2048}, {"drug2_descriptors", 5270}, {"drug2_fingerprints", 2048}}
