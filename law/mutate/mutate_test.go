package mutate_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
)

func mutants(t testing.TB, text string) map[string]string {
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range mutate.Mutants(l) {
		if out[m.Name] != "" {
			t.Errorf("%s twice", m.Name)
		}
		out[m.Name] = law.FormatOutputs(m.Law.LHS) + " == " + law.FormatOutputs(m.Law.RHS)
	}
	return out
}

// Each kind of change is made; a change that is not well-typed or says nothing
// new is not.
func TestMutants(t *testing.T) {
	for _, c := range []struct {
		what, law string
		want, not []string // names, or parts of sides
	}{
		{"operands and variables", "axiom a given X : [n, n], Y : [n, n] then transpose(matmul(X, Y)) == matmul(transpose(Y), transpose(X))",
			[]string{"exchanged in matmul(X, Y), side 0", "dropped in transpose(Y), side 1", "Y put in X, side 0", "ewmul in matmul(X, Y), side 0",
				"only operand 0 in matmul(X, Y), side 0", "relu put before in transpose(X), side 1", "relu in transpose(X), side 1", "perm (0, 1) in transpose(X), side 1"}, nil},
		{"shapes must fit", "axiom a given X : [m, n], Y : [n, m] then transpose(matmul(X, Y)) == matmul(transpose(Y), transpose(X))",
			nil, []string{"exchanged in matmul(X, Y), side 0", "Y put in X, side 0", "dropped in transpose(Y), side 1", "ewmul in matmul(X, Y), side 0"}},
		{"what says the same", "axiom a given X : [n], Y : [n], Z : [n] then ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)",
			[]string{"ewmul in ewadd(Y, Z), side 0"}, []string{"exchanged in ewadd(Y, Z), side 0"}},
		{"one term on both sides", "axiom a given X : [n] then ewmul(X, one[shape=[n]]()) == X",
			nil, []string{"only operand 0 in ewmul(X, one[shape=[n]]()), side 0"}},
		{"conditions and sorts", "axiom a given q : same, f : zero1, X : [b, c, h, w] where kh % 2 == 1 and kw == 1 then f(poolmax[kh=kh, kw=kw, pad=q](X)) == poolmax[kh=kh, kw=kw, pad=same_lower](f(X))",
			[]string{"without kh % 2 == 1", "without kw == 1", "q : padding", "f : pointwise1", "same_upper in poolmax[kh=kh, kw=kw, pad=same_lower](f(X)), side 1",
				"poolavg in poolmax[kh=kh, kw=kw, pad=q](X), side 0", "kh one more in poolmax[kh=kh, kw=kw, pad=q](X), side 0",
				"dropped in f(X), side 1"},
			[]string{"valid in poolmax[kh=kh, kw=kw, pad=q](X), side 0", "stride (2, 2) in poolmax[kh=kh, kw=kw, pad=q](X), side 0"}},
		{"outputs", "axiom a given X : [n, m], Y : [n, m] then split[axis=0, at=n](concat[axis=0](X, Y)) == (X, Y)",
			[]string{"outputs 0 and 1 exchanged", "output 1 in split[axis=0, at=n](concat[axis=0](X, Y)).0, side 0, output 0",
				"X put in Y, side 1, output 1", "exchanged in concat[axis=0](X, Y), side 0, output 0"}, nil},
		{"activations and borders", "axiom a given a : act, d : border, X : [1, c, h, w], W : [c, c, 1, 1] then poolavg[kh=1, kw=1, pad=valid, border=d](conv2d[pad=valid, act=a](X, W)) == conv2d[pad=valid, act=a](poolavg[kh=1, kw=1, pad=valid, border=d](X), W)",
			[]string{"act none in conv2d[pad=valid, act=a](X, W), side 0", "act relu in conv2d[pad=valid, act=a](X, W), side 0",
				"counted in poolavg[kh=1, kw=1, pad=valid, border=d](X), side 1", "same_upper in conv2d[pad=valid, act=a](X, W), side 0"}, nil},
		{"shapes of constants", "axiom a given A : [] then relu(smul(one[shape=[2, n]](), A)) == smul(one[shape=[2, n]](), relu(A))", nil, []string{"shape 0 one more in one[shape=[2, n]](), side 0"}},
	} {
		got := mutants(t, c.law)
		for _, name := range c.want {
			if _, ok := got[name]; !ok {
				t.Errorf("%s: no mutant %q", c.what, name)
			}
		}
		for _, name := range c.not {
			if text, ok := got[name]; ok {
				t.Errorf("%s: mutant %q: %s", c.what, name, text)
			}
		}
	}
	got := mutants(t, "axiom a given X : [n, n], Y : [n, n] then transpose(matmul(X, Y)) == matmul(transpose(Y), transpose(X))")
	for name, want := range map[string]string{
		"exchanged in matmul(X, Y), side 0":       "transpose(matmul(Y, X)) == matmul(transpose(Y), transpose(X))",
		"relu put before in transpose(X), side 1": "transpose(matmul(X, Y)) == matmul(transpose(Y), relu(transpose(X)))",
		"only operand 0 in matmul(X, Y), side 0":  "transpose(X) == matmul(transpose(Y), transpose(X))",
	} {
		if got[name] != want {
			t.Errorf("%s: %s", name, got[name])
		}
	}
}

