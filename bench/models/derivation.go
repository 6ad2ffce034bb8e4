package models

import (
	"fmt"
	"sync"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/search"
)

// compiled are the directions of the laws that forms are made by, from left to right by
// name.
var compiled = sync.OnceValue(func() map[string]*rewrite.Direction {
	laws := must.Get(builtin.All())
	at := map[string]*rewrite.Direction{}
	for _, l := range laws {
		c := must.Get(rewrite.Compile(l))
		for _, d := range c.Directions {
			if !d.Backward && len(d.Outputs) == len(l.LHS) {
				at[l.Name] = d
			}
		}
	}
	return at
})

// derivation is a network that is being brought into a form.
type derivation struct {
	net      *bank.Bank
	original int // nodes of the network as it was
	// made is told of each step.
	made func(*search.Match)
}

// apply rewrites a model in some number of steps, and tells made, if it is there, of
// each. The weights of the result are the model's, and nodes that compute weights
// from them, whose names it returns.
func (f form) apply(m *model.Model, made func(*search.Match)) (out *model.Model, derived map[string]bool, steps int) {
	net, _, err := bank.From(m.Graph, nil)
	must.Do(err)
	d := &derivation{net: net, original: net.Len(), made: made}
	for _, p := range f.phases {
		n := must.Get(d.run(p))
		steps += n
	}
	g, of, err := net.Graph()
	must.Do(err)
	out = must.Get(m.WithGraph(g))
	derived = map[string]bool{}
	products := map[bank.Node]bool{}
	for id := range g.Nodes() {
		if d.weight(of[id], products) {
			derived[g.Name(id)] = true
		}
	}
	return out, derived, steps
}

// built is the model in that form, with weights that are computed when they are
// loaded.
func (f form) built(m *model.Model) *model.Model {
	out, derived, steps := f.apply(m, nil)
	if steps == 0 {
		must.Failf("form %s applies nowhere", f.name)
	}
	return settled(out, derived)
}

// weight reports whether a node computes a weight: steps made it, from weights, by
// no product (of a state that is a weight, that is left to the run), and it does
// not just repeat one, which would be as large as what it is added to.
func (d *derivation) weight(n bank.Node, products map[bank.Node]bool) bool {
	o := d.net.Op(n)
	return int(n) > d.original && d.net.Fixed(n) && o != op.Broadcast && !d.product(n, products)
}

// product reports whether a product of matrices or a convolution is in what a node
// is computed from; known are those that were asked for.
func (d *derivation) product(n bank.Node, known map[bank.Node]bool) bool {
	is, ok := known[n]
	if ok {
		return is
	}
	o := d.net.Op(n)
	is = o == op.MatMul || o == op.Conv2D
	for _, t := range d.net.Operands(n) {
		below, _ := d.net.NodeOf(t)
		is = is || d.product(below, known)
	}
	known[n] = is
	return is
}

// run makes all moves of a phase.
func (d *derivation) run(p phase) (int, error) {
	rules := &search.Rules{}
	var order []*rewrite.Direction
	for _, name := range p.laws {
		dir := compiled()[name]
		if dir == nil {
			return 0, fmt.Errorf("law %s cannot be used so", name)
		}
		if err := rules.Add(dir); err != nil {
			return 0, fmt.Errorf("law %s: %w", name, err)
		}
		order = append(order, dir)
	}
	where := func(m *search.Match) bool {
		at := p.place[m.Direction.Law.Law.Name]
		return at == nil || at(d, m)
	}
	return search.NewRewriter(d.net, rules).Exhaust(order, where, d.made)
}
