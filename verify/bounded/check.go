package bounded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Options configure a check. The zero value checks up to 4000 instances of
// DefaultScope on all processors.
type Options struct {
	// Scope of the instances; the zero Scope means DefaultScope.
	Scope instance.Scope
	// Instances is the most instances of a law; 0 means 4000. A law that has
	// more in the scope is checked on its plainest instances, which make up half
	// of this number, on a covering of all pairs of values of two variables, and
	// on random ones, most of them defined.
	Instances int
	// Workers is the number of goroutines; 0 means one for each processor.
	Workers int
	// Progress, if not nil, is called after each instance by several goroutines.
	Progress func(n int)
}

// DefaultScope is the scope of TASO's own checks and somewhat more: sizes,
// kernels among them, from 1 to 4; strides 1 and 2 in both directions; both
// SAME paddings, VALID and a lopsided explicit one; no activation, an unknown
// one and the relu; axis runs of zero to four axes. A given tensor has at
// most 1024 elements.
func DefaultScope() instance.Scope {
	return instance.Scope{
		MaxSize: 4, MaxElements: 1024,
		Runs: []graph.Shape{{}, graph.Sizes(2), graph.Sizes(3), graph.Sizes(1), graph.Sizes(2, 3), graph.Sizes(1, 2),
			graph.Sizes(2, 1, 3), graph.Sizes(2, 1, 2, 2)},
		Strides: []graph.Value{graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(1, 2), graph.TupleValue(2, 1)},
		Pads: []graph.Value{graph.NameValue(graph.Valid), graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower),
			graph.TupleValue(1, 0, 0, 1)},
		Acts: []graph.Value{graph.NameValue("none"), graph.NameValue(AnyActivation), graph.NameValue("relu")},
	}
}

// Result is what a check found. The counts are those up to the first instance
// that fails.
type Result struct {
	// Instances = Symbolic + Tested + Undefined + Undecided, and one more if one
	// fails.
	Instances int `json:"instances"`
	// Symbolic: both sides are defined and have one canonical form, so that they
	// are equal for all values of the entries.
	Symbolic int `json:"symbolic"`
	// Ordered counts those of the symbolic ones that needed the true relu
	// or maximum.
	Ordered int `json:"ordered,omitempty"`
	// Tested: both sides are defined, the canonical forms differ, and they agree
	// on random values. This is no proof.
	Tested int `json:"tested,omitempty"`
	// Undefined: neither side is defined (or, of a law written =>, the left one
	// is not).
	Undefined int `json:"undefined"`
	// Undecided: neither form nor test said anything.
	Undecided int `json:"undecided,omitempty"`
	// Complete: these are all instances of the scope. If not, and none fails,
	// Pairs counts the pairs of values of two variables and Covered those that
	// occur.
	Complete     bool   `json:"complete"`
	Combinations uint64 `json:"combinations"` // of values, those included that conditions exclude
	Pairs        int    `json:"pairs,omitempty"`
	Covered      int    `json:"covered,omitempty"`
	// Failure describes the first instance on which the sides differ, "" if
	// there is none.
	Failure string  `json:"failure,omitempty"`
	Seconds float64 `json:"seconds"` // spent by all goroutines together
}

// verdict of one instance.
type verdict uint8

const (
	pending verdict = iota
	symbolicEqual
	orderedEqual
	testedEqual
	undefined
	undecided
	failed
)

// Check evaluates both sides of l on the instances of a scope. The law fails if
// the two sides differ in an entry or in shape, or if one only is defined (of a
// law written =>, the left one). The result does not depend on Workers, but for
// the seconds. The error is that of a law without meaning or of a context that
// ended.
func Check(ctx context.Context, l *law.Law, opt Options) (*Result, error) {
	start := time.Now()
	if opt.Instances <= 0 {
		opt.Instances = 4000
	}
	if isZero(opt.Scope) {
		opt.Scope = DefaultScope()
	}
	p, err := instance.New(l)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	res := &Result{Combinations: instance.Combinations(l, opt.Scope)}
	// Most false laws fail early, before the instances need be chosen with care.
	probe := opt
	probe.Instances = min(opt.Instances, probeInstances)
	first := plainest(l, probe)
	res.Seconds = time.Since(start).Seconds()
	res.run(ctx, p, first.list, opt)
	if res.Failure == "" && !first.all && ctx.Err() == nil {
		start := time.Now()
		rest := choose(l, opt, res)[len(first.list):]
		res.Seconds += time.Since(start).Seconds()
		res.run(ctx, p, rest, opt)
	} else {
		res.Complete = first.all
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("check %s: %w", l.Name, err)
	}
	if res.Failure != "" {
		res.Complete, res.Pairs, res.Covered = false, 0, 0
	}
	return res, nil
}

