package verifymodels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
)

// Options configure a comparison. The zero value, with A and B, compares
// exactly and in float64, once.
type Options struct {
	A, B *model.Model
	// Backend runs the models in float32; nil means float64 by the reference
	// evaluator, which is slower (about one multiply-accumulate a nanosecond)
	// and shows no rounding of its own.
	Backend backends.Backend
	// Runs is the number of sets of random inputs; 0 means 1.
	Runs int
	// Seed decides the random inputs.
	Seed uint64
	// Tolerance is the relative deviation that still agrees; 0 means 1e-4.
	Tolerance float64
	// MaxFLOPs leaves out the exact comparison, and that by the reference
	// evaluator, of models with more work in one run; 0 means 5e10, a minute or
	// two.
	MaxFLOPs int64
	// NoExact and NoNumbers leave out one of the comparisons.
	NoExact, NoNumbers bool
	// Progress shows the nodes done; nil shows nothing.
	Progress *progress.Reporter
}

// Run compares two models. It is an error if they cannot be compared: a model
// that is not valid, inputs or outputs that do not correspond, or a failure of
// the backend. A model that the exact arithmetic cannot evaluate is none: the
// report says so.
func Run(ctx context.Context, o Options) (*Report, error) {
	o = o.withDefaults()
	if o.A == nil || o.B == nil {
		return nil, errors.New("verify models: two models are needed")
	}
	if err := errors.Join(o.A.Validate(), o.B.Validate()); err != nil {
		return nil, fmt.Errorf("verify models: %w", err)
	}
	ins, err := pair(o.A, o.B)
	if err != nil {
		return nil, fmt.Errorf("verify models %s and %s: %w", o.A.Name, o.B.Name, err)
	}
	r := &Report{A: side(o.A), B: side(o.B), Seed: o.Seed, Runs: o.Runs}
	if err := exact(ctx, o, ins, &r.Exact); err != nil {
		return nil, fmt.Errorf("verify models %s and %s: %w", o.A.Name, o.B.Name, err)
	}
	if err := numbers(ctx, o, ins, &r.Numbers); err != nil {
		return nil, fmt.Errorf("verify models %s and %s: %w", o.A.Name, o.B.Name, err)
	}
	r.Agree = len(r.Numbers.Outputs) > 0 || r.Exact.Verdict == Equal
	for _, out := range r.Numbers.Outputs {
		r.Agree = r.Agree && out.Agrees(o.Tolerance)
	}
	return r, nil
}

func (o Options) withDefaults() Options {
	if o.Runs <= 0 {
		o.Runs = 1
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	if o.MaxFLOPs == 0 {
		o.MaxFLOPs = 5e10
	}
	return o
}

func side(m *model.Model) Side {
	s := Side{Name: m.Name, Params: m.Params(), FLOPs: m.FLOPs()}
	for id := range m.Graph.Nodes() {
		if m.Graph.Op(id) != nil {
			s.Operators++
		}
	}
	return s
}

// input is an input of A with its place among the inputs of B.
type input struct {
	name  string
	typ   graph.TensorType
	place int   // in B
	below int64 // of an int64 input: its elements are 0 to below-1
}

// pair finds the inputs that correspond, and checks the outputs.
func pair(a, b *model.Model) ([]input, error) {
	ia, ib := a.Inputs(), b.Inputs()
	if len(ia) != len(ib) {
		return nil, fmt.Errorf("%d and %d inputs", len(ia), len(ib))
	}
	place := map[string]int{}
	for i, id := range ib {
		place[b.Graph.Name(id)] = i
	}
	byName := true
	for _, id := range ia {
		_, ok := place[a.Graph.Name(id)]
		byName = byName && ok
	}
	ins := make([]input, len(ia))
	for i, id := range ia {
		in := input{name: a.Graph.Name(id), typ: a.Graph.Type(id.Out(0)), place: i}
		if byName {
			in.place = place[in.name]
		}
		other := b.Graph.Type(ib[in.place].Out(0))
		if in.typ.DType != other.DType || !slices.Equal(in.typ.Sizes, other.Sizes) {
			return nil, fmt.Errorf("input %s is %s, input %s of the other is %s", in.name, in.typ, b.Graph.Name(ib[in.place]), other)
		}
		in.below = min(indexBound(a.Graph, id), indexBound(b.Graph, ib[in.place]))
		ins[i] = in
	}
	oa, ob := a.Graph.Outputs(), b.Graph.Outputs()
	if len(oa) != len(ob) {
		return nil, fmt.Errorf("%d and %d outputs", len(oa), len(ob))
	}
	for i := range oa {
		ta, tb := a.Graph.Type(oa[i]), b.Graph.Type(ob[i])
		if ta.DType != tb.DType || !slices.Equal(ta.Sizes, tb.Sizes) {
			return nil, fmt.Errorf("output %d is %s and %s", i, ta, tb)
		}
	}
	return ins, nil
}

// indexBound is the number of values that an integer input may have: the size
// of the shortest axis that it picks positions of, 2 if there is none.
func indexBound(g *graph.Graph, input graph.NodeID) int64 {
	bound := int64(2)
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || op.Name != "gather" {
			continue
		}
		in := g.Operands(id)
		if in[1].Node != input {
			continue
		}
		d, _ := g.Attrs(id)[op.ParamIndex("axis")].Dim()
		axis, _ := d.Const()
		if n := int64(g.Sizes(in[0])[axis]); bound == 2 || n < bound {
			bound = n
		}
	}
	return bound
}

