package verifymodels

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// prober compares models on inputs that are chosen for what they reach.
type prober struct {
	o    Options
	c    *comparison
	a, b *runner // of the reference evaluator
	res  *Numbers
	left int64 // work that may still be done
	// polesOnly: the models are equal modulo the prime.
	polesOnly bool
	// thorough: inputs of all magnitudes were compared.
	thorough   bool
	runs       int
	planned    samples                          // whose runs are numbered -1, -2, ...
	overflowed map[int]bool                     // runs
	fed        map[int][]interp.Tensor[float64] // inputs of the other runs, of small models
	look       func(outA, outB []interp.Tensor[float64])
	// rounding says where the models differ and rounding decides about it.
	rounding []string
}

// newProber watches both models. Where they are equal modulo the prime, only poles are
// looked for: there residues show nothing.
func newProber(o Options, c *comparison, a, b *runner, res *Numbers, polesOnly bool) (*prober, error) {
	ra, rb, err := c.ranges()
	if err != nil {
		return nil, err
	}
	a.watch, b.watch = newWatch(o.A, c.numA, c.numB, ra), newWatch(o.B, c.numB, c.numA, rb)
	p := &prober{o: o, c: c, a: a, b: b, res: res, left: o.MaxFLOPs / 150, polesOnly: polesOnly, overflowed: map[int]bool{}, fed: map[int][]interp.Tensor[float64]{}}
	for side, w := range []*watch{a.watch, b.watch} {
		infinite, err := c.infinite(side)
		if err != nil {
			return nil, err
		}
		w.constants = len(infinite) > 0
	}
	a.watch.relate(b.watch, polesOnly, p.mutable())
	for _, w := range []*watch{a.watch, b.watch} {
		w.notes = p.mutable()
		for _, pt := range w.points {
			pt.plain = !p.mutable()
		}
		for _, t := range w.tiesAt {
			t.plain = !p.mutable()
		}
	}
	return p, nil
}

// least is the work that an evaluation counts as at least.
const least = 200_000

// pays reports whether so many evaluations of both models can be afforded, and counts them.
func (p *prober) pays(times int64) bool {
	p.left -= times * max(once(p.o), least)
	return p.left >= 0
}

// open reports whether a point is not reached and no difference was found.
func (p *prober) open() bool {
	return !p.differs() && !(p.a.watch.done() && p.b.watch.done())
}

func (p *prober) differs() bool {
	return slices.ContainsFunc(p.res.Outputs, func(o Output) bool { return !o.Agrees() })
}

// search looks for inputs that reach what the runs so far did not: simple ones first, and
// then such that are on a line between two on different sides of a point.
func (p *prober) search(ctx context.Context) error {
	if p.polesOnly && !p.a.watch.partial() && !p.b.watch.partial() {
		return nil
	}
	sources := slices.Concat(simple, p.mixed(), scouts)
	if p.polesOnly && !p.open() {
		sources = simple
	}
	twins(p.a.watch, p.b.watch)
	if err := p.show(ctx); err != nil {
		return err
	}
	for _, s := range sources {
		if p.differs() || !p.pays(1) {
			break
		}
		if _, _, err := p.try(ctx, p.feed(s)); err != nil {
			return err
		}
	}
	p.thorough = p.left >= 0
	p.a.watch.alikeWith(p.b.watch)
	p.b.watch.alikeWith(p.a.watch)
	for side, r := range []*runner{p.a, p.b} {
		if err := p.reachPoints(ctx, side, r.watch.points, false); err != nil {
			return err
		}
		for _, t := range r.watch.tiesAt {
			if !p.differs() {
				if err := p.reachTies(ctx, side, r.m.Graph, t); err != nil {
					return err
				}
			}
		}
		for _, t := range r.watch.rows {
			for k := t.from; t.each && k <= t.to && !p.differs() && p.left >= 0; k++ {
				if t.seen[k] {
					continue
				}
				if err := p.reach(ctx, side, &point{node: t.node, x: t.operand, y: -1, value: float64(k)}, at); err != nil {
					return err
				}
			}
		}
	}
	// What both models have is more likely to be alike: last.
	for side, r := range []*runner{p.a, p.b} {
		if err := p.reachPoints(ctx, side, r.watch.points, true); err != nil {
			return err
		}
	}
	return nil
}

