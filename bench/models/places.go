package models

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/search"
)

// place says whether a law is to be used where it was found: forms do not use every
// law wherever it can be used.
type place func(d *derivation, m *search.Match) bool

// operand is what a variable of the law stands for.
func operand(m *search.Match, name string) (bank.Tensor, bool) {
	i := slices.Index(m.Direction.Vars, name)
	if i < 0 {
		return 0, false
	}
	return m.Vars[i], true
}

// ofWeights: V and W, factors or kernels, depend on weights only, and are of the
// rank that layers have.
func ofWeights(d *derivation, m *search.Match) bool {
	for _, name := range []string{"V", "W"} {
		if t, ok := operand(m, name); ok {
			if n, _ := d.net.NodeOf(t); !d.net.Fixed(n) {
				return false
			}
		}
	}
	return true
}

// named: of weights, and each product has one of these parts in its name, or was
// made of such.
func named(parts ...string) place {
	return func(d *derivation, m *search.Match) bool {
		for _, t := range m.Roots {
			n, _ := d.net.NodeOf(t)
			name := d.net.Name(n)
			if int(n) <= d.original && !slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(strings.Split(name, "_"), p) }) {
				return false
			}
		}
		return ofWeights(d, m)
	}
}

// ofOriginal: of weights, and what is cut was not made by cutting.
func ofOriginal(d *derivation, m *search.Match) bool {
	n, _ := d.net.NodeOf(m.Roots[0])
	return int(n) <= d.original && ofWeights(d, m)
}

// usedOnce: of weights, and nothing else uses what is below the root.
func usedOnce(d *derivation, m *search.Match) bool {
	n, _ := d.net.NodeOf(m.Roots[0])
	return d.net.UseCount(d.net.Operand(n, 0)) == 1 && ofWeights(d, m)
}

// allParts: what is done to one part of a tensor is done to all its parts alike,
// and they are the tensor. Operands in other tensors are parts of one, too.
func allParts(d *derivation, m *search.Match) bool {
	root, _ := d.net.NodeOf(m.Roots[0])
	whole, ok := operand(m, "X")
	if !ok {
		return false
	}
	axis, covered, alike, done := -1, 0, true, false
	d.net.Users(whole, func(part bank.Node, _ int) bool {
		if d.net.Op(part).Name != "slice" {
			// It is done with the whole already, for another part.
			done = done || d.net.Op(part) == d.net.Op(root) && d.net.Attrs(part).Equal(d.net.Attrs(root))
			return true
		}
		at, lo, hi := slice(d.net, part)
		if axis >= 0 && at != axis {
			alike = false
		}
		axis, covered = at, covered+hi-lo
		same := false
		d.net.Users(d.net.Out(part, 0), func(user bank.Node, _ int) bool {
			same = same || d.net.Op(user) == d.net.Op(root) && d.net.Attrs(user).Equal(d.net.Attrs(root))
			return true
		})
		alike = alike && same
		return true
	})
	if done {
		return true
	}
	size, _ := d.net.Shape(whole)[max(axis, 0)].Dim.Const()
	return alike && axis >= 0 && covered == int(size)
}

// slice is what a slice takes.
func slice(net *bank.Bank, n bank.Node) (axis, lo, hi int) {
	at := func(name string) int {
		d, _ := net.Attrs(n)[net.Op(n).ParamIndex(name)].Dim()
		k, _ := d.Const()
		return int(k)
	}
	return at("axis"), at("lo"), at("hi")
}

// moreThanTwo groups.
func moreThanTwo(d *derivation, m *search.Match) bool {
	n, _ := d.net.NodeOf(m.Roots[0])
	return ofWeights(d, m) && groups(d.net, n) > 2
}

func groups(net *bank.Bank, n bank.Node) int64 {
	d, _ := net.Attrs(n)[net.Op(n).ParamIndex("groups")].Dim()
	k, _ := d.Const()
	return k
}

// kernels are the convolutions beside that of a match: of the same image, without
// groups, with the same function, kernels of weights of odd sizes, and pads so
// that the image keeps its size. The match's own is among them if it is such.
func (d *derivation) kernels(m *search.Match) (own bank.Node, sizes map[bank.Node][2]int) {
	own, _ = d.net.NodeOf(m.Roots[0])
	sizes = map[bank.Node][2]int{}
	act := func(n bank.Node) graph.Value { return d.net.Attrs(n)[d.net.Op(n).ParamIndex("act")] }
	d.net.Users(d.net.Operand(own, 0), func(n bank.Node, at int) bool {
		if d.net.Op(n) != d.net.Op(own) || at != 0 || groups(d.net, n) != 1 || act(n) != act(own) {
			return true
		}
		x, w := d.net.Type(d.net.Operand(n, 0)).Sizes, d.net.Type(d.net.Operand(n, 1)).Sizes
		y := d.net.Type(d.net.Out(n, 0)).Sizes
		if k, _ := d.net.NodeOf(d.net.Operand(n, 1)); d.net.Fixed(k) && w[2]%2 == 1 && w[3]%2 == 1 && x[2] == y[2] && x[3] == y[3] {
			sizes[n] = [2]int{w[2], w[3]}
		}
		return true
	})
	return own, sizes
}

// largest is the kernel that has room for all of some.
func largest(sizes map[bank.Node][2]int) (k [2]int) {
	for _, s := range sizes {
		k[0], k[1] = max(k[0], s[0]), max(k[1], s[1])
	}
	return k
}

// besideLarger: a kernel beside others that have nine cells together.
func besideLarger(d *derivation, m *search.Match) bool {
	own, sizes := d.kernels(m)
	s, ok := sizes[own]
	return ok && largest(sizes) == [2]int{3, 3} && s != [2]int{3, 3}
}

// ofEnlarged: of weights, and one of the kernels was enlarged.
func ofEnlarged(d *derivation, m *search.Match) bool {
	enlarged := false
	for _, name := range []string{"V", "W"} {
		t, _ := operand(m, name)
		d.under(t, func(n bank.Node) { enlarged = enlarged || d.net.Op(n) != nil && d.net.Op(n).Name == "enlarge" })
	}
	return enlarged && ofWeights(d, m)
}

// under calls f with all that a tensor of weights is computed from.
func (d *derivation) under(t bank.Tensor, f func(bank.Node)) {
	n, _ := d.net.NodeOf(t)
	f(n)
	for _, o := range d.net.Operands(n) {
		d.under(o, f)
	}
}
