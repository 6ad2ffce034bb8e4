// Package export writes plans for other systems: as a program for JAX that runs as it
// stands, as placements for PyTorch's DTensor, as flags of Megatron-LM and DeepSpeed. It also
// runs the program and compares what comes out, and what XLA sends, with the plan.
//
// # Words
//
//	program      a Python file that needs nothing but JAX: the training step on one
//	             device's members, and the sequential one
//	spec         how an input or output lies over the mesh when the step begins or ends:
//	             a PartitionSpec
//	send         what the plan sends once, in the program a collective with a name (send3)
//	             that XLA keeps in what it compiles
//	charged      how often a send is among what the simulator charges ([plan.Plan.Sent]);
//	             what puts an output together, such as the loss, is not
//	placement    how a tensor lies along a mesh axis, in DTensor's words: Shard, Replicate,
//	             Partial
//	style        how a matrix of weights is dealt out, in PyTorch's words: by columns
//	             (colwise) or by rows, with partial sums behind (rowwise)
//	comparison   the numbers of both steps, and sends beside XLA's collectives
//
// # Picture
//
//	plan.Plan ─► mesh axes, roles ─► specs, sends ─► Write ─► program.py ─► python --check
//	                                   │                                        │ numbers,
//	                                   └────────────► Compare ◄─────────────────┘ collectives
//
// # How a graph on a mesh becomes a program of each device
//
// A tensor with mesh axes in front is, in a program that each device runs (SPMD, jax's
// shard_map), the device's member. A tensor without an axis along a dimension of the mesh
// is one that all devices along it have: the plan has it on the first one only, where the
// others would wait. So layout operators become
//
//	reduce, replicate    psum                    combine, replicate    all_gather
//	reduce, partition    psum_scatter            combine, partition    all_to_all
//	halo                 ppermute, both ways     partition             the device's part
//	lift                 zeros but on the first  replicate, drop       nothing
//
// and what is made of inputs first, or put together for outputs last, is no operation but
// their spec. A combine or reduce without a partner, as of the loss, becomes an all_gather
// or psum, since all devices have the result; it is named in the comparison. Between two
// partners there may be operators of other mesh axes: these come first, unless one deals out
// the axis along which members are put together.
//
// A mesh axis in time is a lax.scan over micro-batches: what is reduced along it is added up.
// Pipelines of several stages, which have devices of their own, are refused by an error that says
// how many there are.
//
// # What is compared
//
// Numbers: the step on the mesh and the sequential one, from the same inputs; the largest
// difference of an output relative to its largest element. Where it is more than [Tolerance],
// both run in float64: what then agrees to ten digits differed by rounding, which is named. Collectives: those of the HLO
// that XLA compiled, by the names of the sends. Kind and bytes must be equal; where XLA
// combines several into one, removes one, or says it as others, the comparison lists it by
// name. Anything else is wrong.
//
// # Papers
//
// Xu et al., GSPMD (2021). Frostig, Johnson, Leary, Compiling machine learning programs via
// high-level tracing (2018): JAX. Narayanan et al., Efficient large-scale language model
// training on GPU clusters (2021), and Rajbhandari et al., ZeRO (2020), for the flags.
package export