// draw is element i of an input: 53 random bits.
func draw(seed uint64, run int, in input, i int) uint64 {
	return fingerprint.Mix(model.Seed(seed+uint64(run), in.name)+uint64(i)) >> 11
}

// feed makes the inputs of a run for both models.
func feed[T any](ins []input, element func(in input, i int) T) (a, b []interp.Tensor[T]) {
	a, b = make([]interp.Tensor[T], len(ins)), make([]interp.Tensor[T], len(ins))
	for i, in := range ins {
		t := interp.Tensor[T]{Sizes: in.typ.Sizes, Data: make([]T, graph.NumElements(in.typ.Sizes))}
		for j := range t.Data {
			t.Data[j] = element(in, j)
		}
		a[i], b[in.place] = t, t
	}
	return a, b
}

// unit is a random number for a floating point input: a float32 in -1 to 1.
func unit(bits uint64) float64 {
	return float64(float32(int64(bits>>29))/(1<<23)) - 1
}

func exact(ctx context.Context, o Options, ins []input, res *Exact) error {
	switch work := max(o.A.FLOPs(), o.B.FLOPs()); {
	case o.NoExact:
		res.Verdict, res.Why = NotRun, "not asked for"
		return nil
	case work > o.MaxFLOPs:
		res.Verdict, res.Why = NotRun, fmt.Sprintf("%.3g FLOP are more than the limit of %.3g", float64(work), float64(o.MaxFLOPs))
		return nil
	}
	shared, err := sharedWeights(o.A, o.B)
	if err != nil {
		return notExact(ctx, res, o.A, err)
	}
	stage := o.Progress.Stage("exact", int64(o.Runs)*nodes(o))
	defer stage.Done()
	e := exactRun{o: o, ins: ins, step: func() { stage.Add(1) }}
	if shared {
		// Weights that are the same in both may be random numbers, too. What is
		// equal then is equal for all weights; what is not may be for these.
		e.anyWeights = true
		if err := e.compare(ctx, res); err != nil || res.Verdict == Equal {
			res.AnyWeights = res.Verdict == Equal
			return err
		}
		*res = Exact{}
		e.anyWeights = false
	}
	return e.compare(ctx, res)
}

// exactRun is an exact comparison.
type exactRun struct {
	o          Options
	ins        []input
	step       func()
	anyWeights bool
}

func (e *exactRun) compare(ctx context.Context, res *Exact) error {
	o := e.o
	res.Verdict = Equal
	for run := 0; run < o.Runs; run++ {
		functions := false
		f := naming{residues{fingerprint.Zp{Key: fingerprint.Mix(o.Seed + uint64(run))}, &functions}, map[string]bool{}}
		inA, inB := feed(e.ins, func(in input, i int) uint64 {
			return residue(draw(o.Seed, run, in, i), in)
		})
		outA, errA := evaluateWith(ctx, f, o.A, inA, e.step, e.weights(f.residues, o.A, run))
		if errA != nil {
			return notExact(ctx, res, o.A, errA)
		}
		outB, errB := evaluateWith(ctx, f, o.B, inB, e.step, e.weights(f.residues, o.B, run))
		if errB != nil {
			return notExact(ctx, res, o.B, errB)
		}
		for i := range outA {
			if slices.Equal(outA[i].Data, outB[i].Data) {
				continue
			}
			res.Output = outputName(o.A.Graph, i)
			res.Verdict, res.Why = Different, "only sums and products occur"
			if functions {
				res.Verdict, res.Why = Undecided, f.why()
			}
			return nil
		}
	}
	return nil
}

