package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/page/pagetest"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/verify/refute"
)

// evil is text that would be markup, or run, if it were not escaped.
const evil = `</template></script><script>alert("x")</script><img src=x onerror='alert(1)'>`

// sample is a report with a rule of each kind.
func sample() *audit.Report {
	assoc := "rule assoc\n  given X : [a, b], Y : [b, c], Z : [c, d]\n  then  matmul(X, matmul(Y, Z)) == matmul(matmul(X, Y), Z)\n"
	comm := "rule comm\n  given X : [n, n], Y : [n, n]\n  then  matmul(X, Y) == matmul(Y, X)\n"
	seam := "rule seam\n  given f : pointwise1, X : [n], Y : [m]\n  then  split[axis=0, at=n](f(concat[axis=0](X, Y))) == (f(X), f(Y))\n"
	cells := func(term string, values string) refute.Tensor {
		return refute.Tensor{Term: term, Shape: []int{2, 2}, Values: strings.Fields(values)}
	}
	witness := &refute.Witness{
		Law: "comm", Kind: "values", Dims: map[string]int64{"n": 2},
		Inputs: []refute.Tensor{cells("X", "0 1 0 0"), cells("Y", "0 0 1 0")},
		Output: 0, Cell: []int{0, 0}, Left: "1", Right: "0",
		LeftSteps:  []refute.Tensor{cells("matmul(X, Y)", "1 0 0 0")},
		RightSteps: []refute.Tensor{cells("matmul(Y, X)", "0 0 0 1")},
	}
	cx := &audit.Counterexample{Law: comm, LHS: "1", RHS: "0", Witness: witness,
		Shapes: map[string][]int{"X": {2, 2}, "Y": {2, 2}},
		Inputs: map[string][]string{"X": witness.Inputs[0].Values, "Y": witness.Inputs[1].Values}}
	proved := audit.Direction{Verdict: audit.Proved, Engine: "axioms", Millis: 1.25}
	refuted := audit.Direction{Verdict: audit.Refuted, Reason: "the sides are 1 and 0", Counterexample: cx}
	rep := &audit.Report{
		File: "dir/sample.rules", Format: "text",
		Summary: audit.Summary{Rules: 7, Verdicts: map[audit.Outcome]int{audit.Proved: 3, audit.Conditional: 1, audit.Refuted: 1, audit.Unknown: 1, audit.Unsupported: 1}, Duplicates: 1, Derivable: 1, Seconds: 0.5},
		Rules: []*audit.Rule{
			{Name: "assoc", ID: "r_0123456789", Verdict: audit.Proved, VerdictReverse: audit.Proved, Law: assoc, Semantics: []string{"strict", "onnx"},
				Axioms: []string{"matmul_assoc"}, Millis: 2.5,
				Readings: []audit.Reading{{Semantics: "strict", Forward: proved, Backward: proved, Law: assoc}, {Semantics: "onnx", Forward: proved, Backward: proved, Law: assoc}}},
			{Name: "comm", Verdict: audit.Refuted, VerdictReverse: audit.Refuted, Law: comm, Counterexample: cx, Reason: "the sides are 1 and 0",
				Readings: []audit.Reading{{Semantics: "strict", Forward: refuted, Backward: refuted}}},
			{Name: "seam", Verdict: audit.Conditional, Condition: "n = m", Law: seam, Semantics: []string{"strict"},
				Readings: []audit.Reading{{Semantics: "strict", Forward: proved}, {Semantics: "onnx", Forward: audit.Direction{Verdict: audit.Conditional, Condition: "n = m"}, Law: strings.ReplaceAll(seam, "[m]", "[n]")}}},
			{Name: evil, Place: evil, Source: evil, Verdict: audit.Unknown, Reason: evil, Condition: evil, Unsupported: []string{evil}, Axioms: []string{evil}, Law: evil, Semantics: []string{evil},
				Counterexample: &audit.Counterexample{LHS: evil, RHS: evil, Law: evil, Shapes: map[string][]int{evil: {1}}, Inputs: map[string][]string{evil: {evil}}},
				Readings:       []audit.Reading{{Semantics: evil, Law: evil + " ", ShapesAgreeing: 9, Forward: audit.Direction{Verdict: audit.Unknown, Reason: evil, Condition: evil, Engine: evil}}}},
			{Name: "attention", Source: "attention(q, k)", Verdict: audit.Unsupported, Unsupported: []string{"attention"}},
			{Name: "again", Verdict: audit.Proved, Law: assoc},
			{Name: "longer", Verdict: audit.Proved, Law: strings.ReplaceAll(assoc, "Z)", "relu(Z))")},
		},
		Set: audit.SetPart{Minimal: []int{0}, Classes: 2, AxiomUse: []audit.Use{{Name: "matmul_assoc", Rules: 2}, {Name: "ewadd_comm", Rules: 1}}, Unused: []string{"ewmul_comm"},
			Looping:   [][]int{{0}, {0, 5}},
			Operators: []audit.Coverage{{Operator: "matmul", Rules: map[audit.Outcome]int{audit.Proved: 3, audit.Refuted: 1}}, {Operator: evil, Rules: map[audit.Outcome]int{audit.Unknown: 1}}}},
	}
	for i, r := range rep.Rules {
		r.Index, r.DuplicateOf, r.SubsumedBy = i, -1, -1
	}
	rep.Rules[5].DuplicateOf = 0
	rep.Rules[6].SubsumedBy, rep.Rules[6].DerivableFrom = 0, []int{0, 5}
	return rep
}

