// Package meaning checks proofs that a law follows from what the operators compute
// (graph.Op.Entry), for all sizes, without axioms and without Z3. What it trusts is
// listed below. Package verify/sums finds such proofs.
//
// # Words
//
//	entry        the value of a tensor at a symbolic index
//	normal form  an entry as a sum of terms
//	term         number * sizes * the sum, over the integer points of a domain,
//	             of a product of atoms; the domain is given by linear guards
//	atom         a read of an input at linear indices, a function of one element
//	             of a normal form, or a maximum over sets of normal forms
//	group        terms with one product of atoms, in one system of bound variables
//	case         values for some variables of a law, or that literal ranges are written
//	             out; most laws need one case
//	open         a variable of which nothing was assumed in a case
//	question     whether guards contradict what is known: the conditions of the law
//	             and of definedness, sizes of at least 1, facts about size functions
//	refutation   the answer yes, as sums of rows (refutation.go)
//	proof        the answers to all questions and choices, in order, as numbers
//
// # What is checked
//
// An [Engine] works out the normal forms of both sides and compares them. It does so
// in one order and searches nothing: wherever there is a choice or a question it asks
// a [Guide]. [Check] has a guide that reads a proof. The engine then verifies what it
// says:
//
//	question                   yes, with a refutation, which is verified; or no,
//	                           from which nothing is concluded
//	digits                     which bound variable is written in two, and of which size
//	term and group             which atoms belong together, and the bound variables
//	                           of the term in those of the group
//	values of a maximum        the points at which one piece has another one's value
//	case                       by which variable it is split, or that it is written out
//	claim                      whether anything is to be shown at all
//
//	conv(X, concat(V, W)) at (b, o, i, j) =
//	    sum over c, kh, kw of X[b, c, ...] * V[o, c, kh, kw]     if o <  m
//	  + sum over c, kh, kw of X[b, c, ...] * W[o-m, c, kh, kw]   if o >= m
//
// # Why each step is right
//
// Unknowns are integers. What is known of them holds whatever they are: facts of a
// graph.Space are theorems about the functions that it has unknowns for, sizes are at
// least 1, and the conditions of the law, and later those under which both sides are
// defined, are what the law assumes. A condition that is not linear is left out,
// which assumes less.
//
//   - A refutation adds up rows, each at least 0, with positive factors, equations
//     with any: the sum is at least 0. Coefficients with a common divisor are divided
//     by it and the constant is rounded down, since what is left is an integer. A sum
//     without unknowns that is negative is a contradiction. A clause of which one
//     guard holds is split into them: one that is known; that equal arguments give
//     equal values; that an integer is at least 0 or at most -1.
//   - A sum of products is multiplied out. An equation that gives a bound variable,
//     with the coefficient 1 or -1, is used up: the points with and without the
//     variable are the same. A bound variable on which nothing depends but bounds,
//     all with the coefficient 1 or -1, is counted: there are as many points as from
//     the largest lower bound to the least upper one, and none if one of these pairs
//     misses.
//   - Each integer is n*x + y for one x and one y from 0 to n-1, whatever n >= 1 is. So
//     a bound variable, or an index of the output, may be written in such digits, in a
//     term, in a maximum and in what is to hold for all indices (digits.go). The product
//     of an unknown with a size is an unknown; that it is added up, multiplied and
//     divided as a product is arithmetic of graph.Space.
//   - An index is in its range wherever it counts: the range is among the guards of its
//     term, or of what is asked. There floor((n*x + y)/n) is x for 0 <= y < n, n*x + y is
//     at least 0 if and only if x is, and is 0 if and only if x and y are, and guards and
//     entries are written so. A variable of a group has no range, since other terms may
//     come into the group that have another one. Ranges that proofs may name without
//     their guards have a point, being sizes.
//   - The reciprocal of a number that is written out, other than 0, is a number.
//   - A divisor is a count; where its operator is defined it is not 0 (graph.ExprInv),
//     and so it may be cancelled.
//   - What an operator computes by element types, such as a cast, is taken for any function
//     of one element of what its entry says, one for each operator and attributes.
//   - A function of a sum of terms with conditions is worked out on the cells of a
//     partition: the guards of a condition hold all, or the first that fails is the
//     first, the second and so on. In a cell every condition is shown to hold or to
//     fail. Cells that are left out are shown to be empty, or to give f(0) = 0.
//   - A sum over a literal range is that of its terms, one for each value.
//   - A maximum is that of a set of values, which is not empty where the operator is
//     defined (graph.ExprMax). Two are equal if each value of one is a value of the
//     other. That a value of one is one of the other is shown at points that are
//     given by expressions, or exist: a variable with coefficients 1 and -1 only is
//     eliminated exactly, by comparing each lower with each upper bound.
//   - A term joins a group if its bound variables are, in those of the group, a linear
//     map with determinant 1 or -1 and a shift that has none of them: integer points
//     correspond one to one. Its factors and atoms have to be those of the group
//     wherever its domain holds, with the indices of reads shown to be equal, and
//     arguments of functions compared in the same way. No variable bound inside an
//     atom may be replaced, or stand in what another is replaced by; what is compared
//     gets bound variables that no answer before can have named. An answer that names
//     an unknown of elsewhere says what it says for each of its values.
//   - The members of a group add up to 0 if on every cell of the partition by their
//     domains their numbers do, or the cell is shown to be empty.
//   - Both sides are equal if all groups of their difference add up to 0 at an index
//     within the shape, which both sides share.
//
// # Cases
//
// A stride, padding, border or number of groups that is a variable is left open
// first: windows are then unknown functions of sizes and place, equal where
// these are equal. What is shown so holds for all values. Otherwise a case is split
// into those of all values of a variable: both SAME paddings, none, and four
// unknown pads, which are all there are; both borders; numbers of groups up to one of
// which it is shown that the law's conditions permit no larger one. Strides are not
// split: there is no largest. What is shown in every case is shown.
//
// # Literal ranges
//
// A case that is written out has a term, or a piece of a maximum, for each value of a
// bound variable whose range is literal, and shows equality for each value of an index
// of the output whose size is. So windows of 3 by 3 cells of an image of 3 by 3 are 81
// numbers, and need no questions. Terms that are the same at sight are added up.
//
// # Axis runs
//
// Axis runs are one axis of any size where the law only carries them along: it
// is well typed with the runs as they are, and lengths of runs stand in
// attributes of sort axis only. No other law with runs is accepted. That one axis
// speaks for any number of axes follows operator by operator. Inference with runs
// takes them
//
//	in functions of one element, sums and products of elements, smul: where
//	both operands have them
//	in concat, slice, split, softmax, gather and layernorm: beside the axis, or
//	before the first axis, that is worked on; the number of that axis has to be
//	the number of items before it, as a formula
//	in matmul: before the last two axes, the same in both operands
//	in reductions: behind the axes that are folded
//	in batchnorm: behind the first two axes
//	in broadcast: at the same place of both shapes, or in front
//	in reshape: at the same place of both shapes, with what is before it, or
//	behind it, the same in both
//	in one: anywhere, every entry being 1
//
// and nowhere else. In each of these an entry of the result at index i along an
// axis of a run depends on entries of the operands at the same i only, and in the
// same way for all i; definedness does not depend on its size. So the index along
// a run may be any place in the block of its axes: tensors with n axes in a run
// are, row by row, tensors with one axis of as many elements (no axes: one
// element), and both sides of the law keep that reading. This is the rank
// reduction of TensorRight, for axes that are carried along unchanged.
//
// # Permutations
//
// A law with permutation variables is brought to one without ([law.Untransposed]), which
// is proved: both its sides are those of the law before they are transposed, by one
// permutation. This rests on what operators say of themselves (graph.Op.Turns): that they
// do the same whatever order the axes are in. So there is nothing of permutations in a
// proof, and what is shown is shown of tensors of any number of axes and of all their
// permutations: a variable stands for the permutations of the axes of what it transposes,
// of which the law gives one number.
//
//	transpose[perm=q](f(X)) == f(transpose[perm=q](X))    from f(X) == f(X)
//
// Which permutation that is, is known as a product of variables and of their inverses, in
// which nothing is cancelled but a variable with its own inverse, as in a free group; and an
// axis as the one that such a product takes an axis to. What is true of few axes only, or
// of some permutations, has no proof.
//
// # Order
//
// Laws tagged "ordered" are about the true relu and maximum: then what is
// not negative is recognized, relu and max keep the order, and factors that are
// not negative move through both. Sizes, counts and weights that entries multiply with
// are not negative where their term counts, but for numbers that are written out.
//
//   - A function that is idempotent, as floor, changes nothing that it was applied to.
//   - Keeping x between a and b, then between c and d, is keeping it between a and b after
//     these are kept between c and d, if a <= b and c <= d: for x below a, from a to b, and
//     above b. The relu keeps it between 0 and infinity.
//   - What is added to all values of a maximum alike may be added to the largest.
//   - Let g(x) be a sum of powers of x and of relu(x), with positive numbers and sizes
//     before them, the powers of x odd unless x is not negative; x may be a square. It
//     grows with x, and g(0) = 0. So the maximum of g is g of the maximum, and
//     relu(g(x)) is g with relu(x) for x.
//   - Of numbers, each times the same sizes, the maximum is the largest that is there.
//     A set of numbers is there where its guards have a point, which is said exactly
//     (see project); where none but the least can be there, the least is.
//   - Where 0 is one of the values, relu(x) is as good as x, and what is negative does
//     not count.
//
// # Definedness
//
// Definedness is decided from the same conditions that shape inference notes, and
// that every size is at least 1, and that pads are smaller than the kernel: the
// target of a direction has to be defined wherever its source is. A condition that
// is not linear follows only from the same one. Inference takes size functions (the
// number of windows) to be at least 1, wherever they occur: in a size, in a product or
// sum of sizes, in an attribute. A side is only understood if that follows from the
// sizes of its own tensors being at least 1, and from the conditions of the law; else
// the law is not accepted. Sizes whose arithmetic leaves 63 bits are not understood
// either. A law that is nowhere defined, or whose conditions contradict one another,
// is true, and a proof of it may be accepted.
//
// An operator that reads at places which an operand holds (graph.Op.Places: gather) is
// defined only where these are places in its table, integers from -n to n-1. So each
// entry at which the target reads has to be a number that is one, or a value of an
// entry at which the source reads in a table of at most n places. That it is such a
// value is shown as it is of maxima, at points that are given by expressions.
//
//	gather(concat(X, X), I) => gather(X, I) + gather(pad(X), I)    2n places, then n
//
// is refused: at position 1 of an X of one row the left side is X[0], and the right one
// fails. What an entry is where a position is outside, 0, plays no part: there neither
// side is defined. So a law may be true that has no proof here, as that a function of
// one element which does not keep 0 may be applied before or after looking up.
//
// That functions such as log and reciprocal have a value is no condition: where they have
// none they are taken to have some, and what is proved holds whichever it is. Which laws
// therefore say something of entries without a value, law.WithoutValue tells.
//
// # Identity
//
// Tensors and functions are compared by name, kind and number of axes, sizes and
// attributes as values, unknowns by number: no name that a law chooses can be taken
// for another, nor for one of the engine's.
//
// # What is trusted
//
// This list is all that need be right for an accepted proof to be one; lines are those
// that are neither blank nor comments, and TestTrusted counts them.
//
//	verify/meaning, 3,345 lines
//	  check.go reader.go refutation.go  proofs, refutations, cases within cases
//	  case.go runs.go                   a case: what is assumed
//	  side.go places.go                 shapes, and where a side is defined
//	  engine.go build.go                normal forms of entries
//	  term.go subst.go                  their terms, with others in the place of unknowns
//	  digits.go                         indices in digits
//	  written.go                        literal ranges
//	  ordered.go largest.go monotone.go what holds of the true relu and maximum
//	  alike.go equal.go unimodular.go   equality of sums
//	  most.go                           equality of maxima
//
// Beside these: packages graph and law, which read laws, bring them to laws without
// permutation variables (law: untransposed.go perm_ranks.go; graph: perm.go), infer shapes
// and hold linear expressions, their products with sizes and the facts about size functions
// (graph.Space), and of package graph/op what each operator infers and what its entry
// is. Entries are tested against plain loops, and the programs that run are made from
// them. Normal forms are evaluated term by term and compared with what package
// internal/adversary/eval says of the operators, which shares nothing with either
// (TestEntries). The operators' shapes are also checked by shape rules of their own in
// package verify/check.
//
// The idea of proving tensor rewrites for all sizes and ranks is that of Arora
// et al., TensorRight: Automated Verification of Tensor Graph Rewrites (POPL
// 2025). Sums of rows as certificates are Farkas's lemma with the cuts of Gomory and
// Chvatal (Schrijver, Theory of Linear and Integer Programming, 1986).
package meaning
