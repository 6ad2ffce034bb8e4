package rewrite_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

func ExampleCache() {
	l, err := law.ParseLaw("rule neg_neg\n  given X : [n]\n  then neg(neg(X)) == X\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	var c rewrite.Cache
	first, _ := c.Compile(l)
	again, _ := c.Compile(l)
	fmt.Println(first == again, len(first.Directions))
	// Output: true 2
}

// Searches at the same time have one and the same law, and an ill-formed one fails for
// all of them.
func TestCache(t *testing.T) {
	var c rewrite.Cache
	laws := axioms.ByKind(law.Axiom)
	bad := &law.Law{Name: "bad"}
	var got [4][]*rewrite.Law
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			for _, l := range laws {
				x, err := c.Compile(l)
				if err != nil {
					t.Errorf("%s: %v", l.Name, err)
				}
				got[i] = append(got[i], x)
			}
			if _, err := c.Compile(bad); err == nil {
				t.Error("a law without sides is compiled")
			}
		})
	}
	wg.Wait()
	for i := range got {
		for k, x := range got[i] {
			if x != got[0][k] || x.Law != laws[k] {
				t.Fatalf("law %s is compiled twice", laws[k].Name)
			}
		}
	}
	var none *rewrite.Cache
	if x, err := none.Compile(laws[0]); err != nil || x == got[0][0] {
		t.Errorf("without a cache: %v, %v", x == got[0][0], err)
	}
}
