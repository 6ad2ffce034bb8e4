package enumerate

import (
	"math/rand"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// drawInstance draws what the variables of a law stand for, with no regard to the
// choices that the enumerator's own tests make.
func drawInstance(rng *rand.Rand, l *law.Law) *instance.Valuation {
	env := &instance.Valuation{Substitution: graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{},
		Attrs: map[string]graph.Value{}}, Fns: map[string]string{}}
	draw := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			if _, ok := env.Dims[a.Name]; !ok {
				env.Dims[a.Name] = graph.Int(1 + rng.Int63n(5))
			}
		case graph.AtomAxisRun:
			if _, ok := env.Runs[a.Name]; !ok {
				run := graph.Shape{}
				for k := rng.Intn(3); k > 0; k-- {
					run = append(run, graph.Axis(graph.Int(1+rng.Int63n(3))))
				}
				env.Runs[a.Name] = run
			}
		}
	}
	names := func(list ...string) graph.Value { return graph.NameValue(list[rng.Intn(len(list))]) }
	for _, b := range l.Given {
		switch b.Sort {
		case "":
			b.Shape.Walk(draw)
		case graph.SortStride:
			env.Attrs[b.Name] = graph.TupleValue(1+rng.Int63n(3), 1+rng.Int63n(3))
		case graph.SortSame:
			env.Attrs[b.Name] = names(graph.SameLower, graph.SameUpper)
		case graph.SortPadding:
			env.Attrs[b.Name] = names(graph.SameLower, graph.SameUpper, graph.Valid)
			if rng.Intn(2) == 0 {
				env.Attrs[b.Name] = graph.TupleValue(rng.Int63n(2), rng.Int63n(3), rng.Int63n(2), rng.Int63n(2))
			}
		case graph.SortAct:
			env.Attrs[b.Name] = names("none", "relu")
		case law.SortPointwise1:
			env.Fns[b.Name] = "any:" + b.Name
		case law.SortZero1:
			env.Fns[b.Name] = "zero:" + b.Name
		}
	}
	for _, side := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, x := range side {
			x.Walk(func(u *law.Term) {
				for _, v := range u.Attrs {
					v.Walk(draw)
				}
			})
		}
	}
	ranks, err := law.PermRanks(l)
	if err != nil {
		panic(err) // the law was read
	}
	for _, b := range l.Given {
		if b.Sort != graph.SortPerm {
			continue
		}
		n, err := ranks[b.Name].Eval(&env.Substitution)
		if err != nil {
			panic(err) // all runs are drawn
		}
		perm := make([]int64, n)
		for i, k := range rng.Perm(int(n)) {
			perm[i] = int64(k)
		}
		env.Attrs[b.Name] = graph.TupleValue(perm...)
	}
	return env
}

// counterexample looks for an instance in which a law fails among those of one
// random stream, until it has held on want of them. It returns nil if there is
// none, and how many held.
func counterexample(l *law.Law, semantic bool, seed int64, want int) (*instance.Valuation, instance.Outcome, int) {
	rng := rand.New(rand.NewSource(seed))
	held := 0
	for try := 0; try < 60*want && held < want; try++ {
		env := drawInstance(rng, l)
		key := rng.Uint64()
		var out instance.Outcome
		if semantic {
			out, _ = instance.Compare[interp.Q](interp.Rational{}, l, env, func(_ string, n int) []interp.Q {
				q := make([]interp.Q, n)
				low := -rng.Int63n(5)
				for i := range q {
					q[i] = interp.Q{Num: low + rng.Int63n(5), Den: 1}
				}
				return q
			})
		} else {
			out, _ = instance.Compare[uint64](fingerprint.Zp{Key: key}, l, env, func(name string, n int) []uint64 {
				return fingerprint.Random(key, name, n)
			})
		}
		switch out {
		case instance.Equal:
			held++
		case instance.Differs, instance.OneSided:
			return env, out, held
		}
	}
	return nil, instance.Equal, held
}

// numHeld is on how many instances of its own a candidate has to hold.
var numHeld = sweep.Size(20, 50)

// Every candidate is well typed, in canonical form, and holds on random
// instances of its own, as does its base.
func TestCandidatesHold(t *testing.T) {
	total := 0
	for i, cands := range kinds(t)[0].alone(t).cands {
		n := i + 1
		for _, c := range cands {
			total++
			if c.Level != n {
				t.Errorf("level %d, want %d:\n%s", c.Level, n, law.Format(c.Law))
			}
			for _, l := range []*law.Law{c.Law, c.Base} {
				text := law.Format(l)
				if _, err := l.Types(); err != nil {
					t.Errorf("ill-typed: %v\n%s", err, text)
				}
				if again := law.Format(law.Canonical(l)); again != text {
					t.Errorf("not in canonical form:\n%s\nwant\n%s", text, again)
				}
				if parsed, err := law.ParseLaw(text); err != nil {
					t.Errorf("%v:\n%s", err, text)
				} else if law.Format(parsed) != text {
					t.Errorf("read back as\n%s\nwant\n%s", law.Format(parsed), text)
				}
				if l == c.Base && law.Format(c.Law) == text && l != c.Law {
					continue
				}
				env, out, held := counterexample(l, c.Ordered, 12345, numHeld)
				switch {
				case env != nil:
					t.Errorf("%s for sizes %v, runs %v, attributes %v:\n%s", out, env.Dims, env.Runs, env.Attrs, text)
				case held < numHeld:
					t.Errorf("only %d defined instances:\n%s", held, text)
				}
			}
		}
	}
	if total < 100 {
		t.Errorf("only %d candidates", total)
	}
}
