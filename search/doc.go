// Package search applies rewrite rules to a graph and searches for a cheaper one, with a proof.
//
// The steps are, as in the examples of the package, of [Trail.Backtrack] and of [Network]:
//
//	[NewRules]     compiles laws, each in the directions in which it can be used
//	[NewRewriter]  finds matches in a graph (a bank.Bank, which is rewritten in place)
//	[NewPricer]    keeps the cost of the graph up to date
//	[NewTrail]     applies and undoes rewrites; [Trail.Backtrack] and [Trail.Descend] search for
//	               the sequence that lowers the cost most
//	[NewNetwork]   replays such a sequence and records each rewrite as an instance of its law;
//	               [Network.Derivation] returns the equation of both graphs with its proof
//
//	bank.Bank ──► Rewriter ──► Moves ─┐
//	    │                             ├─► Trail ──► Backtrack, Descend ──► path of moves
//	    └───────► Pricer ─────────────┘                                        │
//	                                                                           ▼
//	                             Network: replays the path ──► Derivation ──► certificate
//
// A [Move] is one use of a law: the tensors that are replaced and those that replace them. A law
// with several outputs, such as two products with one left factor, is matched at each node for its
// first output; the others are found from shared operands. After a rewrite only the nodes nearby
// are matched and priced again.
//
// Laws are about real numbers. Tensors of integers, truth values and types of less than 16 bits are
// not rewritten.
//
// Equality saturation is in package search/saturate. Backtracking follows Jia et al., TASO (SOSP
// 2019) and MetaFlow (Optimizing DNN computation with relaxed graph substitutions, MLSys 2019).
package search
