package models

import "fmt"

// recurrent is a network of recurrent layers, each step written out.
type recurrent struct {
	samples       int
	layers, steps int
	vocabulary    int // words
	width, hidden int // of a word's vector, and of a state
	task          task
	classes       int // of classify
}

// task is what is done with the states of the last layer.
type task uint8

const (
	classify  task = iota // scores of the classes of the text, by the last state
	predict               // scores of the next word, by each state
	translate             // scores of the words of another text, by its states, which look at these
)

func (c recurrent) batch() int { return c.samples }

func (c recurrent) withBatch(samples int) builder {
	c.samples = samples
	return c
}

func (c recurrent) build(seed uint64) *Network {
	n := newNet(seed, 1, biased)
	states, last := n.recurrent("source", c, make([]state, c.layers))
	switch c.task {
	case classify:
		return n.finish(n.linear("class", states[c.steps-1], c.classes, true))
	case predict:
		return n.finish(n.linear("word", n.rows(n.stack(states)), c.vocabulary, true))
	}
	source := n.stack(states)
	states, _ = n.recurrent("target", c, last)
	return n.finish(n.linear("word", n.lookedUp(n.stack(states), source), c.vocabulary, true))
}

// state is what an LSTM keeps from step to step: output and cell, [samples, hidden], none
// before the first step.
type state struct{ h, c tensor }

// recurrent is the embedding of a text and the recurrent layers above it: the outputs of
// the last layer, and the last state of each. Step t of layer l is a part of its own.
func (n *net) recurrent(name string, c recurrent, states []state) (outputs []tensor, last []state) {
	n.in(name, func() {
		words := n.weight("words", -0.5, 0.5, c.vocabulary, c.width)
		vectors := n.apply("word", "gather", axis(0), words, n.positions("text", c.samples, c.steps))
		for t := range c.steps {
			n.in(fmt.Sprintf("step%d", t), func() {
				x := n.apply("slice", "slice", part(1, t, t+1), vectors)
				outputs = append(outputs, n.apply("x", "reshape", attrs{"shape": shape(c.samples, c.width)}, x))
			})
		}
		for l, s := range states {
			n.in(fmt.Sprintf("lstm%d", l), func() {
				in := outputs[0].sizes[1]
				p := lstm{wx: n.gates("wx", in, c.hidden), wh: n.gates("wh", c.hidden, c.hidden), b: n.weight("b", -0.1, 0.1, 4*c.hidden)}
				for t := range outputs {
					n.layer(fmt.Sprintf("step%d", t), func() { s = n.cell(outputs[t], s, p) })
					outputs[t] = s.h
				}
			})
			last = append(last, s)
		}
	})
	return outputs, last
}

// lstm is the weights of a layer, those of the four gates beside each other.
type lstm struct{ wx, wh, b tensor }

func (n *net) gates(name string, in, hidden int) tensor {
	return n.weight(name, -n.gain(in, false), n.gain(in, false), in, 4*hidden)
}

// cell is one step of an LSTM (Hochreiter and Schmidhuber, Neural Computation 1997, with
// the forget gate of Gers et al., 2000).
func (n *net) cell(x tensor, s state, p lstm) state {
	g := n.apply("by_x", "matmul", nil, x, p.wx)
	if s.h.sizes != nil {
		g = n.apply("sum", "ewadd", nil, g, n.apply("by_h", "matmul", nil, s.h, p.wh))
	}
	b := n.apply("b_all", "broadcast", attrs{"shape": shape(g.sizes...)}, p.b)
	g = n.apply("gates", "ewadd", nil, g, b)
	hidden := g.sizes[1] / 4
	gate := func(name, f string, k int) tensor {
		part := n.apply(name+"_gate", "slice", part(1, k*hidden, (k+1)*hidden), g)
		return n.apply(name, f, nil, part)
	}
	c := n.apply("new", "ewmul", nil, gate("in", "sigmoid", 0), gate("value", "tanh", 2))
	if s.c.sizes != nil {
		c = n.apply("cell", "ewadd", nil, n.apply("kept", "ewmul", nil, gate("forget", "sigmoid", 1), s.c), c)
	}
	h := n.apply("h", "ewmul", nil, gate("out", "sigmoid", 3), n.apply("squashed", "tanh", nil, c))
	return state{h, c}
}

// stack is the steps' tensors [samples, hidden] as [samples, steps, hidden]. They are
// joined in pairs and pairs of pairs, so that little is copied often.
func (n *net) stack(steps []tensor) tensor {
	var all []tensor
	for _, x := range steps {
		all = append(all, n.apply("column", "reshape", attrs{"shape": shape(x.sizes[0], 1, x.sizes[1])}, x))
	}
	for len(all) > 1 {
		var pairs []tensor
		for i := 0; i+1 < len(all); i += 2 {
			pairs = append(pairs, n.apply("stack", "concat", axis(1), all[i], all[i+1]))
		}
		if len(all)%2 == 1 {
			pairs = append(pairs, all[len(all)-1])
		}
		all = pairs
	}
	return all[0]
}

// lookedUp is attention of the states of one text to those of another, and the layer
// behind it: tanh(W [state; average of the other states]), where the products of states
// say how much each counts (Luong, Pham and Manning, EMNLP 2015). The result has a row
// for each step of each sample.
func (n *net) lookedUp(at, source tensor) (y tensor) {
	n.in("attention", func() {
		columns := n.apply("columns", "transpose", permuted(0, 2, 1), source)
		p := n.apply("softmax", "softmax", axis(2), n.apply("scores", "matmul", nil, at, columns))
		both := n.apply("both", "concat", axis(2), at, n.apply("mix", "matmul", nil, p, source))
		y = n.apply("tanh", "tanh", nil, n.linear("out", n.rows(both), at.sizes[2], false))
	})
	return y
}
