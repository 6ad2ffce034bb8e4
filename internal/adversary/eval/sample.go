package eval

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Sampler draws points of one law: sizes chosen to hurt. It is not safe for
// concurrent use.
type Sampler struct {
	law    *law.Law
	sizes  []string
	runs   []string
	attrs  []law.Declaration
	consts []int64 // numbers that the law names
	limits Limits
}

// Limits keep a sampler within what a claim speaks of; 0 means the usual bound.
type Limits struct {
	Stride int64 // largest stride; usually 9
	Rank   int   // most axes of a run; usually 8
	Size   int64 // largest size; usually 10^6
}

// NewSampler collects the variables of a law.
func NewSampler(l *law.Law, lim Limits) *Sampler {
	if lim.Stride == 0 {
		lim.Stride = 9
	}
	if lim.Rank == 0 {
		lim.Rank = 8
	}
	if lim.Size == 0 {
		lim.Size = 1e6
	}
	s := &Sampler{law: l, limits: lim}
	v := &collector{names: map[string]bool{}, runs: map[string]bool{}, consts: map[int64]bool{}}
	for _, b := range l.Given {
		v.shape(b.Shape)
		if b.Sort != "" && !law.IsFuncSort(b.Sort) {
			s.attrs = append(s.attrs, b)
		}
	}
	for _, c := range l.Where {
		v.dim(c.Left)
		v.dim(c.Right)
		if c.Mod != nil {
			v.dim(*c.Mod)
		}
	}
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		t.Walk(func(u *law.Term) {
			for _, a := range u.Attrs {
				v.value(a)
			}
		})
	}
	s.sizes, s.runs = slices.Sorted(maps.Keys(v.names)), slices.Sorted(maps.Keys(v.runs))
	s.consts = slices.Sorted(maps.Keys(v.consts))
	return s
}

// collector finds the variables and numbers of a law.
type collector struct {
	names, runs map[string]bool
	consts      map[int64]bool
}

func (c *collector) dim(d graph.Dim) {
	terms, k := d.Terms()
	if k > 1 {
		c.consts[k] = true
	} else if k < -1 {
		c.consts[-k] = true
	}
	for _, t := range terms {
		if t.Coef > 1 {
			c.consts[t.Coef] = true
		}
		for _, a := range t.Atoms {
			switch a.Kind {
			case graph.AtomVar:
				c.names[a.Name] = true
			case graph.AtomAxisRun:
				c.runs[a.Name] = true
			default:
				for _, v := range a.Args {
					c.value(v)
				}
			}
		}
	}
}

func (c *collector) shape(s graph.Shape) {
	for _, it := range s {
		if it.AxisRun != "" {
			c.runs[it.AxisRun] = true
		} else {
			c.dim(it.Dim)
		}
	}
}

func (c *collector) value(v graph.Value) {
	if d, ok := v.Dim(); ok {
		c.dim(d)
	}
	if s, ok := v.Shape(); ok {
		c.shape(s)
	}
	if t, ok := v.Tuple(); ok {
		for _, n := range t {
			if n > 1 {
				c.consts[n] = true
			}
		}
	}
}

func pick[T any](rng *rand.Rand, xs []T) T { return xs[rng.IntN(len(xs))] }

// size draws a size: small ones, those of other variables, their products,
// numbers of the law and what is next to them, and now and then a long one.
func (s *Sampler) size(p *Point, rng *rand.Rand) int64 {
	n := int64(1)
	switch k := rng.IntN(100); {
	case k < 16:
		n = 1
	case k < 62:
		n = 1 + rng.Int64N(5)
	case k < 80:
		n = 1 + rng.Int64N(13)
	case k < 90 && len(s.consts) > 0:
		n = pick(rng, s.consts) + rng.Int64N(3) - 1
	case k < 97 && len(p.Sizes) > 0:
		n = p.Sizes[pick(rng, s.sizes)]
		if rng.IntN(3) == 0 {
			if m, err := mul(n, p.Sizes[pick(rng, s.sizes)]); err == nil {
				n = m
			}
		} else {
			n += rng.Int64N(3) - 1
		}
	case k == 99:
		n = pick(rng, []int64{64, 100, 3000, 1_000_000})
	default:
		n = 6 + rng.Int64N(4)
	}
	return min(max(n, 1), max(s.limits.Size, 1))
}

