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
//	piece     a component of a reduced core: what is chosen there has no bearing on
//	          the rest
//	step      a unit of work, some tens of nanoseconds: budgets counted in steps give
//	          the same result everywhere
//
// # Picture
//
//	Problem ──► fold ──► core ──► reduce ──► pieces, equal ones once
//	                                            │
//	             ┌──────────────────────────────┴─────────────────────────────┐
//	             │ greedy, greedy-DAG ──► share moves   (choices)             │
//	             │ landmarks                            (bound)               │
//	             │ rounds, each with more steps, until choice and bound meet: │
//	             │   exact: reduce, bound, drop, try the ways of a root       │
//	             │   linear relaxation, of what is small                      │
//	             │   noise: share moves under costs that are shaken           │
//	             │   neighbourhoods: exact around one class, the rest kept    │
//	             └──────────────────────────────┬─────────────────────────────┘
//	                                            ▼
//	                              Evaluate ──► Result: choice, bound, stop
//
// Evaluate follows a choice with code of its own and is run on whatever is
// returned. Tests hold every method, bound and reduction to all choices of small
// random problems.
//
// # What is optimal
//
// Greedy is where nothing that costs is shared; GreedyDAG where the children of a
// node, and the roots, share nothing that costs; Auto and Exact are where bound and
// cost meet, which Result.Stop says. With a bound of bytes, the bound on costs stays
// true, but it and the best choice found need not meet.
//
// # Papers
//
// Knuth, A generalization of Dijkstra's algorithm (IPL 1977): greedy extraction.
// Helmert, Domshlak, Landmarks, critical paths and abstractions: what's the
// difference anyway? (ICAPS 2009): the LM-cut bound; an e-graph without deletes is a
// planning task without deletes, and extraction is its optimal relaxed plan.
// Yang et al., Equality saturation for tensor graph superoptimization (MLSys 2021),
// Tensat: extraction by integer programming, why sharing matters, and what cycles do
// to it. Charon, Hudry, The noising method (Oper. Res. Lett. 1993). Goharshady, Lam, Parreaux, Fast and optimal extraction for sparse equality
// graphs (OOPSLA 2024): hardness, and decompositions.
package extract
