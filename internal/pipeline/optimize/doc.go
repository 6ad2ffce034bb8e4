// Package optimize is the command "taso optimize" as functions: it rewrites a model
// by laws that are proved until it costs less, and shows that the result is equal.
//
//	model ─► search over one bank ─► moves ─► replayed: graph, equation, instances
//	                                               │            │
//	                 weights computed ahead ◄──────┘            ▼
//	                         │                        certificate (law.CertFormat)
//	                         ▼                                  │
//	                   written, read again ─────► checker, both models run ─► kept
//
// # Words
//
//	cost      of what would run (packages lower and cost), in seconds
//	evidence  why a law is true: it is an axiom, it has a proof from the axioms, or
//	          both sides are the same sums for all sizes (package verify/sums)
//	proof     a certificate of one entry, the equation of both networks, with the
//	          laws that it uses as its lemmas
//
// A proof between two models that others made (Prove) needs both in one network: weights
// that are made of others are found by their numbers, and a normal form takes back what
// merging, cutting, folding and enlarging have done.
//
// What checks a result has no code of a search: the moves are made once more on a bank
// of their own, where each becomes an instance; verify/check takes the instances apart;
// verify/network says that the equation is about the two models; and both models are
// run. It shares the operators' registry and definitions, and what reads and holds
// laws (verify/check/doc.go).
package optimize
