package spread

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/refute"
)

// Options bounds a decision. The zero value is a good default.
type Options struct {
	// Patterns bounds the patterns that are looked at.
	Patterns broadcast.Options
	// True says that the law is known to hold without broadcasting: then it is
	// not proved again.
	True bool
	// Sizes is how many assignments of sizes to a pattern are typed to find one
	// for which the sides differ in shape; 0: 60.
	Sizes int
	// Quick is the search for values that refute a pattern before it is proved;
	// by default with 12 assignments of sizes and none that are large, which of a
	// true pattern take longer than its proof. Long is that for one that was not
	// proved, by default as in refute.Find.
	Quick, Long refute.Options
	// Further is how many patterns more are searched for a counterexample with
	// two defined sides, after one with a right side that is not defined; 0: 32.
	Further int
}

func (o Options) withDefaults() Options {
	if o.Sizes == 0 {
		o.Sizes = 60
	}
	if o.Quick.Bindings == 0 {
		o.Quick.Bindings = 12
	}
	if o.Quick.Reach == 0 {
		o.Quick.Reach = -1
	}
	if o.Further == 0 {
		o.Further = 32
	}
	return o
}

// Verdict says whether a law holds when the operands of element-wise
// operators broadcast, read left to right.
type Verdict struct {
	// Status is Proved only if Complete and all patterns are.
	Status law.Status
	// Pattern, of a refuted law, is one of its patterns with the broadcasts
	// written out, over concrete shapes if its sides do not fit for all sizes,
	// and Witness a counterexample to that: "values"
	// and "shape" say that the two sides are defined and differ, "defined" that
	// the right side has no shape. Pattern of an unknown law is one that was
	// neither proved nor refuted.
	Pattern *law.Law
	Witness *refute.Witness
	// Axes of the pattern are 1, or missing, where the law has a size: with none
	// the law is false, or unknown, without broadcasting too.
	Axes int
	// Patterns is how many laws were looked at; 0 if the sides differ in how
	// sums and products of elements are written only, see
	// broadcast.EqualCellwise. Complete says that there are no others.
	Patterns int
	Complete bool
	// Proofs, of a proved law, are those of the patterns, in their order; nil
	// for a pattern that needed none.
	Proofs []*law.Proof
	// Reason says in words why.
	Reason string
	// Seconds of wall time.
	Seconds float64
}

// Prover decides laws under broadcasting, one after another; it compiles the laws
// it proves from once, and serves one goroutine.
type Prover struct {
	laws    []*law.Law
	plain   *verify.Session // goals without broadcast
	ranked  *rankedSession  // the others
	answers *answers
}

// New proves from laws of distinct names: the axioms, those about
// broadcast among them.
func New(laws ...*law.Law) (*Prover, error) {
	s, err := verify.NewSession(nil, laws...)
	if err != nil {
		return nil, fmt.Errorf("broadcasting: %w", err)
	}
	r, err := newRankedSession(laws)
	if err != nil {
		return nil, fmt.Errorf("broadcasting: %w", err)
	}
	return &Prover{laws: laws, plain: s, ranked: r, answers: &answers{of: map[string]*answer{}}}, nil
}

// Decide says whether a law holds under broadcasting: it looks for a
// counterexample first, over small shapes in exact arithmetic, and then proves
// each of broadcast.All. The error is for a law without types, and for
// what verify.Session.Prove and refute.Find report.
func (b *Prover) Decide(ctx context.Context, l *law.Law, opts Options) (Verdict, error) {
	start := time.Now()
	v, err := b.decide(ctx, l, opts.withDefaults())
	v.Seconds = time.Since(start).Seconds()
	if err != nil {
		return v, fmt.Errorf("broadcasting: law %s: %w", l.Name, err)
	}
	return v, nil
}

