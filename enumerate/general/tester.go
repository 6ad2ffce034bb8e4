package general

import (
	"fmt"
	"iter"
	"maps"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Tester compares laws on random instances.
type Tester struct {
	Seed uint64
	// Ordered: relu and the maximum are the true ones, on small rational numbers (an
	// ordered law).
	Ordered bool
	// Brief tests laws on fewer instances: of a large level there are many
	// candidates, and the prover decides anyway.
	Brief bool
	// Ops is the most operators of a side: splitting a variable splits shared
	// operators too, without end where much is shared. 0: no bound.
	Ops int
	// Known holds what earlier tests found, since different pairs are often stated
	// as one law; nil: nothing is remembered. It serves one goroutine, and testers
	// of one seed.
	Known *Known

	state uint64
}

func (t *Tester) rand(n int) int {
	t.state = fingerprint.Mix(t.state + 1)
	return int(t.state % uint64(n))
}

// Holds tests a law on random sizes, strides and paddings. It reports false if
// an instance fails, or if too few instances are defined to tell. The random
// choices depend only on the seed and the law.
func (t *Tester) Holds(l *law.Law, want int) bool { return t.tested(l, want, false).holds }

// Try is Holds that also reports whether an instance fails.
func (t *Tester) Try(l *law.Law, want int) (holds, fails bool) {
	f := t.tested(l, want, false)
	return f.holds, f.fails
}

// try tries up to 12 instances for each that it wants.
func (t *Tester) try(l *law.Law, want int, quick bool) finding {
	t.state = t.Seed
	for _, b := range l.Given {
		for _, c := range b.Shape.String() + b.Sort {
			t.state = fingerprint.Mix(t.state ^ uint64(c))
		}
	}
	p, err := instance.New(l)
	if err != nil {
		return finding{}
	}
	good := 0
	for try := 0; try < 12*want && good < want; try++ {
		if quick && try == 12*QuickTests && good < QuickTests {
			return finding{}
		}
		env, ok := t.env(l, try)
		if !ok {
			continue
		}
		seed := fingerprint.Mix(t.Seed + uint64(try) + 1)
		var out instance.Outcome
		if t.Ordered {
			out, _ = instance.CompareAt[interp.Q](p, interp.Rational{}, env, func(name string, n int) []interp.Q {
				return SmallNumbers(seed, name, n)
			})
		} else {
			out, _ = instance.CompareAt[uint64](p, fingerprint.Zp{Key: seed}, env, func(name string, n int) []uint64 {
				return fingerprint.Random(seed, name, n)
			})
		}
		switch out {
		case instance.Equal:
			good++
		case instance.Undefined, instance.NotAnInstance:
		default:
			return finding{fails: true}
		}
	}
	return finding{holds: good >= want}
}

// testValues are what attribute variables stand for.
var testValues = map[string][]graph.Value{
	graph.SortStride: {graph.TupleValue(1, 1), graph.TupleValue(2, 2), graph.TupleValue(1, 3), graph.TupleValue(3, 1), graph.TupleValue(2, 1)},
	graph.SortPadding: {graph.NameValue(graph.SameLower), graph.NameValue(graph.SameUpper),
		graph.NameValue(graph.Valid), graph.TupleValue(0, 1, 1, 0), graph.TupleValue(1, 1, 1, 1)},
	graph.SortSame:   {graph.NameValue(graph.SameLower), graph.NameValue(graph.SameUpper)},
	graph.SortNumber: {graph.NumberValue(0.5), graph.NumberValue(0)},
	graph.SortAct:    {graph.NameValue("none"), graph.NameValue("relu")},
	graph.SortBorder: {graph.NameValue("counted"), graph.NameValue("excluded")},
}

// env draws an instance. Sizes are 1 to 4, mostly distinct; the sizes of odd
// kernels are odd.
func (t *Tester) env(l *law.Law, try int) (*instance.Valuation, bool) {
	odd := map[string]bool{}
	for _, p := range l.Where {
		if v, ok := p.Left.IsVar(); ok && p.Mod != nil {
			odd[v] = true
		}
	}
	last := 0
	size := func(name string) int {
		most := 3
		if try%4 == 3 {
			most = 4
		}
		n := 1 + t.rand(most)
		if n == last {
			n = 1 + n%most
		}
		last = n
		if odd[name] {
			n |= 1
		}
		return n
	}
	run := func() []int {
		s := make([]int, t.rand(3))
		for i := range s {
			s[i] = 1 + t.rand(3)
		}
		return s
	}
	return instance.Draw(l, size, run, func(sort string) (graph.Value, bool) {
		vs := testValues[sort]
		if len(vs) == 0 {
			return graph.Value{}, false
		}
		return vs[(t.rand(len(vs))+try)%len(vs)], true
	})
}

// Numbers of instances on which a law is tested.
const (
	QuickTests = 3
	FullTests  = 10
	// WindowTests is for laws with any stride or padding, which often hold for
	// most of them.
	WindowTests = 30
	// SizeTests is for laws whose sizes become variables, which often are false for few of
	// them.
	SizeTests = 100
)

// Least is the least general form of a pair.
func (p *Pair) Least() Form {
	f := p.features()
	least := Form{tie: 1}
	if f.window {
		least.window = lastWindow
	}
	if f.kernel {
		least.kernel = lastKernel
	}
	if f.cut {
		least.cut = 1
	}
	if f.groups {
		least.groups = 1
	}
	if f.ones {
		least.ones = 1
	}
	return least
}

// generalize finds the most general form in which the pair holds. ok is false
// if it does not even hold in the least general one.
func (t *Tester) generalize(p *Pair) (l *law.Law, fm Form, ok bool) {
	f, least := p.features(), p.Least()
	if l, err := p.Law(least); err != nil || !t.Holds(l, QuickTests) {
		return nil, least, false
	}
	want := FullTests
	if f.window && !t.Brief {
		want = WindowTests
	}
	most := Form{}
	for first := true; ; first = false {
		// What fails for a value of one field, the others being the least general, fails
		// whatever the others are.
		for fm := range forms(most, least) {
			if !first && fm == (Form{}) {
				continue
			}
			l, err := p.Law(fm)
			if err == nil && t.tested(l, want, true).holds {
				l, fm = t.freed(p, fm, l)
				return l, fm, true
			}
			if first {
				break
			}
		}
		if !first {
			return nil, least, false
		}
		most = t.bounds(p, least)
	}
}

// bounds is, in each field, the most general value that does not fail where the others
// are the least general.
func (t *Tester) bounds(p *Pair, least Form) Form {
	most := least
	for i := range least.fields() {
		for v := range *least.fields()[i] {
			fm := least
			*fm.fields()[i] = v
			if l, err := p.Law(fm); err != nil || !t.tested(l, FullTests, true).fails {
				*most.fields()[i] = v
				break
			}
		}
	}
	return most
}

// fields are the fields of a form, the one that is tried last to be narrowed first.
func (fm *Form) fields() [6]*int {
	return [6]*int{&fm.tie, &fm.ones, &fm.window, &fm.kernel, &fm.groups, &fm.cut}
}

// forms are the forms from most to least, more general ones first.
func forms(most, least Form) iter.Seq[Form] {
	return func(yield func(Form) bool) {
		for fm := most; ; {
			if !yield(fm) {
				return
			}
			i := len(fm.fields()) - 1
			for ; i >= 0 && *fm.fields()[i] == *least.fields()[i]; i-- {
				*fm.fields()[i] = *most.fields()[i]
			}
			if i < 0 {
				return
			}
			*fm.fields()[i]++
		}
	}
}

// Narrower lists less general forms to fall back on if one cannot be proved:
// kernels as in the case, and stride 1.
func (p *Pair) Narrower(fm Form) []Form {
	f := p.features()
	if !f.window && !f.kernel {
		return nil
	}
	var out []Form
	if fm.sizes != "" {
		fm.sizes = ""
		out = append(out, fm)
	}
	for _, w := range []int{max(fm.window, 3), lastWindow} {
		for _, k := range []int{fm.kernel, 2, lastKernel} {
			g := fm
			g.window, g.kernel = w, max(k, fm.kernel)
			if !f.window {
				g.window = fm.window
			}
			if !f.kernel {
				g.kernel = fm.kernel
			}
			if g != fm && (len(out) == 0 || out[len(out)-1] != g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// Conditional forms hold only for some strides, paddings, kernels or sizes.
func (fm Form) Conditional() bool { return fm.window > 0 || fm.kernel > 1 || fm.ones > 0 || fm.tie > 0 }

// Widen replaces common subterms by variables, and variables that occur often
// by several, as far as the pair still holds, and returns the most general
// law.
func (t *Tester) Widen(p *Pair) (*Pair, *law.Law, Form, bool) {
	l, fm, ok := t.generalize(p)
	if !ok {
		return nil, nil, fm, false
	}
	for again := true; again; {
		again = false
		qs := p.cutCommon()
		if !t.Brief {
			qs = append(qs, p.splitVars()...)
		}
		for _, q := range qs {
			if t.Ops > 0 && (law.Size(q.Left...) > t.Ops || law.Size(q.Right...) > t.Ops) {
				continue
			}
			if ql, qf, ok := t.generalize(q); ok && !(qf.Conditional() && !fm.Conditional()) {
				p, l, fm = q, ql, qf
				again = true
				break
			}
		}
	}
	return p, l, fm, true
}

// sizesAtCase infers concrete shapes of literal terms.
func (p *Pair) sizesAtCase(ts []*law.Term, nodes *law.Nodes) map[int][]int {
	vars := map[string]graph.Shape{}
	for n, s := range p.Sizes {
		vars[n] = graph.Sizes(s...)
	}
	out := map[int][]int{}
	memo := map[*law.Term]graph.Shape{}
	for _, t := range ts {
		var f graph.Unifier
		if _, err := law.TypeOf(&f, t, vars, memo); err != nil {
			continue
		}
	}
	for u, s := range memo {
		if c, ok := s.Concrete(); ok {
			out[nodes.Of(u)] = c
		}
	}
	return out
}

func (p *Pair) with(left, right []*law.Term) *Pair {
	return &Pair{Left: left, Right: right, Sizes: maps.Clone(p.Sizes), Weight: maps.Clone(p.Weight)}
}

// cutCommon lists the pairs got by replacing one subterm that both sides share
// with a fresh variable, largest subterm first.
func (p *Pair) cutCommon() []*Pair {
	var nodes law.Nodes
	inLeft := map[int]bool{}
	for _, t := range p.Left {
		t.Walk(func(u *law.Term) {
			if !u.IsVar() {
				inLeft[nodes.Of(u)] = true
			}
		})
	}
	for _, t := range p.Left {
		delete(inLeft, nodes.Of(t))
	}
	var shared []*law.Term
	seen := map[int]bool{}
	for _, t := range p.Right {
		t.Walk(func(u *law.Term) {
			k := nodes.Of(u)
			if inLeft[k] && !seen[k] {
				seen[k] = true
				shared = append(shared, u)
			}
		})
	}
	for _, t := range p.Right {
		for i, u := range shared {
			if nodes.Of(u) == nodes.Of(t) {
				shared = append(shared[:i], shared[i+1:]...)
				break
			}
		}
	}
	var out []*Pair
	sizes := p.sizesAtCase(append(append([]*law.Term{}, p.Left...), p.Right...), &nodes)
	for i := len(shared) - 1; i >= 0; i-- {
		key := nodes.Of(shared[i])
		sz, ok := sizes[key]
		if !ok {
			continue
		}
		name := p.freshName()
		cut := func(ts []*law.Term) []*law.Term {
			var res []*law.Term
			for _, t := range ts {
				res = append(res, replace(t, &nodes, key, law.V(name)))
			}
			return res
		}
		q := p.with(cut(p.Left), cut(p.Right))
		q.Sizes[name] = sz
		q.Weight[name] = p.isKernel(&nodes, key) || len(sz) == 4 && sz[2] <= CaseKernel && sz[3] <= CaseKernel
		out = append(out, q)
	}
	return out
}

// isKernel reports whether every use of the subterm is as a kernel.
func (p *Pair) isKernel(nodes *law.Nodes, key int) bool {
	used, only := false, true
	for _, side := range [2][]*law.Term{p.Left, p.Right} {
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				for i, a := range u.Args {
					if nodes.Of(a) == key {
						used = true
						only = only && u.Op != nil && (u.Op.Name == "conv2d" && i == 1 || u.Op.Name == "enlarge")
					}
				}
			})
		}
	}
	return used && only
}

func (p *Pair) freshName() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("Z%d", i)
		if _, ok := p.Sizes[name]; !ok {
			return name
		}
	}
}

