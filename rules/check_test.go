package rules_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// halves are pairs of rules that join.
var halves = []string{
	`rule a given X : [m, k], A : [k, a], B : [k, b] then matmul(X, A) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B))).0`,
	`rule b given X : [m, k], A : [k, a], B : [k, b] then matmul(X, B) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B))).1`,
	`rule c given f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..] then f(X) == split[axis=#P, at=a](f(concat[axis=#P](X, Y))).0`,
	`rule d given f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..] then f(Y) == split[axis=#P, at=a](f(concat[axis=#P](X, Y))).1`,
	`rule e given X : [a, n], Y : [b, n], Z : [a, n], W : [b, n] then ewadd(X, Z) == split[axis=0, at=a](ewadd(concat[axis=0](X, Y), concat[axis=0](Z, W))).0`,
	`rule f given X : [a, n], Y : [b, n], Z : [a, n], W : [b, n] then ewadd(W, Y) == split[axis=0, at=a](ewadd(concat[axis=0](X, Y), concat[axis=0](Z, W))).1`,
	`rule g given s : stride, p : padding, X : [b, c, h, w], V : [o, c, k, l], W : [q, c, k, l]
	  then conv2d[stride=s, pad=p](X, V) == split[axis=1, at=o](conv2d[stride=s, pad=p](X, concat[axis=0](V, W))).0`,
	`rule h given s : stride, p : padding, X : [b, c, h, w], V : [o, c, k, l], W : [q, c, k, l]
	  then conv2d[stride=s, pad=p](X, W) == split[axis=1, at=o](conv2d[stride=s, pad=p](X, concat[axis=0](V, W))).1`,
}

// TestJoinedProofs: the certificates of joined rules, proved from the real
// axioms, saved and loaded again, satisfy the independent checker.
func TestJoinedProofs(t *testing.T) {
	set := &rules.Set{Axioms: axioms.Text(), Header: rules.Header{AxiomsSHA256: axioms.SHA256()}}
	var goals []*law.Law
	var rs []*rules.Rule
	for _, src := range halves {
		r, err := rules.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		rs, goals = append(rs, r), append(goals, r.Law)
	}
	vs, err := (&verify.EGraph{Laws: axioms.ByKind(law.Axiom), Workers: 2}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != verify.Proved {
			t.Fatalf("%s: %s %s", halves[i], v.Status, v.Reason)
		}
		rs[i].Status, rs[i].Proof, rs[i].Engine = rules.Proved, v.Proof, v.Engine
	}
	set.AddAll(rs)
	joined := rules.Join(set.Rules, 4)
	if len(joined) != 4 {
		for _, r := range joined {
			t.Log(law.Format(r.Law))
		}
		t.Errorf("%d joined rules, want 4", len(joined))
	}
	for _, r := range joined {
		p, err := sums.Certify(context.Background(), r.Law)
		if err != nil || p == nil {
			t.Fatalf("no proof of %s: %v", law.Format(r.Law), err)
		}
		r.Status, r.Proof, r.Engine = rules.Proved, &law.Proof{Meaning: p}, "sums"
	}
	set.AddAll(joined)
	path := filepath.Join(t.TempDir(), "x.rules")
	if err := rules.Save(path, set); err != nil {
		t.Fatal(err)
	}
	loaded, err := rules.Load(path, rules.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := rules.WriteCert(&b, loaded); err != nil {
		t.Fatal(err)
	}
	rep, err := check.File(context.Background(), &b, "x.cert", check.Options{ID: law.ID, SHA256: axioms.SHA256()})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Rejected) > 0 || rep.Rules != len(halves)+len(joined) {
		t.Errorf("%d rules accepted of %d; %v", rep.Rules, len(halves)+len(joined), rep.Rejected)
	}
}
