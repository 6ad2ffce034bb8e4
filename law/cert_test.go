package law_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
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
			Runs: map[string]graph.Shape{"P": {graph.AxisRun("P"), graph.Axis(graph.Var("n"))}, "S": {}},
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
	ok := func() (string, []law.InstanceText) {
		return "rule r given X : [n] then X == X", []law.InstanceText{{Law: "relu_concat",
			Tensors: map[string]string{"X": "X"}, Dims: map[string]string{"a": "n"}, Runs: map[string]string{"P": "[]"}}}
	}
	text, proof := ok()
	good := law.TextEntry("r", text, proof)
	if _, _, err := good.Decode(find); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*string, *law.InstanceText){
		"law: ":                         func(l *string, _ *law.InstanceText) { *l = "rule" },
		"instance 1: there is no axiom": func(_ *string, in *law.InstanceText) { in.Law = "x" },
		"node 0:1:6: ":                  func(_ *string, in *law.InstanceText) { in.Tensors["X"] = "relu(" },
		`size a: "`:                     func(_ *string, in *law.InstanceText) { in.Dims["a"] = "X" },
		`run P: "`:                      func(_ *string, in *law.InstanceText) { in.Runs["P"] = "n" },
		"no such attribute":             func(_ *string, in *law.InstanceText) { in.Attrs = map[string]string{"s": "(1, 1)"} },
	} {
		text, proof := ok()
		spoil(&text, &proof[0])
		r := law.TextEntry("r", text, proof)
		if _, _, err := r.Decode(find); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to hold %s", err, want)
		}
	}
	for want, spoil := range map[string]func(*law.CertRule){
		"node 1:1:7: node 1: there are 1 before it":            func(r *law.CertRule) { r.Nodes[1] = "ewadd(1, 0)" },
		"node 1:1:6: node 2: there are 1 before it":            func(r *law.CertRule) { r.Nodes[1] = "relu(2)" },
		"node 2: there are 2 before it":                        func(r *law.CertRule) { r.Law = strings.Replace(r.Law, "== X", "== 2", 1) },
		`instance 1 of relu_concat: tensor X: "2": there are`:  func(r *law.CertRule) { r.Proof[0].Tensors["X"] = 2 },
		`instance 1 of relu_concat: tensor X: "-1": there are`: func(r *law.CertRule) { r.Proof[0].Tensors["X"] = -1 },
		"tensor Q is not given":                                func(r *law.CertRule) { r.Nodes[1] = "Q" },
		"after the end":                                        func(r *law.CertRule) { r.Nodes[1] = "X X" },
		"a term of 2 outputs":                                  func(r *law.CertRule) { r.Nodes[1] = "split[axis=0, at=1](0)" },
		"found \"0\", want a name":                             func(r *law.CertRule) { r.Nodes, r.Law = nil, strings.Replace(r.Law, "== X", "== 0", 1) },
	} {
		text, proof := ok()
		r := law.TextEntry("r", text, proof)
		r.Nodes = append(r.Nodes, "relu(0)")
		if _, _, err := r.Decode(find); err != nil {
			t.Fatal(err)
		}
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
	_ = w.Rule(law.TextEntry("r", "rule r given X : [n] then X == X", []law.InstanceText{{Law: "relu_concat",
		Tensors: map[string]string{"X": "X"}, Dims: map[string]string{"a": "n"}, Runs: map[string]string{"P": "[]"}}}))
	_ = w.Rule(law.CertRule{ID: "m", Law: "rule m given X : [n] then X == X", Meaning: []int64{1, 0, -1, 1 << 62}})
	_ = w.Close()
	f.Add(b.Bytes())
	f.Add([]byte(oldFile))
	f.Add([]byte(`{"format":"taso-cert/2","axioms_sha256":"","axioms":"","lemmas":[],"rules":[]}`))
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
			if err != nil || got.ID != want.ID || got.Law != want.Law || len(got.Proof) != len(want.Proof) || !slices.Equal(got.Nodes, want.Nodes) {
				t.Fatalf("%+v read back as %+v, %v", want, got, err)
			}
		}
	})
}

func ExampleCertWriter() {
	var b strings.Builder
	w := law.NewCertWriter(&b, "axiom a\n given X : [n], Y : [n]\n then ewadd(X, Y) == ewadd(Y, X)\n")
	l, _ := law.ParseLaw("rule r_1\n given X : [n]\n then ewadd(X, relu(X)) == ewadd(relu(X), X)")
	relu := l.LHS[0].Args[1]
	_ = w.Rule(law.NewCertRule("r_1", l, &law.Proof{Instances: []law.Instance{
		{Law: "a", Tensors: map[string]*law.Term{"X": law.V("X"), "Y": relu}, Dims: map[string]graph.Dim{"n": graph.Var("n")}}}}))
	fmt.Println(w.Close())
	fmt.Print(b.String())
	// Output:
	// <nil>
	// {"format":"taso-cert/2",
	// "axioms_sha256":"754dd60c981b29be2e761f097cb946ec025ac8e4799a4f1e66c4bdd3f4267fd3",
	// "axioms":"axiom a\n given X : [n], Y : [n]\n then ewadd(X, Y) == ewadd(Y, X)\n",
	// "lemmas":[],
	// "rules":[
	// {"id":"r_1","nodes":["X","relu(0)","ewadd(0, 1)","ewadd(1, 0)"],"law":"rule r_1\n  given X : [n]\n  then  2 == 3\n","proof":[{"law":"a","tensors":{"X":0,"Y":1},"dims":{"n":"n"}}]}]}
}

