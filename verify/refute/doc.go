// Package refute looks for counterexamples to laws: small ones, exact, that anyone
// can evaluate again.
//
// # Words
//
//	point     values of a law's sizes, axis runs and attributes
//	probe     the sides at a point compared on random numbers modulo 2^61 - 1
//	program   the sides at a point evaluated on exact values
//	reach     the search beyond small points, where the law itself says
//	          which sizes may tell its sides apart
//	witness   a counterexample as text; [Witness.Replay] evaluates it again
package refute