// probeInstances is how many of the plainest instances are checked first.
const probeInstances = 40

// run checks instances and adds what is found, up to the first failure.
func (res *Result) run(ctx context.Context, p *instance.Program, vs []*instance.Valuation, opt Options) {
	out := make([]verdict, len(vs))
	var next, worst, nanos atomic.Int64
	worst.Store(int64(len(vs)))
	var wg sync.WaitGroup
	for range max(1, min(opt.Workers, len(vs))) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			begin := time.Now()
			c := newChecker(p)
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= worst.Load() {
					break
				}
				out[i], _ = c.check(vs[i], false)
				if out[i] == failed {
					for w := worst.Load(); i < w && !worst.CompareAndSwap(w, i); w = worst.Load() {
					}
				}
				if opt.Progress != nil {
					opt.Progress(1)
				}
			}
			nanos.Add(int64(time.Since(begin)))
		}()
	}
	wg.Wait()
	res.Seconds += time.Duration(nanos.Load()).Seconds()
	if ctx.Err() != nil {
		return
	}
	end := int(min(worst.Load()+1, int64(len(vs))))
	for _, v := range out[:end] {
		res.Instances++
		switch v {
		case symbolicEqual:
			res.Symbolic++
		case orderedEqual:
			res.Symbolic++
			res.Ordered++
		case testedEqual:
			res.Tested++
		case undefined:
			res.Undefined++
		case undecided:
			res.Undecided++
		}
	}
	if int(worst.Load()) < len(vs) {
		_, res.Failure = newChecker(p).check(vs[worst.Load()], true)
	}
}

func isZero(s instance.Scope) bool {
	return s.MaxSize == 0 && s.MaxElements == 0 && s.MaxVisits == 0 && s.Runs == nil &&
		s.Strides == nil && s.Pads == nil && s.Sames == nil && s.Acts == nil && s.Borders == nil
}

// maxVisits bounds the search for instances, see instance.Scope.
const maxVisits = 500_000

// plain are the plainest instances of a law, and whether these are all.
type plain struct {
	list []*instance.Valuation
	all  bool
}

func plainest(l *law.Law, opt Options) plain {
	opt.Scope.MaxVisits = max(opt.Scope.MaxVisits, maxVisits, 50*opt.Instances)
	var out plain
	out.all = instance.Instances(l, opt.Scope, func(v *instance.Valuation) bool {
		if len(out.list) == opt.Instances {
			return false
		}
		out.list = append(out.list, v)
		return true
	})
	return out
}

// choose lists the instances to check: all, or if there are more than
// opt.Instances, a part of them.
func choose(l *law.Law, opt Options, res *Result) []*instance.Valuation {
	first := plainest(l, opt)
	if first.all {
		res.Complete = true
		return first.list
	}
	half := min(len(first.list), max(opt.Instances/2, probeInstances))
	plain, rest := first.list[:half:half], first.list[half:]
	seen := map[string]bool{}
	for _, v := range plain {
		seen[v.String()] = true
	}
	add := func(v *instance.Valuation) {
		if k := v.String(); !seen[k] {
			seen[k] = true
			plain = append(plain, v)
		}
	}
	cover := instance.Cover(l, opt.Scope, 1)
	res.Pairs, res.Covered = cover.Pairs, cover.Covered
	for _, v := range cover.Valuations {
		add(v)
	}
	draws := instance.NewDraws(l, opt.Scope, 1)
	for n := 0; len(plain) < opt.Instances && n < opt.Instances; n++ {
		if v, ok := draws.Next(); ok {
			add(v)
		}
	}
	for _, v := range rest {
		if len(plain) < opt.Instances {
			add(v)
		}
	}
	return plain
}

// checker checks instances one after another; it serves one goroutine.
type checker struct {
	p *instance.Program
	s *space
}

// maxCells is the most elements of one tensor of an instance.
const maxCells = 1 << 14

func newChecker(p *instance.Program) *checker { return &checker{p: p, s: newSpace()} }

