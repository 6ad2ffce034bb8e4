// Package bounded checks laws on every instance of a scope, for all real values
// of the tensors' entries at once.
//
// # Words
//
//	instance    a law with numbers for its sizes, runs and attributes
//	entry       one element of an input tensor: an indeterminate
//	atom        an entry, or a function or a maximum of polynomials
//	form        the canonical form of an element: a polynomial with rational
//	            coefficients over atoms
//	symbolic    an instance whose sides have the same forms, entry by entry
//	tested      one whose forms differ and whose values agree on random numbers
//
// # How
//
//	instance ─► graph/interp over polynomials ─► forms of both sides
//	              equal: symbolic, a proof for these sizes
//	              differ, all atoms entries or unknown functions: the law fails
//	              differ otherwise: exact random testing decides, or nothing does
//
// Polynomials over an infinite field are equal as functions exactly if they are
// equal as polynomials, so comparing forms decides every law about sums,
// products, convolutions, averages, slices and constants. A function of which
// nothing is known is an atom named by the form of its argument: two such atoms
// are equal for every function exactly if the forms are. The relu and the
// maximum are atoms too at first, the maximum named by the set of its arguments;
// what holds then holds for every activation and every total order. If that is
// not enough, the rules of ordered.go about signs are added. They are sound,
// not complete, and what they do not decide is counted as tested.
//
// # Why not Z3
//
// TASO's checker asks Z3 whether sums of products of real variables may differ,
// which is nonlinear arithmetic, and hangs on an identity of convolutions. As
// polynomials the same sides have a few dozen terms and take microseconds to
// compare. Nothing is lost: over the reals an identity of polynomials has no
// counterexample that a normal form would miss.
//
// References: TASO (Jia et al., SOSP 2019), section 4.2, which checks its axioms
// for sizes up to 4 by Z3; Schwartz 1980 for why random testing of the rest is
// seldom fooled.
package bounded
