package enumerate

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/law"
)

// Candidate is a pair of terms that agree, as a law. It does not change.
type Candidate struct {
	// Law is the most general statement that random testing supports.
	Law *law.Law
	// Base is the law for the ranks and operators it was found for; smaller
	// terms are rewritten with it. Law may equal Base.
	Base *law.Law
	// Conditional: it holds only for some strides, paddings or kernels.
	Conditional bool
	// Ordered: it holds for the true relu and maximum only (an ordered law).
	Ordered bool
	// Level is the number of operators of the larger side.
	Level int

	own   *law.Law // Base with composites; nil: Base has none
	pair  *general.Pair
	form  general.Form   // of pair, in which Law and Base were stated first
	forms []general.Form // less general forms, not tried yet
	test  general.Tester
}

// Narrow is the candidate in the next less general form that random testing supports; false: there
// is none. It is for candidates that are not proved.
func (c Candidate) Narrow() (Candidate, bool) {
	for i, fm := range c.forms {
		l, err := c.pair.Law(fm)
		if err != nil || !c.test.Holds(l, general.WindowTests) {
			continue
		}
		if !c.write(l) {
			continue
		}
		c.Base, c.Law = law.Canonical(c.Base), law.Canonical(c.Law)
		c.Conditional, c.forms = fm.Conditional(), c.forms[i+1:]
		return c, true
	}
	return c, false
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
	if out != base { // composites have fewer ranks than the operators that they are written with
		broad = c.test.Broaden(broad)
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

// Verdict is what a prover found of a candidate.
type Verdict struct {
	Proved bool
	// Form is the form that is proved, or the last one that was tried: the candidate, or what
	// [Candidate.Narrow] made of it. A pair that reads like this one is stated in this form. The
	// zero value is the candidate.
	Form Candidate
	// Wide: what is proved is Form.Law itself, and not Form.Base alone, so that terms are
	// rewritten with that.
	Wide bool
	// Ordered: it is proved for the true relu and maximum only. Other such laws may follow from
	// it, and no others: its terms are not joined, nor rewritten with it.
	Ordered bool
}

// statement is a candidate that the session stated, with what depends on its verdict.
type statement struct {
	Candidate
	text   string   // in which it was stated
	key    string   // of the answer of another process that this stands for; see Comparer
	merged []linked // terms that are equal to others if this is true
	syms   []linked // terms that renamings do not change if this is true

	proved, wide bool // see Verdict
}

// learn takes a verdict.
func (x *statement) learn(v Verdict) {
	was := x.Ordered
	if v.Form.Law != nil {
		x.Candidate = v.Form
	}
	x.proved, x.wide = v.Proved, v.Wide
	x.Ordered = was || v.Ordered
}

// again is the same law stated of other terms.
func (x *statement) again() *statement {
	y := *x
	y.merged, y.syms = nil, nil
	return &y
}

// distinct brings statements into canonical form and order and drops
// repetitions.
func distinct(list []*statement) []*statement {
	byText := map[string]*statement{}
	var out []*statement
	for _, x := range list {
		x.Law = law.Canonical(x.Law)
		x.Base = law.Canonical(x.Base)
		x.text = law.Format(x.Law) + law.Format(x.Base)
		if old, ok := byText[x.text]; ok {
			old.merged = append(old.merged, x.merged...)
			old.syms = append(old.syms, x.syms...)
			continue
		}
		byText[x.text] = x
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b *statement) int {
		if d := law.Size(a.Law.LHS...) - law.Size(b.Law.LHS...); d != 0 {
			return d
		}
		return strings.Compare(a.text, b.text)
	})
	return out
}
