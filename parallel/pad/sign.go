package pad

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// sign is what is known of the numbers in a version's cells, of a tensor as it came of all its
// numbers, where a function is not defined for all.
type sign uint8

const (
	unknown  sign = iota
	atLeast       // none is below zero
	nothing       // all are zero
	positive      // all are above zero
	inside        // each is one that the tensor has inside
)

func (s sign) nonNegative() bool { return s == atLeast || s == nothing || s == positive }

// signAt is what is known of what an operator reads where it writes cells.
func signAt(in []*version, i int) sign {
	if i >= len(in) || in[i].kind == same && in[i].sign == unknown {
		return inside
	}
	return in[i].sign
}

// defined reports whether an operator can be applied to versions: a function that is not
// defined everywhere is applied to what is in its domain wherever it was.
func defined(o *graph.Op, attrs graph.Attrs, in []*version) bool {
	at := func(i int) sign { return signAt(in, i) }
	eps := func() float64 {
		for i, p := range o.Params {
			if p.Name == "eps" {
				x, _ := attrs[i].Number()
				return x
			}
		}
		return 0
	}
	if o.Places != nil {
		var shapes []graph.Shape
		for _, v := range in {
			shapes = append(shapes, graph.Sizes(v.sizes...))
		}
		if i, _, err := o.Places(attrs, shapes); err != nil || in[i].kind == loose {
			return false // zero is a place of any axis
		}
	}
	switch o.Name {
	case "log", "reciprocal":
		return at(0) == positive || at(0) == inside
	case "acosh", "acos", "asin", "atanh":
		return at(0) == inside
	case "ewpow", "ewint":
		return at(0) == inside && at(1) == inside
	case "sqrt":
		return at(0).nonNegative() || at(0) == inside
	case "rsqrt":
		return at(0) == positive || at(0) == inside || eps() > 0 && at(0).nonNegative()
	case "ewdiv":
		return at(1) == positive || at(1) == inside
	case "layernorm":
		return eps() > 0
	case "batchnorm":
		return !slices.ContainsFunc(in[1:], func(v *version) bool { return v.kind != same })
	}
	return true
}

// signOf is what is known of the cells of a result, or of all of it where nothing is padded.
func signOf(o *graph.Op, attrs graph.Attrs, in []*version) sign {
	at := func(i int) sign { return signAt(in, i) }
	both := func(f func(s sign) bool) bool { return f(at(0)) && f(at(1)) }
	is := func(s sign) bool { return s == positive }
	switch o.Name {
	case "exp", "sigmoid", "softmax", "one":
		return positive
	case "fill":
		if x, ok := attrs[1].Number(); ok && x > 0 {
			return positive
		}
		return inside
	case "ewadd", "ewmax":
		if one := at(0) == positive || at(1) == positive; both(sign.nonNegative) || one && o.Name == "ewmax" {
			if one {
				return positive
			}
			return atLeast
		}
	case "ewmul", "smul":
		switch {
		case both(is):
			return positive
		case both(sign.nonNegative) || o.Name == "ewmul" && in[0] == in[1]:
			return atLeast
		}
	case "ewdiv":
		switch {
		case both(is):
			return positive
		case at(0).nonNegative() && is(at(1)):
			return atLeast
		}
	case "reducesum", "reducemean", "reducemax", "reshape", "transpose", "slice", "broadcast":
		return at(0)
	}
	switch {
	case o.NonNegative:
		return atLeast
	case o.Pointwise && at(0) == inside:
		return inside
	}
	return unknown
}