// run draws an axis run: few axes, or many short ones.
func (s *Sampler) run(rng *rand.Rand) []int64 {
	n := rng.IntN(3)
	switch rng.IntN(12) {
	case 0:
		n = rng.IntN(s.limits.Rank + 1)
	case 1:
		n = s.limits.Rank - rng.IntN(2)
	}
	out := make([]int64, min(max(n, 0), s.limits.Rank))
	for i := range out {
		out[i] = 1 + rng.Int64N(3)
		if len(out) > 3 {
			out[i] = 1 + rng.Int64N(2)
		}
	}
	return out
}

var (
	pads  = []string{"valid", "same_upper", "same_lower"}
	acts  = []string{"none", "none", "relu", "relu", "tanh", "sigmoid", "hardswish", "gelu", "sin", "floor", "cos"}
	reals = []string{"0.5", "0.0", "-1.5", "2.0", "1e-05", "1.0", "-0.25"}
)

// attr draws an attribute value of a sort.
func (s *Sampler) attr(p *Point, sort string, rng *rand.Rand) Attr {
	switch sort {
	case graph.SortStride:
		one := func() int64 {
			if rng.IntN(2) == 0 {
				return 1 + rng.Int64N(min(3, s.limits.Stride))
			}
			return 1 + rng.Int64N(s.limits.Stride)
		}
		return Attr{Tuple: []int64{one(), one()}}
	case graph.SortPadding:
		if rng.IntN(2) == 0 {
			return Attr{Name: pick(rng, pads)}
		}
		out := make([]int64, 4)
		for i := range out {
			switch rng.IntN(4) {
			case 0:
				out[i] = rng.Int64N(3)
			case 1: // at, or beyond, a limit
				out[i] = s.size(p, rng) - rng.Int64N(2)
			case 2:
				out[i] = rng.Int64N(6)
			}
			out[i] = min(out[i], 40)
		}
		return Attr{Tuple: out}
	case graph.SortSame:
		return Attr{Name: pick(rng, pads[1:])}
	case graph.SortAct:
		return Attr{Name: pick(rng, acts)}
	case graph.SortBorder:
		return Attr{Name: pick(rng, []string{"counted", "excluded"})}
	case graph.SortNumber:
		return Attr{Number: pick(rng, reals)}
	case graph.SortPerm:
		// Of as many axes as a tensor has that is given, most often all of them.
		n := 0
		for _, g := range s.law.Given {
			if sizes, err := p.shape(g.Shape); err == nil && g.Sort == "" && len(sizes) > 0 {
				n = max(n, len(sizes))
			}
		}
		n = max(n-min(rng.IntN(4), 1)*rng.IntN(2), 0)
		out := make([]int64, n)
		for i, x := range rng.Perm(n) {
			out[i] = int64(x)
		}
		return Attr{Tuple: out}
	}
	return Attr{}
}

// change draws one variable anew.
func (s *Sampler) change(p *Point, i int, rng *rand.Rand) {
	switch n := len(s.sizes); {
	case i < n:
		p.Sizes[s.sizes[i]] = s.size(p, rng)
	case i < n+len(s.runs):
		p.Runs[s.runs[i-n]] = s.run(rng)
	default:
		b := s.attrs[i-n-len(s.runs)]
		p.Attrs[b.Name] = s.attr(p, b.Sort, rng)
	}
}

// Len is the number of variables.
func (s *Sampler) Len() int { return len(s.sizes) + len(s.runs) + len(s.attrs) }

// clone is a copy that changes apart.
func (p *Point) clone() *Point {
	return &Point{Sizes: maps.Clone(p.Sizes), Runs: maps.Clone(p.Runs), Attrs: maps.Clone(p.Attrs)}
}

// want is what a drawn point should be.
type want uint8

const (
	anyInstance want = iota
	leftDefined
	rightDefined
)

