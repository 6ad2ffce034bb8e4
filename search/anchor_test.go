package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
)

// rearranging is a trail from a graph's text by the laws of that name.
func rearranging(text string, names ...string) (*search.Trail, error) {
	g, err := graph.ParseText("", text)
	if err != nil {
		return nil, err
	}
	var laws []*law.Law
	for _, l := range axioms.ByKind(law.Axiom) {
		for _, name := range names {
			if l.Name == name {
				laws = append(laws, l)
			}
		}
	}
	rules, _, err := search.NewRules(laws)
	if err != nil {
		return nil, err
	}
	net, _, err := bank.From(g, nil)
	if err != nil {
		return nil, err
	}
	p := search.NewPricer(net, lower.CPU(), prices{model()})
	return search.NewTrail(search.NewRewriter(net, rules), p), p.Err()
}

// shown is the network's text.
func shown(t *search.Trail) (string, error) {
	g, _, err := t.Net.Graph()
	if err != nil {
		return "", err
	}
	return g.String(), nil
}

func ExampleTrail_Anchor() {
	t, err := rearranging(`
x : float32[4, 8]
y : float32[4, 8]
w : weight float32[8, 8]
b : weight float32[4, 8]
m = matmul(x, w)
s = ewadd(m, y)
z = ewadd(s, b)
return z
`, "ewadd_assoc", "ewadd_comm")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range t.Anchor() {
		fmt.Println(m.Direction.Law.Law.Name)
	}
	text, err := shown(t)
	fmt.Println(text[strings.Index(text, "m ="):], err)
	// Output:
	// ewadd_assoc
	// m = matmul(x, w)
	// t6 = ewadd(b, m)
	// z = ewadd(t6, y)
	// return z
	//  <nil>
}

// Weights are brought to what they are added to, on either side of sums of sums, and what
// is there, or belongs nowhere, stays.
func TestAnchor(t *testing.T) {
	const head = "x : float32[4, 8]\ny : float32[4, 8]\nw : weight float32[8, 8]\nb : weight float32[4, 8]\nc : weight float32[4, 8]\nm = matmul(x, w)\n"
	for name, c := range map[string]struct {
		body  string
		moves bool
		want  string // a part of what is left
	}{
		"behind a sum":             {"s = ewadd(y, m)\nz = ewadd(b, s)\nreturn z\n", true, "ewadd(m, b)"},
		"behind two sums":          {"s = ewadd(y, m)\nu = ewadd(s, x)\nz = ewadd(b, u)\nreturn z\n", true, ""},
		"of two products":          {"n = matmul(y, w)\ns = ewadd(n, m)\nu = ewadd(s, c)\nz = ewadd(u, b)\nreturn z\n", true, ""},
		"where it belongs":         {"s = ewadd(m, b)\nz = ewadd(s, y)\nreturn z\n", false, "ewadd(m, b)"},
		"of inputs only":           {"s = ewadd(x, y)\nu = ewadd(s, b)\nz = ewmul(u, m)\nreturn z\n", false, "ewadd(s, b)"},
		"behind what others need":  {"s = ewadd(y, m)\nz = ewadd(s, b)\nreturn z, s\n", false, "ewadd(s, b)"},
		"behind another operation": {"s = ewmul(y, m)\nz = ewadd(s, b)\nreturn z\n", false, "ewadd(s, b)"},
	} {
		tr, err := rearranging(head+c.body, "ewadd_assoc", "ewadd_comm", "ewmul_assoc", "ewmul_comm", "ewmul_ewadd")
		if err != nil {
			t.Fatal(err)
		}
		before := tr.Price.Cost()
		kept := tr.Anchor()
		text, err := shown(tr)
		if err != nil {
			t.Fatal(err)
		}
		if len(kept) > 0 != c.moves || !strings.Contains(text, c.want) || tr.Price.Cost() > before || tr.Len() != 0 {
			t.Errorf("%s: %d moves, cost %d to %d:\n%s", name, len(kept), before, tr.Price.Cost(), text)
		}
		if again := tr.Anchor(); len(again) > 0 {
			t.Errorf("%s: %d moves more:\n%s", name, len(again), text)
		}
	}
}