func replace(t *law.Term, nodes *law.Nodes, key int, by *law.Term) *law.Term {
	if nodes.Of(t) == key {
		return by
	}
	if len(t.Args) == 0 {
		return t
	}
	u := *t
	u.Args = make([]*law.Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = replace(a, nodes, key, by)
	}
	return &u
}

// splitVars lists the pairs got by giving some occurrences of a variable a
// name of their own.
func (p *Pair) splitVars() []*Pair {
	var out []*Pair
	for _, v := range law.Vars(p.Left...) {
		nl, nr := countVar(p.Left, v), countVar(p.Right, v)
		if nl < 2 || nr < 2 || nl+nr > 8 {
			continue
		}
		name := p.freshName()
		// The first occurrence on the left keeps its name.
		for ml := 1; ml < 1<<(nl-1); ml++ {
			for mr := 1; mr < 1<<nr-1; mr++ {
				k := 0
				left := renameSome(p.Left, v, name, ml<<1, &k)
				k = 0
				right := renameSome(p.Right, v, name, mr, &k)
				q := p.with(left, right)
				q.Sizes[name] = p.Sizes[v]
				q.Weight[name] = p.Weight[v]
				out = append(out, q)
			}
		}
	}
	return out
}

func countVar(ts []*law.Term, v string) int {
	n := 0
	var rec func(t *law.Term)
	rec = func(t *law.Term) {
		if t.Var == v {
			n++
		}
		for _, a := range t.Args {
			rec(a)
		}
	}
	for _, t := range ts {
		rec(t)
	}
	return n
}

