// Package instance evaluates laws at given sizes: shapes first, then entries over
// any ring.
//
// # Words
//
//	program    a law whose subterms are numbered, equal ones once, arguments first
//	instance   a program at values of the law's variables: the sizes of every
//	           subterm, or why it has none, and what its operator computes
//	outcome    what the two sides of a law are on one instance
//
// Random tests, the search for counterexamples and the check of all instances
// of a scope differ in their rings and in what they ask; what they evaluate is
// the same program.
package instance
