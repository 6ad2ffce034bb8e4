package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"pgregory.net/rapid"
)

func TestInstance(t *testing.T) {
	for _, c := range []struct {
		name, general, special string
		want                   bool
	}{
		{"itself", `X : [P..] then relu(relu(X)) == relu(X)`, `X : [P..] then relu(relu(X)) == relu(X)`, true},
		{"renamed and flipped", `X : [P..] then relu(relu(X)) == relu(X)`, `Y : [Q..] then relu(Y) == relu(relu(Y))`, true},
		{"term for variable", `X : [P..] then relu(relu(X)) == relu(X)`, `Y : [m, n], Z : [m, n] then relu(ewadd(Y, Z)) == relu(relu(ewadd(Y, Z)))`, true},
		{"two terms for one variable", `X : [P..] then relu(relu(X)) == relu(X)`, `Y : [m, n], Z : [m, n] then relu(Y) == relu(relu(Z))`, false},
		{"same inputs", `X : [P..], Y : [P..], Z : [P..] then ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))`,
			`X : [P..], Y : [P..] then ewadd(ewadd(X, X), Y) == ewadd(X, ewadd(X, Y))`, true},
		{"not the reverse", `X : [P..], Y : [P..] then ewadd(ewadd(X, X), Y) == ewadd(X, ewadd(X, Y))`,
			`X : [P..], Y : [P..], Z : [P..] then ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))`, false},
		{"commuted", `X : [P..], Y : [P..], Z : [P..] then ewmul(ewadd(X, Y), Z) == ewadd(ewmul(X, Z), ewmul(Y, Z))`,
			`A : [m], B : [m], C : [m] then ewadd(ewmul(C, A), ewmul(B, C)) == ewmul(C, ewadd(B, A))`, true},
		{"noncommutative order", `X : [m, k], Y : [k, n], Z : [n, l] then matmul(matmul(X, Y), Z) == matmul(X, matmul(Y, Z))`,
			`X : [n, n], Y : [n, n], Z : [n, n] then matmul(matmul(X, Y), Z) == matmul(X, matmul(Z, Y))`, false},
		{"axis of a run", `X : [P.., a, S..], Y : [P.., b, S..] then relu(concat[axis=#P](X, Y)) == concat[axis=#P](relu(X), relu(Y))`,
			`X : [k, m, n], Y : [k, l, n] then relu(concat[axis=1](X, Y)) == concat[axis=1](relu(X), relu(Y))`, true},
		{"run for a longer run", `X : [P.., a, S..], Y : [P.., b, S..] then relu(concat[axis=#P](X, Y)) == concat[axis=#P](relu(X), relu(Y))`,
			`X : [P.., k, m], Y : [P.., k, l] then relu(concat[axis=#P+1](X, Y)) == concat[axis=#P+1](relu(X), relu(Y))`, true},
		{"other axis", `X : [m, a], Y : [m, b] then relu(concat[axis=1](X, Y)) == concat[axis=1](relu(X), relu(Y))`,
			`X : [a, m], Y : [b, m] then relu(concat[axis=0](X, Y)) == concat[axis=0](relu(X), relu(Y))`, false},
		{"function", `f : pointwise1, X : [m, a], Y : [m, b] then f(concat[axis=1](X, Y)) == concat[axis=1](f(X), f(Y))`,
			`X : [m, a], Y : [m, b] then relu(concat[axis=1](X, Y)) == concat[axis=1](relu(X), relu(Y))`, true},
		{"function not back", `X : [m, a], Y : [m, b] then relu(concat[axis=1](X, Y)) == concat[axis=1](relu(X), relu(Y))`,
			`f : pointwise1, X : [m, a], Y : [m, b] then f(concat[axis=1](X, Y)) == concat[axis=1](f(X), f(Y))`, false},
		{"zero1 does not cover pointwise1", `f : zero1, X : [m] then f(f(X)) == f(X)`, `f : pointwise1, X : [m] then f(f(X)) == f(X)`, false},
		{"pointwise1 covers zero1", `f : pointwise1, X : [m] then f(f(X)) == f(X)`, `f : zero1, X : [m] then f(f(X)) == f(X)`, true},
		{"sizes tied", `X : [n, n] then transpose(transpose(X)) == X`, `X : [m, n] then transpose(transpose(X)) == X`, false},
		{"sizes freed", `X : [m, n] then transpose(transpose(X)) == X`, `X : [n, n] then transpose(transpose(X)) == X`, true},
		{"sums for sizes", `X : [m, n] then transpose(transpose(X)) == X`, `X : [a+b, 3*c] then transpose(transpose(X)) == X`, true},
		{"position", `X : [a, n], Y : [b, n] then slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X`,
			`X : [3, n], Y : [b, n] then slice[axis=0, lo=0, hi=3](concat[axis=0](X, Y)) == X`, true},
		{"wrong position", `X : [a, n], Y : [b, n] then slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X`,
			`X : [a, n], Y : [a, n] then slice[axis=0, lo=a, hi=2*a](concat[axis=0](X, Y)) == X`, false},
		{"attributes", `s : stride, p : padding, X : [b, c, h, w], V : [o, c, k, l], W : [o, c, k, l]
			then conv2d[stride=s, pad=p](X, ewadd(V, W)) == ewadd(conv2d[stride=s, pad=p](X, V), conv2d[stride=s, pad=p](X, W))`,
			`q : same, X : [b, c, h, w], V : [o, c, 3, 3], W : [o, c, 3, 3]
			then conv2d[stride=(2, 2), pad=q](X, ewadd(V, W)) == ewadd(conv2d[stride=(2, 2), pad=q](X, V), conv2d[stride=(2, 2), pad=q](X, W))`, true},
		{"padding sort", `q : same, X : [b, c, h, w], V : [o, c, k, l], W : [o, c, k, l]
			then conv2d[pad=q](X, ewadd(V, W)) == ewadd(conv2d[pad=q](X, V), conv2d[pad=q](X, W))`,
			`X : [b, c, h, w], V : [o, c, k, l], W : [o, c, k, l]
			then conv2d[pad=valid](X, ewadd(V, W)) == ewadd(conv2d[pad=valid](X, V), conv2d[pad=valid](X, W))`, false},
		{"condition decided", `X : [n] where k < 4 then relu(slice[axis=0, lo=0, hi=k](X)) == slice[axis=0, lo=0, hi=k](relu(X))`,
			`X : [n] then relu(slice[axis=0, lo=0, hi=3](X)) == slice[axis=0, lo=0, hi=3](relu(X))`, true},
		{"condition false", `X : [n] where k < 4 then relu(slice[axis=0, lo=0, hi=k](X)) == slice[axis=0, lo=0, hi=k](relu(X))`,
			`X : [n] then relu(slice[axis=0, lo=0, hi=4](X)) == slice[axis=0, lo=0, hi=4](relu(X))`, false},
		{"condition open", `X : [n] where k < 4 then relu(slice[axis=0, lo=0, hi=k](X)) == slice[axis=0, lo=0, hi=k](relu(X))`,
			`X : [n] then relu(slice[axis=0, lo=0, hi=k](X)) == slice[axis=0, lo=0, hi=k](relu(X))`, false},
		{"condition stated", `X : [n] where k % 2 == 1 then relu(slice[axis=0, lo=0, hi=k](X)) == slice[axis=0, lo=0, hi=k](relu(X))`,
			`Y : [n] where j % 2 == 1 then relu(slice[axis=0, lo=0, hi=j](Y)) == slice[axis=0, lo=0, hi=j](relu(Y))`, true},
		{"outputs exchanged", `X : [m], Y : [m] then (relu(X), ewadd(X, Y)) == (relu(relu(X)), ewadd(Y, X))`,
			`A : [m], B : [m] then (ewadd(A, B), relu(B)) == (ewadd(B, A), relu(relu(B)))`, true},
	} {
		g, s := parseLaw(t, "rule g given "+c.general), parseLaw(t, "rule s given "+c.special)
		in, got := Match(g, s)
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if !got {
			continue
		}
		// The instance must say what it claims.
		l, r := in.Sides(g)
		have := map[string]bool{}
		for i := range l {
			have[pairKey(l[i], r[i])] = true
		}
		for i := range s.LHS {
			if !have[pairKey(s.LHS[i], s.RHS[i])] {
				t.Errorf("%s: instance %v == %v is not the law", c.name, l, r)
			}
		}
	}
}

