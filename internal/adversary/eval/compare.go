package eval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/law"
)

// Kind is what the two sides of a law are at a point.
type Kind uint8

const (
	// NoInstance: the given shapes or the conditions do not hold.
	NoInstance Kind = iota
	// Skipped: nothing can be said; the reason is in Detail.
	Skipped
	// Undefined: neither side is defined.
	Undefined
	// LeftOnly and RightOnly: one side alone is defined.
	LeftOnly
	RightOnly
	// Shapes: both are defined, and differ in shape.
	Shapes
	// Values: both are defined, and differ at a cell.
	Values
	// Agree: both are defined and agree at all cells that were looked at.
	Agree
)

var kindNames = [...]string{"no instance", "skipped", "undefined", "only the left side is defined",
	"only the right side is defined", "the shapes differ", "the values differ", "agree"}

// String is the kind in words.
func (k Kind) String() string { return kindNames[k] }

// Outcome is a kind, with what was seen.
type Outcome struct {
	Kind   Kind
	Detail string
	Cells  int // compared
	// ByValues: what is defined depends on the values that were drawn.
	ByValues bool
}

// Judge evaluates one law. It is not safe for concurrent use.
type Judge struct {
	law      *law.Law
	unjudged string
	ordered  bool // about maxima, relus and the like
	opaque   bool // about functions that rationals do not have
	gathers  bool
	integers bool // hardly defined of other numbers
}

// unordered are the operators that need an order to be evaluated; functions
// among them.
var unordered = map[string]bool{"ewmax": true, "ewmin": true, "poolmax": true, "reducemax": true, "relu": true,
	"abs": true, "leakyrelu": true, "clip": true, "hardsigmoid": true, "hardswish": true, "elu": true, "step": true,
	"floor": true, "ceil": true, "round": true, "sign": true, "cast": true,
	"ewless": true, "ewlessequal": true, "ewequal": true, "ewwhere": true, "ewint": true, "topk": true}

// opaques are those that have no value among the rationals.
var opaques = map[string]bool{"sigmoid": true, "tanh": true, "gelu": true, "erf": true, "exp": true, "log": true,
	"sqrt": true, "rsqrt": true, "elu": true, "softmax": true, "layernorm": true, "batchnorm": true, "ewpow": true,
	"sin": true, "cos": true, "tan": true, "asin": true, "acos": true, "atan": true,
	"sinh": true, "cosh": true, "asinh": true, "acosh": true, "atanh": true}

// New prepares a law.
func New(l *law.Law) *Judge {
	j := &Judge{law: l}
	if len(l.LHS) != len(l.RHS) || len(l.LHS) == 0 {
		j.unjudged = "the sides have different numbers of outputs"
	}
	name := func(s string) {
		j.ordered = j.ordered || unordered[s]
		j.opaque = j.opaque || opaques[s]
	}
	for _, b := range l.Given {
		if b.Sort == law.SortMesh {
			j.unjudged = "a variable of sort mesh"
		}
		// Any activation may stand there.
		if b.Sort == "act" {
			j.ordered, j.opaque = true, true
		}
	}
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		t.Walk(func(u *law.Term) {
			if u.Op == nil {
				return
			}
			if u.Op.Definition != nil {
				j.unjudged = "operator " + u.Op.Name + " is defined by a text"
			}
			one, each := eachOf(u.Op.Name)
			if !each {
				one = u.Op.Name
			}
			name(one)
			switch one {
			case "gather", "scatteradd", "pick":
				j.gathers = true
			case "ewint", "ewpow":
				j.integers = true
			}
			for i, p := range u.Op.Params {
				if s, ok := u.Attrs[i].Name(); ok && p.Name == "act" {
					name(s)
				}
			}
		})
	}
	return j
}

// Unjudged says why nothing is said of the law; "" if something is.
func (j *Judge) Unjudged() string { return j.unjudged }

// build makes nodes of a law's terms at a point.
type build struct {
	p     *Point
	l     *law.Law
	given map[string][]int64
	zero  map[string]bool
	nodes map[*law.Term][]*node
	next  int
	other bool // a permutation variable stands for one of another number of axes
}

