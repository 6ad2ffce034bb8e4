package verifymodels

import (
	"context"
	"fmt"
	"math"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// exact compares without rounding: by structure, then by evaluation modulo a
// prime in up to four ways, until one of them shows that the models are equal.
// The inputs of a run are independent random residues for each element, so that by Schwartz
// and Zippel different polynomials are different there but for a small chance. Finite
// elements that are not taken for any residue have all their values, or nothing is concluded.
//
// Weights that both models hold may be random numbers, the same in both: what is
// equal then is equal for all weights. And integers that are fed may be anything:
// a gather is then a sum over all rows of its table with random weights, so that
// one run reads all of them. What is equal only for the integers that positions
// can be is found by trying all of them, if they are few.
func exact(ctx context.Context, o Options, c *comparison, res *Exact) error {
	if o.NoExact {
		res.Verdict, res.Why = NotRun, "not requested"
		return nil
	}
	if c.proved() {
		res.Verdict, res.Structure, res.AnyWeights = Equal, true, c.shared()
		return nil
	}
	res.ButForWeights = c.one
	work := max(o.A.FLOPs(), o.B.FLOPs())
	if work > o.MaxFLOPs {
		res.Verdict, res.Why = NotRun, fmt.Sprintf("%.3g FLOP are more than the limit of %.3g", float64(work), float64(o.MaxFLOPs))
		return nil
	}
	e := &exactRun{o: o, c: c}
	var err error
	if e.infiniteA, err = c.infinite(0); err == nil {
		e.infiniteB, err = c.infinite(1)
	}
	if err != nil {
		return err
	}
	var last Exact
	one := o.oneRun()
	for _, m := range e.modes() {
		if c.one && m.open && last.Verdict == Undecided {
			break // weights differ, and too few positions can be tried to show that it has no effect
		}
		got := Exact{Verdict: NotRun}
		if err := e.compare(ctx, m, &got); err != nil {
			return err
		}
		// Runs are independent of each other, but for those that try finite elements.
		if got.Bits = int(-one * float64(m.runs)); m.tried.complete && m.tried.all > 1 {
			got.Bits = int(-one - math.Log2(float64(m.runs)))
		}
		if got.Verdict == Equal && m.anyWeights {
			if len(c.differing()) > 0 {
				res.ButForWeights = true
				continue
			}
			got.AnyWeights = c.shared()
		}
		if got.Verdict == Equal && m.open {
			got.Verdict = Undecided
			got.Why = "equal for the values of booleans and positions that were tried, of too many to try all"
		}
		for _, d := range c.differing() {
			if got.Verdict == Equal && d.congruent > 0 {
				got.Verdict, got.Why = Undecided, "elements of weight "+d.NameA+" differ, but not modulo the prime"
			}
		}
		if got.Verdict == Equal && got.Bits < leastBits {
			got.Verdict, got.FewBits = Undecided, true
			got.Why = fmt.Sprintf("equal on random residues, but at the depth of these models others may be equal there as well: the error probability is only known to be < 2^-%d, 2^-%d is needed", got.Bits, leastBits)
		}
		if got.Verdict == Equal {
			got.ButForWeights = false
			*res = got
			return nil
		}
		if !m.anyWeights {
			last = got // that of positions counts, if there are any
		}
	}
	last.ButForWeights = res.ButForWeights
	*res = last
	return nil
}

// leastBits is the least number of bits with which models count as equal by evaluation. A bound
// of 2^-0, as very deep models have it, says nothing.
const leastBits = 20

// oneRun is the logarithm of the error probability of a run; 0: nothing is known of it.
func (o Options) oneRun() float64 { return min(chance(o.A, o.B), 0) }

// mode is a way of evaluating both models.
type mode struct {
	anyWeights bool // weights of both are random numbers
	anyInteger bool // integers that are fed are random numbers
	runs       int
	tried      finiteInputs // the values of finite elements
	open       bool         // these are some of many
}

// modes are the ways that can be afforded, the quickest to an answer first. The
// last one takes weights and integers as they are.
func (e *exactRun) modes() []mode {
	o, c := e.o, e.c
	integers, index := false, false
	for _, in := range c.ins {
		integers = integers || !in.typ.DType.IsFloat()
		index = index || in.index
	}
	spread := int64(0)
	for _, m := range []*model.Model{c.a, c.b} {
		own := int64(0)
		for _, k := range feed.Pickings(m.Graph) {
			own = addUpTo(own, k.Spread)
			index = true
		}
		spread = max(spread, own)
	}
	tried := c.finiteInputs(o.Seed, tryable(o))
	again := o.Runs
	if once(o) <= o.MaxFLOPs/1000 { // a second run takes no time, and squares the chance
		again = max(again, 2)
	}
	if one := o.oneRun(); one < 0 {
		if need := math.Ceil(leastBits / -one); need <= float64(affordable(o)) {
			again = max(again, int(need))
		}
	}
	runs := again
	if tried.complete {
		runs = max(runs, int(tried.all))
	}
	any := len(c.pairs) > 0 && !c.one // or it is known what that would show
	var list []mode
	if spread <= o.MaxFLOPs/2 && (integers || index) {
		if any {
			list = append(list, mode{anyWeights: true, anyInteger: true, runs: again})
		}
		list = append(list, mode{anyInteger: true, runs: again})
	}
	if any && tried.complete {
		list = append(list, mode{anyWeights: true, runs: runs, tried: tried})
	}
	return append(list, mode{runs: runs, tried: tried, open: !tried.complete})
}

// affordable is the number of runs whose work is within the limit, at least one
// for each set of inputs that was asked for. What moves numbers counts too, by the time
// that it takes.
func affordable(o Options) int { return max(o.Runs, int(o.MaxFLOPs/once(o))) }

// once is the work of a run, in multiplications modulo the prime.
func once(o Options) int64 {
	once := int64(1)
	for _, m := range []*model.Model{o.A, o.B} {
		w := m.Graph.Work()
		moved := min(addUpTo(w.BytesRead/4, w.BytesWrite/4), math.MaxInt64/elementFLOPs)
		once = max(once, addUpTo(w.FLOPs, elementFLOPs*moved))
	}
	return once
}

func addUpTo(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// exactRun is an exact comparison.
type exactRun struct {
	o Options
	c *comparison
	// weights of the two that are not finite
	infiniteA, infiniteB map[graph.NodeID]bool
}

func (e *exactRun) compare(ctx context.Context, m mode, res *Exact) error {
	o := e.o
	stage := o.Progress.Stage("compare modulo 2^61 - 1", int64(m.runs)*nodes(o))
	defer stage.Done()
	step := func(graph.NodeID, []interp.Tensor[uint64]) { stage.Add(1) }
	keptA, keptB := kept[uint64]{}, kept[uint64]{}
	res.Verdict = Equal
	for run := 0; run < m.runs; run++ {
		key := fingerprint.Mix(o.Seed + uint64(run))
		functions := false
		f := newExtended(key, &functions)
		inA, inB := fill(e.c.ins, func(in input, i int) uint64 {
			switch {
			case in.typ.DType.IsFloat():
				return fingerprint.Mix(draw(o.Seed, run, in, i)) % p
			case m.anyInteger || !in.index && in.typ.DType != graph.Bool:
				return fingerprint.Mix(draw(o.Seed, run, in, i)) % p
			}
			return f.fromInt(m.tried.element(in, run, i))
		})
		weight := func(w *model.Model, k kept[uint64], pair func(weightPair) graph.NodeID) func(graph.NodeID) (interp.Tensor[uint64], error) {
			drawn := map[graph.NodeID]int{}
			if m.anyWeights {
				for i, p := range e.c.pairs {
					drawn[pair(p)] = i
				}
			}
			return func(id graph.NodeID) (interp.Tensor[uint64], error) {
				typ := w.Graph.Type(id.Out(0))
				if i, ok := drawn[id]; ok && typ.DType.IsFloat() && !e.infinite(i) {
					return e.random(run, i, typ), nil
				}
				return k.load(f, w, id, m.runs > 1)
			}
		}
		outA, err := evaluate(ctx, f, o.A, inA, step, weight(o.A, keptA, func(p weightPair) graph.NodeID { return p.a }))
		if err != nil {
			return notExact(ctx, res, o.A, err)
		}
		outB, err := evaluate(ctx, f, o.B, inB, step, weight(o.B, keptB, func(p weightPair) graph.NodeID { return p.b }))
		if err != nil {
			return notExact(ctx, res, o.B, err)
		}
		for i := range outA {
			if same(outA[i].Data, outB[e.c.outs[i]].Data) {
				continue
			}
			res.Output = outputName(o.A.Graph, i)
			res.Verdict, res.Why = Different, "only sums and products occur"
			if functions {
				res.Verdict, res.Why = Undecided, f.why()
			} else if m.anyInteger {
				res.Verdict, res.Why = Undecided, "integer inputs were treated as arbitrary numbers"
			}
			return nil
		}
	}
	return nil
}

// infinite reports whether not all numbers of a weight of a pair are finite: no random
// numbers stand for these.
func (e *exactRun) infinite(pair int) bool {
	p := e.c.pairs[pair]
	return e.infiniteA[p.a] || e.infiniteB[p.b]
}

// random is the weight of a pair in a run in which weights are random numbers.
func (e *exactRun) random(run, pair int, typ graph.TensorType) interp.Tensor[uint64] {
	name := "weight " + e.c.a.Graph.Name(e.c.pairs[pair].a)
	seed := model.Seed(e.o.Seed+uint64(run), name)
	t := interp.Tensor[uint64]{Sizes: typ.Sizes, Data: make([]uint64, graph.NumElements(typ.Sizes))}
	for i := range t.Data {
		t.Data[i] = fingerprint.Mix(fingerprint.Mix(seed+uint64(i))) % p
	}
	return t
}

// notExact turns an evaluation's error into a reason, but for a cancelled context.
func notExact(ctx context.Context, res *Exact, m *model.Model, err error) error {
	if ctx.Err() != nil {
		return err
	}
	res.Verdict, res.Why = NotRun, fmt.Sprintf("model %s: %v", m.Name, err)
	return nil
}
