package audit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/sums"
)

// spread is what was found of a true law when operands of sums and products of
// elements may differ in shape; each direction apart.
type spread struct {
	law     *law.Law // as it was proved
	verdict [2]verify.BroadcastVerdict
	witness [2]*Counterexample
	millis  float64
}

// unbroadcast is the condition of laws that broadcasting breaks.
const unbroadcast = "no operand is broadcast"

// apply adds what broadcasting does to a direction that holds without.
func (s *spread) apply(w *Direction, way int) {
	if w.Verdict != Proved && w.Verdict != Conditional {
		return
	}
	w.Millis += s.millis / 2
	v := &s.verdict[way]
	switch v.Status {
	case verify.Refuted:
		restrict(w, unbroadcast, s.witness[way])
		w.Reason = summary(v.Witness)
	case verify.Unknown:
		w.Verdict, w.Reason = Unknown, fmt.Sprintf("with broadcasting: %s (%d patterns)", v.Reason, v.Patterns)
	}
}

// broadcasts decides the laws of readings that broadcast.
func (d *decider) broadcasts(ctx context.Context, all []*question) error {
	var open []*spread
	var ns []*decision
	for _, q := range all {
		if q.sem.Broadcast {
			ns = append(ns, d.decisionOf(q.claim), d.decisionOf(q.plain))
		}
	}
	for _, n := range ns {
		if n == nil || n.goal == nil {
			continue
		}
		if text := law.Format(n.law); d.spread[text] == nil && elementwise(n.goal) {
			s := &spread{law: n.goal}
			d.spread[text] = s
			open = append(open, s)
		}
	}
	stage := d.opt.Progress.Stage("broadcasting", int64(len(open)))
	defer stage.Done()
	// Each goroutine has its own compiled laws.
	pool := sync.Pool{New: func() any {
		b, err := verify.NewBroadcasting(d.theory.Laws...)
		if err != nil {
			return err
		}
		return b
	}}
	return d.each(ctx, len(open), func(i int) error {
		defer stage.Add(1)
		b, ok := pool.Get().(*verify.Broadcasting)
		if !ok {
			return fmt.Errorf("broadcasting: the axioms do not compile")
		}
		defer pool.Put(b)
		s := open[i]
		start := time.Now()
		for k := range s.verdict {
			l := oneWay(s.law, k == 1)
			if _, err := l.Types(); err != nil {
				// Broadcasting is written out axis by axis: see rules.OpenTASO.
				s.verdict[k] = verify.BroadcastVerdict{Status: verify.Unknown,
					Reason: "the shapes of the sides are not one formula"}
				continue
			}
			v, err := b.Decide(ctx, l, verify.BroadcastOptions{True: true})
			if err != nil {
				return fmt.Errorf("broadcasting: %w", err)
			}
			if v.Status == verify.Unknown {
				if err := d.spreadSums(ctx, l, &v); err != nil {
					return err
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
	eachTerm(l, func(t *law.Term) {
		found = found || t.Op != nil && (t.Op.Name == "ewadd" || t.Op.Name == "ewmul")
	})
	return found
}

// spreadSums asks the engine for all sizes about each pattern of a law that the
// axioms say nothing of.
func (d *decider) spreadSums(ctx context.Context, l *law.Law, v *verify.BroadcastVerdict) error {
	p, err := rules.Broadcastings(l, rules.BroadcastOptions{})
	if err != nil || !p.Complete || len(p.OneSided) > 0 {
		return nil
	}
	engine := &verify.Unbounded{Workers: 1, Sums: sums.Config{Ordered: true}}
	laws := make([]*law.Law, len(p.Laws))
	for i, b := range p.Laws {
		laws[i] = b.Law
	}
	rs, err := engine.Results(ctx, laws)
	if err != nil {
		return err
	}
	for _, r := range rs {
		if !r.Equal || !r.Forward {
			return nil
		}
	}
	v.Status, v.Reason = verify.Proved, "all patterns are the same sums"
	return nil
}
