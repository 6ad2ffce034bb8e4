package verifymodels

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// Options configure a comparison. The zero value, with A and B, compares
// exactly and in float64, once.
type Options struct {
	A, B *model.Model
	// Backend runs the models in their types, or wider ones; nil means float64 by the reference
	// evaluator, which is slower (about one multiply-accumulate a nanosecond)
	// and shows no rounding of its own.
	Backend backends.Backend
	// Runs is the number of sets of random inputs; 0 means 1.
	Runs int
	// Seed decides the random inputs.
	Seed uint64
	// Tolerance is the relative deviation that still agrees; 0 means, for each output, that
	// of [backends.OutputTolerance].
	Tolerance float64
	// MaxFLOPs leaves out the exact comparison, and that by the reference
	// evaluator, of models with more work in one run; 0 means 5e10, a minute or
	// two.
	MaxFLOPs int64
	// NoExact and NoNumbers leave out one of the comparisons.
	NoExact, NoNumbers bool
	// NoSearch leaves out the search for inputs that reach what random ones do not, and what
	// was not reached does not count.
	NoSearch bool
	// Expect, if it is given, is told before the work how long it takes: about least if
	// the models are soon found to be equal, up to most if all is tried. It is not called
	// for models that are equal by structure, which takes no time to see.
	Expect func(least, most time.Duration)
	// Progress shows the nodes done; nil shows nothing.
	Progress *progress.Reporter
	// tail: the models are what follows the nodes that two other models both have.
	tail bool
}

// Mismatch is the error of models that are not the same because their inputs or
// outputs do not correspond: they have other numbers of them, or other types.
type Mismatch struct{ Err error }

func (m *Mismatch) Error() string { return m.Err.Error() }

// Unwrap is what does not correspond.
func (m *Mismatch) Unwrap() error { return m.Err }

// Run compares two models. It is an error if they cannot be compared: a model
// that is not valid, inputs or outputs that do not correspond ([Mismatch]), or a
// failure of the backend. A model that the exact arithmetic cannot evaluate is none: the
// report says so.
func Run(ctx context.Context, o Options) (*Report, error) {
	o = o.withDefaults()
	if o.A == nil || o.B == nil {
		return nil, errors.New("verify models: two models are needed")
	}
	if err := errors.Join(o.A.Validate(), o.B.Validate()); err != nil {
		return nil, fmt.Errorf("verify models: %w", err)
	}
	compare := o.compare
	if o.A.Graph.Sizing() != nil || o.B.Graph.Sizing() != nil {
		compare = o.compareSizes
	}
	r, err := compare(ctx)
	if err != nil {
		return nil, fmt.Errorf("verify models %s and %s: %w", o.A.Name, o.B.Name, err)
	}
	return r, nil
}

// compare makes the comparisons of two models that are valid.
func (o Options) compare(ctx context.Context) (*Report, error) {
	ins, err := pair(o.A, o.B)
	if err != nil {
		return nil, &Mismatch{err}
	}
	outs, err := pairOutputs(o.A, o.B)
	if err != nil {
		return nil, &Mismatch{err}
	}
	c, err := relate(o.A, o.B, ins, outs)
	if err != nil {
		return nil, err
	}
	if c.jumps = jumps(o.A) || jumps(o.B); c.jumps {
		if c.constants, err = constants(o.A, o.B); err != nil {
			return nil, err
		}
	}
	if c.compared, err = compared(o.A, o.B); err != nil {
		return nil, err
	}
	r := &Report{A: side(o.A), B: side(o.B), Seed: o.Seed, Runs: o.Runs, Notes: c.notes()}
	if o.Expect != nil && (o.NoExact || !c.proved()) {
		o.Expect(o.expect(c))
	}
	if err := exact(ctx, o, c, &r.Exact); err != nil {
		return nil, err
	}
	if !o.NoExact {
		r.Weights, r.unclear = c.differing(), c.unclear()
	}
	equal := r.Exact.Verdict == Equal
	// Where all inputs can be tried, they are, whatever is known.
	all := !r.Exact.Structure && c.allFinite(o)
	if r.Unreached, err = numbers(ctx, o, c, (!equal || all) && !r.weightsDecide(), &r.Numbers); err != nil {
		return nil, err
	}
	r.Exhaustive = all && r.Numbers.exhausted
	if equal && !r.Exact.Structure && !o.NoNumbers && r.Numbers.Why != "" {
		partial, err := c.partial()
		if err != nil {
			return nil, err
		}
		if partial {
			r.Unreached = append(r.Unreached, "where functions have no value: "+r.Numbers.Why)
		}
	}
	if !r.Exact.Structure {
		list, err := c.narrow(!equal && !o.NoExact)
		if err != nil {
			return nil, err
		}
		r.Unreached = append(r.Unreached, list...)
	}
	r.Notes = append(r.Notes, r.Numbers.beyond...)
	r.Runs = max(r.Runs, r.Numbers.Runs)
	r.conclude()
	if r.Verdict == NotKnown && !o.tail && once(o) <= o.MaxFLOPs/1000 {
		if err := o.compareTails(ctx, c, r); err != nil {
			return nil, err
		}
	}
	if r.Assumptions, err = r.assumptions(c); err != nil {
		return nil, err
	}
	r.State()
	return r, nil
}

