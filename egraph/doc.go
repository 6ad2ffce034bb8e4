// Package egraph holds many equal terms at once: an e-graph with proofs and
// pattern matching. It knows terms and types only; what a
// symbol means is the caller's affair, and so is the order in which rules are
// used: the one loop that saturates a graph is Graph.Run of egraph/tensor.
//
// # Words
//
//	symbol     an opaque uint32 that the caller interned
//	head       the family of a symbol (Options.HeadOf), e.g. "matmul" for all
//	           matmuls whatever their attributes; patterns and indexes name heads
//	node       a term: a symbol over children that are nodes. A node keeps the
//	           children it was added with, for ever: explanations speak of these
//	class      a set of nodes known to be equal, named by a ClassID
//	canonical  said of a node's symbol with its children replaced by their classes
//	live       one node of each canonical form is live: it stands in its class's
//	           list, in the index by head and in matches. Its congruent twins are
//	           terms only: they have a class and proofs, and nothing else
//	type       a number that the caller gives a node (Typing); a class has one
//	reason     the number a caller gives to a union; Congruence is built in
//	premise    a pair of nodes that had to be equal for a union to be made
//	           (conditions, and the seams of a match); explanations cover it
//	stamp      the generation in which a node, or a class it mentions, last changed
//
// # Picture
//
//	Add ──► hash-cons table ──► arena of nodes ──► classes (union-find)
//	                                 │                  │
//	Union ── proof forest ◄──────────┘     pending ◄────┘
//	                                          │
//	Rebuild: each user of a class that lost its name is looked up again; equal
//	canonical forms are merged, by congruence, until nothing is pending
//
// The table maps both the form a node was added with and its canonical form to
// the node, in one open-addressing array; entries of forgotten canonical forms
// stay until the table is next rebuilt, because they can equal no query.
// Class lists, and lists of uses, are intrusive, so that a union splices them
// in constant time. Uses double as the index that joins patterns of several
// roots on the variables they share.
//
// Explanations come from a proof forest over nodes. The path between two nodes
// of one tree never changes once it exists, and a congruence edge is made only
// after paths between the children exist, so explanations are well-founded.
//
// A pattern is compiled once, into one plan that starts from its first root and
// one plan for each of its nodes that starts from new matches of that node (those
// stamped since the last search) and climbs to the root by the users of classes.
// The second kind is chosen when few nodes are new.
//
// A graph is not safe for concurrent use, not even by readers (finding a class
// shortens paths). Nothing depends on map order: the same calls give the same
// graph, the same matches in the same order and the same explanations.
//
// # Papers
//
// Downey, Sethi, Tarjan, Variations on the common subexpression problem (JACM
// 1980): congruence closure. Nieuwenhuis, Oliveras, Proof-producing congruence
// closure (RTA 2005): the proof forest. de Moura, Bjørner, Efficient E-matching
// for SMT solvers (CADE 2007): compiled patterns. Willsey et al., egg: fast and
// extensible equality saturation (POPL 2021): deferred rebuilding.
// Zhang et al., Better together: unifying Datalog and
// equality saturation (PLDI 2023): semi-naive matching by stamps.
package egraph
