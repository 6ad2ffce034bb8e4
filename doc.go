// Package taso is the root of a toolkit that makes neural networks faster with
// proved rewrites of their tensor graphs. It enumerates small graphs,
// fingerprints them on exact random inputs to find candidate substitutions,
// proves the candidates from a page of readable axioms and writes them as rule
// sets with a certificate per rule; the same rules then drive optimizers that
// rewrite whole networks by cost. The package itself holds no code: the engines
// live in the packages below it, the command line in cmd/taso. Which package may
// import which is stated as a picture in deps_test.go, and enforced there.
//
// The method is that of Jia et al., "TASO: Optimizing Deep Learning Computation
// with Automatic Generation of Graph Substitutions", SOSP 2019.
package taso
