// Package cost says how long operators take.
//
// Words:
//
//   - An [Application] is one operator with its attributes, applied to tensors of
//     given element types and sizes; a group is one with the elementwise operators
//     that are fused into its kernel.
//   - A [Sample] is the time of one application with its spread, and a [Source]:
//     measured (a clock said so here), recorded (a clock said so elsewhere or
//     before), modelled (a formula said so). Tables that show times say which.
//   - A [Key] names what was timed: the application, and the device, library
//     versions, layout and arithmetic it was timed with.
//   - A [Table] holds samples by key. On disk it is a file that only grows: a
//     line a sample, each with a checksum, so that several processes may add to
//     it and an interrupted one spoils at most the line it was writing.
//   - [Work] is what an application does in the abstract: operations of
//     arithmetic, bytes moved, and whether it moves anything at all.
//   - A [Machine] is the few numbers that turn work into seconds: rates of
//     arithmetic, bandwidths of memory and caches, the time to start an operator.
//   - A [Model] gives the cost of an application: a machine (the roofline), a
//     table, or one with the other to fall back on.
//
// Picture:
//
//	                      graph ──► package lower: Plan ──┐
//	backends.Measure ──► Sample ──► Table ──► Model ──► GraphCost ──► search, reports
//	                                  │         ▲
//	                                  └► Calibrate ──► Machine
//
// The cost of a graph is the sum over what would run: the groups and the views of
// its plan on a target (package lower), known before anything runs. A view costs
// the time to dispatch it, never zero: cost functions that price data movement at
// zero are a known way to win on paper. A view that some kernel cannot read as it
// lies is copied, and costs its operator's time. What depends on weights only is
// computed once, before the first run, and is counted apart.
//
// A group has a time of its own where it was measured. Elsewhere its price is
// modelled: of its root's time and what is left of the fused operators' (see
// [Table.Model], [Machine.Cost]).
//
// The roofline is that of S. Williams, A. Waterman, D. Patterson, "Roofline: an
// insightful visual performance model for multicore architectures", CACM 52(4),
// 2009, with a start time added and a bandwidth for each cache. That a graph's
// time is about the sum of its operators' times is an assumption that TASO (Jia
// et al., SOSP 2019) makes and that a [Prediction] checks.
package cost
