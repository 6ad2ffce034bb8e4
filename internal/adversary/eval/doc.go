// Package eval evaluates laws at concrete sizes, to judge what others claim of
// them. It shares nothing with those it judges: it reads parsed laws, operator
// names and attribute values, and has its own arithmetic of sizes, its own
// rules of when an operator is defined and what shape it has, its own meaning
// of every operator, and its own numbers. It calls no inference, no
// interpreter, no substitution, and does not fold sizes. What it does share is
// the reader: a text that law.Parse misreads is misread here too; except that a
// variable is looked up by name, whatever sort a size function says it has.
//
// Not judged are laws with a mesh variable, for which no operator has a place. A side is not defined where
// a gather of it reads at a place outside its table.
//
// # Words
//
//	point     values of the sizes, axis runs and attribute variables of a law
//	cell      one element of a tensor, named by its index
//	outcome   what the two sides of a law are at a point
//
// A tensor is never made: a cell is evaluated from the cells it depends on,
// which are remembered. So one axis may have 10^6 entries, or a tensor 2^76
// elements, as long as the cells that are looked at depend on few others. The
// cells of given tensors and the tables of function variables are hashes of
// where they stand.
//
// Numbers are those modulo the prime 2^61 - 1 where a law is about sums and
// products, and exact rationals with the true order where it is about the
// relu or maxima. Functions that rationals do not have (exp, tanh, ...)
// are tables there, and a difference counts only if it is seen in floating
// point with the true functions too.
package eval
