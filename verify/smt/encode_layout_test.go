package smt

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// TestQuantifiedOnMesh: what the quantified laws say of tensors on meshes proves what
// follows, and nothing that is false. That partition[on=g] of a size g*n is defined Z3 does
// not find: it would have to divide, and laws that need it are left open.
func TestQuantifiedOnMesh(t *testing.T) {
	laws, err := law.Parse("laws", []byte(`
axiom partition_combine
  given X : [g*n, m]
  then  combine[axis=0](partition[axis=0, on=g](X)) == X
axiom softmax_parts
  given X : [g*n, m]
  then  each_softmax[over=[g], axis=1](partition[axis=0, on=g](X)) == partition[axis=0, on=g](softmax[axis=1](X))
axiom reshape_members
  given X : [g, m, n]
  then  each_reshape[over=[g], shape=[m, n]](each_reshape[over=[g], shape=[n, m]](X)) == X
axiom difference
  given X : [P..], Y : [P..]
  then  ewadd(X, ewsub(Y, Y)) == X
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		goal   string
		proved bool
	}{
		{"given X : [g, m, n] then relu(each_reshape[over=[g], shape=[m, n]](each_reshape[over=[g], shape=[n, m]](relu(X)))) => relu(relu(X))", true},
		{"given X : [g, m, n] then relu(each_reshape[over=[g], shape=[m, n]](each_reshape[over=[g], shape=[n, m]](X))) == relu(X)", true},
		{"given X : [g*n, m], Y : [g, n, m] then ewadd(Y, ewsub(partition[axis=0, on=g](X), partition[axis=0, on=g](X))) == Y", true},
		{"given X : [g*n, m] then relu(combine[axis=0](partition[axis=0, on=n](X))) == X", false},
		{"given X : [g, h*n, m] then relu(each_softmax[over=[g], axis=0](X)) == relu(each_softmax[over=[g], axis=1](X))", false},
		{"given X : [g, m, n] then each_reshape[over=[g], shape=[n, m]](X) == each_reshape[over=[g], shape=[m, n]](X)", false},
		{"given X : [a, b], Y : [a, b] then each_softmax[over=[a], axis=0](X) == each_softmax[over=[a], axis=0](Y)", false},
	} {
		g, err := law.ParseLaw("rule r " + c.goal)
		if err != nil {
			t.Fatal(err)
		}
		vs, err := (&Quantified{Laws: laws}).Prove(context.Background(), []*law.Law{g})
		if err != nil {
			t.Fatal(err)
		}
		if vs[0].Status == verify.Proved && !c.proved {
			t.Errorf("%s is proved", c.goal)
		}
		if vs[0].Status != verify.Proved && c.proved {
			t.Errorf("%s: %s %s", c.goal, vs[0].Status, vs[0].Reason)
		}
	}
}
