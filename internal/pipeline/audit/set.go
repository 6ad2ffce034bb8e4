package audit

import (
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
)

// set says what concerns the rules of a file together.
func (d *decider) set(ctx context.Context, rep *Report) error {
	rep.duplicates()
	rep.Set.AxiomUse, rep.Set.Unused = []Use{}, []string{}
	rep.coverage()
	if err := d.looping(ctx, rep); err != nil {
		return err
	}
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
func (d *decider) looping(ctx context.Context, rep *Report) error {
	type way struct{ there, back string }
	ids := make([]way, len(rep.Rules))
	err := d.each(ctx, len(ids), func(i int) error {
		if g := rep.Rules[i].Goals[0]; g != nil {
			ids[i] = way{directedID(law.OneDirection(g.Law, false)), directedID(law.OneDirection(g.Law, true))}
		}
		return nil
	})
	if err != nil {
		return err
	}
	at := map[string][]int{}
	for i, w := range ids {
		if w.there != "" {
			at[w.there] = append(at[w.there], i)
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
	return nil
}

// directedID is the identity of a one-way law, "" if it has none.
func directedID(l *law.Law) string {
	if _, err := l.Types(); err != nil {
		return ""
	}
	return law.ID(l)
}
