package refute

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Witness is a counterexample to a law. Everything in it is text, so that it
// is its own JSON form; numbers are written as 3 or -1/2, or "about 0.761594156"
// where they are known by bounds, values in row-major order.
type Witness struct {
	Law  string `json:"law"`
	Kind string `json:"kind"` // "values", "shape", or "defined": only one side is
	// What stands for the variables. A function is an operator's name, or a
	// table of the values it was asked for.
	Dims  map[string]int64    `json:"dims,omitempty"`
	Runs  map[string][]int    `json:"runs,omitempty"`
	Attrs map[string]string   `json:"attrs,omitempty"`
	Fns   map[string]Function `json:"fns,omitempty"`
	// Inputs are the tensors given.
	Inputs []Tensor `json:"inputs"`
	// Output and Cell say where the sides differ first, Left and Right how.
	Output int    `json:"output"`
	Cell   []int  `json:"cell,omitempty"`
	Left   string `json:"left"`
	Right  string `json:"right"`
	// LeftSteps and RightSteps are the intermediate tensors of the sides, the
	// side's outputs last.
	LeftSteps  []Tensor `json:"left_steps,omitempty"`
	RightSteps []Tensor `json:"right_steps,omitempty"`
}

// Function stands for a function variable.
type Function struct {
	Op    string            `json:"op,omitempty"`
	Table map[string]string `json:"table,omitempty"`
}

// Tensor is a tensor of a witness: its term, shape and values. A long one has
// Entries instead of Values: the elements that are not 0, by index, such as
// "0 17". Of a tensor that is not given More counts those that are left out.
type Tensor struct {
	Term    string            `json:"term"`
	Shape   []int             `json:"shape"`
	Values  []string          `json:"values,omitempty"`
	Entries map[string]string `json:"entries,omitempty"`
	More    int               `json:"more,omitempty"`
}

const (
	longTensor  = 2048 // elements, from which on Entries are listed
	mostEntries = 16   // of a tensor that is not given
)

// fill notes values; all of them where most is 0.
func (t *Tensor) fill(qs []interp.Bound, most int) {
	if len(qs) <= longTensor {
		t.Values = formatAll(qs)
		return
	}
	t.Entries = map[string]string{}
	for i, q := range qs {
		switch {
		case q.Q == interp.Q{Den: 1}:
		case most > 0 && len(t.Entries) == most:
			t.More++
		default:
			t.Entries[strings.Trim(fmt.Sprint(instance.Place(t.Shape, i)), "[]")] = formatBound(q)
		}
	}
}

