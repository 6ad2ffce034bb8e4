// Package page writes the reports of an audit as one HTML page that needs nothing
// else: no network, no other file.
//
// A report becomes what its template reads: a row for each rule, which opens to
// the graphs of both sides, the verdicts of all readings and counterexamples with
// every intermediate tensor. All text of a report is escaped, and the page's policy
// lets no script run but its own.
package page
