package rules

import (
	"fmt"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// SharesSubgraph reports whether the two sides of a law have a common
// subgraph or supergraph, by which the paper prunes: an operator application
// over variables that occurs on both sides, or the same last operator with at
// most one input that differs. Such a law need not be redundant
// (relu(relu(X)) == relu(X) is not), see [Reductions] and [PruneCommon].
func SharesSubgraph(l *law.Law) bool {
	return len(sharedTerms(l)) > 0 || sharedRoot(l) != nil
}

// sharedTerms lists the non-variable terms with variables that occur on both
// sides, by their keys.
func sharedTerms(l *law.Law) []*law.Term {
	in := func(side []*law.Term) map[string]*law.Term {
		m := map[string]*law.Term{}
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				if !u.IsVar() && len(law.Vars(u)) > 0 {
					m[Key(u)] = u
				}
			})
		}
		return m
	}
	left, right := in(l.LHS), in(l.RHS)
	shared := map[string]*law.Term{}
	for k, t := range left {
		if right[k] != nil {
			shared[k] = t
		}
	}
	keys := make([]string, 0, len(shared))
	for k := range shared {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := make([]*law.Term, len(keys))
	for i, k := range keys {
		out[i] = shared[k]
	}
	return out
}

// sharedRoot is the pair of inputs that differ if the sides are the same last
// operator but for one input; a pair of equal terms if none differs.
func sharedRoot(l *law.Law) *[2]*law.Term {
	if len(l.LHS) != 1 {
		return nil
	}
	x, y := l.LHS[0], l.RHS[0]
	if x.IsVar() || y.IsVar() || x.Op != y.Op || x.Fn != y.Fn || x.Out != y.Out || !x.Attrs.Equal(y.Attrs) || len(x.Args) == 0 {
		return nil
	}
	orders := [][]*law.Term{y.Args}
	if x.Op != nil && x.Op.Commutative && len(y.Args) == 2 {
		orders = append(orders, []*law.Term{y.Args[1], y.Args[0]})
	}
	for _, args := range orders {
		differ := -1
		n := 0
		for i := range args {
			if Key(x.Args[i]) != Key(args[i]) {
				differ = i
				n++
			}
		}
		switch n {
		case 0:
			return &[2]*law.Term{x.Args[0], x.Args[0]}
		case 1:
			return &[2]*law.Term{x.Args[differ], args[differ]}
		}
	}
	return nil
}

// Reductions lists the smaller laws from each of which l would follow because
// of its common subgraph (a variable in its place) or its common last operator
// (the inputs that differ). They need not be true. A law whose sides are the
// same up to the order of commutative inputs is a reduction too.
func Reductions(l *law.Law) []*law.Law {
	ty, err := l.Types()
	if err != nil {
		return nil
	}
	var out []*law.Law
	for _, t := range sharedTerms(l) {
		key, name := Key(t), freshName(l)
		m := *l
		m.LHS, m.RHS = nil, nil
		for i := range l.LHS {
			m.LHS = append(m.LHS, replace(l.LHS[i], key, name))
			m.RHS = append(m.RHS, replace(l.RHS[i], key, name))
		}
		m.Given = append(append([]law.Binding(nil), l.Given...), law.Binding{Name: name, Shape: ty.Shape[t]})
		out = append(out, prunedGiven(&m))
	}
	if p := sharedRoot(l); p != nil {
		m := *l
		m.LHS, m.RHS = []*law.Term{p[0]}, []*law.Term{p[1]}
		m.Given = append([]law.Binding(nil), l.Given...)
		out = append(out, prunedGiven(&m))
	}
	return out
}

func replace(t *law.Term, key, name string) *law.Term {
	if Key(t) == key {
		return law.V(name)
	}
	return t.Rewrite(func(u *law.Term) *law.Term {
		if !u.IsVar() && Key(u) == key {
			return law.V(name)
		}
		return u
	})
}

func freshName(l *law.Law) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("T%d", i)
		if _, ok := l.Find(name); !ok {
			return name
		}
	}
}

// prunedGiven drops the bindings that the sides do not use.
func prunedGiven(l *law.Law) *law.Law {
	k := collect(l, outputs(l))
	var given []law.Binding
	for _, b := range l.Given {
		if k.names[b.Name] {
			given = append(given, b)
		}
	}
	l.Given = given
	return l
}

// trivial reports that the sides are the same.
func trivial(l *law.Law) bool {
	for i := range l.LHS {
		if Key(l.LHS[i]) != Key(l.RHS[i]) {
			return false
		}
	}
	return true
}

// Pruned is a law that was dropped because another says as much.
type Pruned struct {
	Law *law.Law
	// By is the law from which it follows; nil if it says that something
	// equals itself.
	By *law.Law
}

// Dedupe drops laws that are the same up to names of inputs, sizes and
// attributes, exchange of sides, and order of outputs: the first stays.
func Dedupe(laws []*law.Law) (kept []*law.Law, pruned []Pruned) {
	first := map[string]*law.Law{}
	for _, l := range laws {
		id := law.ID(law.Canonical(l))
		if f, ok := first[id]; ok {
			pruned = append(pruned, Pruned{l, f})
			continue
		}
		first[id] = l
		kept = append(kept, l)
	}
	return kept, pruned
}

