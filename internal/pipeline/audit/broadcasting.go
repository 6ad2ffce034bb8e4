package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/refute"
	"github.com/taso-go/taso/verify/spread"
)

// spreading is what was found of a true law when operands of sums and products of
// elements may differ in shape; each direction apart.
type spreading struct {
	law     [2]*law.Law // as it was proved, written =>; nil where it was not
	verdict [2]spread.Verdict
	limit   [2]string // of a proof by sums that holds up to this only
	witness [2]*Counterexample
	millis  float64
}

// unbroadcast is the condition of laws that broadcasting breaks.
const unbroadcast = "no operand is broadcast"

// patterns are read as the formats of peers are: groups follow from channels.
var patterns = broadcast.Options{Groups: true}

// apply adds what broadcasting does to a direction that holds without.
func (s *spreading) apply(w *Direction, way int) {
	if w.Verdict != Proved && w.Verdict != Conditional && w.Verdict != UpTo {
		return
	}
	if s.law[way] == nil {
		restrict(w, unbroadcast, nil)
		return
	}
	w.Millis += s.millis / 2
	v := &s.verdict[way]
	switch {
	case v.Status == verify.Refuted:
		restrict(w, unbroadcast, s.witness[way])
		w.broadcast = true
		w.Reason = summary(w.Counterexample.Witness)
	case v.Status == verify.Unknown && w.Verdict == Conditional && w.Counterexample != nil:
		// It is false as it stands, and true under this.
		restrict(w, unbroadcast, nil)
		w.Reason = fmt.Sprintf("unknown where operands are broadcast: %s (%d patterns)", v.Reason, v.Patterns)
	case v.Status == verify.Unknown:
		w.Verdict, w.Certificate = Unknown, false
		w.Reason = fmt.Sprintf("with broadcasting: %s (%d patterns)", v.Reason, v.Patterns)
	case s.limit[way] != "":
		w.Verdict, w.Certificate, w.Sizes = UpTo, false, s.limit[way]
		w.Condition = "with broadcasting: " + strings.Join(append([]string{s.limit[way]}, nonEmpty(w.Condition)...), ", ")
		w.Reason = "with broadcasting: " + v.Reason
	case v.Patterns > 0:
		w.Certificate = false // there is one of the law, none of its patterns
	}
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// broadcasts decides the laws of readings that broadcast.
func (d *decider) broadcasts(ctx context.Context, all []*question) error {
	var open []*spreading
	var ns []*decision
	for _, q := range all {
		if q.sem.Broadcast {
			ns = append(ns, d.decisionOf(q.claim), d.decisionOf(q.plain))
		}
	}
	for _, n := range ns {
		if n == nil || n.shown == [2]*shown{} {
			continue
		}
		if text := law.Format(n.law); d.spread[text] == nil && elementwise(n.law) {
			s := &spreading{}
			for k, x := range n.shown {
				if x != nil {
					s.law[k] = x.oneWay()
				}
			}
			d.spread[text] = s
			open = append(open, s)
		}
	}
	stage := d.opt.Progress.Stage("broadcasting", int64(len(open)))
	defer stage.Done()
	if len(open) == 0 {
		return nil
	}
	// Each goroutine has its own compiled laws.
	provers := make([]*spread.Prover, parallel.Workers(d.opt.Workers, len(open)))
	first, err := spread.New(d.theory.Laws...)
	if err != nil {
		return err
	}
	provers[0] = first
	return parallel.Each(ctx, len(provers), len(open), func(w, i int) (err error) {
		defer stage.Add(1)
		if provers[w] == nil {
			if provers[w], err = first.Another(); err != nil {
				return err
			}
		}
		b := provers[w]
		s := open[i]
		start := time.Now()
		for k, l := range s.law {
			if l == nil {
				continue
			}
			if _, err := l.Types(); err != nil {
				// Broadcasting is written out axis by axis: see taso.Open.
				s.verdict[k] = spread.Verdict{Status: verify.Unknown,
					Reason: "the shapes of the sides have no single formula"}
				continue
			}
			v, err := b.Decide(ctx, l, spread.Options{True: true, Patterns: patterns})
			if err != nil {
				return fmt.Errorf("broadcasting: %w", err)
			}
			if v.Status == verify.Proved {
				d.checkPatterns(l, &v)
			}
			if v.Status == verify.Unknown {
				if s.limit[k], err = d.spreadSums(ctx, l, &v); err != nil {
					return err
				}
			}
			if v.Status == verify.Unknown {
				// Sizes that are no formula can still be tried.
				at, w, err := refute.Spread(ctx, l, refute.Options{Seed: d.opt.Seed})
				if err != nil {
					return fmt.Errorf("broadcasting: %w", err)
				}
				if w != nil {
					v.Status, v.Pattern, v.Witness = verify.Refuted, at, w
				}
			}
			s.verdict[k] = v
			if v.Status == verify.Refuted {
				s.witness[k] = newCounterexample(v.Pattern, v.Witness)
			}
		}
		s.millis = time.Since(start).Seconds() * 1000
		return nil
	})
}

// elementwise says whether there is a sum or product of elements in a law.
func elementwise(l *law.Law) bool {
	found := false
	l.EachTerm(func(t *law.Term) {
		found = found || t.Op != nil && (t.Op.Name == "ewadd" || t.Op.Name == "ewmul")
	})
	return found
}

// checkPatterns has the checker accept the proofs of a law's patterns; what it
// does not accept is not proved.
func (d *decider) checkPatterns(l *law.Law, v *spread.Verdict) {
	if v.Patterns == 0 {
		return // the sides are one polynomial in each element
	}
	p, err := broadcast.All(l, patterns)
	if err == nil && (!p.Complete || len(p.Laws) != len(v.Proofs)) {
		err = fmt.Errorf("%d proofs of %d patterns", len(v.Proofs), len(p.Laws))
	}
	for i := 0; err == nil && i < len(v.Proofs); i++ {
		if b := p.Laws[i]; v.Proofs[i] != nil {
			_, err = check.Rule(b.Law, v.Proofs[i], d.theory.ByName)
		} else if b.Axes > 0 {
			err = fmt.Errorf("a pattern with %d axes of size 1 has no proof", b.Axes)
		}
	}
	if err != nil {
		v.Status, v.Reason = verify.Unknown, "the checker does not accept the proofs: "+err.Error()
	}
}

// spreadSums proves each pattern of a law that the axioms say nothing of from operator
// semantics; limit is what some were tried up to only.
func (d *decider) spreadSums(ctx context.Context, l *law.Law, v *spread.Verdict) (limit string, err error) {
	p, err := broadcast.All(l, patterns)
	if err != nil || !p.Complete || len(p.OneSided) > 0 {
		return "", nil
	}
	laws := make([]*law.Law, len(p.Laws))
	for i, b := range p.Laws {
		laws[i] = b.Law
	}
	cs, err := prove.Shared.CertifyAll(ctx, laws, prove.Search, 1)
	if err != nil {
		return "", err
	}
	laws = nil // that have no certificate
	for _, c := range cs {
		if !c.Proved() {
			laws = append(laws, c.Law)
		}
	}
	rs, err := sumsOf(ctx, laws, 1)
	if err != nil {
		return "", err
	}
	var limits []string
	for _, r := range rs {
		switch all, limit := defines(r, false); {
		case all:
		case limit == "":
			return "", nil
		case !slices.Contains(limits, limit):
			limits = append(limits, limit)
		}
	}
	v.Status, v.Reason = verify.Proved, "for all patterns both sides are equal sums"
	return strings.Join(limits, ", "), nil
}