// misses counts what keeps a point from being wanted: conditions, given shapes
// and a side that is not defined.
func (s *Sampler) misses(p *Point, w want) (int, bool) {
	b := newBuild(s.law, p)
	n := 0
	for _, g := range s.law.Given {
		if g.Sort != "" {
			continue
		}
		sizes, err := p.shape(g.Shape)
		if err != nil {
			return 0, false
		}
		if sizesAtLeastOne(sizes) != nil {
			n += 4
		}
		b.given[g.Name] = sizes
	}
	for _, c := range s.law.Where {
		ok, err := p.holds(c)
		if err != nil {
			return 0, false
		}
		if !ok {
			n += 4
		}
	}
	if n == 0 && w != anyInstance {
		ts := s.law.LHS
		if w == rightDefined {
			ts = s.law.RHS
		}
		for _, t := range ts {
			if _, err := b.node(t); err != nil {
				n++
			}
		}
	}
	if n == 0 && s.permutes() {
		for _, t := range slices.Concat(s.law.LHS, s.law.RHS) {
			_, _ = b.node(t)
		}
		if b.other {
			n += 4
		}
	}
	return n, true
}

// permutes reports whether permutations are among the variables.
func (s *Sampler) permutes() bool {
	return slices.ContainsFunc(s.attrs, func(d law.Declaration) bool { return d.Sort == graph.SortPerm })
}

// repairs bounds the redrawn variables of one point.
const repairs = 60

// Draw draws a point that is an instance, at which mostly the source side is
// defined: that of the given direction, or of either. It reports false where
// none was found.
func (s *Sampler) Draw(rng *rand.Rand, forward, backward bool) (*Point, bool) {
	p := &Point{Sizes: map[string]int64{}, Runs: map[string][]int64{}, Attrs: map[string]Attr{}}
	for _, n := range s.sizes {
		p.Sizes[n] = 1
	}
	for i := range s.Len() {
		s.change(p, i, rng)
	}
	w := leftDefined
	if backward && (!forward || rng.IntN(2) == 0) {
		w = rightDefined
	}
	if rng.IntN(10) == 0 {
		w = anyInstance
	}
	best, ok := s.misses(p, w)
	for range repairs {
		if ok && best == 0 {
			return p, true
		}
		if s.Len() == 0 {
			break
		}
		q := p.clone()
		s.change(q, rng.IntN(s.Len()), rng)
		if rng.IntN(3) == 0 {
			s.change(q, rng.IntN(s.Len()), rng)
		}
		n, fine := s.misses(q, w)
		if fine && (!ok || n <= best) {
			p, best, ok = q, n, true
		}
	}
	if !ok || best >= 4 {
		return nil, false
	}
	return p, true
}

// Smaller makes a point at which something holds small: one variable at a time,
// as long as it holds.
func (s *Sampler) Smaller(p *Point, holds func(*Point) bool) *Point {
	try := func(f func(q *Point)) bool {
		q := p.clone()
		f(q)
		if holds(q) {
			p = q
			return true
		}
		return false
	}
	for range 4 {
		changed := false
		for _, n := range s.sizes {
			for _, v := range []int64{1, 2, 3, p.Sizes[n] / 2, p.Sizes[n] - 1} {
				if v >= 1 && v < p.Sizes[n] && try(func(q *Point) { q.Sizes[n] = v }) {
					changed = true
					break
				}
			}
		}
		for _, n := range s.runs {
			r := p.Runs[n]
			for i := range r {
				if try(func(q *Point) { q.Runs[n] = without(r, i) }) ||
					r[i] > 1 && try(func(q *Point) { q.Runs[n] = with(r, i, 1) }) {
					changed = true
					break
				}
			}
		}
		for _, b := range s.attrs {
			plain := map[string]Attr{graph.SortStride: {Tuple: []int64{1, 1}}, graph.SortPadding: {Name: "valid"},
				graph.SortAct: {Name: "none"}, graph.SortNumber: {Number: "0.0"}}
			v, ok := plain[b.Sort]
			if ok && v.String() != p.Attrs[b.Name].String() && try(func(q *Point) { q.Attrs[b.Name] = v }) {
				changed = true
				continue
			}
			for i, x := range p.Attrs[b.Name].Tuple {
				low := int64(0)
				if b.Sort == graph.SortStride {
					low = 1
				}
				if x > low && try(func(q *Point) { q.Attrs[b.Name] = Attr{Tuple: with(p.Attrs[b.Name].Tuple, i, x-1)} }) {
					changed = true
				}
			}
		}
		if !changed {
			break
		}
	}
	return p
}
