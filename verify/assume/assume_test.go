package assume_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/assume"
)

// Every assumption has a definition of its own, and docs/trust.md has the same list.
func TestDefinitions(t *testing.T) {
	page, err := os.ReadFile("../../docs/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(page)), " ")
	seen := map[string]bool{}
	items := 0
	for _, n := range assume.All() {
		d := n.Definition()
		if d == "" || seen[d] {
			t.Errorf("%s: definition %q", n, d)
		}
		seen[d] = true
		if !strings.Contains(words+" ", fmt.Sprintf(" - `%s`: %s ", n, d)) {
			t.Errorf("docs/trust.md does not define %s as %q", n, d)
		}
	}
	_, list, _ := strings.Cut(string(page), "## Assumptions")
	list, _, _ = strings.Cut(list, "\n## ")
	for _, line := range strings.Split(list, "\n") {
		if strings.HasPrefix(line, "- `") {
			items++
		}
	}
	if items != len(assume.All()) || items > 8 {
		t.Errorf("docs/trust.md has %d assumptions, the program %d", items, len(assume.All()))
	}
}

// Laws that only move elements need no assumption, and those of functions that are not
// defined everywhere need one more.
func TestOfLaw(t *testing.T) {
	for _, c := range []struct {
		text string
		want []assume.Name
	}{
		{"transpose[perm=(1, 0)](transpose[perm=(1, 0)](X)) == X", nil},
		{"ewadd(X, Y) == ewadd(Y, X)", []assume.Name{assume.Reals, assume.FiniteInputs}},
		{"relu(relu(X)) == relu(X)", []assume.Name{assume.Reals, assume.FiniteInputs}},
		{"ewdiv(X, Y) == ewmul(X, reciprocal(Y))", []assume.Name{assume.Reals, assume.FiniteInputs, assume.Defined}},
		{"log(X) == log(X)", []assume.Name{assume.Reals, assume.FiniteInputs, assume.Defined}},
	} {
		text := "rule r\n  given X : [m, n], Y : [m, n]\n  then " + c.text + "\n"
		if !strings.Contains(c.text, "Y") {
			text = strings.Replace(text, ", Y : [m, n]", "", 1)
		}
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := assume.OfLaw(l).List(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestPartial(t *testing.T) {
	for name, want := range map[string]bool{"relu": false, "exp": false, "tanh": false, "log": true, "sqrt": true, "rsqrt": true, "reciprocal": true,
		"acos": true, "ewadd": false, "ewdiv": true, "ewmax": false, "ewpow": true, "matmul": false, "transpose": false} {
		op, ok := graph.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		if got := assume.Partial(op, nil); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func ExampleJoin() {
	fmt.Println(assume.Join([]assume.Name{assume.Defined}, []assume.Name{assume.Reals, assume.Defined}))
	fmt.Println(assume.NoOverflow.Definition())
	// Output:
	// [reals defined]
	// results of integer operators fit their element type: none wraps around
}
