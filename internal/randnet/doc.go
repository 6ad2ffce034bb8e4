// Package randnet makes random networks for tests and benchmarks of optimizers: images, matrices
// and vectors that pass through most of the operators, with tensors that many nodes read, weights,
// constants, integers, nodes with several outputs, and opaque ones.
package randnet
