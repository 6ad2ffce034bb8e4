package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

// rule is a row of the table and what it opens to.
type rule struct {
	ID                string
	Rule              *audit.Rule
	Forward, Backward verdict
	Line, Condition   string
	Holds             string // the readings under which it does
	OpKey, KindKey    string // what the filters look at
	Left, Right       template.HTML
	Conditions, Laws  []named
	Readings          []reading
	Axioms            []axiom
	Links             []links
	Counterexamples   []*rulepage.Counterexample

	operators []string
}

// named is a text with what it is of.
type named struct{ Name, Text string }

// links are rules with what relates them to this one.
type links struct {
	Name string
	Refs []ref
}

// reading is what was found under one reading.
type reading struct {
	Semantics, Note string
	Ways            []way
}

// way is what was found of one direction.
type way struct {
	Name, Condition, Reason, Sizes, Engine, Certificate string
	Verdict                                             verdict
	Millis                                              float64
}

const (
	forward  = "left to right"
	backward = "right to left"
)

func (f *file) rule(r *audit.Rule) (*rule, error) {
	h := &rule{ID: f.ref(r.Index).ID, Rule: r, Line: r.Source,
		Forward: newVerdict(r.Verdict), Backward: newVerdict(r.VerdictReverse), Axioms: f.axioms(r.Axioms)}
	ops := map[string]bool{}
	for _, op := range r.Operators {
		ops[op] = true
	}
	if l, err := law.ParseLaw(r.Law); err == nil {
		rel := " == "
		if l.OneWay {
			rel = " => "
		}
		h.Line = law.FormatOutputs(l.LHS) + rel + law.FormatOutputs(l.RHS)
		if h.Left, h.Right, err = rulepage.Pictures(l, fmt.Sprintf("rule %d", r.Index)); err != nil {
			return nil, err
		}
		l.EachTerm(func(t *law.Term) {
			if t.Op != nil {
				ops[t.Op.Name] = true
			}
		})
	}
	h.operators = slices.Sorted(maps.Keys(ops))
	h.OpKey = strings.Join(h.operators, "|")
	switch {
	case r.Condition == r.ConditionReverse || r.ConditionReverse == "":
		h.Condition = r.Condition
	case r.Condition == "":
		h.Condition = backward + ": " + r.ConditionReverse
	default:
		h.Condition = forward + ": " + r.Condition + "; " + backward + ": " + r.ConditionReverse
	}
	for _, c := range []named{{"Left to right", r.Condition}, {"Right to left", r.ConditionReverse}} {
		if c.Text != "" {
			h.Conditions = append(h.Conditions, c)
		}
	}
	h.Holds = strings.Join(r.Semantics, ", ")
	switch {
	case len(r.Semantics) > 1 && len(r.Semantics) == len(r.Readings):
		h.Holds = "all"
	case len(r.Semantics) == 0 && len(r.Readings) > 0:
		h.Holds = "none"
	}
	h.readings(r)
	f.relations(h)
	return h, h.refutations(r)
}

// readings lists what was found under each reading.
func (h *rule) readings(r *audit.Rule) {
	laws := map[string]int{}
	for _, g := range r.Readings {
		x := reading{Semantics: g.Semantics}
		for _, w := range []struct {
			name string
			d    audit.Direction
		}{{forward, g.Forward}, {backward, g.Backward}} {
			if w.d.Verdict == "" {
				continue
			}
			x.Ways = append(x.Ways, way{Name: w.name, Condition: w.d.Condition, Reason: w.d.Reason,
				Sizes: w.d.Sizes, Engine: w.d.Engine, Certificate: w.d.HasCertificate(), Verdict: newVerdict(w.d.Verdict), Millis: w.d.Millis})
		}
		if g.Forward.Verdict == audit.Unknown || g.Backward.Verdict == audit.Unknown {
			x.Note = fmt.Sprintf("equal on %d shapes tried", g.ShapesAgreeing)
			if g.Saturated {
				x.Note = "the search was complete; " + x.Note
			}
		}
		h.Readings = append(h.Readings, x)
		if g.Law == "" || g.Law == r.Law {
			continue
		}
		if i, ok := laws[g.Law]; ok {
			h.Laws[i].Name += ", " + g.Semantics
			continue
		}
		laws[g.Law] = len(h.Laws)
		h.Laws = append(h.Laws, named{g.Semantics, g.Law})
	}
}

// relations lists how the rule stands to the others.
func (f *file) relations(h *rule) {
	r, s := h.Rule, f.sets[h.Rule.Index]
	if s == nil {
		s = &sets{}
	}
	var kinds []string
	add := func(kind, name string, indices []int) {
		if kind != "" && len(indices) > 0 {
			kinds = append(kinds, kind)
		}
		if name != "" && len(indices) > 0 {
			h.Links = append(h.Links, links{name, f.refs(indices)})
		}
	}
	one := func(i int) []int {
		if i < 0 {
			return nil
		}
		return []int{i}
	}
	if s.minimal {
		add("minimal", "", one(r.Index))
	}
	add("duplicate", "Says the same as", one(r.DuplicateOf))
	add("", "The same is said by", s.twins)
	add("subsumed", "Is an instance of", one(r.SubsumedBy))
	add("", "Has as instances", s.instances)
	add("derivable", "Follows from", r.DerivableFrom)
	add("looping", "Used left to right, leads back with", s.looping)
	for _, g := range r.Readings[min(1, len(r.Readings)):] {
		a := r.Readings[0]
		if g.Forward.Verdict != a.Forward.Verdict || g.Backward.Verdict != a.Backward.Verdict ||
			g.Forward.Condition != a.Forward.Condition || g.Backward.Condition != a.Backward.Condition {
			add("differs", "", one(0))
			break
		}
	}
	h.KindKey = strings.Join(kinds, " ")
}

// refutations lists the counterexamples, equal ones once.
func (h *rule) refutations(r *audit.Rule) error {
	at := map[string]int{}
	var of [][]string
	add := func(c *audit.Counterexample, what string) error {
		if c == nil {
			return nil
		}
		x, err := newCounterexample(c)
		if err != nil {
			return err
		}
		i, ok := at[x.JSON]
		if !ok {
			i = len(of)
			at[x.JSON], of = i, append(of, nil)
			h.Counterexamples = append(h.Counterexamples, x)
		}
		if what != "" {
			of[i] = append(of[i], what)
		}
		return nil
	}
	err := add(r.Counterexample, "")
	for _, g := range r.Readings {
		for _, w := range []struct {
			name string
			d    audit.Direction
		}{{forward, g.Forward}, {backward, g.Backward}} {
			if e := add(w.d.Counterexample, g.Semantics+", "+w.name); err == nil {
				err = e
			}
		}
	}
	for i, x := range h.Counterexamples {
		x.Of = strings.Join(of[i], "; ")
	}
	return err
}

// newCounterexample shows a counterexample with all its tensors.
func newCounterexample(c *audit.Counterexample) (*rulepage.Counterexample, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("counterexample: %w", err)
	}
	if c.Witness != nil {
		return rulepage.Witnessed(c.Law, string(data), c.Witness), nil
	}
	given := map[string]refute.Tensor{}
	for name, shape := range c.Shapes {
		given[name] = refute.Tensor{Shape: shape, Values: c.Inputs[name]}
	}
	return rulepage.Given(c.Law, fmt.Sprintf("left: %s; right: %s", c.LHS, c.RHS), string(data), given), nil
}
