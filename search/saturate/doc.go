// Package saturate optimizes networks by equality saturation: it puts parts of a
// network into an e-graph, applies laws until nothing changes or a limit is met,
// extracts what costs least, and puts that back with the instances that show it.
//
// # Words
//
//	part     nodes of a network between two cuts, in one place
//	piece    what parts that are alike have in common: operators, types, which inputs
//	         are weights. A piece is saturated once and its result used in all places
//	kind     of a rule: it shrinks, orders, grows or merges (several roots)
//	runs     said of a node that does not depend on weights only: what does not run is
//	         computed once, beforehand, and costs nothing
//	way      a node of the extraction problem: a node of the e-graph, or one with
//	         the elementwise operators that run in its kernel
//
// # Picture
//
//	search.Network ─► cutter ─► parts, pieces ─► e-graph (egraph/tensor) ─► plan of rounds
//	      ▲                                                                      │
//	      │                          ways, prices ◄──────────────────────────────┘
//	      │                               │
//	      └── put: nodes, instances ◄── extract.Solve ── Explain
//
// Cutting. The nodes that run are put in an order in which the users of a tensor
// stand near to each other. No cut separates two users of one tensor, so that what
// could be merged stays together, but for tensors that are used everywhere, such as
// a mask. Of the places that are left those are cut that the fewest patterns, and no
// kernel with its tail, reach across; a part that is small enough is cut only where
// none does. All of this is decided by what is around a cut, so layers that repeat
// are cut alike and are one piece.
//
// Laws in the e-graph. Whether a use of a law makes more to run or less depends on
// what its variables stand for: filling a kernel up with zeros costs nothing if the
// kernel is a weight. So it is asked of each match, and what makes more to run waits
// for a phase of its own. What does not run is rewritten only to become simpler.
// Roots that are merged are different ones, and are taken one at a time in one order,
// of many only neighbours: k products of one tensor become as many nodes as they
// have subsets, or runs of neighbours, not as these have orders and trees. Rules that
// find too much wait, the longer the more often (Options say how much that is).
//
// Sets and passes. A piece is saturated by the laws that are rules, by the others, and
// by all: a full e-graph of many laws may lack what a small one of few laws has. The
// network that a pass leaves is cut anew, into larger parts.
//
// Cycles. An e-graph may hold a class that is made from itself; the extraction
// chooses none. Types. All classes have a shape in the e-graph; the element type is
// inferred for each before extraction. Two nodes of one class that differ in either
// are an error: some law is false. What is fixed is a matter of the chosen nodes, and
// is left to package extract.
//
// Prices are additive. An elementwise operator that goes into the kernel of an
// operand is offered as one node with that kernel, so that it is cheap exactly if
// that kernel is chosen for it alone. A view is offered as it lies to readers that take
// it so, and as a copy to others (views.go).
//
// # Papers
//
// Tate, Stepp, Tatlock, Lerner, Equality saturation (POPL 2009). Willsey et al., egg
// (POPL 2021): the back-off of rules. Yang et al., Equality saturation for tensor graph
// superoptimization (MLSys 2021), Tensat: several roots, limits on their rounds,
// extraction. Jia et al., Optimizing DNN computation with relaxed graph substitutions
// (MLSys 2019), MetaFlow: cuts where few substitutions reach across.
package saturate
