package pad

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Squared are the two networks of which padding says that they compute the same: before, its
// outputs that take the place of padded inputs padded as these, and after, its inputs padded. cells
// are added one after the other. Who checks a plan trusts that these are the networks that it is about: that is
// all that is taken from this package. Errors: inputs that after does not have with cells, cells that
// are less than none.
func Squared(before, after *graph.Graph, next map[int]int, cells []Cells) (a, b *graph.Graph, err error) {
	total := Cells{}
	for _, c := range cells {
		if len(c) == 0 {
			return nil, nil, errors.New("no input is padded")
		}
		for _, in := range slices.Sorted(maps.Keys(c)) {
			if in < 0 || in >= len(before.Inputs()) || in >= len(after.Inputs()) {
				return nil, nil, fmt.Errorf("input %d is padded: there are %d", in, len(before.Inputs()))
			}
			sizes := before.Sizes(before.Inputs()[in].Out(0))
			if len(c[in]) != len(sizes) || slices.Min(append([]int{0}, c[in]...)) < 0 || !some(c[in]) {
				return nil, nil, fmt.Errorf("input %d of sizes %v is padded by %v", in, sizes, c[in])
			}
			total[in] = longer(c[in], total[in])
		}
	}
	if a, err = padOutputs(before, next, cells); err != nil {
		return nil, nil, err
	}
	if b, err = padInputs(after, cells, total); err != nil {
		return nil, nil, err
	}
	return a, b, nil
}

// copied writes nodes of a graph into another one.
type copied struct {
	b    graph.Builder
	g    *graph.Graph
	at   [][]graph.Tensor
	free func(name string) string
}

func newCopied(g *graph.Graph) *copied {
	names := map[string]bool{}
	for id := range g.Nodes() {
		names[g.Name(id)] = true
	}
	return &copied{g: g, at: make([][]graph.Tensor, g.Len()+1), free: func(name string) string {
		for i, n := 2, name; ; i++ {
			if !names[n] {
				names[n] = true
				return n
			}
			n = fmt.Sprintf("%s_%d", name, i)
		}
	}}
}

func (c *copied) node(id graph.NodeID) error {
	var in []graph.Tensor
	for _, t := range c.g.Operands(id) {
		in = append(in, c.at[t.Node][t.Out])
	}
	x, err := c.b.Copy(c.g, id, in)
	if err != nil {
		return err
	}
	for k := range c.g.NumOut(id) {
		c.at[id] = append(c.at[id], x.Out(k))
	}
	return nil
}

// pad adds cells of an input to what stands for it.
func (c *copied) pad(name string, t graph.Tensor, in int, cells []Cells) (graph.Tensor, error) {
	for _, x := range cells {
		if after := x[in]; some(after) {
			o, attrs := padding(after)
			id, err := c.b.Apply(c.free(name+"_padded"), o, attrs, t)
			if err != nil {
				return t, err
			}
			t = id.Out(0)
		}
	}
	return t, nil
}

func padOutputs(g *graph.Graph, next map[int]int, cells []Cells) (*graph.Graph, error) {
	c := newCopied(g)
	for id := range g.Nodes() {
		if err := c.node(id); err != nil {
			return nil, err
		}
	}
	var outs []graph.Tensor
	for k, t := range g.Outputs() {
		x := c.at[t.Node][t.Out]
		if in, ok := next[k]; ok {
			var err error
			if x, err = c.pad(g.Name(t.Node), x, in, cells); err != nil {
				return nil, err
			}
		}
		outs = append(outs, x)
	}
	return c.b.Finish(outs...)
}

func padInputs(g *graph.Graph, cells []Cells, total Cells) (*graph.Graph, error) {
	c := newCopied(g)
	inputs := 0
	for id := range g.Nodes() {
		if g.Op(id) != nil || !some(total[inputs]) {
			if g.Op(id) == nil {
				inputs++
			}
			if err := c.node(id); err != nil {
				return nil, err
			}
			continue
		}
		sizes := slices.Clone(g.Sizes(id.Out(0)))
		if len(sizes) != len(total[inputs]) {
			return nil, fmt.Errorf("input %s of sizes %v is to have %v more", g.Name(id), sizes, total[inputs])
		}
		for i, n := range total[inputs] {
			if sizes[i] -= n; sizes[i] < 1 {
				return nil, fmt.Errorf("input %s is to have %v more and has sizes %v", g.Name(id), total[inputs], g.Sizes(id.Out(0)))
			}
		}
		add := c.b.AddInput
		if g.IsWeight(id) {
			add = c.b.AddWeight
		}
		t, err := add(g.Name(id), g.DType(id.Out(0)), sizes...)
		if err == nil {
			t, err = c.pad(g.Name(id), t, inputs, cells)
		}
		if err != nil {
			return nil, err
		}
		c.at[id] = []graph.Tensor{t}
		inputs++
	}
	var outs []graph.Tensor
	for _, t := range g.Outputs() {
		outs = append(outs, c.at[t.Node][t.Out])
	}
	return c.b.Finish(outs...)
}
