package axiomcheck

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// sample is a small term of concrete shape with its values on random inputs.
type sample struct {
	term     *law.Term
	sizes    []int
	data     [][]interp.Q // one for each round of inputs
	constant bool
}

// Bounds of the samples.
const (
	sampleTerms  = 4  // of each operator with operands; beside the leaves
	sampleCells  = 64 // elements of one
	sampleOps    = 3  // operators of one
	sampleRounds = 3  // sets of random inputs
	sampleTries  = 120_000
	// sampleConstants is how often a constant of each operator is drawn.
	sampleConstants = 12
)

// leafShapes are the shapes of the variables, two of each.
var leafShapes = [][]int{{}, {2}, {2, 2}, {1, 2, 3, 3}, {2, 2, 1, 1}, {2, 1, 3, 3}}

// sampling makes samples; what it makes is always the same.
type sampling struct {
	rng   *rand.Rand
	given []law.Declaration
	all   []*sample
	nodes law.Nodes
	seen  map[int]bool // by nodes
}

// newSamples makes variables, all constants of a few small shapes, and random
// terms over them in which every operator occurs that has exact values.
func newSamples() *sampling {
	s := &sampling{rng: rand.New(rand.NewPCG(1, 2)), seen: map[int]bool{}}
	for i, sizes := range leafShapes {
		for j := range 2 {
			name := fmt.Sprintf("%c%d", 'A'+j, i)
			s.given = append(s.given, law.Declaration{Name: name, Shape: graph.Sizes(sizes...)})
			x := &sample{term: law.V(name), sizes: sizes}
			for range sampleRounds {
				data := make([]interp.Q, graph.NumElements(sizes))
				for k := range data {
					data[k] = interp.Q{Num: s.rng.Int64N(7) - 3, Den: 1}
				}
				x.data = append(x.data, data)
			}
			s.all = append(s.all, x)
			s.seen[s.nodes.Of(x.term)] = true
		}
	}
	var ops []*graph.Op
	for _, op := range graph.Ops() {
		switch {
		case op.Entry == nil && op.Expand == nil:
		case op.In == 0:
			for range sampleConstants {
				s.apply(op)
			}
		default:
			ops = append(ops, op)
		}
	}
	// As many of each, so that those which hardly anything fits are not left out.
	made := map[*graph.Op]int{}
	for try := range sampleTries {
		if op := ops[try%len(ops)]; made[op] < sampleTerms && s.apply(op) {
			made[op]++
		}
	}
	return s
}

// apply tries an operator with random attributes on random samples.
func (s *sampling) apply(op *graph.Op) bool {
	attrs := make(graph.Attrs, len(op.Params))
	for i, p := range op.Params {
		attrs[i] = s.value(p)
	}
	x := &sample{constant: true}
	args := make([]*law.Term, op.In)
	from := make([]*sample, op.In)
	for i := range from {
		from[i] = s.all[s.rng.IntN(len(s.all))]
		if from[i].constant && s.rng.IntN(3) > 0 {
			from[i] = s.all[s.rng.IntN(2*len(leafShapes))]
		}
		args[i] = from[i].term
		x.constant = x.constant && from[i].constant
	}
	x.term = law.Apply(op, attrs, args...).Output(s.rng.IntN(op.Out))
	key := s.nodes.Of(x.term)
	if s.seen[key] || law.Size(x.term) > sampleOps {
		return false
	}
	for round := range sampleRounds {
		in := make([]interp.Tensor[interp.Q], len(from))
		for i, f := range from {
			in[i] = interp.Tensor[interp.Q]{Sizes: f.sizes, Data: f.data[round]}
		}
		out, err := interp.Apply(interp.Rational{}, op, attrs, in)
		if err != nil || len(out[x.term.Out].Data) > sampleCells {
			return false
		}
		if slices.ContainsFunc(out, func(t interp.Tensor[interp.Q]) bool { return slices.Contains(t.Sizes, 0) }) {
			return false // laws are about sizes of at least 1
		}
		x.sizes = out[x.term.Out].Sizes
		for _, q := range out[x.term.Out].Data {
			if q.IsBad() {
				return false
			}
		}
		x.data = append(x.data, out[x.term.Out].Data)
	}
	s.seen[key] = true
	s.all = append(s.all, x)
	return true
}

// value draws an attribute value by its sort.
func (s *sampling) value(p graph.Param) graph.Value {
	pick := func(vs ...graph.Value) graph.Value { return vs[s.rng.IntN(len(vs))] }
	switch p.Sort {
	case graph.SortStride:
		return pick(graph.TupleValue(1, 1), graph.TupleValue(1, 1), graph.TupleValue(2, 2))
	case graph.SortPadding:
		return pick(graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower), graph.NameValue(graph.Valid))
	case graph.SortAct:
		return pick(graph.NameValue("none"), graph.NameValue("none"), graph.NameValue("relu"))
	case graph.SortBorder:
		return pick(graph.NameValue("counted"), graph.NameValue("excluded"))
	case "axis":
		return graph.IntValue(s.rng.Int64N(4))
	case "perm":
		return pick(graph.TupleValue(1, 0), graph.TupleValue(1, 0, 2, 3), graph.TupleValue(0, 1, 3, 2))
	case "shape":
		return graph.ShapeValue(graph.Sizes(leafShapes[s.rng.IntN(len(leafShapes))]...))
	case "tuple":
		return pick(graph.TupleValue(0), graph.TupleValue(1), graph.TupleValue(0, 1), graph.TupleValue(2, 3), graph.TupleValue(1, 2),
			graph.TupleValue(0, 0), graph.TupleValue(3, 2), graph.TupleValue(0, 1, 1, 0), graph.TupleValue(1, 0, 0, 1), graph.TupleValue(1, 2, 2, 2))
	case graph.SortNumber:
		return pick(graph.NumberValue(0), graph.NumberValue(0.5), graph.NumberValue(-1), graph.NumberValue(2))
	case graph.SortDType:
		all := graph.DTypes()
		return graph.NameValue(all[s.rng.IntN(len(all))].String())
	case "name":
		return graph.NameValue(p.Names[s.rng.IntN(len(p.Names))])
	case "flag":
		return graph.IntValue(s.rng.Int64N(2))
	}
	return graph.IntValue(s.rng.Int64N(4))
}

// same reports equal shape and values.
func (x *sample) same(y *sample) bool {
	if !x.fits(y) {
		return false
	}
	for i := range x.data {
		for k := range x.data[i] {
			if x.data[i][k] != y.data[i][k] {
				return false
			}
		}
	}
	return true
}

// fits reports equal shapes.
func (x *sample) fits(y *sample) bool {
	return graph.Sizes(x.sizes...).Equal(graph.Sizes(y.sizes...))
}
