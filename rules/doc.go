// Package rules holds sets of proved substitutions: it reads and writes them,
// prunes them and joins them.
//
// Words. A rule is a law (package law) that was generated rather than written
// by hand. Its law is in canonical form, and its name is its identity: "r_"
// and ten digits of the hash of the canonical text, never a position in a
// file. A direction of a rule, forward (left to right) or backward, is usable
// if everything that the other side needs is known from this side. A rule is
// derivable if it follows from the kept rules of its set; a set with its
// derivable rules left out is minimal. The evidence for a rule, a proof, lives
// beside its statement and not in it: FILE.rules holds laws that people read,
// FILE.cert the proofs that a checker reads.
//
// Forms. The text form is the law language with a header of comments; the JSON
// form holds the same and the proofs in one document; both are lossless, and
// equal sets give equal bytes. The third form is the protocol buffer of TASO, see
// package rules/taso.
//
// Pruning follows §3 of Jia et al., "TASO: Optimizing Deep Learning
// Computation with Automatic Generation of Graph Substitutions", SOSP 2019:
// renamed inputs ([Set.Add]); and goes
// further by instances of more general laws ([Subsume]). [Join] makes rules
// with two outputs out of rules with one.
//
// What laws say where operands may differ in shape is in package rules/broadcast.
// The files of other programs are read by package rules/peer.
//
// Reading a proof is not checking it: see package verify/check.
package rules
