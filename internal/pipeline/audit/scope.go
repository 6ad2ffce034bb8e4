package audit

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

// Engines that decide, as the report names them.
const (
	engineAxioms = "axioms" // e-graph, Z3 and checker
	engineSums   = "sums"   // all sizes, by sum normal form
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
	// proof is from the axioms, or, by sums, from what operators compute; nil: by sums,
	// and none was found that can be checked.
	proof *law.Proof
}

// oneWay is the direction, written => with the source on the left.
func (s *shown) oneWay() *law.Law {
	if s.law.OneWay {
		return s.law
	}
	return law.OneDirection(s.law, s.backward)
}

// proved records what a proof shows of each direction.
func (d *decider) proved(n *decision, p theory.Proof, ms float64) {
	l := p.Law()
	for k, ok := range [2]bool{p.Forward, p.Backward} {
		if ok {
			d.holds(n, k, &shown{law: l, backward: k == 1 && !l.OneWay, proof: p.Verdict.Proof}, ms)
		}
	}
}

// holds records that a direction holds as it stands, from the axioms.
func (d *decider) holds(n *decision, k int, s *shown, ms float64) {
	n.shown[k] = s
	n.way[k] = Direction{Verdict: Proved, Sizes: allSizes, Defined: sourceThere, Millis: ms}
	d.fromAxioms(&n.way[k], s.proof)
}

func (d *decider) fromAxioms(w *Direction, p *law.Proof) {
	w.Engine, w.Axioms, w.Certificate = engineAxioms, d.theory.AxiomsOf(p), true
}

// whereDefined records what a proof of the other direction, from the axioms,
// says of this one: that the sides are equal where both are defined. When that
// is is said only where the checker accepts the proof under just that condition.
func (d *decider) whereDefined(n *decision, k int) {
	w := &n.way[k]
	*w = Direction{Verdict: Conditional, Condition: bothDefined, Sizes: allSizes, Defined: bothThere, Millis: w.Millis}
	proof := n.shown[1-k].proof
	l, words := targetDefined(n.law, k == 1)
	if !holdsSomewhere(n.law) {
		*w = Direction{Verdict: Unknown, Reason: "no sizes were found at which both sides are defined", Millis: w.Millis}
		return
	}
	if l != nil {
		if _, err := check.Rule(l, proof, d.theory.ByName); err == nil {
			w.Condition, w.Defined, n.shown[k] = words, sourceThere, &shown{law: l, proof: proof}
		}
	}
	d.fromAxioms(w, proof)
	w.Certificate = n.shown[k] != nil
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
