package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// What the constant operators share.

// positive normalizes size attributes and requires each to be at least 1.
func positive(f *graph.Unifier, a graph.Attrs) ([]graph.Dim, error) {
	out := make([]graph.Dim, len(a))
	for i := range a {
		d, ok := a[i].Dim()
		if !ok {
			return nil, fmt.Errorf("%s is not a size", a[i])
		}
		out[i] = f.Norm(d)
		if err := f.Le(f.Least(), out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
