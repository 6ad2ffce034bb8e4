// Package found is the command "taso axioms found" as a function: for each axiom and lemma, it
// reports whether generated rules make it needless.
//
//	found     a generated rule states it, or it is an instance of one
//	implied   an e-graph derives it from generated rules alone, and the checker accepts the proof
//	missing   neither, with the reason
//
// No axiom takes part in a derivation, except as a goal that was itself found or implied.
// Missing means "not derived within the limits of the search". The reasons for what is missing
// come from the law, from the operators of the rule sets, and from generated rules that are
// special cases of the law: they show what a rule has as a constant and the law as a variable.
package found
