// Package check is a checker of certificates. Where it accepts, neither Z3 nor the
// e-graph nor shape inference nor the solvers of sizes need be trusted.
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
// # What it has of its own
//
// Size arithmetic (size.go: polynomials with whole coefficients of any length;
// window.go: the size functions), reading of terms under what their variables
// stand for instead of substitution (env.go, terms.go), attribute values and
// sorts (value.go), shape rules (shape.go, shape_models.go), the functions with
// f(0) = 0 (zero.go), conditions (cond.go), congruence closure (closure.go), and
// what is said above (check.go, file.go). Terms, sizes, attributes and operators
// are compared by what they are made of, never as printed. That is about 2,000
// lines without comments.
//
// # What is left to trust
//
// Besides this package: the axioms; Go, and encoding/json and math/big of its
// library; and the readers, which other parts of this program use too:
//
//   - package law turns text into laws, terms and instances: lex.go, parse.go,
//     parse_term.go, sorts.go, proof_json.go, law.go and term.go, about 1,850
//     lines. A size that is read is a graph.Dim, added and multiplied by the
//     reader: dim.go and window.go of package graph, about 600 lines, and
//     value.go, shape.go, number.go and function.go to hold what was read, about
//     450. The checker asks them for the terms of a polynomial and the parts of
//     a value, and computes with neither.
//   - from the registry of operators (packages graph and graph/op): names,
//     arities, names and sorts of parameters, and which operators are functions
//     of one element.
//
// TestUses pins what it names of packages graph and law. The axioms are evaluated
// and proved for all sizes by other means (taso axioms check). [Z3] decides the
// same equations by Z3, but takes instances as this package built them.
//
// The congruence closure is that of Downey, Sethi, Tarjan, Variations on the
// common subexpression problem (JACM 27(4), 1980).
package check
