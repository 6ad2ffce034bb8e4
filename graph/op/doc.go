// Package op holds the operators: name, parameters, shape
// inference, an entry of the result at an index, and cost features. Importing the
// package fills graph's registry. Adding an operator is adding a file here
// and its axioms in package axioms; functions of one element (functions.go),
// element-wise operators (elementwise.go) and reductions (reduce.go) that are like
// others take a few lines there.
//
// The entry is all that is said of what an operator computes: what runs and what is
// proved come from it. The tests compare it with plain loops, each written for its
// operator, and with a second, naive evaluation of the entry itself.
//
// Where the field disagrees about an operator, the difference is an attribute
// here: SAME padding above or below, borders counted or not in an average,
// groups of a convolution, positions of a split, coordinates of a resize.
//
// Functions of one element, such as sigmoid and gelu, may stand for a function
// variable of a law; those with real parameters (leakyrelu, clip, ...) together
// with their values ([graph.FunctionName]). Wherever an element is computed they
// are named with these too, "leakyrelu(0.01)". Modulo a prime each is an unknown
// function of its name; [interp.Float] knows the values of all, and
// [interp.Rational] of those that take rationals to rationals. A normalization
// is a composition of sums, products and such functions, so that laws may look
// inside.
//
// [interp.Float]: https://pkg.go.dev/github.com/taso-go/taso/graph/interp#Float
// [interp.Rational]: https://pkg.go.dev/github.com/taso-go/taso/graph/interp#Rational
package op
