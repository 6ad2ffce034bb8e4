// Package sums decides, for all sizes at once, whether the two sides of a law
// are equal entry by entry. It uses no axioms: it works from what the operators
// compute (graph.Op.Entry), so it can check the axioms themselves.
//
// Package verify/meaning says what normal forms of entries are, how two are compared,
// and why each step is right; it asks wherever there is a choice, or a question about
// linear conditions. This package answers. Two guides do so:
//
//	guide      a [Prover]'s: Z3 answers questions; nothing is put on record
//	Recorder   that of [Certify]: refutations are found here, and everything is
//	           written down as a proof, which meaning.Check then verifies
//
// # How choices are made
//
// Terms with the same atoms are brought to the same bound variables: indices that
// must agree propose how, by solving linear equations. What they leave open is found
// from ranges: each guard of a term's domain has to be one of the group's (reflect.go).
// The points at which a value of a maximum is taken are found by the same equations. A
// proposal need not be right: it is checked.
//
// A variable below g*n stands for a pair where the other terms read the same axis by
// pairs: it is then written in digits (digits.go), so that
//
//	sum over v < g*n of X[v]  and  sum over x < g, y < n of X[n*x + y]
//
// are one group. Where an entry divides an index, as below a reshape, the engine itself
// writes it in digits.
//
// # How questions are answered
//
// A Prover asks Z3, in linear integer arithmetic without quantifiers. An answer that
// Z3 does not give within its limit proves nothing. A Recorder eliminates unknowns by
// Fourier and Motzkin's method, each new row being tightened over the integers (Pugh,
// The Omega Test, 1991), and keeps of which rows each is the sum. What is left
// gives a solution, or none where the rows contradict one another. A known condition
// that the solution breaks becomes a row, or is split into its cases. Nothing is
// sampled. Most questions have a solution, and many the same one: answers and solutions
// are kept (memory.go).
//
// # Values
//
// Maxima and quotients that sums do not tell are compared as numbers (values.go). A piece of a
// maximum is dropped if the simplex method finds a combination that shows another to be at
// least as large (mixture.go). If it finds none for any piece, two pieces are compared, of the
// least degree. For linear pieces this decides: what has no proof then is false, unless two
// variables depend on each other.
//
// # Cases
//
// A stride, padding, border or number of groups that is a variable is left open
// first. Otherwise the variables are tried by value: strides and numbers of groups up
// to a limit, which is no proof: a Result has it apart, in UpTo, unless the conditions
// of the law permit no larger number of groups. A case that the conditions rule
// out says nothing. Where every case that was tried is such, nothing is known. Numbers
// of axes in a run that the law does more with than carry it along are tried up to a
// limit too.
//
// A result is Proved or it is not; there are no counterexamples here, and a law
// that is not proved may be true.
//
// The idea of proving tensor rewrites for all sizes and ranks is that of Arora
// et al., TensorRight: Automated Verification of Tensor Graph Rewrites (POPL
// 2025); the rules and most axioms are from Jia et al., TASO (SOSP 2019).
package sums