// reachPoints looks for inputs that reach points which are shared, or those which are not.
func (p *prober) reachPoints(ctx context.Context, side int, points []*point, shared bool) error {
	for _, pt := range points {
		for _, s := range []where{below, above, at} {
			if pt.shared != shared || !slices.Contains(pt.missing(), s) {
				continue
			}
			if p.differs() || p.left < 0 {
				return nil
			}
			if err := p.reach(ctx, side, pt, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// source is what is fed to elements of an input.
type source func(seed uint64, in input, i int) float64

// all gives all elements of all inputs one value.
func all(x float64) source { return func(uint64, input, int) float64 { return x } }

// simple are inputs at which many functions change their course.
var simple = []source{all(0), all(1), all(-1),
	func(seed uint64, in input, i int) float64 { return float64(draw(seed, 101, in, i)%3) - 1 },
	func(seed uint64, in input, i int) float64 { return (float64(draw(seed, 102, in, i)%17) - 8) / 2 },
}

// mixed are inputs with the numbers that the models hold, and such whose magnitudes differ:
// what is reached may be hidden by what is done with it later.
func (p *prober) mixed() (list []source) {
	for k := range min(len(p.c.constants), 8) {
		list = append(list, all(p.c.constants[k]))
	}
	each := 8
	if p.polesOnly { // the only evidence about them
		each *= 4
	}
	for k := range each {
		list = append(list, func(seed uint64, in input, i int) float64 {
			return in.half(seed, 1300+k, i, p.c.constants)
		}, func(seed uint64, in input, i int) float64 {
			by := math.Ldexp(1, int(draw(seed, 1400+k, in, 0)%18)-4)
			x := by * in.unit(draw(seed, 1500+k, in, i))
			if sign := draw(seed, 1600+k, in, 0) % 4; sign < 2 { // of one sign
				x = math.Abs(x) * float64(1-2*int(sign))
			}
			return x
		})
	}
	// Some elements, or the first of them, are 0 and the others are not.
	for k, zero := range []func(seed uint64, in input, i int) bool{
		func(_ uint64, in input, i int) bool { return 2*i < graph.NumElements(in.typ.Sizes) },
		func(_ uint64, in input, i int) bool { return 2*i >= graph.NumElements(in.typ.Sizes) },
		func(seed uint64, in input, i int) bool { return draw(seed, 1700, in, i)%2 == 0 },
		func(seed uint64, in input, i int) bool { return draw(seed, 1701, in, i)%4 > 0 },
	} {
		list = append(list, func(seed uint64, in input, i int) float64 {
			if zero(seed, in, i) {
				return 0
			}
			return wideScale * in.unit(draw(seed, 1710+k, in, i))
		})
	}
	return list
}

// Scouts are inputs of all magnitudes: such whose elements are one number, and random ones.
var (
	uniform = []source{all(0), all(wideScale), all(-wideScale), all(128), all(-128), all(1 << 14), all(-1 << 14)}
	scouts  = []source{scaled(1), scaled(wideScale), scaled(-wideScale), scaled(128), scaled(-128), scaled(1 << 14), scaled(-1 << 14), scaled(1 << 21), scaled(-1 << 21)}
)

// scaled are random numbers of a magnitude; of a negative one the opposites of those of the
// positive one.
func scaled(by float64) source {
	return func(seed uint64, in input, i int) float64 {
		return by * in.unit(draw(seed, 200+int(math.Abs(by)), in, i))
	}
}

// feed makes the inputs of a source, for A.
func (p *prober) feed(s source) []interp.Tensor[float64] {
	in, _ := fill(p.c.ins, func(in input, i int) float64 { return in.hold(s(p.o.Seed, in, i)) })
	return in
}

// hold is the nearest number that an element of an input may be.
func (in input) hold(x float64) float64 {
	if lo, n, ok := in.finite(); ok {
		x = min(max(x, float64(lo)), float64(lo+n-1))
	}
	return round(in.typ.DType, x)
}

// placed are inputs of A in the order of B.
func (p *prober) placed(in []interp.Tensor[float64]) []interp.Tensor[float64] {
	out := make([]interp.Tensor[float64], len(in))
	for i, x := range p.c.ins {
		out[x.place] = in[i]
	}
	return out
}

// try runs both models on inputs, of which the watches take note, and compares them.
func (p *prober) try(ctx context.Context, in []interp.Tensor[float64]) (outA, outB []interp.Tensor[float64], err error) {
	p.runs++
	if p.mutable() {
		p.fed[p.runs] = in
	}
	p.a.watch.begin(p.runs)
	p.b.watch.begin(p.runs)
	if outA, err = p.a.evaluate(ctx, floats{}, in, nil); err != nil {
		return nil, nil, p.passed(ctx, err)
	}
	if outB, err = p.b.evaluate(ctx, floats{}, p.placed(in), nil); err != nil {
		return nil, nil, p.passed(ctx, err)
	}
	if p.look != nil {
		p.look(outA, outB)
	}
	if err := p.judge(ctx, in, outA, outB); err != nil || p.differs() {
		return outA, outB, err
	}
	return outA, outB, p.show(ctx)
}

// passed leaves out a run in which a model cannot be evaluated.
func (p *prober) passed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return nil
}

// judge compares the outputs of a run at points. Models differ there if they do whatever
// rounding does. Runs in which something is too large or too small for float64 are left out.
func (p *prober) judge(ctx context.Context, in, outA, outB []interp.Tensor[float64]) error {
	if p.a.watch.overflow || p.b.watch.overflow {
		p.overflowed[p.a.watch.run] = true
		p.a.watch.forget()
		p.b.watch.forget()
		return nil
	}
	for i := range p.res.Outputs {
		o := &p.res.Outputs[i]
		x, y := outA[i], outB[p.c.outs[i]]
		now := deviation(o.Sizes, x.Data, y.Data)
		now.NameA, now.NameB, now.Sizes, now.Tolerance, now.Type = o.NameA, o.NameB, o.Sizes, o.Tolerance, o.Type
		var elements []int
		for j := range x.Data {
			d := math.Abs(x.Data[j] - y.Data[j])
			if !same64(x.Data[j], y.Data[j]) && (!finite(d) || d > o.Tolerance*now.Largest) {
				elements = append(elements, j)
			}
		}
		if len(elements) == 0 {
			continue
		}
		stay, err := p.stay(ctx, in, i, elements, x.Data, y.Data)
		if err != nil {
			return p.passed(ctx, err)
		}
		// One that is a number in one model only comes first.
		first := func(list []int) int {
			if k := slices.IndexFunc(list, func(j int) bool { return !finite(x.Data[j] - y.Data[j]) }); k >= 0 {
				return list[k]
			}
			return slices.MaxFunc(list, func(j, k int) int {
				return cmp.Compare(math.Abs(x.Data[j]-y.Data[j]), math.Abs(x.Data[k]-y.Data[k]))
			})
		}
		if len(stay) > 0 {
			j := first(stay)
			now.At, now.A, now.B = index(o.Sizes, j), x.Data[j], y.Data[j]
			now.Chosen = p.c.fedAt(now, in)
			*o = now
			continue
		}
		j := first(elements)
		now.At = index(o.Sizes, j)
		a, b := x.Data[j], y.Data[j]
		p.rounding = append(p.rounding, fmt.Sprintf("output %s where functions jump and rounding decides: element %v is %.7g and %.7g%s", o.NameA, now.At, a, b, p.c.fedAt(now, in)))
	}
	return nil
}

func same64(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// common tells which weights of a model the other one has as well.
func (c *comparison) common(own, other *model.Model) func(graph.NodeID) bool {
	has := map[int]bool{}
	for _, w := range other.Weights {
		has[c.content.of[w]] = true
	}
	return func(id graph.NodeID) bool { return has[c.content.of[own.Weights[id]]] }
}

// reach looks for inputs for which an element of a node's operand is on a side of a point,
// and compares the models there.
func (p *prober) reach(ctx context.Context, which int, pt *point, s where) error {
	for k, by := range []float64{1, 1. / 8, 4, 1. / 64} {
		for _, sources := range [][]source{uniform, scouts} {
			if pt.shown[s] || k > 0 && !pt.seen[s] || p.differs() || !p.pays(int64(len(sources))) {
				return nil
			}
			if err := p.cross(ctx, which, pt, s, sources, by, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// cross looks for two inputs between which a point lies, by how far beyond it they are
// compared with its magnitude. The first pairs of inputs may be skipped.
func (p *prober) cross(ctx context.Context, which int, pt *point, s where, sources []source, by float64, skip int) error {
	ins := make([][]interp.Tensor[float64], len(sources))
	seen := make([][]float64, len(sources))
	for k, src := range sources {
		ins[k] = p.feed(src)
		var err error
		if seen[k], err = p.apart(ctx, which, pt, ins[k]); err != nil {
			return err
		}
	}
	step := by * max(1, math.Abs(pt.value)) / 4
	if room := pt.room[s]; room > 0 {
		step = min(step, room/2)
	}
	target := map[where]float64{below: -step, at: 0, above: step}[s]
	// Inputs that are there already are the last choice: they were tried.
	for _, strict := range []bool{true, false} {
		for from := range ins {
			for to := range ins {
				for j := range min(len(seen[from]), len(seen[to])) {
					d, e := seen[from][j], seen[to][j]
					if d <= target && e >= target && finite(d) && finite(e) && (!strict || d < target && e > target) {
						if skip--; skip >= 0 {
							break // another element, of other inputs
						}
						return p.between(ctx, which, pt, s, j, target, ins[from], ins[to])
					}
				}
			}
		}
	}
	// No two are on different sides of what is wanted: one that is on the right side will do.
	for k := range ins {
		for _, d := range seen[k] {
			if pt.on(s, d) {
				_, _, err := p.try(ctx, ins[k])
				return err
			}
		}
	}
	return nil
}

// between halves the line between two inputs until element j of an operand is as far from a
// point as is wanted, and compares the models there.
func (p *prober) between(ctx context.Context, which int, pt *point, s where, j int, target float64, lo, hi []interp.Tensor[float64]) error {
	const rounds, halvings = 3, 40
	for range rounds {
		// A line between ends that are near is finer.
		from, to := 0.0, 1.0
		for range halvings {
			if !p.pays(1) {
				return nil
			}
			mid := (from + to) / 2
			ds, err := p.apart(ctx, which, pt, p.onLine(lo, hi, mid))
			if err != nil {
				return err
			}
			if j >= len(ds) || math.IsNaN(ds[j]) {
				return nil
			}
			if ds[j] == target || s != at && (ds[j] < 0) == (target < 0) && math.Abs(ds[j]) >= math.Abs(target)/2 && math.Abs(ds[j]) <= 2*math.Abs(target) {
				_, _, err := p.try(ctx, p.onLine(lo, hi, mid))
				return err
			}
			if ds[j] <= target {
				from = mid
			} else {
				to = mid
			}
		}
		lo, hi = p.onLine(lo, hi, from), p.onLine(lo, hi, to)
	}
	if s != at {
		_, _, err := p.try(ctx, hi)
		return err
	}
	// No number is nearer. If the node decides between numbers that are nearly the same,
	// nothing happens at the point itself.
	_, _, err := p.try(ctx, lo)
	run := p.runs
	if err == nil {
		_, _, err = p.try(ctx, hi)
	}
	if err != nil || p.overflowed[run] || p.overflowed[p.runs] {
		return err
	}
	if pt.course == pole || !p.mutable() {
		pt.show(at)
		return nil
	}
	does, err := p.mutate(ctx, which, pt, below, p.fedIn(run))
	if err == nil && does == indifferent {
		does, err = p.settles(ctx, which, pt, below, run)
	}
	if err == nil && does == indifferent {
		pt.show(at)
	}
	return err
}

// onLine are inputs on the line between two, rounded to what they may be.
func (p *prober) onLine(lo, hi []interp.Tensor[float64], t float64) []interp.Tensor[float64] {
	out := make([]interp.Tensor[float64], len(lo))
	for i, in := range p.c.ins {
		out[i] = interp.Tensor[float64]{Sizes: lo[i].Sizes, Data: make([]float64, len(lo[i].Data))}
		for j, x := range lo[i].Data {
			out[i].Data[j] = in.hold(x*(1-t) + hi[i].Data[j]*t)
		}
	}
	return out
}

// apart is by how much the elements of a node's operand are above a point. Nothing behind
// the node is computed.
func (p *prober) apart(ctx context.Context, which int, pt *point, in []interp.Tensor[float64]) (ds []float64, err error) {
	r := p.a
	if which == 1 {
		r, in = p.b, p.placed(in)
	}
	short, stop := context.WithCancel(ctx)
	defer stop()
	whole := r.watch
	defer func() { r.watch = whole }()
	r.watch = whole.only(pt)
	_, err = r.evaluate(short, floats{}, in, func(_ graph.NodeID, operands, _ []interp.Tensor[float64]) {
		const most = 1 << 12
		for j := range min(len(operands[pt.x].Data), most) {
			d, _ := pt.apart(operands, j)
			ds = append(ds, d)
		}
		stop()
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return ds, nil // what cannot be evaluated has no elements
}
