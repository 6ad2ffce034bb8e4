// Package rewrite compiles laws and finds where they can be used.
//
// # Words
//
//	law        variables numbered, sizes as polynomials over these numbers
//	direction  a pattern, one or several roots over numbered tensor variables,
//	           and steps that build what the roots are equal to
//	slot       the number of a size variable, of the length of an axis run, or of
//	           a size function in a law
//	solver     finds what the slots stand for, from attributes and shapes
//	host       a graph in which laws are matched, given by two methods
//	match      a use of a direction in a host: tensors, sizes, functions
//
// # How a law is matched
//
//	law.Law ─► Compile ─► Direction ─► Matcher over a Host ─► Match ─► Build
//	                            │              │
//	                            │     Solver: sizes, runs, attributes
//	                            ▼
//	            egraph/tensor: patterns of an e-graph, the same Solver
//
// Operators are matched first, then sizes are solved for, once, from the
// attributes of what was matched and the shapes of what the variables stand for.
// A match satisfies:
//
//   - the law's attributes, instantiated, are those of the nodes, and its given
//     shapes those of the tensors;
//   - every size variable is at least 1, or the tensors matched say so, or it is
//     among the conditions that the match names;
//   - every "where" condition holds or is named;
//   - the law's premise holds or is named: the conditions under which its equations
//     stand where tensors may be undefined (cond.go). That tensors are defined, the
//     host has to say (Definite).
//
// That the target is well-typed and of the shape of what it replaces is seen when
// it is built.
//
// Which directions of a law can be used is decided here and nowhere else: those
// in which the source mentions all tensor, function and attribute variables, and
// determines all sizes, or all but some that can be guessed.
package rewrite
