package audit

import (
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
)

// deriveRounds bound the search for a derivation from other rules.
var deriveRounds = []tensor.Limits{
	{Nodes: 200, Iters: 4, Level: tensor.Shrinking},
	{Nodes: 600, Iters: 3, Level: tensor.Growing},
	{Nodes: 1500, Iters: 4, Level: tensor.Growing},
}

// minimal finds a generating subset of the true rules: in order of size, a rule
// is kept unless it follows from those kept; then each kept one is left out if
// it follows from the others.
func (d *decider) minimal(ctx context.Context, rep *Report) error {
	all := rep.classes()
	stage := d.opt.Progress.Stage("derivable", int64(2*len(all)))
	defer stage.Done()
	byName := map[string]*entry{}
	for _, e := range all {
		byName[e.law.Name] = e
	}
	derive := func(v verify.Verdict, e *entry) bool {
		if v.Status != verify.Proved {
			return false
		}
		e.rule.DerivableFrom = []int{}
		for _, n := range v.Proof.Laws() {
			if f := byName[n]; f != nil {
				e.rule.DerivableFrom = append(e.rule.DerivableFrom, f.rule.Index)
			}
		}
		e.rule.Trivial = len(e.rule.DerivableFrom) == 0
		return true
	}
	// Sets do not tell terms apart that differ in the order of commutative
	// operands, so that order is granted.
	granted := commutativity()
	s, err := verify.NewSession(deriveRounds, granted...)
	if err != nil {
		return err
	}
	var kept []*entry
	for _, e := range all {
		v, err := s.Prove(ctx, e.law)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		stage.Add(1)
		if derive(v, e) {
			continue
		}
		kept = append(kept, e)
		if err := s.Add(e.law); err != nil {
			return err
		}
	}
	out, err := d.leaveOut(ctx, granted, kept, func(v verify.Verdict, e *entry) bool {
		stage.Add(1)
		return derive(v, e)
	})
	if err != nil {
		return err
	}
	rep.Set.Minimal = []int{}
	for _, e := range kept {
		if !out[e.law.Name] {
			rep.Set.Minimal = append(rep.Set.Minimal, e.rule.Index)
		}
	}
	sort.Ints(rep.Set.Minimal)
	rep.ground()
	return nil
}

// entry is a true rule that says something else than those before it.
type entry struct {
	rule *Rule
	law  *law.Law // canonical
	size int
}

// classes lists the true rules, each but once, by size, and notes which are instances
// of others.
func (rep *Report) classes() []*entry {
	var all []*entry
	seen := map[string]bool{}
	for _, r := range rep.Rules {
		l := r.form
		if l == nil || r.Verdict != Proved && r.Verdict != Conditional || seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		all = append(all, &entry{r, l, law.Size(l.LHS...) + law.Size(l.RHS...)})
	}
	rep.Set.Classes = len(all)
	var laws []*law.Law
	byName := map[string]*entry{}
	for _, e := range all {
		laws = append(laws, e.law)
		byName[e.law.Name] = e
	}
	_, pruned := rules.Subsume(laws)
	for _, p := range pruned {
		if e := byName[p.Law.Name]; e != nil && p.By != nil && byName[p.By.Name] != nil {
			e.rule.SubsumedBy = byName[p.By.Name].rule.Index
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].size < all[j].size })
	return all
}

// aheadOf is how many rules a goroutine asks about before what they are asked from is
// known for certain.
const aheadOf = 4

// leaveOut asks of each of the kept rules, the last first, whether it follows from the
// others that are not left out by then, and lists by name those for which derived says
// yes. Some are asked together: where one of them is left out, those after it are asked
// again, so that the answers are those of one at a time.
func (d *decider) leaveOut(ctx context.Context, granted []*law.Law, kept []*entry, derived func(verify.Verdict, *entry) bool) (map[string]bool, error) {
	laws := slices.Clone(granted)
	for _, e := range kept {
		laws = append(laws, e.law)
	}
	workers := parallel.Workers(d.opt.Workers, len(kept))
	sessions := make([]*verify.Session, workers)
	out := map[string]bool{}
	for i := len(kept); i > 0; {
		n := 1
		if workers > 1 {
			n = min(i, aheadOf*workers)
		}
		vs := make([]verify.Verdict, n)
		err := parallel.Each(ctx, workers, n, func(w, k int) (err error) {
			if sessions[w] == nil {
				if sessions[w], err = verify.NewSession(deriveRounds, laws...); err != nil {
					return err
				}
			}
			e := kept[i-1-k]
			without := maps.Clone(out)
			without[e.law.Name] = true
			vs[k], err = sessions[w].ProveWithout(ctx, e.law, without)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, v := range vs {
			i--
			if derived(v, kept[i]) {
				out[kept[i].law.Name] = true
				break
			}
		}
	}
	return out, nil
}

// commutativity lists the axioms that say that operands may be exchanged.
func commutativity() []*law.Law {
	var out []*law.Law
	for _, l := range axioms.ByKind(law.Axiom) {
		a, b := l.LHS[0], l.RHS[0]
		if len(l.LHS) == 1 && a.Op != nil && a.Op == b.Op && a.Op.Commutative && a.Args[0].IsVar() && a.Args[1].IsVar() &&
			a.Args[0].Var != a.Args[1].Var && a.Args[0].Var == b.Args[1].Var && a.Args[1].Var == b.Args[0].Var {
			out = append(out, l)
		}
	}
	return out
}

// ground rewrites what rules are derivable from in terms of the minimal subset:
// a rule that was itself left out is replaced by what it follows from. Each was
// left out while what it follows from was still there, so this ends.
func (rep *Report) ground() {
	byIndex := map[int]*Rule{}
	for _, r := range rep.Rules {
		byIndex[r.Index] = r
	}
	minimal := map[int]bool{}
	for _, i := range rep.Set.Minimal {
		minimal[i] = true
	}
	memo := map[int]map[int]bool{}
	var leaves func(i int) map[int]bool
	leaves = func(i int) map[int]bool {
		if minimal[i] {
			return map[int]bool{i: true}
		}
		if m, ok := memo[i]; ok {
			return m
		}
		m := map[int]bool{}
		memo[i] = m
		for _, j := range byIndex[i].DerivableFrom {
			for k := range leaves(j) {
				m[k] = true
			}
		}
		return m
	}
	grounded := map[*Rule][]int{}
	for _, r := range rep.Rules {
		if r.DerivableFrom != nil {
			grounded[r] = slices.Sorted(maps.Keys(leaves(r.Index)))
		}
	}
	for r, from := range grounded {
		r.DerivableFrom = from
	}
}
