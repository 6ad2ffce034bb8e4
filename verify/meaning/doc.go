// Package meaning checks proofs that a law follows from operator semantics (graph.Op.Entry): for all
// sizes, without axioms and without Z3. Package verify/sums finds such proofs.
//
// [Check] checks the proof of one law and returns which directions it shows; see its example. The
// other functions are for provers and tests. What must be right for an accepted proof to be right is
// listed at the end, about 4,000 lines here.
//
// # Words
//
//	entry        the value of a tensor at a symbolic index
//	normal form  an entry as a sum of terms
//	term         number * sizes * the sum, over the integer points of a domain, of a product of
//	             atoms; linear guards give the domain
//	atom         a read of an input at linear indices, a function of one element of a normal
//	             form, or a maximum over sets of normal forms
//	group        terms with one product of atoms, in one system of bound variables
//	case         values for some variables of a law, or literal ranges written out as sums, or
//	             entries compared as numbers; most laws need one case
//	question     whether guards contradict what is known: the conditions of the law and of
//	             definedness, sizes of at least 1, facts about size functions
//	refutation   the answer yes, as sums of rows (refutation.go)
//	proof        the answers to all questions and choices, in order, as numbers
//
// # What is checked
//
// An [Engine] computes the normal forms of both sides and compares them. It does so in a fixed order
// and searches nothing: at every choice or question it asks a [Guide]. [Check] uses a guide that reads
// the proof, and the engine verifies each answer:
//
//	question                   yes, with a refutation, which is verified; or no, from which
//	                           nothing is concluded
//	digits                     which bound variable is written in two, and of which size
//	term and group             which atoms belong together, and the bound variables of the term
//	                           as expressions in those of the group
//	values of a maximum        the points at which one piece takes the value of another
//	case                       by which variable it is split, or that it is written out
//	frame and step             how entries are compared as numbers
//	claim                      whether there is anything to prove
//
//	conv(X, concat(V, W)) at (b, o, i, j) =
//	    sum over c, kh, kw of X[b, c, ...] * V[o, c, kh, kw]     if o <  m
//	  + sum over c, kh, kw of X[b, c, ...] * W[o-m, c, kh, kw]   if o >= m
//
// # Why each step is sound
//
// Unknowns are integers. What is known of them holds for all their values: facts of a graph.Space are
// theorems about the functions that it has unknowns for, sizes are at least 1, and the law assumes its
// conditions and, later, those under which both sides are defined. A condition that is not linear is
// left out, which assumes less.
//
//   - A refutation adds rows, each at least 0, with positive factors (equations: any factor), so the
//     sum is at least 0. Coefficients with a common divisor are divided by it and the constant is
//     rounded down, since the rest is an integer. A negative sum without unknowns is a contradiction.
//     A clause, of which one guard holds, is split into its guards. Clauses are: one that is known;
//     equal arguments give equal values; an integer is at least 0 or at most -1.
//   - A sum of products is multiplied out. An equation that determines a bound variable, with the
//     coefficient 1 or -1, eliminates it: the points with and without the variable correspond. A
//     bound variable that occurs in bounds only, all with the coefficient 1 or -1, is counted: its
//     points range from the largest lower bound to the least upper bound, and there are none if some
//     lower bound is above an upper one.
//   - For n >= 1, each integer is n*x + y for exactly one x and one y from 0 to n-1. So a bound
//     variable or an index of the output may be written in such digits, in a term, in a maximum and in
//     what must hold for all indices (digits.go). The product of an unknown with a size is an unknown;
//     graph.Space has the arithmetic that adds, multiplies and divides it as a product.
//   - An index is within its range wherever it counts: the range is among the guards of its term, or
//     of the question. For 0 <= y < n, floor((n*x + y)/n) is x, n*x + y is at least 0 if and only if x
//     is, and it is 0 if and only if x and y are; guards and entries are rewritten so. A variable of a
//     group has no range, since other terms with another range may join the group. Ranges that proofs
//     may name without their guards are not empty, since they are sizes.
//   - The reciprocal of a literal number other than 0 is a number.
//   - A divisor is a count. It is not 0 where its operator is defined (graph.ExprInv), so it may be
//     cancelled.
//   - An operator that depends on element types, such as a cast, is treated as an arbitrary function
//     of one element, applied to its entry; one function for each operator and attributes.
//   - A function of a sum of terms with conditions is evaluated on the cells of a partition: all guards
//     of a condition hold, or the first that fails is the first, the second and so on. In a cell every
//     condition is proved to hold or to fail. Cells that are left out are proved to be empty, or to
//     give f(0) = 0.
//   - A sum over a literal range is the sum of its terms, one for each value.
//   - A maximum is over a set of values that is not empty where the operator is defined
//     (graph.ExprMax). Two maxima are equal if each value of one is a value of the other. This is
//     proved at points that are given by expressions, or that exist: a variable with coefficients 1
//     and -1 only is eliminated exactly, by comparing each lower with each upper bound.
//   - A term joins a group if its bound variables, in those of the group, are a linear map with
//     determinant 1 or -1 plus a shift without bound variables: integer points correspond one to one.
//     Its factors and atoms must be those of the group wherever its domain holds. Indices of reads are
//     proved to be equal, and arguments of functions are compared in the same way. No variable bound
//     inside an atom may be replaced, or occur in a replacement. What is compared gets fresh bound
//     variables, which no earlier answer can name. An answer that names a free unknown makes its claim
//     for each value of that unknown.
//   - The members of a group sum to 0 if, on every cell of the partition by their domains, their
//     numbers do or the cell is proved to be empty.
//   - Both sides are equal if all groups of their difference sum to 0 at every index within the shape,
//     which both sides share.
//
// # Cases
//
// A variable stride, padding, border or number of groups is kept symbolic first: windows are unknown
// functions of sizes and position, equal where these are equal. What is proved then holds for all
// values. Otherwise a case is split by the values of a variable: for padding, both SAME paddings,
// none, and four unknown pads, which covers all; both borders; numbers of groups, up to a bound for
// which it is proved that the law's conditions allow no larger one. Strides are not split, since there
// is no largest one. What is proved in every case is proved.
//
// # Literal ranges
//
// A case that is written out has one term, or one piece of a maximum, for each value of a bound
// variable with a literal range, and proves equality for each index of a literal dimension of the
// output. So 3x3 windows over a 3x3 image are 81 numbers and need no questions. Terms that are
// syntactically equal are added up.
//
// # Axis runs
//
// An axis run is treated as one axis of any size, if the law only carries it along: the law is well
// typed with the runs as they are, and lengths of runs occur only in attributes of sort axis. No other
// law with runs is accepted. That one axis represents any number of axes is shown operator by
// operator. Inference accepts runs
//
//	in functions of one element, sums and products of elements, smul: where both operands have them
//	in concat, slice, split, softmax, gather and layernorm: next to the axis that is worked on, or
//	before the first one; the number of that axis must be the number of items before it, as a formula
//	in matmul: before the last two axes, the same in both operands
//	in reductions: behind the reduced axes
//	in batchnorm: behind the first two axes
//	in broadcast: at the same position of both shapes, or in front
//	in reshape: at the same position of both shapes, with the same axes before it, or behind it, in
//	both
//	in one: anywhere, since every entry is 1
//
// and nowhere else. In each of these, an entry of the result at index i along an axis of a run depends
// only on entries of the operands at the same i, in the same way for all i, and definedness does not
// depend on its size. So the index along a run may be any position in the block of its axes: tensors
// with n axes in a run are, row by row, tensors with one axis of as many elements (no axes: one
// element), and both sides of the law are read so. This is the rank reduction of TensorRight, for axes
// that are carried along unchanged.
//
// # Permutations
//
// A law with permutation variables is rewritten to one without ([law.Untransposed]), which is proved:
// both its sides are those of the law before they are transposed, by the same permutation. This relies
// on what operators declare (graph.Op.Turns): that they do the same in whatever order the axes are. So
// proofs contain no permutations, and hold for tensors of any rank and all their permutations. A
// variable stands for the permutations of the axes of what it transposes, whose rank the law gives.
//
//	transpose[perm=q](f(X)) == f(transpose[perm=q](X))    from f(X) == f(X)
//
// A permutation is represented as a product of variables and their inverses, in which only a variable
// next to its own inverse cancels, as in a free group; an axis is represented as the image of an axis
// under such a product. What is true for few axes, or for some permutations only, has no proof.
//
// # Order
//
// Laws with the tag "ordered" are about the true relu and maximum. For these the engine recognizes
// values that are not negative; relu and max are monotone, and factors that are not negative move
// through both. Sizes, counts and weights that multiply entries are not negative where their term
// counts, except literal numbers.
//
//   - A factor of all terms that is not negative moves out of a relu, and out of a maximum if all its
//     values have it and it does not depend on the point: relu(k*x) is k*relu(x), for k of at least 0.
//     Such are the numbers' greatest common divisor, sizes and counts, squares, and what is rectified.
//   - An idempotent function, such as floor, does not change its own results.
//   - Clamping x to [a, b] and then to [c, d] is clamping x to [a', b'], where a' and b' are a and b
//     clamped to [c, d], if a <= b and c <= d: for x below a, from a to b, and above b. The relu
//     clamps to [0, infinity).
//   - What is added to all values of a maximum may be added to the maximum.
//   - Let g(x) be a sum of powers of x and of relu(x), with positive factors of numbers and sizes; the
//     powers of x are odd unless x is not negative; x may be a square. Then g is increasing and g(0) =
//     0. So the maximum of g is g of the maximum, and relu(g(x)) is g with relu(x) for x.
//   - The maximum of numbers, each times the same sizes, is the largest that is present. A set of
//     numbers is present where its guards have a point, which is expressed exactly (see project);
//     where only the least can be present, the maximum is the least.
//   - Where 0 is one of the values, relu(x) may replace x, and negative values may be dropped.
//
// # Values
//
// A case may compare entries as numbers (values.go). At given values of all indices and bound
// variables an entry is a number: a sum of products of variables and their inverses ([Poly]).
// Terms with the same domain, in some order of their bound variables, form a frame. Sums over a
// domain are equal if at each point their summands have the same sum. A sum within may also be a
// variable of its own.
//
// In laws with the tag ordered, some variables are maxima: of two sums, as relu(x) of x and 0, or
// of more. A clip is made of maxima and a minimum, abs(x) is the larger of x and -x. The proof
// names pieces x and y of a maximum. Either a combination shows that x is at least y: a sum of
// products of things that are at least 0, with positive factors. Then y is dropped. Or the proof
// goes on twice, once with x at least y and without y, and once the other way round. A maximum
// with one piece left is that piece. In the end the sum has to be 0 as it is written.
//
// At least 0 are: what was compared before, squares, sizes and counts, results of functions that
// are nowhere negative, and maxima one of whose pieces is.
//
//	max(x, y) = y + relu(x - y)    if x >= y: x = y + (x - y);    if y >= x: y = y + 0
//	relu(c*x) = c*relu(x)          c >= 0, x >= 0: c*x is a product of both
//
// In laws with the tag real, 1/x is the inverse of x: the law is about inputs at which every term
// has a value, so nothing is divided by 0 there. A case in which something is divided by 0 is no
// case. Equations are multiplied by the sums that something in them is divided by.
//
//	1/(1/a + 1/b) = a*b/(a + b)
//
// # Definedness
//
// Definedness is decided from the conditions that shape inference records, from sizes being at least 1
// and pads being smaller than the kernel: the target of a direction must be defined wherever its source
// is. A condition that is not linear follows only from the same condition. Inference assumes that size
// functions (the number of windows) are at least 1 wherever they occur: in a size, in a product or sum
// of sizes, in an attribute. A side is accepted only if that follows from the sizes of its own tensors
// being at least 1 and from the law's conditions; otherwise the law is rejected. Sizes whose arithmetic
// exceeds 63 bits are rejected too. A law that is nowhere defined, or whose conditions contradict each
// other, is true, and a proof of it may be accepted.
//
// An operator that reads at positions held in an operand (graph.Op.Places: gather) is defined only where
// these are positions in its table, integers from -n to n-1. So each entry at which the target reads
// must be a literal that is a position, or a value of an entry at which the source reads in a table of at
// most n rows. That it is such a value is proved as for maxima, at points that are given by expressions.
//
//	gather(concat(X, X), I) => gather(X, I) + gather(pad(X), I)    2n rows, then n
//
// is rejected: at position 1 of an X with one row the left side is X[0], and the right side fails. What
// an entry is at a position outside the table, 0, does not matter: neither side is defined there. So a
// true law may have no proof here, such as one that applies a function that does not keep 0 before or
// after the lookup.
//
// That functions such as log and reciprocal have a value is not a condition. Where they have none they
// are treated as having some value, and what is proved holds for every choice. law.WithoutValue tells
// which laws therefore make a claim about entries without a value.
//
// # Identity
//
// Tensors and functions are compared by name, kind and rank, sizes and attributes as values, unknowns
// by number. So no name in a law can be mistaken for another one, or for one of the engine.
//
// # What is trusted
//
// Only the code in this list must be right for an accepted proof to be right. Lines are those that are
// neither blank nor comments; TestTrusted counts them.
//
//	verify/meaning, 4,042 lines
//	  check.go reader.go refutation.go  proofs, refutations, cases within cases
//	  case.go runs.go                   a case: what is assumed
//	  side.go places.go                 shapes, and where a side is defined
//	  engine.go build.go                normal forms of entries
//	  term.go subst.go                  their terms, with others in the place of unknowns
//	  digits.go                         indices in digits
//	  written.go                        literal ranges
//	  ordered.go largest.go monotone.go what holds of the true relu and maximum
//	  content.go                        factors that are not negative
//	  values.go poly.go                 entries as numbers
//	  alike.go equal.go unimodular.go   equality of sums
//	  most.go                           equality of maxima
//
// Also trusted: packages graph and law, which read laws, remove permutation variables (law:
// untransposed.go perm_ranks.go; graph: perm.go), infer shapes, and implement linear expressions, their
// products with sizes and the facts about size functions (graph.Space); in package graph/op, the
// shape inference and the entry of each operator; and package graph/define, which makes both from a
// text. Tests compare entries with plain loops, and the
// programs that run are generated from them. TestEntries evaluates normal forms term by term and
// compares them with the independent definitions in internal/adversary/eval. Package verify/check
// checks the shapes of operators a second time, with shape rules of its own.
//
// The idea of proving tensor rewrites for all sizes and ranks is that of Arora
// et al., TensorRight: Automated Verification of Tensor Graph Rewrites (POPL
// 2025). Sums of rows as certificates are Farkas's lemma with the cuts of Gomory and
// Chvatal (Schrijver, Theory of Linear and Integer Programming, 1986).
package meaning
