// Package taso is the root of a toolkit for tensor-graph rewrite rules: it discovers rules, proves
// them, audits rule sets, optimizes ONNX models with proofs, and plans parallel training. The
// package itself has no code. The program is cmd/taso.
//
// To use it as a library, start with:
//
//	onnx      read and write models
//	search    apply rules to a graph and search for a cheaper one
//	law       the language of rules; axioms has the built-in ones
//	rules     rule sets with certificates
//	verify    prove rules; verify/check checks certificates
//	enumerate discover candidate rules
//	parallel  graphs on several devices; parallel/plan searches for plans
//	backends  run models and measure operators
//
// deps_test.go states which package may import which, and enforces it.
//
// The method is that of Jia et al., "TASO: Optimizing Deep Learning Computation with Automatic
// Generation of Graph Substitutions", SOSP 2019.
package taso
