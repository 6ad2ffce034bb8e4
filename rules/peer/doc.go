// Package peer reads the rule files that others publish, and ours, for audits, and
// writes some of them.
//
// Words. A file holds rules in one of these formats:
//
//	taso           TASO's protocol buffer, graph_subst.pb (package tasopb)
//	taso-verifier  equations of TASO's verifier: matmul(input_1,relu(input_4))==…,
//	               one a line or run together
//	tensat         Tensat's s-expressions: (relu ?x)=>(relu (relu ?x))
//	tensat-multi   the same, two at a time: a pair is one rule with two outputs
//	flexflow       the JSON form of FlexFlow's parallelization rules
//	text           the law language (package law)
//	json           our sets of rules, proofs inside
//
// A rule of the first five is a graph in the operators of TASO, and of FlexFlow beside
// them, tasopb.Rule; what
// the formats leave open (which side SAME padding favours, where a split cuts)
// stays open here and is fixed by package rules, which translates such rules
// to laws. A rule of the last two is a law. A rule that is neither has a fault:
// it is ill-formed (a variable that only its right side has, a wrong number of
// arguments, an operator that is not there), whatever its operators mean, or it
// is unsupported, and then the fault lists what is not known. A fault is one of
// its rule: the other rules of the file are read all the same. What is no file
// of the format at all is an [Error] with its place.
//
// An equation claims both directions, and its variables may occur on one side
// only; a substitution (written =>) claims one, and the variables of its right
// side must occur on its left.
//
// The readers are made for hostile input: no panic, memory in proportion to the
// file, and limits ([MaxBytes] and the others) that end in one clear line.
//
// [WriteTensat] and [WriteFlexFlow] write rules for the two programs; what they wrote
// is read here as the same graphs.
//
// The formats are those of the public sources of Jia et al., "TASO: Optimizing
// Deep Learning Computation with Automatic Generation of Graph Substitutions",
// SOSP 2019; Yang et al., "Equality Saturation for Tensor Graph
// Superoptimization" (Tensat), MLSys 2021; Unger et al., "Unity: Accelerating
// DNN Training Through Joint Optimization of Algebraic Transformations and
// Parallelization" (FlexFlow), OSDI 2022.
package peer
