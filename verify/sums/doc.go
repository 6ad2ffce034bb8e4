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
// unknown pads, which are all there are; strides and numbers of groups up to a
// limit, which is no proof: a Result has it apart, in UpTo, unless the conditions
// of the law permit no larger number of groups. A case that the conditions rule
// out says nothing. Where every case that was tried is such, nothing is known.
//
// # Axis runs
//
// Axis runs are one axis of any size where the law only carries them along: it
// is well typed with the runs as they are, and lengths of runs stand in
// attributes of sort axis only. That one axis speaks for any number of axes
// follows operator by operator. Inference with runs takes them
//
//	in functions of one element, sums and products of elements, smul: where
//	both operands have them
//	in concat, slice, split, softmax, gather and layernorm: beside the axis, or
//	before the first axis, that is worked on; the number of that axis has to be
//	the number of items before it, as a formula
//	in matmul: before the last two axes, the same in both operands
//	in reductions: behind the axes that are folded
//	in batchnorm: behind the first two axes
//	in broadcast: at the same place of both shapes, or in front
//	in reshape: at the same place of both shapes, with what is before it, or
//	behind it, the same in both
//	in one: anywhere, every entry being 1
//
// and nowhere else. In each of these an entry of the result at index i along an
// axis of a run depends on entries of the operands at the same i only, and in the
// same way for all i; definedness does not depend on its size. So the index along
// a run may be any place in the block of its axes: tensors with n axes in a run
// are, row by row, tensors with one axis of as many elements (no axes: one
// element), and both sides of the law keep that reading. This is the rank
// reduction of TensorRight, for axes that are carried along unchanged. All axioms
// and lemmas with runs are of this kind. Otherwise numbers of axes are tried up
// to a limit, which is no proof.
//
// # Definedness
//
// Laws tagged "ordered" are about the true relu and maximum: then what is
// not negative is recognized, relu and max keep the order, and factors that are
// not negative move through both.
//
// Definedness is decided from the same conditions that shape inference notes:
// Forward and Backward say for which direction the target is defined wherever
// the source is. Inference takes size functions (the number of windows) to be at
// least 1, wherever they occur: in a size, in a product or sum of sizes, in an
// attribute. A side is only understood if that follows from the sizes of its own
// tensors being at least 1, and from the conditions of the law; else nothing is
// known of the law. Sizes whose arithmetic leaves 63 bits are not known either.
//
// # Identity
//
// Tensors and functions are compared by name, kind and number of axes, sizes and
// attributes as values, unknowns by number, and Z3 knows them by numbers: no
// name that a law chooses can be taken for another, nor for one of the engine's.
//
// A result is Proved or it is not; there are no counterexamples here, and a law
// that is not proved may be true.
//
// The idea of proving tensor rewrites for all sizes and ranks is that of Arora
// et al., TensorRight: Automated Verification of Tensor Graph Rewrites (POPL
// 2025); the rules and most axioms are from Jia et al., TASO (SOSP 2019).
package sums
