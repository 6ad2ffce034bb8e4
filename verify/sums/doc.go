// Package sums decides, for all sizes at once, whether the two sides of a law
// are equal entry by entry. It uses no axioms: it works from what the operators
// compute (graph.Op.Entry), so it can check the axioms themselves.
//
// # Words
//
//	entry        the value of a tensor at a symbolic index
//	normal form  an entry as a sum of terms
//	term         number * sizes * the sum, over the integer points of a domain,
//	             of a product of atoms; the domain is given by linear guards
//	atom         a read of an input at linear indices, a function of one element
//	             of a normal form, or a maximum over sets of normal forms
//	case         values for some variables of a law; most laws need one case
//	open         a variable of which nothing was assumed in a case
//
// # How
//
// Concatenation, slices, enlarging and borders become guards and shifts; matrix
// products, convolutions and averages become bound variables; equations that
// give a bound variable (identity matrices and kernels) are used up, and sums
// over what does not depend on the variable are counted. A function of a case
// distinction is a case distinction of functions, and so is a maximum; a maximum
// of maxima is one.
//
//	conv(X, concat(V, W)) at (b, o, i, j) =
//	    sum over c, kh, kw of X[b, c, ...] * V[o, c, kh, kw]     if o <  m
//	  + sum over c, kh, kw of X[b, c, ...] * W[o-m, c, kh, kw]   if o >= m
//
// Two normal forms are compared product by product. Terms with the same atoms
// are brought to the same bound variables: indices that must agree propose how,
// by solving linear equations, and the proposal is then checked: it maps the
// integer points one to one, and the indices are equal on the domain. What is
// left is one question to Z3 for each product, in linear integer arithmetic
// without quantifiers: is there a point at which the numbers of the terms whose
// domain holds it do not add up to 0? Maxima are equal if each value of one is a
// value of the other; the point at which it is taken is found by the same
// equations, and what remains is eliminated by Fourier and Motzkin's method,
// used only where it is exact over the integers. Nothing is sampled, and an
// answer that Z3 does not give within its limit proves nothing.
//
// A stride, padding, border or number of groups that is a variable is left open
// first: windows are then unknown functions of sizes and place, equal where
// these are equal. Many laws hold for that reason, and then hold for all values.
// Otherwise the variables are tried by value: both SAME paddings, none, and four
// unknown pads; strides and numbers of groups up to a limit that the result
// states. Axis runs are one axis of any size where the law only carries them
// along (see runCases), else all ranks up to a limit.
//
// Laws tagged "ordered" are about the true rectifier and maximum: then what is
// not negative is recognized, relu and max keep the order, and factors that are
// not negative move through both.
//
// Definedness is decided from the same conditions that shape inference notes:
// Forward and Backward say for which direction the target is defined wherever
// the source is.
//
// A result is Proved or it is not; there are no counterexamples here, and a law
// that is not proved may be true.
//
// The idea of proving tensor rewrites for all sizes and ranks is that of Arora
// et al., TensorRight: Automated Verification of Tensor Graph Rewrites (POPL
// 2025); the rules and most axioms are from Jia et al., TASO (SOSP 2019).
package sums
