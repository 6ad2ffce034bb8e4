// Package page says what the HTML page of "taso audit" shows; package internal/page draws it.
//
// A report becomes a table of rules. A row opens to the graphs of both sides, the verdicts of
// all readings and counterexamples with every intermediate tensor.
package page
