package meaning_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/taso-go/taso/internal/adversary"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// tally counts what TestEntries compared.
type tally struct {
	terms, cells, bad int
	skipped           map[string]int
	ops               map[string]int
}

// compareEntries compares the entries of a law's left side with what its operators
// give at some points; an error says where they differ.
func compareEntries[V any](f eval.Field[V], l *law.Law, es []meaning.Entry, points int, rng *rand.Rand, n *tally) error {
	s := eval.NewSampler(l, eval.Limits{Stride: 3, Rank: 1, Size: 6})
	ran := false
	for range points {
		p, ok := s.Draw(rng, true, false)
		if !ok {
			continue
		}
		for _, run := range slices.Sorted(maps.Keys(p.Runs)) {
			if len(p.Runs[run]) != 1 {
				p.Runs[run] = []int64{1 + rng.Int64N(4)}
			}
		}
		cells, err := eval.NewCells(f, l, p, rng.Uint64())
		if err != nil {
			continue // not defined there
		}
		for out, e := range es {
			w := &valuer[V]{f: f, law: l, p: p, cells: cells, space: e.Engine.Space, env: nil}
			for range 3 {
				idx := cells.Shape(0, out)
				for i, size := range idx {
					idx[i] = rng.Int64N(size)
				}
				want, err := cells.At(0, out, idx)
				if err != nil {
					n.skipped[err.Error()]++
					break
				}
				if f.IsBad(want) {
					n.bad++
					continue
				}
				got, err := w.at(e, idx)
				var u unable
				switch {
				case errors.As(err, &u):
					n.skipped[string(u)]++
					continue
				case err != nil:
					return fmt.Errorf("at %s, output %d, cell %v: %w", p, out, idx, err)
				case f.IsBad(got):
					n.bad++
					continue
				case !f.Same(got, want):
					return fmt.Errorf("at %s, output %d, cell %v: %s, want %s", p, out, idx, f.Text(got), f.Text(want))
				}
				n.cells++
				ran = true
			}
		}
	}
	if ran {
		n.terms++
		for _, t := range l.LHS {
			t.Walk(func(u *law.Term) {
				if u.Op != nil {
					n.ops[u.Op.Name]++
				}
			})
		}
	}
	return nil
}

// The normal form of a term has at every place the value that the term has there.
// Terms are those of the axioms and lemmas, and of laws that look true; their values
// come from code that shares nothing with the engine.
func TestEntries(t *testing.T) {
	laws := make([]*law.Law, 0, 2000)
	for _, p := range proofs() {
		laws = append(laws, p.l)
	}
	laws = lawtext.Sample(append(laws, adversary.Laws(12, 400)...), sweep.Size(3, 1))
	text, err := os.ReadFile("../../internal/adversary/testdata/attacks.rules")
	if err != nil {
		t.Fatal(err)
	}
	attacks, err := law.Parse("attacks.rules", text)
	if err != nil {
		t.Fatal(err)
	}
	laws = append(laws, attacks...)
	n := &tally{skipped: map[string]int{}, ops: map[string]int{}}
	refused := map[string]int{}
	rng := rand.New(rand.NewPCG(7, 9))
	for i, l := range laws {
		for k := range 4 {
			// Each side once, those of the attacks as both engines read relu and max.
			side, ordered := k/2, k%2 == 0
			if i < len(laws)-len(attacks) && ordered != ((i+side)%2 == 0) {
				continue
			}
			c := *l
			if side == 1 {
				c.LHS = l.RHS
			}
			c.RHS = c.LHS
			es, err := meaning.Entries(&c, ordered, sums.NewRecorder(context.Background()))
			if err != nil {
				refused[err.Error()]++
				continue
			}
			if j := eval.New(&c); j.Unjudged() != "" {
				refused[j.Unjudged()]++
				continue
			} else if j.Ordered() {
				err = compareEntries(eval.Rational(), &c, es, 4, rng, n)
			} else {
				err = compareEntries(eval.Modular(), &c, es, 4, rng, n)
			}
			if err != nil {
				t.Errorf("ordered %v: %v\n%s", ordered, err, law.Format(&c))
			}
		}
	}
	t.Logf("%d terms, %d cells, %d without a value; skipped %v; refused %v; operators %v", n.terms, n.cells, n.bad, n.skipped, refused, n.ops)
	if n.terms < 300 || len(n.ops) < 30 {
		t.Errorf("%d terms, operators %v", n.terms, n.ops)
	}
}
