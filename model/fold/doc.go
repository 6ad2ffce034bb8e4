// Package fold computes ahead what depends on weights only: nodes of a model become
// weights, whose numbers are computed when they are loaded.
//
// Numbers are computed by the operators' definition in float64 and rounded once to
// the type of the weight, so that they are the same on every machine.
package fold
