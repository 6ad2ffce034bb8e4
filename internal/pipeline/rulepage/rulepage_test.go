package rulepage

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/page/pagetest"
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
	show := func(x page.Tensor) string {
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

func ExampleSides() {
	l, err := law.ParseLaw("rule r given X : [n] then relu(relu(X)) == relu(X)")
	if err != nil {
		fmt.Println(err)
		return
	}
	sides, err := Sides(l, "r")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range sides {
		fmt.Println(f.Caption, strings.Contains(string(f.Wide()), f.Caption+" of r"))
	}
	// Output:
	// left side true
	// right side true
}

// Counterexamples are shown with the element that differs; text of others is text of the
// page.
func TestCounterexample(t *testing.T) {
	evil := `</template><script>alert(1)</script>`
	x := Given(evil, evil, evil, map[string]refute.Tensor{evil: {Shape: []int{1}, Values: []string{evil}}})
	y := Witnessed("rule r given X : [n] then relu(X) == X", "{}", &refute.Witness{Kind: "values", Cell: []int{0}, Left: "0", Right: "-1",
		Dims: map[string]int64{"n": 1}, Inputs: []refute.Tensor{{Term: "X", Shape: []int{1}, Values: []string{"-1"}}}})
	var b bytes.Buffer
	if err := (&page.Page{Title: evil, Parts: append(x.Parts(), y.Parts()...)}).Write(&b); err != nil {
		t.Fatal(err)
	}
	pagetest.Check(t, b.String())
	for _, want := range []string{"&lt;script&gt;", `<td class="hit">-1</td>`, "Output 0 at [0] is 0 on the left, -1 on the right."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q", want)
		}
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
