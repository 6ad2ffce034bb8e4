package taso_test

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// peerFile reads a file of others, or skips.
func peerFile(t testing.TB, name string) *peer.File {
	t.Helper()
	f, err := peer.Read(name, golden.Data(t, name), "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every rule of the published files in other notations has a law under every
// reading.
func TestPublishedPeers(t *testing.T) {
	for _, c := range []struct {
		name string
		laws int // distinct sources with a law
	}{
		{"taso_verifier_equations.txt", 674},
		{"tensat_converted.txt", 116},
		{"flexflow_graph_subst_3_v2.json", 485},
	} {
		f := peerFile(t, c.name)
		for _, reading := range []taso.Reading{
			{}, {Same: "same_lower", Grouped: true}, {Border: "excluded"}, {Same: taso.AnySame, Border: taso.AnyBorder},
		} {
			seen := map[string]bool{}
			n := 0
			for i := range f.Rules {
				r := &f.Rules[i]
				if seen[r.Source] || r.TASO == nil {
					continue
				}
				seen[r.Source] = true
				tr := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{*r.TASO}}, reading)[0]
				if tr.Err != nil {
					t.Logf("%s:%d:%d: %v: %s", c.name, r.Line, r.Col, tr.Err, r.Source)
					continue
				}
				if _, err := law.ParseLaw(law.Format(tr.Law)); err != nil {
					t.Errorf("%s: %v", r.Source, err)
				}
				n++
			}
			if n != c.laws {
				t.Errorf("%s, reading %+v: %d laws, want %d", c.name, reading, n, c.laws)
			}
		}
	}
}

