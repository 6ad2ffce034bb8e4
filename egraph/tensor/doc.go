// Package tensor puts tensor terms into an e-graph: it knows shapes and laws,
// where package egraph knows neither.
//
// # Words
//
//	symbol     an operator with its attribute values, a leaf (a tensor variable
//	           of a shape), or a function variable; a small number in a [Table]
//	shape id   a shape as a small number in the same table: the datum of a class
//	rule       one direction of a law that package law/rewrite compiled, for a Table
//	solution   what a match's symbols and shapes mean for a rule: the values of
//	           sizes, runs and attributes, and the symbols of the target, or
//	           that the rule does not apply
//	instance   a solution with the nodes that stand for the tensor variables
//
// # How a rule is applied
//
//	law ─► pattern over heads ─► match: nodes and classes
//	                                │ symbols, shape ids (numbers)
//	                                ▼
//	       solution, decided once per (rule, symbols, shapes) ─► target symbols
//	                                │
//	                                ▼
//	       look up or add the target, unite it with the matched root
//
// Whether a law may be used on a match depends on the symbols of the matched
// nodes and the shapes of the classes that the variables stand for, on nothing
// else. So it is decided once for each combination, with all the care that
// symbolic sizes need, and is a table look-up ever after. The same holds of
// shape inference. What a solution has to satisfy:
//
//   - the law's attributes, instantiated, are the nodes' attributes and its
//     given shapes are the classes' shapes, as polynomials;
//   - every size variable is at least 1 for all sizes of the goal;
//   - every "where" condition holds for all sizes or is one of the goal's own;
//   - the target is well-typed and has the shape of what it replaces.
//
// Inequalities that shape inference leaves open are not asked for where the law
// says that its two sides are defined for the same sizes. It does not say so of a
// tensor that is not in every output of both sides, of one output among several,
// and of a law written =>; what has to be defined then, the goal has to grant
// (defined.go). Size functions in a law's sizes are taken to be at least 1, as
// shape inference takes them: that the sizes of an instance are, the checker of
// certificates sees to.
//
// Patterns, the solver of sizes and the conditions of a law are those of package
// law/rewrite. A split is replaced by the slices it stands for, on both sides of
// laws and in goals, before anything is compared.
//
// A Table, and what is made from it, serves one goroutine.
package tensor
