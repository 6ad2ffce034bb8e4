package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/explain"
)

// entry is a rule, or a candidate without a proof, as a row.
type entry struct {
	page.Row
	verdict rulepage.Verdict
	line    string
	kinds   []string
}

// rowsOf are the rules in the order of the set, then what was not proved.
func rowsOf(rep *genrules.Report) (out []*entry, err error) {
	if rep.Set != nil {
		lib, err := rep.Set.Library()
		if err != nil {
			return nil, err
		}
		for i, r := range rep.Set.Rules {
			e, err := ofRule(i, r, lib)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", r.ID(), err)
			}
			out = append(out, e)
		}
	}
	for i := range rep.Unproved {
		e, err := ofCandidate(len(out), &rep.Unproved[i])
		if err != nil {
			return nil, err
		}
		e.ID = fmt.Sprintf("c%d", i)
		out = append(out, e)
	}
	return out, nil
}

// fill makes the cells and keys of the row.
func (e *entry) fill(index int, l *law.Law, use string, level int, proof page.Cell) {
	var operators []string
	if l != nil {
		e.line, operators = rulepage.Equation(l)
		e.kinds = append(e.kinds, levelKey(level))
		if len(l.LHS) > 1 {
			e.kinds = append(e.kinds, "outputs")
		}
	}
	e.Keys = [][]string{{e.verdict.Word}, operators, e.kinds}
	e.Cells = page.Cells(index, page.Mono(e.line), page.Soft(e.ID), e.verdict.Cell(), use, number(level), proof)
}

// ofRule is the row of a rule; lib are the laws of its proof.
func ofRule(index int, r *rules.Rule, lib map[string]*law.Law) (*entry, error) {
	e := &entry{Row: page.Row{ID: r.ID(), Detail: []page.Part{page.Code(law.Format(r.Law))}}, verdict: verdicts[0]}
	if r.Derivable {
		e.verdict = verdicts[1]
	}
	use, proof := "left to right", page.Cell{}
	switch {
	case r.Forward && r.Backward:
		use = "both ways"
	case r.Backward:
		use = "right to left"
	}
	if r.Conditional {
		e.kinds = append(e.kinds, "conditional")
	}
	if r.Proof != nil {
		if proof = number(len(r.Proof.Instances)); len(proof.Text) == 0 {
			proof.Text = page.Say("semantics")
		}
		if r.Proof.Meaning != nil {
			e.kinds = append(e.kinds, "meaning")
		}
		var b strings.Builder
		if err := explain.Text(&b, r.Law, r.Proof, lib); err != nil {
			return nil, err
		}
		e.Detail = append(e.Detail, page.Head(page.Say("Proof")), page.Code(b.String()))
	}
	if len(r.DerivableFrom) > 0 {
		from := page.Say("Follows from")
		for _, id := range r.DerivableFrom {
			from = page.Say(from, " ", page.Link(id, id))
		}
		e.Detail = append(e.Detail, from)
	}
	e.fill(index, r.Law, use, r.Level, proof)
	return e, nil
}

// ofCandidate is the row of what was not proved.
func ofCandidate(index int, u *genrules.Unproved) (*entry, error) {
	e := &entry{Row: page.Row{Detail: []page.Part{page.Code(u.Law)}}, verdict: verdicts[3], line: strings.Join(strings.Fields(u.Law), " ")}
	if u.Status == law.RefutedWord {
		e.verdict = verdicts[2]
	}
	level := 0
	l, err := law.ParseLaw(u.Law)
	if err != nil {
		l = nil // a pair of graphs
	} else {
		level = max(law.Size(l.LHS...), law.Size(l.RHS...))
	}
	e.fill(index, l, "", level, page.Cell{})
	if u.Witness == nil {
		e.Detail = append(e.Detail, page.Say(u.Reason))
		return e, nil
	}
	data, err := json.Marshal(u.Witness)
	if err != nil {
		return nil, fmt.Errorf("counterexample: %w", err)
	}
	e.Detail = append(e.Detail, page.Head(page.Say("Counterexample")))
	e.Detail = append(e.Detail, rulepage.Witnessed(u.Law, string(data), u.Witness).Parts()...)
	return e, nil
}
