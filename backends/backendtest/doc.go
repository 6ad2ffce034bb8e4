// Package backendtest is the suite that every backend that runs graphs passes:
// operators in many shapes and whole graphs against graph/interp over float64,
// with operands fed and as weights, fused and not; repeated runs give the same
// bits; errors name what is wrong; plans can be closed; measurements make sense.
//
// A backend skips a case whose node it does not support; which operators a
// backend must support is for its own tests to say.
package backendtest
