package sums

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

// Certify looks for a proof of a law that meaning.Check accepts, and has it checked.
// It returns nil where none is found: the law may be proved by a Prover all the same.
// The error is the end of ctx.
func Certify(ctx context.Context, l *law.Law) ([]int64, error) {
	return CertifyWithin(ctx, l, 0)
}

// CertifyWithin is Certify with a bound on the work: the number of eliminations of
// unknowns, some tens of microseconds each; 0: none. Half of the laws of networks that
// have a proof need less than 20, nine in ten less than 1000.
func CertifyWithin(ctx context.Context, l *law.Law, most int) ([]int64, error) {
	f, err := Find(ctx, l, most)
	return f.Proof, err
}

// Found is the result of a search for a proof.
type Found struct {
	Proof  []int64 // accepted by meaning.Check; nil: no proof was found
	Reason string  // why no proof was found
	shown  meaning.Claims
	orders bool // the order of numbers may matter
}

// Find is CertifyWithin with the reason why there is no proof.
func Find(ctx context.Context, l *law.Law, most int) (f Found, err error) {
	r := NewRecorder(ctx)
	r.most, r.law = most, l
	c, err := meaning.Run(l, r)
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	f.shown, f.orders = c, r.orders
	switch {
	case r.over():
		f.Reason = fmt.Sprintf("no proof within %d eliminations of unknowns", most)
	case err != nil:
		f.Reason = err.Error()
	case !c.Equal:
		f.Reason = "the prover does not reduce both sides to one normal form"
	case !c.Forward:
		f.Reason = "the left side may be defined where the right one is not"
	case !c.Shows(l):
		f.Reason = "the right side may be defined where the left one is not"
	}
	if err != nil || !c.Shows(l) {
		return f, nil
	}
	if _, err := meaning.Check(l, r.out); err != nil {
		f.Reason = "the checker does not accept the proof: " + err.Error()
		return f, nil
	}
	f.Proof, f.Reason = r.out, ""
	return f, nil
}

// Show is CertifyWithin for a law that may hold in part only, and returns what holds: it may be about
// the true relu and maximum only, then it has the tag ordered; and where one side is defined
// more often than the other, it is the law from left to right, or from right to left. Without a
// proof it is l.
func Show(ctx context.Context, l *law.Law, most int) (*law.Law, []int64, error) {
	m := l
	if !l.HasTag(law.TagOrdered) {
		n := *l
		n.Tags = append(slices.Clone(l.Tags), law.TagOrdered)
		m = &n
	}
	f, err := Find(ctx, m, most)
	if err != nil {
		return l, nil, err
	}
	p, c, orders := f.Proof, f.shown, f.orders
	if p == nil && !l.OneWay && c.Equal && c.Forward != c.Backward {
		m, l = law.OneDirection(m, c.Backward), law.OneDirection(l, c.Backward)
		if p, err = CertifyWithin(ctx, m, most); err != nil {
			return l, nil, err
		}
	}
	if l.HasTag(law.TagOrdered) || p == nil && !orders {
		return l, p, nil
	}
	// Where nothing depends on the order the proofs are the same.
	if p != nil {
		if _, err := meaning.Check(l, p); err == nil {
			return l, p, nil
		}
	}
	if q, err := CertifyWithin(ctx, l, most); p == nil || q != nil || err != nil {
		return l, q, err
	}
	return m, p, nil
}

// Recorder answers an engine by search, and writes the proof that a reader of package
// meaning reads.
type Recorder struct {
	ctx    context.Context
	out    []int64
	groups int64
	most   int // eliminations; 0: no bound
	law    *law.Law
	orders bool // the order of numbers may matter
	memory memory
	equal  equations
}

// NewRecorder has no proof yet; when ctx ends, so does the work of an engine that asks.
func NewRecorder(ctx context.Context) *Recorder {
	return &Recorder{ctx: ctx, groups: Config{}.set().MaxGroups}
}

// Proof is what is on record.
func (r *Recorder) Proof() []int64 { return r.out }

// try calls f; what it leaves on record counts only if it returns true, and so do
// unknowns of e, if that is not nil.
func (r *Recorder) try(e *meaning.Engine, f func() bool) bool {
	forget := func() {}
	if e != nil {
		forget = r.mark(e)
	}
	n := len(r.out)
	r.put(1)
	if f() {
		return true
	}
	r.out = r.out[:n]
	forget()
	return false
}

// mark is Space.Mark, for the memory too.
func (r *Recorder) mark(e *meaning.Engine) (forget func()) {
	r.orders = r.orders || e.Orders()
	unknowns := e.Space.Mark()
	return func() {
		unknowns()
		r.memory.forget()
		r.equal.forget()
	}
}

func (r *Recorder) put(ns ...int64) { r.out = append(r.out, ns...) }

func (r *Recorder) index(e graph.Index) {
	r.put(int64(e.Len()))
	for i := range e.Len() {
		v, k := e.Term(i)
		r.put(int64(v), k)
	}
	r.put(e.Constant())
}

// Impossible is part of meaning.Guide.
func (r *Recorder) Impossible(e *meaning.Engine, gs []graph.Guard) bool {
	if err := r.ctx.Err(); err != nil {
		e.Stop(err)
		return false
	}
	if r.over() {
		e.Stop(meaning.ErrTooLarge)
		return false
	}
	r.orders = r.orders || e.Orders()
	if p := r.memory.refute(e, gs); p != nil {
		r.put(1)
		r.put(p...)
		return true
	}
	r.put(0)
	return false
}

