package check_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// A law that drops a function which may have no value, or computes with one, has to say that
// it holds where every term has a value; where all terms have one it need not.
func TestWithoutValue(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		real bool // it needs the tag
	}{
		"log dropped":             {"given X : [P..], Y : [P..] then ewadd(Y, ewsub(log(X), log(X))) == Y", true},
		"log dropped, backwards":  {"given X : [P..], Y : [P..] then Y == ewadd(Y, ewsub(log(X), log(X)))", true},
		"log of exp dropped":      {"given X : [P..], Y : [P..] then ewadd(Y, ewsub(log(exp(X)), log(exp(X)))) == Y", false},
		"log of softmax dropped":  {"given X : [m, n], Y : [m, n] then ewadd(Y, ewsub(log(softmax[axis=1](X)), log(softmax[axis=1](X)))) == Y", false},
		"quotient dropped":        {"given X : [n], Y : [n] then ewadd(Y, ewsub(ewdiv(Y, X), ewdiv(Y, X))) == Y", true},
		"quotient of nothing":     {"given X : [n], Y : [n] then ewdiv(ewsub(X, X), Y) == ewsub(X, X)", true},
		"quotient as a product":   {"given X : [n], Y : [n] then ewdiv(X, Y) == ewmul(X, reciprocal(Y))", true},
		"root, distributed":       {"given X : [n], Y : [n], Z : [n] then ewmul(sqrt(X), ewadd(Y, Z)) == ewadd(ewmul(sqrt(X), Y), ewmul(sqrt(X), Z))", true},
		"root of a square":        {"given X : [n], Y : [n], Z : [n] then ewmul(sqrt(ewmul(X, X)), ewadd(Y, Z)) == ewadd(ewmul(sqrt(ewmul(X, X)), Y), ewmul(sqrt(ewmul(X, X)), Z))", false},
		"log of a moved tensor":   {"given X : [m, n] then log(transpose(X)) == transpose(log(X))", false},
		"log of parts":            {"given X : [a, n], Y : [b, n] then log(concat[axis=0](X, Y)) == concat[axis=0](log(X), log(Y))", false},
		"any function":            {"given f : pointwise1, X : [n], Y : [n] then ewmul(f(X), ewadd(Y, X)) == ewadd(ewmul(f(X), Y), ewmul(f(X), X))", false},
		"a power, distributed":    {"given X : [n], Y : [n], Z : [n] then ewmul(ewpow(X, Y), ewadd(Y, Z)) == ewadd(ewmul(ewpow(X, Y), Y), ewmul(ewpow(X, Y), Z))", true},
		"an activation":           {"given X : [a, b, c, d], W : [e, b, 1, 1], Z : [a, e, c, d] then ewsub(conv2d[pad=valid, act=log](X, W), conv2d[pad=valid, act=log](X, W)) == ewsub(Z, Z)", true},
		"normalization with eps":  {"given X : [m, n], K : [n], L : [n], Y : [m, n], Z : [m, n] then ewmul(layernorm[axis=1, eps=0.00001](X, K, L), ewadd(Y, Z)) == ewadd(ewmul(layernorm[axis=1, eps=0.00001](X, K, L), Y), ewmul(layernorm[axis=1, eps=0.00001](X, K, L), Z))", false},
		"normalization, any eps":  {"given e : number, X : [m, n], K : [n], L : [n], Y : [m, n] then ewadd(Y, ewsub(layernorm[axis=1, eps=e](X, K, L), layernorm[axis=1, eps=e](X, K, L))) == Y", true},
		"number of axes in a log": {"given X : [P.., n], Y : [P.., n] then ewadd(Y, ewsub(log(ewadd(relu(X), fill[shape=[P.., n], value=1.0, den=#P+1]())), log(ewadd(relu(X), fill[shape=[P.., n], value=1.0, den=#P+1]())))) == Y", true},
	} {
		t.Run(name, func(t *testing.T) {
			entry := func(tag string) (*law.Law, law.CertRule) {
				text := "rule written" + tag + " " + c.text
				l, err := law.ParseLaw(text)
				if err != nil {
					t.Fatal(err)
				}
				p, err := sums.Certify(context.Background(), l)
				if err != nil {
					t.Fatal(err)
				}
				return l, law.CertRule{ID: "written", Law: text, Meaning: p}
			}
			l, plain := entry("")
			if needs := law.CheckStated(l) != nil; needs != c.real {
				t.Errorf("needs the tag: %t, want %t", needs, c.real)
			}
			if plain.Meaning == nil {
				if name != "number of axes in a log" {
					t.Error("there is no proof")
				}
				return
			}
			_, tagged := entry(" [real]")
			for _, e := range []law.CertRule{plain, tagged} {
				rep, err := check.File(context.Background(), bytes.NewReader(certFile(t, "", nil, []law.CertRule{e})), "forged", check.Options{})
				if err != nil {
					t.Fatal(err)
				}
				rejected := len(rep.Rejected) > 0
				if want := c.real && !strings.Contains(e.Law, "[real]"); rejected != want {
					t.Errorf("%s: rejected: %v", e.Law, rep.Rejected)
				} else if rejected && !strings.Contains(rep.Rejected[0].Reason, "must say so with the tag real") {
					t.Errorf("%s: %v", e.Law, rep.Rejected)
				}
			}
		})
	}
}
