package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/verify/refute"
)

// Run audits the rules of files. Reports are in the order of the files, and do
// not depend on the number of workers but for their timings. With an error come
// the reports of the files before the one it names.
func Run(ctx context.Context, files []*peer.File, opt Options) ([]*Report, error) {
	opt = opt.withDefaults()
	t, err := theory.Load(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	d := &decider{opt: opt, theory: t, known: map[string]*decision{}, witness: map[string]*Counterexample{},
		spread: map[string]*spreading{}}
	var out []*Report
	for _, f := range files {
		rep, err := d.file(ctx, f)
		if err != nil {
			return out, fmt.Errorf("%s: %w", f.Path, err)
		}
		out = append(out, rep)
	}
	return out, nil
}

func (d *decider) file(ctx context.Context, f *peer.File) (*Report, error) {
	start := time.Now()
	rep := &Report{File: f.Path, Format: string(f.Format), Rules: []*Rule{}}
	all, laws, err := d.read(ctx, f, rep)
	if err != nil {
		return nil, err
	}
	if err := d.decide(ctx, laws); err != nil {
		return nil, err
	}
	if err := d.generals(ctx, all); err != nil {
		return nil, err
	}
	if err := d.broadcasts(ctx, all); err != nil {
		return nil, err
	}
	byRule := map[*Rule][]*question{}
	for _, q := range all {
		byRule[q.rule] = append(byRule[q.rule], q)
	}
	err = d.each(ctx, len(rep.Rules), func(i int) error {
		if r := rep.Rules[i]; len(byRule[r]) > 0 {
			return d.conclude(ctx, r, byRule[r])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !d.opt.NoSet {
		if err := d.set(ctx, rep); err != nil {
			return nil, err
		}
	}
	if d.opt.Quantified {
		if err := d.compare(ctx, rep); err != nil {
			return nil, err
		}
	}
	rep.count()
	rep.Summary.Seconds = time.Since(start).Seconds()
	return rep, nil
}

// generals looks for what refutes the claims of single directions.
func (d *decider) generals(ctx context.Context, all []*question) error {
	var texts []string
	var laws []*law.Law
	var spread []bool
	for _, q := range all {
		for _, c := range []*claim{q.claim, q.plain, q.anyDegree} {
			if c == nil || c.law == nil {
				continue
			}
			for _, w := range c.way {
				if w.general == nil {
					continue
				}
				text := generalText(w.general, q.sem)
				if _, ok := d.witness[text]; !ok {
					d.witness[text] = nil
					texts, laws, spread = append(texts, text), append(laws, w.general), append(spread, q.sem.Broadcast)
				}
			}
		}
	}
	found := make([]*Counterexample, len(laws))
	err := d.each(ctx, len(laws), func(i int) (err error) {
		if !spread[i] || !elementwise(laws[i]) {
			found[i], err = d.counterexample(ctx, laws[i])
			return err
		}
		l, w, err := refute.Spread(ctx, laws[i], refute.Options{Seed: d.opt.Seed})
		if w != nil {
			found[i] = newCounterexample(l, w)
		}
		return err
	})
	for i, c := range found {
		d.witness[texts[i]] = c
	}
	return err
}

// generalText tells the claims of single directions apart: with broadcasting one
// law says something else.
func generalText(l *law.Law, sem Semantics) string {
	return fmt.Sprintln(sem.Broadcast && elementwise(l), law.Format(l))
}

// reading is what was found of a rule under one reading.
func (d *decider) reading(ctx context.Context, q *question) (Reading, error) {
	g := Reading{Semantics: q.sem.Name}
	if q.claim.law == nil {
		g.Forward = Direction{Verdict: q.claim.kind, Reason: q.claim.err.Error()}
		if g.Backward = g.Forward; q.peer.Law != nil && q.peer.Law.OneWay {
			g.Backward = Direction{} // not claimed
		}
		return g, nil
	}
	n := d.known[law.Format(q.claim.law)]
	g.Grouped = q.claim.reading.Grouped && inGroups(n.law)
	g.Law, g.ShapesAgreeing = law.Format(n.law), n.equal
	ways := n.way
	for k := range ways {
		w := &ways[k]
		if w.Verdict == "" {
			continue
		}
		if err := d.finish(ctx, q, w, k); err != nil {
			return g, err
		}
		if err := d.confirm(ctx, q, k, w); err != nil {
			return g, err
		}
	}
	if free := onlyLeft(q.claim.law); !q.peer.Equation && ways[1].Verdict != "" && len(free) > 0 {
		ways[1] = Direction{Verdict: IllFormed, Reason: "only the left side has " + strings.Join(free, ", ")}
	}
	g.Forward, g.Backward = ways[0], ways[1]
	if q.anyDegree != nil {
		any, err := d.reading(ctx, &question{rule: q.rule, peer: q.peer, sem: q.sem, claim: q.anyDegree})
		if err != nil {
			return g, err
		}
		g.AnyDegree = &any.Forward
	}
	return g, nil
}

// finish adds to what was found of a direction's law what the reading says beyond it:
// groups, the shapes of the source alone, broadcasting.
func (d *decider) finish(ctx context.Context, q *question, w *Direction, k int) error {
	if w.Verdict != Proved && q.plain != nil {
		if done, err := d.ungroup(ctx, q, w, k); done || err != nil {
			return err
		}
	}
	if way := q.claim.way[k]; way.condition != "" && w.Verdict != Unknown {
		var c *Counterexample
		if way.general != nil {
			c = d.witness[generalText(way.general, q.sem)]
		}
		restrict(w, way.condition, c)
	}
	if s := d.spread[law.Format(q.claim.law)]; q.sem.Broadcast && s != nil {
		s.apply(w, k)
	}
	return nil
}

// onlyLeft lists the inputs of the left side that the right side does not have:
// they make the way back no rule.
func onlyLeft(l *law.Law) []string {
	right := law.Vars(l.RHS...)
	return slices.DeleteFunc(law.Vars(l.LHS...), func(v string) bool { return slices.Contains(right, v) })
}

// ungroup replaces what was found of a direction that has a counterexample by
// the simpler condition of one group, if the rule holds then.
func (d *decider) ungroup(ctx context.Context, q *question, w *Direction, k int) (bool, error) {
	one := &question{rule: q.rule, peer: q.peer, sem: q.sem, claim: q.plain}
	g, err := d.reading(ctx, one)
	if err != nil {
		return false, err
	}
	plain := g.Forward
	if k == 1 {
		plain = g.Backward
	}
	if plain.Verdict != Proved && plain.Verdict != Conditional || w.Counterexample == nil {
		return false, nil
	}
	if w.Verdict == Conditional && w.Condition == plain.Condition {
		return false, nil // the groups do not matter
	}
	condition := "groups = 1"
	if plain.Condition != "" {
		condition += ", " + plain.Condition
	}
	c, ms := w.Counterexample, w.Millis
	*w = plain
	w.Counterexample, w.Millis = c, ms
	w.Verdict, w.Condition = Conditional, condition
	return true, nil
}

// restrict adds a condition to a direction that holds.
func restrict(w *Direction, condition string, c *Counterexample) {
	switch w.Verdict {
	case Proved:
		w.Verdict, w.Condition = Conditional, condition
		if c == nil {
			w.Reason = noneWithout
		}
	case Conditional, UpTo:
		w.Condition = condition + ", " + w.Condition
	default:
		return
	}
	if w.Counterexample == nil {
		w.Counterexample = c
	}
}

// conclude says of a rule what its readings have in common.
func (d *decider) conclude(ctx context.Context, r *Rule, qs []*question) error {
	var forward, backward []Direction
	for _, q := range qs {
		g, err := d.reading(ctx, q)
		if err != nil {
			return err
		}
		r.Readings = append(r.Readings, g)
		forward, backward = append(forward, g.Forward), append(backward, g.Backward)
		r.Millis += g.Forward.Millis
		if g.Backward.Millis != g.Forward.Millis {
			r.Millis += g.Backward.Millis
		}
		if g.Forward.Verdict == Proved {
			r.Semantics = append(r.Semantics, q.sem.Name)
		}
		r.takeGoals(d.decisionOf(q.claim))
	}
	r.writeGoals()
	if r.Law == "" {
		for _, g := range r.Readings {
			if g.Law != "" {
				r.Law = g.Law
				break
			}
		}
	}
	if g := r.Goals[0]; g != nil {
		if x, err := rules.New(g.Law); err == nil {
			r.ID, r.form = x.ID(), x.Law
		}
	} else if l, err := law.ParseLaw(r.Law); err == nil {
		if x, err := rules.New(l); err == nil {
			r.ID = x.ID()
		}
	}
	r.Axioms = []string{} // in JSON, not null
	r.Law, r.Reverse = r.named(r.Law), r.named(r.Reverse)
	for i := range r.Readings {
		g := &r.Readings[i]
		g.Law = r.named(g.Law)
		for _, w := range []*Direction{&g.Forward, &g.Backward, g.AnyDegree} {
			if w != nil {
				w.Counterexample = r.ownCounterexample(w.Counterexample)
			}
		}
	}
	r.Verdict, r.Condition, r.Reason = together(qs, forward)
	r.VerdictReverse, r.ConditionReverse, r.ReasonReverse = together(qs, backward)
	r.pickCounterexample()
	return nil
}

// takeGoals notes what was proved of each direction, by the first reading in
// which something was.
func (r *Rule) takeGoals(n *decision) {
	if n == nil {
		return
	}
	for k, x := range n.shown {
		if x == nil || r.Goals[k] != nil {
			continue
		}
		l := *x.law
		if l.Name == anyName {
			l.Name = r.lawName()
		}
		r.Goals[k] = &Goal{Law: &l, Proof: x.proof}
		if y := n.shown[1]; k == 0 && y != nil && y.law == x.law {
			r.Goals[1] = r.Goals[0] // an equation
		}
	}
}

// writeGoals writes what was proved, and its certificates, as text.
func (r *Rule) writeGoals() {
	text := func(g *Goal) (string, []law.InstanceText, []int64) {
		if g.Proof == nil {
			return law.Format(g.Law), nil, nil
		}
		return law.Format(g.Law), g.Proof.Text(), g.Proof.Meaning
	}
	if g := r.Goals[0]; g != nil {
		r.Law, r.Certificate, r.Meaning = text(g)
	}
	if g := r.Goals[1]; g != nil && g != r.Goals[0] {
		r.Reverse, r.ReverseCertificate, r.ReverseMeaning = text(g)
	}
}

// lawName is a name in the law language for the rule.
func (r *Rule) lawName() string { return fmt.Sprintf("rule_%d", r.Index) }

// named puts the rule's name into the text of a law.
func (r *Rule) named(text string) string {
	return strings.Replace(text, " "+anyName+"\n", " "+r.lawName()+"\n", 1)
}

func (r *Rule) ownCounterexample(c *Counterexample) *Counterexample {
	if c == nil || c.Witness.Law != anyName {
		return c
	}
	own, w := *c, *c.Witness
	w.Law = r.lawName()
	own.Law, own.Witness = r.named(c.Law), &w
	return &own
}

// pickCounterexample shows one counterexample with the rule: to the direction
// left to right, if there is one, and with values rather than shapes.
func (r *Rule) pickCounterexample() {
	rank := func(c *Counterexample, backward bool) int {
		n := 0
		if backward {
			n = 2
		}
		if c.Witness.Kind != "values" {
			n++
		}
		return n
	}
	best := 4
	for _, g := range r.Readings {
		for k, c := range []*Counterexample{g.Forward.Counterexample, g.Backward.Counterexample} {
			if c != nil && rank(c, k == 1) < best {
				best, r.Counterexample = rank(c, k == 1), c
			}
		}
	}
}

func (d *decider) decisionOf(c *claim) *decision {
	if c == nil || c.law == nil {
		return nil
	}
	return d.known[law.Format(c.law)]
}

// together is the verdict over several readings: one that all share; unknown if
// any is, else up to a limit if any is; else the rule is conditional if some
// reading holds, refuted if none does.
func together(qs []*question, ds []Direction) (verdict Outcome, condition, reason string) {
	count := map[Outcome]int{}
	for _, w := range ds {
		count[w.Verdict]++
	}
	for _, w := range ds {
		if w.Verdict == Unknown || count[w.Verdict] == len(ds) && w.Verdict != Conditional && w.Verdict != UpTo {
			return w.Verdict, w.Condition, w.Reason
		}
	}
	verdict = Refuted
	switch {
	case count[UpTo] > 0:
		verdict = UpTo
	case count[Proved]+count[Conditional] > 0:
		verdict = Conditional
	}
	// Readings with the same condition are named together.
	var conds, reasons []string
	names := map[string][]string{}
	for i, w := range ds {
		c := w.Condition
		switch w.Verdict {
		case Refuted, IllFormed, Unsupported:
			c = string(w.Verdict)
		case Proved:
			c = ""
		}
		if _, ok := names[c]; !ok {
			conds = append(conds, c)
		}
		names[c] = append(names[c], qs[i].sem.Name)
		if w.Reason != "" && !slices.Contains(reasons, w.Reason) {
			reasons = append(reasons, w.Reason)
		}
	}
	var parts []string
	for _, c := range conds {
		switch where := strings.Join(names[c], ", "); {
		case c == "":
		case len(names[c]) == len(ds):
			parts = append(parts, c)
		default:
			parts = append(parts, where+": "+c)
		}
	}
	return verdict, strings.Join(parts, "; "), strings.Join(reasons, "; ")
}

// Overall is the verdict that counts: of an equation the worse of the two
// directions.
func (r *Rule) Overall() Outcome {
	if !r.Equation || r.VerdictReverse == "" {
		return r.Verdict
	}
	for _, o := range []Outcome{IllFormed, Unsupported, Refuted, Unknown, UpTo, Conditional} {
		if r.Verdict == o || r.VerdictReverse == o {
			return o
		}
	}
	return r.Verdict
}

// Certified says whether all that the rule claims has a certificate, in every
// reading, with its condition if it has one.
func (r *Rule) Certified() bool {
	for _, g := range r.Readings {
		if !g.Forward.Certificate || r.Equation && !g.Backward.Certificate {
			return false
		}
	}
	return len(r.Readings) > 0
}

// count fills the summary.
func (rep *Report) count() {
	s := &rep.Summary
	s.Rules, s.Verdicts = len(rep.Rules), map[Outcome]int{}
	for _, o := range Outcomes {
		s.Verdicts[o] = 0
	}
	for _, r := range rep.Rules {
		s.Verdicts[r.Overall()]++
		if r.Certified() {
			s.Certified++
		}
		if r.DuplicateOf >= 0 {
			s.Duplicates++
		}
		if len(r.DerivableFrom) > 0 {
			s.Derivable++
		}
	}
	rep.countReadings()
}
