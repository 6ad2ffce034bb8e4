package law

import (
	"math/rand"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Valuation says what the variables of a law stand for in one instance: sizes,
// runs and attributes in Binding, function variables in Fns. Tensors are left
// to whoever evaluates. A valuation that is handed out is the receiver's own.
type Valuation struct {
	graph.Binding
	Fns map[string]string
}

// String lists the values by name: "k=2, n=1, p=valid, P=[2, 3]".
func (v *Valuation) String() string {
	all := map[string]string{}
	for k, x := range v.Dims {
		all[k] = x.String()
	}
	for k, x := range v.Runs {
		all[k] = x.String()
	}
	for k, x := range v.Attrs {
		all[k] = x.String()
	}
	for k, x := range v.Fns {
		all[k] = x
	}
	names := make([]string, 0, len(all))
	for k := range all {
		names = append(names, k)
	}
	sort.Strings(names)
	for i, k := range names {
		names[i] = k + "=" + all[k]
	}
	return strings.Join(names, ", ")
}

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

func (s *Scope) values(sort string) []graph.Value {
	switch sort {
	case graph.SortStride:
		return s.Strides
	case graph.SortPadding:
		return s.Pads
	case graph.SortSame:
		return s.Sames
	case graph.SortAct:
		return s.Acts
	case graph.SortBorder:
		return s.Borders
	case graph.SortNumber:
		return s.Numbers
	}
	return nil
}

// choice is one variable and its values in a scope. Value 0 is the plainest.
type choice struct {
	name   string
	size   bool
	n      int
	weight func(i int) int // how far from plain value i is; at most limit
	limit  int
	set    func(v *Valuation, i int)
}

// choices are the variables of l, in the order in which they are bound.
func (s *Scope) choices(l *Law) []choice {
	var out []choice
	sizes, runs := Variables(l)
	oneOff := func(i int) int { return min(i, 1) }
	for _, b := range l.Given {
		name, vals := b.Name, s.values(b.Sort)
		switch {
		case b.Sort == SortPointwise1:
			out = append(out, choice{name: name, n: 1, weight: oneOff, set: func(v *Valuation, _ int) { v.Fns[name] = "any:" + name }})
		case b.Sort == SortZero1:
			out = append(out, choice{name: name, n: 1, weight: oneOff, set: func(v *Valuation, _ int) { v.Fns[name] = "zero:" + name }})
		case b.Sort == SortMesh:
			out = append(out, s.size(name))
		case b.Sort != "":
			out = append(out, choice{name: name, n: len(vals), weight: oneOff, limit: min(1, len(vals)-1),
				set: func(v *Valuation, i int) { v.Attrs[name] = vals[i] }})
		}
	}
	for _, name := range runs {
		limit := 0
		for _, r := range s.Runs {
			limit = max(limit, len(r))
		}
		out = append(out, choice{name: name, n: len(s.Runs), limit: limit,
			weight: func(i int) int { return len(s.Runs[i]) },
			set:    func(v *Valuation, i int) { v.Runs[name] = s.Runs[i] }})
	}
	for _, name := range sizes {
		out = append(out, s.size(name))
	}
	return out
}

func (s *Scope) size(name string) choice {
	return choice{name: name, size: true, n: s.MaxSize, limit: s.MaxSize - 1,
		weight: func(i int) int { return i },
		set:    func(v *Valuation, i int) { v.Dims[name] = graph.Int(int64(i + 1)) }}
}

func newValuation() *Valuation {
	return &Valuation{
		Binding: graph.Binding{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}},
		Fns:     map[string]string{},
	}
}

// Instances calls yield with every valuation in the scope for which the given
// shapes are shapes and the conditions hold, the plainest first: a size counts
// its distance from 1, a run its axes, any other value 1 unless it is the
// first. Within one count the order is fixed too. It stops when yield returns
// false, or at MaxVisits, and reports whether it gave all there are.
func Instances(l *Law, s Scope, yield func(*Valuation) bool) (all bool) {
	s = s.set()
	cs := s.choices(l)
	conds := conditionsOf(l, &s, cs)
	total := 0
	for _, c := range cs {
		if c.n == 0 {
			return true
		}
		total += c.limit
	}
	room := make([]int, len(cs)+1) // the most weight that choices i.. can take
	for i := len(cs) - 1; i >= 0; i-- {
		room[i] = room[i+1] + cs[i].limit
	}
	pick := make([]int, len(cs))
	visits := 0
	var rec func(i, weight int) bool
	rec = func(i, weight int) bool {
		if visits++; visits > s.MaxVisits {
			return false
		}
		if i == len(cs) {
			return yield(valuation(cs, pick))
		}
		for k := 0; k < cs[i].n; k++ {
			w := weight - cs[i].weight(k)
			if w < 0 || w > room[i+1] {
				continue
			}
			pick[i] = k
			if !conds.hold(i, cs, pick) {
				continue
			}
			if !rec(i+1, w) {
				return false
			}
		}
		return true
	}
	if len(cs) == 0 && !conds.holdAll(cs, pick) {
		return true
	}
	for w := 0; w <= total; w++ {
		if !rec(0, w) {
			return false
		}
	}
	return true
}