// over says that there was too much work; the next question of the engine ends it.
func (r *Recorder) over() bool { return r.most > 0 && r.memory.work > r.most }

func (r *Recorder) search(e *meaning.Engine) *search {
	return &search{e, func(gs []graph.Guard) bool { return !r.over() && r.memory.refute(e, gs) != nil }, &r.equal}
}

// Place is part of meaning.Guide.
func (r *Recorder) Place(e *meaning.Engine, ctx []graph.Guard, groups []*meaning.Group, t meaning.Term, try func(meaning.Placing) bool) bool {
	forget := r.mark(e)
	done := false
	r.search(e).place(ctx, groups, t, func(p meaning.Placing) bool {
		// What was made to find proposals is not there when the proof is read, but
		// what the proposal names is as it was before.
		forget()
		for _, by := range p.By {
			if !known(e.Space, by) {
				return false
			}
		}
		done = r.try(e, func() bool {
			r.put(int64(p.Group))
			for _, j := range p.Pairs {
				r.put(int64(j))
			}
			for _, by := range p.By {
				r.index(by)
			}
			return try(p)
		})
		return done
	})
	if !done {
		forget()
		r.put(0)
	}
	return done
}

// Digits is part of meaning.Guide.
func (r *Recorder) Digits(e *meaning.Engine, over []graph.Sym, here, there meaning.NF) (int, graph.Dim, bool) {
	at, n, ok := r.search(e).digits(over, here, there)
	var size graph.Index
	if ok {
		forget := r.mark(e)
		size = e.Space.Size(n)
		forget()
	}
	if !ok || !known(e.Space, size) {
		r.put(0)
		return 0, n, false
	}
	r.put(1, int64(at))
	r.index(size)
	return at, n, true
}

// Cover is part of meaning.Guide.
func (r *Recorder) Cover(e *meaning.Engine, p, q meaning.Piece, try func(meaning.Covering) bool) bool {
	done := false
	forget := r.mark(e)
	r.search(e).cover(p, q, func(c meaning.Covering) bool {
		forget()
		for _, by := range c.By {
			if !known(e.Space, by) {
				return false
			}
		}
		for _, by := range c.Also {
			if !known(e.Space, by) {
				return false
			}
		}
		done = r.try(e, func() bool {
			for i := range q.Over {
				if by, ok := c.By[i]; ok {
					r.put(1)
					r.index(by)
				} else {
					r.put(0)
				}
			}
			r.put(int64(len(c.Also)))
			for _, e := range c.Also {
				r.index(e)
			}
			return try(c)
		})
		return done
	})
	if !done {
		forget()
		r.put(0)
	}
	return done
}

// Frame is part of meaning.Guide.
func (r *Recorder) Frame(e *meaning.Engine, reps []meaning.Term, t meaning.Term) (int, []int) {
	if len(reps) == 0 {
		return -1, nil
	}
	forget := r.mark(e)
	at, order := frameOf(e, reps, t)
	forget()
	r.put(int64(at + 1))
	for _, i := range order {
		r.put(int64(i))
	}
	return at, order
}

// Step is part of meaning.Guide.
func (r *Recorder) Step(_ *meaning.Engine, v *meaning.Values) (meaning.Step, bool) {
	s, ok := nextStep(v)
	if !ok {
		return s, false
	}
	if r.put(s.Kind); s.Kind != meaning.StepDone {
		r.put(int64(s.Max), int64(s.I), int64(s.J))
	}
	if s.Kind == meaning.StepDrop {
		r.put(s.Times, int64(len(s.Combination)))
		for _, p := range s.Combination {
			r.put(p.Times, int64(len(p.Of)))
			r.put(p.Of...)
		}
	}
	return s, true
}

// Try is part of meaning.Guide.
func (r *Recorder) Try(e *meaning.Engine, f func() bool) bool {
	if r.try(e, f) {
		return true
	}
	r.put(0)
	return false
}

// Split is part of meaning.Splitter.
func (r *Recorder) Split(vars, open []graph.Open) (graph.Open, int64, bool) {
	o, ok := choose(slices.DeleteFunc(slices.Clone(open), r.endless))
	i := slices.Index(vars, o)
	if !ok || i < 0 {
		r.put(0)
		return o, 0, false
	}
	r.put(1, int64(i))
	if o.Sort == "int" {
		r.put(r.groups)
	}
	return o, r.groups, true
}

// endless reports that a number of groups has no largest: no condition names it.
func (r *Recorder) endless(o graph.Open) bool {
	if o.Sort != "int" || r.law == nil {
		return false
	}
	named := false
	see := func(a graph.Atom) { named = named || a.Kind == graph.AtomVar && a.Name == o.Name }
	for _, p := range r.law.Where {
		p.Left.Walk(see)
		p.Right.Walk(see)
	}
	return !named
}

// known reports whether all unknowns of e are in the space.
func known(s *graph.Space, e graph.Index) bool {
	for i := range e.Len() {
		if v, _ := e.Term(i); !s.Has(v) {
			return false
		}
	}
	return true
}
