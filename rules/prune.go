package rules

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Pruned is a law that was dropped because another says as much.
type Pruned struct {
	Law *law.Law
	// By is the law from which it follows; nil if it says that something
	// equals itself.
	By *law.Law
}

func total(l *law.Law) int { return law.Size(l.LHS...) + law.Size(l.RHS...) }

// Subsume drops the laws that are instances of another law of the list. Of
// laws that are instances of each other the smallest in the order of sets
// stays. A law written == is no instance of one written =>: that one says nothing
// from right to left. A law is no instance of one that holds under more assumptions, which the
// tags ordered and real say.
func Subsume(laws []*law.Law) (kept []*law.Law, pruned []Pruned) {
	x := newIndex(laws)
	for i, l := range laws {
		j := x.general(l, func(j int) bool {
			if j == i || !weaker(l, laws[j]) {
				return false
			}
			return x.before(j, i) || !weaker(laws[j], l) || !Instance(l, laws[j])
		})
		if j >= 0 {
			pruned = append(pruned, Pruned{l, laws[j]})
		} else {
			kept = append(kept, l)
		}
	}
	return kept, pruned
}

// Covers reports whether special is an instance of general and says no more, see [Subsume].
func Covers(general, special *law.Law) bool {
	return weaker(special, general) && Instance(general, special)
}

// weaker reports whether what an instance of general says suffices for special, as far as the
// way of reading and the tags tell.
func weaker(special, general *law.Law) bool {
	if general.OneWay && !special.OneWay {
		return false
	}
	for _, tag := range []string{law.TagOrdered, law.TagReal} {
		if general.HasTag(tag) && !special.HasTag(tag) {
			return false
		}
	}
	return true
}

// DropInstances drops the proved rules whose laws are instances of those of other proved rules of the
// set, see [Subsume], and returns how many. What followed from a dropped rule follows from the one that stays.
func (s *Set) DropInstances() int {
	var laws []*law.Law
	for _, r := range s.Rules {
		if r.Status == Proved {
			laws = append(laws, r.Law)
		}
	}
	_, pruned := Subsume(laws)
	by := make(map[string]string, len(pruned))
	for _, p := range pruned {
		if p.By != nil {
			by[p.Law.Name] = p.By.Name
		}
	}
	// Instances are found by a search that may miss some, so that laws could replace each other in
	// a circle: one of them stays.
	stays := func(id string) string {
		for range by {
			next, dropped := by[id]
			if !dropped {
				break
			}
			id = next
		}
		delete(by, id)
		return id
	}
	before := len(s.Rules)
	for _, r := range s.Rules {
		stays(r.ID())
	}
	s.Rules = slices.DeleteFunc(s.Rules, func(r *Rule) bool { return by[r.ID()] != "" })
	s.byID = nil
	for _, r := range s.Rules {
		var from []string
		for _, id := range r.DerivableFrom {
			from = append(from, stays(id))
		}
		slices.Sort(from)
		r.DerivableFrom = slices.Compact(from)
		if slices.Contains(from, r.ID()) {
			r.Derivable, r.DerivableFrom = false, nil
		}
	}
	return before - len(s.Rules)
}

// index finds the laws of a list that may be more general than a law: by the
// last operators of both sides and by the set of operators.
type index struct {
	laws   []*law.Law
	eqs    []*rewrite.Direction // compiled when first needed
	sizes  []int                // operators of both sides
	trees  []int                // subterms, shared ones counted each time
	counts [][]uint8            // of each operator, shared ones counted each time
	texts  []string
	byRoot map[rootKey][]int
	opAt   map[*graph.Op]int // the operators of laws, as they come
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
	x := &index{laws: laws, eqs: make([]*rewrite.Direction, len(laws)), byRoot: map[rootKey][]int{}, opAt: map[*graph.Op]int{}}
	for i, l := range laws {
		counts, tree := x.shape(l, true)
		x.counts, x.trees = append(x.counts, counts), append(x.trees, tree)
		x.sizes = append(x.sizes, total(l))
		x.texts = append(x.texts, law.Body(l))
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
// the law's size as two trees. An instance has at least as many of each. Operators that
// no law of the list has are numbered if the law is to be one of them, and else not counted.
func (x *index) shape(l *law.Law, listed bool) (counts []uint8, tree int) {
	counts = make([]uint8, len(x.opAt))
	var rec func(u *law.Term)
	rec = func(u *law.Term) {
		if tree++; tree > treeLimit {
			return
		}
		if u.Op != nil {
			i, ok := x.opAt[u.Op]
			if !ok && listed {
				i, ok = len(x.opAt), true
				x.opAt[u.Op], counts = i, append(counts, 0)
			}
			if ok && counts[i] < 255 {
				counts[i]++
			}
		}
		for _, a := range u.Args {
			rec(a)
		}
	}
	for _, t := range l.Outputs() {
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

// equation is law i compiled, nil if it is ill-formed.
func (x *index) equation(i int) *rewrite.Direction {
	if x.eqs[i] == nil {
		x.eqs[i], _ = rewrite.CompileEquation(x.laws[i], rewrite.Derived)
	}
	return x.eqs[i]
}

// general is the first law of the list of which l is an instance and that is
// allowed, or -1.
func (x *index) general(l *law.Law, allowed func(i int) bool) int {
	counts, tree := x.shape(l, false)
	t := newTarget(l, false)
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
				g := x.equation(i)
				if g == nil {
					continue
				}
				if _, ok := t.match(g); ok && allowed(i) {
					best = i
					break
				}
			}
		}
	}
	return best
}
