package sums_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

func newProver(t testing.TB, cfg sums.Config) *sums.Prover {
	t.Helper()
	p, err := sums.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func prove(t testing.TB, p *sums.Prover, l *law.Law) sums.Result {
	t.Helper()
	r, err := p.Prove(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every axiom and lemma is proved for all sizes, ranks and attributes; no
// refuted equation is, not even of the true relu and max.
func TestAxioms(t *testing.T) {
	p, ordered := newProver(t, sums.Config{}), newProver(t, sums.Config{Ordered: true})
	var ms []float64
	proved := 0
	for _, l := range axioms.Default() {
		r := prove(t, p, l)
		if l.Kind == law.Refute {
			if r.Proved {
				t.Errorf("%s is refuted, and %s", l.Name, r)
			}
			if r := prove(t, ordered, l); r.Proved {
				t.Errorf("%s is refuted, and in true order %s", l.Name, r)
			}
			continue
		}
		ms = append(ms, r.Seconds*1000)
		if !r.Proved {
			t.Errorf("%s: %s", l.Name, r)
			continue
		}
		proved++
	}
	slices.Sort(ms)
	t.Logf("%d axioms and lemmas: %d proved; median %.2f ms, 95%% %.1f ms, all %.1f ms or less",
		len(ms), proved, ms[len(ms)/2], ms[len(ms)*95/100], ms[len(ms)-1])
}

func parse(t testing.TB, text string) *law.Law {
	t.Helper()
	laws, err := law.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return laws[0]
}

// What a result says of equality, directions and limits.
func TestResults(t *testing.T) {
	const (
		proved  = "equal forward backward"
		nothing = ""
	)
	p := newProver(t, sums.Config{})
	for _, c := range []struct{ name, law, want, upTo, reason string }{
		{"one side is defined less often", `
			given s : stride, X : [b, c, h, w], W : [o, c, m, n]
			where m <= kh and n <= kw and kh-m % 2 == 0 and kw-n % 2 == 0
			then conv2d[stride=s, pad=valid](X, enlarge[kh=kh, kw=kw](W)) == conv2d[stride=s, pad=valid](X, enlarge[kh=kh, kw=kw](enlarge[kh=m, kw=n](W)))`, proved, "", ""},
		{"the right side needs more", `
			given X : [m, n]
			then X == slice[axis=0, lo=0, hi=m](concat[axis=0](X, slice[axis=0, lo=1, hi=m](X)))`,
			"equal backward", "", "the left side may be defined where the right one is not, unless 2 <= m"},
		{"the left side needs more", `
			given X : [m, n]
			then slice[axis=0, lo=0, hi=m](concat[axis=0](X, slice[axis=0, lo=1, hi=m](X))) == X`,
			"equal forward", "", "the right side may be defined where the left one is not"},
		{"one way only is enough", `
			given X : [m, n]
			then slice[axis=0, lo=0, hi=m](concat[axis=0](X, slice[axis=0, lo=1, hi=m](X))) => X`, "equal forward", "", ""},
		{"pads larger than the window", `
			given s : stride, p : padding
			then poolavg[kh=kh, kw=kw, stride=s, pad=p, border=excluded](one[shape=[b, c, h, w]]()) == one[shape=[b, c, window(h, kh, s, p, 0), window(w, kw, s, p, 1)]]()`,
			"equal forward", "", "the right side may be"},
		{"never defined", `
			given X : [m]
			then slice[axis=0, lo=m, hi=m+1](X) == slice[axis=0, lo=m+1, hi=m+2](X)`, nothing, "", "slice"},
		{"conditions that contradict", `
			given X : [m], Y : [m]
			where m < n and n < m
			then ewadd(X, Y) == ewmul(X, Y)`, nothing, "", "never defined"},
		{"strides by value", `
			given s : stride, q : same, X : [b, c, h, w], W : [o, c, 1, 1]
			then conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=valid](X, W)`, nothing, "proved: strides to 3", "only for strides to 3"},
		{"strides by value that the next one refutes", `
			given s : stride, q : same, X : [b, c, h, w], W : [o, c, 3, 3]
			then conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=q](X, enlarge[kh=5, kw=5](W))`, nothing, "proved: strides to 3", ""},
		{"groups by value", `
			given p : padding, X : [b, g*c, h, w], W : [o, c, kh, kw]
			where g == 1
			then conv2d[pad=p, groups=g](X, W) == conv2d[pad=p](slice[axis=1, lo=0, hi=c](X), W)`, proved, "", ""},
		{"vacuous groups", `
			given s : stride, p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw]
			where 6 <= g
			then conv2d[stride=s, pad=p, groups=g](X, concat[axis=0](V, W))
			  == concat[axis=1](conv2d[stride=s, pad=p, groups=g](X, V), conv2d[stride=s, pad=p, groups=g](X, W))`, nothing, "", "no case that was tried"},
		{"a need that later groups have", `
			given X : [b, g*c, h, w], W : [g*o, c, kh, kw], K : [5], A : []
			then smul(conv2d[pad=valid, groups=g](X, W), A)
			  => smul(conv2d[pad=valid, groups=g](X, W), ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=g](K), slice[axis=0, lo=0, hi=g](K)))))`,
			"equal backward", "proved: groups to 3", ""},
		{"a need that higher ranks have", `
			given X : [P..], K : [6], A : []
			then smul(X, A) => smul(X, ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=#P+1](K), slice[axis=0, lo=0, hi=#P+1](K)))))`,
			nothing, "proved: tensors of at most 5 axes", ""},
		{"the second group", `
			given p : padding, X : [b, g*c, h, w], W : [g*o, c, kh, kw]
			where 2 <= g
			then slice[axis=1, lo=o, hi=2*o](conv2d[pad=p, groups=g](X, W)) == conv2d[pad=p](slice[axis=1, lo=c, hi=2*c](X), slice[axis=0, lo=o, hi=2*o](W))`,
			"equal backward", "proved: groups to 3", ""},
		{"a rank that is counted", `
			given X : [P.., n, S..]
			then slice[axis=#P, lo=0, hi=n](X) == slice[axis=#P, lo=#P-#P, hi=n](X)`, proved, "", ""},
		{"ranks by value", `
			given X : [P.., n+#P, S..]
			then slice[axis=#P, lo=0, hi=n+#P](X) == X`, nothing, "proved: tensors of at most 5 axes", ""},
		{"a size function that is no tensor's", `
			given s : stride, X : [b, c, h, w]
			then slice[axis=2, lo=0, hi=window(h, 2, s, valid, 0)](X) == slice[axis=2, lo=0, hi=window(h, 2, s, valid, 0)](X)`, "equal forward backward", "", ""},
		{"true relu without the tag", `
			given X : [P..]
			then relu(relu(X)) == relu(X)`, nothing, "", "relu"},
		{"sum of parts", `
			given X : [m, k], Y : [n, k]
			then matmul(one[shape=[1, m+n]](), concat[axis=0](X, Y)) == ewadd(matmul(one[shape=[1, m]](), X), matmul(one[shape=[1, n]](), Y))`, proved, "", ""},
		{"counts", `
			given A : []
			then smul(matmul(one[shape=[m, k]](), one[shape=[k, n]]()), A) == smul(matmul(one[shape=[m, k]](), smul(one[shape=[k, n]](), A)), one[shape=[]]())`, proved, "", ""},
		{"a count is not a count of others", `
			then matmul(one[shape=[m, k]](), one[shape=[k, n]]()) == matmul(one[shape=[m, l]](), one[shape=[l, n]]())`, nothing, "", "constant"},
		{"averages of averages", `
			given p : padding, s : stride, X : [b, c, h, w], A : []
			then poolavg[kh=k, kw=l, stride=s, pad=p](poolavg[kh=m, kw=n, stride=s, pad=p](smul(X, A))) == smul(poolavg[kh=k, kw=l, stride=s, pad=p](poolavg[kh=m, kw=n, stride=s, pad=p](X)), A)`, proved, "", ""},
		{"maxima of maxima, one step", `
			given X : [b, c, h, w]
			then poolmax[kh=k, kw=1, pad=valid](poolmax[kh=1, kw=l, pad=valid](X)) == poolmax[kh=k, kw=l, pad=valid](X)`, proved, "", ""},
		{"a maximum over too small a window", `
			given X : [b, c, h, w]
			then poolmax[kh=k, kw=1, pad=valid](poolmax[kh=k, kw=l, pad=valid](X)) == poolmax[kh=2*k, kw=l, pad=valid](X)`, nothing, "", "differ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := prove(t, p, parse(t, "# .\naxiom a"+c.law))
			var got []string
			for _, f := range []struct {
				on   bool
				name string
			}{{r.Equal, "equal"}, {r.Forward, "forward"}, {r.Backward, "backward"}} {
				if f.on {
					got = append(got, f.name)
				}
			}
			upTo := ""
			if u := r.UpTo; u != nil {
				if upTo = u.String(); u.Proved {
					upTo = "proved: " + upTo
				}
			}
			if s := strings.Join(got, " "); s != c.want || !strings.Contains(r.Reason, c.reason) || upTo != c.upTo {
				t.Errorf("%q, up to %q, %s; want %q, up to %q, reason with %q", s, upTo, r, c.want, c.upTo, c.reason)
			}
			if r.Proved != (r.Reason == "") {
				t.Errorf("proved %v with reason %q", r.Proved, r.Reason)
			}
		})
	}
}

// One axis of any size stands for any number of axes that are carried along:
// the laws with axis runs are proved, or not, with none and with two axes too.
func TestRuns(t *testing.T) {
	p := newProver(t, sums.Config{})
	tried := 0
	for _, l := range axioms.Default() {
		runs := map[string]bool{}
		see := func(a graph.Atom) {
			if a.Kind == graph.AtomAxisRun {
				runs[a.Name] = true
			}
		}
		for _, b := range l.Given {
			b.Shape.Walk(see)
		}
		for _, side := range [2][]*law.Term{l.LHS, l.RHS} {
			for _, x := range side {
				x.Walk(func(u *law.Term) {
					for _, v := range u.Attrs {
						v.Walk(see)
					}
				})
			}
		}
		if len(runs) == 0 {
			continue
		}
		tried++
		for _, n := range []int{0, 2} {
			b := &graph.Substitution{Runs: map[string]graph.Shape{}}
			for name := range runs {
				shape := graph.Shape{}
				for i := range n {
					shape = append(shape, graph.Axis(graph.Var(fmt.Sprintf("%s%d", strings.ToLower(name), i))))
				}
				b.Runs[name] = shape
			}
			m := l.Subst(b)
			if r := prove(t, p, m); r.Proved != (l.Kind != law.Refute) {
				t.Errorf("%s with %d axes in a run: %s", l.Name, n, r)
			}
		}
	}
	if tried == 0 {
		t.Error("no law has axis runs")
	}
}

// In true order, what is not negative is known.
func TestOrdered(t *testing.T) {
	l := parse(t, "# .\naxiom a\n given X : [P..]\n then relu(relu(X)) == relu(X)")
	if r := prove(t, newProver(t, sums.Config{Ordered: true}), l); !r.Proved {
		t.Error(r)
	}
}

// Terms that grow without end are given up, and soon.
func TestLimits(t *testing.T) {
	p := newProver(t, sums.Config{})
	op := func(name string) *graph.Op {
		o, ok := graph.Lookup(name)
		if !ok {
			t.Fatalf("no operator %s", name)
		}
		return o
	}
	for name, step := range map[string]func(x *law.Term) *law.Term{
		"sums":     func(x *law.Term) *law.Term { return law.Apply(op("ewadd"), graph.Attrs{}, x, x) },
		"products": func(x *law.Term) *law.Term { return law.Apply(op("ewmul"), graph.Attrs{}, x, x) },
		"functions": func(x *law.Term) *law.Term {
			return law.Apply(op("relu"), graph.Attrs{}, law.Apply(op("ewmul"), graph.Attrs{}, x, x))
		},
		"cases": func(x *law.Term) *law.Term {
			relu := law.Apply(op("relu"), graph.Attrs{}, x)
			cat := law.Apply(op("concat"), graph.Attrs{graph.IntValue(0)}, relu, x)
			return law.Apply(op("slice"), graph.Attrs{graph.IntValue(0), graph.IntValue(1), graph.DimValue(graph.Var("n").Add(graph.Int(1)))}, cat)
		},
	} {
		x := law.V("X")
		for range 24 {
			x = step(x)
		}
		l := &law.Law{Name: name, Given: []law.Declaration{{Name: "X", Shape: graph.ShapeOf(graph.Var("n"))}}, LHS: []*law.Term{x}, RHS: []*law.Term{law.V("X")}}
		start := time.Now()
		r := prove(t, p, l)
		if r.Proved || r.Reason == "" {
			t.Errorf("%s: %s", name, r)
		}
		t.Logf("%s: %s after %v", name, r, time.Since(start))
	}
	// The prover lives on.
	if r := prove(t, p, axioms.Default()[0]); !r.Proved {
		t.Error(r)
	}
}

func TestCanceled(t *testing.T) {
	p := newProver(t, sums.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := p.Prove(ctx, axioms.Default()[0])
	if err != nil || r.Proved || r.Reason != context.Canceled.Error() {
		t.Errorf("%s, %v", r, err)
	}
	if r := prove(t, p, axioms.Default()[0]); !r.Proved {
		t.Error(r)
	}
}

// A result does not depend on what the prover did before.
func TestSameAgain(t *testing.T) {
	p, fresh := newProver(t, sums.Config{}), newProver(t, sums.Config{Life: 1})
	laws := axioms.Default()
	for i := len(laws) - 1; i >= 0; i -= sweep.Size(6, 3) {
		a, b := prove(t, p, laws[i]), prove(t, fresh, laws[i])
		a.Seconds, b.Seconds = 0, 0
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v, and fresh %+v", laws[i].Name, a, b)
		}
	}
}

func BenchmarkAxioms(b *testing.B) {
	p := newProver(b, sums.Config{})
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	for b.Loop() {
		var ms []float64
		for _, l := range laws {
			ms = append(ms, prove(b, p, l).Seconds*1000)
		}
		slices.Sort(ms)
		b.ReportMetric(ms[len(ms)/2], "ms-median/law")
		b.ReportMetric(ms[len(ms)-1], "ms-most/law")
	}
}

func ExampleProver_Prove() {
	laws, err := law.Parse("example", []byte(`
# Rows of the left factor are rows of the product.
axiom matmul_concat_rows
  given X : [B.., a, k], Y : [B.., b, k], Z : [B.., k, n]
  then  matmul(concat[axis=#B](X, Y), Z) == concat[axis=#B](matmul(X, Z), matmul(Y, Z))

# The order of the rows matters.
refute matmul_concat_swapped
  given X : [B.., a, k], Y : [B.., a, k], Z : [B.., k, n]
  then  matmul(concat[axis=#B](X, Y), Z) == concat[axis=#B](matmul(Y, Z), matmul(X, Z))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := sums.New(sums.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	for _, l := range laws {
		r, err := p.Prove(context.Background(), l)
		fmt.Println(l.Name, r, err)
	}
	// Output:
	// matmul_concat_rows proved for all sizes <nil>
	// matmul_concat_swapped unknown: the terms with X[i0, i1, v]*Z[i0, v, i2] do not match <nil>
}
