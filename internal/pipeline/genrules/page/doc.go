// Package page says what the HTML page of "taso gen-rules" shows; package internal/page
// draws it.
//
// The page has the counts from graphs to rules for each number of operators, the rules that
// save most, a table of all rules and of all candidates without a proof, and the rules by
// operator. A rule opens to its proof as a chain of equations, a refuted candidate to its
// counterexample with every intermediate tensor.
package page
