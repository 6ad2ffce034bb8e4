// Package plan chooses how a training step is spread over the devices of a cluster.
//
// # Words
//
//	training   a graph of a training step with what it brings forward: weights and state
//	axis       a mesh axis: so many devices, each of which differs from the next by a stride
//	in time    said of an axis whose members are computed one after the other by the same
//	           device: micro-batches
//	stage      nodes that are computed by devices of their own (submesh)
//	means      which layouts along an axis are looked at: data, fsdp, megatron, all
//	planner    a way to look for a plan on a cluster: which meshes, which means
//	resident   as what a weight lies on the devices between steps
//	pass       a choice along one axis, of a graph that is laid out along those before
//	border     a tensor between clusters, which has one role whatever is chosen in them
//	interval   clusters in a row, as a stage
//	cluster    a part of the model, with its derivatives and updates
//	place      how a tensor lies along the axes that are chosen: a role along each
//	segment    a cluster of a stage that computes again: what it reads is kept, the rest is
//	           there while it goes backward
//	way        a strategy of an operator along each axis, which costs its time
//	space      all ways of all operators along one axis of a mesh, or along all of them, and what
//	           it costs to go from place to place
//	path       from place to place: a change of a role along one axis after the other
//	tile       a region of a space that is chosen by itself
//	tally      one way for each operator and one place for each weight, with the price
//	price      the time of an operator on its members by the device's roofline, of a
//	           collective by the cluster's links: picoseconds
//	source     what is laid out: the training step, or what laws have made of it
//	profile    what each cluster takes by a layout of the stages
//	padded     said of a training step that has some axes longer, so that devices divide them
//	program    what each device does in a step, one slot after the other
//	peak       the most bytes that a device holds at once
//
// # Picture
//
//	grad.Step ─► Training ─┐
//	machine.Cluster, axes ─┼─► space: ways and paths; problem as an e-graph ─► extract
//	Means ─────────────────┘      ▲                                             │
//	                              └──────────── Laying.Along ◄──────────────────┘
//	                                                  │
//	                                 Plan: graph, certificate, times
//	                                                  │
//	                         Memory ◄── program ──► Simulate: tasks of package sim
//
// # How a layout is chosen
//
// A space is an extraction problem (egraph/extract). Each class is a tensor in a place. The nodes of
// a class are the ways to make that tensor: an operator with one strategy for each axis
// (parallel.Strategy), whose operands are in the places that the strategies need, or a path from
// another place, which costs collectives. The solution of least cost is a layout. A tensor that
// several readers need in one place is converted once. An operator may be computed in two ways where
// that costs less than sending its result. The means of a planner restrict the paths and the places
// of weights.
//
// A space has one axis or all axes of a mesh. With one axis, the graph is laid out along the axes
// before it, and the layout operators of these axes are ordinary operators; so axes are chosen one
// after the other, the widest steps first. Planners that search use all axes at once. Their choice is
// laid out axis by axis without choosing again: the ways give the strategies, and layout operators
// follow the paths. The cost of a plan is always computed from the graph that is laid out.
//
// A large space is divided into tiles. Tensors between tiles have places that are fixed before. Equal
// tiles, such as layers, are solved once, and solutions are kept by the content of the problem.
// Planners that search then improve the whole layout by a walk: soap at random, auto from solutions
// of least cost. exhaustive enumerates all layouts with code of its own, and tests compare both with
// it.
//
// unity looks at networks, too: those to which proved laws lead from the training step, in
// the order of the price of their best layout on one mesh, as search.Trail.Backtrack goes. Of a
// large network a price is the sum of its regions', and only those regions are solved that no
// network had before. What is laid out is the best network ([Plan.Rewritten]); the
// certificate begins with the instances of the laws and says that the training step, as it
// came, is what the devices compute. With [Job.Sequential] it is the other way round, to compare: the
// network that is cheapest on one device, and then its layout.
//
// # Axes that devices do not divide
//
// Members of a family have one shape, so an axis is dealt out evenly or not at all. Where an
// axis of samples, or one that matters of weights, is not divided by the devices, data, fsdp, megatron
// and auto look at the training step with that axis padded, too (package pad; Xu et al., GSPMD,
// 2021): up to three groups of axes, each on top of those that made a step shorter; data and
// fsdp at samples alone. What is planned is then a training step of its own, whose weights and
// samples lie padded on the devices, and all that is modelled is modelled of that. The
// certificate speaks of the training step as it came: to take a step and pad what it brings
// forward is to take a step of what is padded ([File.Ends]). [Job.Even] leaves axes as they are.
//
// # Large steps
//
// What costs time grows with the nodes of a training step and with the devices. Of a step of more
// than a thousand nodes few meshes are looked at, and planners of pipelines make fewer layouts
// the more nodes and devices there are: those of a grid look at each shape of stages with two or three
// numbers of micro-batches, alpa at submeshes of few layouts. Layers that are repeated are laid out
// once: the search goes on in a step without the others, and what it chooses is laid out in the
// whole one and judged by what its stages take there. A step of more than ten thousand nodes is laid
// out cluster by cluster by data, fsdp and megatron too. This is
// decided by the step and the devices alone, not by the clock, so that auto, which asks all planners, those
// first that take least time, is never behind one of them. Their plans say [extract.StopSteps]. A choice in which a
// family of members has more than [graph.MaxElements] elements is none.
//
// # Workers
//
// auto asks planners on as many goroutines as there are workers, and these, soap, alpa and unity look at
// several meshes and layouts at once. What they share ([Job], seen) is made once and depends on the
// job and on what is asked for alone: the ways of operators on a mesh, the choices of all axes together,
// and what clusters take by a layout ([profiler]), which data, pipelines and alpa all ask for. No planner
// looks at what another one found, and of equal plans that of the first planner in the list is
// taken, so that the plan does not depend on how many workers there are.
//
// # Over time
//
// What is chosen is the least sum of times. [Plan.Simulate] says what of that is hidden:
// collectives go on beside computing, and links serve one after the other. [Plan.Memory] is what
// a device holds in the order of the program; what goes ahead of it, or is still being sent, is held
// besides, but the simulated step never holds more than a device may: where it would, things are done in
// that order ([Simulation.Peak], [Figures]). Of a plan that needs more than a device has, results
// of the forward pass are made again when the step goes backward, or are at the host until
// then, as many as it takes ([Saving]): gathered weights, too. Those are taken first that free the
// most bytes for their time, and of a few such savings the one with the shortest step. If that
// does not do, the plan is refused ([MemoryError]).
//
// # Pipelines
//
// Who computes a node changes no number, so stages are told beside the graph ([Pipeline]),
// and the certificate is that of the layout. Samples are dealt out in time first: partial
// sums of gradients that later axes would send go through the sum over micro-batches, after
// which they are sent once. What a stage takes of its devices is the sum of what its clusters
// take by the layout of its submesh; the schedule of the passes is simulated (package
// schedule), in which a stage's collectives are not hidden. Planners choose
//
//	pipeline   stages on equally many devices, within which samples are dealt out; branches of
//	           the model are stages side by side (GraphPipe)
//	alpa       intervals, submeshes and their layouts, by Alpa's dynamic program
//	expert     what people write by hand for a kind of model: transformers get equal stages of
//	           samples and parts of weights, as from Megatron-LM
//
// all with 1F1B or GPipe, pipeline also with two stages on each device in turns (interleaved),
// and with recomputation where memory wants it. Where it wants more, what a stage makes of weights
// alone, such as gathered weights, is made again in each pass ([Pipeline.Remade]): weights are
// then as in ZeRO-3, gradients of micro-batches are added up whole, as in ZeRO-1. data, fsdp
// and megatron take micro-batches in that way, as one stage or more, where all samples at once do
// not fit. PipeDream-2BW is not
// among their choices: its weights are those of an update before, so that it computes
// something else. What a stage needs is estimated by clusters while pipelines are compared; of the
// one that is laid out it is known, and if that is more than a device has, stages compute again, or
// the next best pipeline is laid out.
//
// # Links
//
// Where the links between nodes can be set ([machine.Cluster.Degree]), topology chooses them
// with the layout, in turns: sets of strides, and layouts along one axis. A plan's file says
// which links it is for.
//
// All times and bytes are modelled: nothing here has run on a cluster.
//
// # Papers
//
// Jia, Zaharia, Aiken, Beyond data and model parallelism for deep neural networks (MLSys
// 2019); Unger et al., Unity (OSDI 2022); Zheng et al., Alpa (OSDI 2022); Rajbhandari et
// al., ZeRO (SC 2020); Shoeybi et al., Megatron-LM (2019); Wang et al., TopoOpt (NSDI 2023).
package plan
