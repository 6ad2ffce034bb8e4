package law_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

const certAxioms = `axiom relu_concat
 given f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..]
 then f(concat[axis=#P](X, Y)) == concat[axis=#P](f(X), f(Y))
axiom conv_relu
 given s : stride, p : padding, X : [b, c, h, w], W : [o, c, i, j]
 then conv2d[stride=s, pad=p, act=relu](X, W) == relu(conv2d[stride=s, pad=p](X, W))
`

func certLaws(t testing.TB) map[string]*law.Law {
	t.Helper()
	laws, err := law.Parse("axioms", []byte(certAxioms))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]*law.Law{}
	for _, l := range laws {
		m[l.Name] = l
	}
	return m
}

// Instances survive being written and read, whatever stands in them.
func TestInstanceText(t *testing.T) {
	laws := certLaws(t)
	goal, err := law.ParseLaw("rule r given q : stride, g : zero1, X : [P.., n], I : [b, c, h, w], W : [o, c, 3, 3] then X == X")
	if err != nil {
		t.Fatal(err)
	}
	wide := graph.WindowOut(graph.Var("h"), graph.Int(3), graph.VarValue("q", graph.SortStride), graph.NameValue(graph.Valid), 0)
	x := law.Call("g", law.V("X"))
	for _, in := range []law.Instance{
		{
			Law: "relu_concat", Tensors: map[string]*law.Term{"X": x, "Y": law.V("X")},
			Dims: map[string]graph.Dim{"a": graph.Var("n"), "b": graph.Var("n").Add(wide.Scale(2)).Sub(graph.Int(1))},
			Runs: map[string]graph.Shape{"P": {graph.Run("P"), graph.Axis(graph.Var("n"))}, "S": {}},
			Fns:  map[string]string{"f": "g"},
		},
		{
			Law: "conv_relu", Tensors: map[string]*law.Term{"X": law.V("I"), "W": law.V("W")},
			Attrs: map[string]graph.Value{"s": graph.VarValue("q", graph.SortStride), "p": graph.TupleValue(1, 0, 1, 0)},
		},
		{
			Law:   "conv_relu",
			Attrs: map[string]graph.Value{"s": graph.TupleValue(2, 1), "p": graph.NameValue(graph.SameLower)},
		},
	} {
		text := in.Text()
		back, err := text.Instance(laws[in.Law], goal.Given)
		if err != nil {
			t.Errorf("%+v: %v", text, err)
			continue
		}
		if again := back.Text(); !reflect.DeepEqual(text, again) {
			t.Errorf("%+v\nread and written\n%+v", text, again)
		}
		if !reflect.DeepEqual(back.Dims, in.Dims) || !reflect.DeepEqual(back.Attrs, in.Attrs) {
			t.Errorf("%+v\nread as\n%+v", in, back)
		}
	}
}

func TestCertDecodeErrors(t *testing.T) {
	laws := certLaws(t)
	find := func(n string) (*law.Law, bool) { l, ok := laws[n]; return l, ok }
	ok := func() law.CertRule {
		return law.CertRule{ID: "r", Law: "rule r given X : [n] then X == X", Proof: []law.InstanceText{{Law: "relu_concat",
			Tensors: map[string]string{"X": "X"}, Dims: map[string]string{"a": "n"}, Runs: map[string]string{"P": "[]"}}}}
	}
	r := ok()
	if _, _, err := r.Decode(find); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*law.CertRule){
		"law: ":                                  func(r *law.CertRule) { r.Law = "rule" },
		"instance 1: there is no axiom":          func(r *law.CertRule) { r.Proof[0].Law = "x" },
		`instance 1 of relu_concat: tensor X: "`: func(r *law.CertRule) { r.Proof[0].Tensors["X"] = "relu(" },
		`size a: "`:                              func(r *law.CertRule) { r.Proof[0].Dims["a"] = "X" },
		`run P: "`:                               func(r *law.CertRule) { r.Proof[0].Runs["P"] = "n" },
		"no such attribute":                      func(r *law.CertRule) { r.Proof[0].Attrs = map[string]string{"s": "(1, 1)"} },
	} {
		r := ok()
		spoil(&r)
		if _, _, err := r.Decode(find); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to hold %s", err, want)
		}
	}
}

