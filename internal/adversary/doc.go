// Package adversary writes laws and certificates that look true, asks every
// engine what it makes of them, and has what is claimed evaluated by code that
// shares nothing with the engines (package eval). A claim that does not hold at
// some sizes is a finding: a wrong rule is the worst fault there is.
//
// # Words
//
//	law       written here: a variant of an axiom, a lemma or a kept falsehood,
//	          or terms of its own that are rewritten on one side
//	engine    whoever decides: the e-graph, Z3 on ground and on quantified
//	          formulas, sums, the checker and Z3 behind it, theory, the audit,
//	          and the search for counterexamples
//	claim     what an engine says of a law: that the sides are equal wherever
//	          both are defined, or, for a direction, that the target is defined
//	          wherever the source is, and equal
//	finding   a claim that the evaluation contradicts, with the sizes; or a panic
//	forged    a certificate made of a true one: its law altered, reversed, robbed
//	          of conditions or outputs, its proof that of another law
//
// # What is written
//
// Conditions are dropped, altered, and added so that few cases meet them; laws
// are reversed and made one-way; one output is taken of several; sizes become
// numbers, sums, products, each other, huge ones and size functions; axis runs
// become many axes; a zero is added that is defined for some sizes only; a
// subterm is rewritten in a way that is true wherever both are defined; tensors
// become terms, laws are put into laws and both sides into a larger term;
// chains of reshapes are compared; an operator is taken for one like it, as < for <=;
// elements are compared, chosen, raised to powers and cast; names look like values, functions, or each
// other. Most of it is nearly true, so that much is claimed.
//
// # Models
//
// [RunModels] attacks the check of proofs of models. It takes models A and B that
// differ and a variant of A that computes the same (package modelpairs), and puts
// false statements to the checker: the proof of A and its variant with B in the place
// of a model, mutants of that proof, and B's side of an equation before the instances
// of A's. ONNX Runtime and ONNX's reference implementation say that A and B differ.
//
// # What is found
//
// A run is the same for a seed, whatever the number of workers. A short one is
// part of the tests; "make adversary" runs a long one (ADVERSARY_LAWS=200000).
// What was once claimed falsely stands in testdata/false.rules: it is asked about
// first, and new laws are made of it.
//
// That no claim is contradicted proves nothing: laws are drawn at random, and so
// are the sizes at which they are evaluated.
package adversary
