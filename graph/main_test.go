package graph_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
)

// must takes what a function returned; called with the test, it gives the
// value or fails.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// lookup is a registered operator.
func lookup(t testing.TB, name string) *graph.Op {
	t.Helper()
	op, ok := graph.Lookup(name)
	if !ok {
		t.Fatalf("operator %s is not registered", name)
	}
	return op
}

// named are attribute values by name.
type named = map[string]graph.Value
