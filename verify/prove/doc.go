// Package prove proves laws from operator semantics, each law once. All commands ask it
// whether a law holds and why. It is not trusted: it searches with verify/sums, and the
// checker verify/meaning has accepted every certificate that it returns.
//
//	law ──► cache ──► proofs of axioms and lemmas ──► search (verify/sums) ──► certificate
//	                  (axioms.Proof)                        │ none
//	                        └──► verify/meaning ◄──┘        └──► reason
//
// # Effort
//
// The budget of a search is its [Effort]. There are three:
//
//	Glance    laws that are also refuted by evaluation; most laws are decided at once
//	Search    laws that a program states by itself: there are thousands, many are false
//	Thorough  laws that a person states, or that come with the program
//
// A result depends on the law and on the effort, and on nothing that was asked before.
// So several commands and goroutines can share one cache.
package prove
