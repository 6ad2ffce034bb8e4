package audit

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/rules/peer"
)

// numMutants is how many mutants of true rules are audited.
var numMutants = sweep.Size(40, 300)

// numShapes is on how many random shapes a proved mutant is confirmed.
var numShapes = sweep.Size(30, 100)

// trueRules are the generated rules of two operators, in make test over a few, and the rules of
// testdata/true.rules, which are larger and have two outputs.
func trueRules(t testing.TB) []*law.Law {
	t.Helper()
	text, err := os.ReadFile("testdata/true.rules")
	if err != nil {
		t.Fatal(err)
	}
	out, err := law.Parse("testdata/true.rules", text)
	if err != nil {
		t.Fatal(err)
	}
	ops := [][]string{{"concat", "conv2d", "conv2d_relu", "enlarge", "ewadd", "matmul", "poolavg", "relu", "smul"}, nil}
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 2, Ops: ops[sweep.Size(0, 1)], Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Set.Rules {
		out = append(out, r.Law)
	}
	return out
}

// pickMutants takes n mutants, in turns of all kinds of change, and within a
// kind of all rules.
func pickMutants(from []*law.Law, n int) []mutate.Mutant {
	byKind := map[string][]mutate.Mutant{}
	for _, l := range from {
		for _, m := range mutate.Mutants(l) {
			kind, _, _ := strings.Cut(m.Name, " ")
			byKind[kind] = append(byKind[kind], m)
		}
	}
	rng := rand.New(rand.NewSource(3))
	kinds := slices.Sorted(maps.Keys(byKind))
	for _, k := range kinds {
		ms := byKind[k]
		rng.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	}
	var out []mutate.Mutant
	for i := 0; len(out) < n; i++ {
		had := len(out)
		for _, k := range kinds {
			if i < len(byKind[k]) && len(out) < n {
				out = append(out, byKind[k][i])
			}
		}
		if len(out) == had {
			break
		}
	}
	return out
}

// confirm evaluates a law on random shapes and values, by none of the means
// that proved it. It returns on how many both sides were defined and equal.
func confirm(l *law.Law, ordered bool) (equal int, err error) {
	p, err := instance.New(l)
	if err != nil {
		return 0, err
	}
	s := instance.NewSampler(l, instance.Scope{})
	rng := rand.New(rand.NewSource(7))
	for try := 0; try < 40*numShapes && equal < numShapes; try++ {
		v, ok := s.Sample(rng)
		if !ok {
			continue
		}
		seed := uint64(try)
		var out instance.Outcome
		var cause error
		if ordered {
			out, cause = instance.CompareAt[interp.Q](p, interp.Rational{}, v, func(name string, n int) []interp.Q {
				qs := make([]interp.Q, n)
				for i, x := range fingerprint.Random(seed, name, n) {
					qs[i] = interp.Q{Num: int64(x%7) - 3, Den: 1}
				}
				return qs
			})
		} else {
			out, cause = instance.CompareAt[uint64](p, fingerprint.Zp{Key: seed}, v,
				func(name string, n int) []uint64 { return fingerprint.Random(seed, name, n) })
		}
		switch out {
		case instance.Equal:
			equal++
		case instance.Undefined, instance.NotAnInstance:
		case instance.OneSided:
			if !l.OneWay || !strings.HasPrefix(cause.Error(), "left side: ") {
				return equal, fmt.Errorf("%s: %w", v, cause)
			}
		default:
			return equal, fmt.Errorf("the sides differ with %s", v)
		}
	}
	return equal, nil
}

// Rules with one thing changed are told from true ones: each is refuted with a
// counterexample that replays, or proved and then confirmed on random shapes.
func TestMutants(t *testing.T) {
	ms := pickMutants(trueRules(t), numMutants)
	if len(ms) < numMutants {
		t.Fatalf("%d mutants, want %d", len(ms), numMutants)
	}
	f := &peer.File{Path: "mutants", Format: peer.Text}
	for i, m := range ms {
		l := *m.Law
		l.Name = fmt.Sprintf("mutant_%d", i)
		f.Rules = append(f.Rules, peer.Rule{Index: i, Name: l.Name, Law: &l, Equation: !l.OneWay, Source: m.Name})
	}
	reps, err := Run(context.Background(), []*peer.File{f}, Options{NoSet: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	count := map[Outcome]int{}
	for i, r := range reps[0].Rules {
		count[r.Overall()]++
		ordered := false
		for _, g := range r.Goals {
			ordered = ordered || g != nil && g.Law.HasTag(law.TagOrdered)
		}
		tell := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s\n%s\nverdict %s, %s: %s", ms[i].Name, law.Format(f.Rules[i].Law), r.Verdict, r.VerdictReverse, fmt.Sprintf(format, args...))
		}
		for k, v := range []Outcome{r.Verdict, r.VerdictReverse} {
			switch v {
			case "", Refuted:
			case Proved:
				if n, err := confirm(law.OneDirection(f.Rules[i].Law, k == 1), ordered); err != nil || n < numShapes {
					tell("proved, and equal on %d shapes: %v", n, err)
				}
			case Conditional:
				if n, err := confirm(r.Goals[k].Law, ordered); err != nil || n < numShapes {
					tell("proved under a condition, and then equal on %d shapes: %v", n, err)
				}
			default:
				// Sides that are defined only where all axes moved by a permutation that varies have
				// one size: neither prover nor search for counterexamples goes there.
				if v == Unknown && r.Overall() == Refuted && strings.Contains(r.Reason, "axes in an order that is not known") {
					continue
				}
				tell("%s", r.Reason)
			}
			if v == Refuted || v == Conditional {
				c := []*Counterexample{r.Readings[0].Forward.Counterexample, r.Readings[0].Backward.Counterexample}[k]
				if c == nil {
					tell("direction %d has no counterexample", k)
				} else if _, err := c.Replay(); err != nil {
					tell("the counterexample does not replay: %v", err)
				}
			}
		}
	}
	t.Logf("%d mutants: %v", len(ms), count)
}
