// Package op holds the operators, one file each: name, parameters, shape
// inference, meaning as index arithmetic, and cost features. Importing the
// package fills graph's registry. Adding an operator is adding a file here
// and its axioms in package axioms.
//
// Where the field disagrees about an operator, the difference is an attribute
// here: SAME padding above or below, borders counted or not in an average,
// groups of a convolution, positions of a split.
package op

import "github.com/taso-go/taso/graph"

var (
	intSort  = "int"
	axisSort = "axis"
	none     = graph.NameValue("none")
	unit     = graph.TupleValue(1, 1)
)

func dim(a graph.Attrs, i int) graph.Dim { d, _ := a[i].Dim(); return d }

func num(a graph.Attrs, i int) int { n, _ := dim(a, i).Const(); return int(n) }

func one(s graph.Shape) ([]graph.Shape, error) { return []graph.Shape{s}, nil }
