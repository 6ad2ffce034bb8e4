package refute

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
)

// Laws that hold at small sizes, or have none: what tells their sides apart is
// beyond the usual strides, sizes, groups and axes.
var farLaws = []struct{ law, kind, where string }{
	{`stride given s : stride, q : same, X : [b, c, h, w], W : [o, c, 3, 3]
then conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=q](X, enlarge[kh=5, kw=5](W))`, "values", "s = (4, 1)"},
	{`stride_18 given s : stride, q : same, X : [b, c, h, w], W : [o, c, 17, 17]
then conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=q](X, enlarge[kh=19, kw=19](W))`, "values", ""},
	{`groups given s : stride, p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw] where 6 <= g
then conv2d[stride=s, pad=p, groups=g](X, concat[axis=0](V, W))
== concat[axis=1](conv2d[stride=s, pad=p, groups=g](X, V), conv2d[stride=s, pad=p, groups=g](X, W))`, "values", "g = 6"},
	{`groups_need given X : [b, g*c, h, w], W : [g*o, c, kh, kw], K : [5], A : []
then smul(conv2d[pad=valid, groups=g](X, W), A)
=> smul(conv2d[pad=valid, groups=g](X, W), ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=g](K), slice[axis=0, lo=0, hi=g](K)))))`, "defined", "g = 6"},
	{`groups_need_300 given X : [b, g*c, h, w], W : [g*o, c, kh, kw], K : [300], A : []
then smul(conv2d[pad=valid, groups=g](X, W), A)
=> smul(conv2d[pad=valid, groups=g](X, W), ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=g](K), slice[axis=0, lo=0, hi=g](K)))))`, "defined", "g = 301"},
	{`rank given X : [P..], K : [6], A : []
then smul(X, A) => smul(X, ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=#P+1](K), slice[axis=0, lo=0, hi=#P+1](K)))))`, "defined", "P.. = [1 1 1 1 1 1]"},
	{`target given X : [b], Z : [c] then X => ewadd(X, ewsub(slice[axis=0, lo=0, hi=b](Z), slice[axis=0, lo=0, hi=b](Z)))`, "defined", "b = 2, c = 1"},
	{`pads given s : stride, p : padding
then one[shape=[b, c, window(h, kh, s, p, 0), window(w, kw, s, p, 1)]]() => poolavg[kh=kh, kw=kw, stride=s, pad=p, border=excluded](one[shape=[b, c, h, w]]())`, "defined", ""},
	{`output given X : [a], Z : [c] then X => slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=0, hi=b](Z)))`, "defined", "b = 2, c = 1"},
	{`digits given X : [2*a*64*64], Z : [64*a, 64]
then reshape[shape=[a, 64, 2, 64]](concat[axis=1](slice[axis=0, lo=0, hi=64*a](reshape[shape=[2*64*a, 64]](X)), Z))
== reshape[shape=[a, 64, 2, 64]](concat[axis=1](slice[axis=1, lo=0, hi=64](reshape[shape=[64*a, 2*64]](X)), Z))`, "values", ""},
	{`long_axis given Y : [], X : [3000, 1] then broadcast[shape=[3000, 1]](Y) == X`, "values", ""},
	{`matrix given X : [700, 900] then X == reshape[shape=[700, 900]](transpose(reshape[shape=[900, 700]](X)))`, "values", ""},
	{`beyond given X : [1048576, 1048576, a], Y : [b] then X => ewadd(X, broadcast[shape=[1048576, 1048576, a]](reducesum[axes=(0)](slice[axis=0, lo=0, hi=a](Y))))`, "defined", "a = 2, b = 1"},
	{`window given X : [window(h, k, (2, 2), valid, 0)+4], Y : [n] where 6 <= k
then Y => ewadd(Y, broadcast[shape=[n]](reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=5](X), slice[axis=0, lo=0, hi=5](X)))))`, "defined", "k = 6"},
	{`divides given X : [n, m] where n == 12*m and 5 <= m then X => reshape[shape=[n, m]](slice[axis=0, lo=0, hi=n](concat[axis=0](X, slice[axis=0, lo=0, hi=61](X))))`, "defined", "m = 5, n = 60"},
	{`multiples given X : [n] where n % 17 == 0 then X == relu(X)`, "values", "n = 17"},
}

func TestRefuteFar(t *testing.T) {
	for _, c := range farLaws {
		l, err := law.ParseLaw("rule " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Find(context.Background(), l, Options{})
		if err != nil || w == nil {
			t.Errorf("%s: not refuted (%v)", l.Name, err)
			continue
		}
		text := w.String()
		if w.Kind != c.kind || !strings.Contains(text, c.where) {
			t.Errorf("%s: want %s, %q; got\n%.600s", l.Name, c.kind, c.where, text)
		}
		b, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 20_000 {
			t.Errorf("%s: a witness of %d bytes", l.Name, len(b))
		}
		var read Witness
		if err := json.Unmarshal(b, &read); err != nil {
			t.Fatal(err)
		}
		again, err := read.Replay(l)
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		if got, _ := json.Marshal(again); string(got) != string(b) {
			t.Errorf("%s: replayed as\n%.600s\nwas\n%.600s", l.Name, got, b)
		}
	}
}

// Names decide nothing: laws that differ in them have the same counterexample.
func TestRefuteNames(t *testing.T) {
	for _, c := range [][2]string{
		{"f : zero1, X : [a, b], Y : [b, c] | | f(matmul(X, Y)) == matmul(f(X), Y)", "g : zero1, Z : [z, d], A : [d, b] | | g(matmul(Z, A)) == matmul(g(Z), A)"},
		{"s : stride, q : same, X : [b, c, h, w], W : [o, c, 3, 3] | | conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=q](X, enlarge[kh=5, kw=5](W))",
			"t : stride, a : same, P : [z, o, y, m], A : [b, o, 3, 3] | | conv2d[stride=t, pad=a](P, A) == conv2d[stride=t, pad=a](P, enlarge[kh=5, kw=5](A))"},
		{"X : [a], Z : [c] | | slice[axis=0, lo=0, hi=5](concat[axis=0](X, Z)) == slice[axis=0, lo=0, hi=5](concat[axis=0](Z, X))",
			"Z : [c], X : [a] | | slice[axis=0, lo=0, hi=5](concat[axis=0](Z, X)) == slice[axis=0, lo=0, hi=5](concat[axis=0](X, Z))"},
	} {
		var seen [2]*Witness
		for i, text := range c {
			w, err := Find(context.Background(), lawtext.Read(t, "l | "+text)[0], Options{})
			if err != nil || w == nil {
				t.Fatalf("%s: not refuted (%v)", text, err)
			}
			seen[i] = w
		}
		a, b := seen[0], seen[1]
		if a.Kind != b.Kind || a.Left != b.Left || a.Right != b.Right || len(a.Inputs) != len(b.Inputs) {
			t.Errorf("%s\n%s", a, b)
			continue
		}
		for i := range a.Inputs {
			a.Inputs[i].Term = b.Inputs[i].Term
			if !reflect.DeepEqual(a.Inputs[i], b.Inputs[i]) {
				t.Errorf("%s\n%s", a, b)
			}
		}
	}
}
