package order

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/taso-go/taso/law"
)

// maxCorners bounds the corners of a maximum.
const maxCorners = 64

// form is a sum of parts: the integers before them, by part.
type form []int64

func (f form) key() string {
	var b []byte
	for _, c := range f {
		b = binary.AppendVarint(b, c)
	}
	return string(b)
}

// difference is the maximum of some forms less that of others.
type difference struct{ most, less []form }

// sides are the outputs of a law as differences of maxima.
type sides struct {
	nodes law.Nodes
	parts []int // by node
	used  [2][]int
	of    [2][]difference
}

// read works out both sides of a law.
func read(l *law.Law) (*sides, error) {
	if len(l.LHS) != len(l.RHS) {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	s := &sides{}
	for k, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			s.find(t, k)
		}
	}
	for k, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			d, err := s.term(t)
			if err != nil {
				return nil, err
			}
			s.of[k] = append(s.of[k], d)
		}
	}
	return s, nil
}

// arities are the operators that are worked out, and how many operands they have.
var arities = map[string]int{"ewadd": 2, "ewsub": 2, "ewmax": 2, "ewmin": 2, "neg": 1, "relu": 1, "abs": 1}

// own says whether a term is worked out rather than a part.
func own(t *law.Term) bool {
	return t.Op != nil && arities[t.Op.Name] == len(t.Args) && len(t.Args) > 0 && len(t.Attrs) == 0
}

// find lists the parts of a term of a side.
func (s *sides) find(t *law.Term, side int) {
	if own(t) {
		for _, a := range t.Args {
			s.find(a, side)
		}
		return
	}
	n := s.nodes.Of(t)
	if !slices.Contains(s.parts, n) {
		s.parts = append(s.parts, n)
	}
	if !slices.Contains(s.used[side], n) {
		s.used[side] = append(s.used[side], n)
	}
}

// term is a term as a difference of maxima.
func (s *sides) term(t *law.Term) (difference, error) {
	zero := make(form, len(s.parts))
	if !own(t) {
		f := slices.Clone(zero)
		f[slices.Index(s.parts, s.nodes.Of(t))] = 1
		return difference{[]form{f}, []form{zero}}, nil
	}
	x, err := s.term(t.Args[0])
	if err != nil {
		return x, err
	}
	y := difference{[]form{zero}, []form{zero}} // 0
	if len(t.Args) == 2 {
		if y, err = s.term(t.Args[1]); err != nil {
			return y, err
		}
	}
	switch t.Op.Name {
	case "ewadd":
		return plus(x, y)
	case "ewsub":
		return plus(x, minus(y))
	case "neg":
		return minus(x), nil
	case "abs":
		return larger(x, minus(x))
	case "ewmin":
		d, err := larger(minus(x), minus(y))
		return minus(d), err
	}
	return larger(x, y) // ewmax, and relu beside 0
}

func minus(x difference) difference { return difference{x.less, x.most} }

func plus(x, y difference) (d difference, err error) {
	if d.most, err = sum(x.most, y.most); err == nil {
		d.less, err = sum(x.less, y.less)
	}
	return d, err
}

func larger(x, y difference) (d difference, err error) {
	a, err := sum(x.most, y.less)
	if err != nil {
		return d, err
	}
	b, err := sum(y.most, x.less)
	if err != nil {
		return d, err
	}
	if d.less, err = sum(x.less, y.less); err == nil {
		d.most, err = unique(append(a, b...))
	}
	return d, err
}

// sum are the sums of a form of each.
func sum(as, bs []form) ([]form, error) {
	if len(as)*len(bs) > maxCorners*maxCorners {
		return nil, errLarge
	}
	var out []form
	for _, a := range as {
		for _, b := range bs {
			f := slices.Clone(a)
			for i, c := range b {
				if f[i] += c; f[i] > maxInteger || f[i] < -maxInteger {
					return nil, errLarge
				}
			}
			out = append(out, f)
		}
	}
	return unique(out)
}

// maxInteger bounds the integers of a form.
const maxInteger = 1 << 20

var errLarge = fmt.Errorf("more than %d forms, or integers beyond %d", maxCorners, maxInteger)

func unique(fs []form) ([]form, error) {
	seen := map[string]bool{}
	fs = slices.DeleteFunc(fs, func(f form) bool {
		k := f.key()
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
	if len(fs) > maxCorners {
		return nil, errLarge
	}
	return fs, nil
}

// corners are the two maxima that are equal if an output is the same on both sides.
func (s *sides) corners(k int) (left, right []form, err error) {
	x, y := s.of[0][k], s.of[1][k]
	if left, err = sum(x.most, y.less); err == nil {
		right, err = sum(y.most, x.less)
	}
	return left, right, err
}