func renameSome(ts []*law.Term, v, name string, mask int, k *int) []*law.Term {
	var rec func(t *law.Term) *law.Term
	rec = func(t *law.Term) *law.Term {
		if t.IsVar() {
			if t.Var == v {
				*k++
				if mask&(1<<(*k-1)) != 0 {
					return law.V(name)
				}
			}
			return t
		}
		if len(t.Args) == 0 {
			return t
		}
		u := *t
		u.Args = make([]*law.Term, len(t.Args))
		for i, a := range t.Args {
			u.Args[i] = rec(a)
		}
		return &u
	}
	var out []*law.Term
	for _, t := range ts {
		out = append(out, rec(t))
	}
	return out
}

// SmallNumbers fills a tensor with integers from -9 to 9. Which signs they have
// depends on the seed and the name, since the maximum of a window of mixed
// numbers is hardly ever negative.
func SmallNumbers(seed uint64, name string, n int) []interp.Q {
	out := make([]interp.Q, n)
	signs := fingerprint.Random(seed^0x5, name, 1)[0] % 4
	for i, x := range fingerprint.Random(seed^0xb, name, n) {
		v := int64(x%19) - 9
		switch signs {
		case 1: // none positive
			v = min(v, -v)
		case 2: // none negative
			v = max(v, -v)
		case 3: // few positive
			if x>>32%8 != 0 {
				v = min(v, -v)
			}
		}
		out[i] = interp.Q{Num: v, Den: 1}
	}
	return out
}
