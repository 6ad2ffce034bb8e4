// Package law is the language in which equations between tensor graphs are
// written: axioms, lemmas, generated rules, and refuted equations. One text
// serves the prover, the sampler, the rewriter and the documentation.
//
// A law reads as a theorem: given these tensors of these shapes, where these
// conditions hold, then both sides are equal. Precisely: for all sizes of at
// least 1, all axis runs, all attribute values and all real tensors with the
// given shapes, the two sides are both undefined, or both defined, of one
// shape, and equal entry by entry. "Defined" is about shapes. Numbers in attributes are
// real ([graph.Op.Real]).
//
//	# The product of matrices is associative.
//	axiom matmul_assoc
//	  given A : [B.., m, k], X : [B.., k, l], Y : [B.., l, n]
//	  then  matmul(A, matmul(X, Y)) == matmul(matmul(A, X), Y)
//
// Tensor variables are upper case, sizes lower case, axis runs upper case
// followed by "..". Attribute and function variables are bound with a sort:
// "s : stride", "p : padding", "q : same", "a : act", "f : pointwise1" (any
// function of one element), "f : zero1" (any with f(0) = 0), "g : mesh", "q : perm".
//
// A permutation variable stands for the permutations of the axes of what it transposes,
// however many these are: a law is about tensors of any number of axes. inverse(q) undoes
// q; after(q, p) is what q and then p make, which takes axis i from axis q[p[i]]; at(q, i)
// is q[i], the axis of the operand that is axis i of the result. Where axis #A of X is to
// be found in X transposed by q is at(inverse(q), #A):
//
//	# Softmax along an axis is softmax along its place after transposition.
//	axiom softmax_transpose
//	  given X : [A.., n, B..], q : perm
//	  then  softmax[axis=at(inverse(q), #A)](transpose[perm=q](X))
//	     == transpose[perm=q](softmax[axis=#A](X))
//
// [Untransposed] is such a law without the variable.
//
// Where a function has no value, as the logarithm at -1, both sides are without one at the
// same entries. A law of which that is not seen ([WithoutValue]) has the tag real: it holds
// where every term of it has a value, and whoever uses it has to show that they have.
//
//	# A batch normalization is a product and a sum.
//	axiom batchnorm_scale [real]
//
// A term is a graph: what several terms share is one node of it. [Nodes] numbers
// the nodes, equal ones alike; a certificate is written over such numbers, see
// [CertFormat], and so is as long as its graphs, where a text is as long as their
// trees.
//
// An instance of a law gives values to all its variables but the tensors
// ([Valuation]). [Instances] lists the small ones and [Sampler] draws larger
// ones; package axioms evaluates every law on both. [Lint] finds what is wrong
// with laws without evaluating them, [Canonical] and [ID] tell laws apart that
// differ by more than names.
//
// Package law/rewrite compiles laws and finds where they can be used.
package law