// The mutants of the axioms are many, well-formed, in order, and differ from
// their law and from one another.
func TestMutantsOfAxioms(t *testing.T) {
	total := 0
	for _, l := range axioms.Default() {
		ms := mutate.Mutants(l)
		if len(ms) == 0 && l.Kind != law.Refute {
			t.Errorf("%s: no mutants", l.Name)
		}
		if !slices.IsSortedFunc(ms, func(a, b mutate.Mutant) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%s: not in order", l.Name)
		}
		text := law.Format(l)
		for _, m := range ms {
			if law.Format(m.Law) == text {
				t.Errorf("%s: %s changes nothing", l.Name, m.Name)
			}
			if _, err := m.Law.Types(); err != nil && !errors.Is(err, law.ErrOrder) {
				t.Errorf("%s: %s: %v", l.Name, m.Name, err)
			}
			if strings.Contains(law.Format(m.Law), "\x00") {
				t.Errorf("%s: %s: a hole is left", l.Name, m.Name)
			}
		}
		if law.Format(l) != text {
			t.Errorf("%s is changed", l.Name)
		}
		total += len(ms)
	}
	if total < 500 {
		t.Errorf("%d mutants only", total)
	}
}

func BenchmarkMutants(b *testing.B) {
	laws := axioms.ByKind(law.Axiom)
	for b.Loop() {
		for _, l := range laws {
			mutate.Mutants(l)
		}
	}
}

func ExampleMutants() {
	l, _ := law.ParseLaw("axiom a given X : [n, n] then transpose(transpose(X)) == X")
	for _, m := range mutate.Mutants(l) {
		fmt.Printf("%s: %s == %s\n", m.Name, m.Law.LHS[0], m.Law.RHS[0])
	}
	// Output:
	// dropped in transpose(X), side 0: transpose(X) == X
	// dropped in transpose(transpose(X)), side 0: transpose(X) == X
	// perm (0, 1) in transpose(X), side 0: transpose(transpose[perm=(0, 1)](X)) == X
	// perm (0, 1) in transpose(transpose(X)), side 0: transpose[perm=(0, 1)](transpose(X)) == X
	// relu in transpose(X), side 0: transpose(relu(X)) == X
	// relu in transpose(transpose(X)), side 0: relu(transpose(X)) == X
	// relu put before in transpose(X), side 0: transpose(relu(transpose(X))) == X
	// relu put before in transpose(transpose(X)), side 0: relu(transpose(transpose(X))) == X
}
