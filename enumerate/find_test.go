package enumerate

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// proposed runs levels 1 to n and indexes the candidates by identity.
func proposed(t *testing.T, opt Options, n int) map[string]*decided {
	t.Helper()
	out := map[string]*decided{}
	s := NewSession(opt)
	for lv := 1; lv <= n; lv++ {
		cands, _, err := level(context.Background(), s, lv, how{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cands {
			out[law.ID(c.Law)] = &c
		}
		if cands, err = orderedOf(context.Background(), s, how{}); err != nil {
			t.Fatal(err)
		}
		for _, c := range cands {
			out[law.ID(c.Law)] = &c
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
				cand := found[law.ID(l)]
				for _, c := range found {
					if cand == nil && rules.Instance(c.Law, l) {
						cand = c
					}
				}
				if cand == nil {
					t.Errorf("not found:\n%s", law.Format(law.Canonical(l)))
				} else if cand.Conditional && law.ID(cand.Law) == law.ID(l) {
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

// A candidate that cannot be proved has less general forms to fall back on,
// each of which follows from the one before.
func TestNarrow(t *testing.T) {
	narrowed := 0
	u := universe(t, 1, "conv2d", "enlarge", "iconv")
	s := NewSession(Options{Universe: u})
	h := how{prove: func(cands []Candidate) []Verdict {
		for _, c := range cands {
			seen := map[string]bool{law.Format(c.Law): true}
			for {
				next, ok := c.Narrow()
				if !ok {
					if describe(decided{Candidate: next}) != describe(decided{Candidate: c}) {
						t.Error("what has no less general form became another")
					}
					break
				}
				c = next
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
		}
		return make([]Verdict, len(cands))
	}}
	levels(t, s, 2, h)
	if narrowed == 0 {
		t.Error("nothing was narrowed")
	}
}
