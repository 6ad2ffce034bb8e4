package audit

import (
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
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

// set says what concerns the rules of a file together.
func (d *decider) set(ctx context.Context, rep *Report) error {
	rep.duplicates()
	d.axiomUse(rep)
	rep.coverage()
	rep.looping()
	return d.minimal(ctx, rep)
}

// duplicates marks rules that say the same as an earlier one, up to names,
// order of commutative operands, and exchange of the sides.
func (rep *Report) duplicates() {
	first := map[string]int{}
	for i, r := range rep.Rules {
		if r.ID == "" {
			continue
		}
		if j, ok := first[r.ID]; ok {
			r.DuplicateOf = rep.Rules[j].Index
		} else {
			first[r.ID] = i
		}
	}
}

func (d *decider) axiomUse(rep *Report) {
	uses := map[string]int{}
	for _, r := range rep.Rules {
		for _, a := range r.Axioms {
			uses[a]++
		}
	}
	rep.Set.AxiomUse, rep.Set.Unused = []Use{}, []string{}
	for _, l := range axioms.ByKind(law.Axiom) {
		if n := uses[l.Name]; n > 0 {
			rep.Set.AxiomUse = append(rep.Set.AxiomUse, Use{l.Name, n})
		} else {
			rep.Set.Unused = append(rep.Set.Unused, l.Name)
		}
	}
	sort.SliceStable(rep.Set.AxiomUse, func(i, j int) bool { return rep.Set.AxiomUse[i].Rules > rep.Set.AxiomUse[j].Rules })
}

// coverage counts rules by operator.
func (rep *Report) coverage() {
	count := map[string]map[Outcome]int{}
	add := func(op string, o Outcome) {
		if count[op] == nil {
			count[op] = map[Outcome]int{}
		}
		count[op][o]++
	}
	for _, r := range rep.Rules {
		ops := map[string]bool{}
		if l, err := law.ParseLaw(r.Law); err == nil {
			l.EachTerm(func(t *law.Term) {
				if t.Op != nil {
					ops[t.Op.Name] = true
				}
			})
		}
		if len(ops) == 0 {
			for _, op := range r.Operators {
				ops[op] = true
			}
		}
		for _, op := range slices.Sorted(maps.Keys(ops)) {
			add(op, r.Verdict)
		}
	}
	rep.Set.Operators = []Coverage{}
	for _, op := range slices.Sorted(maps.Keys(count)) {
		rep.Set.Operators = append(rep.Set.Operators, Coverage{op, count[op]})
	}
}

// looping finds rules that lead back: used left to right, one makes of the
// right side of the other its left side again. A rule that is its own reverse
// stands alone.
func (rep *Report) looping() {
	type way struct{ there, back string }
	ids := make([]way, len(rep.Rules))
	at := map[string][]int{}
	for i, r := range rep.Rules {
		if r.Goals[0] == nil {
			continue
		}
		l := r.Goals[0].Law
		ids[i] = way{directedID(law.OneDirection(l, false)), directedID(law.OneDirection(l, true))}
		if ids[i].there != "" {
			at[ids[i].there] = append(at[ids[i].there], i)
		}
	}
	for i := range rep.Rules {
		if ids[i].back == "" {
			continue
		}
		for _, j := range at[ids[i].back] {
			switch {
			case j == i:
				rep.Set.Looping = append(rep.Set.Looping, []int{rep.Rules[i].Index})
			case j > i:
				rep.Set.Looping = append(rep.Set.Looping, []int{rep.Rules[i].Index, rep.Rules[j].Index})
			}
		}
	}
}

// directedID is the identity of a one-way law, "" if it has none.
func directedID(l *law.Law) string {
	if _, err := l.Types(); err != nil {
		return ""
	}
	return law.ID(law.Canonical(l))
}

// minimal finds a generating subset of the true rules: in order of size, a rule
// is kept unless it follows from those kept; then each kept one is left out if
// it follows from the others.
func (d *decider) minimal(ctx context.Context, rep *Report) error {
	type entry struct {
		rule *Rule
		law  *law.Law // canonical
		size int
	}
	var all []*entry
	seen := map[string]bool{}
	for _, r := range rep.Rules {
		if r.Goals[0] == nil || r.Verdict != Proved && r.Verdict != Conditional {
			continue
		}
		x, err := rules.New(r.Goals[0].Law)
		if err != nil || seen[x.ID()] {
			continue
		}
		seen[x.ID()] = true
		all = append(all, &entry{r, x.Law, law.Size(x.Law.LHS...) + law.Size(x.Law.RHS...)})
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
	stage := d.opt.Progress.Stage("derivable", int64(2*len(all)))
	defer stage.Done()
	// Sets do not tell terms apart that differ in the order of commutative
	// operands, so that order is granted.
	granted := commutativity()
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
	for i := len(kept) - 1; i >= 0; i-- {
		others := granted[:len(granted):len(granted)]
		for j, e := range kept {
			if j != i {
				others = append(others, e.law)
			}
		}
		v, err := verify.Derive(ctx, kept[i].law, others, deriveRounds)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		stage.Add(1)
		if derive(v, kept[i]) {
			kept = append(kept[:i], kept[i+1:]...)
		}
	}
	rep.Set.Minimal = []int{}
	for _, e := range kept {
		rep.Set.Minimal = append(rep.Set.Minimal, e.rule.Index)
	}
	sort.Ints(rep.Set.Minimal)
	rep.ground()
	return nil
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
