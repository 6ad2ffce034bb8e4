package rules

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"pgregory.net/rapid"
)

const testAxioms = `
# Addition is associative.
axiom ewadd_assoc
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)

# Addition commutes.
axiom ewadd_comm
  given X : [P..], Y : [P..]
  then  ewadd(X, Y) == ewadd(Y, X)

# Three summands in another order.
lemma ewadd_three
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(Y, ewadd(X, Z))

# A convolution by a sum.
axiom conv_add_kernel
  given s : stride, p : padding, X : [b, c, h, w], V : [o, c, kh, kw], W : [o, c, kh, kw]
  then  conv2d[stride=s, pad=p](X, ewadd(V, W))
     == ewadd(conv2d[stride=s, pad=p](X, V), conv2d[stride=s, pad=p](X, W))
`

func parseLaw(t testing.TB, src string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(src)
	if err != nil {
		t.Fatalf("law %s: %v", src, err)
	}
	return l
}

func ruleOf(t testing.TB, src string) *Rule {
	t.Helper()
	r, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// testSet has a proved rule, a proved derivable one, an unknown and a refuted
// one.
func testSet(t testing.TB) *Set {
	t.Helper()
	s := &Set{Axioms: testAxioms, Header: Header{Tool: "taso 0.1", Seed: "7", Universe: "ewadd, 3 operators", AxiomsSHA256: law.HashText(testAxioms)}}
	assoc := ruleOf(t, `rule x given X : [P..], Y : [P..], Z : [P..] then ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)`)
	vars := law.Vars(assoc.Law.Outputs()...)
	inst := law.Instance{Law: "ewadd_assoc", Tensors: map[string]*law.Term{}, Runs: map[string]graph.Shape{"P": assoc.Law.Given[0].Shape}}
	for i, v := range []string{"X", "Y", "Z"} {
		inst.Tensors[v] = law.V(vars[i])
	}
	assoc.Status, assoc.Proof, assoc.Engine = Proved, &law.Proof{Instances: []law.Instance{inst}}, "e-graph"
	conv := ruleOf(t, `rule x given s : stride, X : [b, c, h, w], V : [o, c, 3, 3], W : [o, c, 3, 3]
	  then conv2d[stride=s, pad=same_upper](X, ewadd(V, W)) == ewadd(conv2d[stride=s, pad=same_upper](X, V), conv2d[stride=s, pad=same_upper](X, W))`)
	conv.Status, conv.Conditional, conv.Derivable, conv.Level = Proved, true, true, 5
	conv.DerivableFrom = []string{assoc.ID()}
	conv.Proof = &law.Proof{Instances: []law.Instance{}}
	unknown := ruleOf(t, `rule x given X : [m, n], Y : [m, n] then relu(ewadd(X, Y)) == relu(ewmul(X, Y))`)
	unknown.Reason = "limit of nodes; \"reached\", twice"
	refuted := ruleOf(t, `rule x given X : [m, n] then relu(X) == ewmul(X, X)`)
	refuted.Status, refuted.Reason, refuted.Forward = Refuted, "", false
	if n := s.AddAll([]*Rule{unknown, conv, refuted, assoc}); n != 4 {
		t.Fatalf("added %d rules, want 4", n)
	}
	lemma := parseLaw(t, `lemma ewadd_three given X : [P..], Y : [P..], Z : [P..] then ewadd(X, ewadd(Y, Z)) == ewadd(Y, ewadd(X, Z))`)
	s.Lemmas = []*Lemma{{Law: lemma, Proof: &law.Proof{Instances: []law.Instance{}}}}
	return s
}

// sameRules compares two sets but for places.
func sameRules(t testing.TB, want, got *Set, proofs bool) {
	t.Helper()
	if want.Header != got.Header {
		t.Errorf("header %+v, want %+v", got.Header, want.Header)
	}
	if len(want.Rules) != len(got.Rules) {
		t.Fatalf("%d rules, want %d", len(got.Rules), len(want.Rules))
	}
	for i, w := range want.Rules {
		a, b := *w, *got.Rules[i]
		if law.Format(a.Law) != law.Format(b.Law) {
			t.Errorf("rule %d: law\n%swant\n%s", i, law.Format(b.Law), law.Format(a.Law))
		}
		if proofs && (a.Proof == nil) != (b.Proof == nil) {
			t.Errorf("rule %s: proof %v, want %v", a.ID(), b.Proof, a.Proof)
		}
		if proofs && a.Proof != nil && !reflect.DeepEqual(a.Proof.Text(), b.Proof.Text()) {
			t.Errorf("rule %s: proof\n%v, want\n%v", a.ID(), b.Proof.Text(), a.Proof.Text())
		}
		a.Law, b.Law, a.Proof, b.Proof = nil, nil, nil, nil
		if !reflect.DeepEqual(a, b) {
			t.Errorf("rule %s: %+v, want %+v", w.ID(), b, a)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	s := testSet(t)
	var b bytes.Buffer
	if err := WriteText(&b, s); err != nil {
		t.Fatal(err)
	}
	got, err := ReadText(bytes.NewReader(b.Bytes()), "x.rules")
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	sameRules(t, s, got, false)
	var c bytes.Buffer
	if err := WriteText(&c, got); err != nil {
		t.Fatal(err)
	}
	if b.String() != c.String() {
		t.Errorf("written twice:\n%s\nand\n%s", b.String(), c.String())
	}
}

func TestJSONRoundTrip(t *testing.T) {
	s := testSet(t)
	var b bytes.Buffer
	if err := WriteJSON(&b, s); err != nil {
		t.Fatal(err)
	}
	got, err := ReadJSON(bytes.NewReader(b.Bytes()), "x.json", LoadOptions{Unproved: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	sameRules(t, s, got, true)
	if got.Axioms != s.Axioms || len(got.Lemmas) != 1 || got.Lemmas[0].Law.Name != "ewadd_three" {
		t.Errorf("axioms and lemmas are lost: %q %v", got.Axioms, got.Lemmas)
	}
	var c bytes.Buffer
	if err := WriteJSON(&c, got); err != nil {
		t.Fatal(err)
	}
	if b.String() != c.String() {
		t.Errorf("written twice:\n%s\nand\n%s", b.String(), c.String())
	}
}

func TestSaveLoad(t *testing.T) {
	s := testSet(t)
	for _, name := range []string{"a.rules", "a.json"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Save(path, s); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path, LoadOptions{Unproved: true})
		if err != nil {
			t.Fatal(err)
		}
		sameRules(t, s, got, true)
		_, err = Load(path, LoadOptions{})
		if err == nil || strings.Count(err.Error(), "there is no certificate") != 2 {
			t.Errorf("%s: error %v, want one for each of the two rules without a certificate", name, err)
		}
	}
}

func TestLoadWithoutCertificates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rules")
	if err := Save(path, testSet(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(CertPath(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, LoadOptions{}); err == nil {
		t.Error("rules are loaded without their certificates")
	}
	s, err := Load(path, LoadOptions{Unproved: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Count(); c.Proved != 0 || c.Unknown != 3 || c.Refuted != 1 {
		t.Errorf("counts %+v: without a certificate nothing is proved", c)
	}
}

// TestCertificateOfAnotherLaw: a certificate whose law is not that of its id.
func TestCertificateOfAnotherLaw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rules")
	if err := Save(path, testSet(t)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(CertPath(path))
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(data, []byte("pad=same_upper"), []byte("pad=same_lower"), -1)
	if bytes.Equal(changed, data) {
		t.Fatal("nothing was changed")
	}
	if err := os.WriteFile(CertPath(path), changed, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, LoadOptions{Unproved: true}); err == nil || !strings.Contains(err.Error(), "another one") {
		t.Errorf("error %v, want that the law is another one", err)
	}
}

func TestReadTextFaults(t *testing.T) {
	good := law.Format(ruleOf(t, `rule x given X : [m, n] then relu(relu(X)) == relu(X)`).Law)
	name := good[strings.Index(good, "r_"):][:12]
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"name", strings.Replace(good, name, "r_0123456789", 1), []string{"a.rules:2:1: rule r_0123456789: its content is that of " + name}},
		{"twice", good + "\n" + good, []string{"stands at a.rules:2:1 already"}},
		{"kind", strings.Replace(good, "rule ", "axiom ", 1), []string{"holds rules only"}},
		{"fact", strings.Replace(good, "\nrule", "\n# sleepy 3\nrule", 1), []string{`unknown fact "sleepy"`}},
		{"level", strings.Replace(good, "\nrule", "\n# level many\nrule", 1), []string{"is not a number"}},
		{"derivable", strings.Replace(good, "\nrule", "\n# derivable from r_0123456789\nrule", 1), []string{"not in the file"}},
		{"syntax and name", "rule x given X : [m then X == X\n" + strings.Replace(good, name, "r_0123456789", 1), []string{"a.rules:1:", "its content is"}},
		{"types", "rule x given X : [m, n] then matmul(X, X) == X", []string{"a.rules:1:1: rule x:", "inner sizes differ"}},
	} {
		_, err := ReadText(strings.NewReader(c.src), "a.rules")
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v, want %q", c.name, err, w)
			}
		}
	}
}

func TestDirections(t *testing.T) {
	for _, c := range []struct {
		src      string
		fwd, bwd bool
	}{
		{`rule x given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`, true, true},
		{`rule x given X : [P..], Y : [P..] then ewadd(X, Y) => ewadd(Y, X)`, true, false},
		// One tensor only on the left.
		{`rule x given X : [P.., a, S..], Y : [P.., b, S..] then split[axis=#P, at=a](concat[axis=#P](X, Y)).0 == X`, true, false},
		// The position is a size that X does not show.
		{`rule x given X : [n, m] where k < n then concat[axis=0](slice[axis=0, lo=0, hi=k](X), slice[axis=0, lo=k, hi=n](X)) == X`, true, false},
		// The right side asks for more than the left one gives.
		{`rule x given W : [o, c, h, w] then relu(W) == relu(slice[axis=0, lo=0, hi=o](W))`, true, true},
		{`rule x given X : [n, m], Y : [a, b] then ewadd(X, slice[axis=0, lo=0, hi=n](X)) == ewadd(slice[axis=0, lo=0, hi=n](X), X)`, true, true},
		{`rule x given X : [n+m, k] then split[axis=0, at=n](relu(X)).0 == relu(split[axis=0, at=n](X).0)`, true, true},
		{`rule x given X : [n], Y : [n] then ewadd(X, Y) == ewadd(X, enlarge[kh=1, kw=1](X))`, false, false},
	} {
		l := parseLaw(t, c.src)
		f, b, err := Directions(l)
		if err != nil {
			if c.fwd || c.bwd {
				t.Errorf("%s: %v", c.src, err)
			}
			continue
		}
		if f != c.fwd || b != c.bwd {
			t.Errorf("%s: forward %v backward %v, want %v %v", c.src, f, b, c.fwd, c.bwd)
		}
	}
}

// TestNeeds: the position of a cut is free, so that the right side is defined
// only where k <= n.
func TestNeeds(t *testing.T) {
	l := parseLaw(t, `rule x given X : [n], Y : [k] then ewadd(Y, slice[axis=0, lo=0, hi=k](X)) == ewadd(slice[axis=0, lo=0, hi=k](X), Y)`)
	if f, b, err := Directions(l); err != nil || !f || !b {
		t.Errorf("both sides need the same, got %v %v %v", f, b, err)
	}
	l = parseLaw(t, `rule x given X : [n], Y : [k], Z : [k]
	  then ewadd(Y, Z) == slice[axis=0, lo=0, hi=k](concat[axis=0](ewadd(Y, Z), slice[axis=0, lo=k, hi=n](X)))`)
	if f, b, err := Directions(l); err != nil || f || !b {
		t.Errorf("the right side has a tensor more, got %v %v %v", f, b, err)
	}
	l = parseLaw(t, `rule x given X : [n], Y : [k]
	  then ewadd(Y, slice[axis=0, lo=0, hi=k](concat[axis=0](X, Y))) == ewadd(Y, slice[axis=0, lo=0, hi=k](X))`)
	if f, b, err := Directions(l); err != nil || f || !b {
		t.Errorf("the right side needs k <= n, the left one k <= n+k, got %v %v %v", f, b, err)
	}
}

func TestAdd(t *testing.T) {
	s := &Set{}
	a := ruleOf(t, `rule x given X : [m, n] then relu(relu(X)) == relu(X)`)
	b := ruleOf(t, `rule x given X : [m, n] then relu(relu(relu(X))) == relu(X)`)
	if !s.Add(b) || !s.Add(a) || s.Add(a) {
		t.Error("a rule is added once")
	}
	if s.Rules[0] != a || s.Rules[1] != b {
		t.Error("rules are not ordered by size")
	}
	p := ruleOf(t, `rule x given X : [m, n] then relu(relu(X)) == relu(X)`)
	p.Status, p.Proof = Proved, &law.Proof{}
	if !s.Add(p) || len(s.Rules) != 2 || s.Rules[0].Status != Proved {
		t.Error("a proof does not replace its absence")
	}
	if r, ok := s.Find(b.ID()); !ok || r != b {
		t.Error("a rule is not found by its identity")
	}
	if errs := s.Validate(); len(errs) != 0 {
		t.Errorf("faults of a good set: %v", errs)
	}
	b.Law.Name = "r_0"
	b.Status = Proved
	b.DerivableFrom = []string{"r_1"}
	if errs := s.Validate(); len(errs) != 3 {
		t.Errorf("faults %v, want three", errs)
	}
}

func TestFacts(t *testing.T) {
	base := ruleOf(t, `rule x given X : [m, n] then relu(relu(X)) == relu(X)`)
	rapid.Check(t, func(rt *rapid.T) {
		r := *base
		r.Status = rapid.SampledFrom([]Status{Proved, Unknown, Refuted}).Draw(rt, "status")
		r.Reason = rapid.OneOf(rapid.String(), rapid.StringMatching(`[;", a-z]*`)).Draw(rt, "reason")
		r.Engine = rapid.SampledFrom([]string{"", "z3", "two words", "a; b"}).Draw(rt, "engine")
		r.Level = rapid.IntRange(0, 9).Draw(rt, "level")
		r.Conditional = rapid.Bool().Draw(rt, "conditional")
		r.Forward, r.Backward = rapid.Bool().Draw(rt, "f"), rapid.Bool().Draw(rt, "b")
		if r.Derivable = rapid.Bool().Draw(rt, "derivable"); r.Derivable {
			r.DerivableFrom = rapid.SampledFrom([][]string{nil, {"r_1"}, {"r_1", "r_2"}}).Draw(rt, "from")
		}
		got := *base
		got.Status = Proved
		if err := got.setFacts(r.facts()); err != nil {
			rt.Fatalf("%s: %v", r.facts(), err)
		}
		if !reflect.DeepEqual(got, r) {
			rt.Fatalf("%s: read as %+v, want %+v", r.facts(), got, r)
		}
	})
}

// again writes s, reads it, writes it and compares the bytes.
func again(t *testing.T, s *Set, write func(w io.Writer, s *Set) error, read func([]byte) (*Set, error)) {
	t.Helper()
	var b, c bytes.Buffer
	if err := write(&b, s); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if err := write(&c, got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), c.Bytes()) {
		t.Fatalf("written twice:\n%s\nand\n%s", b.String(), c.String())
	}
}
