package instance_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

func instances(l *law.Law, s instance.Scope, limit int) []string {
	var out []string
	instance.Instances(l, s, func(v *instance.Valuation) bool {
		out = append(out, v.String())
		return len(out) < limit
	})
	return out
}

// Every valuation of the scope is met once, the plainest first.
func TestInstancesOrder(t *testing.T) {
	got := instances(mustLaw(t, "axiom a given q : same, X : [m, n] where m+n <= 4 then X == relu(X)"), instance.Scope{MaxSize: 3}, 100)
	want := []string{
		"m=1, n=1, q=same_upper",
		"m=1, n=2, q=same_upper", "m=2, n=1, q=same_upper", "m=1, n=1, q=same_lower",
		"m=1, n=3, q=same_upper", "m=2, n=2, q=same_upper", "m=3, n=1, q=same_upper", "m=1, n=2, q=same_lower", "m=2, n=1, q=same_lower",
		"m=1, n=3, q=same_lower", "m=2, n=2, q=same_lower", "m=3, n=1, q=same_lower",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInstancesCount(t *testing.T) {
	for _, c := range []struct {
		text  string
		scope instance.Scope
		want  int
	}{
		{"axiom a then imatmul[n=1]() == one[shape=[1, 1]]()", instance.Scope{}, 1}, // no variables: one instance
		{"axiom a where 1 < 0 then imatmul[n=1]() == one[shape=[1, 1]]()", instance.Scope{}, 0},
		{"axiom a given X : [a, b, c] then X == relu(X)", instance.Scope{MaxSize: 4}, 64},
		{"axiom a given X : [a, b, c] then X == relu(X)", instance.Scope{MaxSize: 4, MaxElements: 1}, 1},
		{"axiom a given X : [a-2] then X == relu(X)", instance.Scope{MaxSize: 4}, 2}, // sizes are at least 1
		{"axiom a given X : [P..], Y : [Q..] then X == relu(X)", instance.Scope{}, 25},
		{"axiom a given s : stride, p : padding, q : same, r : act, d : border then one[shape=[]]() == one[shape=[]]()", instance.Scope{}, 5 * 6 * 2 * 2 * 2},
		{"axiom a given f : pointwise1, g : zero1, X : [] then f(X) == g(X)", instance.Scope{}, 1},
		{"axiom a given X : [n] where n % 2 == 0 then X == relu(X)", instance.Scope{MaxSize: 7}, 3},
		{"axiom a given X : [a, b, c, d, e, f] where f < 1 then X == relu(X)", instance.Scope{}, 0},
		{"axiom a given X : [a, b, c] then X == relu(X)", instance.Scope{MaxSize: 4, MaxVisits: 1}, 0},
		{"axiom a given p : padding, X : [n] then X == relu(X)", instance.Scope{MaxSize: 2, Pads: []graph.Value{graph.NameValue(graph.Valid)}}, 2},
	} {
		got := instances(mustLaw(t, c.text), c.scope, 10000)
		if len(got) != c.want {
			t.Errorf("%s: %d instances, want %d", c.text, len(got), c.want)
		}
		seen := map[string]bool{}
		for _, s := range got {
			if seen[s] {
				t.Errorf("%s: %s comes twice", c.text, s)
			}
			seen[s] = true
		}
	}
}

// The small instances contain what has been overlooked elsewhere: kernels
// larger than the image, even kernels, strides, groups, sizes of one,
// lopsided pads.
func TestInstancesCoverOddities(t *testing.T) {
	l := mustLaw(t, `axiom a given s : stride, p : padding, X : [b, g*c, h, w], W : [o, c, kh, kw]
	  then relu(conv2d[stride=s, pad=p, groups=g](X, W)) == conv2d[stride=s, pad=p, groups=g, act=relu](X, W)`)
	seen := map[string]int{}
	n := 0
	look := func(v *instance.Valuation) {
		n++
		dim := func(name string) int64 { k, _ := v.Dims[name].Const(); return k }
		stride, _ := v.Attrs["s"].Tuple()
		pads, explicit := v.Attrs["p"].Tuple()
		for name, is := range map[string]bool{
			"kernel larger than image": dim("kh") > dim("h"),
			"even kernel":              dim("kh") == 2 || dim("kw") == 4,
			"stride 2":                 stride[0] == 2 && dim("h") > 2,
			"groups":                   dim("g") > 1 && dim("o")%dim("g") == 0,
			"sizes of one":             dim("b") == 1 && dim("c") == 1 && dim("o") == 1,
			"unequal sizes":            dim("h") != dim("w") && dim("kh") != dim("kw"),
			"lopsided pads":            explicit && pads[0] != pads[2] && dim("kh") > pads[0] && dim("kh") > pads[2],
		} {
			if is {
				seen[name]++
			}
		}
	}
	instance.Instances(l, instance.Scope{}, func(v *instance.Valuation) bool { look(v); return n < 3000 })
	if len(seen) != 7 {
		t.Errorf("among %d instances only %v", n, seen)
	}
	seen, n = map[string]int{}, 0
	s, rng := instance.NewSampler(l, instance.Scope{}), rand.New(rand.NewSource(1))
	for n < 300 {
		v, ok := s.Sample(rng)
		if !ok {
			t.Fatal("no sample")
		}
		look(v)
	}
	if delete(seen, "sizes of one"); len(seen) != 6 { // sizes are mostly distinct
		t.Errorf("among %d samples only %v", n, seen)
	}
}

// Samples depend on the random numbers only, satisfy the conditions, and have
// mostly different sizes.
func TestSampler(t *testing.T) {
	for _, l := range axioms.Default() {
		a, b := instance.NewSampler(l, instance.Scope{}), instance.NewSampler(l, instance.Scope{})
		r, q := rand.New(rand.NewSource(7)), rand.New(rand.NewSource(7))
		for i := 0; i < 10; i++ {
			v, ok := a.Sample(r)
			w, _ := b.Sample(q)
			if !ok {
				t.Errorf("%s: no sample", l.Name)
				break
			}
			if v.String() != w.String() {
				t.Errorf("%s: %s and %s from the same numbers", l.Name, v, w)
			}
			for _, p := range l.Where {
				if holds, decided := p.Holds(&v.Substitution); !holds || !decided {
					t.Errorf("%s: %s does not hold with %s", l.Name, p, v)
				}
			}
			for _, g := range l.Given {
				if _, ok := g.Shape.Subst(&v.Substitution).Concrete(); g.Sort == "" && !ok {
					t.Errorf("%s: %s has no shape with %s", l.Name, g.Name, v)
				}
			}
		}
	}
	s, rng, distinct := instance.NewSampler(mustLaw(t, "axiom a given X : [a, b, c] then X == relu(X)"), instance.Scope{}), rand.New(rand.NewSource(1)), 0
	for i := 0; i < 100; i++ {
		if v, ok := s.Sample(rng); ok && v.Dims["a"] != v.Dims["b"] && v.Dims["b"] != v.Dims["c"] && v.Dims["a"] != v.Dims["c"] {
			distinct++
		}
	}
	if distinct < 60 {
		t.Errorf("%d of 100 samples have three different sizes", distinct)
	}
	if v, ok := instance.NewSampler(mustLaw(t, "axiom a given X : [n] where n < 1 then X == relu(X)"), instance.Scope{}).Sample(rng); ok {
		t.Errorf("a sample where there is none: %s", v)
	}
}

func BenchmarkInstances(b *testing.B) {
	l := mustLaw(b, "axiom a given s : stride, p : padding, X : [b, g*c, h, w], W : [o, c, kh, kw] then X == relu(X)")
	for i := 0; i < b.N; i++ {
		n := 0
		instance.Instances(l, instance.Scope{}, func(*instance.Valuation) bool { n++; return n < 1000 })
	}
}

func mustLaw(t testing.TB, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
