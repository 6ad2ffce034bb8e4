package rules

import (
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// proved makes a rule with a one-instance proof that names its own variables.
func proved(t testing.TB, src string) *Rule {
	t.Helper()
	r := ruleOf(t, src)
	in := law.Instance{Law: "for_" + r.ID(), Tensors: map[string]*law.Term{}, Dims: map[string]graph.Dim{}}
	for _, b := range r.Law.Given {
		if b.Sort == "" {
			in.Tensors["T"+b.Name] = law.V(b.Name)
			for i, it := range b.Shape {
				in.Dims[b.Name+string(rune('a'+i))] = it.Dim
			}
		}
	}
	r.Status, r.Proof = Proved, &law.Proof{Instances: []law.Instance{in}}
	return r
}

func TestJoinMatmul(t *testing.T) {
	a := proved(t, `rule x given X : [m, k], A : [k, a], B : [k, b] then matmul(X, A) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B))).0`)
	b := proved(t, `rule x given Y : [q, r], C : [r, s], D : [r, t] then matmul(Y, D) == split[axis=1, at=s](matmul(Y, concat[axis=1](C, D))).1`)
	got := Join([]*Rule{a, b}, 3)
	if len(got) != 1 {
		t.Fatalf("%d joins, want one", len(got))
	}
	want := ruleOf(t, `rule x given X : [m, k], A : [k, a], B : [k, b]
	  then (matmul(X, A), matmul(X, B)) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B)))`)
	r := got[0]
	if !Instance(want.Law, r.Law) || !Instance(r.Law, want.Law) {
		t.Errorf("joined to\n%swant\n%s", law.Format(r.Law), law.Format(want.Law))
	}
	if r.Status != Proved || r.Proof == nil || len(r.Proof.Instances) != 2 {
		t.Fatalf("status %s, proof %v", r.Status, r.Proof)
	}
	// All variables of the proof are those of the joined law.
	vars := r.Law.VarShapes()
	for _, in := range r.Proof.Instances {
		for _, tm := range in.Tensors {
			if _, ok := vars[tm.Var]; !ok {
				t.Errorf("the proof speaks of %s, the law has %v", tm, law.Format(r.Law))
			}
		}
	}
	if len(Join([]*Rule{a, b}, 2)) != 0 {
		t.Error("a side of 3 operators passes a limit of 2")
	}
	a.Status = Unknown
	if len(Join([]*Rule{a, b}, 3)) != 0 {
		t.Error("an unproved rule was joined")
	}
}

func TestJoinSlices(t *testing.T) {
	a := proved(t, `rule x given X : [a, n], Y : [b, n] then relu(X) == slice[axis=0, lo=0, hi=a](relu(concat[axis=0](X, Y)))`)
	b := proved(t, `rule x given X : [a, n], Y : [b, n] then slice[axis=0, lo=a, hi=a+b](relu(concat[axis=0](X, Y))) == relu(Y)`)
	got := Join([]*Rule{b, a}, 4)
	if len(got) != 1 || !strings.Contains(law.Format(got[0].Law), "split[axis=0, at=") {
		t.Fatalf("joins %v", got)
	}
	again := Join([]*Rule{a, b}, 4)
	if !reflect.DeepEqual(got[0].Proof.Text(), again[0].Proof.Text()) && got[0].ID() != again[0].ID() {
		t.Error("the result depends on the order of the rules")
	}
}

func TestJoinNot(t *testing.T) {
	for _, c := range [][2]string{
		// Different positions.
		{`X : [a, n], Y : [b, n] then relu(X) == split[axis=0, at=a](relu(concat[axis=0](X, Y))).0`,
			`X : [b, n], Y : [b+a, n] then relu(Y) == split[axis=0, at=b](relu(relu(concat[axis=0](X, Y)))).1`},
		// Both halves are outputs of one split already: nothing but L == T.
		{`X : [n, m] where k < n then split[axis=0, at=k](relu(relu(X))).0 == split[axis=0, at=k](relu(X)).0`,
			`X : [n, m] where k < n then split[axis=0, at=k](relu(relu(X))).1 == split[axis=0, at=k](relu(X)).1`},
		// Different axes.
		{`X : [a, n], Y : [b, n] then relu(X) == split[axis=0, at=a](relu(concat[axis=0](X, Y))).0`,
			`X : [n, a], Y : [n, b] then relu(Y) == split[axis=1, at=a](relu(concat[axis=1](X, Y))).1`},
	} {
		got := Join([]*Rule{proved(t, "rule x given "+c[0]), proved(t, "rule x given "+c[1])}, 4)
		if len(got) != 0 {
			t.Errorf("joined to %s", law.Format(got[0].Law))
		}
	}
}

// TestJoinCommutes: the canonical form may exchange the inputs of a sum; the
// proof then says that it may.
func TestJoinCommutes(t *testing.T) {
	comm := parseLaw(t, `axiom ewadd_comm given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`)
	mul := parseLaw(t, `axiom ewmul_comm given X : [P..], Y : [P..] then ewmul(X, Y) == ewmul(Y, X)`)
	swapped, plain := 0, 0
	for _, src := range []string{"ewadd(Z, ewmul(Y, X))", "ewadd(ewmul(X, Y), Z)", "ewadd(ewmul(Y, X), Z)", "ewadd(Z, ewmul(X, Y))"} {
		l := parseLaw(t, "rule x given X : [m], Y : [m], Z : [m] then "+src+" == relu("+src+")")
		c := law.Canonical(l)
		c.Name = law.ID(l)
		_, exact := match(l, c, true)
		p := carry(&law.Proof{}, l, c, commutativity([]*law.Law{comm, mul}))
		switch {
		case p == nil:
			t.Fatalf("%s: no proof", src)
		case exact:
			plain++
			if len(p.Instances) != 0 {
				t.Errorf("%s: %d instances where names alone differ", src, len(p.Instances))
			}
		default:
			swapped++
			if len(p.Instances) == 0 || carry(&law.Proof{}, l, c, nil) != nil {
				t.Errorf("%s: inputs are exchanged without a proof", src)
			}
		}
	}
	if swapped == 0 || plain == 0 {
		t.Errorf("%d swapped, %d plain: the test looks at neither case", swapped, plain)
	}
}
