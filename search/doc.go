// Package search finds where proved laws can be used in a network, uses them, and
// looks for the uses that make it cheaper.
//
// # Words
//
//	network    a graph.Graph as a bank.Bank, which is rewritten in place; Network is
//	           one with the terms of its tensors and the instances that show what was
//	           done
//	move       a use of a law in one direction: tensors, and what they are equal to
//	rules      compiled directions of laws, indexed by the operators they begin at
//	pricer     the cost of what would run, kept up to date
//	trail      moves made one after the other, which can be gone back
//	chain      moves of which each has made the next one possible
//	wave       moves that are alike, at one tensor, all together
//	sweep      one move at all users of what it has matched inside, after which that
//	           is not needed any more
//	derivation what a network has become, as an equation with its proof
//
// # Picture
//
//	bank.Bank ──► Rewriter ──► Moves ─┐
//	    │                             ├─► Trail ──► Backtrack, Descend ──► path of moves
//	    └───────► Pricer ─────────────┘                                        │
//	                                                                           ▼
//	            Network: the moves once more, each an instance ──► Derivation ─► certificate
//
// A move with one root is found by matching at each node. Of a law with several
// outputs, such as two products with one left factor, the first root is tried at
// each node; what stands for a variable that the next root shares leads to the
// nodes at which that can be, upwards along uses. After a rewrite only nodes from
// which a pattern reaches what changed are matched again, and only what is near it is
// priced again.
//
// Laws are about real numbers: tensors of integers and truth values, and of types
// of less than 16 bits, are never taken apart.
//
// # Papers
//
// Jia et al., Optimizing DNN computation with relaxed graph substitutions (MLSys
// 2019), MetaFlow, and TASO (SOSP 2019): backtracking with alpha.
package search
