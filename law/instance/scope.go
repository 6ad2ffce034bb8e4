package instance

import (
	"math/rand"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Scope is the set of values that variables range over when a law is tested.
// The zero Scope is a small one in which kernels may be larger than images,
// even kernels, strides 2 and 3 and lopsided paddings occur.
type Scope struct {
	// MaxSize bounds size variables, which start at 1; 0 means 5.
	MaxSize int
	// MaxElements bounds the elements of a given tensor; 0 means 400.
	MaxElements int
	// MaxVisits bounds how many valuations and parts of valuations Instances
	// looks at: a law may have conditions that hardly any meets; 0 means 500,000.
	MaxVisits int
	// The values of runs and attribute variables, plainest first; nil means
	// those of the package.
	Runs                                         []graph.Shape
	Strides, Pads, Sames, Acts, Borders, Numbers []graph.Value
}

var (
	defaultRuns = []graph.Shape{
		{}, graph.Sizes(2), graph.Sizes(1), graph.Sizes(3, 2), graph.Sizes(1, 2),
	}
	defaultStrides = []graph.Value{
		graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(2, 1),
		graph.TupleValue(1, 3), graph.TupleValue(3, 3),
	}
	defaultPads = []graph.Value{
		graph.NameValue(graph.Valid), graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower),
		graph.TupleValue(1, 0, 0, 1), graph.TupleValue(0, 1, 2, 0), graph.TupleValue(1, 1, 1, 1),
	}
	defaultSames   = []graph.Value{graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)}
	defaultActs    = []graph.Value{graph.NameValue("none"), graph.NameValue("relu")}
	defaultBorders = []graph.Value{graph.NameValue("counted"), graph.NameValue("excluded")}
	defaultNumbers = []graph.Value{graph.NumberValue(0.5), graph.NumberValue(0), graph.NumberValue(-1.5)}
)

// set fills in what is not given.
func (s Scope) set() Scope {
	if s.MaxSize == 0 {
		s.MaxSize = 5
	}
	if s.MaxElements == 0 {
		s.MaxElements = 400
	}
	if s.MaxVisits == 0 {
		s.MaxVisits = 500_000
	}
	if s.Runs == nil {
		s.Runs = defaultRuns
	}
	for _, d := range []struct {
		to   *[]graph.Value
		from []graph.Value
	}{{&s.Strides, defaultStrides}, {&s.Pads, defaultPads}, {&s.Sames, defaultSames},
		{&s.Acts, defaultActs}, {&s.Borders, defaultBorders}, {&s.Numbers, defaultNumbers}} {
		if *d.to == nil {
			*d.to = d.from
		}
	}
	return s
}

// picker gives the variables of a law values of a scope, one variable after the
// other: attributes, axis runs, sizes.
type picker struct {
	*Space
	order  []int                // variables
	count  []int                // values of a variable
	checks [][]func(Point) bool // by place in the order: what the values up to there settle
}

func (s Scope) picker(l *law.Law) *picker {
	sizes, _ := law.Variables(l)
	lens := make([][]int, len(s.Runs))
	for i, r := range s.Runs {
		lens[i], _ = r.Concrete()
	}
	p := &picker{Space: NewSpace(l, sizes, lens, map[string][]graph.Value{graph.SortStride: s.Strides, graph.SortPadding: s.Pads,
		graph.SortSame: s.Sames, graph.SortAct: s.Acts, graph.SortBorder: s.Borders, graph.SortNumber: s.Numbers})}
	add := func(v, n int) { p.order, p.count[v] = append(p.order, v), n }
	p.count = make([]int, p.Len())
	// Which permutations there are depends on the axes of runs.
	for _, perms := range [2]bool{false, true} {
		for i, a := range p.Attrs {
			if (p.ranks[i] != nil) == perms {
				add(p.First()+i, len(a.Values))
			}
		}
		for i := range p.Runs {
			if !perms {
				add(len(p.Sizes)+i, len(lens))
			}
		}
	}
	for i := range p.Sizes {
		add(i, s.MaxSize)
	}
	p.checks = make([][]func(Point) bool, max(1, len(p.order)))
	check := func(each func(f func(i int)), holds func(Point) bool) {
		last := 0
		each(func(i int) { last = max(last, slices.Index(p.order, i)) })
		p.checks[last] = append(p.checks[last], holds)
	}
	for i := range p.Where {
		c := &p.Where[i]
		check(func(f func(int)) { p.Each(c, f) }, func(at Point) bool { return p.Holds(c, at) })
	}
	for i, rank := range p.ranks {
		if rank != nil {
			check(func(f func(int)) { f(p.First() + i); p.each(rank, f) }, func(at Point) bool {
				_, again := p.attr(i, at)
				return !again
			})
		}
	}
	for _, sh := range p.Given {
		each := func(f func(int)) {
			for i := range sh {
				if sh[i].run >= 0 {
					f(sh[i].run)
				} else {
					p.each(&sh[i].size, f)
				}
			}
		}
		check(each, func(at Point) bool {
			sizes, ok := p.Shape(sh, at)
			return ok && !TooLarge(sizes, s.MaxElements)
		})
	}
	return p
}

