package verify

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// RefuteOptions bounds the search for a counterexample. The zero value is a
// good default.
type RefuteOptions struct {
	MaxSize  int    // largest size variable; 0: 3
	MaxRun   int    // most axes in an axis run; 0: 2, negative: none
	Bindings int    // most assignments of sizes, runs and attributes; 0: 4000
	Tries    int    // assignments of values for each of them; 0: 6
	Cells    int    // tensors with more elements are not tried; 0: 2048
	Seed     uint64 // of the random values; any value is good
}

func (o RefuteOptions) withDefaults() RefuteOptions {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.MaxSize, 3)
	set(&o.MaxRun, 2)
	set(&o.Bindings, 4000)
	set(&o.Tries, 6)
	set(&o.Cells, 2048)
	return o
}

// Refute looks for sizes, attributes and values for which the sides of l
// differ: in value, in shape, or in that only one is defined (for a law written
// =>, only the left one). It goes from small sizes to large ones, so that the
// first witness is of nearly smallest shape, and then makes the values plain.
// Arithmetic is exact. A nil witness without error means that none was found
// within the bounds, and proves nothing.
func Refute(ctx context.Context, l *law.Law, opts RefuteOptions) (*Witness, error) {
	opts = opts.withDefaults()
	choices, err := choicesOf(l, opts)
	if err != nil {
		return nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	h := fnv.New64a()
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		h.Write([]byte(t.String()))
	}
	rng := rand.New(rand.NewPCG(opts.Seed, h.Sum64()))
	var found *Witness
	n := 0
	byWeight(choices, func(pick []int) bool {
		if err = ctx.Err(); err != nil {
			return false
		}
		b := &assignment{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
			Attrs: map[string]graph.Value{}, fns: map[string]string{}, key: rng.Uint64()}
		for i, c := range choices {
			c.set(b, pick[i])
		}
		n++
		found = tryBinding(l, b, rng, opts)
		return found == nil && n < opts.Bindings
	})
	if err != nil {
		return nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	return found, nil
}

// assignment gives values to the variables of a law, tensors excepted. A
// function variable is an operator's name, or "" for a random function.
type assignment struct {
	Dims  map[string]graph.Dim
	Runs  map[string]graph.Shape
	Attrs map[string]graph.Value
	fns   map[string]string
	key   uint64 // of the random functions
}

func (a *assignment) binding() *graph.Binding {
	return &graph.Binding{Dims: a.Dims, Runs: a.Runs, Attrs: a.Attrs}
}

// choice is one variable with its possible values, plain ones first.
type choice struct {
	n   int
	set func(a *assignment, i int)
}

var attrChoices = map[string][]graph.Value{
	graph.SortStride: {graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(2, 1), graph.TupleValue(1, 3)},
	graph.SortPadding: {graph.NameValue(graph.Valid), graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower),
		graph.TupleValue(1, 1, 1, 1), graph.TupleValue(0, 1, 1, 0)},
	graph.SortSame:   {graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower)},
	graph.SortAct:    {graph.NameValue("none"), graph.NameValue("relu")},
	graph.SortBorder: {graph.NameValue("counted"), graph.NameValue("excluded")},
}

