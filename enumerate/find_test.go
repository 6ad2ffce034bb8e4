package enumerate

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// proposed runs levels 1 to n and indexes the candidates by identity.
func proposed(t *testing.T, opt Options, n int) map[string]*Candidate {
	t.Helper()
	out := map[string]*Candidate{}
	s := NewSession(opt)
	for lv := 1; lv <= n; lv++ {
		cands, _, err := s.Level(context.Background(), lv)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cands {
			out[law.ID(c.Law)] = c
		}
		if cands, err = s.Ordered(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, c := range cands {
			out[law.ID(c.Law)] = c
		}
	}
	return out
}

func parseLaw(t testing.TB, body string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw("rule r\n" + body)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Laws are found in their most general form, among them what TASO's walk
// cannot find: a bare input as a side, repeated and exchanged inputs, more
// variables than there are inputs of a type.
func TestFindsLaws(t *testing.T) {
	for _, c := range []struct {
		name   string
		u      *Universe
		levels int
		laws   []string
	}{
		{"shapes", universe(t, 3, "transpose", "concat", "split", "relu"), 3, []string{
			"given A : [a, b] then transpose(transpose(A)) == A",
			"given A : [P.., a, Q..], B : [P.., b, Q..] then split[axis=#P, at=a](concat[axis=#P](A, B)).0 == A",
			"given A : [P.., a, Q..], B : [P.., b, Q..] then split[axis=#P, at=a](concat[axis=#P](A, B)).1 == B",
			"given A : [P.., a, Q..], B : [P.., b, Q..], C : [P.., c, Q..] " +
				"then concat[axis=#P](A, concat[axis=#P](B, C)) == concat[axis=#P](concat[axis=#P](A, B), C)",
			"given f : pointwise1, A : [P.., a, Q..], B : [P.., b, Q..] then f(concat[axis=#P](A, B)) == concat[axis=#P](f(A), f(B))",
			"given A : [a, b], B : [c, b] then transpose(concat[axis=0](A, B)) == concat[axis=1](transpose(A), transpose(B))",
		}},
		{"sums", universe(t, 3, "ewadd", "concat"), 3, []string{
			"given A : [P..], B : [P..], C : [P..] then ewadd(A, ewadd(B, C)) == ewadd(B, ewadd(A, C))",
			// Four variables, though no type has more than three inputs.
			"given A : [P.., a, Q..], B : [P.., b, Q..], C : [P.., a, Q..], D : [P.., b, Q..] " +
				"then ewadd(concat[axis=#P](A, B), concat[axis=#P](C, D)) == concat[axis=#P](ewadd(A, C), ewadd(B, D))",
		}},
		{"products", universe(t, 3, "matmul", "ewadd", "smul", "imatmul"), 3, []string{
			"given A : [P.., a, b], B : [P.., b, c], C : [P.., c, d] then matmul(A, matmul(B, C)) == matmul(matmul(A, B), C)",
			"given A : [P.., a, b], B : [P.., b, c], C : [P.., b, c] then matmul(A, ewadd(B, C)) == ewadd(matmul(A, B), matmul(A, C))",
			"given A : [a, b] then matmul(A, imatmul[n=b]()) == A",
			"given A : [], B : [] then smul(A, B) == smul(B, A)",
		}},
		{"true relu", universe(t, 2, "relu", "poolmax"), 2, []string{
			"given A : [P..] then relu(relu(A)) == relu(A)",
		}},
		{"images", universe(t, 2, "conv2d", "ewadd", "concat"), 3, []string{
			"given p : padding, r : act, s : stride, A : [a, b, c, d], B : [e, b, g, h], C : [i, b, g, h] " +
				"then conv2d[stride=s, pad=p, act=r](A, concat[axis=0](B, C)) == " +
				"concat[axis=1](conv2d[stride=s, pad=p, act=r](A, B), conv2d[stride=s, pad=p, act=r](A, C))",
			"given p : padding, s : stride, A : [a, b, c, d], B : [e, b, g, h], C : [e, b, g, h] " +
				"then conv2d[stride=s, pad=p](A, ewadd(B, C)) == ewadd(conv2d[stride=s, pad=p](A, B), conv2d[stride=s, pad=p](A, C))",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := proposed(t, Options{Universe: c.u, Seed: 1}, c.levels)
			for _, body := range c.laws {
				l := parseLaw(t, body)
				if cand := found[law.ID(l)]; cand == nil {
					t.Errorf("not found:\n%s", law.Format(law.Canonical(l)))
				} else if cand.Conditional {
					t.Errorf("conditional:\n%s", law.Format(cand.Law))
				}
			}
			if t.Failed() {
				var all []string
				for _, cand := range found {
					all = append(all, law.Format(cand.Law))
				}
				t.Logf("found:\n%s", strings.Join(all, ""))
			}
		})
	}
}

// casePair reads a law with literal sizes as a pair of terms that agree in the
// case. Names in weights are kernels.
func casePair(t testing.TB, body string, weights string) *pair {
	t.Helper()
	l := parseLaw(t, body)
	if _, err := l.Types(); err != nil {
		t.Fatal(err)
	}
	p := &pair{left: l.LHS, right: l.RHS, sizes: map[string][]int{}, weight: map[string]bool{}}
	for _, b := range l.Given {
		sizes, ok := b.Shape.Concrete()
		if !ok {
			t.Fatalf("%s has no literal shape", b.Name)
		}
		p.sizes[b.Name] = sizes
		p.weight[b.Name] = strings.Contains(weights, b.Name)
	}
	return p
}

// What a pair with literal sizes is generalized to.
func TestGeneralizes(t *testing.T) {
	const conv = "conv2d[pad=same_lower]"
	for _, c := range []struct {
		name        string
		pair        string
		weights     string
		want        string // "": no law
		conditional bool
	}{
		{"linear in the image", "given X : [1,2,4,5], Y : [1,2,4,5], U : [2,2,3,3] then " +
			conv + "(ewadd(X, Y), U) == ewadd(" + conv + "(X, U), " + conv + "(Y, U))", "U",
			"given p : padding, s : stride, A : [a, b, c, d], B : [a, b, c, d], C : [e, b, g, h] " +
				"then conv2d[stride=s, pad=p](ewadd(A, B), C) == ewadd(conv2d[stride=s, pad=p](A, C), conv2d[stride=s, pad=p](B, C))", false},
		{"batches", "given X : [1,2,4,5], Y : [1,2,4,5], U : [2,2,3,3] then " +
			conv + "(concat[axis=0](X, Y), U) == concat[axis=0](" + conv + "(X, U), " + conv + "(Y, U))", "U",
			"given p : padding, r : act, s : stride, A : [a, b, c, d], B : [e, b, c, d], C : [g, b, h, i] " +
				"then conv2d[stride=s, pad=p, act=r](concat[axis=0](A, B), C) == " +
				"concat[axis=0](conv2d[stride=s, pad=p, act=r](A, C), conv2d[stride=s, pad=p, act=r](B, C))", false},
		{"both concatenated", "given X : [1,2,4,5], Y : [1,2,4,5], U : [2,2,3,3], V : [2,2,3,3] then " +
			conv + "(concat[axis=1](X, Y), concat[axis=1](U, V)) == ewadd(" + conv + "(X, U), " + conv + "(Y, V))", "UV",
			"given p : padding, s : stride, A : [a, b, c, d], B : [a, e, c, d], C : [g, b, h, i], D : [g, e, h, i] " +
				"then conv2d[stride=s, pad=p](concat[axis=1](A, B), concat[axis=1](C, D)) == " +
				"ewadd(conv2d[stride=s, pad=p](A, C), conv2d[stride=s, pad=p](B, D))", false},
		{"identity kernel", "given X : [1,2,4,5] then " + conv + "(X, iconv[c=2, kh=3, kw=3]()) == X", "",
			"given p : same, A : [a, b, c, d] where e % 2 == 1 and g % 2 == 1 " +
				"then conv2d[pad=p](A, iconv[c=b, kh=e, kw=g]()) == A", true},
		{"enlarged kernel", "given X : [1,2,4,5], U : [2,2,1,3] then " + conv + "(X, enlarge[kh=3, kw=3](U)) == " + conv + "(X, U)", "U",
			"given p : same, r : act, A : [a, b, c, d], B : [e, b, 1, 3] " +
				"then conv2d[pad=p, act=r](A, enlarge[kh=3, kw=3](B)) == conv2d[pad=p, act=r](A, B)", true},
		{"average pool as convolution", "given X : [1,2,4,5] then " +
			"poolavg[kh=3, kw=3, pad=same_lower](X) == conv2d[pad=same_lower, groups=2](X, cpool[c=2, kh=3, kw=3]())", "",
			"given p : padding, s : stride, A : [a, b, c, d] then " +
				"poolavg[kh=e, kw=g, stride=s, pad=p](A) == conv2d[stride=s, pad=p, groups=b](A, cpool[c=b, kh=e, kw=g]())", false},
		{"relu in the convolution", "given X : [1,2,4,5], U : [2,2,3,3] then relu(" + conv + "(X, U)) == conv2d[pad=same_lower, act=relu](X, U)", "U",
			"given p : padding, s : stride, A : [a, b, c, d], B : [e, b, g, h] then " +
				"relu(conv2d[stride=s, pad=p](A, B)) == conv2d[stride=s, pad=p, act=relu](A, B)", false},
		{"common subterms", "given X : [2,3], Y : [2,3], Z : [2,3] then " +
			"ewadd(relu(X), ewadd(Y, Z)) == ewadd(Y, ewadd(relu(X), Z))", "",
			"given A : [P..], B : [P..], C : [P..] then ewadd(A, ewadd(B, C)) == ewadd(B, ewadd(A, C))", false},
		{"repeated variable", "given X : [2,3], Y : [2,3] then " +
			"concat[axis=0](ewadd(X, X), ewadd(X, Y)) == ewadd(concat[axis=0](X, X), concat[axis=0](X, Y))", "",
			"given A : [P.., a, Q..], B : [P.., b, Q..], C : [P.., a, Q..], D : [P.., b, Q..] " +
				"then ewadd(concat[axis=#P](A, B), concat[axis=#P](C, D)) == concat[axis=#P](ewadd(A, C), ewadd(B, D))", false},
		{"false on other shapes", "given X : [1,2,4,5], Y : [1,2,4,5] then X == Y", "", "", false},
		{"different groups", "given X : [1,2,4,5], Y : [1,2,4,5], U : [2,2,3,3], V : [2,2,3,3] then " +
			conv + "(concat[axis=1](X, Y), concat[axis=1](V, U)) == ewadd(" + conv + "(X, U), " + conv + "(Y, V))", "UV", "", false},
		{"maximum is not an average", "given X : [1,2,4,5] then " +
			"poolavg[kh=3, kw=3, pad=same_lower](X) == poolmax[kh=3, kw=3, pad=same_lower](X)", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			test := tester{seed: 5}
			_, base, fm, ok := test.widen(casePair(t, c.pair, c.weights))
			if ok != (c.want != "") {
				t.Fatalf("a law: %v, want %v: %v", ok, c.want != "", base)
			}
			if !ok {
				return
			}
			got, want := law.Format(law.Canonical(test.broaden(base))), parseLaw(t, c.want)
			want.Name, want.Kind = base.Name, base.Kind
			if text := law.Format(law.Canonical(want)); got != text {
				t.Errorf("got\n%swant\n%s", got, text)
			}
			if fm.conditional() != c.conditional {
				t.Errorf("conditional %v, want %v", fm.conditional(), c.conditional)
			}
		})
	}
}

// A candidate that cannot be proved has less general forms to fall back on,
// each of which follows from the one before.
func TestNarrow(t *testing.T) {
	narrowed := 0
	u := universe(t, 1, "conv2d", "enlarge", "iconv")
	s := NewSession(Options{Universe: u, Prove: func(_ context.Context, cands []*Candidate) error {
		for _, c := range cands {
			seen := map[string]bool{law.Format(c.Law): true}
			for c.Narrow() {
				narrowed++
				text := law.Format(c.Law)
				if seen[text] {
					t.Errorf("the same again:\n%s", text)
				}
				seen[text] = true
				if env, out, _ := counterexample(c.Law, false, 7, 20); env != nil {
					t.Errorf("%s for %v:\n%s", out, env, text)
				}
			}
			if c.Narrow() {
				t.Error("narrower than the narrowest")
			}
		}
		return nil
	}})
	for n := 1; n <= 2; n++ {
		if _, _, err := s.Level(context.Background(), n); err != nil {
			t.Fatal(err)
		}
	}
	if narrowed == 0 {
		t.Error("nothing was narrowed")
	}
}
