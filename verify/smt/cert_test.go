package smt_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/smt"
)

// The whole way with the axioms of the project: lemmas and rules are proved,
// minimized, written, read and checked.
func TestCertificateFile(t *testing.T) {
	ctx := context.Background()
	ax := axioms.ByKind(law.Axiom)
	var rules []*law.Law
	for i, text := range []string{
		"given X : [m, k], A : [k, n], B : [k, q] then concat[axis=1](matmul(X, A), matmul(X, B)) == matmul(X, concat[axis=1](A, B))",
		"given X : [m, k], A : [k, n], B : [k, q] then (matmul(X, A), matmul(X, B)) == split[axis=1, at=n](matmul(X, concat[axis=1](A, B)))",
		"given s : stride, p : padding, X : [b, c, h, w], V : [o, c, kh, kw], W : [q, c, kh, kw] then " +
			"concat[axis=1](conv2d[stride=s, pad=p, act=relu](X, V), conv2d[stride=s, pad=p, act=relu](X, W)) == conv2d[stride=s, pad=p, act=relu](X, concat[axis=0](V, W))",
		"given f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..] then slice[axis=#P, lo=a, hi=a+b](f(concat[axis=#P](X, Y))) == f(Y)",
	} {
		l, err := law.ParseLaw(fmt.Sprintf("rule r_%d %s", i, text))
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, l)
	}
	lemmas := axioms.ByKind(law.Lemma)
	g := smt.NewGrounder(ax, smt.GroundOptions{})
	defer g.Close()
	var b bytes.Buffer
	w := law.NewCertWriter(&b, axioms.Text())
	proved := 0
	for _, goals := range [][]*law.Law{lemmas, rules} {
		vs, err := (&verify.EGraph{Laws: ax, Workers: 1}).Prove(ctx, goals)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range goals {
			if vs[i].Status != verify.Proved {
				if l.Kind == law.Rule {
					t.Errorf("%s is not proved", l.Name)
				}
				continue
			}
			v := g.Ground(ctx, l, vs[i].Proof)
			if v.Status != verify.Proved {
				t.Errorf("%s: %s", l.Name, v.Reason)
				continue
			}
			proved++
			write := w.Rule
			if l.Kind == law.Lemma {
				write = w.Lemma
			}
			if err := write(law.NewCertRule(l.Name, l, v.Proof)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rep, err := check.File(ctx, &b, "default.cert", check.Options{SHA256: axioms.SHA256(), Z3: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Rejected {
		t.Error(r)
	}
	if rep.Lemmas+rep.Rules != proved || proved == 0 {
		t.Errorf("%d of %d accepted", rep.Lemmas+rep.Rules, proved)
	}
	t.Logf("%+v", *rep)
}

func ExampleGrounder() {
	comm, _ := law.ParseLaw("axiom comm given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")
	goal, _ := law.ParseLaw("rule r given A : [m], B : [m] then relu(ewadd(A, B)) == relu(ewadd(B, A))")
	use := func(x, y string) law.Instance {
		t := law.InstanceText{Law: "comm", Tensors: map[string]string{"X": x, "Y": y}, Dims: map[string]string{"n": "m"}}
		in, _ := t.Instance(comm, goal.Given)
		return in
	}
	g := smt.NewGrounder([]*law.Law{comm}, smt.GroundOptions{})
	defer g.Close()
	v := g.Ground(context.Background(), goal, &law.Proof{Instances: []law.Instance{use("A", "A"), use("A", "B"), use("B", "A")}})
	fmt.Println(v.Status, v.Proof.Text())
	v = g.Ground(context.Background(), goal, &law.Proof{})
	fmt.Println(v.Status, v.Reason)
	// Output:
	// proved [{comm map[X:A Y:B] map[n:m] map[] map[] map[]}]
	// unknown the instances do not make the sides equal
}
