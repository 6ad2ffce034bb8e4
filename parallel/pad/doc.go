// Package pad makes axes of a network longer, so that they can be dealt out evenly over
// devices, and proves that what is computed stays the same.
//
// Members of a family all have one shape, so an axis of 50,257 is not dealt out over 8 devices,
// and one of 50,264 is. A padded network reads its inputs with cells of zeros behind along some
// axes, and computes with them; what it brings forward to the next step, such as weights, it
// returns padded with zeros again:
//
//	inputs ──── step ────► outputs
//	  │pad                    │pad
//	  ▼                       ▼
//	padded ─ padded step ─► padded
//
// That this square commutes is what is proved, and what a checker looks at ([Step.Around],
// [Squared]): from it follows that steps one after the other, on weights that lie padded in
// between, compute what they did.
//
// # Words
//
//	cells     what was added behind along an axis
//	version   a tensor of the padded network that stands for one of the network: as it came;
//	          with cells of zeros; or with cells of which nothing is known
//	law       that an operator applied to versions gives a version of its result
//	cut       a slice that takes cells away
//	mask      a product with ones inside and zeros in the cells, after which these are zeros
//
// # How a network is padded
//
// From padded inputs on, each operator is applied to padded operands if a law says that its
// result is a version of what it was, or else to operands from which cells are cut. Such a
// law is guessed from the sizes and proved from what the operator computes (verify/sums);
// nothing is written down operator by operator:
//
//	matmul(pad(X), W)      == pad(matmul(X, W))     zeros stay zeros
//	slice(exp(X))          == exp(slice(X))         of the cells nothing is known
//	matmul(X, pad(Y))      == matmul(slice(X), Y)   one side is zeros: nothing is added
//
// Where a sum goes over cells of which nothing is known, what it reads is masked; where the mask
// stands that makes the fewest masks in all is tried. What an operator needs beside a padded
// operand is made as long: constants and broadcasts are written with other sizes, products that
// nothing padded reads are made of padded operands, inputs become padded ones. So one axis of one
// input leads to all that have to go along.
//
// Laws are about real numbers, and zero times what is not one is not zero. A function that is not
// defined everywhere, such as a logarithm, is therefore not applied to cells unless these are
// known to be in its domain.
//
// # Paper
//
// Xu et al., GSPMD: general and scalable parallelization for ML computation graphs (arXiv
// 2105.04663, 2021), section 4: dimensions that do not divide are padded, and masked where
// an operator would read what is added.
package pad
