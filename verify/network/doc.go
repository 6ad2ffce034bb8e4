// Package network says whether an equation of terms is about two given models: then
// a proof of it, which package verify/check accepts, shows that the models compute
// the same.
//
// # Words
//
//	equation  a law between the outputs of two networks, over variables for their
//	          inputs and weights and for what is cut
//	silent    a node with an operand that may be infinite, or no number, because of a
//	          weight with such elements: that weight, or a result of a silent node, but
//	          one that has bounds whatever the operands are (softmax). A node with an
//	          attribute that is infinite, such as padding with -inf, is silent too, and
//	          so is one with an operand or a result that has no elements. And so is a node
//	          that computes with what may have no value
//	value     an element has one unless a function has none at the number that it is
//	          applied to, as the logarithm at -1, the reciprocal at 0, or is applied to what
//	          has none. Which tensors have values whatever is fed, package graph/bounds says
//	          from intervals of the numbers of the network: those of weights, which are read,
//	          and those that follow
//	cut       a tensor of which laws do not speak: an output of an opaque or a silent
//	          node, or of any node if its elements are not floating-point numbers. Integers that are
//	          only taken over, such as parts of positions, may be terms as well
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
// operator is what it expands to. In both models a tensor is also the term of a number
// (one, or fill with a denominator of 1) of its shape if all of its elements are exactly
// that number, -0 being 0: a weight, or weights that operators only rearrange.
//
// The right terms are the second model's outputs and the operands of the same nodes.
// An input of the second model is the first one's of that name. A weight is a
// variable if both have the same sizes and numbers, or a term over weights if its sizes
// and numbers are those of the term, computed in float64 and rounded once to the
// weight's type. A node with cut tensors is the first model's if its operands and
// results have the same types, and it has the same operator and attributes, or the same
// kind and payload if it is opaque; no two opaque nodes are the same one. An output
// stands at the same place in both; no other has its name in the second model.
//
// # Why that is enough
//
// The equation holds for all values of its variables, so it holds when the cut
// tensors have those of the first model: then a left term has the value of the tensor
// that it is, and so has the right term beside it. In the second model a term has
// the value of the tensor that it is as soon as that is so of the cut tensors below.
// A cut node has operands below it, which have the values of right terms, and so of
// the left ones, which are the operands of the first model's node: it computes the
// same. Since the second model has no cycle, this holds of one cut node after the
// other, and then of the outputs. Right terms of nodes that the second model does
// not have are of no use, and say nothing.
//
// A node of the first model may be a variable that another one is already, if it is
// its twin: the same operator of operands that are the same terms. That a twin's
// value is the other's follows in the same way: variables in the terms of the
// operands stand for what is below both, and nothing is below itself.
//
// What may be infinite is a result of a node with an infinite attribute, which is silent,
// and an operand of silent nodes alone, which are cut in both models:
// in the terms it is a variable by itself, with no operator around it, and an equation of
// two such terms for all real numbers says that they are one variable. So it is compared
// as it is, and what laws make of real numbers is not asked of it. No weight is computed
// from it. A softmax of it is taken to be a number.
//
// That an opaque node computes the same from the same is assumed, and of those that
// draw numbers, that it does not matter which one drew them; and that their results have
// values. Whether payloads are the
// same, their digests tell: that of an ONNX node covers the form that its operator has
// in its operator set (package onnx), not the number of the set.
//
// # What has no value
//
// The equation is proved of real numbers, and of functions that have a value at each. Where
// a function has none, such as the logarithm at -1, what it is there may be any number: the
// equation holds whichever that is, since no proof knows more of it than that it depends on
// the argument. What is computed with such a number is cut, but for nodes that only rearrange
// entries. So an entry of a left term that is without a value is that number itself. The
// entry of the right term is equal to it whichever number it is; so it is not an entry that
// has a value, but the same function at the same number: it has no value either. What has a
// value on the left therefore has one on the right, and the reverse.
//
//	z = ewadd(y, ewsub(log(x), log(x)))     is not y, where x may be negative
//
// is cut at the difference, and a proof that it is y is about other models. With exp(x) for
// x, or an x to which a positive weight was added behind a rectifier, it is y.
//
// Laws are about sizes of at least 1. A tensor without elements is no variable and no term:
// inputs, outputs and operands of cut nodes that have none are left out on both sides. Two
// tensors of one type without elements are equal, and that their types are the same is
// checked. An equation with a variable that has a size of 0 says nothing, and is refused.
//
// What is deeper than 100,000 operators, and weights that take more than 10^10
// operations or 2^27 numbers to compute again, are refused.
//
// A weight that is computed again is refused where float64 may have an element off by
// more than 2^-24 of itself and 2^-36 of the largest element, as where 1 is lost beside
// 10^20 before that is taken away again, and where rounding to the weight's type
// changes an element by more than 2^-10 of the largest, as where all are too small for it.
//
// An equation is about real numbers: in floating point both models differ by
// rounding, also of constants, whose element type the equation does not tell. Where
// sums overflow, they may differ by more.
package network
