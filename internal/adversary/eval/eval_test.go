package eval

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Axioms and lemmas are true at hostile sizes, and what is refuted is not.
func TestAxioms(t *testing.T) {
	for _, l := range axioms.Default() {
		rng := rand.New(rand.NewPCG(uint64(len(l.Name)), 2))
		n := 25
		if l.Kind == law.Refute {
			n = 2000
		}
		f, tally := Check(l, Claim{Forward: true, Backward: !l.OneWay}, Limits{}, n, rng)
		switch {
		case l.Kind == law.Refute && f == nil:
			t.Errorf("%s is not refuted: %+v", l.Name, tally)
		case l.Kind != law.Refute && f != nil:
			t.Errorf("%s\nat %s: %s %s", law.Format(l), f.Point, f.Outcome.Kind, f.Outcome.Detail)
		case f == nil && tally.Met == 0:
			t.Errorf("%s is not evaluated: %+v", l.Name, tally)
		case f == nil && tally.Met < min(n, tally.Points)/4:
			t.Errorf("%s is hardly evaluated: %+v", l.Name, tally)
		}
	}
}

func parse(t *testing.T, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What a law is at one point.
func TestAt(t *testing.T) {
	sizes := func(pairs ...any) *Point {
		p := &Point{Sizes: map[string]int64{}, Runs: map[string][]int64{}, Attrs: map[string]Attr{}}
		for i := 0; i < len(pairs); i += 2 {
			switch v := pairs[i+1].(type) {
			case int:
				p.Sizes[pairs[i].(string)] = int64(v)
			case []int64:
				p.Runs[pairs[i].(string)] = v
			case Attr:
				p.Attrs[pairs[i].(string)] = v
			}
		}
		return p
	}
	for _, c := range []struct {
		law  string
		at   *Point
		want Kind
	}{
		{"rule r given X : [a, b] then X == X", sizes("a", 2, "b", 3), Agree},
		{"rule r given X : [a, b] where a < b then X == neg(X)", sizes("a", 3, "b", 3), NoInstance},
		{"rule r given X : [a, b] where a % 2 == 1 then X == neg(X)", sizes("a", 3, "b", 3), Values},
		{"rule r given X : [a-1] then X == neg(X)", sizes("a", 1), NoInstance},
		{"rule r given X : [a] then slice[axis=0, lo=0, hi=2](X) == X", sizes("a", 1), RightOnly},
		{"rule r given X : [a] then X == slice[axis=0, lo=0, hi=2](X)", sizes("a", 1), LeftOnly},
		{"rule r given X : [a] then slice[axis=0, lo=0, hi=2](X) == slice[axis=0, lo=0, hi=2](X)", sizes("a", 1), Undefined},
		{"rule r given X : [a], Y : [b] then X == Y", sizes("a", 1, "b", 2), Shapes},
		{"rule r given X : [P..] then X == smul(X, one[shape=[]]())", sizes("P", []int64{1, 2, 1, 2, 1, 2, 1, 2}), Agree},
		// A table of one row has the places 0 and -1.
		{"rule r given X : [a] then X == gather[axis=0](X, one[shape=[a]]())", sizes("a", 1), LeftOnly},
		{"rule r given X : [a] then gather[axis=0](X, one[shape=[a]]()) == X", sizes("a", 1), RightOnly},
		{"rule r given X : [a] then gather[axis=0](X, one[shape=[a]]()) == gather[axis=0](X, ewadd(one[shape=[a]](), one[shape=[a]]()))", sizes("a", 1), Undefined},
		{"rule r given X : [a], K : [a] then pick[n=a](X, K, one[shape=[a]]()) == X", sizes("a", 1), RightOnly},
		{"rule r given X : [a], K : [a] then pick[n=2*a](X, iota[n=a](), neg(one[shape=[a]]())) == fill[shape=[a], value=0]()", sizes("a", 1), Agree},
		{"rule r given X : [a] then pick[n=a](X, iota[n=a](), neg(one[shape=[a]]())) == X", sizes("a", 1), Agree},
		{"rule r given X : [a] then pick[n=2*a](X, one[shape=[a]](), one[shape=[a]]()) == X", sizes("a", 1), Agree},
		{"rule r given X : [a] then topk[axis=0, k=2](X) == X", sizes("a", 1), RightOnly},
		{"rule r given X : [a], Y : [b] then topk[axis=0, k=a](broadcast[shape=[a]](fill[shape=[], value=3]())) == iota[n=a]()", sizes("a", 3, "b", 1), Agree},
		{"rule r given X : [a] then topk[axis=0, k=a, smallest=1](iota[n=a]()) == iota[n=a]()", sizes("a", 4), Agree},
		{"rule r given X : [a] then topk[axis=0, k=a](iota[n=a]()) == reverse[axes=(0)](iota[n=a]())", sizes("a", 4), Agree},
		{"rule r given X : [a] then topk[axis=0, k=a](iota[n=a]()) == iota[n=a]()", sizes("a", 4), Values},
		{"rule r given X : [a] then topk[axis=0, k=a](X) == topk[axis=0, k=a](neg(X))", sizes("a", 1000000), Skipped},
		{"rule r given X : [a, b] then slice[axis=1, lo=0, hi=1](topk[axis=1, k=b](X)) == topk[axis=1, k=1](X)", sizes("a", 3, "b", 4), Agree},
		{"rule r given X : [a, b] then slice[axis=1, lo=1, hi=2](topk[axis=1, k=b](X)) == topk[axis=1, k=1](X)", sizes("a", 3, "b", 4), Values},
		{"rule r given X : [a] then gather[axis=0](X, neg(one[shape=[a]]())) == X", sizes("a", 1), Agree},
		// Flat numbers of elements do not fit into 64 bits.
		{"rule r given X : [a, a, a, a] then reshape[shape=[a*a, a, a]](X) == reshape[shape=[a, a*a, a]](X)", sizes("a", 1<<20), Shapes},
		{"rule r given X : [a, a, a, a] then reshape[shape=[a, a, a, a]](reshape[shape=[a*a, a*a]](X)) == X", sizes("a", 1<<20), Agree},
		{"rule r given X : [a, a, a, a] then reshape[shape=[a, a, a, a]](reshape[shape=[a, a*a*a]](X)) == transpose[perm=(0, 1, 3, 2)](X)",
			sizes("a", 1<<20), Values},
		{"rule r given X : [a, a, a, a], Y : [b, b, b, b] then reshape[shape=[b, b, b, b]](X) == Y", sizes("a", 1<<20, "b", 1<<19), RightOnly},
		// The window function is no size where the window does not fit.
		{"rule r given X : [window(h, k, (2, 2), valid, 0)+4] then slice[axis=0, lo=0, hi=5](X) == X", sizes("h", 5, "k", 6), RightOnly},
		{"rule r given X : [window(h, k, (2, 2), valid, 0)+4] then X == X", sizes("h", 1, "k", 60), NoInstance},
		// Pads at their limits.
		{"rule r given p : padding, X : [1, 1, 3, 3] then poolavg[kh=2, kw=2, pad=p](X) == poolavg[kh=2, kw=2, pad=p, border=excluded](X)",
			sizes("p", Attr{Tuple: []int64{1, 1, 1, 1}}), Values},
		{"rule r given p : padding, X : [1, 1, 3, 3] then poolavg[kh=2, kw=2, pad=p](X) == poolavg[kh=2, kw=2, pad=p, border=excluded](X)",
			sizes("p", Attr{Tuple: []int64{2, 1, 1, 1}}), Undefined},
		// Two functions with different parameters, and an unknown one at zero.
		{"rule r given X : [4] then leakyrelu[alpha=0.5](X) == leakyrelu[alpha=0.25](X)", sizes(), Values},
		{"rule r given f : zero1, X : [4] then f(ewsub(X, X)) == ewsub(X, X)", sizes(), Agree},
		{"rule r given f : pointwise1, X : [4] then f(ewsub(X, X)) == ewsub(X, X)", sizes(), Values},
		// True of the true functions, not of tables.
		{"rule r given X : [4] then sigmoid(neg(X)) == ewsub(one[shape=[4]](), sigmoid(X))", sizes(), Skipped},
		{"rule r given X : [4] then sigmoid(neg(X)) == neg(sigmoid(X))", sizes(), Values},
		{"rule r given X : [4], Y : [4] then relu(ewadd(relu(X), relu(Y))) == ewadd(relu(X), relu(Y))", sizes(), Agree},
		{"rule r given X : [4], Y : [4] then relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))", sizes(), Values},
		// The largest of many is not the same everywhere.
		{"rule r given X : [n, 4] then reducemax[axes=(0)](X) == reducemax[axes=(0)](reshape[shape=[n, 4]](transpose(reshape[shape=[4, n]](X))))",
			sizes("n", 62), Values},
		// One long axis.
		{"rule r given X : [a] then reducesum[axes=(0)](X) == reducesum[axes=(0)](neg(neg(X)))", sizes("a", 3000), Agree},
		{"rule r given X : [a] then slice[axis=0, lo=a-1, hi=a](X) == slice[axis=0, lo=a-2, hi=a-1](X)", sizes("a", 1000000), Values},
	} {
		l := parse(t, c.law)
		got := Outcome{}
		for seed := range uint64(4) { // some values may hide a difference
			got = New(l).At(c.at, rand.New(rand.NewPCG(seed, 1)), Options{})
			if got.Kind == c.want {
				break
			}
		}
		if got.Kind != c.want {
			t.Errorf("%s\nat %s: %s %s, want %s", c.law, c.at, got.Kind, got.Detail, c.want)
		}
	}
}

// Windows, worked out by hand: image size, kernel, stride, pad; places, cells
// in front.
func TestWindows(t *testing.T) {
	name := func(s string) Attr { return Attr{Name: s} }
	pads := func(p ...int64) Attr { return Attr{Tuple: p} }
	for _, c := range []struct {
		h, k, s       int64
		pad           Attr
		places, front int64
	}{
		{5, 3, 1, name("valid"), 3, 0}, {5, 3, 2, name("valid"), 2, 0}, {5, 6, 2, name("valid"), 0, 0}, {1, 6, 2, name("valid"), -2, 0},
		{5, 3, 1, name("same_upper"), 5, 1}, {5, 4, 1, name("same_upper"), 5, 1}, {5, 4, 1, name("same_lower"), 5, 2},
		{4, 3, 2, name("same_upper"), 2, 0}, {4, 3, 2, name("same_lower"), 2, 1}, {4, 3, 7, name("same_lower"), 1, 0},
		{4, 9, 7, name("same_lower"), 1, 3}, {3, 2, 1, pads(1, 0, 1, 0), 4, 1}, {3, 2, 3, pads(1, 0, 0, 0), 1, 1},
	} {
		n, err := windowSize(c.h, c.k, c.s, c.pad, 0)
		if err != nil || n != c.places || padBefore(c.h, c.k, c.s, c.pad, 0) != c.front {
			t.Errorf("%+v: %d places, %d in front (%v)", c, n, padBefore(c.h, c.k, c.s, c.pad, 0), err)
		}
	}
}

// Arithmetic against 128-bit and big numbers.
func TestNumbers(t *testing.T) {
	m := modular{}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		a, b, c := reduce(rng.Uint64()), reduce(rng.Uint64()), reduce(rng.Uint64())
		if m.Mul(a, m.Add(b, c)) != m.Add(m.Mul(a, b), m.Mul(a, c)) {
			t.Fatalf("%d*(%d+%d)", a, b, c)
		}
		if a != 0 && m.Mul(a, m.Inv(a)) != 1 {
			t.Fatalf("1/%d", a)
		}
	}
	if m.Mul(prime-1, prime-1) != 1 || m.Int(-1) != prime-1 || m.Mul(1<<60, 2) != 1 {
		t.Error("modulo 2^61 - 1")
	}
	r := rational{}
	if got := r.Add(fracOf(1, 6), fracOf(-1, 2)); got != (frac{-1, 3}) {
		t.Errorf("1/6 - 1/2 = %v", got)
	}
	if !r.IsBad(r.Mul(frac{1 << 62, 1}, frac{2, 1})) || !r.IsBad(r.Inv(frac{0, 1})) || r.Larger(frac{-1, 2}, frac{-2, 3}) != (frac{-1, 2}) {
		t.Error("rationals")
	}
	for _, c := range []struct{ a, b int64 }{{1 << 62, 2}, {-1 << 63, -1}, {3037000500, 3037000500}} {
		if _, err := mul(c.a, c.b); err == nil {
			t.Errorf("%d*%d is said to fit", c.a, c.b)
		}
	}
	if _, err := add(1<<62, 1<<62); err == nil {
		t.Error("2^62+2^62 is said to fit")
	}
	if n, err := add(-5, 3); err != nil || n != -2 {
		t.Error("-5+3")
	}
}

// Attribute values are read as they are written.
func TestReadAttr(t *testing.T) {
	for text, sort := range map[string]string{
		"()": graph.SortPerm, "(2, 0, 1)": graph.SortPerm, "(1, 2)": graph.SortStride, "same_upper": graph.SortPadding,
		"(1, 0, 2, 0)": graph.SortPadding, "-0.5": graph.SortNumber, "relu": graph.SortAct,
	} {
		a, err := ReadAttr(text, sort)
		if err != nil || a.String() != text {
			t.Errorf("%s of sort %s is read as %s (%v)", text, sort, a, err)
		}
	}
}
