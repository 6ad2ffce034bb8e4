// Package bank holds a network as a bank of terms that can be rewritten in place.
//
// # Words
//
//	bank     nodes, each once: an operator with its attribute values on tensors
//	node     an operator application or an input; its number is its identity
//	tensor   an output of a node, with an interned type
//	live     some output of the graph depends on it; what is not live is dead, stays
//	         in the bank, and lives again as soon as something live uses it
//	fixed    depends on weights only, or on nothing: computed once, before any run
//	use      an operand of a live node
//	silent   laws do not speak of it: they are about real numbers, and it may compute with
//	         what is none (values.go, [FromReal])
//	mark     a state to which the bank can go back
//
// # What a rewrite costs
//
// Apply finds or adds nodes, Replace makes one tensor stand for another, Undo goes
// back to a mark. Each takes time for what it changes, not for the graph: operands
// are changed in place in the nodes that use a tensor, lists of uses are doubly
// linked, nodes die and revive by counts of uses, and what is done is logged while
// there is a mark. The cost of the graph is a sum that is kept up to date; its hash
// is linear in the hashes of tensors (hash.go), so that the effect of one Replace is
// known from the tensors replaced. After a rewrite that stays, the next one finds
// hashes and their derivatives in one pass over the graph.
//
// Equal nodes are one, before and after each Replace: a node whose operands change
// into those of another one is replaced by it, and so on upwards, as in congruence
// closure (Downey, Sethi, Tarjan, JACM 27(4), 1980).
//
// # What a bank does not know
//
// Whether a replacement is right. It keeps types and the absence of cycles; that
// both tensors are equal is for the caller to know, from a proved law.
//
// Names are beside the graph and no part of any identity.
package bank
