package audit

import "testing"

// The first sentence of a report counts rules that have a counterexample, and no others, as
// unsound.
func TestAnswer(t *testing.T) {
	c := &Counterexample{}
	proved := &Rule{Verdict: Proved, Readings: []Reading{{Forward: Direction{Verdict: Proved}}}}
	refuted := &Rule{Verdict: Refuted, Readings: []Reading{{Forward: Direction{Verdict: Refuted, Counterexample: c}}}}
	narrow := &Rule{Verdict: Conditional, Readings: []Reading{{Forward: Direction{Verdict: Proved}}, {Forward: Direction{Verdict: Conditional, Counterexample: c, broadcast: true}}}}
	// Nothing refutes it without its condition.
	careful := &Rule{Verdict: Conditional, Readings: []Reading{{Forward: Direction{Verdict: Conditional, broadcast: true}}}}
	unknown := &Rule{Verdict: Unknown, Readings: []Reading{{Forward: Direction{Verdict: Unknown}}}}
	// Right to left is not what a rule says, unless it is an equation.
	oneWay := &Rule{Verdict: Proved, VerdictReverse: Refuted, Readings: []Reading{{Forward: Direction{Verdict: Proved}, Backward: Direction{Verdict: Refuted, Counterexample: c}}}}
	equation := &Rule{Equation: true, Verdict: Proved, VerdictReverse: Refuted, Readings: oneWay.Readings}
	for _, x := range []struct {
		rules []*Rule
		want  string
	}{
		{nil, "there are no rules"},
		{[]*Rule{proved}, "the rule is sound: proved as written, for all shapes"},
		{[]*Rule{proved, oneWay}, "all 2 rules are sound: proved as written, for all shapes"},
		{[]*Rule{refuted}, "the rule is unsound as written"},
		{[]*Rule{narrow}, "the rule is unsound as written under broadcasting"},
		{[]*Rule{unknown}, "the rule is not proved as written; no counterexample was found"},
		{[]*Rule{proved, refuted}, "1 of 2 rules is unsound as written"},
		{[]*Rule{proved, equation, refuted}, "2 of 3 rules are unsound as written"},
		{[]*Rule{refuted, narrow, proved}, "2 of 3 rules are unsound as written, 1 of them under broadcasting"},
		{[]*Rule{refuted, narrow, unknown}, "2 of 3 rules are unsound as written, 1 of them under broadcasting; 1 more is not proved"},
		{[]*Rule{refuted, careful, unknown}, "1 of 3 rules is unsound as written; 2 more are not proved"},
		{[]*Rule{proved, careful}, "1 of 2 rules is not proved as written; no counterexample was found"},
	} {
		rep := &Report{Rules: x.rules}
		rep.count()
		if got := rep.Answer(); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}
