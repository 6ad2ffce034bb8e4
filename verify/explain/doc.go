// Package explain turns a proof into chains of equations that a person can
// follow: one law used at one place a step.
//
// # Words
//
//	proof     law instances from which a goal follows by congruence alone
//	          (law.Proof)
//	chain     terms t0, t1, ..., tn, where t0 is an output of the goal's left
//	          side and tn the same output of its right side
//	step      from one term of a chain to the next: one subterm, which is one
//	          side of an instance, becomes the other side
//	primitive a term in which every split is the slices it stands for, as all
//	          provers and the checker see it
//
// # Method
//
// The subterms of the goal and of the instances' sides are put into an e-graph,
// which closes the equations by congruence. A valid proof puts the two sides of each output into one
// class. Within a class every pair of terms is linked by equations, at a cost
// of one step each, and by congruence: f(x, y) and f(x', y') at the cost of
// taking x to x' and y to y'. The chain is a cheapest path, hence one with the
// fewest steps that the proof allows, and no term comes twice in it. Where the
// classes are too large for that, the chain is read off the e-graph's explanation,
// and what comes twice is cut out.
//
// Reference: Flatt et al., Small proofs from congruence closure (FMCAD 2022), for
// cheapest paths.
package explain
