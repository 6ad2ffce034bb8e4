package taso

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/tasopb"
)

// The operators of FlexFlow's rules (Unger et al., Unity, OSDI 2022). A tensor there
// has a replica dimension in front, and each dimension is cut into parts for devices.
// The value of a tensor is what its parts make when they are put together:
//
//	partition, combine   leave it as it is; they want a size that can be cut so
//	replicate            puts copies of it side by side in a dimension
//	reduce               adds the parts of a dimension
//	linear               x [r, b, i] times a weight [r, o, i] is [r, b, o]
//
// Each is written with the operators that make the parts and put them together, so
// that the parts are there to be seen.

// Replica0 is the Reading.Linear under which linear takes the first replica of both
// its operands, whatever the others hold, and makes one.
const Replica0 = "replica 0"

// Parallel reports whether a rule has operators whose meaning depends on what is
// read into FlexFlow's rules.
func Parallel(r *tasopb.Rule) bool {
	for _, ops := range [][]tasopb.Operator{r.SrcOps, r.DstOps} {
		for i := range ops {
			if ty := ops[i].Type; ty.Parallel() || ty == tasopb.OpLinear {
				return true
			}
		}
	}
	return false
}

// named applies an operator of graph/op; the seams of the result are left to the caller.
func (t *translator) named(name string, attrs graph.Attrs, in ...tensor) (tensor, error) {
	op, ok := graph.Lookup(name)
	if !ok {
		return tensor{}, fmt.Errorf("%w: operator %s", ErrUnsupported, name)
	}
	bare := make([]tensor, len(in))
	for i, x := range in {
		bare[i] = tensor{term: x.term, shape: x.shape, void: x.void}
	}
	out, err := t.node(op, attrs, bare)
	if err != nil {
		return tensor{}, err
	}
	return out[0], nil
}

// degree is the number of parts that a rule says, or a variable for it.
func (t *translator) degree(k int64) graph.Value {
	if !t.reading.AnyDegree {
		return graph.IntValue(k)
	}
	name, ok := t.degrees[k]
	if !ok {
		name = "g"
		if n := len(t.degrees); n > 0 {
			name = fmt.Sprintf("g%d", n+1)
		}
		t.degrees[k] = name
	}
	return graph.DimValue(graph.Var(name))
}

// freeDegrees requires that a solution leaves degrees free: a law in which one is a
// number, or the size of an axis, is not about any degree.
func (t *translator) freeDegrees(sol *graph.Substitution) error {
	for _, name := range t.degrees {
		g := graph.Var(name)
		if g.Subst(sol) != g {
			return fmt.Errorf("%w: only with degree %s = %s", ErrTyping, name, g.Subst(sol))
		}
		for _, s := range t.vars {
			for _, it := range t.facts.NormShape(s) {
				if it.AxisRun == "" && it.Dim == g {
					return fmt.Errorf("%w: only with degree %s the size of an axis", ErrTyping, name)
				}
			}
		}
	}
	return nil
}

// severalParts are the conditions of degrees: one part is no parallelism.
func (t *translator) severalParts() []law.Pred {
	var out []law.Pred
	for _, name := range slices.Sorted(maps.Values(t.degrees)) {
		out = append(out, law.Pred{Left: graph.Int(2), Rel: "<=", Right: graph.Var(name)})
	}
	return out
}

// layout translates one of FlexFlow's four operators.
func (t *translator) layout(o *tasopb.Operator, in []tensor) ([]tensor, error) {
	p := &params{o: o}
	dim, k := p.get(tasopb.ParamParallelDim), p.get(tasopb.ParamParallelDegree)
	if p.err != nil {
		return nil, p.err
	}
	x, axis, on := in[0], graph.Attrs{graph.IntValue(dim)}, t.degree(k)
	parts := func() (tensor, error) { return t.named("partition", graph.Attrs{axis[0], on}, x) }
	if o.Type == tasopb.OpReplicate {
		parts = func() (tensor, error) { return t.named("replicate", graph.Attrs{on}, x) }
	}
	family, err := parts()
	if err != nil {
		return nil, err
	}
	together, attrs := "combine", axis
	if o.Type == tasopb.OpReduce {
		together, attrs = "reduce", nil
	}
	out, err := t.named(together, attrs, family)
	if err != nil {
		return nil, err
	}
	// A cut that the value keeps is still known; one along a dimension whose size
	// changes is forgotten.
	out.seams = append([]*seam(nil), x.seams...)
	if dim < int64(len(out.seams)) && (o.Type == tasopb.OpReplicate || o.Type == tasopb.OpReduce) {
		out.seams[dim] = nil
	}
	return []tensor{out}, nil
}

// linear translates x times a weight; its activation is an operator of its own.
func (t *translator) linear(o *tasopb.Operator, in []tensor) ([]tensor, error) {
	if len(in) != 2 {
		return nil, fmt.Errorf("%w: linear with a bias", ErrUnsupported)
	}
	p := &params{o: o}
	x, w := in[0], in[1]
	var err error
	switch t.reading.Linear {
	case "":
	case Replica0:
		first := graph.Attrs{graph.IntValue(0), graph.IntValue(0), graph.IntValue(1)}
		for _, y := range []*tensor{&x, &w} {
			seams := y.seams
			if *y, err = t.named("slice", first, *y); err != nil {
				return nil, err
			}
			y.seams = append([]*seam{nil}, seams[min(1, len(seams)):]...)
		}
	default:
		return nil, fmt.Errorf("%w: reading of linear %q: want %q or nothing", ErrInvalid, t.reading.Linear, Replica0)
	}
	joined := func(y tensor, dim int) *seam {
		if dim < len(y.seams) {
			return y.seams[dim]
		}
		return nil // it has no shape
	}
	seams := []*seam{meet(joined(x, 0), joined(w, 0)), joined(x, 1), joined(w, 1)}
	if w, err = t.named("transpose", graph.Attrs{graph.TupleValue(0, 2, 1)}, w); err != nil {
		return nil, err
	}
	y, err := t.named("matmul", nil, x, w)
	if err != nil {
		return nil, err
	}
	if p.has(tasopb.ParamActi) {
		act, err := activation(p)
		if err != nil {
			return nil, err
		}
		if fn, _ := act.Name(); fn != "none" {
			if y, err = t.named(fn, nil, y); err != nil {
				return nil, err
			}
		}
	}
	y.seams = seams
	return []tensor{y}, nil
}
