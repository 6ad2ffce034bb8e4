// Package interp runs operators, by the programs that are made from their
// definitions ([graph.Op.Program]), and graphs over any ring: the integers
// modulo a prime for fingerprints, rationals for laws about relu and max,
// floating point as a reference, polynomials for bounded proofs. There is one
// interpreter; a new number type is an implementation of [Ring].
package interp
