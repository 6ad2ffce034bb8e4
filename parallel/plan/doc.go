// Package plan chooses how a training step is spread over the devices of a cluster.
//
// # Words
//
//	training   a graph of a training step with what it brings forward: weights and state
//	axis       a mesh axis: so many devices, each of which differs from the next by a stride
//	planner    which layouts are looked at: data, fsdp, megatron, auto
//	resident   as what a weight lies on the devices between steps
//	pass       the layout along one axis, of a graph that earlier passes have laid out
//	price      the time of an operator on its members by the device's roofline, of a
//	           collective by the cluster's links: picoseconds
//
// # Picture
//
//	grad.Step ─► Training ─┐
//	machine.Cluster, axes ─┼─► pass: strategies and conversions as an e-graph ─► extract
//	Planner ───────────────┘      ▲                                                │
//	                              └──────────── Laying.Along ◄─────────────────────┘
//	                                                  │
//	                                 Plan: graph, certificate, times, memory
//
// # How a layout is chosen
//
// Along one axis a class of the e-graph is a tensor in a role (parallel.Role), and its
// nodes are the ways to make it: the operator by one of its strategies, from its operands
// in the roles that the strategy wants, or a conversion from another role, which costs a
// collective. What is chosen at least cost (egraph/extract) is a layout; what several
// readers want in one role is converted once, and an operator may be computed in two ways
// where that is cheaper than sending its result. That a choice is within a planner's
// means says which conversions and residents there are.
//
// Axes are laid out one after the other, the widest steps first. A later pass sees
// collectives of an earlier one as operators like others.
//
// All times are modelled: nothing here has run on a cluster.
//
// # Papers
//
// Jia, Zaharia, Aiken, Beyond data and model parallelism for deep neural networks (MLSys
// 2019); Unger et al., Unity (OSDI 2022); Zheng et al., Alpa (OSDI 2022); Rajbhandari et
// al., ZeRO (SC 2020); Shoeybi et al., Megatron-LM (2019).
package plan