// What equations of other notations say beyond TASO's files.
func TestFromPeers(t *testing.T) {
	for _, c := range []struct {
		equation string
		reading  taso.Reading
		law      string // expected, or
		err      error
	}{
		{"poolavg(3,3,1,1,0,input_1)==poolavg(3,3,1,1,0,input_1)", taso.Reading{},
			`X : [b, c, h, w] then poolavg[kh=3, kw=3, pad=same_upper](X) == poolavg[kh=3, kw=3, pad=same_upper](X)`, nil},
		{"poolavg(3,3,1,1,0,relu(input_1))==relu(poolavg(3,3,1,1,0,input_1))", taso.Reading{Border: "excluded"},
			`X : [b, c, h, w] then poolavg[kh=3, kw=3, pad=same_upper, border=excluded](relu(X)) == relu(poolavg[kh=3, kw=3, pad=same_upper, border=excluded](X))`, nil},
		{"poolavg(3,3,1,1,0,relu(input_1))==relu(poolavg(3,3,1,1,0,input_1))", taso.Reading{Border: taso.AnyBorder, Same: taso.AnySame},
			`q : same, e : border, X : [b, c, h, w] then poolavg[kh=3, kw=3, pad=q, border=e](relu(X)) == relu(poolavg[kh=3, kw=3, pad=q, border=e](X))`, nil},
		{"poolmax(3,3,1,1,1,relu(input_1))==relu(poolmax(3,3,1,1,1,input_1))", taso.Reading{Border: taso.AnyBorder, Same: taso.AnySame},
			`X : [b, c, h, w] then poolmax[kh=3, kw=3, pad=valid](relu(X)) == relu(poolmax[kh=3, kw=3, pad=valid](X))`, nil},
		{"relu(input_1)==relu(input_1)", taso.Reading{Border: "none"}, "", taso.ErrInvalid},

		// A bare side, and two.
		{"transpose(transpose(input_1))==input_1", taso.Reading{}, `X : [m, n] then transpose(transpose(X)) == X`, nil},
		{"input_1==ewadd(input_1,input_2)", taso.Reading{}, `X : [P..], Y : [P..] then X == ewadd(X, Y)`, nil},
		{"input_1==input_2", taso.Reading{}, `X : [P..], Y : [P..] then X == Y`, nil},

		// Nothing tells the number of axes but that one is named.
		{"relu(concat(1,input_1,input_2))==concat(1,relu(input_1),relu(input_2))", taso.Reading{},
			`X : [n, a, S..], Y : [n, b, S..] then relu(concat[axis=1](X, Y)) == concat[axis=1](relu(X), relu(Y))`, nil},
		{"concat(0,concat(2,input_1,input_2),concat(2,input_3,input_4))==concat(2,concat(0,input_1,input_3),concat(0,input_2,input_4))", taso.Reading{},
			`X : [a, n, c, S..], Y : [a, n, d, S..], Z : [b, n, c, S..], W : [b, n, d, S..]
			 then concat[axis=0](concat[axis=2](X, Y), concat[axis=2](Z, W)) == concat[axis=2](concat[axis=0](X, Z), concat[axis=0](Y, W))`, nil},
		{"concat(0,input_1,matmul(input_2,input_3))==concat(0,input_1,matmul(input_2,input_3))", taso.Reading{},
			`X : [a, n], Y : [m, k], Z : [k, n] then concat[axis=0](X, matmul(Y, Z)) == concat[axis=0](X, matmul(Y, Z))`, nil},
		{"concat(2,input_1,matmul(input_2,input_3))==concat(2,input_1,matmul(input_2,input_3))", taso.Reading{}, "", taso.ErrTyping},
		{"concat(9,input_1,input_2)==concat(9,input_2,input_1)", taso.Reading{}, "", taso.ErrTyping},

		// Variables of one side, and the shape of ones.
		{"smul(input_1,input_20)==split_0(1,smul(concat(1,input_1,input_2),input_20))", taso.Reading{},
			`X : [n, a, S..], A : [], Y : [n, b, S..] then smul(X, A) == split[axis=1, at=a](smul(concat[axis=1](X, Y), A)).0`, nil},
		{"ewmul(input_1,concat(0,Iewmul,input_2))==input_1", taso.Reading{},
			`X : [a+b, S..], Y : [b, S..] then ewmul(X, concat[axis=0](one[shape=[a, S..]](), Y)) == X`, nil},
		{"relu(input_1)==merge(input_1,2)", taso.Reading{}, "", taso.ErrUnsupported},
	} {
		f, err := peer.Read("f", []byte(c.equation), peer.Verifier)
		if err != nil || f.Rules[0].TASO == nil {
			t.Fatalf("%s: %v %v", c.equation, err, f)
		}
		tr := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{*f.Rules[0].TASO}}, c.reading)[0]
		if c.law == "" {
			if !errors.Is(tr.Err, c.err) {
				t.Errorf("%s: %v, want %v", c.equation, tr.Err, c.err)
			}
			continue
		}
		if tr.Err != nil {
			t.Errorf("%s: %v", c.equation, tr.Err)
			continue
		}
		want, err := law.ParseLaw("rule x given " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		if law.ID(want) != law.ID(tr.Law) {
			t.Errorf("%s:\n%swant\n%s", c.equation, law.Format(tr.Law), law.Format(want))
		}
	}
}

// Averages without the border are written and read under their reading.
func TestToBorder(t *testing.T) {
	r := mustRule(`rule x given X : [b, c, h, w] then poolavg[kh=3, kw=3, pad=valid, border=excluded](relu(X)) == relu(poolavg[kh=3, kw=3, pad=valid, border=excluded](X))`)
	for _, c := range []struct {
		border string
		rules  int
	}{{"excluded", 2}, {"counted", 0}, {taso.AnyBorder, 0}} {
		pb, skips := taso.To([]*rules.Rule{r}, taso.Reading{Border: c.border})
		if len(pb.Rules) != c.rules || (len(skips) == 0) != (c.rules > 0) {
			t.Errorf("border %s: %d rules, want %d; %v", c.border, len(pb.Rules), c.rules, skips)
		}
	}
}
