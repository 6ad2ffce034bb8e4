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
// equal sets give equal bytes. The third form is the protocol buffer of TASO
// (package tasopb): [FromTASO] translates its rules to laws with explicit
// split positions, shapes and padding, [ToTASO] writes what that format can
// say and lists what it cannot.
//
// TASO's split has no position: it cuts where its input was last joined. The
// generator follows these places, which we call seams, through the operators;
// so do both translations, and a law has the position written out. What SAME
// padding and groups mean is the [Reading].
//
// Pruning follows §3 of Jia et al., "TASO: Optimizing Deep Learning
// Computation with Automatic Generation of Graph Substitutions", SOSP 2019:
// renamed inputs ([Set.Add]) and common subgraphs ([PruneCommon]); and goes
// further by instances of more general laws ([Subsume]). [Join] makes rules
// with two outputs out of rules with one.
//
// Broadcastings lists what a law says if operands of sums and products of
// elements may differ in shape, as in ONNX. SideOfTASO types one side of a rule
// alone, so that an audit can tell what the other side asks beyond it. The files
// of other programs are read by package rules/peer.
//
// Reading a proof is not checking it: see package verify/check.
package rules
