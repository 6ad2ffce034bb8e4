package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/explain"
)

// row is a rule, or a candidate that is none, and what it opens to.
type row struct {
	ID             string // of the row
	Index          int
	Name, Line     string // the rule's identity, its equation
	Use            string
	Level, Steps   int // operators; instances of the proof
	Verdict        rulepage.Verdict
	OpKey, KindKey string // what the filters look at
	Law, Proof     string
	Reason         string
	From           []string // rules that it follows from
	Counterexample *rulepage.Counterexample

	operators []string
}

// rows are the rules in the order of the set, then what was not proved.
func (c *content) rows() error {
	if c.Report.Set != nil {
		lib, err := c.Report.Set.Library()
		if err != nil {
			return err
		}
		for _, r := range c.Report.Set.Rules {
			x, err := ofRule(r, lib)
			if err != nil {
				return fmt.Errorf("rule %s: %w", r.ID(), err)
			}
			c.add(x)
		}
	}
	for i := range c.Report.Unproved {
		x, err := ofCandidate(&c.Report.Unproved[i])
		if err != nil {
			return err
		}
		x.ID = fmt.Sprintf("c%d", i)
		c.add(x)
	}
	return nil
}

func (c *content) add(x *row) {
	x.Index = len(c.Rows)
	c.Rows = append(c.Rows, x)
}

// ofRule is the row of a rule; lib are the laws of its proof.
func ofRule(r *rules.Rule, lib map[string]*law.Law) (*row, error) {
	x := &row{ID: r.ID(), Name: r.ID(), Verdict: verdicts[0], Level: r.Level, Law: law.Format(r.Law), From: r.DerivableFrom}
	if r.Derivable {
		x.Verdict = verdicts[1]
	}
	x.about(r.Law)
	switch {
	case r.Forward && r.Backward:
		x.Use = "both ways"
	case r.Forward:
		x.Use = "left to right"
	case r.Backward:
		x.Use = "right to left"
	}
	kinds := strings.Fields(x.KindKey)
	if r.Conditional {
		kinds = append(kinds, "conditional")
	}
	if r.Proof != nil {
		x.Steps = len(r.Proof.Instances)
		if r.Proof.Meaning != nil {
			kinds = append(kinds, "meaning")
		}
		var b strings.Builder
		if err := explain.Text(&b, r.Law, r.Proof, lib); err != nil {
			return nil, err
		}
		x.Proof = b.String()
	}
	x.KindKey = strings.Join(append(kinds, fmt.Sprintf("level%d", r.Level)), " ")
	return x, nil
}

// ofCandidate is the row of what was not proved.
func ofCandidate(u *genrules.Unproved) (*row, error) {
	x := &row{Verdict: verdicts[3], Law: u.Law, Line: strings.Join(strings.Fields(u.Law), " "), Reason: u.Reason}
	if l, err := law.ParseLaw(u.Law); err == nil {
		x.about(l)
		x.Level = max(law.Size(l.LHS...), law.Size(l.RHS...))
		x.KindKey = strings.TrimSpace(fmt.Sprintf("%s level%d", x.KindKey, x.Level))
	}
	if u.Status == law.RefutedWord {
		x.Verdict = verdicts[2]
	}
	if u.Witness == nil {
		return x, nil
	}
	data, err := json.Marshal(u.Witness)
	if err != nil {
		return nil, fmt.Errorf("counterexample: %w", err)
	}
	x.Reason = ""
	x.Counterexample = rulepage.Witnessed(u.Law, string(data), u.Witness)
	return x, nil
}

// about fills in what the law itself says.
func (x *row) about(l *law.Law) {
	rel := " == "
	if l.OneWay {
		rel = " => "
	}
	x.Line = law.FormatOutputs(l.LHS) + rel + law.FormatOutputs(l.RHS)
	ops := map[string]bool{}
	l.EachTerm(func(t *law.Term) {
		if t.Op != nil {
			ops[t.Op.Name] = true
		}
	})
	x.operators = slices.Sorted(maps.Keys(ops))
	x.OpKey = strings.Join(x.operators, "|")
	if len(l.LHS) > 1 {
		x.KindKey = "outputs"
	}
}
