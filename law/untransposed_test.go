package law_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// Laws with permutation variables as laws without them.
func TestUntransposed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"given X : [A.., m, B..], Y : [A.., n, B..], q : perm then transpose[perm=q](concat[axis=#A](X, Y)) == concat[axis=at(inverse(q), #A)](transpose[perm=q](X), transpose[perm=q](Y))",
			"concat[axis=#A](X, Y) == concat[axis=#A](X, Y)"},
		{"given X : [S..], p : perm, q : perm then transpose[perm=p](transpose[perm=q](X)) == transpose[perm=after(q, p)](X)", "X == X"},
		{"given X : [S..], q : perm then transpose[perm=inverse(q)](transpose[perm=q](X)) == X", "X == X"},
		{"given X : [S..], q : perm then relu(transpose[perm=inverse(q)](relu(transpose[perm=q](X)))) == relu(X)", "relu(relu(X)) == relu(X)"},
		{"given X : [a, b], p : perm then transpose(transpose[perm=inverse(p)](transpose[perm=p](X))) == transpose(X)", "transpose(X) == transpose(X)"},
		{"given X : [g, S..], q : perm then transpose[perm=q](reduce(X)) == reduce(each_transpose[over=[g], perm=q](X))", "reduce(X) == reduce(X)"},
		{"given X : [A.., n, B..], p : perm, q : perm then softmax[axis=at(after(inverse(p), inverse(q)), #A)](transpose[perm=after(q, p)](X)) == transpose[perm=p](transpose[perm=q](softmax[axis=#A](X)))",
			"softmax[axis=#A](X) == softmax[axis=#A](X)"},
	} {
		l, err := law.ParseLaw("rule r " + c.text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := law.Untransposed(l)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := law.FormatOutputs(m.LHS) + " == " + law.FormatOutputs(m.RHS); got != c.want || m.HasPerms() {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
		if again, err := law.ParseLaw(law.Format(l)); err != nil || law.Body(again) != law.Body(l) {
			t.Errorf("%s: read again: %v", law.Format(l), err)
		}
		each := law.Each(l)
		if _, err := law.Untransposed(each); err != nil {
			t.Errorf("%s: of each: %v", c.text, err)
		}
	}
}

// What may be false, or is not seen to be well typed.
func TestUntransposedNot(t *testing.T) {
	for _, c := range []struct {
		text, want string
		order      bool // law.ErrOrder
	}{
		{"given X : [S..], p : perm, q : perm then transpose[perm=p](transpose[perm=q](X)) == transpose[perm=after(p, q)](X)",
			"the left side is transposed by after(q, p), the right side transposed by after(p, q)", true},
		{"given X : [S..], q : perm then transpose[perm=q](transpose[perm=q](X)) == X", "the right side not transposed", true},
		{"given X : [S..], q : perm then transpose[perm=inverse(q)](X) == transpose[perm=q](X)", "inverse(q)", true},
		{"given X : [n], q : perm then transpose[perm=q](X) == X", "the right side not transposed", true}, // true, and not seen
		{"given X : [S..], Y : [S..], q : perm then transpose[perm=q](ewadd(X, Y)) == ewadd(transpose[perm=q](X), Y)",
			"operand 1 is not transposed, operand 0 transposed by q", true},
		{"given X : [A.., m, B..], Y : [A.., n, B..], q : perm then transpose[perm=q](concat[axis=#A](X, Y)) == concat[axis=#A](transpose[perm=q](X), transpose[perm=q](Y))",
			"which axis", true},
		{"given X : [A.., n, B..], q : perm then softmax[axis=at(q, #A)](transpose[perm=q](X)) == transpose[perm=q](softmax[axis=#A](X))", "which axis", true},
		{"given X : [A.., n, B..], q : perm then softmax[axis=at(q, #A)](X) == softmax[axis=#A](X)", "which axis", true},
		{"given X : [m, n], q : perm then reshape[shape=[m, n]](transpose[perm=q](X)) == X", "the order of axes matters", true},
		{"given X : [n, n], Y : [n, n], q : perm then matmul(transpose[perm=q](X), Y) == matmul(X, Y)", "the order of axes matters", true},
		{"given X : [m, n], q : perm then split[axis=at(inverse(q), 0), at=1](transpose[perm=q](X)).0 == X", "the order of axes matters", true},
		{"given X : [n, n], q : perm then transpose[perm=q](transpose(transpose[perm=q](X))) == X", "the order of axes matters", true},
		// Families: only axes behind those of the mesh are permuted.
		{"given X : [h, S..], q : perm then each_transpose[over=[g], perm=q](X) == each_transpose[over=[g], perm=q](X)", "no family over [g]", false},
		{"given X : [g, g, g], q : perm then reduce(transpose[perm=q](X)) == reduce(X)", "transposed with the others", true},
		{"given X : [g, g, g], q : perm then transpose[perm=q](each_transpose[over=[g], perm=inverse(q)](X)) == X", "behind [g]", true},
		{"given X : [g, h, S..], q : perm then each_smul[over=[g]](each_transpose[over=[g, h], perm=q](X), one[shape=[g]]()) == each_transpose[over=[h, g], perm=q](X)",
			"", true},
		// One variable permutes one number of axes.
		{"given X : [S..], Y : [T..], q : perm then ewadd(transpose[perm=inverse(q)](transpose[perm=q](X)), X) == ewadd(X, X)", "", false},
	} {
		l, err := law.ParseLaw("rule r " + c.text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := law.Untransposed(l)
		if c.want == "" && !c.order {
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: %s == %s", c.text, law.FormatOutputs(m.LHS), law.FormatOutputs(m.RHS))
			continue
		}
		if !strings.Contains(err.Error(), c.want) || errors.Is(err, law.ErrOrder) != c.order {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	l, err := law.ParseLaw("rule r given X : [S..], Y : [a, b, S..], q : perm then ewadd(transpose[perm=inverse(q)](transpose[perm=q](X)), reducesum[axes=(0, 1)](transpose[perm=inverse(q)](transpose[perm=q](Y)))) == X")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := law.Untransposed(l); err == nil || !strings.Contains(err.Error(), "q permutes") {
		t.Errorf("one variable of two numbers of axes: %v", err)
	}
}

// Permutations as they are written.
func TestParsePerms(t *testing.T) {
	given := []law.Declaration{{Name: "q", Sort: "perm"}, {Name: "p", Sort: "perm"}, {Name: "s", Sort: "stride"}}
	for _, c := range []struct{ text, sort, want, err string }{
		{"q", "perm", "q", ""},
		{"inverse(q)", "perm", "inverse(q)", ""},
		{"inverse(inverse(q))", "perm", "q", ""},
		{"after(q, p)", "perm", "after(q, p)", ""},
		{"inverse(after(q, p))", "perm", "after(inverse(p), inverse(q))", ""},
		{"after(after(q, p), inverse(p))", "perm", "q", ""},
		{"after(q, p, q)", "perm", "after(q, p, q)", ""},
		{"()", "perm", "()", ""},
		{"at(q, #A)", "axis", "at(q, #A)", ""},
		{"at(after(q, inverse(p)), #A+1)", "axis", "at(after(q, inverse(p)), #A+1)", ""},
		{"after(q, inverse(q))", "perm", "", "the permutation is the one that changes nothing"},
		{"inverse(s)", "perm", "", "s is not a permutation variable"},
		{"after(q, s)", "perm", "", "s is not a permutation variable"},
		{"s", "perm", "", "s : stride stands where a value of sort perm is wanted"},
		{"at(q, 0)", "perm", "", "is not a value of sort perm"},
		{"at(q, 0)", "int", "", "unknown size function at"},
		{"at(q)", "axis", "", "want \",\""},
		{"inverse(at(q, 0))", "perm", "", "no permutation"},
		{"after(at(q, 0), q)", "perm", "", "no permutations"},
		{"turn(q)", "perm", "", "want inverse or after"},
		{"after(" + strings.Repeat("q, ", 64) + "q)", "perm", "", "too many"},
		{strings.Repeat("inverse(", 2000), "perm", "", "nested more than"},
	} {
		v, err := law.ParseValue(c.text, c.sort, given)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%.40s: %s, %v, want error %s", c.text, v, err, c.err)
		case c.err == "" && (err != nil || v.String() != c.want):
			t.Errorf("%.40s: %s, %v, want %s", c.text, v, err, c.want)
		}
	}
}
