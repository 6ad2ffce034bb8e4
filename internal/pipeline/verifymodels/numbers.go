package verifymodels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// numbers compares in floating point. Where it is the only evidence (decisive), inputs have
// several scales, every position that can be read is read, and what no run reached is looked
// for, as far as the limits on the work allow. What is not reached then is returned.
func numbers(ctx context.Context, o Options, c *comparison, decisive bool, res *Numbers) (unreached []string, err error) {
	res.Tolerance = o.Tolerance
	work := max(o.A.FLOPs(), o.B.FLOPs())
	switch {
	case o.NoNumbers:
		res.Why = "not requested"
		return nil, nil
	case o.Backend == nil && work > o.MaxFLOPs:
		res.Why = fmt.Sprintf("%.3g FLOP are more than the limit of %.3g for the reference evaluator", float64(work), float64(o.MaxFLOPs))
		return nil, nil
	}
	res.By = "float64 reference"
	if o.Backend != nil {
		res.By = backends.Arithmetic(o.A.Graph, o.B.Graph) + ", " + o.Backend.Info().String()
	}
	res.outputs(o, c)
	n := &numbersRun{o: o, c: c, decisive: decisive, res: res, samples: c.samples(o, decisive)}
	res.Runs = n.samples.runs
	if decisive && o.Backend != nil {
		n.unwatched()
	}
	if err := n.all(ctx); err != nil {
		return nil, err
	}
	if res.Why != "" {
		return nil, nil
	}
	if decisive {
		if tried := n.samples.tried; c.allFinite(o) && int64(res.Runs) >= tried.all && !slices.Contains(n.skipped, true) {
			res.exhausted = !slices.ContainsFunc(res.Outputs, func(out Output) bool { return out.NaNs > 0 || out.Absolute > 0 }) &&
				!slices.ContainsFunc(n.seen, func(s sight) bool { return s.gaps })
			return nil, nil // nothing else can be reached
		}
	}
	if !o.NoSearch && work <= o.MaxFLOPs && !c.proved() {
		if err := n.search(ctx); err != nil {
			return nil, err
		}
	}
	if decisive {
		n.sights()
	}
	return n.unreached, nil
}

// outputs lists the outputs with their tolerances.
func (res *Numbers) outputs(o Options, c *comparison) {
	for i, t := range o.A.Graph.Outputs() {
		out := Output{NameA: outputName(o.A.Graph, i), NameB: outputName(o.B.Graph, c.outs[i]), Sizes: o.A.Graph.Sizes(t), Tolerance: o.Tolerance}
		if o.Tolerance == 0 {
			var narrow graph.DType
			out.Tolerance, narrow = backends.OutputTolerance([]*graph.Graph{o.A.Graph, o.B.Graph}, []graph.Tensor{t, o.B.Graph.Outputs()[c.outs[i]]})
			if narrow != graph.Float32 {
				out.Type = narrow.String()
			}
		}
		res.Tolerance = max(res.Tolerance, out.Tolerance)
		res.Outputs = append(res.Outputs, out)
	}
}

// numbersRun is a comparison in floating point.
type numbersRun struct {
	o         Options
	c         *comparison
	decisive  bool
	res       *Numbers
	samples   samples
	probe     *prober // nil: a backend computes
	seen      []sight // of outputs
	skipped   []bool  // runs that were left out
	refused   error   // of the last run that was left out
	unreached []string
}

// unwatched says what a backend does not show.
func (n *numbersRun) unwatched() {
	rows, computed := n.c.apart()
	for _, name := range computed {
		n.unreached = append(n.unreached, "rows that "+name+" reads: they are computed, and which of them were read is not known")
	}
	if all := n.samples.needed(rows); n.res.Runs < all {
		n.unreached = append(n.unreached, fmt.Sprintf("rows at some positions: only %d of the %d runs that would read all were made", n.res.Runs, all))
	}
	for _, in := range n.c.ins {
		if in.computed { // a backend may stop at a position that a table does not have
			n.unreached = append(n.unreached, fmt.Sprintf("integers of input %s, from which positions are computed, that are not 0 to %d", in.name, in.below-1))
		}
	}
}

// skip reports after an error whether a run is left out: not every integer makes sense, and
// a backend stops where there is no such position.
func (n *numbersRun) skip(ctx context.Context, k int, err error) bool {
	n.refused = err
	strange := slices.ContainsFunc(n.c.ins, func(in input) bool { return n.samples.strange(in, k) })
	undefined := partial(n.o.A.Graph) || partial(n.o.B.Graph)
	if ctx.Err() != nil || !strange && !undefined && !n.samples.notNumbers(k) {
		return false
	}
	if (strange || undefined) && k%patterns != patterns-1 && !slices.Contains(n.skipped, true) { // the largest may be too large
		n.unreached = append(n.unreached, fmt.Sprintf("integers that may be out of range: %v", err))
	}
	n.skipped[k] = true
	return true
}

