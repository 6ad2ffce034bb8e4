// Package extract chooses from an e-graph: one node for each class that is needed,
// so that no class needs itself and what is chosen costs little. It knows classes,
// nodes, costs and roots, and nothing of what they stand for.
//
// # Words
//
//	class     what can be made in several ways; node: one way, from other classes
//	choice    a node for each class that the roots need, acyclic: a DAG
//	cost      of a choice: of each chosen node once, however often it is used. Costs
//	          are integers (elsewhere in this module picoseconds), so that sums,
//	          bounds and "optimal" are exact and do not depend on order
//	fixed     said of a chosen node that is known before anything runs: a leaf so
//	          marked (a weight), or a node all of whose chosen children are fixed.
//	          It costs nothing. Being fixed is a property of what is chosen: a class
//	          with a fixed node beside others is free only where that node is chosen
//	stored    a fixed node that is a root or read by one that is not fixed: its
//	          value takes memory, which is counted and can be bounded
//	core      what is left to decide when all that can be fixed is
//	way       of a core: a node, or nodes that reductions chained together
//	bound     a number that no choice costs less than
//
// # Picture
//
//	Problem ──► fold ──► core ──► greedy, greedy-DAG ──► Evaluate ──► Result
//
// Evaluate follows a choice with code of its own and is run on whatever is
// returned.
//
// # Papers
//
// Knuth, A generalization of Dijkstra's algorithm (IPL 1977): greedy extraction.
// Yang et al., Equality saturation for tensor graph superoptimization (MLSys 2021),
// Tensat: extraction by integer programming, and why sharing matters.
package extract
