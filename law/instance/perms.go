package instance

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// permChoices is how many permutations of a number of axes a variable is given: all of up
// to four axes.
const permChoices = 24

// perms numbers the permutations that a variable is given, the one that changes nothing
// first. What a number stands for depends on how many axes there are to permute.
func perms() []graph.Value {
	out := make([]graph.Value, permChoices)
	for i := range out {
		out[i] = graph.IntValue(i)
	}
	return out
}

// permutation is number k of those of n axes, in lexicographic order; of more than
// permChoices, those that are as far apart as possible. again says that a smaller number
// stands for the same one.
func permutation(k, n int) (p []int, again bool) {
	all := 1
	for i := 2; i <= n && all < 1<<40; i++ {
		all *= i
	}
	if again = k >= all; again {
		k %= all
	}
	if all > permChoices {
		k = k * (all / permChoices)
	}
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for i := n; i > 0; i-- {
		if all /= i; all < 1 {
			all = 1
		}
		j := min(k/all, i-1)
		k -= j * all
		p = append(p, left[j])
		left = append(left[:j:j], left[j+1:]...)
	}
	return p, again
}

// permRanks are, by attribute, the numbers of axes that variables permute; of other
// attributes nil.
func (s *Space) permRanks() {
	ranks, err := law.PermRanks(s.Law)
	s.ranks = make([]*Poly, len(s.Attrs))
	for i, a := range s.Attrs {
		if d, ok := ranks[a.Name]; ok && err == nil {
			rank := s.Poly(d)
			s.ranks[i] = &rank
		}
	}
}

// attr is the value of attribute i at a point; again says that a smaller index stands for
// the same one.
func (s *Space) attr(i int, p Point) (v graph.Value, again bool) {
	k := p[s.First()+i]
	if s.ranks[i] == nil {
		return s.Attrs[i].Values[k], false
	}
	n, _ := s.Value(s.ranks[i], p)
	perm, again := permutation(k, int(max(n, 0)))
	return graph.TupleValue(perm...), again
}

// Settle writes to a point the first one that gives the variables the same values: there
// are more numbers of permutations than permutations of few axes. It reports whether that
// is another one.
func (s *Space) Settle(p Point) (changed bool) {
	for i, rank := range s.ranks {
		if rank == nil {
			continue
		}
		k := &p[s.First()+i]
		n, _ := s.Value(rank, p)
		all := 1
		for j := 2; j <= int(n) && all < permChoices; j++ {
			all *= j
		}
		if *k >= all {
			*k, changed = *k%all, true
		}
	}
	return changed
}

// drawPerms gives permutation variables values, of the axes that there are; it reports
// false where it is not known how many these are.
func drawPerms(l *law.Law, v *Valuation, names []string, number func(name string) int) bool {
	if len(names) == 0 {
		return true
	}
	ranks, err := law.PermRanks(l)
	for _, name := range names {
		n, fault := ranks[name].Eval(&v.Substitution)
		if err != nil || fault != nil || n < 0 {
			return false
		}
		k := 0
		for range n { // numbers are small
			k = 3*k + number(name)
		}
		p, _ := permutation(k%permChoices, int(n))
		v.Attrs[name] = graph.TupleValue(p...)
	}
	return true
}