// partial reports whether a graph has a function of integers that has no value for some of
// them, such as a quotient.
func partial(g *graph.Graph) bool {
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil && op.Name == "ewint" && !g.DType(id.Out(0)).IsFloat() {
			return true
		}
	}
	return false
}

// all makes the runs that are planned: of one model after the other, so that the weights of
// one are in memory at a time, unless outputs of many runs would take more.
func (n *numbersRun) all(ctx context.Context) (err error) {
	o, c, total := n.o, n.c, n.samples.total()
	n.skipped, n.seen = make([]bool, total), make([]sight, len(n.res.Outputs))
	stage := o.Progress.Stage("compare in floating point", int64(total)*nodes(o))
	defer stage.Done()
	step := func(n int64) { stage.Add(n) }
	a, err := newRunner(ctx, o.Backend, o.A, step)
	if err != nil {
		return err
	}
	closeA := sync.OnceValue(a.close)
	defer func() { err = errors.Join(err, closeA()) }()
	if n.decisive && o.Backend == nil && !o.NoSearch {
		if n.probe, err = newProber(o, c, a, &runner{m: o.B, step: step, kept: kept[float64]{}}, n.res, false); err != nil {
			return err
		}
	}
	outputs := int64(0)
	for _, t := range o.A.Graph.Outputs() {
		outputs += int64(graph.NumElements(o.A.Graph.Sizes(t)))
	}
	var outsA [][]interp.Tensor[float64]
	if outputs*int64(total) <= keptOutputs {
		for k := range total {
			in, _ := n.samples.fill(k)
			out, err := a.sample(ctx, n.samples, k, in)
			if err != nil && !n.skip(ctx, k, err) {
				return n.res.notRun(ctx, o, o.A, err)
			}
			outsA = append(outsA, out)
		}
		a.kept = kept[float64]{}
		if err := closeA(); err != nil {
			return err
		}
	}
	b, err := newRunner(ctx, o.Backend, o.B, step)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if n.probe != nil {
		b.watch, n.probe.b = n.probe.b.watch, b
	}
	for k := range total {
		inA, inB := n.samples.fill(k)
		var outA []interp.Tensor[float64]
		if outsA != nil {
			outA = outsA[k]
		} else if outA, err = a.sample(ctx, n.samples, k, inA); err != nil && !n.skip(ctx, k, err) {
			return n.res.notRun(ctx, o, o.A, err)
		}
		if n.skipped[k] {
			continue
		}
		outB, err := b.sample(ctx, n.samples, k, inB)
		if err != nil && !n.skip(ctx, k, err) {
			return n.res.notRun(ctx, o, o.B, err)
		}
		if n.skipped[k] {
			continue
		}
		if n.overflows(k, a, b, outA, outB) {
			n.skipped[k] = true
			continue
		}
		if err := n.compare(ctx, k, inA, outA, outB, a.infinite[k] || b.infinite[k]); err != nil {
			return err
		}
	}
	if !slices.Contains(n.skipped[:n.res.Runs], false) {
		n.res.Why, n.res.By, n.res.Outputs = fmt.Sprintf("no inputs were found for which both models are defined: %v", n.refused), "", nil
	}
	return nil
}

// overflows reports whether the outputs of a run differ only in that elements of one model are
// no finite numbers, and something was too large or too small for float64 in it: that does not
// show that the models differ. The run does not count as having reached anything.
func (n *numbersRun) overflows(k int, a, b *runner, outA, outB []interp.Tensor[float64]) bool {
	if !a.overflow[k] && !b.overflow[k] || n.c.atHalves(k) {
		return false
	}
	now := Numbers{Outputs: slices.Clone(n.res.Outputs)}
	placed := make([]interp.Tensor[float64], len(outA))
	for i, j := range n.c.outs {
		placed[i] = outB[j]
	}
	now.compare(outA, placed)
	differ := false
	for _, o := range now.Outputs {
		if o.Relative > o.Tolerance {
			return false
		}
		differ = differ || !o.Agrees()
	}
	if !differ {
		return false
	}
	n.refused = errors.New("numbers are too large or too small for float64")
	if n.probe.overflowed[-1-k] = true; !n.probe.mutable() {
		n.unreached = append(n.unreached, fmt.Sprintf("a run in which %v", n.refused))
	}
	return true
}

// compare enters the outputs of a run. Where functions jump, and where something became infinite
// and its sign may be that of zero, models differ only if they do whatever rounding does.
func (n *numbersRun) compare(ctx context.Context, k int, inA, outA, outB []interp.Tensor[float64], infinite bool) error {
	placed := make([]interp.Tensor[float64], len(outA))
	for i, j := range n.c.outs {
		placed[i] = outB[j]
		if !n.samples.notNumbers(k) {
			n.seen[i].look(outA[i].Data, placed[i].Data)
		}
	}
	switch {
	case n.samples.notNumbers(k):
		n.res.beyond = n.c.beyond(n.res.Outputs, inA, outA, placed)
	case n.decisive && (n.c.atHalves(k) || infinite) && n.probe != nil:
		n.probe.a.watch.overflow, n.probe.b.watch.overflow = false, false // multiples of a half are too small to leave float64
		return n.probe.judge(ctx, inA, outA, outB)
	case n.decisive && n.c.atHalves(k):
		edge := Numbers{Outputs: slices.Clone(n.res.Outputs)}
		edge.compare(outA, placed)
		for _, out := range edge.Outputs {
			if !out.Agrees() {
				n.unreached = append(n.unreached, fmt.Sprintf("output %s where functions jump and rounding decides: element %v is %.7g and %.7g%s", out.NameA, out.At, out.A, out.B, n.c.fedAt(out, inA)))
			}
		}
	default:
		n.res.compare(outA, placed)
	}
	return nil
}

