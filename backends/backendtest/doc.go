// Package backendtest is the suite that every backend that runs graphs passes:
// operators in many shapes and whole graphs against graph/interp over float64,
// with operands fed and as weights, fused and not; infinities and what is not a
// number where IEEE arithmetic has them; repeated runs give the same bits;
// several plans at once; errors name what is wrong; plans can be closed;
// measurements make sense, and no operator is free.
//
// Words:
//
//   - A [Case] is one thing that a backend must do, with the operators that it
//     needs for it.
//   - A mutant is a backend that gets one thing wrong. The package's own test has
//     one for each way to be wrong that its authors could think of, and fails if
//     a mutant passes the suite.
//
// A backend need not have every operator, but it must say so: [Run] takes the
// names of those that it may lack, and fails where another one is not
// supported.
package backendtest
