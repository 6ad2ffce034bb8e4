// Package smt proves laws with Z3.
//
// [Quantified] states all axioms as quantified formulas and lets Z3 use them by
// E-matching only, as in Jia et al., TASO: optimizing deep learning computation
// with automatic generation of graph substitutions (SOSP 2019); the laws carry
// their shapes. It finds no instances.
//
// [Grounder] is given the instances that another prover found: whether the goal
// follows from them by congruence is a formula without quantifiers. It makes
// proofs minimal.
package smt
