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
	row              page.Row
	verdict          rulepage.Verdict
	line, name, use  string
	level, instances int
	proof            string // in a word, if it has no instances
	operators, kinds []string
}

// rowsOf are the rules in the order of the set, then what was not proved.
func rowsOf(rep *genrules.Report) (out []*entry, err error) {
	add := func(e *entry) {
		proof := number(e.instances)
		if e.proof != "" {
			proof = page.Cell{Text: page.Say(e.proof), Sort: "0"}
		}
		e.row.Keys = [][]string{{e.verdict.Word}, e.operators, e.kinds}
		e.row.Cells = page.Cells(len(out), page.Mono(e.line), page.Soft(e.name), e.verdict.Cell(), e.use, number(e.level), proof)
		out = append(out, e)
	}
	if rep.Set != nil {
		lib, err := rep.Set.Library()
		if err != nil {
			return nil, err
		}
		for _, r := range rep.Set.Rules {
			e, err := ofRule(r, lib)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", r.ID(), err)
			}
			add(e)
		}
	}
	for i := range rep.Unproved {
		e, err := ofCandidate(&rep.Unproved[i])
		if err != nil {
			return nil, err
		}
		e.row.ID = fmt.Sprintf("c%d", i)
		add(e)
	}
	return out, nil
}

// ofRule is the row of a rule; lib are the laws of its proof.
func ofRule(r *rules.Rule, lib map[string]*law.Law) (*entry, error) {
	e := &entry{name: r.ID(), verdict: verdicts[0], level: r.Level}
	e.row.ID = r.ID()
	if r.Derivable {
		e.verdict = verdicts[1]
	}
	e.about(r.Law)
	switch {
	case r.Forward && r.Backward:
		e.use = "both ways"
	case r.Forward:
		e.use = "left to right"
	case r.Backward:
		e.use = "right to left"
	}
	if r.Conditional {
		e.kinds = append(e.kinds, "conditional")
	}
	e.kinds = append(e.kinds, levelKey(r.Level))
	add := func(p ...page.Part) { e.row.Detail = append(e.row.Detail, p...) }
	add(page.Code(law.Format(r.Law)))
	if r.Proof != nil {
		e.instances = len(r.Proof.Instances)
		if e.instances == 0 {
			e.proof = "semantics"
		}
		if r.Proof.Meaning != nil {
			e.kinds = append(e.kinds, "meaning")
		}
		var b strings.Builder
		if err := explain.Text(&b, r.Law, r.Proof, lib); err != nil {
			return nil, err
		}
		add(page.Head(page.Say("Proof")), page.Code(b.String()))
	}
	if len(r.DerivableFrom) > 0 {
		from := page.Say("Follows from ")
		for i, id := range r.DerivableFrom {
			if i > 0 {
				from = page.Say(from, ", ")
			}
			from = page.Say(from, page.Link(id, id))
		}
		add(from)
	}
	return e, nil
}

// ofCandidate is the row of what was not proved.
func ofCandidate(u *genrules.Unproved) (*entry, error) {
	e := &entry{verdict: verdicts[3], line: strings.Join(strings.Fields(u.Law), " ")}
	if l, err := law.ParseLaw(u.Law); err == nil {
		e.about(l)
		e.level = max(law.Size(l.LHS...), law.Size(l.RHS...))
		e.kinds = append(e.kinds, levelKey(e.level))
	}
	if u.Status == law.RefutedWord {
		e.verdict = verdicts[2]
	}
	e.row.Detail = []page.Part{page.Code(u.Law)}
	if u.Witness == nil {
		if u.Reason != "" {
			e.row.Detail = append(e.row.Detail, page.Say(u.Reason))
		}
		return e, nil
	}
	data, err := json.Marshal(u.Witness)
	if err != nil {
		return nil, fmt.Errorf("counterexample: %w", err)
	}
	e.row.Detail = append(e.row.Detail, page.Head(page.Say("Counterexample")))
	e.row.Detail = append(e.row.Detail, rulepage.Witnessed(u.Law, string(data), u.Witness).Parts()...)
	return e, nil
}

// about fills in what the law itself says.
func (e *entry) about(l *law.Law) {
	e.line, e.operators = rulepage.Equation(l)
	if len(l.LHS) > 1 {
		e.kinds = append(e.kinds, "outputs")
	}
}
