package order_test

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/order"
)

const given = "rule r given X : [P..], Y : [P..], Z : [P..] then "

// What is true of maxima is proved, and what is not is not.
func TestProve(t *testing.T) {
	for _, x := range []struct {
		text string
		want bool
	}{
		{"ewadd(ewmax(X, Y), ewmin(X, Y)) == ewadd(X, Y)", true},
		{"ewmax(X, ewmin(Y, Z)) == ewmin(ewmax(X, Y), ewmax(X, Z))", true},
		{"ewmin(X, ewmax(Y, Z)) == ewmax(ewmin(X, Y), ewmin(X, Z))", true},
		{"relu(X) == ewmax(X, ewsub(X, X))", true},
		{"ewmax(X, Y) == ewadd(Y, relu(ewsub(X, Y)))", true},
		{"abs(X) == ewadd(relu(X), relu(neg(X)))", true},
		{"ewsub(relu(X), relu(neg(X))) == X", true},
		{"ewadd(ewmax(X, Y), ewmax(X, Y)) == ewadd(ewadd(X, Y), abs(ewsub(X, Y)))", true},
		// The mean is a mixture of the others, and no corner.
		{"ewmax(ewadd(X, X), ewmax(ewadd(Y, Y), ewadd(X, Y))) == ewmax(ewadd(X, X), ewadd(Y, Y))", true},
		{"ewmax(matmul(X, Y), relu(matmul(X, Y))) == relu(matmul(X, Y))", true},
		{"ewmax(ewadd(X, Y), Z) == ewadd(ewmax(X, Z), ewmax(Y, Z))", false},
		{"ewmax(X, ewmin(Y, Z)) == ewmin(ewmax(X, Y), Z)", false},
		{"abs(ewadd(X, Y)) == ewadd(abs(X), abs(Y))", false},
		{"relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))", false},
		{"relu(X) == X", false},
		{"ewmax(matmul(X, Y), X) == ewmax(matmul(Y, X), X)", false},
	} {
		head := given
		if x.text[:12] == "ewmax(matmul" {
			head = "rule r given X : [n, n], Y : [n, n] then "
		}
		l, err := law.ParseLaw(head + x.text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := order.Prove(l)
		if (p != nil) != x.want {
			t.Errorf("%s: proved %v (%v), want %v", x.text, p != nil, err, x.want)
			continue
		}
		if p == nil {
			continue
		}
		if d, err := order.Check(l, p); err != nil || !d.Forward {
			t.Errorf("%s: %+v, %v", x.text, d, err)
		}
		// A proof with a number changed is none.
		for k := range p.Mixtures[0][0] {
			for i, w := range p.Mixtures[0][0][k] {
				p.Mixtures[0][0][k][i] = new(big.Rat).Add(w, big.NewRat(1, 3))
				if _, err := order.Check(l, p); err == nil {
					t.Fatalf("%s: a changed proof is accepted", x.text)
				}
				p.Mixtures[0][0][k][i] = w
			}
		}
	}
}

// What only the target reads may be undefined where the source is not.
func TestDirections(t *testing.T) {
	l, err := law.ParseLaw("rule r given X : [n], Y : [n] then X == ewadd(X, ewsub(slice[axis=0, lo=1, hi=n+1](concat[axis=0](X, Y)), slice[axis=0, lo=1, hi=n+1](concat[axis=0](X, Y))))")
	if err != nil {
		t.Fatal(err)
	}
	p, err := order.Prove(l)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := order.Check(l, p); err != nil || d.Forward || !d.Backward {
		t.Errorf("%+v, %v; want the way back only", d, err)
	}
}

// Random laws are proved just where evaluation, by other code, finds no difference.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	var term func(depth int) string
	term = func(depth int) string {
		if depth == 0 || rng.Intn(5) == 0 {
			return []string{"X", "Y", "Z"}[rng.Intn(3)]
		}
		if rng.Intn(3) == 0 {
			return fmt.Sprintf("%s(%s)", []string{"neg", "relu", "abs"}[rng.Intn(3)], term(depth-1))
		}
		return fmt.Sprintf("%s(%s, %s)", []string{"ewadd", "ewsub", "ewmax", "ewmin"}[rng.Intn(4)], term(depth-1), term(depth-1))
	}
	proved := 0
	for i := range 4000 {
		l, err := law.ParseLaw("rule r [ordered] given X : [n], Y : [n], Z : [n] then " + term(2) + " == " + term(2))
		if err != nil {
			continue
		}
		p, err := order.Prove(l)
		if p == nil && err.Error() != "one side can be larger than the other" {
			continue
		}
		if p != nil {
			if _, err := order.Check(l, p); err != nil {
				t.Fatalf("%s: %v", law.Format(l), err)
			}
			proved++
		}
		f, tally := eval.Check(l, eval.Claim{Equal: true}, eval.Limits{}, 60, randV2(int64(i)))
		if tally.Met == 0 {
			t.Fatalf("nothing was evaluated: %s", law.Format(l))
		}
		if f != nil && p != nil {
			t.Errorf("proved, and false at %v:\n%s", f.Point, law.Format(l))
		}
		if f == nil && p == nil {
			t.Logf("no proof and no difference:\n%s", law.Format(l))
		}
	}
	if t.Logf("%d proved", proved); proved < 20 {
		t.Errorf("%d random laws are true, too few", proved)
	}
}
