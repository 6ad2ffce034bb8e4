package instance

import (
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

func parseLaw(t testing.TB, body string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw("rule r\n" + body)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sizes binds size variables.
func sizes(d map[string]int64) *Valuation {
	env := &Valuation{Substitution: graph.Substitution{Dims: map[string]graph.Dim{}}}
	for name, n := range d {
		env.Dims[name] = graph.Int(n)
	}
	return env
}

func random(seed uint64) Input[uint64] {
	return func(name string, n int) []uint64 { return fingerprint.Random(seed, name, n) }
}

// small are integers from -4 to 4.
func small(seed uint64) Input[interp.Q] {
	return func(name string, n int) []interp.Q {
		out := make([]interp.Q, n)
		for i, x := range fingerprint.Random(seed, name, n) {
			out[i] = interp.Q{Num: int64(x%9) - 4, Den: 1}
		}
		return out
	}
}

func TestCompareOutcomes(t *testing.T) {
	type d = map[string]int64
	for _, c := range []struct {
		name string
		law  string
		env  *Valuation
		want Outcome
		err  bool
	}{
		{"equal", "given A : [a, b] then transpose(transpose(A)) == A", sizes(d{"a": 2, "b": 3}), Equal, false},
		{"values", "given A : [a, a] then transpose(A) == A", sizes(d{"a": 2}), Differs, false},
		{"one element", "given A : [a, a] then transpose(A) == A", sizes(d{"a": 1}), Equal, false},
		{"shapes", "given A : [a, b] then transpose(A) == A", sizes(d{"a": 1, "b": 2}), Differs, false},
		{"ranks", "given A : [a] then A == one[shape=[1]]()", sizes(d{"a": 2}), Differs, false},
		{"undefined", "given A : [a, b] then slice[axis=0, lo=1, hi=c](A) == slice[axis=0, lo=1, hi=c](A)",
			sizes(d{"a": 2, "b": 2, "c": 3}), Undefined, false},
		{"left only", "given A : [a, b] then A == slice[axis=0, lo=0, hi=c](A)", sizes(d{"a": 2, "b": 2, "c": 3}), OneSided, true},
		{"right only", "given A : [a, b] then slice[axis=0, lo=0, hi=c](A) == A", sizes(d{"a": 2, "b": 2, "c": 3}), OneSided, true},
		{"condition", "given A : [a, b] where a % 2 == 1 then A == A", sizes(d{"a": 2, "b": 2}), NotAnInstance, false},
		{"condition holds", "given A : [a, b] where a % 2 == 1 then A == A", sizes(d{"a": 3, "b": 2}), Equal, false},
		{"no such size", "given A : [a-2, b] then A == A", sizes(d{"a": 2, "b": 2}), NotAnInstance, false},
		{"too large, and not read", "given A : [a], B : [b, b] then A == A", sizes(d{"a": 2, "b": 1 << 20}), NotAnInstance, false},
		{"not bound", "given A : [a, b] then A == A", sizes(d{"a": 2}), NotAnInstance, true},
	} {
		out, err := Compare[uint64](fingerprint.Zp{Key: 1}, parseLaw(t, c.law), c.env, random(1))
		if out != c.want || (err != nil) != c.err {
			t.Errorf("%s: %s (error %v), want %s", c.name, out, err, c.want)
		}
	}
}

func TestCompareOutputs(t *testing.T) {
	l := parseLaw(t, "given A : [a], B : [a] then (A, B) == (A, B)")
	for _, side := range []*[]*law.Term{&l.LHS, &l.RHS} {
		full := *side
		*side = full[:1]
		out, err := Compare[uint64](fingerprint.Zp{Key: 1}, l, sizes(map[string]int64{"a": 2}), random(1))
		if out != NotAnInstance || err == nil {
			t.Errorf("%s (%v)", out, err)
		}
		*side = full
	}
}

func TestCompareFunctions(t *testing.T) {
	env := sizes(map[string]int64{"a": 2, "b": 3})
	env.Fns = map[string]string{"f": "any:f", "g": "any:g", "z": "zero:z"}
	for _, c := range []struct {
		law  string
		want Outcome
	}{
		{"given f : pointwise1, A : [a, b] then f(transpose(A)) == transpose(f(A))", Equal},
		{"given f : pointwise1, g : pointwise1, A : [a, b] then f(A) == g(A)", Differs},
		{"given f : pointwise1, A : [a, b] then f(f(A)) == f(A)", Differs},
		{"given f : pointwise1, A : [a, b] then f(ewadd(A, A)) == ewadd(f(A), f(A))", Differs},
		// A function that keeps zero commutes with padding, another does not.
		{"given z : zero1, A : [a, b, 1, 1] then z(enlarge[kh=3, kw=3](A)) == enlarge[kh=3, kw=3](z(A))", Equal},
		{"given f : pointwise1, A : [a, b, 1, 1] then f(enlarge[kh=3, kw=3](A)) == enlarge[kh=3, kw=3](f(A))", Differs},
	} {
		if out, err := Compare[uint64](fingerprint.Zp{Key: 1}, parseLaw(t, c.law), env, random(1)); out != c.want {
			t.Errorf("%s: %s (%v), want %s", c.law, out, err, c.want)
		}
	}
	l := parseLaw(t, "given h : pointwise1, A : [a, b] then h(A) == A")
	if out, err := Compare[uint64](fingerprint.Zp{}, l, env, random(1)); out != OneSided || err == nil {
		t.Errorf("a function that is not bound: %s (%v)", out, err)
	}
}

// The two tracks: what holds of every function and every order is seen modulo
// P, what holds of the true relu and maximum only with rationals.
func TestTracks(t *testing.T) {
	for _, c := range []struct {
		law              string
		modulo, rational Outcome
	}{
		{"given A : [a, b] then relu(relu(A)) == relu(A)", Differs, Equal},
		{"given A : [a, b] then relu(ewadd(A, A)) == ewadd(relu(A), relu(A))", Differs, Equal},
		{"given A : [a, b] then relu(transpose(A)) == transpose(relu(A))", Equal, Equal},
		{"given A : [a, b] then relu(A) == A", Differs, Differs},
		{"given A : [1, a, b, c] then poolmax[kh=3, kw=3, pad=same_lower](relu(A)) == relu(poolmax[kh=3, kw=3, pad=same_lower](A))", Differs, Equal},
		{"given A : [1, a, b, c] then poolmax[kh=3, kw=1, pad=same_lower](poolmax[kh=1, kw=3, pad=same_lower](A))" +
			" == poolmax[kh=3, kw=3, pad=same_lower](A)", Equal, Equal},
	} {
		l := parseLaw(t, c.law)
		env := sizes(map[string]int64{"a": 2, "b": 4, "c": 5})
		if out, err := Compare[uint64](fingerprint.Zp{Key: 9}, l, env, random(3)); out != c.modulo {
			t.Errorf("modulo P: %s: %s (%v), want %s", c.law, out, err, c.modulo)
		}
		if out, err := Compare[interp.Q](interp.Rational{}, l, env, small(3)); out != c.rational {
			t.Errorf("rationals: %s: %s (%v), want %s", c.law, out, err, c.rational)
		}
	}
}

// Rationals that leave their range say nothing.
func TestOverflowSaysNothing(t *testing.T) {
	l := parseLaw(t, "given A : [a] then ewmul(ewmul(A, A), ewmul(A, A)) == ewmul(A, A)")
	env := sizes(map[string]int64{"a": 2})
	out, err := Compare[interp.Q](interp.Rational{}, l, env, func(_ string, n int) []interp.Q {
		q := make([]interp.Q, n)
		for i := range q {
			q[i] = interp.Q{Num: 1 << 40, Den: 1}
		}
		return q
	})
	if out != NotAnInstance || err != nil {
		t.Errorf("overflow: %s (%v), want %s", out, err, NotAnInstance)
	}
}

func TestOutcomeNames(t *testing.T) {
	seen := map[string]bool{}
	for o := Undefined; o <= NotAnInstance; o++ {
		if s := o.String(); s == "" || seen[s] {
			t.Errorf("outcome %d is called %q", o, s)
		}
		seen[o.String()] = true
	}
}