func write(t *testing.T, reports ...*audit.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, reports); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHTMLStructure compares what the page says, part by part: paragraphs,
// and elements that hold text and no other element.
func TestHTMLStructure(t *testing.T) {
	rep := sample()
	rep.Rules = append(rep.Rules[:3], rep.Rules[4:]...) // evil has its own test
	rep.Set.Operators = rep.Set.Operators[:1]
	var b strings.Builder
	for _, e := range pagetest.Elements(t, write(t, rep)) {
		text := strings.Join(strings.Fields(e.Text), " ")
		if e.Children > 0 && e.Name != "p" || e.In("p") || text == "" || e.Name == "style" || e.Name == "option" || strings.HasPrefix(text, "{") {
			continue // the last is JSON
		}
		name := e.Name
		if c := e.Attrs["class"]; c != "" {
			name += "." + strings.ReplaceAll(c, " ", ".")
		}
		fmt.Fprintf(&b, "%s: %s\n", name, text)
	}
	golden.Equal(t, "testdata/page.golden", b.String())
}

// TestHTMLStandsAlone: the page refers to nothing but itself, and says so to the
// browser; each rule has a link to it.
func TestHTMLStandsAlone(t *testing.T) {
	links := 0
	for _, e := range pagetest.Check(t, write(t, sample(), sample())) {
		if e.Name == "a" {
			links++
		}
	}
	if links < 20 {
		t.Errorf("%d links, expected one a rule and more", links)
	}
}

// TestHTMLIsInert: nothing of a report becomes markup, and none of it is lost.
func TestHTMLIsInert(t *testing.T) {
	rep := sample()
	rep.File, rep.Format = evil, evil
	rep.Set.Unused, rep.Set.AxiomUse = []string{evil}, []audit.Use{{Name: evil, Rules: 1}}
	// Names of variables and functions come into the drawing.
	rep.Rules[0].Name = evil
	doc := write(t, rep)
	seen := 0
	for _, e := range pagetest.Check(t, doc) {
		if e.Children == 0 && strings.Contains(e.Text, evil) {
			seen++
		}
	}
	// File twice, format, two names, and of rule 3: line, heading, condition,
	// reading and the rest.
	if seen < 20 {
		t.Errorf("the text is shown %d times only", seen)
	}
	if strings.Contains(doc, "<img") || strings.Count(doc, "<script") != 1 {
		t.Error("text of a report became markup")
	}
}

// TestHTMLIsLazy: drawings and details are in noscript elements, one a rule, which a browser
// with scripts does not parse before they are opened.
func TestHTMLIsLazy(t *testing.T) {
	svgs, lazy := 0, 0
	for _, e := range pagetest.Elements(t, write(t, sample())) {
		switch e.Name {
		case "noscript":
			lazy++
		case "svg":
			svgs++
			if !e.In("noscript") {
				t.Error("a drawing is parsed before it is opened")
			}
		}
	}
	if lazy != 7 || svgs != 2*5 {
		t.Errorf("%d details and %d drawings, want 7 and 10", lazy, svgs)
	}
}

// TestHTMLMarksTheCell: the element in which the sides differ is marked on both.
func TestHTMLMarksTheCell(t *testing.T) {
	rep := sample()
	if _, err := rep.Rules[1].Counterexample.Replay(); err != nil {
		t.Fatalf("the sample's counterexample: %v", err)
	}
	var hits []string
	for _, e := range pagetest.Elements(t, write(t, rep)) {
		if e.Name == "td" && e.Has("hit") {
			hits = append(hits, e.Text)
		}
	}
	if !reflect.DeepEqual(hits, []string{"1", "0"}) {
		t.Errorf("marked %q, want 1 on the left and 0 on the right", hits)
	}
}

// TestHTMLSize: a page of 931 rules, each with a counterexample, is small enough
// to open at once.
func TestHTMLSize(t *testing.T) {
	rep := sample()
	one := rep.Rules[1]
	one.Source = strings.Repeat("matmul(X, Y) ", 10)
	rep.Rules = nil
	for i := range 931 {
		r := *one
		r.Index = i
		rep.Rules = append(rep.Rules, &r)
	}
	rep.Set = audit.SetPart{}
	if n := len(write(t, rep)); n > 15e6 {
		t.Errorf("the page has %d bytes", n)
	}
}

func TestHTMLErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := Write(failWriter{full}, []*audit.Report{sample()}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failWriter struct{ err error }

func (f failWriter) Write([]byte) (int, error) { return 0, f.err }

func TestHTMLSameBytes(t *testing.T) {
	first, second := write(t, sample()), write(t, sample())
	if first != second {
		t.Error("two pages of one report differ")
	}
}

func ExampleWrite() {
	rep := &audit.Report{
		File: "my.rules", Format: "text", Summary: audit.Summary{Rules: 1, Verdicts: map[audit.Outcome]int{audit.Proved: 1}},
		Rules: []*audit.Rule{{Name: "twice", Verdict: audit.Proved, Axioms: []string{"relu_relu"}, DuplicateOf: -1, SubsumedBy: -1,
			Law: "rule twice\n  given X : [n]\n  then  relu(relu(X)) => relu(X)\n"}},
	}
	var b bytes.Buffer
	if err := Write(&b, []*audit.Report{rep}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(b.String(), "<svg"), "drawings,", strings.Count(b.String(), "<script"), "script")
	// Output: 2 drawings, 1 script
}

func BenchmarkWrite(b *testing.B) {
	rep := sample()
	for b.Loop() {
		if err := Write(io.Discard, []*audit.Report{rep}); err != nil {
			b.Fatal(err)
		}
	}
}

// Every outcome has a sign, so that nobody depends on colour, and a colour.
func TestSigns(t *testing.T) {
	for _, o := range audit.Outcomes {
		if signs[o] == "" || statuses[o] == "" {
			t.Errorf("%s has no sign or no colour", o)
		}
	}
}
