package coverage

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/tasopb"
)

// generated is the set of up to three operators, made once.
var generated = sync.OnceValues(func() (*rules.Set, error) {
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 3, Seed: 1})
	if err != nil {
		return nil, err
	}
	return rep.Set, nil
})

// published reads a file that lies beside the repository, or skips.
func published(t testing.TB, name string) *tasopb.RuleCollection {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("not in a source tree")
		}
		dir = up
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "shared", "data", name))
	if os.IsNotExist(err) {
		t.Skipf("%s is not here: it is no part of the project", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := tasopb.Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What TASO's enumerator finds at three operators, and its published rules, of
// some of which have four operators. The false ones are false for its own
// arithmetic: a sum in the place of the average with a maximum of 0 and 1
// (150), a kernel of ones in the place of averages (387), an image so narrow
// that the kernel is one column (386).
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("generates a set of rules")
	}
	for _, c := range []struct {
		file  string
		rules int
		false []int
		// missing may be gaps: concatenations of two ungrouped convolutions as
		// one of two groups, and twice flipped kernels.
		missing []int
	}{
		{"taso_depth3.pb", 619, []int{150, 386, 387}, nil},
		{"taso_graph_subst.pb", 133, nil, nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			col := published(t, c.file)
			set, err := generated()
			if err != nil {
				t.Fatal(err)
			}
			rep, err := Run(context.Background(), Options{Collection: col, Set: set})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d rules, %v\n%s", set.Len(), set.Count(), rep)
			if rep.Rules != c.rules {
				t.Errorf("%d equalities, want %d", rep.Rules, c.rules)
			}
			var wrong []int
			for _, v := range rep.Best() {
				switch v.Kind {
				case Refuted:
					wrong = append(wrong, v.Rule)
				case Gap, Unknown, Untyped:
					complain := t.Errorf
					if slices.Contains(c.missing, v.Rule) {
						complain = t.Logf
					}
					complain("equality %d, padding %s, %s sizes: %s by %v\n%s\n%s", v.Rule, v.Padding, v.Sizes, v.Kind, v.By, v.Law, v.Reason)
				}
			}
			if !reflect.DeepEqual(wrong, c.false) {
				t.Errorf("refuted %v, want %v", wrong, c.false)
			}
		})
	}
}
