package audit

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/rules/peer"
)

// The rewrites of docs/fusions*.rules are judged as their comments say, each
// proved one has a certificate, and evaluation agrees: it finds no difference in
// what is proved, and the counterexamples of what is refuted hold.
func TestFusions(t *testing.T) {
	least := map[string][2]int{"fusions.rules": {40, 10}, "fusions-attention.rules": {60, 24},
		"fusions-layers.rules": {62, 29}, "fusions-quantized.rules": {24, 24}}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "fusions*.rules"))
	if err != nil || len(files) != len(least) {
		t.Fatalf("%d files, want %d: %v", len(files), len(least), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { testFusions(t, file, least[filepath.Base(file)]) })
	}
}

// testFusions audits one file. least is how many rules must be expected as proved and refuted:
// all rules in make sweeps, else every fourth and those with an operator or a verdict that none
// before has.
func testFusions(t *testing.T, file string, least [2]int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	laws, err := law.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := peer.Read(file, text, "")
	if err != nil {
		t.Fatal(err)
	}
	count := map[Outcome]int{}
	expected := func(l *law.Law) Outcome {
		_, want, ok := strings.Cut(l.Doc, "Expect: ")
		if !ok {
			t.Errorf("%s: %s has no expectation", l.Pos, l.Name)
		}
		return Outcome(want)
	}
	for _, l := range laws {
		count[expected(l)]++
	}
	if count[Proved] < least[0] || count[Refuted] < least[1] {
		t.Errorf("%v, want at least %v proved and refuted", count, least)
	}
	if len(f.Rules) != len(laws) {
		t.Fatalf("%d rules, want %d", len(f.Rules), len(laws))
	}
	part, at := sampled(f, sweep.Size(4, 1), func(i int) string { return string(expected(laws[i])) })
	reps, err := Run(context.Background(), []*peer.File{part}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(reps[0].Rules) != len(at) {
		t.Fatalf("%d rules are judged, want %d", len(reps[0].Rules), len(at))
	}
	for i := range reps[0].Rules {
		r, l := reps[0].Rules[i], laws[at[i]]
		if want := expected(l); r.Verdict != want {
			t.Errorf("%s: %s is %s %s %s, expected %q", l.Pos, l.Name, r.Verdict, r.Condition, r.Reason, want)
			continue
		}
		switch r.Verdict {
		case Proved:
			if r.Goals[0] == nil || r.Goals[0].Proof == nil {
				t.Errorf("%s: %s has no certificate: %s", l.Pos, l.Name, r.Reason)
				continue
			}
			evaluate(t, l)
		}
	}
	examine(t, reps[0])
	t.Logf("%d of %d rules are judged, expected of all: %v", len(at), len(laws), count)
}

// sampled keeps of a file every n-th rule, and those with an operator or of a kind that none
// before has. It returns at which indices they were.
func sampled(f *peer.File, n int, kind func(int) string) (*peer.File, []int) {
	part := *f
	part.Rules = nil
	var at []int
	met := map[string]bool{}
	for i, r := range f.Rules {
		before := len(met)
		met[kind(i)] = true
		for _, name := range r.Operators {
			met[name] = true
		}
		if r.Law != nil {
			for _, x := range slices.Concat(r.Law.LHS, r.Law.RHS) {
				x.Walk(func(u *law.Term) {
					if u.Op != nil {
						met[u.Op.Name] = true
					}
				})
			}
		}
		if (i-1)%n == 0 || len(met) > before {
			r.Index = len(at)
			part.Rules, at = append(part.Rules, r), append(at, i)
		}
	}
	return &part, at
}

// evaluate compares both sides of a proved law on instances: modulo a prime with
// functions and orders of which nothing is known, or, if they differ there,
// exactly with the true ones. What has no exact values is left out.
func evaluate(t *testing.T, l *law.Law) {
	t.Helper()
	rng := rand.New(rand.NewSource(1))
	sampler := instance.NewSampler(l, instance.Scope{})
	p, err := instance.New(l)
	if err != nil {
		t.Fatal(err)
	}
	equal := 0
	for i := range 60 {
		v, ok := sampler.Sample(rng)
		if !ok {
			continue
		}
		seed := uint64(i)
		out, err := instance.CompareAt[uint64](p, fingerprint.Zp{Key: seed}, v,
			func(name string, n int) []uint64 { return fingerprint.Random(seed, name, n) })
		if out == instance.Differs {
			out, err = instance.CompareAt[interp.Q](p, interp.Rational{}, v, func(name string, n int) []interp.Q {
				xs := make([]interp.Q, n)
				for k, x := range fingerprint.Random(seed, name, n) {
					xs[k] = interp.Q{Num: int64(x%13) - 6, Den: 1}
				}
				return xs
			})
		}
		switch {
		case out == instance.Equal:
			equal++
		case out == instance.Differs, out == instance.OneSided && !strings.HasPrefix(err.Error(), "left side: "):
			t.Errorf("%s: %s is proved; with %s: %s %v", l.Pos, l.Name, v, out, err)
			return
		}
	}
	if equal == 0 {
		t.Errorf("%s: %s: no instance is evaluated", l.Pos, l.Name)
	}
}