func (b *Prover) decide(ctx context.Context, l *law.Law, opts Options) (Verdict, error) {
	if _, err := l.Types(); err != nil {
		return Verdict{}, err
	}
	if equalCellwise(l) {
		return Verdict{Status: law.Proved, Complete: true,
			Reason: "the sides are one polynomial in each element"}, nil
	}
	v := Verdict{}
	var todo []broadcast.Pattern
	var stop error
	further := opts.Further
	bound, err := broadcast.Each(l, opts.Patterns, func(p broadcast.Pattern) bool {
		v.Patterns++
		todo = append(todo, p)
		if p.Axes == 0 && p.Err == nil {
			return true // the law itself: left to the prover
		}
		if stop = b.refute(ctx, p, opts, opts.Quick, &v); stop != nil {
			return false
		}
		if v.Witness != nil {
			further--
		}
		return v.Witness == nil || v.Witness.Kind == "defined" && further > 0
	})
	if err == nil {
		err = stop
	}
	if err != nil {
		return v, err
	}
	if v.Patterns == 0 && bound == "" {
		bound = "the law itself is none of the patterns"
	}
	v.Complete = bound == ""
	if v.Witness != nil {
		v.Status, v.Reason = law.Refuted, v.refuted()
		return v, nil
	}
	for _, p := range todo {
		if p.Axes == 0 && opts.True {
			v.Proofs = append(v.Proofs, nil)
			continue
		}
		got, err := b.prove(ctx, p)
		if err != nil {
			return v, err
		}
		if got.Status == law.Proved {
			v.Proofs = append(v.Proofs, got.Proof)
			continue
		}
		if err := b.refute(ctx, p, opts, opts.Long, &v); err != nil {
			return v, err
		}
		if v.Witness != nil {
			v.Status, v.Reason, v.Proofs = law.Refuted, v.refuted(), nil
			return v, nil
		}
		v.Pattern, v.Axes, v.Proofs = p.Law, p.Axes, nil
		v.Reason = fmt.Sprintf("a pattern with %d axes of size 1 is not proved: %s", p.Axes, got.Reason)
		return v, nil
	}
	if !v.Complete {
		v.Reason = "all patterns looked at are proved, but " + bound
		return v, nil
	}
	v.Status, v.Reason = law.Proved, "all patterns of broadcasting are proved"
	return v, nil
}

// refuted says how a law is refuted.
func (v *Verdict) refuted() string {
	when := "under broadcasting"
	if v.Axes == 0 {
		when = "even without broadcasting"
	}
	switch v.Witness.Kind {
	case "defined":
		return when + " the right side is not defined where the left side is"
	case "shape":
		return when + " the sides differ in shape"
	}
	return when + " the sides differ"
}

func equalCellwise(l *law.Law) bool {
	for i := range l.LHS {
		if !broadcast.EqualCellwise(l.LHS[i], l.RHS[i]) {
			return false
		}
	}
	return true
}

// refute looks for a counterexample to a pattern, and notes in v the first, or
// a later one in which both sides are defined.
func (b *Prover) refute(ctx context.Context, p broadcast.Pattern, opts Options, values refute.Options, v *Verdict) error {
	at := p.Law
	if p.Err != nil {
		// Where the sides do not fit for all sizes, they may for some.
		at = misfit(p.Plain, opts, v.Witness == nil)
	}
	if at == nil {
		return nil
	}
	w, err := refute.Find(ctx, at, values)
	if err == nil && w != nil && (v.Witness == nil || w.Kind != "defined") {
		v.Pattern, v.Witness, v.Axes = at, w, p.Axes
	}
	return err
}

// misfit is a law at small sizes for which its sides differ in shape under
// broadcasting, or, if wanted and there are none, for which the right side has
// no shape. Broadcasts are written out anew for each assignment of sizes: sizes
// that are 1 by chance broadcast too.
func misfit(plain *law.Law, opts Options, undefined bool) *law.Law {
	var found, without map[string]int
	sizes, _ := law.Variables(plain)
	slices.Sort(sizes)
	types := broadcast.NewTyper(plain, opts.Patterns)
	bySize(sizes, opts.Sizes, func(at map[string]int) bool {
		switch types.At(at) {
		case broadcast.ErrOtherShape:
			found = maps.Clone(at)
		case broadcast.ErrNotDefined:
			if undefined && without == nil {
				without = maps.Clone(at)
			}
		}
		return found == nil
	})
	if found == nil {
		found = without
	}
	if found == nil {
		return nil
	}
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	for n, size := range found {
		b.Dims[n] = graph.Int(int64(size))
	}
	at, _ := broadcast.Explicit(plain.Subst(b), opts.Patterns) // the error is the one of At
	return at
}

// bySize calls f for the sizes 1 to 3 of all variables, the least sums first,
// until it returns false or most have been tried. The map is the same each time.
func bySize(names []string, most int, f func(map[string]int) bool) {
	pick := map[string]int{}
	var rec func(i, left int) bool
	rec = func(i, left int) bool {
		if i < len(names) {
			for x := range min(left, 2) + 1 {
				pick[names[i]] = x + 1
				if !rec(i+1, left-x) {
					return false
				}
			}
			return true
		}
		if left > 0 {
			return true
		}
		most--
		return f(pick) && most > 0
	}
	for sum := range 2*len(names) + 1 {
		if !rec(0, sum) {
			return
		}
	}
}
