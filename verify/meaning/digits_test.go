package meaning_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
	"pgregory.net/rapid"
)

// digiter answers with digits that are drawn.
type digiter struct {
	*sums.Recorder
	draw  func(e *meaning.Engine, over []graph.Sym) (int, graph.Dim, bool)
	asked int
}

func (g *digiter) Digits(e *meaning.Engine, over []graph.Sym, here, there meaning.NF) (int, graph.Dim, bool) {
	g.asked++
	return g.draw(e, over)
}

// A sum with bound variables in digits, of any sizes, is the sum that it was.
func TestDigitsKeepSums(t *testing.T) {
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		x, y := graph.Var("a"), graph.Var("b")
		sizes := []graph.Dim{x, y, graph.Int(2), x.Mul(y), x.Add(y), x.Scale(3)}
		left := rapid.IntRange(0, 2).Draw(t, "digits")
		g := &digiter{Recorder: sums.NewRecorder(context.Background())}
		g.draw = func(_ *meaning.Engine, over []graph.Sym) (int, graph.Dim, bool) {
			left--
			return rapid.IntRange(0, len(over)-1).Draw(t, "variable"), rapid.SampledFrom(sizes).Draw(t, "range"), left >= 0
		}
		b := meaning.NewEngine(g)
		w := &world{space: b.Space, env: map[graph.Sym]int64{}, sizes: &graph.Substitution{Dims: map[string]graph.Dim{
			"a": graph.Int(int64(rapid.IntRange(1, 2).Draw(t, "a"))), "b": graph.Int(int64(rapid.IntRange(1, 3).Draw(t, "b"))),
		}}}
		i := b.Space.Var("i")
		w.env[i] = int64(rapid.IntRange(-1, 2).Draw(t, "i"))
		v := b.Space.Var("v")
		b.Space.Within(v, x.Mul(y))
		u := meaning.Term{Num: one, Over: []graph.Sym{v},
			Dom: []graph.Guard{{E: v.Index()}, graph.GuardLt(v.Index(), b.Space.Size(x.Mul(y)))},
			Atoms: []meaning.Atom{{Kind: meaning.Read, Name: "X", At: []graph.Index{
				v.Index().Add(i.Index()), b.Space.Quotient(v.Index(), y)}}}}
		if rapid.Bool().Draw(t, "cut") {
			u.Dom = append(u.Dom, graph.GuardLe(b.Space.Size(rapid.SampledFrom(sizes).Draw(t, "at")), v.Index().Add(i.Index())))
		}
		n := b.InDigitsOf(meaning.NF{u}, nil)
		if b.Err() != nil {
			t.Fatal(b.Err())
		}
		asked += g.asked
		if got, want := w.term(n[0]), w.term(u); got.Cmp(want) != 0 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
	if asked == 0 {
		t.Error("no digits")
	}
}

const partedLaws = `
# .
rule rows
  given X : [m, g*k], W : [g*k, n]
  then reducesum[axes=(0)](matmul(transpose[perm=(1, 0, 2)](reshape[shape=[m, g, k]](X)), reshape[shape=[g, k, n]](W))) == matmul(X, W)

# .
rule maxima
  given A : [m, g*n]
  then reducemax[axes=(1)](reducemax[axes=(2)](reshape[shape=[m, g, n]](A))) == reducemax[axes=(1)](A)

# .
refute other_rows
  given X : [m, g*k], W : [g*k, n]
  then reducesum[axes=(0)](matmul(transpose[perm=(2, 0, 1)](reshape[shape=[m, k, g]](X)), reshape[shape=[g, k, n]](W))) == matmul(X, W)

# .
refute other_part
  given A : [g*n+h*n]
  then reducesum[axes=(0)](split[axis=0, at=h*n](A).0) == reducesum[axes=(0, 1)](split[axis=0, at=g](reshape[shape=[g+h, n]](A)).0)

# .
refute larger_part
  given A : [g*n+h*n]
  then reducemax[axes=(0)](A) == reducemax[axes=(0, 1)](split[axis=0, at=g](reshape[shape=[g+h, n]](A)).0)
`

// Digits of any sizes show nothing that is false.
func TestGuessedDigits(t *testing.T) {
	laws, err := law.Parse("test", []byte(partedLaws))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	asked := 0
	for _, l := range laws {
		shown := 0
		for range 60 {
			g := &digiter{Recorder: sums.NewRecorder(context.Background())}
			g.draw = func(e *meaning.Engine, over []graph.Sym) (int, graph.Dim, bool) {
				names := []string{"g", "h", "k", "m", "n"}
				n := graph.Var(names[rng.IntN(len(names))])
				if rng.IntN(3) == 0 {
					n = n.Mul(graph.Var(names[rng.IntN(len(names))]))
				}
				return rng.IntN(len(over)), n, rng.IntN(3) > 0
			}
			if c, err := meaning.Run(l, g); err == nil && c.Shows(l) {
				shown++
			}
			asked += g.asked
		}
		if l.Kind == law.Refute && shown > 0 {
			t.Errorf("%s is false, and guesses show it", l.Name)
		}
		t.Logf("%s: shown by %d of 60", l.Name, shown)
	}
	if asked < 300 {
		t.Errorf("%d digits asked for", asked)
	}
}

// Of answers that say in which digits a variable is, those that say none are rejected.
func TestForgedDigits(t *testing.T) {
	laws, err := law.Parse("test", []byte(partedLaws))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, l := range laws[:2] {
		p, err := sums.Certify(context.Background(), l)
		if err != nil || p == nil {
			t.Fatalf("%s has no proof: %v", l.Name, err)
		}
		answers, err := meaning.Answers(l, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if a.Kind != "digits" || a.Numbers[0] == 0 {
				continue
			}
			for name, numbers := range map[string][]int64{
				"no variable":           {1, 9, 1, a.Numbers[3], 1, 0},
				"a negative variable":   {1, -1, 1, a.Numbers[3], 1, 0},
				"of size 0":             {1, a.Numbers[1], 0, 0},
				"of a negative size":    {1, a.Numbers[1], 0, -2},
				"of a size less itself": {1, a.Numbers[1], 1, a.Numbers[3], 1, -1},
				"of the opposite":       {1, a.Numbers[1], 1, a.Numbers[3], -1, 0},
				"of no size":            {1, a.Numbers[1], 1, 500, 1, 0},
				"of an index":           {1, a.Numbers[1], 1, 7, 1, 0},
				"neither yes nor no":    {2},
				"not at all":            {0},
			} {
				tried++
				bad := slices.Concat(p[:a.At], numbers, p[a.At+len(a.Numbers):])
				if _, err := meaning.Check(l, bad); err == nil {
					t.Errorf("%s: digits %s, %v, are accepted", l.Name, name, numbers)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d tried", tried)
	}
}
