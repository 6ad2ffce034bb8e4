package enumerate

import (
	"fmt"

	"github.com/taso-go/taso/law"
)

// consequence says how far a pair follows from smaller rules.
type consequence uint8

const (
	not     consequence = iota
	special             // for some strides, paddings, kernels or sizes
	general             // as generally as the pair can be stated
)

// answer is what judge found of a pair.
type answer struct {
	key  string
	how  consequence
	cand *Candidate // nil: false in general
}

// judge decides whether a pair follows from smaller rules, and states it if
// not. Pairs that read alike in their most general form, and have kernels of
// the same sizes, were answered in an earlier batch.
func (w *classWorker) judge(n int, p *pair, f *finding) (consequence, *Candidate) {
	if law.Equal(p.left[0], p.right[0]) {
		return not, nil
	}
	key := ""
	if l, err := p.law(form{}); err == nil {
		key = law.Format(l)
		for i := 1; i <= len(p.sizes); i++ {
			if name := fmt.Sprintf("X%d", i); p.weight[name] {
				key += fmt.Sprint(name, p.sizes[name])
			}
		}
		if a, ok := w.s.answers[key]; ok {
			if a.cand == nil {
				return a.how, nil
			}
			c := *a.cand
			c.merged, c.syms = nil, nil
			return not, &c
		}
	}
	how := not
	var c *Candidate
	if l, err := p.law(p.least()); err == nil && w.test.holds(l, quickTests) {
		if how = w.follows(p); how == not {
			c = w.state(n, p)
		}
	}
	if key != "" {
		f.answers = append(f.answers, answer{key, how, c})
	}
	return how, c
}

// follows asks the deriver, for the most general form and then for some less
// general ones.
func (w *classWorker) follows(p *pair) consequence {
	if w.s.opt.Deriver == nil {
		return not
	}
	forms := []form{{}}
	f := p.features()
	if f.cut {
		forms = append(forms, form{cut: 1})
	}
	if f.window || f.kernel {
		forms = append(forms, form{window: 1, cut: 1}, form{window: 1, kernel: 2, cut: 1}, form{window: 3, kernel: 3, cut: 1})
	}
	last := ""
	for _, fm := range forms {
		l, err := p.law(fm)
		if err != nil {
			continue
		}
		if text := law.Format(l); text == last {
			continue
		} else {
			last = text
		}
		if !w.test.holds(l, quickTests) {
			continue
		}
		if l, err = writeOut(l); err != nil {
			continue
		}
		// In canonical names, so that the answer does not depend on them: they
		// reach the order in which matches are found, and so what is found
		// before a limit.
		if w.derive(law.Canonical(l)) {
			if fm.conditional() {
				return special
			}
			return general
		}
		break // what is less general hardly ever follows where this does not
	}
	return not
}

// state makes a candidate of a pair, or nil if it is false in general.
func (w *classWorker) state(n int, p *pair) *Candidate {
	if law.Equal(p.left[0], p.right[0]) {
		return nil
	}
	p, base, fm, ok := w.test.widen(p)
	if !ok {
		return nil
	}
	c := &Candidate{Conditional: fm.conditional(), Level: n}
	c.pair, c.forms, c.test = p, fm.narrower(p.features()), w.test
	if !c.write(base) {
		return nil
	}
	return c
}

// write states the candidate: as it was found, and broadened, both without
// composites. It reports whether that can be.
func (c *Candidate) write(base *law.Law) bool {
	out, err := writeOut(base)
	if err != nil {
		return false
	}
	broad, err := writeOut(c.test.broaden(base))
	if err != nil {
		return false
	}
	c.Base, c.Law, c.own = out, broad, nil
	if out != base {
		c.own = base
	}
	return true
}

// Narrow replaces the candidate's laws by less general ones, if there are any
// that random testing supports. It is for candidates that are not proved.
func (c *Candidate) Narrow() bool {
	for len(c.forms) > 0 {
		fm := c.forms[0]
		c.forms = c.forms[1:]
		l, err := c.pair.law(fm)
		if err != nil || !c.test.holds(l, windowTests) {
			continue
		}
		if !c.write(l) {
			continue
		}
		c.Base, c.Law = law.Canonical(c.Base), law.Canonical(c.Law)
		c.Conditional = fm.conditional()
		return true
	}
	return false
}
