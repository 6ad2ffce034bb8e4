// Package check checks certificates: that each rule of a file follows from the axioms.
//
// [File] checks a certificate file, [Rule] checks the proof of one law; the examples show both. [Z3]
// decides the same equations again and is optional. The checker trusts neither the search nor the
// e-graph nor Z3. It is independent, not tiny: about 2,600 lines here and 6,200 in the packages that
// it reads laws with, listed file by file below. Shape inference of package graph is used only for
// proofs from operator semantics.
//
// # Words
//
//	certificate   a rule with the law instances from which it follows (law.CertFormat)
//	instance      one use of an axiom or lemma, with values for its variables
//	defined       a term is defined where its operators accept their operands
//	needs         the exact conditions on sizes under which a term is defined
//	meaning       a proof from operator semantics, without laws (package verify/meaning)
//
// # What is checked
//
// For every instance: the law is an axiom of the file, or a lemma proved earlier in it. Every
// variable has a value of its sort, over the variables of the rule. The shape of each tensor,
// inferred by this package over symbolic sizes, is the shape that the law gives. The conditions of
// the law hold. Both sides have the same shape. For the rule: both sides have the same shape, and
// every pair of outputs is in one class of the congruence closure of the instances' equations.
//
// A proof from operator semantics has no instances: package verify/meaning checks it, and its doc.go
// says how. A report counts such entries separately.
//
// # Why that is sound
//
// A law makes a claim for all sizes of at least 1, axis runs, attributes and functions that satisfy
// its conditions, and all defined tensors of the given shapes. Written with ==: the outputs of the
// left side are all defined if and only if those of the right side are, and then they are equal.
// Written with =>: where the outputs of the left side are all defined, those of the right side are,
// and they are equal.
//
// Treat "not defined" as one more value, which every operator passes on. Equality is then an
// equivalence that operators respect, and congruence closure is sound for it if each asserted
// equation holds with that value too. An equation of two outputs of an instance does, for given
// sizes, in these cases:
//
//   - A tensor variable stands for something undefined, and occurs in every output of both sides:
//     then no output is defined.
//   - All tensor variables stand for defined tensors, sizes are at least 1, the conditions hold, and
//     the law is == with one output on each side: both are undefined, or both defined and equal.
//   - The same, and all outputs of one side (for =>, of the left side) are defined: then all of the
//     other side are, and they are equal.
//
// So the checker assumes of an instance: a tensor variable stands for something defined, unless it
// occurs in every output of both sides (a variable that occurs on no side is assumed too); the
// conditions of the law hold; a size is at least 1, unless it is a dimension of one of these tensors,
// which follows where the tensor is defined; with several outputs, one side is defined; for =>, the
// left side is. A split is rewritten to slices, which are defined where one part is empty; that
// neither part is empty is assumed too.
//
// The rule must imply each assumption, in each direction that it claims: the assumption holds for all
// sizes, or is a condition of the rule, or is needed for the source side to be defined. Then, if the
// source is defined, the target is defined and equal. Size functions have a value below 1 where no
// window fits; that such a value is at least 1 counts as known only where it follows.
//
// A gather is defined only where its positions are within its table. That is implied where the source
// has a gather at the same node, or at one with the same entries moved, in a table that is no longer.
//
// # Values
//
// A law is proved over real numbers, with functions that have a value everywhere: log(X) - log(X) is
// 0. Where a function has no value the sides may differ, unless the law is only about terms that have
// values, or about the values of such functions alone: law.WithoutValue explains why both sides then
// have no value at the same inputs. Every other law and lemma of a file must have the tag real, or it
// is rejected. Whoever uses it must show that its terms have values; package verify/network does so
// for the equation of two models.
//
// # Complexity
//
// A shared term is visited once, and an entry of a file stores each node once. Memory and time are
// linear in the nodes and instances of an entry, with two exceptions: the closure is n log n, and a
// condition that does not hold for all sizes is compared with everything that the rule implies, unless
// it is one of the rule's conditions.
//
// # What is trusted
//
// Only the code in this list must be right for an accepted certificate to be right. Lines are those
// that are neither blank nor comments; TestTrusted counts them. The provers share the readers of
// laws, which turn text into terms, sizes and instances. A size is read as a graph.Dim, which the
// reader multiplies and adds and whose size functions it folds; the checker asks for its terms and
// computes with sizes of its own. Words of error messages (internal/suggest) are not in the list.
//
//	verify/check, 2,654 lines
//	  size.go window.go               polynomials with whole coefficients of any length; size functions
//	  env.go terms.go                 reading under what variables stand for, in the place of substitution
//	  value.go zero.go                attribute values and sorts; the functions with f(0) = 0
//	  perm.go                         products of permutations, and axes under them
//	  shape.go shape_models.go shape_layout.go shape_defined.go   shape rules
//	  cond.go given.go places.go      conditions
//	  closure.go                      congruence closure
//	  check.go file.go                what is said above
//	internal/lex, 171 lines
//	  lex.go                          words of a text
//	law, 1,967 lines
//	  parse.go parse_term.go sorts.go errors.go walk.go
//	  definitions.go                  operators that a text defines
//	  values.go                       which laws hold only where every term has a value
//	  law.go term.go proof.go         laws, terms, instances
//	  cert.go cert_file.go            certificate files
//	graph/define, 1,433 lines
//	  parse.go definition.go check.go compile.go sizes.go   definitions, and the operators that they make
//	graph/bounds, 530 lines
//	  bounds.go entry.go graph.go     which terms have values, by intervals
//	graph, 2,145 lines
//	  interval.go                     arithmetic of intervals
//	  dim.go window.go atom.go        sizes as they are read
//	  value.go shape.go number.go dtype.go function.go key.go perm.go
//	  op.go defined.go each.go        the registry, operators on each member of families
//
// Only for the tag real, the shapes of the laws are inferred (law: typing.go untransposed.go) and the
// entries of operators examined. The operator registry (package graph/op) provides names, arities, names and
// sorts of parameters, and which operators are functions of one element.
//
// Also trusted: the axioms, which are evaluated and proved for all sizes by other means (taso axioms
// check; taso check has their proofs from operator semantics); for proofs from operator semantics, the
// list in verify/meaning/doc.go; and Go with encoding/json, crypto/sha256 and math/big. [Z3] takes
// instances as this package built them, and is not needed.
//
// TestUses pins the names of packages graph and law that the checker uses.
//
// The congruence closure is that of Downey, Sethi, Tarjan, Variations on the common subexpression
// problem (JACM 27(4), 1980).
package check
