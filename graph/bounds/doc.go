// Package bounds computes, for tensors of a network, an interval that holds all their
// elements, and whether each element has a value whatever is fed.
//
// # Words
//
//	partial    a function that has no value at some real numbers, such as the logarithm
//	           (graph.Op.HasValue), or the quotient of two numbers (graph.Several.HasValue)
//	domain     where such a function has a value
//	real       of a tensor: every element has a value for all finite inputs
//
// log(x) is real where x is real and known to be positive, as behind exp, softmax, or relu
// with a positive constant added.
//
// # Why the answers hold
//
// An element is computed from the entry of its operator ([graph.Op.Entry]), step by step, in
// interval arithmetic of float64 that is rounded outwards. Numbers are taken to be real: an
// element that is too large or too small for its type is not considered. A tensor is real if
// all its operands are, and the arguments of every partial function of its entry are known to
// be in the domain. A choice has a value where what is chosen has one, and a comparison
// always has one. Integers are taken to have values: an operation on integers that has none
// ends a run. So is what opaque nodes compute. Where an entry is too large to be looked at,
// nothing is known.
package bounds