// instance reports whether the given shapes are shapes and the conditions hold.
func (b *build) instance() (bool, error) {
	for _, g := range b.l.Given {
		if g.Sort != "" {
			b.zero[g.Name] = g.Sort == law.SortZero1
			continue
		}
		s, err := b.p.shape(g.Shape)
		if err != nil {
			return false, err
		}
		if sizesAtLeastOne(s) != nil {
			return false, nil
		}
		b.given[g.Name] = s
	}
	for _, c := range b.l.Where {
		if ok, err := b.p.holds(c); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func newBuild(l *law.Law, p *Point) *build {
	return &build{p: p, l: l, given: map[string][]int64{}, zero: map[string]bool{}, nodes: map[*law.Term][]*node{}}
}

// side is the outputs of one side; an error of type undefined says that it is
// not defined.
func (b *build) side(ts []*law.Term) ([]*node, error) {
	out := make([]*node, len(ts))
	for i, t := range ts {
		n, err := b.node(t)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

func (b *build) node(t *law.Term) (*node, error) {
	if ns, ok := b.nodes[t]; ok {
		return ns[0], nil
	}
	b.next++
	n := &node{id: b.next, out: t.Out}
	for _, x := range t.Args {
		m, err := b.node(x)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, m)
	}
	switch {
	case t.Var != "":
		s, ok := b.given[t.Var]
		if !ok {
			return nil, errUnjudged("tensor " + t.Var + " is not given")
		}
		n.tensor, n.shape = t.Var, s
	case t.Fn != "":
		n.fn, n.keeps, n.shape = t.Fn, b.zero[t.Fn], n.args[0].shape
	default:
		n.op, n.a = t.Op.Name, attrs{}
		for i, p := range t.Op.Params {
			v, err := b.p.attr(t.Attrs[i])
			if err != nil {
				return nil, err
			}
			n.a[p.Name] = v
		}
		in := make([][]int64, len(n.args))
		for i, m := range n.args {
			in[i] = m.shape
		}
		if i := t.Op.ParamIndex("perm"); i >= 0 && t.Attrs[i].HasPerm() {
			// A variable stands for permutations of as many axes as there are.
			b.other = b.other || len(n.a["perm"].Tuple) != len(in[0])-len(n.a["over"].Shape)
		}
		out, err := shapesOf(n.op, n.a, in)
		if err != nil {
			return nil, err
		}
		if t.Out >= len(out) {
			return nil, errUnjudged("output of " + n.op)
		}
		n.shape = out[t.Out]
	}
	b.nodes[t] = []*node{n}
	return n, nil
}

// Options bound an evaluation.
type Options struct {
	Cells int // cells compared of each output; 0: 40
	Work  int // cells and summands evaluated on the way; 0: 30,000
}

// At evaluates both sides at a point; rng draws values and cells.
func (j *Judge) At(p *Point, rng *rand.Rand, o Options) Outcome {
	if o.Cells == 0 {
		o.Cells = 40
	}
	if o.Work == 0 {
		o.Work = 30_000
	}
	if j.unjudged != "" {
		return Outcome{Kind: Skipped, Detail: j.unjudged}
	}
	skip := func(err error) Outcome { return Outcome{Kind: Skipped, Detail: err.Error()} }
	b := newBuild(j.law, p)
	if ok, err := b.instance(); err != nil {
		return skip(err)
	} else if !ok {
		return Outcome{Kind: NoInstance}
	}
	left, lerr := b.side(j.law.LHS)
	right, rerr := b.side(j.law.RHS)
	if b.other {
		return Outcome{Kind: NoInstance}
	}
	var u undefined
	for _, err := range []error{lerr, rerr} {
		if err != nil && !errors.As(err, &u) {
			return skip(err)
		}
	}
	switch {
	case lerr != nil && rerr != nil:
		return Outcome{Kind: Undefined}
	case lerr != nil:
		return Outcome{Kind: RightOnly, Detail: "left side: " + lerr.Error()}
	case rerr != nil:
		return Outcome{Kind: LeftOnly, Detail: "right side: " + rerr.Error()}
	}
	for i := range left {
		if !slices.Equal(left[i].shape, right[i].shape) {
			return Outcome{Kind: Shapes, Detail: fmt.Sprintf("output %d: %v and %v", i, left[i].shape, right[i].shape)}
		}
	}
	seed := rng.Uint64()
	cells := make([][][]int64, len(left))
	for i := range left {
		cells[i] = someCells(left[i].shape, rng, o.Cells)
	}
	whole := j.gathers || rng.IntN(2) == 0 || j.integers && rng.IntN(4) > 0
	var out Outcome
	if j.ordered {
		out = compare[frac](rational{}, b.next, left, right, cells, seed, whole, o.Work)
	} else {
		out = compare[uint64](modular{}, b.next, left, right, cells, seed, j.gathers, o.Work)
	}
	if !j.opaque || out.Kind != Values && out.Kind != LeftOnly && out.Kind != RightOnly {
		return out
	}
	// Tables stand for functions of which more is known.
	for range 4 {
		seed = rng.Uint64()
		f := compare[float64](floating{}, b.next, left, right, cells, seed, whole, o.Work)
		if f.Kind != Agree && f.Kind != Skipped {
			return f
		}
		whole = whole && j.gathers
	}
	return Outcome{Kind: Skipped, Detail: "the difference is not seen with the true functions"}
}

func compare[V any](f field[V], nodes int, left, right []*node, cells [][][]int64, seed uint64, whole bool, work int) Outcome {
	m := &machine[V]{f: f, seed: seed, whole: whole, work: work, memo: make([]table[V], nodes+1)}
	if o, ok := m.places(left, right); ok {
		return o
	}
	compared := 0
	for i := range left {
		for _, idx := range cells[i] {
			a, b := m.at(left[i], idx), m.at(right[i], idx)
			if m.err != nil {
				if compared > 0 && errors.Is(m.err, errWork) {
					return Outcome{Kind: Agree, Cells: compared}
				}
				return Outcome{Kind: Skipped, Detail: m.err.Error(), Cells: compared}
			}
			if f.IsBad(a) || f.IsBad(b) {
				continue
			}
			compared++
			if !f.Same(a, b) {
				return Outcome{Kind: Values, Cells: compared,
					Detail: fmt.Sprintf("output %d, cell %v of %v: %s and %s", i, idx, left[i].shape, f.Text(a), f.Text(b))}
			}
		}
	}
	if compared == 0 {
		return Outcome{Kind: Skipped, Detail: "no cell has a value"}
	}
	return Outcome{Kind: Agree, Cells: compared}
}

// someCells are all cells of a small shape, of others the corners and some at
// random.
func someCells(shape []int64, rng *rand.Rand, want int) [][]int64 {
	var out [][]int64
	if n, ok := product(shape); ok && n <= int64(want) {
		m := &machine[uint64]{work: 1 << 30}
		m.each(shape, func(at []int64) { out = append(out, slices.Clone(at)) })
		return out
	}
	for range want {
		at := make([]int64, len(shape))
		for i, n := range shape {
			switch rng.IntN(5) {
			case 0:
			case 1:
				at[i] = n - 1
			default:
				at[i] = rng.Int64N(n)
			}
		}
		out = append(out, at)
	}
	return out
}

// Breaks says whether an outcome contradicts the claim that wherever the
// source is defined the target is, and equal: left to right, or back.
func (o Outcome) Breaks(backward bool) bool {
	switch o.Kind {
	case Shapes, Values:
		return true
	case LeftOnly:
		return !backward
	case RightOnly:
		return backward
	}
	return false
}

// Unseen says whether nothing is seen with the values that were drawn: with others
// something may be.
func (o Outcome) Unseen() bool {
	return o.Kind == Skipped || o.ByValues
}

// Differs says whether an outcome contradicts the claim that the sides are
// equal wherever both are defined.
func (o Outcome) Differs() bool { return o.Kind == Shapes || o.Kind == Values }

// String lists the values of a point by name.
func (p *Point) String() string {
	var parts []string
	for n, v := range p.Sizes {
		parts = append(parts, fmt.Sprintf("%s = %d", n, v))
	}
	for n, v := range p.Runs {
		parts = append(parts, fmt.Sprintf("%s.. = %v", n, v))
	}
	for n, v := range p.Attrs {
		parts = append(parts, fmt.Sprintf("%s = %s", n, v))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
