// Package tasowalk replays the walk of TASO's public enumerator (TASO, SOSP
// 2019, section 2.2; src/generator of its sources) with its own operators,
// inputs and arithmetic, and counts the graphs that it visits. It is a
// comparison and nothing else: all of it are tests and a benchmark.
//
// TASO walks depth-first over sequences of operators. It has 20 named inputs,
// three of most shapes, all there from the start, and draws no distinction
// between a sequence and its rearrangements, nor between a graph and the same
// graph over other inputs of equal shape. A sequence is left when two of its
// tensors are equal. So each graph is visited once for each admissible order of
// its operators and each naming of its inputs:
//
//	Visits = sum over Ordered[k] of k * (graphs with k orders)
//	Unordered = sum over k of Ordered[k] / k
//	Visits / Unordered  orders of independent operators, on average
//	Unordered / Distinct  namings, on average
//
// Distinct is comparable with the count of graphs of any number of outputs of
// package enumerate, which over the default universe has 111 graphs of one
// operator where TASO forms 69: besides TASO's, an operator of one tensor twice,
// concat of every pair of tensors that fit, kernels as images, convolution with
// 3x1 kernels (TASO has inputs of that shape and no operator for them), a second
// scalar and a matrix of ones; and one transpose where TASO has two that differ
// in memory layout only.
package tasowalk
