package order

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Proof shows that the sides of a law are equal: for each output and both of its maxima, a
// mixture of the other's corners for each corner.
type Proof struct{ Mixtures [][2][][]*big.Rat }

// Directions of a law that a proof shows: that wherever the source is defined the target
// is, and equal.
type Directions struct{ Forward, Backward bool }

// Prove looks for a proof. The error says why there is none.
func Prove(l *law.Law) (*Proof, error) {
	s, err := read(l)
	if err != nil {
		return nil, err
	}
	p := &Proof{}
	for k := range l.LHS {
		left, right, err := s.corners(k)
		if err != nil {
			return nil, err
		}
		var both [2][][]*big.Rat
		for side, cs := range [2][2][]form{{left, right}, {right, left}} {
			for _, c := range cs[0] {
				m := mixture(c, cs[1])
				if m == nil {
					return nil, errors.New("one side can be larger than the other")
				}
				both[side] = append(both[side], m)
			}
		}
		p.Mixtures = append(p.Mixtures, both)
	}
	return p, nil
}

// Check verifies a proof, and says what it shows of each direction.
func Check(l *law.Law, p *Proof) (d Directions, err error) {
	ty, err := l.Types()
	if err != nil {
		return d, err
	}
	s, err := read(l)
	if err != nil {
		return d, err
	}
	if len(p.Mixtures) != len(l.LHS) {
		return d, fmt.Errorf("mixtures for %d of %d outputs", len(p.Mixtures), len(l.LHS))
	}
	for k := range l.LHS {
		left, right, err := s.corners(k)
		if err != nil {
			return d, err
		}
		for side, cs := range [2][2][]form{{left, right}, {right, left}} {
			ms := p.Mixtures[k][side]
			if len(ms) != len(cs[0]) {
				return d, fmt.Errorf("mixtures for %d of %d corners", len(ms), len(cs[0]))
			}
			for i, c := range cs[0] {
				if err := mixes(ms[i], cs[1], c); err != nil {
					return d, fmt.Errorf("output %d, corner %d: %w", k, i, err)
				}
			}
		}
	}
	within := func(needs, of []graph.Need, parts, among []int) bool {
		return !slices.ContainsFunc(needs, func(n graph.Need) bool { return !slices.Contains(of, n) }) &&
			!slices.ContainsFunc(parts, func(n int) bool { return !slices.Contains(among, n) })
	}
	d.Forward = within(ty.RightNeeds, ty.LeftNeeds, s.used[1], s.used[0])
	d.Backward = !l.OneWay && within(ty.LeftNeeds, ty.RightNeeds, s.used[0], s.used[1])
	return d, nil
}

// mixes says whether a mixture of corners is a form.
func mixes(m []*big.Rat, corners []form, f form) error {
	if len(m) != len(corners) {
		return fmt.Errorf("%d numbers for %d corners", len(m), len(corners))
	}
	total, sum := new(big.Rat), make([]*big.Rat, len(f))
	for i := range sum {
		sum[i] = new(big.Rat)
	}
	for k, w := range m {
		if w == nil || w.Sign() < 0 {
			return errors.New("a number is negative")
		}
		total.Add(total, w)
		for i, c := range corners[k] {
			sum[i].Add(sum[i], new(big.Rat).Mul(w, new(big.Rat).SetInt64(c)))
		}
	}
	if total.Cmp(big.NewRat(1, 1)) != 0 {
		return errors.New("the numbers do not add up to 1")
	}
	for i := range f {
		if sum[i].Cmp(new(big.Rat).SetInt64(f[i])) != 0 {
			return errors.New("the mixture is another form")
		}
	}
	return nil
}