func (o Options) withDefaults() Options {
	if o.Runs <= 0 {
		o.Runs = 1
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
	number int
	name   string
	typ    graph.TensorType
	place  int   // in B
	below  int64 // of an input from which positions are computed: those are 0 to below-1
	rows   int64 // if not 0: its elements are positions, -rows to rows-1
	index  bool  // it is one or the other
	// computed: positions along an axis are computed from them, and none of them is one
	computed bool
	divides  bool // integers are divided by its elements
}

// pair finds the inputs that correspond, and checks the outputs.
func pair(a, b *model.Model) ([]input, error) {
	ia, ib := a.Inputs(), b.Inputs()
	if len(ia) != len(ib) {
		return nil, fmt.Errorf("the models have %d and %d inputs", len(ia), len(ib))
	}
	fa, fb := feed.Inputs(a.Graph), feed.Inputs(b.Graph)
	places := feed.Pair(fa, fb)
	ins := make([]input, len(ia))
	for i, in := range fa {
		partner := fb[places[i]]
		if !sameType(in.Type, partner.Type) || !a.Graph.Shape(ia[i].Out(0)).Equal(b.Graph.Shape(ib[places[i]].Out(0))) {
			return nil, fmt.Errorf("input %s is %s, input %s of the other is %s", in.Name, typeText(a.Graph, ia[i].Out(0)), partner.Name, typeText(b.Graph, ib[places[i]].Out(0)))
		}
		both := in.Both(partner)
		ins[i] = input{number: i, name: in.Name, typ: in.Type, place: places[i], below: both.Below, rows: both.Rows,
			index: both.Positions || both.Rows > 0, computed: both.Positions && both.Rows == 0, divides: both.Divides}
	}
	return ins, nil
}

// typeText is the element type and the shape of a tensor, with the names of dynamic sizes.
func typeText(g *graph.Graph, t graph.Tensor) string {
	return g.DType(t).String() + g.Shape(t).String()
}

// pairOutputs finds the outputs of B that those of A correspond to: by name if
// both have the same names, by place otherwise. Outputs of a node with several have no names
// of their own here: then, too, it is by place.
func pairOutputs(a, b *model.Model) ([]int, error) {
	oa, ob := a.Graph.Outputs(), b.Graph.Outputs()
	if len(oa) != len(ob) {
		return nil, fmt.Errorf("the models have %d and %d outputs", len(oa), len(ob))
	}
	place := map[string]int{}
	for i := range ob {
		place[outputName(b.Graph, i)] = i
	}
	outs, byName := make([]int, len(oa)), len(place) == len(ob)
	for i := range oa {
		byName = byName && a.Graph.NumOut(oa[i].Node) == 1 && b.Graph.NumOut(ob[i].Node) == 1
	}
	used := map[int]bool{}
	for i := range oa {
		j, ok := place[outputName(a.Graph, i)]
		byName = byName && ok && !used[j]
		outs[i], used[j] = j, true
	}
	for i := range oa {
		if !byName {
			outs[i] = i
		}
		ta, tb := a.Graph.Type(oa[i]), b.Graph.Type(ob[outs[i]])
		if !sameType(ta, tb) {
			return nil, fmt.Errorf("output %d is %s in one model and %s in the other", i, typeText(a.Graph, oa[i]), typeText(b.Graph, ob[outs[i]]))
		}
	}
	return outs, nil
}

// draw is element i of an input: 53 random bits.
func draw(seed uint64, run int, in input, i int) uint64 {
	return fingerprint.Mix(model.Seed(seed+uint64(run), in.name)+uint64(i)) >> 11
}

// fill makes the inputs of a run for both models.
func fill[T any](ins []input, element func(in input, i int) T) (a, b []interp.Tensor[T]) {
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

func index(sizes []int, flat int) []int {
	at := make([]int, len(sizes))
	for i := len(sizes) - 1; i >= 0; i-- {
		at[i], flat = flat%sizes[i], flat/sizes[i]
	}
	return at
}
