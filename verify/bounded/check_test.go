package bounded

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

func mustLaw(t testing.TB, text string) *law.Law {
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Every axiom and lemma holds symbolically on the plainest instances and a
// covering of pairs, none by testing only; every refuted equation fails. make test takes
// a third of them.
func TestAxioms(t *testing.T) {
	instances, symbolic := 0, 0
	for _, l := range lawtext.Sample(axioms.Default(), sweep.Size(3, 1)) {
		t.Run(l.Name, func(t *testing.T) {
			r, err := Check(context.Background(), l, Options{Instances: sweep.Size(60, 300)})
			if err != nil {
				t.Fatal(err)
			}
			if l.Kind == law.Refute {
				if r.Failure == "" {
					t.Errorf("%s: holds on %d instances", l.Pos, r.Instances)
				}
				return
			}
			if r.Failure != "" || r.Tested > 0 || r.Undecided > 0 || r.Symbolic == 0 {
				t.Errorf("%s: %+v", l.Pos, *r)
			}
			if r.Ordered > 0 != l.HasTag(law.TagOrdered) {
				t.Errorf("%s: %d instances need the true relu or maximum; tags %v", l.Pos, r.Ordered, l.Tags)
			}
			if r.Symbolic+r.Tested+r.Undefined+r.Undecided != r.Instances {
				t.Errorf("%s: the counts do not add up: %+v", l.Pos, *r)
			}
			instances += r.Instances
			symbolic += r.Symbolic
		})
	}
	t.Logf("%d instances, %d of them defined", instances, symbolic)
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       Result // Seconds, Combinations and the covering are not compared
	}{
		{"a law of one instance", "axiom a then imatmul[n=1]() == one[shape=[1, 1]]()",
			Result{Instances: 1, Symbolic: 1, Complete: true}},
		{"sizes", "axiom a given X : [m, n] then transpose(transpose(X)) == X",
			Result{Instances: 16, Symbolic: 16, Complete: true}},
		{"what is not defined", "axiom a given X : [n], Y : [n] where n <= 2 then slice[axis=0, lo=0, hi=k](ewadd(X, Y)) == slice[axis=0, lo=0, hi=k](ewadd(Y, X))",
			Result{Instances: 8, Symbolic: 3, Undefined: 5, Complete: true}},
		{"values", "axiom a given X : [n], Y : [n] then ewmul(X, Y) == ewadd(X, Y)",
			Result{Instances: 1, Failure: "with n=1: output 0 at [0]: left X0*Y0, right X0 + Y0"}},
		{"functions", "axiom a given f : pointwise1, X : [n] then f(f(X)) == f(X)",
			Result{Instances: 1, Failure: "with f=any:f, n=1: output 0 at [0]: left f(f(X0)), right f(X0)"}},
		{"a function that keeps zero", "axiom a given f : zero1 then f(enlarge[kh=3, kw=1](one[shape=[1, 1, 1, 1]]())) == enlarge[kh=3, kw=1](f(one[shape=[1, 1, 1, 1]]()))",
			Result{Instances: 1, Symbolic: 1, Complete: true}},
		{"one that does not", "axiom a given f : pointwise1 then f(enlarge[kh=3, kw=1](one[shape=[1, 1, 1, 1]]())) == enlarge[kh=3, kw=1](f(one[shape=[1, 1, 1, 1]]()))",
			Result{Instances: 1, Failure: "with f=any:f: output 0 at [0 0 0 0]: left f(0), right 0"}},
		{"an unknown activation", "axiom a given a : act, X : [1, 1, h, 1], W : [1, 1, 1, 1] then relu(conv2d[pad=valid, act=a](X, W)) == conv2d[pad=valid, act=a](X, W)",
			Result{Instances: 1, Failure: "with a=none, h=1: output 0 at [0 0 0 0]: left relu(X0*W0), right X0*W0; for X = [2], W = [-2] output 0 at [0 0 0 0]: left 0, right -4"}},
		{"shapes", "axiom a given X : [n], Y : [n] then concat[axis=0](X, Y) == concat[axis=0](X, concat[axis=0](Y, Y))",
			Result{Instances: 1, Failure: "with n=1: the left side has shape [2], the right side [3]"}},
		{"left side only", "axiom a given X : [n] then X == slice[axis=0, lo=0, hi=2](X)",
			Result{Instances: 1, Failure: "with n=1: the right side is not defined (operator slice: slice of [1] ends outside: 2 is more than 1), the left side is"}},
		{"right side only", "axiom a given X : [n] then ewadd(X, slice[axis=0, lo=0, hi=2](X)) == ewadd(X, X)",
			Result{Instances: 1, Failure: "with n=1: the left side is not defined (operator slice: slice of [1] ends outside: 2 is more than 1), the right side is"}},
		{"right side only, one way", "axiom a given X : [n] where n <= 2 then ewadd(X, slice[axis=0, lo=0, hi=2](X)) => ewadd(X, X)",
			Result{Instances: 2, Symbolic: 1, Undefined: 1, Complete: true}},
		{"the true relu", "axiom a given X : [n] where n <= 2 then relu(relu(X)) == relu(X)",
			Result{Instances: 2, Symbolic: 2, Ordered: 2, Complete: true}},
		// Where X is negative so is the sum: true, and beyond the rules.
		{"only tested", "axiom a given X : [1] then relu(ewadd(X, relu(X))) == ewadd(relu(X), relu(X))",
			Result{Instances: 1, Tested: 1, Complete: true}},
		{"not even true when tested", "axiom a given X : [1], Y : [1] then relu(ewadd(X, relu(Y))) == ewadd(relu(X), relu(Y))",
			Result{Instances: 1, Failure: "output 0 at [0]: left relu(X0 + relu(Y0)), right relu(Y0) + relu(X0); for X = [-3], Y = [3] output 0 at [0]: left 0, right 3"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, err := Check(context.Background(), mustLaw(t, c.text), Options{Instances: 16, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			got := *r
			got.Seconds, got.Combinations, got.Pairs, got.Covered = 0, 0, 0, 0
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// What an operator does of which only the name is known is not guessed.
func TestUndecided(t *testing.T) {
	graph.Register(&graph.Op{Name: "mystery", In: 1, Out: 1, Pointwise: true,
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return in, nil },
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryFn(graph.NameValue("mystery"), graph.EntryRead(0, at...)), nil
		}})
	for text, want := range map[string]Result{
		"axiom a given X : [1] then mystery(mystery(X)) == mystery(X)":                                                {Instances: 1, Undecided: 1, Complete: true},
		"axiom a given X : [1], Y : [1] then concat[axis=0](mystery(X), mystery(Y)) == mystery(concat[axis=0](X, Y))": {Instances: 1, Symbolic: 1, Complete: true},
	} {
		r, err := Check(context.Background(), mustLaw(t, text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := *r
		got.Seconds, got.Combinations = 0, 0
		if got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// The result does not depend on the number of workers, nor on which instance
// another worker found to fail.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"conv_concat_groups", "poolavg_one", "relu_poolmax", "enlarge_conv_upper", "poolmax_ewadd", "slice_slice"} {
		var l *law.Law
		for _, x := range axioms.Default() {
			if x.Name == name {
				l = x
			}
		}
		var want *Result
		for _, workers := range []int{1, 2, 7} {
			n := 0
			opt := Options{Instances: 200, Workers: workers}
			if workers == 1 {
				opt.Progress = func(k int) { n += k }
			}
			r, err := Check(context.Background(), l, opt)
			if err != nil {
				t.Fatal(err)
			}
			if r.Seconds <= 0 {
				t.Errorf("%s: %g seconds", name, r.Seconds)
			}
			if workers == 1 && n != r.Instances {
				t.Errorf("%s: progress %d of %d", name, n, r.Instances)
			}
			r.Seconds = 0
			if want == nil {
				want = r
			} else if *r != *want {
				t.Errorf("%s, %d workers: %+v, want %+v", name, workers, *r, *want)
			}
		}
	}
}

// Of a law with more instances than may be checked, all pairs of values occur.
func TestCovering(t *testing.T) {
	l := mustLaw(t, "axiom a given s : stride, p : padding, X : [b, g*c, h, w], W : [o, c, kh, kw] then relu(conv2d[stride=s, pad=p, groups=g](X, W)) == conv2d[stride=s, pad=p, groups=g, act=relu](X, W)")
	res := &Result{}
	vs := choose(l, Options{Instances: 200, Scope: DefaultScope()}, res)
	if len(vs) != 200 || res.Complete || res.Pairs == 0 || res.Covered != res.Pairs {
		t.Errorf("%d instances, %+v", len(vs), *res)
	}
	seen := map[string]bool{}
	met := map[string]bool{}
	for _, v := range vs {
		if seen[v.String()] {
			t.Errorf("%s twice", v)
		}
		seen[v.String()] = true
		parts := strings.Split(strings.ReplaceAll(v.String(), "(", "_"), ", ")
		for _, a := range parts {
			for _, b := range parts {
				if a < b {
					met[a+b] = true
				}
			}
		}
	}
	for _, pair := range []string{"b=4kh=4", "g=3o=4", "c=4g=4", "h=1w=4"} {
		if !met[pair] {
			t.Errorf("%s does not occur", pair)
		}
	}
	res = &Result{}
	if vs := choose(mustLaw(t, "axiom a given X : [m, n] then transpose(transpose(X)) == X"), Options{Instances: 16, Scope: DefaultScope()}, res); len(vs) != 16 || !res.Complete || res.Pairs != 0 {
		t.Errorf("%d instances, %+v", len(vs), *res)
	}
}

func TestCheckErrors(t *testing.T) {
	l := mustLaw(t, "axiom a given X : [m, n] then transpose(transpose(X)) == X")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Check(ctx, l, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for want, bad := range map[string]*law.Law{
		"check: law a: tensor Q is not given":                 {Name: "a", LHS: []*law.Term{law.V("Q")}, RHS: []*law.Term{law.V("Q")}},
		"check: law a: 1 outputs on the left, 0 on the right": {Name: "a", Given: l.Given, LHS: []*law.Term{law.V("X")}},
	} {
		if _, err := Check(context.Background(), bad, Options{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// A tensor that is too large is not made.
	r, err := Check(context.Background(), mustLaw(t, "axiom a then transpose(one[shape=[1000000, 1000000]]()) == one[shape=[1000000, 1000000]]()"), Options{})
	if err != nil || r.Undecided != 1 || r.Instances != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, l := range axioms.ByKind(law.Axiom) {
		switch l.Name {
		case "conv_concat_in", "matmul_assoc", "poolmax_poolmax", "slice_concat_across":
			b.Run(l.Name, func(b *testing.B) {
				n := 0
				for b.Loop() {
					r, err := Check(context.Background(), l, Options{Instances: 200, Workers: 1})
					if err != nil {
						b.Fatal(err)
					}
					n += r.Instances
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "instances/s")
			})
		}
	}
}

func ExampleCheck() {
	for _, text := range []string{
		"axiom square given X : [m, n], Y : [m, n] then ewmul(ewadd(X, Y), ewadd(X, Y)) == ewadd(ewmul(X, X), ewmul(Y, Y))",
		"axiom rows given X : [a, k], Y : [b, k], Z : [k, n] then matmul(concat[axis=0](X, Y), Z) == concat[axis=0](matmul(X, Z), matmul(Y, Z))",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := Check(context.Background(), l, Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(l.Name, r.Instances, r.Symbolic, r.Complete, r.Failure)
	}
	// Output:
	// square 1 0 false with m=1, n=1: output 0 at [0 0]: left X0*X0 + 2*X0*Y0 + Y0*Y0, right X0*X0 + Y0*Y0
	// rows 256 256 true
}
