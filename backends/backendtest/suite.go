package backendtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op" // operators are registered there
	"github.com/taso-go/taso/model"
)

// Tolerance is the deviation from the reference that is taken for rounding in
// float32: absolute, and relative to the value. Results of narrower types are rounded
// once more, by [backends.Rounding].
const Tolerance = 2e-5

// Case is one thing that a backend must do.
type Case struct {
	Name string
	// Graph is what it runs, and Ops the operators in there, by name, each once;
	// nil for a case that is about the backend as such.
	Graph *graph.Graph
	Ops   []string // and of its element types other than float32
	// Check says how the backend fails; a *backends.Unsupported of
	// Backend.Supports, if the case has operators that the backend lacks.
	Check func(ctx context.Context, b backends.Backend) error
}

// Cases are all cases of the suite, in a fixed order.
func Cases() ([]Case, error) { return CasesWithin(Tolerance) }

// CasesWithin are the cases with another tolerance for the results of graphs: for
// backends that round operands, see [backends.Info].Math.
func CasesWithin(tolerance float64) ([]Case, error) {
	var cs []Case
	for _, c := range slices.Concat(operators, emptyOperators) {
		for _, v := range c.graphs() {
			one, err := caseOf("operators/"+c.name()+v.name, v.text, v.opt, tolerance)
			if err != nil {
				return nil, err
			}
			cs = append(cs, one)
		}
	}
	for _, c := range slices.Concat(graphs, emptyGraphs) {
		some, err := casesOf("graphs/"+c.name, c.text, tolerance, fused, alone, kept)
		if err != nil {
			return nil, err
		}
		cs = append(cs, some...)
	}
	return append(cs, behaviour()...), nil
}

// fused, alone and kept are how a graph is compiled: as it is by itself, an operator a
// kernel, and with all tensors in places of their own.
var fused, alone, kept = backends.CompileOptions{}, backends.CompileOptions{NoFuse: true}, backends.CompileOptions{KeepAll: true}