func TestCertOrder(t *testing.T) {
	w := law.NewCertWriter(io.Discard, "")
	if err := w.Rule(law.CertRule{ID: "r", Law: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Lemma(law.CertRule{ID: "l", Law: "x"}); err == nil {
		t.Error("a lemma after a rule is taken")
	}
	if err := w.Close(); err == nil {
		t.Error("the error is forgotten")
	}
}

// Thousands of entries come back one by one, with their places.
func TestCertMany(t *testing.T) {
	const n = 5000
	var b bytes.Buffer
	w := law.NewCertWriter(&b, certAxioms)
	for i := range n {
		if err := w.Rule(law.CertRule{ID: fmt.Sprint("r_", i), Law: "<law> & \"more\"\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := law.NewCertReader(&b, "many.cert")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		e, lemma, err := r.Next()
		if err != nil || lemma || e.ID != fmt.Sprint("r_", i) || e.Law != "<law> & \"more\"\n" {
			t.Fatal(i, e, lemma, err)
		}
		if want := fmt.Sprint("many.cert:", i+6); r.Place() != want {
			t.Fatalf("place %s, want %s", r.Place(), want)
		}
	}
	if _, _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

func FuzzCertReader(f *testing.F) {
	var b bytes.Buffer
	w := law.NewCertWriter(&b, certAxioms)
	_ = w.Lemma(law.CertRule{ID: "l", Law: "lemma l given X : [n] then X == X"})
	_ = w.Rule(law.CertRule{ID: "r", Law: "rule r given X : [n] then X == X", Proof: []law.InstanceText{{Law: "relu_concat",
		Tensors: map[string]string{"X": "X"}, Dims: map[string]string{"a": "n"}, Runs: map[string]string{"P": "[]"}}}})
	_ = w.Close()
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":"taso-cert/1","axioms_sha256":"","axioms":"","lemmas":[],"rules":[]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := law.NewCertReader(bytes.NewReader(in), "f.cert")
		if err != nil {
			return
		}
		var out bytes.Buffer
		w := law.NewCertWriter(&out, r.Axioms)
		var read []law.CertRule
		for {
			e, lemma, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			read = append(read, e)
			if lemma {
				err = w.Lemma(e)
			} else {
				err = w.Rule(e)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := law.NewCertReader(&out, "f.cert")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range read {
			got, _, err := again.Next()
			if err != nil || got.ID != want.ID || got.Law != want.Law || len(got.Proof) != len(want.Proof) {
				t.Fatalf("%+v read back as %+v, %v", want, got, err)
			}
		}
	})
}

func ExampleCertWriter() {
	var b strings.Builder
	w := law.NewCertWriter(&b, "axiom a\n given X : [n], Y : [n]\n then ewadd(X, Y) == ewadd(Y, X)\n")
	_ = w.Rule(law.CertRule{
		ID:    "r_1",
		Law:   "rule r_1\n given X : [n]\n then ewadd(X, relu(X)) == ewadd(relu(X), X)",
		Proof: []law.InstanceText{{Law: "a", Tensors: map[string]string{"X": "X", "Y": "relu(X)"}, Dims: map[string]string{"n": "n"}}},
	})
	fmt.Println(w.Close())
	fmt.Print(b.String())
	// Output:
	// <nil>
	// {"format":"taso-cert/1",
	// "axioms_sha256":"754dd60c981b29be2e761f097cb946ec025ac8e4799a4f1e66c4bdd3f4267fd3",
	// "axioms":"axiom a\n given X : [n], Y : [n]\n then ewadd(X, Y) == ewadd(Y, X)\n",
	// "lemmas":[],
	// "rules":[
	// {"id":"r_1","law":"rule r_1\n given X : [n]\n then ewadd(X, relu(X)) == ewadd(relu(X), X)","proof":[{"law":"a","tensors":{"X":"X","Y":"relu(X)"},"dims":{"n":"n"}}]}]}
}

func ExampleCertReader() {
	file := `{"format":"taso-cert/1","axioms_sha256":"","axioms":"","lemmas":[],"rules":[
{"id":"r_1","law":"rule r_1 given X : [n] then X == X","proof":[]},
{"id":"r_2","law":7}]}`
	r, err := law.NewCertReader(strings.NewReader(file), "my.cert")
	for err == nil {
		var e law.CertRule
		if e, _, err = r.Next(); err == nil {
			fmt.Println(e.ID, r.Place())
		}
	}
	fmt.Println(err)
	// Output:
	// r_1 my.cert:2
	// my.cert:3: certificate: rules, entry 2: json: cannot unmarshal number into Go struct field CertRule.law of type string
}