// empty says that a variable has no values.
func (p *picker) empty() bool { return slices.Contains(p.count, 0) }

// hold checks what the values up to a place in the order settle.
func (p *picker) hold(place int, at Point) bool {
	return !slices.ContainsFunc(p.checks[place], func(f func(Point) bool) bool { return !f(at) })
}

// weight is how far from plain value k of a variable is: a size counts its
// distance from 1, a run its axes, any other value 1 unless it is the first.
func (p *picker) weight(v, k int) int {
	switch {
	case v < len(p.Sizes):
		return k
	case v < p.First():
		return len(p.Lens[k])
	}
	return min(k, 1)
}

// Instances calls yield with every valuation in the scope for which the given
// shapes are shapes and the conditions hold, the plainest first: a size counts
// its distance from 1, a run its axes, any other value 1 unless it is the
// first. Within one count the order is fixed too. It stops when yield returns
// false, or at MaxVisits, and reports whether it gave all there are.
func Instances(l *law.Law, s Scope, yield func(*Valuation) bool) (all bool) {
	s = s.set()
	p := s.picker(l)
	if p.empty() {
		return true
	}
	at := make(Point, p.Len())
	if len(p.order) == 0 {
		return !p.hold(0, at) || yield(p.Valuation(at))
	}
	room := make([]int, len(p.order)+1) // the most weight that the variables from a place on can take
	for i := len(p.order) - 1; i >= 0; i-- {
		v, most := p.order[i], 0
		for k := range p.count[v] {
			most = max(most, p.weight(v, k))
		}
		room[i] = room[i+1] + most
	}
	visits := 0
	var rec func(i, weight int) bool
	rec = func(i, weight int) bool {
		if visits++; visits > s.MaxVisits {
			return false
		}
		if i == len(p.order) {
			return yield(p.Valuation(at))
		}
		v := p.order[i]
		for k := range p.count[v] {
			w := weight - p.weight(v, k)
			if w < 0 || w > room[i+1] {
				continue
			}
			at[v] = k
			if p.hold(i, at) && !rec(i+1, w) {
				return false
			}
		}
		return true
	}
	for w := 0; w <= room[0]; w++ {
		if !rec(0, w) {
			return false
		}
	}
	return true
}

// Sampler draws random valuations of one law. It is not safe for concurrent
// use.
type Sampler struct {
	*picker
	needs []Condition // of the left side
}

// NewSampler prepares a law for drawing from a scope. Sizes that are drawn go
// two beyond the scope's.
func NewSampler(l *law.Law, s Scope) *Sampler {
	s = s.set()
	s.MaxSize += 2
	p := &Sampler{picker: s.picker(l)}
	if ty, err := l.Types(); err == nil {
		for _, n := range ty.LeftNeeds {
			p.needs = append(p.needs, p.Need(n, true))
		}
	}
	return p
}

// Limits of the search for a valuation.
const (
	maxDraws  = 4000 // in all
	fitDraws  = 400  // of which so many look for one under which the left side is defined
	oddSample = 8    // one sample in so many need not be defined
)

// Sample draws a valuation, with mostly distinct sizes, for which the given
// shapes are shapes and the conditions hold; where it can it takes one for
// which the left side is defined, except now and then. It reports false where
// it finds none.
func (p *Sampler) Sample(rng *rand.Rand) (*Valuation, bool) {
	odd := rng.Intn(oddSample) == 0
	var fallback *Valuation
	for try := 0; try < maxDraws && !p.empty(); try++ {
		at, ok := p.draw(rng)
		if !ok {
			continue
		}
		if odd || !slices.ContainsFunc(p.needs, func(c Condition) bool { return !p.Holds(&c, at) }) {
			return p.Valuation(at), true
		}
		if fallback == nil {
			fallback = p.Valuation(at)
		}
		if try >= fitDraws {
			break
		}
	}
	return fallback, fallback != nil
}

func (p *Sampler) draw(rng *rand.Rand) (Point, bool) {
	at := make(Point, p.Len())
	used := map[int]bool{}
	for i, v := range p.order {
		n := p.count[v]
		at[v] = rng.Intn(n)
		if v < len(p.Sizes) {
			// Small sizes more often, and one that is taken less often.
			k := min(at[v], rng.Intn(n))
			if used[k] {
				k = min(rng.Intn(n), rng.Intn(n))
			}
			used[k] = true
			at[v] = k
		}
		if v >= p.First() && p.ranks[v-p.First()] != nil {
			p.Settle(at)
		}
		if !p.hold(i, at) {
			return nil, false
		}
	}
	return at, len(p.order) > 0 || p.hold(0, at)
}
