package rules_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// onMesh are laws of tensors that are laid out over a mesh, true for all sizes and degrees.
const onMesh = `
axiom partition_combine
  given X : [P.., g*n, S..]
  then  combine[axis=#P](partition[axis=#P, on=g](X)) == X
axiom combine_partition
  given X : [g, P.., n, S..]
  then  partition[axis=#P, on=g](combine[axis=#P](X)) == X
axiom softmax_parts
  given X : [g*m, n]
  then  each_softmax[over=[g], axis=1](partition[axis=0, on=g](X)) == partition[axis=0, on=g](softmax[axis=1](X))
axiom transpose_members
  given X : [g, m, n]
  then  each_transpose[over=[g], perm=(1, 0)](each_transpose[over=[g], perm=(1, 0)](X)) == X
axiom relu_parts
  given f : pointwise1, X : [P.., g*n, S..]
  then  f(partition[axis=#P, on=g](X)) == partition[axis=#P, on=g](f(X))
axiom matmul_replicated
  given X : [g*m, k], W : [k, n]
  then  matmul(partition[axis=0, on=g](X), replicate[on=g](W)) == partition[axis=0, on=g](matmul(X, W))
axiom split_members
  given X : [g, h, a], Y : [g, h, b]
  then  (each_split[over=[g, h], axis=0, at=a](each_concat[over=[g, h], axis=0](X, Y)).0, each_split[over=[g, h], axis=0, at=a](each_concat[over=[g, h], axis=0](X, Y)).1) == (X, Y)
axiom reduce_lift
  given X : [P..]
  then  reduce(lift[on=g](X)) == X
axiom drop_replicate
  given X : [P..]
  then  drop(replicate[on=g](X)) == X
axiom reduce_add
  given X : [g, P..], Y : [g, P..]
  then  reduce(ewadd(X, Y)) == ewadd(reduce(X), reduce(Y))
axiom each_is_plain
  given X : [m, n]
  then  each_softmax[over=[], axis=1](X) == softmax[axis=1](X)
axiom halo_nothing
  given X : [g, n, m]
  then  halo[axis=0, before=0, after=0](X) == X
`

// The rules that follow from these, by instances.
const derived = `
rule softmax_on_parts
  given X : [g*m, n]
  then  combine[axis=0](each_softmax[over=[g], axis=1](partition[axis=0, on=g](X))) == softmax[axis=1](X)
rule data_parallel
  given f : pointwise1, X : [g*m, k], W : [k, n]
  then  combine[axis=0](f(matmul(partition[axis=0, on=g](X), replicate[on=g](W)))) == f(matmul(X, W))
rule softmax_twice
  given X : [g*m, n]
  then  each_softmax[over=[g], axis=1](partition[axis=0, on=g](softmax[axis=1](X))) == partition[axis=0, on=g](softmax[axis=1](softmax[axis=1](X)))
`

// False laws that look like them.
const notOnMesh = `
rule softmax_on_its_axis
  given X : [m, g*n]
  then  each_softmax[over=[g], axis=1](partition[axis=1, on=g](X)) == partition[axis=1, on=g](softmax[axis=1](X))
rule reduce_replicate
  given X : [P..]
  then  reduce(replicate[on=g](X)) == X
rule other_member
  given X : [g, P..]
  then  replicate[on=g](drop(X)) == X
rule of_other_axes
  given X : [g, m, m]
  then  each_softmax[over=[g], axis=0](X) == each_softmax[over=[g], axis=1](X)
rule other_family
  given X : [g, g, m]
  then  each_reduce[over=[g]](X) == reduce(X)
rule relu_of_partial_sum
  given f : zero1, X : [g, P..]
  then  reduce(f(X)) == f(reduce(X))
`

// TestFamilies: laws with lifted operators are the same laws when they were written and
// read; they are proved from what operators compute, rules follow from them, and the
// independent checker accepts both, from files. False ones have no proof.
func TestFamilies(t *testing.T) {
	ctx := context.Background()
	parse := func(text string) []*law.Law {
		ls, err := law.Parse("families", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range ls {
			text := law.Format(l)
			back, err := law.ParseLaw(text)
			if err != nil || law.Format(back) != text || law.ID(back) != law.ID(l) {
				t.Fatalf("%s is read as another law: %v", text, err)
			}
		}
		return ls
	}
	axioms, goals := parse(onMesh), parse(derived)
	set := &rules.Set{Axioms: onMesh, Header: rules.Header{AxiomsSHA256: law.HashText(onMesh)}}
	add := func(l *law.Law, p *law.Proof) {
		r, err := rules.New(l)
		if err != nil {
			t.Fatal(err)
		}
		if p.Meaning == nil && law.Body(l) != law.Body(r.Law) {
			t.Fatalf("%s: another law is stated: %s", l.Name, law.Format(r.Law))
		}
		r.Status, r.Proof, r.Engine = rules.Proved, p, "test"
		set.Add(r)
	}
	for _, l := range axioms {
		if p, err := sums.Certify(ctx, l); err != nil || p == nil {
			t.Errorf("%s: no proof, %v", l.Name, err)
		}
	}
	for i, l := range goals {
		r, err := rules.New(l)
		if err != nil {
			t.Fatal(err)
		}
		goals[i] = r.Law
	}
	vs, err := (&verify.EGraph{Laws: axioms, Workers: 1}).Prove(ctx, goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != verify.Proved {
			t.Fatalf("%s: %s %s", law.Format(goals[i]), v.Status, v.Reason)
		}
		add(goals[i], v.Proof)
	}
	for _, l := range axioms {
		r, err := rules.New(l)
		if err != nil {
			t.Fatal(err)
		}
		p, err := sums.Certify(ctx, r.Law)
		if err != nil || p == nil {
			t.Errorf("%s: no proof, %v", law.Format(r.Law), err)
			continue
		}
		add(r.Law, &law.Proof{Meaning: p})
	}
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
	text := b.String()
	rep, err := check.File(ctx, &b, "x.cert", check.Options{ID: law.ID, SHA256: law.HashText(onMesh)})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Rejected) > 0 || rep.Rules != set.Len() || rep.Meaning == 0 || rep.Instances == 0 {
		t.Errorf("%+v", *rep)
	}
	// Another operator or another family in a node is another certificate.
	for _, change := range [][2]string{{"each_softmax[over=[", "each_softmax[over=[1, "}, {"partition[axis=0", "partition[axis=1"}, {"each_softmax[over=[b], axis=1]", "softmax[axis=2]"}} {
		bad := strings.ReplaceAll(text, change[0], change[1])
		if bad == text {
			t.Errorf("%s is nowhere in %s", change[0], text)
			continue
		}
		rep, err := check.File(ctx, strings.NewReader(bad), "bad", check.Options{ID: law.ID, SHA256: law.HashText(onMesh)})
		if err == nil && len(rep.Rejected) == 0 {
			t.Errorf("%s instead of %s is accepted", change[1], change[0])
		}
	}
	for _, l := range parse(notOnMesh) {
		if p, err := sums.Certify(ctx, l); err != nil || p != nil {
			t.Errorf("%s is proved, %v", l.Name, err)
		}
		v, err := (&verify.EGraph{Laws: axioms, Workers: 1}).Prove(ctx, []*law.Law{l})
		if err != nil || v[0].Status == verify.Proved {
			t.Errorf("%s follows, %v", l.Name, err)
		}
	}
}
