package audit

import "fmt"

// Unsound reports whether the rule, as it is written, has a counterexample in some reading.
func (r *Rule) Unsound() bool {
	return r.broken(func(w *Direction) bool { return w.Counterexample != nil })
}

// UnsoundBroadcast reports whether it has one where operands are broadcast.
func (r *Rule) UnsoundBroadcast() bool {
	return r.broken(func(w *Direction) bool { return w.Counterexample != nil && w.broadcast })
}

// broken reports whether something holds of a direction that the rule claims.
func (r *Rule) broken(is func(*Direction) bool) bool {
	for i := range r.Readings {
		g := &r.Readings[i]
		if is(&g.Forward) || r.Equation && is(&g.Backward) {
			return true
		}
	}
	return false
}

// Answer is the audit in a sentence: how many rules are unsound, or that all are sound.
func (rep *Report) Answer() string {
	unsound, broadcast := 0, 0
	for _, r := range rep.Rules {
		if r.Overall() == Proved {
			continue
		}
		if r.Unsound() {
			unsound++
		}
		if r.UnsoundBroadcast() {
			broadcast++
		}
	}
	n, open := rep.Summary.Rules, rep.Summary.Rules-rep.Summary.Verdicts[Proved]
	var text string
	switch rules := fmt.Sprintf("%d rules", n); {
	case n == 0:
		return "there are no rules"
	case open == 0 && n == 1:
		return "the rule is sound: proved as written, for all shapes"
	case open == 0:
		return "all " + rules + " are sound: proved as written, for all shapes"
	case unsound == 0:
		return fmt.Sprintf("%d of %s %s not proved as written; no counterexample was found", open, rules, isAre(open))
	default:
		text = fmt.Sprintf("%d of %s %s unsound as written", unsound, rules, isAre(unsound))
	}
	if broadcast > 0 {
		text += fmt.Sprintf(", %d of them under broadcasting", broadcast)
	}
	if more := open - unsound; more > 0 {
		text += fmt.Sprintf("; %d more %s not proved", more, isAre(more))
	}
	return text
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