// choicesOf lists the variables of a law in order of name.
func choicesOf(l *law.Law, opts RefuteOptions) ([]choice, error) {
	sizes, runs := map[string]bool{}, map[string]bool{}
	atom := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			sizes[a.Name] = true
		case graph.AtomRun:
			runs[a.Name] = true
		}
	}
	var out []choice
	for _, b := range l.Given {
		b.Shape.Walk(atom)
		name := b.Name
		switch {
		case b.Sort == "":
		case law.IsFuncSort(b.Sort):
			fns := []string{"", "relu"}
			out = append(out, choice{len(fns), func(a *assignment, i int) { a.fns[name] = fns[i] }})
		default:
			vs := attrChoices[b.Sort]
			if vs == nil {
				return nil, fmt.Errorf("variable %s: no values of sort %s are known", name, b.Sort)
			}
			out = append(out, choice{len(vs), func(a *assignment, i int) { a.Attrs[name] = vs[i] }})
		}
	}
	for _, w := range l.Where {
		w.Left.Walk(atom)
		w.Right.Walk(atom)
		if w.Mod != nil {
			w.Mod.Walk(atom)
		}
	}
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				v.Walk(atom)
			}
		})
	}
	for _, name := range sorted(runs) {
		lens := [][]int{{}, {2}, {2, 1}, {3}, {2, 3, 2}}
		lens = slices.DeleteFunc(lens, func(s []int) bool { return len(s) > max(opts.MaxRun, 0) })
		out = append(out, choice{len(lens), func(a *assignment, i int) { a.Runs[name] = graph.Sizes(lens[i]...) }})
	}
	for _, name := range sorted(sizes) {
		out = append(out, choice{opts.MaxSize, func(a *assignment, i int) { a.Dims[name] = graph.Int(int64(i + 1)) }})
	}
	return out, nil
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// byWeight calls f for every way to pick one value of each choice, in order of
// the sum of the picks, until f returns false.
func byWeight(cs []choice, f func(pick []int) bool) {
	pick := make([]int, len(cs))
	most := 0
	for _, c := range cs {
		most += c.n - 1
	}
	var rec func(i, left, room int) bool
	rec = func(i, left, room int) bool {
		if left > room {
			return true
		}
		if i == len(cs) {
			return f(pick)
		}
		room -= cs[i].n - 1
		for v := 0; v < cs[i].n && v <= left; v++ {
			pick[i] = v
			if !rec(i+1, left-v, room) {
				return false
			}
		}
		return true
	}
	for w := 0; w <= most; w++ {
		if !rec(0, w, most) {
			return
		}
	}
}

// errSkip says that an assignment is outside the law's conditions or bounds.
var errSkip = errors.New("not tried")

// tryBinding looks for values under one assignment.
func tryBinding(l *law.Law, a *assignment, rng *rand.Rand, opts RefuteOptions) *Witness {
	p, w, err := compile(l, a, opts.Cells)
	if err != nil || w != nil {
		return w
	}
	cells := 0
	for _, in := range p.inputs {
		cells += graph.NumElements(in.sizes)
	}
	vals := make([]interp.Q, cells)
	fails := func() bool { return p.differ(vals) >= 0 }
	hit := false
	if cells <= 3 {
		hit = everyValue(vals, 0, fails)
	}
	for try := 0; try < opts.Tries && !hit; try++ {
		lo, n := int64(-1), 4
		if try >= opts.Tries*2/3 {
			lo, n = -9, 19
		}
		for i := range vals {
			vals[i] = interp.Q{Num: lo + int64(rng.IntN(n)), Den: 1}
		}
		hit = fails()
	}
	if !hit {
		return nil
	}
	simplify(vals, fails)
	return p.witness(vals)
}

// everyValue tries all assignments of -1, 0, 1, 2 to the cells from i on.
func everyValue(vals []interp.Q, i int, fails func() bool) bool {
	if i == len(vals) {
		return fails()
	}
	for _, v := range []int64{0, 1, -1, 2} {
		vals[i] = interp.Q{Num: v, Den: 1}
		if everyValue(vals, i+1, fails) {
			return true
		}
	}
	return false
}

// simplify makes cells 0, or else 1, as long as the sides still differ. The
// number of attempts is bounded, not the quality of the result.
func simplify(vals []interp.Q, fails func() bool) {
	budget := 400
	for i := range vals {
		for _, v := range []int64{0, 1, -1, 2} {
			old := vals[i]
			if old == (interp.Q{Num: v, Den: 1}) || budget == 0 {
				break
			}
			budget--
			vals[i] = interp.Q{Num: v, Den: 1}
			if fails() {
				break
			}
			vals[i] = old
		}
	}
}
