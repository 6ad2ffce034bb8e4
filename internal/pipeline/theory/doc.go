// Package theory holds the laws from which rules are proved, and proves from
// them. A goal counts as proved only when three agree: the e-graph finds a proof,
// Z3 decides the ground formula of its instances and minimizes it, and the
// independent checker accepts what is left.
//
// The proofs of the lemmas and of the laws of package rules/builtin come with the
// program as certificates: Stored reads them and has the checker accept each, Load takes
// the lemmas that matter from there, Search finds them anew.
//
//	axioms ──Search──► lemmas, laws of rules/builtin ──WriteCert──► rules/builtin/laws.cert
//	                                                                   │ embedded
//	axioms, laws ◄──────────── Stored: verify/check, the same laws ◄───┘
package theory
