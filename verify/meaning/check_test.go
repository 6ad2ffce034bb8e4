package meaning_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

type proved struct {
	l     *law.Law
	proof []int64
}

// proofs are those of the axioms and lemmas.
var proofs = sync.OnceValue(func() []proved {
	var out []proved
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		p, err := sums.Certify(context.Background(), l)
		if err != nil {
			panic(err)
		}
		out = append(out, proved{l, p})
	}
	return out
})

// Every axiom and lemma has a proof.
func TestAxioms(t *testing.T) {
	numbers := 0
	for _, p := range proofs() {
		if p.proof == nil {
			t.Errorf("%s has no proof", p.l.Name)
			continue
		}
		c, err := meaning.Check(p.l, p.proof)
		if err != nil || !c.Shows(p.l) {
			t.Errorf("%s: %v, %v", p.l.Name, c, err)
		}
		numbers += len(p.proof)
	}
	t.Logf("%d proofs, %d numbers", len(proofs()), numbers)
}

// The proof of a law is none of a law that is refuted, and neither is what comes of
// it by changing numbers: of a ninth of the pairs.
func TestRefuted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, tried := 0, 0
	for _, l := range axioms.ByKind(law.Refute) {
		if p, err := sums.Certify(context.Background(), l); p != nil || err != nil {
			t.Errorf("%s is refuted, and has a proof; %v", l.Name, err)
		}
		for _, p := range proofs() {
			if n++; n%sweep.Size(9, 1) != 0 {
				continue
			}
			for k := range 2 {
				bad := p.proof
				if k > 0 {
					bad = corrupt(rng, bad)
				}
				tried++
				if _, err := meaning.Check(l, bad); err == nil {
					t.Fatalf("%s is refuted, and %v, by %s, is accepted", l.Name, bad, p.l.Name)
				}
			}
		}
	}
	t.Logf("%d proofs of %d laws that are refuted", tried, len(axioms.ByKind(law.Refute)))
}

// liar is a guide that proposes what is wrong before what is right.
type liar struct {
	*sums.Recorder
	place map[string]func(e *meaning.Engine, groups []*meaning.Group, t meaning.Term, p meaning.Placing) (meaning.Placing, bool)
	cover map[string]func(e *meaning.Engine, p, q meaning.Piece, c meaning.Covering) (meaning.Covering, bool)
	told  map[string]int
	took  []string
}

func (g *liar) Place(e *meaning.Engine, ctx []graph.Guard, groups []*meaning.Group, t meaning.Term, try func(meaning.Placing) bool) bool {
	return g.Recorder.Place(e, ctx, groups, t, func(p meaning.Placing) bool {
		for _, name := range slices.Sorted(maps.Keys(g.place)) {
			q := meaning.Placing{Group: p.Group, Pairs: slices.Clone(p.Pairs), By: slices.Clone(p.By)}
			if q, ok := g.place[name](e, groups, t, q); ok {
				g.told[name]++
				if try(q) {
					g.took = append(g.took, name)
					return true
				}
				if e.Err() != nil {
					return false
				}
			}
		}
		return try(p)
	})
}

func (g *liar) Cover(e *meaning.Engine, p, q meaning.Piece, try func(meaning.Covering) bool) bool {
	return g.Recorder.Cover(e, p, q, func(c meaning.Covering) bool {
		for _, name := range slices.Sorted(maps.Keys(g.cover)) {
			d := meaning.Covering{By: maps.Clone(c.By), Also: slices.Clone(c.Also)}
			if d, ok := g.cover[name](e, p, q, d); ok {
				g.told[name]++
				if try(d) {
					g.took = append(g.took, name)
					return true
				}
				if e.Err() != nil {
					return false
				}
			}
		}
		return try(c)
	})
}

type placing = meaning.Placing

