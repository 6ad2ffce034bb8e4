// Package instance gives the variables of laws values and evaluates laws at them:
// shapes first, then entries over any ring.
//
// # Words
//
//	program    a law whose subterms are numbered, equal ones once, arguments first
//	instance   a program at values of the law's variables: the sizes of every
//	           subterm, or why it has none, and what its operator computes
//	outcome    what the two sides of a law are on one instance
//	space      the values of a law's variables, plain ones first, with its
//	           conditions as polynomials over them; a point picks one of each
//	scope      which values: for all instances in order ([Instances]), a covering
//	           of all pairs of values ([Cover]), or random ones ([Sampler])
//	valuation  a point spelt out, by names
//
// Random tests, the search for counterexamples and the check of all instances
// of a scope differ in their rings and in the order in which they try values; what
// they evaluate is the same program, and what they try are points of one space.
package instance