// values reads what fill noted, given the shape.
func (t *Tensor) values(sizes []int) ([]interp.Q, error) {
	n := graph.NumElements(sizes)
	if n <= longTensor {
		if len(t.Values) != n {
			return nil, fmt.Errorf("no values of shape %v", sizes)
		}
		out := make([]interp.Q, n)
		for i, s := range t.Values {
			var err error
			if out[i], err = parseQ(s); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if t.Values != nil || t.More != 0 {
		return nil, fmt.Errorf("values of shape %v are to be entries", sizes)
	}
	out := slices.Repeat([]interp.Q{{Den: 1}}, n)
	for _, k := range slices.Sorted(maps.Keys(t.Entries)) {
		at := strings.Fields(k)
		if len(at) != len(sizes) {
			return nil, fmt.Errorf("entry %q: want %d indices", k, len(sizes))
		}
		flat := 0
		for i, s := range at {
			x, err := strconv.Atoi(s)
			if err != nil || x < 0 || x >= sizes[i] {
				return nil, fmt.Errorf("entry %q is not in shape %v", k, sizes)
			}
			flat = flat*sizes[i] + x
		}
		var err error
		if out[flat], err = parseQ(t.Entries[k]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func formatQ(q interp.Q) string {
	switch q.Den {
	case 0:
		return "overflow"
	case 1:
		return strconv.FormatInt(q.Num, 10)
	}
	return fmt.Sprintf("%d/%d", q.Num, q.Den)
}

func parseQ(s string) (interp.Q, error) {
	num, den, frac := strings.Cut(s, "/")
	if !frac {
		den = "1"
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil {
		return interp.Bad, fmt.Errorf("number %q: %w", s, err)
	}
	d, err := strconv.ParseInt(den, 10, 64)
	if err != nil || d < 1 {
		return interp.Bad, fmt.Errorf("number %q is not a fraction", s)
	}
	return interp.Rational{}.Rat(n, d), nil
}

func formatAll(bs []interp.Bound) []string {
	out := make([]string, len(bs))
	for i, b := range bs {
		out[i] = formatBound(b)
	}
	return out
}

// frame is a witness without values.
func frame(l *law.Law, a *instance.Valuation, in *instance.Instance, kind string) *Witness {
	w := &Witness{Law: l.Name, Kind: kind, Dims: map[string]int64{}, Runs: map[string][]int{},
		Attrs: map[string]string{}, Fns: map[string]Function{}}
	for n, d := range a.Dims {
		w.Dims[n], _ = d.Const()
	}
	for n, s := range a.Runs {
		w.Runs[n], _ = s.Concrete()
	}
	for n, v := range a.Attrs {
		w.Attrs[n] = v.String()
	}
	for n, op := range operators(a) {
		w.Fns[n] = Function{Op: op}
	}
	for i, b := range in.Inputs {
		w.Inputs = append(w.Inputs, Tensor{Term: b.Name, Shape: in.Given[i]})
	}
	return w
}

// witness describes a run on which the sides of l differ.
func (p *program) witness(l *law.Law, a *instance.Valuation, vals []interp.Q) *Witness {
	w := frame(l, a, p.Instance, "values")
	res, seen := p.trace(vals)
	for f, t := range seen {
		if len(t) == 0 {
			continue
		}
		text := map[string]string{}
		for x, y := range t {
			text[formatQ(x)] = formatQ(y)
		}
		w.Fns[f.name] = Function{Table: text}
	}
	for i, xs := range inputs(p, vals) {
		w.Inputs[i].fill(bounded(xs), 0)
	}
	var at int
	if w.Output, at = firstDiff(p, res, distinct); w.Output >= 0 {
		left, right := p.Out[0][w.Output], p.Out[1][w.Output]
		w.Left, w.Right = formatBound(res[left][at]), formatBound(res[right][at])
		w.Cell = instance.Place(p.Steps[left].Sizes, at)
	}
	w.LeftSteps = p.steps(p.Out[0], res)
	w.RightSteps = p.steps(p.Out[1], res)
	return w
}

// steps lists the applications below the outputs, arguments first.
func (p *program) steps(outs []int, res [][]interp.Bound) []Tensor {
	var list []Tensor
	seen := map[int]bool{}
	var visit func(i int)
	visit = func(i int) {
		if seen[i] || p.Nodes[i].Input >= 0 {
			return
		}
		seen[i] = true
		for _, a := range p.Nodes[i].Args {
			visit(a)
		}
		t := Tensor{Term: p.Nodes[i].Term.String(), Shape: p.Steps[i].Sizes}
		t.fill(res[i], mostEntries)
		list = append(list, t)
	}
	for _, o := range outs {
		visit(o)
	}
	return list
}

// valuation reads back what the witness gives to the variables.
func (w *Witness) valuation() (*instance.Valuation, error) {
	a := instance.NewValuation()
	for n, d := range w.Dims {
		if d < 1 {
			return nil, fmt.Errorf("size %s is %d", n, d)
		}
		a.Dims[n] = graph.Int(d)
	}
	for n, s := range w.Runs {
		a.Runs[n] = graph.Sizes(s...)
	}
	for n, s := range w.Attrs {
		a.Attrs[n] = graph.NameValue(s)
		if x, err := graph.ParseNumber(s); err == nil {
			a.Attrs[n] = graph.NumberValue(x)
		}
		if inner, ok := strings.CutPrefix(s, "("); ok {
			var xs []int64
			inner = strings.TrimSuffix(inner, ")")
			for _, part := range strings.FieldsFunc(inner, func(r rune) bool { return r == ',' }) {
				x, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
				if err != nil {
					return nil, fmt.Errorf("attribute %s: %w", n, err)
				}
				xs = append(xs, x)
			}
			a.Attrs[n] = graph.TupleValue(xs...)
		}
	}
	for n, f := range w.Fns {
		if f.Op != "" && !graph.IsActivation(f.Op) {
			return nil, fmt.Errorf("function %s: no pointwise operator %q", n, f.Op)
		}
		a.Fns[n] = f.Op
	}
	return a, nil
}

// Bounds of what is replayed: elements of a tensor whose values matter, a size,
// and a number in a stride or a pad, so that products stay in 64 bits.
const (
	replayCells  = 1 << 20
	replaySize   = reachSize
	replayNumber = 1 << 12
)

// valued reports whether a gives each variable of l a value of its sort, and
// nothing else.
func valued(a *instance.Valuation, l *law.Law) error {
	s, err := newSpace(l, Options{})
	if err != nil {
		return err
	}
	if len(a.Dims) != len(s.Sizes) || len(a.Runs) != len(s.Runs) || len(a.Attrs) != len(s.Attrs) {
		return fmt.Errorf("%d sizes, %d axis runs and %d attributes are given, the law has %d, %d and %d",
			len(a.Dims), len(a.Runs), len(a.Attrs), len(s.Sizes), len(s.Runs), len(s.Attrs))
	}
	all := int64(1)
	for _, n := range s.Sizes {
		d, ok := a.Dims[n].Const()
		if !ok || d < 1 || d > replaySize {
			return fmt.Errorf("size %s is not given or not from 1 to %d", n, replaySize)
		}
		if all *= d; all > reachAll {
			return fmt.Errorf("the product of all sizes is above %d", reachAll)
		}
	}
	for _, n := range s.Runs {
		sh, ok := a.Runs[n]
		sizes, _ := sh.Concrete()
		if !ok || len(sh) > graph.MaxRank || instance.TooLarge(sizes, replayCells) {
			return fmt.Errorf("axis run %s is not given or too large", n)
		}
	}
	for _, g := range l.Given {
		switch {
		case g.Sort == "":
		case law.IsFuncSort(g.Sort):
			if op, ok := graph.Lookup(a.Fns[g.Name]); ok && g.Sort == law.SortZero1 && !op.ZeroAtZero {
				return fmt.Errorf("function %s: %s is not 0 at 0", g.Name, op.Name)
			}
		default:
			if v, ok := a.Attrs[g.Name]; !ok || !ofSort(v, g.Sort) {
				return fmt.Errorf("attribute %s has no value of sort %s", g.Name, g.Sort)
			}
		}
	}
	ranks, err := law.PermRanks(l)
	for name, rank := range ranks {
		xs, _ := a.Attrs[name].Tuple()
		if n, err := rank.Eval(&a.Substitution); err != nil || n != int64(len(xs)) {
			return fmt.Errorf("attribute %s is no permutation of %s axes", name, rank)
		}
	}
	if err != nil {
		return err
	}
	for _, f := range slices.Sorted(maps.Keys(a.Fns)) {
		if g, ok := l.Find(f); !ok || !law.IsFuncSort(g.Sort) {
			return fmt.Errorf("the law has no function %s", f)
		}
	}
	return nil
}

// ofSort reports whether an attribute may have a value.
func ofSort(v graph.Value, sort string) bool {
	if xs, ok := v.Tuple(); ok {
		if sort == graph.SortPerm {
			return v.IsPermutation() && len(xs) <= graph.MaxRank
		}
		least, n := int64(0), 4
		if sort == graph.SortStride {
			least, n = 1, 2
		}
		return (sort == graph.SortStride || sort == graph.SortPadding) && len(xs) == n &&
			!slices.ContainsFunc(xs, func(x int64) bool { return x < least || x > replayNumber })
	}
	if _, ok := v.Number(); ok {
		return sort == graph.SortNumber
	}
	if name, ok := v.Name(); ok && sort == graph.SortAct {
		return name == "none" || graph.IsActivation(name)
	}
	return slices.Contains(attrChoices[sort], v)
}

// Replay evaluates l on the witness again, trusting nothing but the values of
// the variables in it. It returns the witness as found now; an error says that
// it does not refute l.
func (w *Witness) Replay(l *law.Law) (*Witness, error) {
	r, err := w.replay(l)
	if err != nil || r.now != nil {
		return r.now, err
	}
	now := r.p.witness(l, r.a, r.vals)
	for n, f := range w.Fns {
		now.Fns[n] = f
	}
	return now, nil
}

// replayed is the result of a replay that refutes a law: the counterexample as found now,
// or what Replay makes it from.
type replayed struct {
	now  *Witness
	p    *program
	a    *instance.Valuation
	vals []interp.Q
}

func (w *Witness) replay(l *law.Law) (replayed, error) {
	none := replayed{}
	a, err := w.valuation()
	if err == nil {
		err = valued(a, l)
	}
	if err != nil {
		return none, fmt.Errorf("replay %s: %w", l.Name, err)
	}
	p, now, err := compile(l, a, replayCells)
	if err != nil {
		return none, fmt.Errorf("replay %s: the law does not cover these sizes: %w", l.Name, err)
	}
	if now != nil {
		return replayed{now: now}, nil
	}
	p.fns.strict = true // what the witness does not say is not known
	for _, f := range p.fns.all() {
		for _, x := range slices.Sorted(maps.Keys(w.Fns[f.name].Table)) {
			q, err := parseQ(x)
			if err != nil {
				return none, fmt.Errorf("replay %s: function %s: %w", l.Name, f.name, err)
			}
			y, err := parseQ(w.Fns[f.name].Table[x])
			if err != nil {
				return none, fmt.Errorf("replay %s: function %s at %s: %w", l.Name, f.name, x, err)
			}
			if q.Num == 0 && y.Num != 0 && f.zero {
				return none, fmt.Errorf("replay %s: function %s is %s at 0", l.Name, f.name, formatQ(y))
			}
			f.at[q] = y
		}
	}
	var vals []interp.Q
	for i, b := range p.Inputs {
		sizes := p.Given[i]
		if i >= len(w.Inputs) || w.Inputs[i].Term != b.Name {
			return none, fmt.Errorf("replay %s: tensor %s has no values of shape %v", l.Name, b.Name, sizes)
		}
		qs, err := w.Inputs[i].values(sizes)
		if err != nil {
			return none, fmt.Errorf("replay %s: tensor %s: %w", l.Name, b.Name, err)
		}
		vals = append(vals, qs...)
	}
	if p.differ(vals) < 0 {
		return none, fmt.Errorf("replay %s: the sides are equal", l.Name)
	}
	return replayed{p: p, a: a, vals: vals}, nil
}

// Given is a witness that says what the tensors given are, and nothing else: one to a law
// without variables, for [Witness.Replay].
func (w *Witness) Given() *Witness { return &Witness{Law: w.Law, Inputs: w.Inputs} }

// Refutes reports that the witness refutes l too, a form of its law with fewer
// variables or more conditions: what it gives to the variables of l, replayed.
func (w *Witness) Refutes(l *law.Law) bool {
	s, err := newSpace(l, Options{})
	if err != nil {
		return false
	}
	attrs := make([]string, len(s.Attrs))
	for i, a := range s.Attrs {
		attrs[i] = a.Name
	}
	v := *w
	v.Dims, v.Runs, v.Attrs = only(w.Dims, s.Sizes), only(w.Runs, s.Runs), only(w.Attrs, attrs)
	_, err = v.replay(l)
	return err == nil
}

// only is m without what is not among the names.
func only[V any](m map[string]V, names []string) map[string]V {
	out := map[string]V{}
	for _, n := range names {
		if v, ok := m[n]; ok {
			out[n] = v
		}
	}
	return out
}

// Where lists what stands for the variables.
func (w *Witness) Where() string {
	var bound []string
	for _, n := range slices.Sorted(maps.Keys(w.Dims)) {
		bound = append(bound, fmt.Sprintf("%s = %d", n, w.Dims[n]))
	}
	for _, n := range slices.Sorted(maps.Keys(w.Runs)) {
		bound = append(bound, fmt.Sprintf("%s.. = %v", n, w.Runs[n]))
	}
	for _, n := range slices.Sorted(maps.Keys(w.Attrs)) {
		bound = append(bound, n+" = "+w.Attrs[n])
	}
	for _, n := range slices.Sorted(maps.Keys(w.Fns)) {
		f := w.Fns[n]
		if f.Op != "" {
			bound = append(bound, n+" = "+f.Op)
			continue
		}
		var rows []string
		for _, x := range slices.Sorted(maps.Keys(f.Table)) {
			rows = append(rows, x+" -> "+f.Table[x])
		}
		bound = append(bound, n+" = {"+strings.Join(rows, ", ")+"}")
	}
	return strings.Join(bound, ", ")
}

// String is the witness for people: the inputs, every intermediate tensor of
// both sides, and the first cell that differs.
func (w *Witness) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "counterexample to %s\n", w.Law)
	if where := w.Where(); where != "" {
		fmt.Fprintf(&b, "  where %s\n", where)
	}
	list := func(title string, ts []Tensor) {
		if len(ts) > 0 {
			fmt.Fprintf(&b, "  %s\n", title)
		}
		for _, t := range ts {
			if t.Entries != nil {
				var list []string
				for _, k := range slices.Sorted(maps.Keys(t.Entries)) {
					list = append(list, "["+k+"] = "+t.Entries[k])
				}
				if t.More > 0 {
					list = append(list, fmt.Sprintf("%d more", t.More))
				}
				fmt.Fprintf(&b, "    %s : %v, all 0 but %s\n", t.Term, t.Shape, strings.Join(list, ", "))
				continue
			}
			if t.Values == nil {
				fmt.Fprintf(&b, "    %s : %v\n", t.Term, t.Shape)
				continue
			}
			fmt.Fprintf(&b, "    %s : %v = [%s]\n", t.Term, t.Shape, strings.Join(t.Values, " "))
		}
	}
	list("given", w.Inputs)
	list("left side", w.LeftSteps)
	list("right side", w.RightSteps)
	switch w.Kind {
	case "defined":
		fmt.Fprintf(&b, "  the left side is %s\n  the right side is %s\n", w.Left, w.Right)
	case "shape":
		fmt.Fprintf(&b, "  output %d has shape %s on the left, %s on the right\n", w.Output, w.Left, w.Right)
	default:
		fmt.Fprintf(&b, "  output %d at %v is %s on the left, %s on the right\n", w.Output, w.Cell, w.Left, w.Right)
	}
	return b.String()
}
