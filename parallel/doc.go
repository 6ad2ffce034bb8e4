// Package parallel analyzes, runs and builds graphs that are partitioned over a mesh of devices.
//
// [New] reads such a graph as a [PCG] (parallel computation graph): how each tensor is sharded,
// which collectives are needed, and where shardings do not fit ([Finding]). [Run] executes it on
// virtual devices that exchange messages. [Strategies] finds, with proofs, in which ways an operator
// can be sharded, and [Laying] partitions a network with them and collects the certificate that it
// computes the same. See the examples of New, Run and Laying. Package parallel/plan searches for
// good shardings.
//
// # Model
//
// A tensor on a mesh is one tensor of the graph whose first axes are axes of the mesh: [g, m, k] is
// one [m, k] tensor, a member, on each of g devices. The operators partition, replicate and lift
// add a mesh axis; combine, reduce and drop remove one; each_NAME applies the operator NAME to each
// member. The role of a mesh axis says what the members are of the full tensor: shards along one of
// its axes, copies, terms of a partial sum, or the first one and zeros. A [Layout] lists the mesh
// axes of a tensor with their roles, such as "a=2 shard 0, b=4 sum". A tensor without mesh axes is on
// device 0, as are the inputs.
//
//	          device 0        a=0      a=1
//	x            x
//	partition               x[0:4]   x[4:8]      scatter        shard 0
//	replicate w               w        w         broadcast      copy
//	matmul                  x0 w     x1 w                       shard 0
//	combine      y                               gather
//
// Two layout operators with nothing between them are one [Collective]: reduce and then replicate is an
// all-reduce.
//
// # What is checked
//
// [New] rejects graphs in which a mesh axis is used as an axis of a tensor, operands are on
// different meshes, or an output is sharded. Such a graph can be valid for ordinary tensors, but no
// set of devices runs it.
//
// Roles are inferred, not declared by operators. That a result is sharded or a partial sum is an
// equation between the operator on each member and the operator on the full tensors. It is
// evaluated at the given shapes, exactly modulo a prime, or proved by verify/sums where that takes
// too long. Where neither succeeds, the role is unknown and reported as a finding. No computed
// number depends on roles.
//
// [Run] copies, cuts, joins and adds what arrived in messages, and uses the interpreter for the
// other operators. Tests compare it with the evaluation of the same graph on one device
// (interp.EvalGraph) and with the sequential network, exactly modulo a prime and in floating point.
//
// # Partitioning a network
//
// [Strategies] guesses shardings of an operator from the axes of its operands
// ([graph.Op.OperandAxes]) and proves each guess from operator semantics, for all shapes and mesh
// sizes. [Laying] partitions a network along one mesh axis after another. It inserts collectives where
// the layout of a result is not the one that its user needs, and records the instances from which
// verify/check proves that the network computes the same.
//
// [PCG.Pullback] differentiates a PCG: each layout operator becomes its adjoint. The adjoint of
// replicate is reduce, which gives the gradient all-reduce of data parallelism.
//
// # Bytes sent
//
// For g devices in one group, with direct messages, and b the bytes of a member (a shard, or the
// full tensor where the table says so):
//
//	scatter, gather            (g-1) b        of a shard
//	reduce, broadcast          (g-1) b        of the full tensor
//	all-reduce                 2 (g-1) b      of the full tensor, as reduce-scatter and all-gather
//	reduce-scatter             (g-1) b        of the full tensor
//	all-gather                 g (g-1) b      of a shard
//	all-to-all                 (g-1) b        of a shard
//	halo                       (g-1) (before+after) rows
//
// # Papers
//
// Unger et al., Unity: Accelerating DNN training through joint optimization of algebraic
// transformations and parallelization (OSDI 2022): parallelization as operators of a graph.
// Xu et al., GSPMD (2021): shardings per tensor axis, partial sums. Patarasuk and Yuan, Bandwidth
// optimal all-reduce algorithms (JPDC 2009): 2 (g-1)/g of the data per device.
package parallel
