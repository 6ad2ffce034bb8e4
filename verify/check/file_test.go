package check_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

func lemmaEntry() law.CertRule {
	return law.TextEntry("swapped", "lemma swapped\n given X : [P..], Y : [P..]\n then ewadd(Y, X) == ewadd(X, Y)",
		[]law.InstanceText{inst("add_comm", binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[P..]"}, nil, nil)})
}

func ruleEntry(id, by string) law.CertRule {
	return law.TextEntry(id, "rule "+id+"\n given X : [n], Y : [n]\n then relu(ewadd(X, Y)) == relu(ewadd(Y, X))",
		[]law.InstanceText{inst(by, binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[n]"}, nil, nil)})
}

func certFile(t testing.TB, text string, lemmas, rules []law.CertRule) []byte {
	t.Helper()
	var b bytes.Buffer
	w := law.NewCertWriter(&b, text)
	for _, e := range lemmas {
		if err := w.Lemma(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range rules {
		if err := w.Rule(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFile(t *testing.T) {
	ok := certFile(t, axioms, []law.CertRule{lemmaEntry()}, []law.CertRule{ruleEntry("r_1", "add_comm"), ruleEntry("r_2", "swapped")})
	noLemma := certFile(t, axioms, nil, []law.CertRule{ruleEntry("r_1", "swapped")})
	badLemma := lemmaEntry()
	badLemma.Proof = nil
	stolen := lemmaEntry()
	stolen.ID, stolen.Law = "add_comm", strings.Replace(stolen.Law, "swapped", "add_comm", 1)
	for _, c := range []struct {
		name string
		file []byte
		opts check.Options
		want string // the report, or the error
	}{
		{"good", ok, check.Options{Z3: true}, "1 lemmas, 2 rules, 3 instances, rejected []"},
		{"good, by hash", ok, check.Options{SHA256: law.HashText(axioms)}, "1 lemmas, 2 rules, 3 instances, rejected []"},
		{"other axioms wanted", ok, check.Options{SHA256: "beef"}, "want beef"},
		{"lemma of the text without a proof", noLemma, check.Options{}, `0 rules, 0 instances, rejected [f.cert:6: r_1: instance 1: there is no axiom or proved lemma "swapped"]`},
		{"lemma with a bad proof", certFile(t, axioms, []law.CertRule{badLemma}, []law.CertRule{ruleEntry("r_1", "swapped")}), check.Options{},
			"0 lemmas, 0 rules"},
		{"lemma in an axiom's place", certFile(t, axioms, []law.CertRule{stolen}, nil), check.Options{}, "of this name is in use"},
		{"rule among the lemmas", certFile(t, axioms, []law.CertRule{ruleEntry("r_1", "add_comm")}, nil), check.Options{}, "written as rule, want lemma"},
		{"same id twice", certFile(t, axioms, nil, []law.CertRule{ruleEntry("r_1", "add_comm"), ruleEntry("r_1", "add_comm")}), check.Options{}, "1 rules, 1 instances, rejected [f.cert:7: r_1: the id stands twice]"},
		{"id of another law", ok, check.Options{ID: func(*law.Law) string { return "r_9" }}, "its id is r_9"},
		{"axioms of another hash", bytes.Replace(ok, []byte("ewadd(X, Y) == ewadd(Y, X)"), []byte("ewadd(X, Y) == ewmul(Y, X)"), 1), check.Options{}, "f.cert:3: certificate: axioms: the text has hash"},
		{"no axioms", emptyAxioms(ok), check.Options{}, "those at hand have"},
		{"axioms from elsewhere", emptyAxioms(ok), check.Options{Axioms: axioms}, "2 rules"},
		{"no axioms used", certFile(t, "", nil, []law.CertRule{byMeaning(t, "r_1", "rule r_1 given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")}), check.Options{Axioms: axioms, SHA256: "beef"}, "0 lemmas, 1 rules, 0 instances, rejected []"},
		{"no axioms stated but used", certFile(t, "", nil, []law.CertRule{ruleEntry("r_1", "add_comm")}), check.Options{Axioms: axioms},
			`rejected [f.cert:6: r_1: instance 1: there is no axiom or proved lemma "add_comm"]`},
		{"not a certificate", []byte("{}"), check.Options{}, "key format"},
		{"another format", []byte(`{"format":"x"}`), check.Options{}, `format: "x", want`},
		{"cut off", ok[:len(ok)-40], check.Options{}, "f.cert:8: certificate: rules, entry 2: unexpected EOF"},
		{"something after the end", append(bytes.Clone(ok), "{}"...), check.Options{}, "after the document"},
		{"unknown key", bytes.Replace(ok, []byte(`"tensors"`), []byte(`"tensor"`), 1), check.Options{}, "unknown field"},
		{"axioms that do not parse", certFile(t, "axiom", nil, nil), check.Options{}, "axioms:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep, err := check.File(context.Background(), bytes.NewReader(c.file), "f.cert", c.opts)
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("%d lemmas, %d rules, %d instances, rejected %v", rep.Lemmas, rep.Rules, rep.Instances, rep.Rejected)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s\nwant it to hold %s", got, c.want)
			}
		})
	}
}

// emptyAxioms takes the axioms' text out of a file and leaves their hash.
func emptyAxioms(file []byte) []byte {
	lines := bytes.Split(file, []byte("\n"))
	lines[2] = []byte(`"axioms":"",`)
	return bytes.Join(lines, []byte("\n"))
}

func TestFileStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := check.File(ctx, bytes.NewReader(certFile(t, axioms, nil, nil)), "f.cert", check.Options{})
	if err == nil {
		t.Error("no error")
	}
}

func FuzzFile(f *testing.F) {
	f.Add(certFile(f, axioms, []law.CertRule{lemmaEntry()}, []law.CertRule{ruleEntry("r_1", "add_comm")}))
	f.Add(certFile(f, "axiom a given X : [P..] then relu(X) == X", nil, []law.CertRule{law.TextEntry("r", "rule r given X : [] then relu(X) == X",
		[]law.InstanceText{inst("a", binds{"X": "X"}, nil, binds{"P": "[]"}, nil, nil)})}))
	f.Add([]byte(`{"format":"taso-cert/1","axioms_sha256":"","axioms":"","lemmas":[],"rules":[]}`))
	f.Add([]byte(`{"format":"taso-cert/2","axioms_sha256":"","axioms":"","lemmas":[],"rules":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		rep, err := check.File(context.Background(), bytes.NewReader(b), "f.cert", check.Options{})
		if err == nil && rep == nil {
			t.Error("neither report nor error")
		}
	})
}

// FuzzEntry puts fuzzed text where the laws and terms stand.
func FuzzEntry(f *testing.F) {
	f.Add("rule r given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)", "add_comm", "X", "Y", "n", "[n]", "s")
	f.Add("rule r given X : [P..] then relu(X) == X", "odd_only", "X", "relu(X)", "#P+1", "[P.., 3]", "relu")
	f.Add("rule r given X : [n] then split[axis=0, at=1](X) == (X, X)", "slice_first", "split[axis=0, at=n-1](X).1", "X", "window(n,3,s,p,0)", "[]", "f")
	f.Fuzz(func(t *testing.T, text, name, x, y, d, r, v string) {
		laws := use(t)
		e := law.TextEntry("r", text, []law.InstanceText{inst(name, binds{"X": x, "Y": y}, binds{"n": d, "a": d, "b": "1"},
			binds{"P": r}, binds{"s": v, "p": "valid"}, binds{"f": v})})
		l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := laws[n]; return ax, ok })
		if err == nil {
			_, _ = check.Rule(l, p, laws)
		}
	})
}

func ExampleFile() {
	const axioms = "axiom add_comm\n given X : [P..], Y : [P..]\n then ewadd(X, Y) == ewadd(Y, X)\n"
	var file bytes.Buffer
	w := law.NewCertWriter(&file, axioms)
	rule, _ := law.ParseLaw("rule r_1\n given X : [m, n], Y : [m, n]\n then relu(ewadd(X, Y)) == relu(ewadd(Y, X))")
	entry := law.NewCertRule("r_1", rule, &law.Proof{Instances: []law.Instance{{
		Law:     "add_comm",
		Tensors: map[string]*law.Term{"X": law.V("X"), "Y": law.V("Y")},
		Runs:    map[string]graph.Shape{"P": graph.ShapeOf(graph.Var("m"), graph.Var("n"))},
	}}})
	_ = w.Rule(entry)
	entry.Proof = nil
	_ = w.Rule(entry)
	_ = w.Close()

	report, err := check.File(context.Background(), &file, "my.cert", check.Options{
		Z3:   true,
		Each: func(id string, r *check.Result) { fmt.Println(id, "forward:", r.Forward, "backward:", r.Backward) },
	})
	fmt.Println(report.Rules, "accepted", err)
	for _, r := range report.Rejected {
		fmt.Println(r)
	}
	// Output:
	// r_1 forward: true backward: true
	// 1 accepted <nil>
	// my.cert:7: r_1: output 0: the instances do not make relu(ewadd(X, Y)) and relu(ewadd(Y, X)) equal
}

func ExampleRule() {
	ax, _ := law.ParseLaw("axiom add_comm given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)")
	rule, _ := law.ParseLaw("rule r given X : [n] then ewadd(X, relu(X)) == ewadd(relu(X), X)")
	entry := law.InstanceText{
		Law:     "add_comm",
		Tensors: map[string]string{"X": "X", "Y": "relu(X)"},
		Runs:    map[string]string{"P": "[n]"},
	}
	in, _ := entry.Instance(ax, rule.Given)
	res, err := check.Rule(rule, &law.Proof{Instances: []law.Instance{in}}, check.Laws{"add_comm": ax})
	fmt.Println(res.Forward, res.Backward, err)
	// Output: true true <nil>
}
