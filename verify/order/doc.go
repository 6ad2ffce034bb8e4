// Package order proves laws about maxima, minima, relu and absolute values of real numbers
// that are sums and differences of something: such as that the maximum distributes over the
// minimum, or that max(x, y) = y + relu(x - y).
//
// # Words
//
//	part     what a law does more with than add and compare: an input, or a term of
//	         another operator, which may have any value
//	form     a sum of parts, each with an integer before it
//	corner   one of the forms whose maximum is meant
//	mixture  numbers that are not negative and add up to 1, one for each corner
//
// # Why it is right
//
// Both sides are evaluated at one index of tensors of one shape, so that they are functions
// of the values of the parts there. Each is the maximum of some forms less the maximum of
// others:
//
//	(max A - max B) + (max C - max D) = max (A + C) - max (B + D)
//	-(max A - max B)                  = max B - max A
//	max(max A - max B, max C - max D) = max (A + D, C + B) - max (B + D)
//
// where A + C are the sums of a form of A with one of C. The other operators are made of
// these: min(x, y) = -max(-x, -y), relu(x) = max(x, 0), abs(x) = max(x, -x). So the sides
//
//	max A - max B = max C - max D    if and only if    max (A + D) = max (C + B)
//
// and one maximum is at most another if each of its corners is a mixture of the other's: a
// mixture is at most the largest of what it mixes. A [Proof] holds these mixtures. [Check]
// works out the corners again and adds up the mixtures; it searches nothing.
//
// [Prove] looks for mixtures by the simplex method in rational numbers. Where a corner has
// none there are values at which the sides differ (the hyperplane that separates them), so
// that what has no proof is false, unless two parts are more than any two numbers.
//
// Where a side is defined is a matter of shapes, and of the parts: a direction is proved if
// its target needs of sizes nothing that its source does not, and has no parts that the
// source does not have.
package order
