// Package law is a language for equations between tensor graphs: axioms, lemmas, rewrite rules
// and refuted equations. Provers, the certificate checker, the optimizer and the documentation
// (docs/laws.md) all read the same text.
//
//	# Matrix multiplication is associative.
//	axiom matmul_assoc
//	  given A : [B.., m, k], X : [B.., k, l], Y : [B.., l, n]
//	  then  matmul(A, matmul(X, Y)) == matmul(matmul(A, X), Y)
//
// [Parse] reads a file of laws and [Format] writes a law. [Lint] finds mistakes without evaluating
// a law. [Canonical] and [ID] identify laws that differ in names only. The examples show each of
// them. Package law/rewrite compiles laws and matches them in graphs, package verify proves them.
//
// # Syntax
//
// Tensor variables are upper case (A), sizes lower case (m). An upper-case name with two dots
// (B..) is an axis run: any number of axes. #B is the number of axes in B. Other variables are
// declared with a sort:
//
//	s : stride   p : padding   q : same   a : act   g : mesh   r : perm
//	f : pointwise1   any function of one element
//	f : zero1        any function of one element with f(0) = 0
//
// A perm variable is a permutation of the axes of the tensor that it transposes, of any rank.
// inverse(q) is its inverse, after(q, p) applies q and then p, and at(q, i) is the axis of the
// operand that becomes axis i of the result:
//
//	# Softmax commutes with transposition, if the softmax axis is permuted too.
//	axiom softmax_transpose
//	  given X : [A.., n, B..], q : perm
//	  then  softmax[axis=at(inverse(q), #A)](transpose[perm=q](X))
//	     == transpose[perm=q](softmax[axis=#A](X))
//
// # Meaning
//
// A law written == holds for all sizes of at least 1, all axis runs, attribute values and real
// tensors that satisfy its conditions: either both sides are undefined, or both are defined and
// equal, entry by entry. A law written => holds where its left side is defined. "Defined" is
// about shapes. Entries are real numbers, and so are numbers in attributes ([graph.Op.Real]).
//
// Some functions have no value at some numbers, such as log at -1. If it is not evident that both
// sides have no value at the same entries ([WithoutValue]), the law has the tag real:
//
//	axiom batchnorm_scale [real]
//
// Such a law holds where each of its terms has a value. Whoever applies it must show that.
//
// # Terms and certificates
//
// A term is a directed acyclic graph, not a tree. [Nodes] numbers its nodes, each once, so a
// certificate ([CertFormat]) is as long as its graphs. An [Instance] is a use of a law with values
// for its variables; a [Proof] is a list of instances.
package law
