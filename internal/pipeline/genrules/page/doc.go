// Package page writes the report of gen-rules as one HTML page that needs nothing else:
// no network, no other file.
//
// It shows how many graphs of each size became rules, which rules save most, rules by
// operator, and a table of all rules and of all candidates that are none, which can be
// searched. A rule opens to its proof as a chain of equations, a refuted candidate to
// its counterexample with every intermediate tensor. All text is escaped, and the page's
// policy lets no script run but its own.
package page
