// Package verify proves equations between tensor graphs from laws, in an e-graph.
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
// [EGraph] puts the sides of a goal into an e-graph that is saturated with the
// axioms under shape conditions; what is equal then is explained by axiom
// instances. Cf. Willsey et al., egg (POPL 2021), and Nieuwenhuis, Oliveras,
// Proof-producing congruence closure (RTA 2005). The instances are checked again
// elsewhere, by Z3 as a ground formula and by package verify/check.
//
// The other engines have rooms of their own: Z3 with the axioms as quantified
// formulas (verify/smt), both sides as sums over symbolic index ranges, without
// axioms (verify/sums), every instance of a scope (verify/bounded), and the search
// for counterexamples (verify/refute). Package verify/spread decides what a law
// says when operands of sums and products of elements may differ in shape.
package verify
