// Package define reads operators that a text defines. One definition gives shape inference,
// evaluation and proofs: it compiles to a [graph.Op] with an Entry, as built-in operators have.
//
//	# The sums of the first rows.
//	op cumsum(X : [n, m]) : [n, m] at i, j = sum k in 0..i of X[k, j]
//	op outer(X : [n], Y : [m]) : [n, m] at i, j = X[i] * Y[j]
//	op softsign(x) = x / (1 + max(x, -x))
//
// # The language
//
// An operator has operands, the shape of its result, names for the index of an entry, and the entry.
// Operands without shapes are the elements at one place of tensors of one shape; such a definition
// has no shape and no index.
//
//	definition  op NAME ( operand, ... ) [ : shape [ at NAME, ... ] ] = entry
//	operand     NAME : shape | NAME
//	shape       [ size, ... ]
//	size        a sum of numbers, size variables, and number * variable
//	entry       + - * / of entries, entry ^ number, numbers, parentheses
//	            X[index, ...]                     an element of an operand
//	            x                                 the element at the same place
//	            i, n                              an index or a size as a number
//	            relu(entry)                       a built-in function of one element
//	            max(entry, entry)                 the larger one; min: the smaller one
//	            sum k in index..index of product  bounds included; max and min likewise
//	            where(condition, entry, entry)    the first where the condition holds, else the second
//	index       a sum of numbers, names, and number * name
//	condition   index < index, with < <= > >= ==, joined by "and"
//
// The body of a sum ends before the next + or - outside parentheses. Sizes are at least 1.
//
// # What is checked
//
// Every element that is read must exist, and every maximum must be over something, for all sizes.
// This is decided by Fourier-Motzkin elimination over the rationals, which proves no more than
// holds: if the guards and ranges with an index below 0 or beyond its axis have no rational
// solution, they have no integer one.
//
// # What is trusted
//
// All of this package, for proofs about operators that it compiles: a proof is about the entry and
// the shapes that it makes. Tests compare them with plain loops over the text's own syntax.
package define
