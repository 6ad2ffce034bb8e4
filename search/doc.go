// Package search finds where proved laws can be used in a network, and uses them.
//
// # Words
//
//	network    a graph.Graph as a bank.Bank, which is rewritten in place
//	move       a use of a law in one direction: tensors, and what they are equal to
//	rules      compiled directions of laws, indexed by the operators they begin at
//
// A move with one root is found by matching at each node. Of a law with several
// outputs, such as two products with one left factor, the first root is tried at
// each node; what stands for a variable that the next root shares leads to the
// nodes at which that can be, upwards along uses.
//
// Laws are about real numbers: tensors of integers and truth values are never
// taken apart.
package search
