package models

import (
	"fmt"
)

// nasrnn is TASO's NasRNN: a recurrent cell found by architecture search,
// unrolled, with weights of its own in each step.
type nasrnn struct{ hidden, steps int }

func (c nasrnn) build(seed uint64) *Network {
	n := newNet(seed, 1, plain)
	xs := make([]tensor, c.steps)
	for i := range xs {
		xs[i] = n.input(fmt.Sprintf("x%d", i), 1, c.hidden)
	}
	state := n.weight("state", -1, 1, 1, c.hidden)
	for i, x := range xs {
		n.layer(fmt.Sprintf("step%d", i), func() { state = c.cell(n, x, state) })
	}
	return n.finish(state)
}

func (c nasrnn) cell(n *net, x, state tensor) tensor {
	t := make([]tensor, 8)
	for i := range t {
		t[i] = n.apply(fmt.Sprintf("sum%d", i), "ewadd", nil,
			n.linear(fmt.Sprintf("x%d", i), x, c.hidden, false),
			n.linear(fmt.Sprintf("s%d", i), state, c.hidden, false))
	}
	f := func(op string, x tensor) tensor { return n.apply(op, op, nil, x) }
	add := func(x, y tensor) tensor { return n.apply("add", "ewadd", nil, x, y) }
	mul := func(x, y tensor) tensor { return n.apply("mul", "ewmul", nil, x, y) }
	m0 := add(f("relu", t[0]), f("sigmoid", t[3]))
	m1 := add(f("sigmoid", t[1]), f("tanh", t[2]))
	m2 := mul(f("sigmoid", t[4]), f("tanh", t[5]))
	m3 := mul(f("sigmoid", t[6]), f("relu", t[7]))
	m4 := add(f("sigmoid", m1), f("tanh", m2))
	m5 := mul(f("tanh", m0), f("tanh", m3))
	m6 := mul(f("tanh", m4), f("tanh", m5))
	return f("tanh", m6)
}