func valuation(cs []choice, pick []int) *Valuation {
	v := newValuation()
	for i, c := range cs {
		c.set(v, pick[i])
	}
	return v
}

// conditions are checks by the last choice that they depend on.
type conditions struct {
	after map[int][]func(*Valuation) bool
}

// conditionsOf lists what makes a valuation an instance: the conditions of the
// law hold, sizes of given tensors are at least 1 and their number of elements
// is within the scope.
func conditionsOf(l *Law, s *Scope, cs []choice) *conditions {
	at := map[string]int{}
	for i, c := range cs {
		at[c.name] = i
	}
	out := &conditions{after: map[int][]func(*Valuation) bool{}}
	add := func(walk func(func(graph.Atom)), check func(*Valuation) bool) {
		last := -1
		walk(func(a graph.Atom) {
			if i, ok := at[a.Name]; ok && a.Kind != graph.AtomFunc {
				last = max(last, i)
			}
			for _, v := range a.Args {
				if name, _, ok := v.Var(); ok {
					last = max(last, at[name])
				}
			}
		})
		out.after[last] = append(out.after[last], check)
	}
	for _, p := range l.Where {
		add(p.Walk, func(v *Valuation) bool {
			holds, ok := p.Holds(&v.Binding)
			return ok && holds
		})
	}
	for _, b := range l.Given {
		if b.Sort != "" {
			continue
		}
		add(b.Shape.Walk, func(v *Valuation) bool {
			sizes, ok := b.Shape.Subst(&v.Binding).Concrete()
			if !ok {
				return false
			}
			n := 1
			for _, x := range sizes {
				if x < 1 || x > s.MaxElements {
					return false
				}
				if n *= x; n > s.MaxElements {
					return false
				}
			}
			return true
		})
	}
	return out
}

// hold checks the conditions that choice i settles.
func (c *conditions) hold(i int, cs []choice, pick []int) bool {
	checks := c.after[i]
	if i == 0 {
		checks = append(checks[:len(checks):len(checks)], c.after[-1]...)
	}
	if len(checks) == 0 {
		return true
	}
	v := valuation(cs[:i+1], pick)
	for _, f := range checks {
		if !f(v) {
			return false
		}
	}
	return true
}

func (c *conditions) holdAll(cs []choice, pick []int) bool {
	v := valuation(cs, pick)
	keys := make([]int, 0, len(c.after))
	for k := range c.after {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	for _, k := range keys {
		for _, f := range c.after[k] {
			if !f(v) {
				return false
			}
		}
	}
	return true
}

// Sampler draws random valuations of one law. It is not safe for concurrent
// use.
type Sampler struct {
	cs    []choice
	conds *conditions
	needs []graph.Need
}

// NewSampler prepares a law for drawing from a scope. Sizes that are drawn go
// two beyond the scope's.
func NewSampler(l *Law, s Scope) *Sampler {
	s = s.set()
	s.MaxSize += 2
	p := &Sampler{cs: s.choices(l)}
	p.conds = conditionsOf(l, &s, p.cs)
	if ty, err := l.Types(); err == nil {
		p.needs = ty.LeftNeeds
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
	for try := 0; try < maxDraws; try++ {
		v, ok := p.draw(rng)
		if !ok {
			continue
		}
		if odd || p.defined(v) {
			return v, true
		}
		if fallback == nil {
			fallback = v
		}
		if try >= fitDraws {
			break
		}
	}
	return fallback, fallback != nil
}

func (p *Sampler) draw(rng *rand.Rand) (*Valuation, bool) {
	pick := make([]int, len(p.cs))
	used := map[int]bool{}
	for i, c := range p.cs {
		if c.n == 0 {
			return nil, false
		}
		pick[i] = rng.Intn(c.n)
		if c.size {
			// Small sizes more often, and one that is taken less often.
			k := min(pick[i], rng.Intn(c.n))
			if used[k] {
				k = min(rng.Intn(c.n), rng.Intn(c.n))
			}
			used[k] = true
			pick[i] = k
		}
		if !p.conds.hold(i, p.cs, pick) {
			return nil, false
		}
	}
	if len(p.cs) == 0 && !p.conds.holdAll(p.cs, pick) {
		return nil, false
	}
	return valuation(p.cs, pick), true
}

// defined reports whether the conditions noted for the left side hold.
func (p *Sampler) defined(v *Valuation) bool {
	for _, n := range p.needs {
		a, aok := n.Left.Subst(&v.Binding).Const()
		b, bok := n.Right.Subst(&v.Binding).Const()
		if !aok || !bok {
			return false
		}
		if n.Rel == "divides" && (a < 1 || b%a != 0) || n.Rel == "<=" && a > b {
			return false
		}
	}
	return true
}
