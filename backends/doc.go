// Package backends is the interface to what executes graphs and says how long
// operators take: processors, libraries, formulas, recordings.
//
// Words:
//
//   - A [Backend] is one device with one way to compute on it.
//   - Compiling turns a model into a [Plan]: what would run is decided by package
//     lower, from what the backend says of its kernels (Target); weights are
//     brought into the form that the kernels want. All of it happens once.
//   - Running a plan takes the inputs that are not weights, in the graph's
//     order, and returns the outputs. A [Tensor] is how both are handed over.
//   - Measuring times one operator application by itself, or a group that runs
//     as one kernel (cost.Sample), with random data.
//   - A fused node is computed inside another one's kernel, and has no time of
//     its own ([OpTime]).
//
// A backend that cannot run (a formula, a recording) returns ErrNoRun from
// Compile, and one that cannot run a node says why from Supports.
//
// Package backendtest is the suite that every implementation passes: each
// operator in many shapes against graph/interp, whole graphs, errors.
package backends
