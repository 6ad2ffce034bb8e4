// Package runmodel is the command "taso run" as a function: it runs a model on
// a backend many times and says how long that takes.
//
// A run is one call of the plan with all inputs, from the first operator to the
// last output in the caller's hands. Runs to warm up are not counted. The time
// of the model is the median of the runs, the spread their median absolute
// deviation. The profile is, for each node, the median of its times in all runs;
// what the profile does not explain (handing tensors in and out, the plan's own
// loop) is the overhead.
package runmodel