// check decides one instance. The text, made on demand, says how it fails.
func (c *checker) check(v *instance.Valuation, explain bool) (verdict, string) {
	given, ok, err := c.p.Given(v)
	if err != nil || !ok {
		return undecided, ""
	}
	in, err := c.p.At(v, given)
	if err != nil {
		return undecided, ""
	}
	_, noLeft := in.Undefined(0)
	_, noRight := in.Undefined(1)
	text := func(format string, args ...any) string {
		if !explain {
			return ""
		}
		at := v.String()
		if at != "" {
			at = "with " + at + ": "
		}
		return at + fmt.Sprintf(format, args...)
	}
	switch {
	case noLeft != nil && (noRight != nil || c.p.Law.OneWay):
		return undefined, ""
	case noLeft != nil:
		return failed, text("the left side is not defined (%v), the right side is", noLeft)
	case noRight != nil:
		return failed, text("the right side is not defined (%v), the left side is", noRight)
	}
	if differ, k := in.Shapes(); differ == instance.Differs {
		return failed, text("the left side has shape %v, the right side %v", in.Steps[c.p.Out[0][k]].Sizes, in.Steps[c.p.Out[1][k]].Sizes)
	}
	if in.Compile(maxCells) != nil {
		return undecided, ""
	}
	var out, flat int
	var left, right *poly
	for _, ordered := range []bool{false, true} {
		c.s.reset(ordered)
		out, flat, left, right = c.symbolic(in)
		if out < 0 {
			if ordered {
				return orderedEqual, ""
			}
			return symbolicEqual, ""
		}
		if left.bad || right.bad || c.s.decisive {
			break
		}
	}
	say := func() string {
		if !explain {
			return ""
		}
		return text("output %d at %s: left %s, right %s", out, place(in, out, flat), c.s.text(left, 120), c.s.text(right, 120))
	}
	if !left.bad && !right.bad && c.s.decisive {
		return failed, say()
	}
	decided, why := c.test(in, explain)
	if why != "" {
		why = say() + "; " + why
	}
	return decided, why
}

// symbolic compares the canonical forms of the sides and tells the first entry
// at which they differ; output -1 if there is none.
func (c *checker) symbolic(in *instance.Instance) (out, flat int, left, right *poly) {
	inputs := make([][]*poly, len(in.Given))
	for i, s := range in.Given {
		inputs[i] = c.s.input(c.p.Inputs[i].Name, graph.NumElements(s))
	}
	val := instance.Run(in, interp.Ring[*poly](symbolic{c.s}), inputs)
	for k := range c.p.Out[0] {
		a, b := val[c.p.Out[0][k]], val[c.p.Out[1][k]]
		for i := range a {
			if !a[i].equal(b[i]) {
				return k, i, a[i], b[i]
			}
		}
	}
	return -1, 0, nil, nil
}

// tries is the number of random assignments of values in a test.
const tries = 24

// test compares the sides on random values, exactly.
func (c *checker) test(in *instance.Instance, explain bool) (verdict, string) {
	said := false
	for try := range tries {
		rng := rand.New(rand.NewPCG(uint64(try), 0x7461736f))
		bound := int64(3)
		if try%3 == 2 {
			bound = 100
		}
		inputs := make([][]interp.Q, len(in.Given))
		for i, s := range in.Given {
			inputs[i] = make([]interp.Q, graph.NumElements(s))
			for k := range inputs[i] {
				inputs[i][k] = interp.Q{Num: rng.Int64N(2*bound+1) - bound, Den: 1}
			}
		}
		r := &exact{key: uint64(try)}
		val := instance.Run(in, interp.Ring[interp.Q](r), inputs)
		if !instance.Placed(in, val, r.Integer) {
			continue
		}
		for k := range c.p.Out[0] {
			a, b := val[c.p.Out[0][k]], val[c.p.Out[1][k]]
			for i := range a {
				if a[i].IsBad() || b[i].IsBad() {
					continue
				}
				said = true
				if a[i] == b[i] {
					continue
				}
				if r.guessed {
					if found, why := c.testRounded(in, explain); found {
						return failed, why
					}
					return undecided, ""
				}
				if !explain {
					return failed, ""
				}
				return failed, fmt.Sprintf("for %s output %d at %s: left %s, right %s",
					c.values(inputs), k, place(in, k, i), formatQ(a[i]), formatQ(b[i]))
			}
		}
	}
	if said {
		return testedEqual, ""
	}
	return undecided, ""
}

// place writes the index of an element of an output.
func place(in *instance.Instance, out, flat int) string {
	return fmt.Sprint(instance.Place(in.Steps[in.Out[0][out]].Sizes, flat))
}

// maxValues is the most values that a failure lists for a tensor.
const maxValues = 16

func (c *checker) values(inputs [][]interp.Q) string {
	text := ""
	for i, in := range inputs {
		if i > 0 {
			text += ", "
		}
		text += c.p.Inputs[i].Name + " = ["
		for k, x := range in {
			if k == maxValues {
				text += " ..."
				break
			}
			if k > 0 {
				text += " "
			}
			text += formatQ(x)
		}
		text += "]"
	}
	return text
}