// key is the term's text with the inputs of commutative operators in order:
// terms that differ in such orders only have equal keys.
func key(t *law.Term) string {
	return t.Rewrite(func(u *law.Term) *law.Term {
		if u.Op != nil && u.Op.Commutative && len(u.Args) == 2 && u.Args[0].String() > u.Args[1].String() {
			u.Args[0], u.Args[1] = u.Args[1], u.Args[0]
		}
		return u
	}).String()
}

func pairKey(a, b *law.Term) string {
	x, y := key(a), key(b)
	if x > y {
		x, y = y, x
	}
	return x + " == " + y
}

// TestInstanceOfSubstitution: whatever is put for a law's variables gives an
// instance of it.
func TestInstanceOfSubstitution(t *testing.T) {
	general := parseLaw(t, `rule g given X : [P..], Y : [P..], Z : [P..] then ewmul(ewadd(X, Y), Z) == ewadd(ewmul(X, Z), ewmul(Y, Z))`)
	rapid.Check(t, func(rt *rapid.T) {
		var term func(depth int) string
		term = func(depth int) string {
			switch k := rapid.IntRange(0, 3).Draw(rt, "kind"); {
			case depth == 0 || k == 0:
				return rapid.SampledFrom([]string{"A", "B", "C"}).Draw(rt, "variable")
			case k == 1:
				return "relu(" + term(depth-1) + ")"
			default:
				return rapid.SampledFrom([]string{"ewadd", "ewmul"}).Draw(rt, "operator") + "(" + term(depth-1) + ", " + term(depth-1) + ")"
			}
		}
		two := func(op, a, b string) string {
			if rapid.Bool().Draw(rt, "exchange") {
				a, b = b, a
			}
			return op + "(" + a + ", " + b + ")"
		}
		x, y, z := term(2), term(2), term(2)
		src := "rule s given A : [m, n], B : [m, n], C : [m, n] then " + two("ewmul", two("ewadd", x, y), z) + " == " +
			two("ewadd", two("ewmul", x, z), two("ewmul", y, z))
		if !Instance(general, parseLaw(t, src)) {
			rt.Fatalf("%s is not an instance", src)
		}
	})
}

