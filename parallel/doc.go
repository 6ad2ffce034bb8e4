// Package parallel reads graphs that are laid out over devices: where each tensor lies,
// which messages the layout operators are, what goes wrong with roles, and what comes out
// when the graph runs on virtual devices with explicit messages.
//
// # Words
//
//	family       tensors of one shape, one for each place of a mesh; in the graph one
//	             tensor with the axes of the mesh in front
//	member       one of them
//	mesh axis    one of the leading axes of a family. partition, replicate and lift make
//	             one, combine, reduce and drop end one, an operator on each member
//	             (graph.Op.Each) carries them along
//	mesh         the devices: dimensions a, b, ... with sizes. Mesh axes lie along
//	             dimensions, those of one tensor along different ones
//	role         what the members along a mesh axis are to the tensor they stand for:
//	             shards along an axis, copies, a partial sum, the first one and zeros
//	blocks       shards of an axis that is several in one, such as groups of samples: each
//	             member has a part of every block
//	layout       the mesh axes of a tensor with their roles: "a=2 shard 0, b=4 sum"
//	whole        a tensor without mesh axes. It lies on device 0, as do the inputs
//	PCG          a graph with its layouts (parallel computation graph, [PCG])
//	collective   what two layout operators are together that hand one tensor on and
//	             that nobody else reads between them; or one of them alone
//	strategy     a way to spread an operator over a mesh axis, with the law that says so
//	finding      a place where roles do not fit: reduce of shards, relu of a partial sum
//
// # Picture
//
//	            device 0        a=0      a=1
//	  x            x
//	  partition               x[0:4]   x[4:8]      scatter        shard 0
//	  replicate w               w        w         broadcast      copy
//	  matmul                  x0 w     x1 w                       shard 0
//	  combine      y                               gather
//
//	graph.Graph ─► New: mesh axes ─► roles ─► places on devices ─► collectives = PCG
//	                                                                   │
//	                  Run: one goroutine a device, a message = a channel send
//	                                                                   │
//	                                          outputs, bytes by collective and device
//
// # What is checked by what
//
// [New] refuses graphs in which a mesh axis is used as an axis of a tensor, operands are
// on different meshes, or an output is not whole. Such a graph may be right as a graph of
// ordinary tensors, but no set of devices runs it.
//
// Roles are for people and planners; nothing that is computed depends on them. They are
// not written down operator by operator: that the members of a result are shards, or a
// partial sum, given what those of the operands are, is an equation between the operator
// applied to each member and the operator applied to the wholes. It is evaluated at the
// sizes at hand, exactly on random numbers modulo a prime, or where that is long proved by
// verify/sums. Where nothing is shown the role is not known, which is a finding.
//
// [Run] shares with the evaluation of the graph as one of ordinary tensors
// (interp.EvalGraph) what an ordinary operator does to a member, and nothing of the
// layout operators: there it copies, cuts, joins and adds what arrived in messages. So the
// three, this run, that evaluation and the sequential network, are compared with each
// other, exactly modulo a prime or in floating point.
//
// # Laying out
//
// [Strategies] finds in which ways an operator can be spread over a mesh axis: of what
// role the members of its results are, given those of its operands. It guesses by which
// axes of operands an axis of the result is ([graph.Op.OperandAxes]), and what is summed
// over, and proves each guess from what the operator computes, with symbols for sizes and
// the number of members. [Laying] uses such laws: it lays a network out along one mesh
// axis after another, each operator by a strategy, puts layout operators between what
// one has made and the next one needs, and keeps the instances from which verify/check
// follows that the network computes the same. Layout operators of earlier axes are operators
// like others when a later one is laid out.
//
// # Derivatives
//
// [PCG.Pullback] takes derivatives back through a PCG: a device through what it computed
// itself, a layout operator as its partner. What data parallelism sends for gradients
// follows: replicate goes back as reduce.
//
// # Bytes
//
// With members of b bytes on g devices, messages sent directly, all devices of one group:
//
//	scatter, gather, reduce    (g-1) b        b of a part, a part, a whole
//	broadcast                  (g-1) b
//	all-reduce                 2 (g-1) b      as reduce-scatter and all-gather
//	reduce-scatter             (g-1) b        b of a whole
//	all-gather                 g (g-1) b      b of a part
//	all-to-all                 (g-1) b
//	halo                       (g-1) (before+after) rows
//
// # Papers
//
// Unger et al., Unity: Accelerating DNN training through joint optimization of algebraic
// transformations and parallelization (OSDI 2022): parallelization as operators of a
// graph. Xu et al., GSPMD (2021): layouts per tensor axis, partial sums. Patarasuk and
// Yuan, Bandwidth optimal all-reduce algorithms (JPDC 2009): 2 (g-1)/g of the data a
// device.
package parallel
