// Package verify decides whether equations between tensor graphs hold.
//
// # Words
//
//	goal      a law whose sides are to be shown equal; its variables are
//	          constants while it is being proved
//	verdict   proved, refuted or unknown, with what was found
//	engine    one way of deciding; engines know nothing of one another, so that
//	          each can contradict the others
//	instance  one use of a law with what stands for its variables
//	proof     the instances from which a goal follows by congruence alone
//
// # Engines
//
// (a) All axioms as quantified formulas, decided by Z3 with E-matching only, as
// in Jia et al., TASO: optimizing deep learning computation with automatic
// generation of graph substitutions (SOSP 2019).
//
// (b) [EGraph]: the sides of a goal in an e-graph that is saturated with the
// axioms under shape conditions; what is equal then is explained by axiom
// instances. Cf. Willsey et al., egg (POPL 2021), and Nieuwenhuis, Oliveras,
// Proof-producing congruence closure (RTA 2005). The instances of (b) are
// checked again elsewhere, by Z3 as a ground formula ([Grounder]) and by package
// verify/check.
//
// (c) [Unbounded]: no axioms at all; both sides as sums over symbolic index
// ranges, for all sizes (package verify/sums). It finds no instances.
//
// [Refute] looks for a counterexample, a [Witness], small and exact, that
// [Witness.Replay] evaluates again. [Broadcasting] decides what a law says when
// operands of sums and products of elements may differ in shape.
package verify
