package enumerate

import (
	"fmt"
	"sync"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/law"
)

// consequence says how far a pair follows from smaller rules.
type consequence uint8

const (
	not     consequence = iota
	special             // for some strides, paddings, kernels or sizes
	wholly              // as generally as the pair can be stated
)

// answer is what judge found of a pair.
type answer struct {
	key  string
	how  consequence
	cand *statement // nil: false in general
}

// derivedLaws are what derivers said, by the law in canonical names.
type derivedLaws struct {
	sync.Mutex
	known map[string]bool
}

func newDerivedLaws() *derivedLaws { return &derivedLaws{known: map[string]bool{}} }

// judge decides whether a pair follows from smaller rules, and states it if
// not. Pairs that read alike in their most general form, and have kernels of
// the same sizes, were answered in an earlier batch.
func (w *classWorker) judge(p *general.Pair, f *finding) (consequence, *statement) {
	if law.Equal(p.Left[0], p.Right[0]) {
		return not, nil
	}
	key := ""
	if l, err := p.Law(general.Form{}); err == nil {
		key = law.Format(l)
		for i := 1; i <= len(p.Sizes); i++ {
			if name := fmt.Sprintf("X%d", i); p.Weight[name] {
				key += fmt.Sprint(name, p.Sizes[name])
			}
		}
		if a, ok := w.v.answers[key]; ok {
			if a.cand == nil {
				return a.how, nil
			}
			return not, a.cand.again()
		}
	}
	how := not
	var c *statement
	if l, err := p.Law(p.Least()); err == nil && w.test.Holds(l, general.QuickTests) {
		if how = w.follows(p); how == not {
			c = w.state(p)
		}
	}
	if key != "" {
		f.answers = append(f.answers, answer{key, how, c})
	}
	return how, c
}

// follows asks the deriver, for the most general form and then for some less
// general ones.
func (w *classWorker) follows(p *general.Pair) consequence {
	if w.derive == nil {
		return not
	}
	last := ""
	for _, fm := range p.Asked() {
		l, err := p.Law(fm)
		if err != nil {
			continue
		}
		if text := law.Format(l); text == last {
			continue
		} else {
			last = text
		}
		if !w.test.Holds(l, general.QuickTests) {
			continue
		}
		if l, err = general.WriteOut(l); err != nil {
			continue
		}
		if w.derives(l) {
			if fm.Conditional() {
				return special
			}
			return wholly
		}
		break // what is less general hardly ever follows where this does not
	}
	return not
}

// derives asks the deriver about a law, once for all pairs that are stated so. It is
// asked in canonical names, so that the answer does not depend on them: they reach the
// order in which matches are found, and so what is found before a limit.
func (w *classWorker) derives(l *law.Law) bool {
	l = law.Canonical(l)
	key := law.Format(l)
	d := w.v.derived
	d.Lock()
	is, ok := d.known[key]
	d.Unlock()
	if ok {
		return is
	}
	is = w.derive(l)
	d.Lock()
	defer d.Unlock()
	d.known[key] = is
	return is
}

// state makes a candidate of a pair, or nil if it is false in general.
func (w *classWorker) state(p *general.Pair) *statement {
	if law.Equal(p.Left[0], p.Right[0]) {
		return nil
	}
	p, base, fm, ok := w.test.Widen(p)
	if !ok {
		return nil
	}
	x := &statement{Candidate: Candidate{Conditional: fm.Conditional(), Ordered: w.test.Ordered, Level: w.v.level,
		pair: p, form: fm, forms: p.Narrower(fm), test: w.test}}
	if !x.write(base) {
		return nil
	}
	x.test.Known = nil // the worker's
	return x
}
