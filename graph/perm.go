package graph

import (
	"slices"
	"strings"
)

// SortPerm is the sort of permutations: a permutation of the axes of the tensors that it is
// applied to. Axis i of what a permutation q makes is axis q[i] of its operand.
const SortPerm = "perm"

// letter is a permutation variable, or its inverse.
type letter struct {
	name    string
	inverse bool
}

// Two kinds of values speak of permutations that are not known: products of variables and
// of their inverses, with no variable beside its own inverse (KindPerm), and the axis that
// such a product takes an axis to (KindAxis). So equal products in the free group are equal
// values. Where the variables are known the values are tuples and integers.

// letters are a permutation as a product; ok is false of what is none, or is known.
func (v Value) letters() (w []letter, ok bool) {
	switch v.kind {
	case KindVar:
		return []letter{{name: v.str}}, v.sort == SortPerm
	case KindPerm:
		return v.ext.word, true
	}
	return nil, false
}

// word is the product of letters, reduced.
func word(w []letter) Value {
	var out []letter
	for _, l := range w {
		if n := len(out); n > 0 && out[n-1].name == l.name && out[n-1].inverse != l.inverse {
			out = out[:n-1]
		} else {
			out = append(out, l)
		}
	}
	if len(out) == 1 && !out[0].inverse {
		return VarValue(out[0].name, SortPerm)
	}
	return Value{kind: KindPerm, ext: &ext{word: out}}.interned()
}

// PermAfter is the permutation that takes i to q[p[i]]: a tensor transposed by q and the
// result by p is the tensor transposed by it. ok is false where q and p are not both known
// or both not known, of one rank, or are no permutations.
func PermAfter(q, p Value) (r Value, ok bool) {
	a, okA := q.letters()
	b, okB := p.letters()
	if okA && okB {
		return word(slices.Concat(a, b)), true
	}
	s, okS := q.permutation()
	t, okT := p.permutation()
	if !okS || !okT || len(s) != len(t) {
		return Value{}, false
	}
	out := make([]int64, len(s))
	for i, x := range t {
		out[i] = s[x]
	}
	return TupleValue(out...), true
}

// PermInverse is the permutation that undoes p; ok is false of what is none.
func PermInverse(p Value) (r Value, ok bool) {
	if w, ok := p.letters(); ok {
		out := make([]letter, len(w))
		for i, l := range w {
			out[len(w)-1-i] = letter{l.name, !l.inverse}
		}
		return word(out), true
	}
	t, ok := p.permutation()
	if !ok {
		return Value{}, false
	}
	out := make([]int64, len(t))
	for i, x := range t {
		out[x] = int64(i)
	}
	return TupleValue(out...), true
}

// PermAt is the axis that p takes an axis to, p[axis]; an axis is an integer expression or
// again such an axis. ok is false where p is known and the axis is not, or is none of p's.
func PermAt(p, axis Value) (r Value, ok bool) {
	if w, ok := p.letters(); ok {
		switch axis.kind {
		case KindAxis:
			w, axis = slices.Concat(w, axis.ext.word), DimValue(axis.dim)
		case KindDim:
		default:
			return Value{}, false
		}
		w, _ = word(w).letters()
		if len(w) == 0 {
			return axis, true
		}
		if axis.tooLarge() {
			return Value{}, false
		}
		return Value{kind: KindAxis, dim: axis.dim, ext: &ext{word: w}}.interned(), true
	}
	t, ok := p.permutation()
	n, isConst := axis.dim.Const()
	if !ok || axis.kind != KindDim || !isConst || n < 0 || n >= int64(len(t)) {
		return Value{}, false
	}
	return IntValue(t[n]), true
}

// permutation is a value that is a known permutation.
func (v Value) permutation() ([]int64, bool) {
	t, ok := v.Tuple()
	seen := make([]bool, len(t))
	for _, x := range t {
		if x < 0 || x >= int64(len(t)) || seen[x] {
			return nil, false
		}
		seen[x] = true
	}
	return t, ok
}

// IsPermutation reports whether v is a permutation that is known.
func (v Value) IsPermutation() bool { _, ok := v.permutation(); return ok }

// Axis returns the parts of a KindAxis value: the product of variables, and the axis that
// it is applied to.
func (v Value) Axis() (perm Value, at Dim, ok bool) {
	if v.kind != KindAxis {
		return Value{}, Dim{}, false
	}
	return word(v.ext.word), v.dim, true
}

// PermVar is a permutation variable of a product, or its inverse.
type PermVar struct {
	Var     Value
	Inverse bool
}

// PermVars lists the variables of a permutation that is not known, or of the one in a
// KindAxis value, in their order.
func (v Value) PermVars() []PermVar {
	w, _ := v.letters()
	if v.kind == KindAxis {
		w = v.ext.word
	}
	out := make([]PermVar, len(w))
	for i, l := range w {
		out[i] = PermVar{VarValue(l.name, SortPerm), l.inverse}
	}
	return out
}

// HasPerm reports whether v speaks of a permutation that is not known.
func (v Value) HasPerm() bool {
	return v.kind == KindPerm || v.kind == KindAxis || v.kind == KindVar && v.sort == SortPerm
}

// substPerm is a KindPerm or KindAxis value with variables replaced; one in which some are
// known and others are not stays as it is.
func (v Value) substPerm(b *Substitution) Value {
	var p Value
	for i, x := range v.PermVars() {
		y, ok := x.Var.Subst(b), true
		if x.Inverse {
			y, ok = PermInverse(y)
		}
		if ok && i > 0 {
			y, ok = PermAfter(p, y)
		}
		if !ok {
			return v
		}
		p = y
	}
	if v.kind == KindPerm {
		if len(v.ext.word) == 0 {
			return v
		}
		return p
	}
	if a, ok := PermAt(p, DimValue(v.dim.Subst(b))); ok {
		return a
	}
	return v
}

// permText is a product in the law language: after(q, inverse(p)).
func permText(w []letter) string {
	parts := make([]string, len(w))
	for i, l := range w {
		parts[i] = l.name
		if l.inverse {
			parts[i] = "inverse(" + l.name + ")"
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "after(" + strings.Join(parts, ", ") + ")"
}

// appendWord writes a product so that different ones are written differently.
func appendWord(b []byte, w []letter) []byte {
	for _, l := range w {
		b = appendID(b, l.name)
		if l.inverse {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return append(b, 0)
}
