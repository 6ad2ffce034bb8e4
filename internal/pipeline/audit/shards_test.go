package audit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/law"
)

func ExampleShards() {
	l, err := law.ParseLaw("rule x given X : [2] then reduce(replicate[on=3](X)) == ewadd(X, X)")
	fmt.Println(err)
	fmt.Println(audit.Shards(os.Stdout, l))
	// Output:
	// <nil>
	// for example
	//   left side
	//     X : [2] = [1 2]
	//     replicate[on=3](X), [3] members : [2]
	//       member [0] = [1 2]
	//       member [1] = [1 2]
	//       member [2] = [1 2]
	//     reduce(replicate[on=3](X)) : [2] = [3 6]
	//   right side
	//     ewadd(X, X) : [2] = [2 4]
	// <nil>
}

// Members of families over two axes, of lifted operators, of functions that rationals
// do not have; and what has no example.
func TestShards(t *testing.T) {
	for _, c := range []struct {
		law  string
		want []string // lines, "" for nothing at all
	}{
		{"X : [4, 2] then each_partition[over=[2], axis=1, on=2](partition[axis=0, on=2](X)) == each_partition[over=[2], axis=1, on=2](partition[axis=0, on=2](X))",
			[]string{"partition[axis=0, on=2](X), [2] members : [2 2]", "  member [1] = [5 6 7 8]",
				"each_partition[over=[2], axis=1, on=2](partition[axis=0, on=2](X)), [2 2] members : [2 1]", "  member [0 1] = [2 4]", "  member [1 0] = [5 7]"}},
		{"X : [4] then combine[axis=0](relu(partition[axis=0, on=2](X))) == relu(X)",
			[]string{"relu(partition[axis=0, on=2](X)), [2] members : [2]", "  member [1] = [3 4]", "combine[axis=0](relu(partition[axis=0, on=2](X))) : [4] = [1 2 3 4]"}},
		{"X : [2] then tanh(replicate[on=2](X)) == replicate[on=2](tanh(X))", []string{"tanh(replicate[on=2](X)), [2] members : [2]", "  member [0] = [? ?]"}},
		{"X : [a] then relu(X) == relu(X)", nil},
		{"X : [3] then partition[axis=0, on=2](X) => partition[axis=0, on=2](X)", nil},
	} {
		l, err := law.ParseLaw("rule x given " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := audit.Shards(&b, l); err != nil {
			t.Fatal(err)
		}
		for _, line := range c.want {
			if !strings.Contains(b.String(), "    "+line+"\n") {
				t.Errorf("%s: no line %q in\n%s", c.law, line, b.String())
			}
		}
		if c.want == nil && b.Len() > 0 {
			t.Errorf("%s:\n%s", c.law, b.String())
		}
	}
}
