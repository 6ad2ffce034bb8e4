package sums_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// Laws that are false, each for a reason that an engine may overlook. What is
// true of them, "equal", "forward" or "backward", may be shown and nothing else.
func TestFalse(t *testing.T) {
	p := newProver(t, sums.Config{Ordered: true})
	for _, c := range []struct{ name, law, may string }{
		{"digits of a larger axis", `
			given X : [2*a*64*64], Z : [64*a, 64]
			then reshape[shape=[a, 64, 2, 64]](concat[axis=1](slice[axis=0, lo=0, hi=64*a](reshape[shape=[2*64*a, 64]](X)), Z))
			  == reshape[shape=[a, 64, 2, 64]](concat[axis=1](slice[axis=1, lo=0, hi=64](reshape[shape=[64*a, 2*64]](X)), Z))`, ""},
		{"digits of a larger axis, cut", `
			given X : [a*b*c], Z : [a, c]
			where b == 2
			then reshape[shape=[2*a*c]](concat[axis=0](slice[axis=0, lo=0, hi=a](reshape[shape=[a*b, c]](X)), Z))
			  == reshape[shape=[2*a*c]](concat[axis=0](reshape[shape=[a, c]](slice[axis=1, lo=0, hi=c](reshape[shape=[a, b*c]](X))), Z))`, ""},
		{"a joined index in a smaller axis", `
			given X : [a*b]
			then reshape[shape=[a*b]](slice[axis=0, lo=0, hi=a*b](concat[axis=0](X, X))) == reshape[shape=[a*b]](slice[axis=0, lo=a*b, hi=2*a*b](concat[axis=0](X, reshape[shape=[a*b]](reshape[shape=[b, a]](X)))))`, "equal forward backward"},
		{"axes exchanged by reshape", `
			given X : [a, b]
			then reshape[shape=[b, a]](X) == transpose[perm=(1, 0)](X)`, ""},
		{"a border that is infinite, less itself", `
			given X : [n]
			then ewsub(pad[before=(1), after=(0), value=inf](X), pad[before=(1), after=(0), value=inf](X)) == pad[before=(1), after=(0)](ewsub(X, X))`, ""},
		{"a bound that is infinite, less itself", `
			given X : [n], Z : [n]
			then X == ewadd(X, ewsub(clip[lo=inf, hi=inf](Z), clip[lo=inf, hi=inf](Z)))`, ""},
		{"a bound that is absent, less itself", `
			given X : [n], Z : [n]
			then X == ewadd(X, ewsub(clip[lo=0.0, hi=inf](Z), clip[lo=0.0, hi=inf](Z)))`, "equal forward backward"},
		{"a scalar X1 and X of ten axes", `
			given X1 : [], X : [3000, 1, 1, 1, 1, 1, 1, 1, 1, 1]
			then broadcast[shape=[3000, 1, 1, 1, 1, 1, 1, 1, 1, 1]](X1) == X`, ""},
		{"X1 of one axis and X of eleven", `
			given X1 : [n], X : [n, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
			then reshape[shape=[n, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]](X1) == X`, ""},
		{"a size function below one", `
			given X : [window(h, k, (2, 2), valid, 0)+4], Y : [n]
			where 6 <= k
			then Y => ewadd(Y, broadcast[shape=[n]](reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=5](X), slice[axis=0, lo=0, hi=5](X)))))`, ""},
		{"a size function below one, in an attribute", `
			given X : [m], Y : [n]
			where 6 <= k
			then Y => ewadd(Y, broadcast[shape=[n]](reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=window(h, k, (2, 2), valid, 0)+4](X), slice[axis=0, lo=0, hi=window(h, k, (2, 2), valid, 0)+4](X)))))`, ""},
		{"a size function below one, times a size", `
			given X : [m*window(h, k, (2, 2), valid, 0)+4], Y : [n]
			then Y => ewadd(Y, broadcast[shape=[n]](reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=5](X), slice[axis=0, lo=0, hi=5](X)))))`, ""},
		{"a condition on a size function", `
			given X : [m], Y : [n]
			where window(h, k, (2, 2), valid, 0) <= 0
			then Y => ewadd(Y, broadcast[shape=[n]](reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=m](X), slice[axis=0, lo=1, hi=m+1](X)))))`, ""},
		{"positions that count from the end", `
			given X : [n, c], Y : [m, c], I : [k]
			then gather[axis=0](X, I) == gather[axis=0](concat[axis=0](X, ewsub(Y, Y)), I)`, ""},
		{"places of a longer table", `
			given X : [1], I : [j]
			then gather[axis=0](concat[axis=0](X, X), I)
			  == ewadd(gather[axis=0](X, I), gather[axis=0](pad[before=(1), after=(1), value=0.0](X), I))`, "equal backward"},
		{"places of a table that may be longer", `
			given X : [n], Y : [m], I : [j]
			then gather[axis=0](concat[axis=0](X, Y), I)
			  => ewadd(gather[axis=0](concat[axis=0](X, Y), I), ewsub(gather[axis=0](X, I), gather[axis=0](X, I)))`, "equal backward"},
		{"all places where some are read", `
			given X : [n], I : [j]
			then gather[axis=0](X, slice[axis=0, lo=0, hi=k](I)) => slice[axis=0, lo=0, hi=k](gather[axis=0](X, I))`, "equal backward"},
		{"places where there are the largest of them", `
			given X : [n], I : [j], A : []
			then ewmul(A, gather[axis=0](X, reducemax[axes=(0)](I)))
			  => ewadd(ewmul(A, gather[axis=0](X, reducemax[axes=(0)](I))), reducesum[axes=(0)](ewsub(gather[axis=0](X, I), gather[axis=0](X, I))))`, "equal backward"},
		{"places where none are read", `
			given X : [n], I : [j]
			then I => ewsub(ewadd(I, gather[axis=0](X, I)), gather[axis=0](X, I))`, "equal backward"},
		{"place 1 of one", `
			given X : [n], A : []
			then A => ewadd(A, ewsub(gather[axis=0](X, one[shape=[]]()), gather[axis=0](X, one[shape=[]]())))`, "equal backward"},
		{"place -2 of one", `
			given X : [n], A : []
			then A => ewadd(A, ewsub(gather[axis=0](X, neg(ewadd(one[shape=[]](), one[shape=[]]()))), gather[axis=0](X, neg(ewadd(one[shape=[]](), one[shape=[]]())))))`, "equal backward"},
		{"half a place", `
			given X : [n+9], A : []
			then A => ewadd(A, ewsub(gather[axis=0](X, reducemean[axes=(0)](pad[before=(1), after=(0), value=0.0](one[shape=[1]]()))), gather[axis=0](X, reducemean[axes=(0)](pad[before=(1), after=(0), value=0.0](one[shape=[1]]())))))`, "equal backward"},
		{"a kernel of even size in the middle of one of odd size", `
			given s : stride, q : same, X : [b, c, h, w], W : [o, c, 3, 3]
			then conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=q](X, enlarge[kh=5, kw=5](W))`, ""},
		{"more groups than are tried", `
			given s : stride, p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw]
			where 6 <= g
			then conv2d[stride=s, pad=p, groups=g](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[stride=s, pad=p, groups=g](X, V), conv2d[stride=s, pad=p, groups=g](X, W))`, ""},
		{"more groups than are tried, by a product", `
			given p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw]
			where 16 <= g*g
			then conv2d[pad=p, groups=g](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[pad=p, groups=g](X, V), conv2d[pad=p, groups=g](X, W))`, ""},
		{"all groups but those tried", `
			given p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw]
			where g != 2 and g != 3
			then conv2d[pad=p, groups=g](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[pad=p, groups=g](X, V), conv2d[pad=p, groups=g](X, W))`, ""},
		{"ranks beyond those tried", `
			given X : [P..], K : [6], A : []
			then smul(X, A) => smul(X, ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=#P+1](K), slice[axis=0, lo=0, hi=#P+1](K)))))`, ""},
		{"ranks beyond those tried, by a condition", `
			given X : [P..]
			where 7 <= #P
			then X == relu(X)`, ""},
		{"conditions that contradict", `
			given X : [m], Y : [m]
			where m < n and n < m
			then X == Y`, ""},
		{"shapes that cannot be", `
			given X : [m-n], Z : [n-m], Y : [m-n]
			then X == Y`, ""},
		{"factors that are written alike one after the other", `
			given X : [n]
			then relu(smul(ewmul(X, smul(X, reducesum[axes=(0)](one[shape=[23+n]]()))), reducesum[axes=(0)](one[shape=[n]]())))
			  == smul(ewmul(X, smul(X, reducesum[axes=(0)](one[shape=[3+n]]()))), reducesum[axes=(0)](one[shape=[n]]()))`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := prove(t, p, parse(t, "# .\nrule a"+c.law))
			for _, f := range []struct {
				on   bool
				name string
			}{{r.Equal, "equal"}, {r.Forward, "forward"}, {r.Backward, "backward"}} {
				if f.on && !strings.Contains(c.may, f.name) {
					t.Errorf("shown: %s", f.name)
				}
			}
			if r.Proved && c.may == "" {
				t.Error("proved")
			}
		})
	}
}