func laws(t testing.TB, srcs ...string) []*law.Law {
	t.Helper()
	var out []*law.Law
	for i, s := range srcs {
		out = append(out, parseLaw(t, fmt.Sprintf("rule l%d given %s", i, s)))
	}
	return out
}

func names(ls []*law.Law) string {
	var out []string
	for _, l := range ls {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

func TestSubsume(t *testing.T) {
	kept, pruned := Subsume(laws(t,
		`X : [m, n] then relu(relu(X)) == relu(X)`,
		`X : [P..] then relu(relu(X)) == relu(X)`,
		`Y : [P..] then relu(Y) == relu(relu(Y))`,
		`X : [P..], Y : [P..] then relu(relu(ewadd(X, Y))) == relu(ewadd(X, Y))`,
		`X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`,
	))
	if got, want := names(kept), "l1 l4"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	if len(pruned) != 3 {
		t.Errorf("pruned %d laws, want 3", len(pruned))
	}
}

// A law in both directions says more than one from left to right, whichever is written
// with fewer operators or conditions; of two from left to right only the direction of
// both counts.
func TestSubsumeDirections(t *testing.T) {
	const part = "slice[axis=0, lo=k-1, hi=m](slice[axis=0, lo=i-1, hi=j](X))"
	const all = "slice[axis=0, lo=i+k-2, hi=i+m-1](X)"
	const where = "where i+m <= j+1 and j <= n "
	for _, c := range []struct {
		laws []string
		want string
	}{
		{[]string{"X : [n] " + where + "then " + part + " == " + all, "X : [n] then " + part + " => " + all}, "l0"}, // what the conditions say, the left side needs
		{[]string{"X : [P..] then relu(relu(X)) => relu(X)", "X : [m, n] then relu(relu(X)) == relu(X)"}, "l0 l1"},
		{[]string{"X : [P..] then relu(relu(X)) => relu(X)", "X : [P..] then relu(relu(X)) == relu(X)"}, "l1"},
		{[]string{"X : [P..] then relu(relu(X)) == relu(X)", "X : [P..] then relu(relu(X)) => relu(X)"}, "l0"},
		{[]string{"X : [P..] then relu(relu(X)) == relu(X)", "X : [m, n] then relu(X) => relu(relu(X))"}, "l0"},
		{[]string{"X : [P..] then relu(relu(X)) => relu(X)", "X : [m, n] then relu(relu(X)) => relu(X)"}, "l0"},
		{[]string{"X : [P..] then relu(relu(X)) => relu(X)", "X : [m, n] then relu(X) => relu(relu(X))"}, "l0 l1"},
	} {
		kept, _ := Subsume(laws(t, c.laws...))
		if got := names(kept); got != c.want {
			t.Errorf("%s: kept %s, want %s", strings.Join(c.laws, "; "), got, c.want)
		}
	}
}

func BenchmarkSubsume(b *testing.B) {
	var list []*law.Law
	for i := 0; i < 500; i++ {
		t := "X"
		for k := 0; k < i%7; k++ {
			t = "relu(" + t + ")"
		}
		n := i / 7
		l := parseLaw(b, fmt.Sprintf("rule r given X : [m, %d], Y : [m, %d] then ewadd(%s, relu(Y)) == ewmul(ewadd(Y, X), %s)", n+1, n+1, t, t))
		list = append(list, l)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Subsume(list)
	}
}

// Laws that hold under more assumptions do not replace others.
func TestSubsumeTags(t *testing.T) {
	general, special := "X : [P..] then relu(relu(X)) == relu(X)", "X : [m, n] then relu(relu(X)) == relu(X)"
	for _, c := range []struct{ general, special, want string }{
		{"", "ordered", "l0"}, {"ordered", "", "l0 l1"}, {"ordered", "ordered", "l0"}, {"real", "ordered", "l0 l1"}, {"parallel", "", "l0"},
	} {
		ls := laws(t, general, special)
		ls[0].Tags, ls[1].Tags = strings.Fields(c.general), strings.Fields(c.special)
		kept, _ := Subsume(ls)
		if got := names(kept); got != c.want {
			t.Errorf("tags %q and %q: kept %s, want %s", c.general, c.special, got, c.want)
		}
	}
}

func TestDropInstances(t *testing.T) {
	s := &Set{}
	var ids []string
	for i, text := range []string{"A : [P..] then relu(relu(A)) == relu(A)", "A : [a, b] then relu(relu(A)) == relu(A)",
		"A : [a, b], B : [a, b] then relu(relu(ewadd(A, B))) == relu(ewadd(A, B))", "A : [a] then relu(relu(A)) == relu(A)",
		"A : [a, b] then transpose(transpose(A)) == A"} {
		r, err := Parse("rule x given " + text)
		if err != nil {
			t.Fatal(err)
		}
		r.Status, r.Proof = Proved, &law.Proof{}
		if i == 3 {
			r.Status, r.Proof = Unknown, nil
		}
		s.Add(r)
		ids = append(ids, r.ID())
	}
	last, _ := s.Find(ids[4])
	last.Derivable, last.DerivableFrom = true, []string{ids[1], ids[2]}
	first, _ := s.Find(ids[0])
	first.Derivable, first.DerivableFrom = true, []string{ids[2]}
	if n := s.DropInstances(); n != 2 || s.Len() != 3 {
		t.Errorf("dropped %d, %d rules stay; want 2 and 3", n, s.Len())
	}
	if errs := s.Validate(); errs != nil {
		t.Error(errs)
	}
	if want := []string{ids[0]}; !slices.Equal(last.DerivableFrom, want) {
		t.Errorf("derivable from %v, want %v", last.DerivableFrom, want)
	}
	if first.Derivable {
		t.Error("a rule follows from itself")
	}
	if n := s.DropInstances(); n != 0 {
		t.Errorf("dropped %d more", n)
	}
}