// casesOf are a graph compared with the reference, compiled in each of these ways.
func casesOf(name, text string, tolerance float64, ways ...backends.CompileOptions) ([]Case, error) {
	var cs []Case
	for _, opt := range ways {
		of := name
		switch opt {
		case alone:
			of += " (alone)"
		case kept:
			of += " (kept)"
		}
		c, err := caseOf(of, text, opt, tolerance)
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

// caseOf is a graph compared with the reference.
func caseOf(name, text string, opt backends.CompileOptions, tolerance float64) (Case, error) {
	g, err := graph.ParseText("case", text)
	if err != nil {
		return Case{}, fmt.Errorf("case %s: %w in:\n%s", name, err, text)
	}
	return Case{Name: name, Graph: g, Ops: append(opsOf(g), typesOf(g)...), Check: func(ctx context.Context, b backends.Backend) error {
		for id := range g.Nodes() {
			if err := b.Supports(g, id); err != nil {
				return err
			}
		}
		if err := agree(ctx, b, g, opt, tolerance); err != nil {
			return fmt.Errorf("%w in:\n%s", err, g)
		}
		return nil
	}}, nil
}

// opsOf are the names of a graph's operators, sorted.
func opsOf(g *graph.Graph) []string {
	var names []string
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil {
			names = append(names, op.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Run runs the suite on b. A case that b says it does not support is a failure,
// unless it has one of the operators, or element types, that b may lack.
func Run(t *testing.T, b backends.Backend, mayLack ...string) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	types, err := Types()
	if err != nil {
		t.Fatal(err)
	}
	cases = append(cases, types...)
	for _, name := range mayLack {
		_, ok := graph.Lookup(name)
		if _, err := graph.ParseDType(name); err != nil && !ok {
			t.Errorf("operator %s, which the backend may lack, does not exist", name)
		}
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			err := c.Check(t.Context(), b)
			var un *backends.Unsupported
			switch {
			case errors.As(err, &un) && slices.ContainsFunc(c.Ops, func(op string) bool { return slices.Contains(mayLack, op) }):
				t.Skip(err)
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// specials are the numbers of an input whose name begins with "spec".
var specials = []float32{0, 1, float32(math.Inf(1)), -2.5, float32(math.NaN()), 1e-40, float32(math.Inf(-1)), 3e38, -1e-3, -88, 7}

// values are the numbers for all inputs of a graph, weights included. Those of
// float32 are in -1 to 1, or, by the beginning of the name, in 0.5 to 1.5
// (pos), in 1.25 to 3.25 (over), some of them minus infinity (mask), or special ones
// (spec). Those of
// integers count through 0, 1, 2, as far as the name says: "idx3", if it begins with "z"
// through -1, 0, 1, 2 and so on, and without a digit through odd numbers beyond 32
// bits, or what the type holds of them. Truth values come and go.
func values(g *graph.Graph) (all []interp.Tensor[float64], feed []backends.Tensor, weights map[graph.NodeID]*model.Weight, err error) {
	weights = map[graph.NodeID]*model.Weight{}
	for i, id := range g.Inputs() {
		typ := g.Type(id.Out(0))
		x, err := backends.Random(uint64(i)+1, typ)
		if err != nil {
			return nil, nil, nil, err
		}
		name := g.Name(id)
		if typ.DType.IsFloat() {
			ref := x.Float64s()
			for k := range ref {
				switch {
				case strings.HasPrefix(name, "pos"):
					ref[k] = 1 + ref[k]/2
				case strings.HasPrefix(name, "over"):
					ref[k] = 2.25 + ref[k]
				case strings.HasPrefix(name, "mask") && k%5 == 2:
					ref[k] = math.Inf(-1)
				case strings.HasPrefix(name, "spec"):
					ref[k] = float64(specials[(k+k/len(specials))%len(specials)])
				}
			}
			if x, err = backends.Numbers(typ, ref); err != nil {
				return nil, nil, nil, err
			}
		}
		for k := range x.I64 {
			v := int64(k)*1_000_003 + 1<<33
			switch n := int64(name[len(name)-1]) - '0'; {
			case typ.DType == graph.Bool:
				v = int64(k*k%5) & 1
			case n > 0 && n < 10 && name[0] == 'z':
				v = int64(k)%n - 1
			case n > 0 && n < 10:
				v = int64(k) % n
			}
			x.I64[k] = model.Wrap(typ.DType, v)
		}
		all = append(all, interp.Tensor[float64]{Sizes: typ.Sizes, Data: x.Float64s()})
		if g.IsWeight(id) {
			weights[id] = model.FromBytes(typ.DType, typ.Sizes, x.Bytes())
		} else {
			feed = append(feed, x)
		}
	}
	return all, feed, weights, nil
}

// Agree compiles and runs a graph on random numbers and compares the outputs
// with the interpreter's. It runs the plan three times, the second time on
// other numbers, and wants the first results again, bit by bit; neither the
// inputs nor results handed out before may change meanwhile.
func Agree(ctx context.Context, b backends.Backend, g *graph.Graph, opt backends.CompileOptions) error {
	return agree(ctx, b, g, opt, Tolerance)
}

func agree(ctx context.Context, b backends.Backend, g *graph.Graph, opt backends.CompileOptions, tolerance float64) (err error) {
	all, feed, weights, err := values(g)
	if err != nil {
		return err
	}
	want, err := interp.EvalGraph(ctx, interp.Float{}, g, all)
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	p, err := b.Compile(ctx, &model.Model{Name: "case", Graph: g, Weights: weights}, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	given := clone(feed)
	first, err := p.Run(ctx, feed)
	if err != nil {
		return err
	}
	if err := compare(g, first, want, tolerance); err != nil {
		return err
	}
	if err := same("input", feed, given, "before the run", "after it"); err != nil {
		return err
	}
	kept := clone(first)
	other := clone(feed)
	for _, x := range other {
		slices.Reverse(x.F32)
		for k := range x.F32 {
			x.F32[k] = 0.25 + x.F32[k]/2
		}
	}
	if _, err := p.Run(ctx, other); err != nil {
		return err
	}
	if err := same("output", first, kept, "after the first run", "after the second"); err != nil {
		return err
	}
	again, err := p.Run(ctx, feed)
	if err != nil {
		return err
	}
	return same("output", again, kept, "in the first run", "in the third")
}

// clone copies tensors.
func clone(xs []backends.Tensor) []backends.Tensor {
	out := make([]backends.Tensor, len(xs))
	for i, x := range xs {
		out[i] = x.Clone()
	}
	return out
}

// same reports the first bit in which tensors differ from what they were.
func same(what string, now, before []backends.Tensor, then, at string) error {
	for i := range before {
		for k, x := range before[i].F32 {
			if y := now[i].F32[k]; math.Float32bits(x) != math.Float32bits(y) {
				return fmt.Errorf("%s %d, element %d: %v %s, %v %s", what, i, k, x, then, y, at)
			}
		}
		for k, x := range before[i].F64 {
			if y := now[i].F64[k]; math.Float64bits(x) != math.Float64bits(y) {
				return fmt.Errorf("%s %d, element %d: %v %s, %v %s", what, i, k, x, then, y, at)
			}
		}
		for k, x := range before[i].I64 {
			if y := now[i].I64[k]; x != y {
				return fmt.Errorf("%s %d, element %d: %v %s, %v %s", what, i, k, x, then, y, at)
			}
		}
	}
	return nil
}

// compare reports the first element that deviates.
func compare(g *graph.Graph, got []backends.Tensor, want []interp.Tensor[float64], tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if err := got[i].Check(g.Type(g.Outputs()[i])); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		for k, w := range want[i].Data {
			v, t := got[i].Number(k), got[i].DType
			if got[i].F32 != nil {
				if x := model.Round(t, w); math.IsInf(x, 0) || t == graph.Float32 && math.Abs(w) > math.MaxFloat32 {
					w = x // an infinity
				}
			}
			within := tolerance
			if t != graph.Float32 && t != graph.Float64 {
				within += 2 * backends.Rounding(t)
			}
			if !t.IsFloat() {
				within = 0
			}
			if math.IsNaN(w) && math.IsNaN(v) || v == w {
				continue
			}
			// An infinite bound would let everything pass.
			if d := math.Abs(v - w); math.IsInf(w, 0) || !(d <= within*(1+math.Abs(w))) {
				return fmt.Errorf("output %d, element %d of %v: got %v, want %v", i, k, got[i].Sizes, v, w)
			}
		}
	}
	return nil
}
