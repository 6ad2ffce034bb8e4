// Package taso is the root of a toolkit that makes neural networks faster with
// proved rewrites of their tensor graphs. It enumerates small graphs,
// fingerprints them on exact random inputs to find candidate substitutions,
// proves the candidates from readable axioms and writes them as rule
// sets with a certificate per rule. It audits the rule sets of others, reads, runs,
// measures and compares models, and finds where proved laws can be used in them
// (package search); what optimizes whole networks with them is to come. The package
// itself holds no code: the engines live in the packages below it, the command line
// in cmd/taso. Which package may import which is stated as a picture in
// deps_test.go, and enforced there.
//
// The method is that of Jia et al., "TASO: Optimizing Deep Learning Computation
// with Automatic Generation of Graph Substitutions", SOSP 2019.
package taso
