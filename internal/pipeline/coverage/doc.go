// Package coverage compares a set of rules with the equalities that another
// enumerator found: which are in the set, which follow from it, which are
// missing, and which are false.
//
// The equalities come in TASO's format (Jia et al., SOSP 2019), where they are
// found at one shape per tensor and with its generator's own arithmetic (sums
// for average pools, maxima that start at 0). Here they are read with this
// project's operators, in general first:
//
//   - reading: what SAME padding means, upper or lower. An equality is asked for
//     both at once; where that does not succeed, for each.
//   - sizes: first the most general ones with which both sides have types
//     ([General]); if the equality is false for those, with sizes equal wherever
//     TASO's are ([Tied]); if it is false for those too, with TASO's own numbers
//     ([Literal]). What is true only then is a conditional truth.
//   - kind: instance of one rule, derived by the e-graph from the kept rules (and
//     commutativity, modulo which sets are made),
//     a gap (it follows from the axioms, but not from the set), refuted by a
//     counterexample, unknown, or without types.
package coverage
