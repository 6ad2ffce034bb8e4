// Package schedule makes task graphs of training steps: stages of a model that work on
// micro-batches one after the other, and, to compare with, data parallelism.
//
// # Words
//
//	stage        a part of a model on devices of its own, with the time of one micro-batch
//	             forward and backward. Stages are a graph: each reads what some before it
//	             wrote
//	micro-batch  a part of a batch; a step has M of them. Their gradients are added up
//	program      in which order a device works on its stages and micro-batches, which is all
//	             that schedules differ in
//	depth        of a stage: how many stages there are from it to the last one on the
//	             longest way. It is 1 of the last one and P of the first of P in a row
//	in flight    micro-batches that a stage has been through forward and not yet backward,
//	             whose activations it keeps
//	segment      a part of a stage of which only the input is kept, if it computes again
//	bubble       the time in which a device waits for others
//	flush        that all micro-batches of a batch are through before the weights are updated
//
// # Schedules
//
//	              bubble, with equal stages         in flight
//	[GPipe]       (P-1) (f+b)                       M
//	[OneFOneB]    (P-1) (f+b)                       min(depth, M)
//	[Interleaved] (P-1) (f+b) / v                   more than OneFOneB, v chunks a device
//	[TwoBW]       (P-1) (f+b) once, not each batch  min(depth, M), weights twice
//
// GPipe goes through all micro-batches forward, then through all backward (Huang et al.,
// NeurIPS 2019). OneFOneB begins with as many forward as its depth and then does one forward, one
// backward, so that what is kept does not grow with M (PipeDream, Narayanan et al., SOSP
// 2019; with a flush: Megatron-LM, Narayanan et al., SC 2021). On a graph of stages that is
// GraphPipe's (Jeon et al., ASPLOS 2025): branches work side by side and are less deep than all
// stages in a row. Interleaved gives a device every P-th of v·P stages (Megatron-LM). TwoBW does
// not flush: a batch begins with the weights of the update before the last, of which two
// versions are kept (PipeDream-2BW, Narayanan et al., ICML 2021).
//
// # Picture
//
//	Pipeline: stages, M, schedule ─► programs ─► tasks: receive, forward, send, .. ─► sim.Graph
//
// Between stages the parts of a tensor go from the devices that have them to those that
// need them, as messages of one task. A stage with Recompute keeps its input only and goes
// forward once more before it goes backward (Chen et al., "Training deep nets with
// sublinear memory cost", 2016). Of segments, such as layers, it keeps the input of each, and
// the rest of one at a time, as Megatron-LM and Alpa do; the time is the same. One with
// Offload sends what it keeps to its host and fetches it while the device does what is before
// the backward in its program.
package schedule