// sights says of which outputs the runs saw nothing.
func (n *numbersRun) sights() {
	depends := dependent(n.o.A.Graph)
	for i := range n.seen {
		if n.c.outputEqual(i, n.c.numA, n.c.numB) {
			continue // proved
		}
		name := n.res.Outputs[i].NameA
		if blind := n.seen[i].blind(); blind > 0 {
			n.unreached = append(n.unreached, fmt.Sprintf("output %s: %d of %d elements are finite in no run", name, blind, len(n.seen[i].finite)))
		} else if !n.seen[i].varied && depends[n.o.A.Graph.Outputs()[i].Node] && !(n.probe != nil && n.probe.thorough && n.definite()) {
			n.unreached = append(n.unreached, fmt.Sprintf("output %s: the same in every run, for all inputs tried", name))
		}
	}
}

// definite reports whether both models are only about finite numbers: neither tells them from
// others.
func (n *numbersRun) definite() bool {
	for _, m := range []*model.Model{n.o.A, n.o.B} {
		for id := range m.Graph.Nodes() {
			if op := m.Graph.Op(id); op != nil && (op.Name == "isnan" || op.Name == "isinf") {
				return false
			}
		}
	}
	return true
}

// search looks for inputs that reach what no run reached.
func (n *numbersRun) search(ctx context.Context) (err error) {
	stage := n.o.Progress.Stage("search inputs at special points", 0)
	defer stage.Done()
	fresh := func() (*prober, error) {
		none := func(int64) {}
		a, b := &runner{m: n.o.A, step: none, kept: kept[float64]{}}, &runner{m: n.o.B, step: none, kept: kept[float64]{}}
		return newProber(n.o, n.c, a, b, n.res, !n.decisive)
	}
	if n.probe == nil {
		if n.probe, err = fresh(); err != nil {
			return err
		}
	}
	p := n.probe
	p.planned = n.samples
	if n.decisive {
		p.look = func(outA, outB []interp.Tensor[float64]) {
			for i, j := range n.c.outs {
				n.seen[i].look(outA[i].Data, outB[j].Data)
			}
		}
	}
	if n.decisive && n.o.Backend != nil { // what its runs reached was not seen
		for k := range n.res.Runs {
			if !p.open() || !p.pays(1) {
				break
			}
			in, _ := n.samples.fill(k)
			if _, _, err := p.try(ctx, in); err != nil {
				return err
			}
		}
	}
	if err := p.search(ctx); err != nil {
		return err
	}
	if !n.decisive {
		return nil // poles that are not reached are assumed away
	}
	if !p.differs() {
		twins(p.a.watch, p.b.watch)
		p.a.watch.alikeWith(p.b.watch)
		p.b.watch.alikeWith(p.a.watch)
		n.unreached = append(n.unreached, slices.Concat(p.a.watch.unreached(), p.b.watch.unreached())...)
	}
	if len(p.rounding) > 0 {
		if p.a.watch.alike && len(p.a.watch.tiesAt)+len(p.b.watch.tiesAt) == 0 {
			n.res.beyond = append(n.res.beyond, p.rounding[0])
		} else {
			n.unreached = append(n.unreached, p.rounding[0])
		}
	}
	return nil
}

// keptOutputs is how many elements of outputs are kept of one model until the other
// one is run.
const keptOutputs = 1 << 25

// sight is what the runs saw of an output.
type sight struct {
	first  []float64
	varied bool   // not all runs gave the same
	finite []bool // of elements: a number in a run
	gaps   bool   // an element was no finite number in a run
}

func (s *sight) look(a, b []float64) {
	if s.first == nil {
		s.first, s.finite = a, make([]bool, len(a))
	}
	for i, x := range a {
		number := finite(x) && finite(b[i])
		s.finite[i], s.gaps = s.finite[i] || number, s.gaps || !number
		s.varied = s.varied || x != s.first[i] && finite(x)
	}
}

func (s *sight) blind() (n int) {
	for _, ok := range s.finite {
		if !ok {
			n++
		}
	}
	return n
}

// dependent says which nodes an input that is fed has a path to.
func dependent(g *graph.Graph) []bool {
	fed := make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		fed[id] = g.Op(id) == nil && !g.IsWeight(id)
		for _, t := range g.Operands(id) {
			fed[id] = fed[id] || fed[t.Node]
		}
	}
	return fed
}
