package audit

import (
	"context"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Engines that decide, as the report names them.
const (
	engineSums = "sums" // all sizes, by sum normal form
)

// What a verdict says of sizes and of definedness.
const (
	allSizes    = "all"
	sourceThere = "wherever the source is"
	bothThere   = "where both sides are"
)

// bothDefined is the condition of a direction whose target is defined less often
// than its source, where it is not known how to say when.
const bothDefined = "both sides are defined"

// shown is what was proved of one direction of a law.
type shown struct {
	// law is the direction, source on the left, or an equation that holds both
	// ways; with its condition, if it holds under one.
	law *law.Law
	// backward: the source is the right side of law, an equation.
	backward bool
	// proof is from operator semantics; nil: none was found that can be checked.
	proof *law.Proof
}

// oneWay is the direction, written => with the source on the left.
func (s *shown) oneWay() *law.Law {
	if s.law.OneWay {
		return s.law
	}
	return law.OneDirection(s.law, s.backward)
}

// whereDefined records what a proof of the other direction says of this one: that the sides
// are equal where both are defined. When that is is said only where a proof under just that
// condition is found.
func (n *decision) whereDefined(ctx context.Context, k int) error {
	w := &n.way[k]
	*w = Direction{Verdict: Conditional, Engine: engineSums, Condition: bothDefined, Sizes: allSizes, Defined: bothThere, Millis: w.Millis}
	l, words := targetDefined(n.law, k == 1)
	if l == nil {
		return nil
	}
	c, err := shows(ctx, l)
	if c.Proved() && c.Law.OneWay == l.OneWay {
		w.Condition, w.Defined, w.Certificate, n.shown[k] = words, sourceThere, true, &shown{law: c.Law, proof: c.Proof}
	}
	return err
}

// targetDefined is a direction of a law with the conditions written out under
// which its target is defined, as far as conditions of laws can say it, and
// those conditions in words; nil if there are none.
func targetDefined(l *law.Law, backward bool) (*law.Law, string) {
	needs := targetNeeds(l, backward)
	if len(needs) == 0 {
		return nil, ""
	}
	return needing(law.OneDirection(l, backward), needs), needsInWords(l, needs)
}

// needing is a law with needs among its conditions.
func needing(l *law.Law, needs []graph.Need) *law.Law {
	d := *l
	d.Where = append([]law.Pred(nil), l.Where...)
	for _, n := range needs {
		p := law.Pred{Left: n.Left, Rel: "<=", Right: n.Right}
		if n.Rel == "divides" {
			m := n.Left
			p = law.Pred{Left: n.Right, Mod: &m, Rel: "==", Right: graph.Int(0)}
		}
		if !slices.ContainsFunc(d.Where, func(q law.Pred) bool { return q.String() == p.String() }) {
			d.Where = append(d.Where, p)
		}
	}
	return &d
}

// HasCertificate says in a word whether there is one of what the verdict says; ""
// where nothing was proved.
func (w *Direction) HasCertificate() string {
	switch {
	case w.Verdict != Proved && w.Verdict != Conditional && w.Verdict != UpTo:
		return ""
	case w.Certificate:
		return "yes"
	}
	return "no"
}
