// Package check is a checker of certificates. What it trusts is listed below;
// neither Z3 nor the e-graph nor the solvers of sizes are on that list; shape inference
// is only for proofs from what operators compute.
//
// # Words
//
//	certificate  a rule with the law instances from which it follows
//	              (law.CertFormat is the file format)
//	instance      one use of an axiom or proved lemma, with what stands for its
//	              variables
//	defined       a term is defined where its operators accept their arguments
//	needs         the conditions on sizes under which a term is defined, no more
//	              and no less
//	meaning       a proof from what operators compute, without laws: package
//	              verify/meaning checks it
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
// A proof from what operators compute has no instances: package verify/meaning checks
// it, and its doc.go says how. A report counts such entries apart.
//
// # Why that is enough
//
// A law says, for all its sizes of at least 1, runs, attributes and functions
// that satisfy its conditions, and all defined tensors of the given shapes: if
// it is written ==, the outputs of the left side are all defined if and only if
// those of the right side are, and are equal then; if it is written =>, where
// the outputs of the left side are all defined, those of the right side are,
// and are equal.
//
// Read a term that is not defined as one more value, which every operator
// passes on: equality is then an equivalence that operators respect, and
// congruence closure is sound for it, provided that each equation asserted holds
// with that value too. An equation of two outputs of an instance does, for given
// sizes, in these cases:
//
//   - What stands for a tensor variable is not defined, and the variable is in
//     every output of both sides: none of them is defined.
//   - All that stands for tensor variables is defined, sizes are at least 1,
//     conditions hold, and the law is == with one output on each side: both are
//     undefined, or both defined and equal.
//   - The same, and all outputs of one side are defined, of a law written => of
//     the left side: so are all of the other, and they are equal.
//
// So the checker assumes of an instance: that what stands for a tensor variable
// is defined, unless the variable is in every output of both sides (a variable
// that no side has included); the law's conditions; that a size is at least 1,
// unless it is an axis of one of these tensors, which it is where the tensor is
// defined; of several outputs, that one side is defined; of =>, that the left
// side is. A split is brought to slices, which are defined where one part is
// empty; that neither is, is assumed as well.
//
// What is assumed the rule must give, in each direction that it is said of: it
// holds for all sizes, or is one of the rule's own conditions, or is needed for
// the source side to be defined. Then source defined implies target defined and
// equal. Size functions have a value where no window fits, below 1: that one is
// at least 1 counts as known only where it follows.
//
// A gather is defined only where the positions that it is given are within its table.
// That is given where the source has a gather at the same node, or at one that holds
// the same entries moved, in a table that is no longer.
//
// # Values
//
// What is proved of a law is proved of real numbers, and of functions that have a value at
// each: log(X) - log(X) is 0. Where a function has no value the sides may differ, unless the
// law only speaks of terms that have values, or are the values of such functions alone:
// law.WithoutValue says why both sides are without a value then at the same inputs. Any other
// law and lemma of a file must say that it holds where every term has a value, by the tag
// real, or it is rejected. Who uses it has to show that: package verify/network does it for
// the equation of two models.
//
// # What takes how long
//
// A term is looked at once wherever it is shared, and an entry of a file has each
// of its nodes once. Memory and time are linear in the nodes and instances of an
// entry, but for the closure, which is n log n, and for conditions that do not
// hold for all sizes: each is compared with all that the rule gives, unless it
// is one of them.
//
// # What is trusted
//
// This list is all that need be right for an accepted certificate to be one; lines
// are those that are neither blank nor comments, and TestTrusted counts them.
// Shared with the provers are the readers of laws, which turn text into terms,
// sizes and instances: a size that is read is a graph.Dim, which the reader
// multiplies and adds up, and whose size functions it folds; the checker asks it
// for its terms and computes with sizes of its own.
//
//	verify/check, 2,601 lines
//	  size.go window.go               polynomials with whole coefficients of any length; size functions
//	  env.go terms.go                 reading under what variables stand for, in the place of substitution
//	  value.go zero.go                attribute values and sorts; the functions with f(0) = 0
//	  perm.go                         products of permutations, and axes under them
//	  shape.go shape_models.go shape_layout.go   shape rules
//	  cond.go given.go places.go      conditions
//	  closure.go                      congruence closure
//	  check.go file.go                what is said above
//	internal/lex, 177 lines
//	  lex.go                          words of a text
//	law, 1,888 lines
//	  parse.go parse_term.go sorts.go errors.go walk.go
//	  values.go                       which laws hold only where every term has a value
//	  law.go term.go proof.go         laws, terms, instances
//	  cert.go cert_file.go            certificate files
//	graph/bounds, 530 lines
//	  bounds.go entry.go graph.go     which terms have values, by intervals
//	graph, 2,105 lines
//	  interval.go                     arithmetic of intervals
//	  dim.go window.go atom.go        sizes as they are read
//	  value.go shape.go number.go dtype.go function.go key.go perm.go
//	  op.go each.go                   the registry, operators on each member of families
//
// For the tag real alone, the laws' shapes are inferred (law: typing.go untransposed.go) and
// the operators' entries looked at. Of the operators in the registry (package graph/op) it takes names, arities,
// names and sorts of parameters, and which are functions of one element. Beside
// these: the axioms, which are evaluated and proved for all sizes by other means
// (taso axioms check; taso check has proofs of them from what operators compute); for
// such proofs what verify/meaning/doc.go lists; Go, and of its library encoding/json, crypto/sha256 and
// math/big. [Z3] decides the same equations by Z3, but takes instances as this
// package built them, and is not needed.
//
// TestUses pins what the checker names of packages graph and law.
//
// The congruence closure is that of Downey, Sethi, Tarjan, Variations on the
// common subexpression problem (JACM 27(4), 1980).
package check
