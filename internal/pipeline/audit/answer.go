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
	of := func(k int) string {
		if n == 1 {
			return "the rule is"
		}
		return fmt.Sprintf("%d of %d rules %s", k, n, isAre(k))
	}
	var text string
	switch {
	case n == 0:
		return "there are no rules"
	case open == 0 && n == 1:
		return "the rule is sound: proved as written, for all shapes"
	case open == 0:
		return fmt.Sprintf("all %d rules are sound: proved as written, for all shapes", n)
	case unsound == 0:
		return of(open) + " not proved as written; no counterexample was found"
	default:
		text = of(unsound) + " unsound as written"
	}
	switch {
	case n == 1 && broadcast == 1:
		text += " under broadcasting"
	case broadcast > 0:
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
