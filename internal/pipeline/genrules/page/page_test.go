package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/page/pagetest"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/verify/refute"
)

// evil is text that would be markup, or run, if it were not escaped.
const evil = `</template></script><script>alert("x")</script><img src=x onerror='alert(1)'>`

// report is that of a small run, with candidates of every kind.
func report(t testing.TB) *genrules.Report {
	t.Helper()
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 2, Ops: []string{"matmul", "ewadd", "concat", "split", "relu", "transpose", "conv2d", "conv2d_relu"}, Seed: 1, Workers: 1, AxiomsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	rep.Unproved = append(rep.Unproved,
		genrules.Unproved{Law: "rule candidate\n  given X : [n, n], Y : [n, n]\n  then  matmul(X, Y) == matmul(Y, X)\n", Status: "refuted", Reason: "written out",
			Witness: &refute.Witness{Law: "candidate", Kind: "values", Dims: map[string]int64{"n": 1}, Cell: []int{0, 0}, Left: "3", Right: evil,
				Inputs:    []refute.Tensor{{Term: "X", Shape: []int{1, 1}, Values: []string{"1"}}, {Term: "Y", Shape: []int{1, 1}, Values: []string{evil}}},
				LeftSteps: []refute.Tensor{{Term: "matmul(X, Y)", Shape: []int{1, 1}, Values: []string{"3"}}}}},
		genrules.Unproved{Law: "ewadd([2 3], " + evil + ")", Status: "unknown", Reason: "no general form: " + evil})
	rep.Rules.Refuted++
	rep.Rules.Unknown++
	rep.Stopped = evil
	return rep
}

func write(t testing.TB, rep *genrules.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, rep); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page is well-formed, refers to nothing but itself, lets only its own script run,
// and text of the report stays text.
func TestStandsAlone(t *testing.T) {
	seen := 0
	for _, e := range pagetest.Check(t, write(t, report(t))) {
		if e.Children == 0 && strings.Contains(e.Text, evil) {
			seen++
		}
	}
	if seen < 6 {
		t.Errorf("hostile text is shown %d times only", seen)
	}
}

// What the page says is what the report says.
func TestSays(t *testing.T) {
	rep := report(t)
	doc := write(t, rep)
	for i, n := range []int{rep.Rules.Kept, rep.Rules.Derivable, rep.Rules.Refuted, rep.Rules.Unknown} {
		v := verdicts[i]
		if n > 0 && !strings.Contains(doc, fmt.Sprintf(`<div class="%s"><dt>%s</dt><dd>%d</dd></div>`, v.Status, v.Word, n)) {
			t.Errorf("no card with %d %s", n, v.Word)
		}
		if got := strings.Count(doc, `data-k="|0:`+v.Word+`|`); got != n {
			t.Errorf("%d rows %s, want %d", got, v.Word, n)
		}
	}
	last := rep.Levels[len(rep.Levels)-1]
	if !strings.Contains(doc, fmt.Sprintf(`<td class="n">%d<span class="amount" style="width:100%%"></span></td>`, last.Graphs)) {
		t.Errorf("the largest level has no full bar of %d graphs", last.Graphs)
	}
	if len(rep.Useful) == 0 {
		t.Fatal("no rule saves anything")
	}
	for _, u := range rep.Useful {
		if !strings.Contains(doc, `<a href="#`+u.ID+`">`) {
			t.Errorf("no link to %s", u.ID)
		}
	}
	if got := strings.Count(doc, "<h4>Proof</h4>"); got != rep.Set.Len() {
		t.Errorf("%d proofs of %d rules", got, rep.Set.Len())
	}
	for _, want := range []string{
		"by axiom concat_assoc: Concatenation along one axis is associative.",
		"Output 0 at [0, 0] is 3 on the left, ", `<p>no general form: &lt;/template&gt;`, `|1:matmul|`, "Stopped before the end: &lt;/template&gt;",
		`<td><code>matmul</code></td><td class="n"`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if doc != write(t, rep) {
		t.Error("two pages of one report differ")
	}
}

type failWriter struct{ err error }

func (f failWriter) Write([]byte) (int, error) { return 0, f.err }

func TestErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := Write(failWriter{full}, report(t)); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	rep := report(t)
	rep.Set.Rules[0].Proof.Instances[0].Law = "nothing"
	if err := Write(io.Discard, rep); err == nil || !strings.Contains(err.Error(), "rule "+rep.Set.Rules[0].ID()) {
		t.Errorf("a proof by a law that is not there: %v", err)
	}
	// A run that was stopped at once has nothing to show.
	if err := Write(io.Discard, &genrules.Report{}); err != nil {
		t.Error(err)
	}
}

func ExampleWrite() {
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 1, Ops: []string{"ewadd", "relu"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var b bytes.Buffer
	err = Write(&b, rep)
	fmt.Println(err, strings.Contains(b.String(), "<title>Generated rules</title>"))
	// Output: <nil> true
}
