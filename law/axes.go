package law

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
)

// EachAxes calls f with axes for runs, in every way in which each has up to most: a size
// variable for an axis, whose name begins as none of taken does. label says how many axes
// each run has. An error of f ends it.
func EachAxes(runs []string, most int, taken map[string]bool, f func(axes *graph.Substitution, label string) error) error {
	prefix := "r"
	for begins(taken, prefix) {
		prefix += "r"
	}
	lengths := make([]int, len(runs))
	var rec func(i int) error
	rec = func(i int) error {
		if i < len(runs) {
			for n := 0; n <= most; n++ {
				lengths[i] = n
				if err := rec(i + 1); err != nil {
					return err
				}
			}
			return nil
		}
		b := &graph.Substitution{Runs: map[string]graph.Shape{}}
		var label []string
		for j, run := range runs {
			s := make(graph.Shape, lengths[j])
			for a := range s {
				s[a] = graph.Axis(graph.Var(fmt.Sprintf("%s%d_%d", prefix, j, a)))
			}
			b.Runs[run] = s
			label = append(label, fmt.Sprintf("%s.. = %d axes", run, lengths[j]))
		}
		return f(b, strings.Join(label, ", "))
	}
	return rec(0)
}

// begins says whether a name begins with prefix.
func begins(names map[string]bool, prefix string) bool {
	for n := range names {
		if strings.HasPrefix(n, prefix) {
			return true
		}
	}
	return false
}
