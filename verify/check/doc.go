// Package check is a small checker of certificates that shares no code with
// the provers: neither Z3 nor the e-graph need be trusted where it accepts.
//
// # Words
//
//	certificate  a rule with the law instances from which it follows
//	              (law.CertFormat is the file format)
//	instance      one use of an axiom or proved lemma, with what stands for its
//	              variables
//	defined       a term is defined where its operators accept their arguments
//	needs         the conditions on sizes under which a term is defined
//
// # What is checked
//
// For every instance: the law is an axiom of the file or a lemma proved
// earlier in it; every variable is bound, to something of its sort over the
// rule's variables; each tensor's shape, inferred by the rules of this package
// over symbolic sizes, is the law's given shape; the law's conditions hold;
// both sides have shapes, and the same one. For the rule: both sides have the
// same shape, and every pair of outputs is in one class of the congruence
// closure of the instances' equations.
//
// # Why that is enough
//
// Read a term that is not defined as one more value, which every operator
// passes on. A law then says that its two sides are the same value, be it the
// undefined one, for defined tensors of the given shapes. An instance may put
// terms for tensors that are not defined for all sizes. If the tensor variable
// is on both sides of the law, both sides are undefined with it, and the
// equation stands; if it is on one side only, the checker demands that the rule
// makes the term defined. Likewise a size must be at least 1: it is, or it is an
// axis of such a term, or the rule must give it. "The rule gives it" is said of a
// direction: a condition holds for all sizes, or is one of the rule's own
// conditions, or is needed for the source side to be defined; then source
// defined implies target defined and equal.
//
// What is left to trust: this package, package law (reading laws, putting
// instances in), the arithmetic of graph.Dim, and the axioms.
//
// The congruence closure is that of Downey, Sethi, Tarjan, Variations on the
// common subexpression problem (JACM 27(4), 1980).
package check
