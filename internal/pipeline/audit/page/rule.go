package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

const (
	forward  = "left to right"
	backward = "right to left"
)

// directions are those of a reading, with their names.
func directions(g *audit.Reading) [2]struct {
	name string
	audit.Direction
} {
	return [2]struct {
		name string
		audit.Direction
	}{{forward, g.Forward}, {backward, g.Backward}}
}

// rule is the row of a rule, and its operators.
func (f *file) rule(r *audit.Rule) (page.Row, []string, error) {
	row := page.Row{ID: f.rowID(r.Index)}
	add := func(p ...page.Part) { row.Detail = append(row.Detail, p...) }
	say := func(parts ...any) { add(page.Say(parts...)) }
	add(page.Head(page.Say(fmt.Sprintf("#%d %s", r.Index, r.Name))),
		page.Note(page.Say(strings.TrimSpace(r.Place+" "+r.ID)+" ", page.Link(row.ID, "link"))))
	ops := map[string]bool{}
	for _, op := range r.Operators {
		ops[op] = true
	}
	line := r.Source
	if l, err := law.ParseLaw(r.Law); err == nil {
		var of []string
		line, of = rulepage.Equation(l)
		for _, op := range of {
			ops[op] = true
		}
		sides, err := rulepage.Sides(l, fmt.Sprintf("rule %d", r.Index))
		if err != nil {
			return row, nil, err
		}
		add(sides)
	}
	if r.Law != "" {
		add(page.Code(r.Law))
	}
	if r.Source != "" {
		say("in the file: ", page.Mono(r.Source))
	}
	if r.Reason != "" {
		say(r.Reason)
	}
	if len(r.Unsupported) > 0 {
		say("not modelled: ", page.Mono(strings.Join(r.Unsupported, ", ")))
	}
	add(readings(r)...)
	if len(r.Axioms) > 0 {
		add(page.Head(page.Say("Axioms used")), f.axioms(r.Axioms))
	}
	kinds, relations := f.relations(r)
	add(relations...)
	cx, err := refutations(r)
	if err != nil {
		return row, nil, err
	}
	add(cx...)
	sound := strings.Join(r.Semantics, ", ")
	switch {
	case len(r.Semantics) > 1 && len(r.Semantics) == len(r.Readings):
		sound = "all"
	case len(r.Semantics) == 0 && len(r.Readings) > 0:
		sound = "none"
	}
	operators := slices.Sorted(maps.Keys(ops))
	row.Keys = [][]string{{string(r.Verdict), string(r.VerdictReverse)}, operators, kinds}
	row.Cells = page.Cells(r.Index, r.Name, page.Mono(line), verdictOf(r.Verdict).Cell(), verdictOf(r.VerdictReverse).Cell(),
		condition(r), page.Soft(sound), fmt.Sprintf("%.1f", r.Millis))
	return row, operators, nil
}

// readings lists what was found under each reading.
func readings(r *audit.Rule) (parts []page.Part) {
	t := &page.Table{Columns: page.Columns("reading", "direction", "verdict", "condition", "sizes", "reason", "engine", "certificate", "#time, ms")}
	at, rows := map[string]int{}, map[string]int{}
	var laws []named
	for _, g := range r.Readings {
		note := ""
		if g.Forward.Verdict == audit.Unknown || g.Backward.Verdict == audit.Unknown {
			note = fmt.Sprintf("equal on %d shapes tried", g.ShapesAgreeing)
		}
		for _, d := range directions(&g) {
			if d.Verdict == "" {
				continue
			}
			says := page.Say(d.Reason)
			if note != "" {
				says = page.Say(says, page.Soft(" "+note))
				note = ""
			}
			cells := page.Cells(g.Semantics, d.name, verdictOf(d.Verdict).Cell(), d.Condition, d.Sizes, says, d.Engine, d.HasCertificate(), fmt.Sprintf("%.1f", d.Millis))
			key := fmt.Sprint(cells[1:])
			if i, ok := rows[key]; ok { // another reading with the same result
				t.Rows[i].Cells[0].Text = page.Say(t.Rows[i].Cells[0].Text, ", "+g.Semantics)
				continue
			}
			rows[key] = len(t.Rows)
			t.Rows = append(t.Rows, page.Row{Cells: cells})
		}
		if g.Law == "" || g.Law == r.Law {
			continue
		}
		if i, ok := at[g.Law]; ok {
			laws[i].name += ", " + g.Semantics
			continue
		}
		at[g.Law] = len(laws)
		laws = append(laws, named{g.Semantics, g.Law})
	}
	if len(t.Rows) > 0 {
		parts = append(parts, t)
	}
	for _, l := range laws {
		parts = append(parts, &page.Details{Title: page.Say("the rule as read by " + l.name), Parts: []page.Part{page.Code(l.text)}})
	}
	return parts
}

// relations says how the rule stands to the others.
func (f *file) relations(r *audit.Rule) (kinds []string, parts []page.Part) {
	s := f.sets[r.Index]
	if s == nil {
		s = &sets{}
	}
	add := func(kind, name string, indices []int) {
		if kind != "" && len(indices) > 0 {
			kinds = append(kinds, kind)
		}
		if name != "" && len(indices) > 0 {
			parts = append(parts, page.Say(name+" ", f.refs(indices)))
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
	add("duplicate", "Equal to", one(r.DuplicateOf))
	add("", "Equal to this rule:", s.twins)
	add("subsumed", "An instance of", one(r.SubsumedBy))
	add("", "Has the instances", s.instances)
	add("derivable", "Follows from", r.DerivableFrom)
	add("looping", "Used left to right, loops with", s.looping)
	for _, g := range r.Readings[min(1, len(r.Readings)):] {
		a := r.Readings[0]
		if g.Forward.Verdict != a.Forward.Verdict || g.Backward.Verdict != a.Backward.Verdict ||
			g.Forward.Condition != a.Forward.Condition || g.Backward.Condition != a.Backward.Condition {
			add("differs", "", one(0))
			break
		}
	}
	return kinds, parts
}

// refutations shows the counterexamples, equal ones once.
func refutations(r *audit.Rule) (parts []page.Part, err error) {
	at := map[string]int{}
	var all []*rulepage.Counterexample
	var of [][]string
	add := func(c *audit.Counterexample, what string) {
		if c == nil || err != nil {
			return
		}
		var x *rulepage.Counterexample
		if x, err = newCounterexample(c); err != nil {
			return
		}
		i, ok := at[x.JSON]
		if !ok {
			i = len(all)
			at[x.JSON], all, of = i, append(all, x), append(of, nil)
		}
		if what != "" {
			of[i] = append(of[i], what)
		}
	}
	add(r.Counterexample, "")
	for _, g := range r.Readings {
		for _, d := range directions(&g) {
			add(d.Counterexample, g.Semantics+", "+d.name)
		}
	}
	for i, x := range all {
		which := ""
		if len(of[i]) > 0 {
			which = " (" + strings.Join(of[i], "; ") + ")"
		}
		if i == 0 {
			parts = append(parts, page.Head(page.Say("Counterexample", page.Soft(which))))
			parts = append(parts, x.Parts()...)
		} else {
			parts = append(parts, &page.Details{Title: page.Say("Another counterexample" + which), Parts: x.Parts()})
		}
	}
	return parts, err
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
