// Package network says whether an equation of terms is about two given models: then
// a proof of it, which package verify/check accepts, shows that the models compute
// the same.
//
// # Words
//
//	equation  a law between the outputs of two networks, over variables for their
//	          inputs and weights and for what is cut
//	cut       a tensor of which laws do not speak: an output of an opaque node, or of
//	          any node if its elements are not floating-point numbers
//	side      the left terms are the first model's, the right ones the second's
//
// # What is checked
//
// The first variables of the equation are the first model's inputs and weights, in
// their order. Its left terms are the model's outputs, then the operands of the
// nodes with cut tensors: node by node in the order in which they are met, from the
// outputs down and then from the operands of those before, operands in order. A term
// is a tensor if it applies the same operator with the same attributes to what are
// its operands; operands of a commutative operator may be in either order; a derived
// operator is what it expands to.
//
// The right terms are the second model's outputs and the operands of the same nodes.
// An input of the second model is the first one's of that name. A weight is a
// variable if both hold the same numbers, or a term over weights if its numbers are
// those of the term, computed in float64 and rounded once to the weight's type. A
// node with cut tensors is the first model's if it has the same operator and
// attributes, or the same kind and payload if it is opaque; no two opaque nodes are
// the same one.
//
// # Why that is enough
//
// The equation holds for all values of its variables, so it holds when the cut
// tensors have those of the first model. Then the second model's nodes with cut
// tensors have the operands that the first one's have. Since the second model has no
// cycle, its cut tensors are determined by that one after the other, and are those
// of the first; so its outputs are, too. That an opaque node computes the same from
// the same is assumed.
//
// An equation is about real numbers: in floating point both models differ by
// rounding.
package network