func ExampleCertReader() {
	file := `{"format":"taso-cert/2","axioms_sha256":"","axioms":"","lemmas":[],"rules":[
{"id":"r_1","nodes":["X"],"law":"rule r_1 given X : [n] then 0 == 0","proof":[]},
{"id":"r_2","nodes":[],"law":7}]}`
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
	// my.cert:3: certificate: rules, entry 2: json: cannot unmarshal number into Go value of type string
}

// oldFile is of the format before, with tensors written out.
const oldFile = `{"format":"taso-cert/1","axioms_sha256":"","axioms":"","lemmas":[],"rules":[
{"id":"r_1","law":"rule r_1 given X : [n] then ewadd(X, relu(X)) == ewadd(relu(X), X)","proof":[
 {"law":"a","tensors":{"X":"X","Y":"relu(X)"},"dims":{"n":"n"}},{"law":"a","tensors":{"X":"relu(X)","Y":"X"},"dims":{"n":"n"}}]}]}`

// A file of the format before is read as entries of this one; it has no nodes.
func TestCertTrees(t *testing.T) {
	next := func(file string) (law.CertRule, error) {
		r, err := law.NewCertReader(strings.NewReader(file), "old.cert")
		if err != nil {
			return law.CertRule{}, err
		}
		e, _, err := r.Next()
		return e, err
	}
	e, err := next(oldFile)
	if err != nil || !slices.Equal(e.Nodes, []string{"X", "relu(X)"}) || len(e.Proof) != 2 || e.Proof[1].Tensors["X"] != 1 || e.Proof[1].Tensors["Y"] != 0 {
		t.Errorf("%+v, %v", e, err)
	}
	a, err := law.ParseLaw("axiom a given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")
	if err != nil {
		t.Fatal(err)
	}
	l, p, err := e.Decode(func(string) (*law.Law, bool) { return a, true })
	if err != nil || p.Instances[0].Tensors["Y"].String() != "relu(X)" || l.RHS[0].String() != "ewadd(relu(X), X)" {
		t.Errorf("%v: %+v", err, p)
	}
	for _, c := range [][3]string{
		{`"proof":[`, `"proof":[],"proof":[`, "stands twice"},
		{`"tensors":{"X":"X"`, `"tensors":{"X":0`, "cannot unmarshal number"},
		{`"law":"rule`, `"nodes":[],"law":"rule`, "unknown field"},
		{`taso-cert/1`, `taso-cert/2`, "found law, want nodes"},
		{`taso-cert/1`, `taso-cert/0`, `want "taso-cert/2"`},
	} {
		if _, err := next(strings.Replace(oldFile, c[0], c[1], 1)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s for %s: %v", c[1], c[0], err)
		}
	}
}

// An entry has its keys in one order, each once, and no others.
func TestCertKeys(t *testing.T) {
	const file = `{"format":"taso-cert/2","axioms_sha256":"","axioms":"","lemmas":[],"rules":[
{"id":"r_1","nodes":["X"],"law":"rule r_1 given X : [n] then 0 == 0","proof":[{"law":"a","tensors":{"X":0}}]}]}`
	for _, c := range [][3]string{
		{`"nodes":["X"]`, `"nodes":["X"],"nodes":["Y"]`, "found nodes, want law"},
		{`"nodes":["X"],`, ``, "found law, want nodes"},
		{`"id":"r_1",`, `"ID":"r_1",`, "found ID, want id"},
		{`"X"]`, `"X",7]`, "cannot unmarshal number"},
		{`"X"]`, `["X"]]`, "cannot unmarshal array"},
		{`"nodes":["X"]`, `"nodes":"X"`, "found X, want ["},
		{`"tensors":{"X":0}`, `"tensors":{"X":0.5}`, "cannot unmarshal number 0.5"},
		{`"tensors":{"X":0}`, `"tensors":{"X":0,"X":1}`, "stands twice"},
		{`"law":"a"`, `"Law":"a"`, "stands twice, or is not written so"},
		{`"law":"a"`, `"law":"a","trust":1`, "unknown field"},
		{`}]}]}`, `}],"proof":[]}]}`, "found proof, want }"},
		{`"id":"r_1"`, `"id":""`, "needs an id"},
		{`{"id"`, `7,{"id"`, "found 7, want {"},
	} {
		r, err := law.NewCertReader(strings.NewReader(strings.Replace(file, c[0], c[1], 1)), "f.cert")
		if err == nil {
			_, _, err = r.Next()
		}
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s for %s: %v, want it to hold %s", c[1], c[0], err, c[2])
		}
	}
}