// placeLies are wrong whatever the law is.
var placeLies = map[string]func(*meaning.Engine, []*meaning.Group, meaning.Term, placing) (placing, bool){
	"a group that is not there": func(_ *meaning.Engine, gs []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		p.Group = len(gs)
		return p, true
	},
	"a group before the first": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		p.Group = -1
		return p, true
	},
	"an atom for two": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.Pairs) < 2 {
			return p, false
		}
		p.Pairs[0] = p.Pairs[1]
		return p, true
	},
	"an atom too few": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.Pairs) == 0 {
			return p, false
		}
		p.Pairs = p.Pairs[1:]
		return p, true
	},
	"an atom that is not there": func(_ *meaning.Engine, _ []*meaning.Group, t meaning.Term, p placing) (placing, bool) {
		if len(p.Pairs) == 0 {
			return p, false
		}
		p.Pairs[0] = len(t.Atoms)
		return p, true
	},
	"a variable too few": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.By) == 0 {
			return p, false
		}
		p.By = p.By[1:]
		return p, true
	},
	"a variable too many": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		p.By = append(p.By, graph.IndexInt(0))
		return p, true
	},
	"every second point": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.By) == 0 {
			return p, false
		}
		p.By[0] = p.By[0].Scale(2)
		return p, true
	},
	"one point": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.By) == 0 {
			return p, false
		}
		p.By[0] = graph.IndexInt(0)
		return p, true
	},
	"a variable for two": func(_ *meaning.Engine, _ []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.By) < 2 {
			return p, false
		}
		p.By[0] = p.By[1]
		return p, true
	},
	"a variable for itself": func(_ *meaning.Engine, _ []*meaning.Group, t meaning.Term, p placing) (placing, bool) {
		if len(p.By) == 0 {
			return p, false
		}
		p.By[0] = t.Over[0].Index()
		return p, true
	},
	"variables bound inside": func(_ *meaning.Engine, _ []*meaning.Group, t meaning.Term, p placing) (placing, bool) {
		for _, a := range t.Atoms {
			for _, u := range a.Arg {
				if len(u.Over) > 0 && len(p.By) > 0 {
					p.By[0] = p.By[0].Add(u.Over[0].Index())
					return p, true
				}
			}
		}
		return p, false
	},
	"the half of a variable": func(e *meaning.Engine, gs []*meaning.Group, _ meaning.Term, p placing) (placing, bool) {
		if len(p.By) == 0 {
			return p, false
		}
		p.By[0] = p.By[0].Add(e.Space.Div(gs[p.Group].Rep.Over[0].Index(), 2))
		return p, true
	},
}

var coverLies = map[string]func(*meaning.Engine, meaning.Piece, meaning.Piece, meaning.Covering) (meaning.Covering, bool){
	"a point that depends on itself": func(_ *meaning.Engine, _, q meaning.Piece, c meaning.Covering) (meaning.Covering, bool) {
		if len(q.Over) == 0 {
			return c, false
		}
		c.By[0] = q.Over[0].Index().AddInt(1)
		return c, true
	},
	"the first point": func(e *meaning.Engine, p, q meaning.Piece, c meaning.Covering) (meaning.Covering, bool) {
		if len(p.Over) == 0 || len(q.Over) == 0 {
			return c, false
		}
		first := map[graph.Sym]graph.Index{}
		for i, v := range q.Over {
			c.By[i], first[v] = graph.IndexInt(0), graph.IndexInt(0)
		}
		// Where there is no such point, it is no lie that it has the value.
		for _, g := range q.Dom {
			at := e.Space.Subst(g.E, first)
			for i := range at.Len() {
				if _, k := at.Term(i); k < 0 {
					return c, false
				}
			}
		}
		return c, true
	},
	"an equation that is false": func(_ *meaning.Engine, _, _ meaning.Piece, c meaning.Covering) (meaning.Covering, bool) {
		c.Also = append(c.Also, graph.IndexInt(1))
		return c, true
	},
}

// nested are laws with sums inside functions inside sums.
const nested = `
# .
rule one
  given f : pointwise1, X : [b, k], Y : [k, n], Z : [n, m]
  then  matmul(f(matmul(X, Y)), Z) == transpose(matmul(transpose(Z), transpose(f(matmul(X, Y)))))

# .
rule two
  given f : pointwise1, X : [a, k], V : [b, k], Y : [k, n], Z : [n, m]
  then  matmul(f(matmul(concat[axis=0](X, V), Y)), Z) == concat[axis=0](matmul(f(matmul(X, Y)), Z), matmul(f(matmul(V, Y)), Z))
`

// Lies of every kind are told wherever a proof has a choice, and none is believed.
func TestLies(t *testing.T) {
	told := map[string]int{}
	laws, err := law.Parse("test", []byte(nested))
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(proofs())
	for _, l := range laws {
		p, err := sums.Certify(context.Background(), l)
		if err != nil || p == nil {
			t.Fatalf("%s has no proof: %v", l.Name, err)
		}
		all = append(all, proved{l, p})
	}
	for _, p := range all {
		g := &liar{Recorder: sums.NewRecorder(context.Background()), place: placeLies, cover: coverLies, told: told}
		c, err := meaning.Run(p.l, g)
		if len(g.took) > 0 {
			t.Errorf("%s: %v were believed", p.l.Name, g.took)
		}
		if err == nil && !c.Shows(p.l) {
			t.Errorf("%s: the lies hide the truth", p.l.Name)
		}
	}
	for _, name := range append(slices.Collect(maps.Keys(placeLies)), slices.Collect(maps.Keys(coverLies))...) {
		t.Logf("%s: told %d times", name, told[name])
		if told[name] == 0 {
			t.Errorf("%s: never told", name)
		}
	}
}

