// Package axiomcheck is the command "axioms check" as a function: everything
// that can be asked of a set of axioms without believing it.
//
//	bounded      every law on the instances of a scope, as polynomials
//	             (package verify/bounded)
//	unbounded    every law for all sizes, by a prover that the caller gives
//	redundancy   does an axiom follow from the other axioms? each lemma must
//	             follow from the axioms and the lemmas before it
//	refutes      every refuted equation has a counterexample that replays
//	mutants      every law that differs from one of these in one place is shown
//	             to be false, or why it is true (package law/mutate)
//	consistency  no two tensors that differ become equal: not for Z3 with all
//	             laws quantified, not in an e-graph into which all laws are
//	             poured
//
// # Words
//
//	part       one of these six
//	task       one part for one law; tasks do not depend on one another
//	finding    a line that says what is wrong; a report without is clean
//
// A finished task is a line of the checkpoint file, named by the hash of what it
// depends on, so that a run that was stopped goes on where it was, and a change
// of one axiom repeats no more than it must.
//
// What the report says depends on the laws and the options alone, but for the
// seconds.
package axiomcheck
