package enumerate

import (
	"fmt"

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
	cand *Candidate // nil: false in general
}

// judge decides whether a pair follows from smaller rules, and states it if
// not. Pairs that read alike in their most general form, and have kernels of
// the same sizes, were answered in an earlier batch.
func (w *classWorker) judge(n int, p *general.Pair, f *finding) (consequence, *Candidate) {
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
	if l, err := p.Law(p.Least()); err == nil && w.test.Holds(l, general.QuickTests) {
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
func (w *classWorker) follows(p *general.Pair) consequence {
	if w.s.opt.Deriver == nil {
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
	d := w.s.derived
	d.Lock()
	is, ok := d.known[key]
	d.Unlock()
	if ok {
		return is
	}
	is = w.derive(l)
	d.Lock()
	defer d.Unlock()
	if d.known == nil {
		d.known = map[string]bool{}
	}
	d.known[key] = is
	return is
}

// state makes a candidate of a pair, or nil if it is false in general.
func (w *classWorker) state(n int, p *general.Pair) *Candidate {
	if law.Equal(p.Left[0], p.Right[0]) {
		return nil
	}
	p, base, fm, ok := w.test.Widen(p)
	if !ok {
		return nil
	}
	c := &Candidate{Conditional: fm.Conditional(), Level: n}
	c.pair, c.form, c.forms, c.test = p, fm, p.Narrower(fm), w.test
	if !c.write(base) {
		return nil
	}
	c.test.Known = nil // the worker's
	return c
}

// write states the candidate: as it was found, and broadened, both without
// composites. It reports whether that can be.
func (c *Candidate) write(base *law.Law) bool {
	out, err := general.WriteOut(base)
	if err != nil {
		return false
	}
	broad, err := general.WriteOut(c.test.Broaden(base))
	if err != nil {
		return false
	}
	c.Base, c.Law, c.own = out, broad, nil
	if out != base {
		c.own = base
	}
	if c.test.Ordered {
		c.Base, c.Law = ordered(out), ordered(broad)
	}
	return true
}

// ordered says of a law that it is about the true relu and maximum.
func ordered(l *law.Law) *law.Law {
	m := *l
	m.Tags = []string{law.TagOrdered}
	return &m
}

// Narrow replaces the candidate's laws by less general ones, if there are any
// that random testing supports. It is for candidates that are not proved.
func (c *Candidate) Narrow() bool {
	for len(c.forms) > 0 {
		fm := c.forms[0]
		c.forms = c.forms[1:]
		l, err := c.pair.Law(fm)
		if err != nil || !c.test.Holds(l, general.WindowTests) {
			continue
		}
		if !c.write(l) {
			continue
		}
		c.Base, c.Law = law.Canonical(c.Base), law.Canonical(c.Law)
		c.Conditional = fm.Conditional()
		return true
	}
	return false
}
