package law

import (
	"errors"
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
)

// The names of axes begin as no name that is taken does, and an error ends it.
func TestEachAxes(t *testing.T) {
	boom := errors.New("boom")
	calls := 0
	err := EachAxes([]string{"P", "Q"}, 3, map[string]bool{"r": true, "rr1": true, "b": true}, func(b *graph.Substitution, label string) error {
		if calls++; calls == 7 {
			return boom
		}
		for j, run := range []string{"P", "Q"} {
			for a, it := range b.Runs[run] {
				if v, ok := it.Dim.IsVar(); !ok || v != fmt.Sprintf("rrr%d_%d", j, a) {
					t.Errorf("%s: axis %d of %s is %s", label, a, run, it)
				}
			}
		}
		return nil
	})
	if err != boom || calls != 7 {
		t.Errorf("%d calls, %v", calls, err)
	}
	calls = 0
	if err := EachAxes(nil, 3, nil, func(b *graph.Substitution, label string) error { calls++; return nil }); err != nil || calls != 1 {
		t.Errorf("without runs %d calls, %v", calls, err)
	}
}

func ExampleEachAxes() {
	err := EachAxes([]string{"P"}, 2, map[string]bool{"n": true}, func(b *graph.Substitution, label string) error {
		fmt.Println(label, b.Runs["P"])
		return nil
	})
	fmt.Println(err)
	// Output:
	// P.. = 0 axes []
	// P.. = 1 axes [r0_0]
	// P.. = 2 axes [r0_0, r0_1]
	// <nil>
}
