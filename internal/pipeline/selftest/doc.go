// Package selftest is the command "taso selftest" as a function: it checks that a backend
// computes what the operators mean, on the machine at hand.
//
// Two checks:
//
//   - the suite of package backends/backendtest: operators in many shapes, small graphs, and
//     the promises of the interface, each compared with the interpreter over float64;
//   - whole models: their outputs are compared with those of a reference, the interpreter for
//     models of little work, the float32 kernels of the CPU backend for larger ones.
package selftest
