package axioms_test

import (
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

const minEqual = 20 // a law that is hardly ever defined is not tested

var (
	maxInstances = sweep.Size(150, 3000) // the plainest instances of a law that are evaluated
	numSamples   = sweep.Size(40, 300)
)

// anyAct is an activation of which nothing is known, not even that it keeps
// zero: what holds for every activation must hold for it. It exists in this
// test only.
var anyAct = graph.Register(&graph.Op{Name: "any_activation", In: 1, Out: 1, Pointwise: true})

// scope is the scope of the package with that activation.
var scope = instance.Scope{Acts: []graph.Value{graph.NameValue("none"), graph.NameValue(anyAct.Name), graph.NameValue("relu")}}

// evaluate compares the two sides of l on one instance, all functions and
// orders arbitrary, or, with ordered, the true relu and maximum on small
// rationals.
func evaluate(l *instance.Program, v *instance.Valuation, seed uint64, ordered bool) (instance.Outcome, error) {
	if !ordered {
		return instance.CompareAt[uint64](l, fingerprint.Zp{Key: seed}, v,
			func(name string, n int) []uint64 { return fingerprint.Random(seed, name, n) })
	}
	return instance.CompareAt[interp.Q](l, interp.Rational{}, v, func(name string, n int) []interp.Q {
		out := make([]interp.Q, n)
		for i, x := range fingerprint.Random(seed, name, n) {
			out[i] = interp.Q{Num: int64(x%7) - 3, Den: 1}
		}
		return out
	})
}

// accepted reports whether the outcome is one that a true law may have.
func accepted(l *law.Law, out instance.Outcome, err error) bool {
	switch out {
	case instance.Equal, instance.Undefined, instance.NotAnInstance:
		return err == nil
	case instance.OneSided:
		return l.OneWay && strings.HasPrefix(err.Error(), "left side: ")
	}
	return false
}

// each calls f for the plainest instances of l and for samples of larger ones,
// until f returns false.
func each(l *law.Law, f func(n int, v *instance.Valuation) bool) {
	n := 0
	instance.Instances(l, scope, func(v *instance.Valuation) bool {
		n++
		return f(n, v) && n < maxInstances
	})
	rng := rand.New(rand.NewSource(1))
	s := instance.NewSampler(l, scope)
	for i := 0; i < numSamples; i++ {
		n++
		if v, ok := s.Sample(rng); ok && !f(n, v) {
			return
		}
	}
}

// Axioms and lemmas hold on every small instance and on samples of larger
// ones: both sides defined, of one shape and equal entry by entry, or neither
// defined.
func TestSound(t *testing.T) {
	var mu sync.Mutex
	count := map[law.Kind]int{}
	instances, equal := 0, 0
	t.Run("laws", func(t *testing.T) {
		for _, l := range axioms.Default() {
			if l.Kind == law.Refute {
				continue
			}
			t.Run(l.Name, func(t *testing.T) {
				t.Parallel()
				p, err := instance.New(l)
				if err != nil {
					t.Fatal(err)
				}
				var seen [instance.NotAnInstance + 1]int
				bad := 0
				each(l, func(n int, v *instance.Valuation) bool {
					out, err := evaluate(p, v, uint64(n), l.HasTag(law.TagOrdered))
					seen[out]++
					if !accepted(l, out, err) {
						t.Errorf("%s: %s: with %s: %s %v", l.Pos, l.Name, v, out, err)
						bad++
					}
					return bad < 3
				})
				if seen[instance.Equal] < minEqual && hasVariables(l) {
					t.Errorf("%s: %s: equal on %d instances only, want %d", l.Pos, l.Name, seen[instance.Equal], minEqual)
				}
				mu.Lock()
				defer mu.Unlock()
				count[l.Kind]++
				for _, k := range seen {
					instances += k
				}
				equal += seen[instance.Equal]
			})
		}
	})
	t.Logf("%d axioms, %d lemmas, %d instances, both sides defined and equal in %d", count[law.Axiom], count[law.Lemma], instances, equal)
}

// hasVariables reports whether l has more than one instance.
func hasVariables(l *law.Law) bool {
	n := 0
	instance.Instances(l, instance.Scope{}, func(*instance.Valuation) bool { n++; return n < minEqual })
	return n > 1 || len(l.Given) > 0
}

// Every refuted equation has an instance, of the true relu and maximum if
// it has no function variables, on which both sides are defined and differ.
func TestRefuted(t *testing.T) {
	for _, l := range axioms.ByKind(law.Refute) {
		ordered := true
		for _, b := range l.Given {
			ordered = ordered && !law.IsFuncSort(b.Sort)
		}
		p, err := instance.New(l)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		tried := 0
		each(l, func(n int, v *instance.Valuation) bool {
			tried++
			out, _ := evaluate(p, v, uint64(n), ordered)
			found = out == instance.Differs
			return !found
		})
		if !found {
			t.Errorf("%s: %s: no instance out of %d differs", l.Pos, l.Name, tried)
		}
	}
}
