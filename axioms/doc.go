// Package axioms holds the properties of operators that every proof starts
// from, as embedded texts in the law language (package law), one file a topic.
//
//	axiom   assumed; checked here by evaluation on all small instances, and by a
//	        proof from what its operators compute ([Proof])
//	lemma   follows from the axioms; kept because it makes proofs short
//	refute  false, with a witness among the small instances
//
// The list starts from the operator properties that TASO's verifier assumes
// (Jia et al., "TASO: Optimizing Deep Learning Computation with Automatic
// Generation of Graph Substitutions", SOSP 2019, table 2) and states each for
// the operators of package graph/op, with its conditions. Laws that cite
// taso19 have their counterpart there; the others are ours.
//
// The sentences are also documentation: [Markdown] renders them as
// docs/laws.md.
package axioms
