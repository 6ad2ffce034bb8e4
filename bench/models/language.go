package models

import (
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// language is a model that says of each position of a text which word comes next: an
// embedding of words and places, layers in which a position looks at itself and those
// before it, normalized behind each part as Alpa's are, and scores of the words by the
// embedding's matrix, transposed.
type language struct {
	EncoderConfig
	vocabulary int
	// experts: how many stand in every other layer, beginning with the first, in the place
	// of its feed-forward part; group is the number of positions that share their places.
	experts, group int
	dtype          graph.DType
}

func (c language) withBatch(samples int) builder {
	c.Batch = samples
	return c
}

func (c language) build(seed uint64) *Network {
	c.EncoderConfig = c.withInner()
	n := newNet(seed, 1, biased)
	n.dtype = c.dtype
	words := n.weight("words", -0.05, 0.05, c.vocabulary, c.Hidden)
	x := n.apply("word", "gather", axis(0), words, n.positions("tokens", c.Batch, c.Sequence))
	place := n.weight("places", -0.05, 0.05, c.Sequence, c.Hidden)
	place = n.apply("place", "broadcast", attrs{"shape": shape(x.sizes...)}, place)
	x = n.layerNorm("norm", n.rows(n.apply("embedded", "ewadd", nil, x, place)))
	for i := range c.Layers {
		n.layer(fmt.Sprintf("layer%d", i), func() {
			x = n.attention(x, n.causal(c.Sequence), c.EncoderConfig)
			if c.experts > 0 && i%2 == 0 {
				x = n.layerNorm("norm2", n.apply("add2", "ewadd", nil, x, n.mixture(x, c)))
			} else {
				x = n.feedForward(x, c.EncoderConfig)
			}
		})
	}
	columns := n.apply("columns", "transpose", permuted(1, 0), words)
	return n.finish(n.bias("b", n.apply("scores", "matmul", nil, x, columns)))
}

// never is what is added to a score that does not count: its exponential is 0 in all
// types of floating-point numbers, and float16 holds it.
const never = -10000

// causal is what is added to scores so that no position looks at a later one. It is a
// weight of integers, which nobody trains, and each layer has its own, so that no layer
// needs anything of another one than its result.
func (n *net) causal(positions int) tensor {
	w := &model.Weight{DType: graph.Int32, Sizes: []int{positions, positions}, Finite: true}
	w.Load = func() ([]byte, error) {
		raw := make([]byte, w.Bytes())
		for i := range positions {
			for j := i + 1; j < positions; j++ {
				binary.LittleEndian.PutUint32(raw[4*(i*positions+j):], 1<<32+never)
			}
		}
		return raw, nil
	}
	return n.apply("mask", "cast", attrs{"to": graph.NameValue(n.dtype.String())}, n.constant("later", w))
}

// mixture is GShard's layer of experts, two for each position (Lepikhin et al., GShard,
// ICLR 2021, algorithm 1). Positions are taken in groups; in each group an expert has room
// for 2 * group / experts of them, which is what there is to do if all experts get equally
// many. Which experts a position takes and which room it gets there are comparisons, which
// have no derivative: they are inputs. With groups G, positions S, experts E, room C and
// sizes M and H of vectors outside and inside an expert:
//
//	choice [G, S, E]       0 for the two experts of a position, else a large negative number
//	dispatch [G, S, E, C]  1 where a position lies in the room of an expert, else 0
//
// What is learned, the shares of both experts, is the softmax of the two scores.
func (n *net) mixture(x tensor, c language) tensor {
	if x.sizes[0]%c.group != 0 || 2*c.group < c.experts {
		must.Failf("%d samples of %d positions: no groups of %d for %d experts", c.Batch, c.Sequence, c.group, c.experts)
	}
	G, S, E, C, M := x.sizes[0]/c.group, c.group, c.experts, 2*c.group/c.experts, c.Hidden
	reshape := func(name string, x tensor, sizes ...int) tensor {
		return n.apply(name, "reshape", attrs{"shape": shape(sizes...)}, x)
	}
	turn := func(name string, x tensor, perm ...int) tensor {
		return n.apply(name, "transpose", permuted(perm...), x)
	}
	scores := reshape("scores_grouped", n.linear("gate", x, E, false), G, S, E)
	scores = n.apply("chosen", "ewadd", nil, scores, n.input("choice", G, S, E))
	shares := reshape("shares_column", n.apply("shares", "softmax", axis(2), scores), G, S, E, 1)
	dispatch := n.input("dispatch", G, S, E, C)
	shares = n.apply("shares_all", "broadcast", attrs{"shape": shape(G, S, E, C)}, shares)
	combine := reshape("combine_rows", n.apply("combine", "ewmul", nil, dispatch, shares), G, S, E*C)

	to := turn("dispatch_columns", reshape("dispatch_rows", dispatch, G, S, E*C), 0, 2, 1)
	sent := n.apply("sent", "matmul", nil, to, reshape("grouped", x, G, S, M))
	sent = turn("sent_experts", reshape("sent_parts", sent, G, E, C, M), 1, 0, 2, 3)
	h := n.product("up", reshape("sent_rows", sent, E, G*C, M), c.Inner)
	back := n.product("down", n.apply("relu", "relu", nil, h), M)
	back = turn("back_groups", reshape("back_parts", back, E, G, C, M), 1, 0, 2, 3)
	y := n.apply("mixed", "matmul", nil, combine, reshape("back_rows", back, G, E*C, M))
	return reshape("mixed_rows", y, G*S, M)
}

// product multiplies each matrix of x with one of its own.
func (n *net) product(name string, x tensor, out int) tensor {
	in := x.sizes[2]
	w := n.weight(name+"_w", -n.gain(in, false), n.gain(in, false), x.sizes[0], in, out)
	return n.apply(name, "matmul", nil, x, w)
}
