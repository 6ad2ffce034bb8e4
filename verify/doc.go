// Package verify proves equations between tensor graphs from axioms, by equality saturation.
//
// [EGraph] is the prover: its Prove takes goals (laws whose variables are constants) and returns
// a [Verdict] for each: proved, refuted or unknown, with the reason. A proved goal has a proof: the
// instances of axioms from which it follows by congruence. [Derive] asks whether one law follows
// from others. [Session] keeps compiled axioms for many goals. See the example of [EGraph].
//
// Proofs are not trusted. Package verify/check checks them, and so does Z3.
//
// Other provers have their own packages. They do not use this one (but for verify/spread), so that
// each can contradict the others:
//
//	verify/sums     compares both sides as sums over symbolic index ranges, without axioms
//	verify/smt      Z3, with the axioms as quantified formulas or with the instances of a proof
//	verify/bounded  evaluates every instance up to small sizes, symbolically
//	verify/refute   searches for counterexamples
//	verify/spread   laws whose operands differ in shape (broadcasting)
//
// Equality saturation follows Willsey et al., egg (POPL 2021), and explanations follow Nieuwenhuis
// and Oliveras, Proof-producing congruence closure (RTA 2005).
package verify
