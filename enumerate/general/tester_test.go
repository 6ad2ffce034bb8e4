package general

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

func parseLaw(t testing.TB, body string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw("rule r\n" + body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return l
}

// casePair reads a law with literal sizes as a pair of terms that agree in the
// case. Names in weights are kernels.
func casePair(t testing.TB, body string, weights string) *Pair {
	t.Helper()
	l := parseLaw(t, body)
	if _, err := l.Types(); err != nil {
		t.Fatal(err)
	}
	p := &Pair{Left: l.LHS, Right: l.RHS, Sizes: map[string][]int{}, Weight: map[string]bool{}}
	for _, b := range l.Given {
		sizes, ok := b.Shape.Concrete()
		if !ok {
			t.Fatalf("%s has no literal shape", b.Name)
		}
		p.Sizes[b.Name] = sizes
		p.Weight[b.Name] = strings.Contains(weights, b.Name)
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
			"given p : same, r : act, A : [a, b, c, d], B : [e, b, g, h] " +
				"where g % 2 == 1 and g <= i and h % 2 == 1 and h <= j and i % 2 == 1 and j % 2 == 1 " +
				"then conv2d[pad=p, act=r](A, enlarge[kh=i, kw=j](B)) == conv2d[pad=p, act=r](A, B)", true},
		{"enlarged image", "given X : [2,2,1,3], U : [2,2,1,3] then " + conv + "(enlarge[kh=3, kw=3](X), U) == enlarge[kh=3, kw=3](" + conv + "(X, U))", "XU",
			"given p : same, r : act, A : [a, b, c, d], B : [e, b, 1, g] then " +
				"conv2d[pad=p, act=r](enlarge[kh=h, kw=d](A), B) == enlarge[kh=h, kw=d](conv2d[pad=p, act=r](A, B))", true},
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
			test := Tester{Seed: 5}
			_, base, fm, ok := test.Widen(casePair(t, c.pair, c.weights))
			if ok != (c.want != "") {
				t.Fatalf("a law: %v, want %v: %v", ok, c.want != "", base)
			}
			if !ok {
				return
			}
			got, want := law.Format(law.Canonical(test.Broaden(base))), parseLaw(t, c.want)
			want.Name, want.Kind = base.Name, base.Kind
			if text := law.Format(law.Canonical(want)); got != text {
				t.Errorf("got\n%swant\n%s", got, text)
			}
			if fm.Conditional() != c.conditional {
				t.Errorf("conditional %v, want %v", fm.Conditional(), c.conditional)
			}
		})
	}
}

// Finding the general form of a law about convolutions.
func BenchmarkGeneralize(b *testing.B) {
	p := casePair(b, "given X : [1,2,4,5], Y : [1,2,4,5], U : [2,2,3,3] then "+
		"conv2d[pad=same_lower](ewadd(X, Y), U) == ewadd(conv2d[pad=same_lower](X, U), conv2d[pad=same_lower](Y, U))", "U")
	test := Tester{Seed: 1}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, _, ok := test.Widen(p); !ok {
			b.Fatal("no law")
		}
	}
}

// What is remembered of laws is what tests find, for each kind of test by itself.
func TestKnown(t *testing.T) {
	known := NewKnown()
	for range 2 {
		for _, c := range []struct {
			law     string
			ordered bool
			want    bool
		}{
			{"given A : [a, b] then relu(relu(A)) == relu(A)", false, false},
			{"given A : [a, b] then relu(relu(A)) == relu(A)", true, true},
			{"given A : [a, a] then transpose(A) == A", false, false},
			{"given A : [a, b] then transpose(transpose(A)) == A", false, true},
		} {
			test := Tester{Seed: 5, Ordered: c.ordered, Known: known}
			if got := test.Holds(parseLaw(t, c.law), QuickTests); got != c.want {
				t.Errorf("%s: %v, ordered: %v", c.law, got, c.ordered)
			}
		}
	}
	if n := len(known.found); n != 4 {
		t.Errorf("%d tests are remembered, want 4", n)
	}
}