// PruneCommon drops the laws that follow from a smaller law of the list (or an
// instance of one) because of a common subgraph or last operator, and those
// whose sides are the same. Kept and pruned laws keep their order.
func PruneCommon(laws []*law.Law) (kept []*law.Law, pruned []Pruned) {
	x := newIndex(laws)
	for _, l := range laws {
		by, drop := x.reducedBy(l)
		if drop {
			pruned = append(pruned, Pruned{l, by})
		} else {
			kept = append(kept, l)
		}
	}
	return kept, pruned
}

func (x *index) reducedBy(l *law.Law) (by *law.Law, drop bool) {
	if trivial(l) {
		return nil, true
	}
	n := total(l)
	for _, r := range Reductions(l) {
		if trivial(r) {
			return nil, true
		}
		// Only smaller laws count, so that no two laws drop each other.
		if total(r) >= n {
			continue
		}
		if i := x.general(r, func(i int) bool { return x.sizes[i] < n }); i >= 0 {
			return x.laws[i], true
		}
	}
	return nil, false
}

func total(l *law.Law) int { return law.Size(l.LHS...) + law.Size(l.RHS...) }

// Subsume drops the laws that are instances of another law of the list. Of
// laws that are instances of each other the smallest in the order of sets
// stays.
func Subsume(laws []*law.Law) (kept []*law.Law, pruned []Pruned) {
	x := newIndex(laws)
	for i, l := range laws {
		j := x.general(l, func(j int) bool {
			if j == i {
				return false
			}
			return x.before(j, i) || !Instance(l, laws[j])
		})
		if j >= 0 {
			pruned = append(pruned, Pruned{l, laws[j]})
		} else {
			kept = append(kept, l)
		}
	}
	return kept, pruned
}

// index finds the laws of a list that may be more general than a law: by the
// last operators of both sides and by the set of operators.
type index struct {
	laws   []*law.Law
	sizes  []int     // operators of both sides
	trees  []int     // subterms, shared ones counted each time
	counts [][]uint8 // of each operator, shared ones counted each time
	texts  []string
	byRoot map[rootKey][]int
	opAt   map[*graph.Op]int
}

// treeLimit is how many subterms the index looks at.
const treeLimit = 1 << 12

// rootKey is the number of outputs and, for a single one, the last operators
// of both sides in order, "*" for a variable or a function.
type rootKey struct {
	n    int
	a, b string
}

func newIndex(laws []*law.Law) *index {
	x := &index{laws: laws, byRoot: map[rootKey][]int{}, opAt: map[*graph.Op]int{}}
	for i, op := range graph.Ops() {
		x.opAt[op] = i
	}
	for i, l := range laws {
		counts, tree := x.shape(l)
		x.counts, x.trees = append(x.counts, counts), append(x.trees, tree)
		x.sizes = append(x.sizes, total(l))
		x.texts = append(x.texts, body(l))
		k := keyOf(len(l.LHS), root(l.LHS), root(l.RHS))
		x.byRoot[k] = append(x.byRoot[k], i)
	}
	return x
}

func (x *index) before(i, j int) bool {
	if x.sizes[i] != x.sizes[j] {
		return x.sizes[i] < x.sizes[j]
	}
	if x.texts[i] != x.texts[j] {
		return x.texts[i] < x.texts[j]
	}
	return i < j
}

// shape is the number of times each operator stands in a law, up to 255, and
// the law's size as two trees. An instance has at least as many of each.
func (x *index) shape(l *law.Law) (counts []uint8, tree int) {
	counts = make([]uint8, len(x.opAt))
	var rec func(u *law.Term)
	rec = func(u *law.Term) {
		if tree++; tree > treeLimit {
			return
		}
		if u.Op != nil {
			if i := x.opAt[u.Op]; counts[i] < 255 {
				counts[i]++
			}
		}
		for _, a := range u.Args {
			rec(a)
		}
	}
	for _, t := range outputs(l) {
		rec(t)
	}
	return counts, min(tree, treeLimit)
}

// fits reports that law i may be more general than one of these counts.
func (x *index) fits(i int, counts []uint8, tree int) bool {
	if x.trees[i] > tree {
		return false
	}
	if tree >= treeLimit {
		return true
	}
	for k, n := range x.counts[i] {
		if n > counts[k] {
			return false
		}
	}
	return true
}

func root(side []*law.Term) string {
	if len(side) != 1 || side[0].Op == nil {
		return "*"
	}
	return fmt.Sprintf("%s.%d", side[0].Op.Name, side[0].Out)
}

func keyOf(n int, a, b string) rootKey {
	if a > b {
		a, b = b, a
	}
	return rootKey{n, a, b}
}

// general is the first law of the list of which l is an instance and that is
// allowed, or -1.
func (x *index) general(l *law.Law, allowed func(i int) bool) int {
	counts, tree := x.shape(l)
	t := newTarget(l)
	a, b := root(l.LHS), root(l.RHS)
	seen := map[rootKey]bool{}
	best := -1
	for _, ra := range []string{a, "*"} {
		for _, rb := range []string{b, "*"} {
			k := keyOf(len(l.LHS), ra, rb)
			if seen[k] {
				continue
			}
			seen[k] = true
			for _, i := range x.byRoot[k] {
				if best >= 0 && i > best {
					break
				}
				if !x.fits(i, counts, tree) {
					continue
				}
				if _, ok := t.match(x.laws[i], false); ok && allowed(i) {
					best = i
					break
				}
			}
		}
	}
	return best
}
