// Package assume names what a statement about models takes for granted.
//
// A verdict of taso verify and an accepted proof hold under assumptions: that numbers are
// real, for one. There are few, each with one definition ([Name.Definition]), and a
// statement lists those that it used. What a statement uses is found from the operators
// that the two models apply differently, or that the laws of a proof are about: a pair of
// models that apply the same operators to the same operands needs none.
//
// docs/trust.md has the list for readers, with what is trusted besides.
package assume
