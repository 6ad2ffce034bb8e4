package rulepage

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

// Tensors are cut into matrices, and the element in question is shown.
func TestTensor(t *testing.T) {
	values := func(n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprint(i))
		}
		return out
	}
	show := func(x Tensor) string {
		var b strings.Builder
		for _, p := range x.Parts {
			b.WriteString(p.Caption)
			for _, row := range p.Rows {
				b.WriteString("|")
				for _, c := range row {
					if c.Hit {
						b.WriteString("!")
					}
					b.WriteString(c.Text + " ")
				}
			}
		}
		return b.String() + x.Note
	}
	for _, c := range []struct {
		shape []int
		at    []int
		want  string
	}{
		{[]int{}, []int{}, "|!0 "},
		{[]int{3}, []int{2}, "|0 1 !2 "},
		{[]int{2, 2}, []int{1, 0}, "|0 1 |!2 3 "},
		{[]int{2, 1, 2}, []int{1, 0, 1}, "[0, ·, ·]|0 1 [1, ·, ·]|2 !3 "},
		{[]int{1, 3, 1, 1}, []int{0, 1, 0, 0}, "[·, ·, 0, 0]|0 !1 2 "},
		{[]int{2, 2, 3, 1}, nil, "[0, 0, ·, ·]|0 |1 |2 [0, 1, ·, ·]|3 |4 |5 [1, 0, ·, ·]|6 |7 |8 [1, 1, ·, ·]|9 |10 |11 "},
	} {
		n := 1
		for _, s := range c.shape {
			n *= s
		}
		x := newTensor("X", "", refute.Tensor{Shape: c.shape, Values: values(n)}, c.at, c.at != nil)
		if got := show(x); got != c.want {
			t.Errorf("shape %v: %q, want %q", c.shape, got, c.want)
		}
	}
	big := newTensor("X", "", refute.Tensor{Shape: []int{1000}, Values: values(1000)}, []int{700}, true)
	if got := show(big); !strings.HasSuffix(got, "!700 and 299 more elements") {
		t.Errorf("a long tensor ends in %q", got[len(got)-40:])
	}
	if got := show(newTensor("X", "", refute.Tensor{Shape: []int{2}}, nil, true)); got != "" {
		t.Errorf("a tensor without values shows %q", got)
	}
	// A report read from a file may hold anything.
	for _, x := range []refute.Tensor{{Shape: []int{-1, 0}, Values: values(3)}, {Shape: []int{2, 0, 2}, Values: values(3)}, {Values: values(3)}} {
		newTensor("X", "", x, []int{1, 1}, true)
	}
}

func ExampleTemplate() {
	t, err := Template("example", `{{define "page"}}{{template "opening" .}}</header>{{template "verdict" .Verdict}}{{template "counterexample" .Counterexample}}{{template "closing" .}}{{end}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := Witnessed("rule r given X : [n] then relu(X) == X", "{}", &refute.Witness{Kind: "values", Cell: []int{0}, Left: "0", Right: "-1",
		Dims: map[string]int64{"n": 1}, Inputs: []refute.Tensor{{Term: "X", Shape: []int{1}, Values: []string{"-1"}}}})
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "page", struct {
		draw.Page
		Verdict        Verdict
		Counterexample *Counterexample
	}{draw.NewPage("Example", Style, Script), Verdict{Word: "refuted", Class: "refuted", Sign: "✗"}, x})
	fmt.Println(err, strings.Count(b.String(), "<script"), "script")
	fmt.Println(x.Says, strings.Contains(b.String(), `<td class="hit">-1</td>`))
	// Output:
	// <nil> 1 script
	// Output 0 at [0] is 0 on the left, -1 on the right. true
}

func ExamplePictures() {
	l, err := law.ParseLaw("rule r given X : [n] then relu(relu(X)) == relu(X)")
	if err != nil {
		fmt.Println(err)
		return
	}
	left, right, err := Pictures(l, "r")
	fmt.Println(strings.Contains(string(left), "left side of r"), strings.Contains(string(right), "right side of r"), err)
	// Output: true true <nil>
}

// Text of others is text of the page.
func TestEscaped(t *testing.T) {
	evil := `</template><script>alert(1)</script>`
	tm, err := Template("test", `{{define "page"}}{{template "counterexample" .}}{{end}}`)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	x := Given(evil, evil, evil, map[string]refute.Tensor{evil: {Shape: []int{1}, Values: []string{evil}}})
	if err := tm.ExecuteTemplate(&b, "page", x); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script") || !strings.Contains(b.String(), "&lt;script&gt;") {
		t.Error(b.String())
	}
}

func ExampleWitnessed() {
	x := Witnessed("rule r given X : [n] then relu(X) == X", "{}", &refute.Witness{Kind: "shape", Left: "[2]", Right: "[3]", Dims: map[string]int64{"n": 2}})
	fmt.Println(x.Says)
	fmt.Println("where", x.Where)
	// Output:
	// Output 0 has shape [2] on the left, [3] on the right.
	// where n = 2
}

func ExampleGiven() {
	x := Given("the law", "left: 1; right: 2", "{}", map[string]refute.Tensor{"X": {Shape: []int{1}, Values: []string{"7"}}})
	fmt.Println(x.Says, x.Sides[0].Tensors[0].Label, x.Sides[0].Tensors[0].Parts[0].Rows[0][0].Text)
	// Output: left: 1; right: 2 X 7
}