// Names mean nothing: a law says the same whatever its variables are called,
// even as what the engine calls its own unknowns.
func TestNames(t *testing.T) {
	p := newProver(t, sums.Config{})
	v := func(name string) graph.Dim { return graph.Var(name) }
	op := func(name string) *graph.Op {
		o, ok := graph.Lookup(name)
		if !ok {
			t.Fatalf("no operator %s", name)
		}
		return o
	}
	slice := func(lo, hi graph.Dim, x *law.Term) *law.Term {
		return law.Apply(op("slice"), graph.Attrs{graph.IntValue(0), graph.DimValue(lo), graph.DimValue(hi)}, x)
	}
	x, y := law.V("X"), law.V("Y")
	one := graph.Int(1)
	for _, name := range []string{"n", "P.0", "P.0'", "i0", "v", "v1", "somewhere", "p.top", "f0", "b0", "b 1 <= n", "div2", "#P", "count1"} {
		// An axis of a run and one of this name are two.
		l := &law.Law{Name: "a", Given: []law.Declaration{
			{Name: "X", Shape: graph.Shape{graph.Axis(v(name)), graph.AxisRun("P")}}, {Name: "Y", Shape: graph.Shape{graph.Axis(v(name)), graph.AxisRun("P")}}},
			LHS: []*law.Term{law.Apply(op("ewadd"), graph.Attrs{}, x, y)}, RHS: []*law.Term{law.Apply(op("ewadd"), graph.Attrs{}, y, x)}}
		if r := prove(t, p, l); !r.Proved {
			t.Errorf("size %s: %s", name, r)
		}
		// Defined where n >= 2 only.
		l.OneWay = true
		l.RHS = []*law.Term{law.Apply(op("concat"), graph.Attrs{graph.IntValue(0)}, slice(graph.Int(0), one, l.LHS[0]), slice(one, v(name), l.LHS[0]))}
		if r := prove(t, p, l); r.Proved || !r.Equal || !r.Backward {
			t.Errorf("size %s: %s", name, r)
		}
		// Two sizes that are not known to be equal.
		l = &law.Law{Name: "a", Given: []law.Declaration{{Name: "X", Shape: graph.Shape{graph.Axis(v(name)), graph.AxisRun("P")}}},
			LHS: []*law.Term{law.Apply(op("one"), graph.Attrs{graph.ShapeValue(graph.Shape{graph.AxisRun("P")})})},
			RHS: []*law.Term{law.Apply(op("one"), graph.Attrs{graph.ShapeValue(graph.ShapeOf(v(name)))})}}
		if r := prove(t, p, l); r.Equal || r.UpTo != nil && r.UpTo.Equal {
			t.Errorf("size %s: %s", name, r)
		}
	}
	// A function of functions and one of activations.
	l := parse(t, `
axiom a
  given f : zero1, X : [b, c, h, w], W : [o, c, kh, kw], g : act
  then f(conv2d[pad=valid](X, W)) == conv2d[pad=valid, act=g](X, W)`)
	for _, name := range []string{"f", "relu"} {
		m := *l
		m.Given = append([]law.Declaration{}, l.Given...)
		m.Given[0].Name, m.Given[3].Name = name, name
		m.LHS = []*law.Term{{Fn: name, Args: l.LHS[0].Args}}
		m.RHS = []*law.Term{l.RHS[0].Subst(nil, nil, &graph.Substitution{Attrs: map[string]graph.Value{"g": graph.VarValue(name, graph.SortAct)}})}
		if r := prove(t, p, &m); r.Equal {
			t.Errorf("function and activation %s: %s", name, r)
		}
	}
	// Terms of ten axes are told from those of one with a longer name.
	for n := range 12 {
		shape := graph.Shape{graph.Axis(v("n"))}
		for range n {
			shape = append(shape, graph.Axis(one))
		}
		for _, other := range []string{"X1", "X11", fmt.Sprint("X", n+1), fmt.Sprint("X,", n), "X " + fmt.Sprint(n)} {
			l := &law.Law{Name: "a", Given: []law.Declaration{{Name: "X", Shape: shape}, {Name: other, Shape: graph.ShapeOf(v("n"))}},
				LHS: []*law.Term{law.V("X")},
				RHS: []*law.Term{law.Apply(op("reshape"), graph.Attrs{graph.ShapeValue(shape)}, law.V(other))}}
			if r := prove(t, p, l); r.Equal {
				t.Errorf("%s of %d axes and %s: %s", "X", n+1, other, r)
			}
		}
	}
}