// Guides that guess show no law that is refuted.
func TestGuesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	guess := func(e *meaning.Engine, bound []graph.Sym, k int) graph.Index {
		out := graph.IndexInt(int64(rng.IntN(3) - 1))
		for _, v := range bound {
			if rng.IntN(2) == 0 {
				out = out.AddScaled(v.Index(), int64(rng.IntN(3)-1))
			}
		}
		if v := graph.Sym(1 + rng.IntN(60)); rng.IntN(3) == 0 && e.Space.Has(v) {
			out = out.AddScaled(v.Index(), int64(rng.IntN(3)-1))
		}
		return out
	}
	took := 0
	for _, l := range axioms.ByKind(law.Refute) {
		for range 2 {
			g := &liar{Recorder: sums.NewRecorder(context.Background()), told: map[string]int{},
				place: map[string]func(*meaning.Engine, []*meaning.Group, meaning.Term, placing) (placing, bool){
					"guess": func(e *meaning.Engine, gs []*meaning.Group, t meaning.Term, p placing) (placing, bool) {
						if rng.IntN(2) == 0 {
							return p, false
						}
						p.Group = rng.IntN(len(gs))
						p.Pairs = rng.Perm(len(t.Atoms))
						for i := range p.By {
							p.By[i] = guess(e, gs[p.Group].Rep.Over, i)
						}
						return p, true
					}},
				cover: map[string]func(*meaning.Engine, meaning.Piece, meaning.Piece, meaning.Covering) (meaning.Covering, bool){
					"guess": func(e *meaning.Engine, p, q meaning.Piece, c meaning.Covering) (meaning.Covering, bool) {
						if rng.IntN(2) == 0 {
							return c, false
						}
						c.By = map[int]graph.Index{}
						for i := range q.Over {
							if rng.IntN(4) > 0 {
								c.By[i] = guess(e, p.Over, i)
							}
						}
						return c, true
					}},
			}
			if c, err := meaning.Run(l, g); err == nil && c.Shows(l) {
				t.Errorf("%s is refuted, and guesses show it", l.Name)
			}
			took += len(g.took)
		}
	}
	t.Logf("%d guesses were right", took)
}

// What is wrong with a proof as a whole.
func TestWhole(t *testing.T) {
	l := proofs()[0].l
	p := proofs()[0].proof
	for name, bad := range map[string][]int64{
		"nothing":         nil,
		"the end missing": p[:len(p)-1],
		"more":            append(slices.Clone(p), 0),
		"no claims":       {0, 0, 0, 0},
		"not 0 or 1":      append([]int64{2}, p[1:]...),
		"negative":        append([]int64{-1}, p[1:]...),
	} {
		if _, err := meaning.Check(l, bad); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	// What is shown of one direction is not shown of both.
	for _, p := range proofs() {
		if !p.l.OneWay {
			continue
		}
		both := *p.l
		both.OneWay = false
		if c, _ := meaning.Check(p.l, p.proof); c.Backward {
			continue
		}
		if _, err := meaning.Check(&both, p.proof); err == nil {
			t.Errorf("%s is accepted written ==", p.l.Name)
		}
	}
}

// FuzzCheck: whatever a proof is, reading it ends without a panic, and a law that is
// refuted is not accepted.
func FuzzCheck(f *testing.F) {
	refuted := axioms.ByKind(law.Refute)
	for i, p := range proofs() {
		if i%9 == 0 && len(p.proof) < 200 {
			f.Add(uint16(i), pack(p.proof))
		}
	}
	f.Fuzz(func(t *testing.T, i uint16, text []byte) {
		p := make([]int64, len(text))
		for j, b := range text {
			p[j] = int64(int8(b))
		}
		ps := proofs()
		_, _ = meaning.Check(ps[int(i)%len(ps)].l, p)
		if _, err := meaning.Check(refuted[int(i)%len(refuted)], p); err == nil {
			t.Errorf("%s is refuted, and accepted", refuted[int(i)%len(refuted)].Name)
		}
	})
}

func pack(p []int64) []byte {
	out := make([]byte, len(p))
	for i, n := range p {
		out[i] = byte(n)
	}
	return out
}
