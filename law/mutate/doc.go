// Package mutate makes laws that differ from a given one in one place, as
// someone might have written it by mistake: operands or outputs exchanged, a
// size off by one, another stride, padding, activation or border, another
// operator, a function or a condition left out, one variable in the place of
// another.
//
// # Words
//
//	mutant      a law made so, well-typed, that says something else
//	killed      shown to be false by whoever checks laws
//	survivor    not killed: it is true, or the check is too weak
//
// A check of laws that kills no mutants says little about the laws it passes.
// The idea is that of mutation testing (DeMillo, Lipton, Sayward, "Hints on test
// data selection", Computer 1978), with laws in the place of programs.
package mutate
