// Package training is `taso grad`: the training step of a model as a model (package
// graph/grad), with the model's weights and the state of the optimizer before the first
// step, and what it is beside the model in operators and operations.
//
//	model ── grad.Train ── step ── weights, state ── model of the step
//	   └──────── counts ────┴───────── Report
package training