// What is too large to be worked out is not known.
func TestTooLarge(t *testing.T) {
	p := newProver(t, sums.Config{})
	for _, text := range []string{`
		given X : [524288, 524288, 524288, 524288], Z : [1048576, 1048576, 1048576, 1048576]
		then ewadd(X, ewsub(reshape[shape=[524288, 524288, 524288, 524288]](Z), reshape[shape=[524288, 524288, 524288, 524288]](Z))) == X`, `
		given X : [n, 1048576, 1048576, 1048576, 1048576], Y : [n]
		then reducesum[axes=(1)](reshape[shape=[n, 1048576*1048576, 1048576*1048576]](X)) == reducesum[axes=(1, 2)](X)`, `
		given X : [n]
		then slice[axis=0, lo=2147483647*2147483647*4*n, hi=2147483647*2147483647*4*n+1](X) == slice[axis=0, lo=0, hi=1](X)`,
	} {
		laws, err := law.Parse("test", []byte("# .\nrule a"+text))
		if err != nil {
			continue // refused before
		}
		if r := prove(t, p, laws[0]); r.Proved || r.Equal {
			t.Errorf("%s: %s", text, r)
		}
	}
	l := parse(t, "# .\naxiom a\n given X : [P..]\n then relu(X) == relu(X)")
	if r := prove(t, p, l); !r.Proved {
		t.Error(r)
	}
}