// weights loads those of a model or, with anyWeights, draws floating point ones
// by name.
func (e *exactRun) weights(f residues, m *model.Model, run int) func(graph.NodeID) (interp.Tensor[uint64], error) {
	return func(id graph.NodeID) (interp.Tensor[uint64], error) {
		typ := m.Graph.Type(id.Out(0))
		if !e.anyWeights || !typ.DType.IsFloat() {
			return loadWeight(f, m.Weights[id])
		}
		in := input{name: "weight " + m.Graph.Name(id), typ: typ}
		t := interp.Tensor[uint64]{Sizes: typ.Sizes, Data: make([]uint64, graph.NumElements(typ.Sizes))}
		for i := range t.Data {
			t.Data[i] = residue(draw(e.o.Seed, run, in, i), in)
		}
		return t, nil
	}
}

// residue is a random element of the field for a floating point input, and a
// position for one of integers.
func residue(bits uint64, in input) uint64 {
	if in.typ.DType.IsFloat() {
		return fingerprint.Mix(bits) % p
	}
	return bits % uint64(in.below)
}

// sharedWeights reports whether two models have the same weights, by name, and
// at least one.
func sharedWeights(a, b *model.Model) (bool, error) {
	if len(a.Weights) == 0 || len(a.Weights) != len(b.Weights) {
		return false, nil
	}
	for _, id := range a.Graph.Inputs() {
		if !a.Graph.IsWeight(id) {
			continue
		}
		other, ok := b.Graph.Find(a.Graph.Name(id))
		if !ok || !b.Graph.IsWeight(other) {
			return false, nil
		}
		v, w := a.Weights[id], b.Weights[other]
		if v == w {
			continue
		}
		if v.DType != w.DType || !slices.Equal(v.Sizes, w.Sizes) {
			return false, nil
		}
		x, err := v.Read()
		if err != nil {
			return false, fmt.Errorf("weight %s: %w", a.Graph.Name(id), err)
		}
		y, err := w.Read()
		if err != nil {
			return false, fmt.Errorf("weight %s: %w", a.Graph.Name(id), err)
		}
		if !bytes.Equal(x, y) {
			return false, nil
		}
	}
	return true, nil
}

// notExact turns an evaluation's error into a reason, but for a cancelled context.
func notExact(ctx context.Context, res *Exact, m *model.Model, err error) error {
	if ctx.Err() != nil {
		return err
	}
	res.Verdict, res.Why = NotRun, fmt.Sprintf("model %s: %v", m.Name, err)
	return nil
}

func nodes(o Options) int64 {
	return int64(side(o.A).Operators) + int64(side(o.B).Operators)
}

func outputName(g *graph.Graph, i int) string {
	t := g.Outputs()[i]
	if g.NumOut(t.Node) > 1 {
		return fmt.Sprintf("%s.%d", g.Name(t.Node), t.Out)
	}
	return g.Name(t.Node)
}

// compare enters the outputs of a run.
func (n *Numbers) compare(a, b []interp.Tensor[float64]) {
	for i := range n.Outputs {
		o := &n.Outputs[i]
		for j, x := range a[i].Data {
			y := b[i].Data[j]
			if x == y || math.IsNaN(x) && math.IsNaN(y) {
				if !math.IsInf(x, 0) && !math.IsNaN(x) {
					o.Largest = max(o.Largest, math.Abs(x))
				}
				continue
			}
			d := math.Abs(x - y)
			if math.IsNaN(d) || math.IsInf(d, 0) {
				o.NaNs++
				continue
			}
			o.Largest = max(o.Largest, math.Abs(x), math.Abs(y))
			if d > o.Absolute {
				o.Absolute, o.A, o.B, o.At = d, x, y, index(o.Sizes, j)
			}
		}
		if o.Absolute > 0 {
			o.Relative = o.Absolute / o.Largest
		}
	}
}

func index(sizes []int, flat int) []int {
	at := make([]int, len(sizes))
	for i := len(sizes) - 1; i >= 0; i-- {
		at[i], flat = flat%sizes[i], flat/sizes[i]
	}
	return at
}
