package define

import (
	"errors"
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// plain evaluates a definition as it reads, with loops over the ranges that it names.
type plain struct {
	d     *Definition
	in    [][]float64
	sizes [][]int
	at    map[string]int64 // sizes, indices and bound variables
	flat  int              // the place, of operands without shapes
	steps int
}

var errSteps = errors.New("too many steps")

// newPlain binds the size variables, by trying small numbers.
func newPlain(d *Definition, in [][]float64, sizes [][]int) (*plain, error) {
	p := &plain{d: d, in: in, sizes: sizes, at: map[string]int64{}, steps: 1 << 20}
	for again := true; again; {
		again = false
		for i, o := range d.operands {
			for k, s := range o.shape {
				if len(s.t) == 1 {
					if _, ok := p.at[s.t[0].name]; !ok && (int64(sizes[i][k])-s.c)%s.t[0].k == 0 {
						p.at[s.t[0].name], again = (int64(sizes[i][k])-s.c)/s.t[0].k, true
					}
				}
			}
		}
	}
	for i, o := range d.operands {
		for k, s := range o.shape {
			if p.value(s) != int64(sizes[i][k]) {
				return nil, fmt.Errorf("size %s is not %d", s, sizes[i][k])
			}
		}
	}
	return p, nil
}

func (p *plain) value(l linear) int64 {
	n := l.c
	for _, f := range l.t {
		n += f.k * p.at[f.name]
	}
	return n
}

func (p *plain) holds(c condition) bool {
	a, b := p.value(c.a), p.value(c.b)
	return map[string]bool{"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b}[c.rel]
}

func (p *plain) entry(e *node) (float64, error) {
	if p.steps--; p.steps < 0 {
		return 0, errSteps
	}
	var xs []float64
	if e.kind != isWhere && e.kind != isSum && e.kind != isMost && e.kind != isLeast {
		for _, a := range e.args {
			x, err := p.entry(a)
			if err != nil {
				return 0, err
			}
			xs = append(xs, x)
		}
	}
	switch e.kind {
	case isNumber:
		return float64(e.n), nil
	case isIndex:
		return float64(p.value(e.lo)), nil
	case isElement:
		return p.in[e.in][p.flat], nil
	case isRead:
		flat := int64(0)
		for i, l := range e.index {
			x, n := p.value(l), int64(p.sizes[e.in][i])
			if x < 0 || x >= n {
				return 0, fmt.Errorf("%s%s: index %d of %d", p.d.operands[e.in].name, list(e.index), x, n)
			}
			flat = flat*n + x
		}
		return p.in[e.in][flat], nil
	case isAdd:
		return xs[0] + xs[1], nil
	case isSub:
		return xs[0] - xs[1], nil
	case isMul:
		return xs[0] * xs[1], nil
	case isDiv:
		return xs[0] / xs[1], nil
	case isNeg:
		return -xs[0], nil
	case isPower:
		return math.Pow(xs[0], float64(e.n)), nil
	case isCall:
		o, _ := graph.Lookup(e.name)
		return o.Value(nil)(xs[0]), nil
	case isLarger:
		return math.Max(xs[0], xs[1]), nil
	case isSmaller:
		return math.Min(xs[0], xs[1]), nil
	case isWhere:
		for _, c := range e.conds {
			if !p.holds(c) {
				return p.entry(e.args[1])
			}
		}
		return p.entry(e.args[0])
	}
	lo, hi := p.value(e.lo), p.value(e.hi)
	acc := map[kind]float64{isSum: 0, isMost: math.Inf(-1), isLeast: math.Inf(1)}[e.kind]
	if e.kind != isSum && lo > hi {
		return 0, fmt.Errorf("nothing to take the %s of", words[e.kind])
	}
	for k := lo; k <= hi; k++ {
		p.at[e.name] = k
		x, err := p.entry(e.args[0])
		if err != nil {
			return 0, err
		}
		switch e.kind {
		case isSum:
			acc += x
		case isMost:
			acc = math.Max(acc, x)
		default:
			acc = math.Min(acc, x)
		}
	}
	delete(p.at, e.name)
	return acc, nil
}

// all are the entries of the result, and its sizes.
func (p *plain) all() (out []float64, sizes []int, err error) {
	if !p.d.shaped {
		for p.flat = range p.in[0] {
			x, err := p.entry(p.d.body)
			if err != nil {
				return nil, nil, err
			}
			out = append(out, x)
		}
		return out, p.sizes[0], nil
	}
	sizes = []int{}
	for _, s := range p.d.out {
		sizes = append(sizes, int(p.value(s)))
	}
	var rec func(axis int) error
	rec = func(axis int) error {
		if axis == len(sizes) {
			x, err := p.entry(p.d.body)
			out = append(out, x)
			return err
		}
		for i := range sizes[axis] {
			p.at[p.d.at[axis]] = int64(i)
			if err := rec(axis + 1); err != nil {
				return err
			}
		}
		return nil
	}
	err = rec(0)
	return out, sizes, err
}
