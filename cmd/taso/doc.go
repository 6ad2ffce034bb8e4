// Taso generates substitutions of tensor graphs, proves them from a page of
// axioms and checks the certificates.
//
//	taso gen-rules      enumerate graphs, find equal ones, prove, write a rule set
//	taso axioms list    the operator properties that every proof starts from
//	taso rules show     a rule set, or one rule with its proof
//	taso rules convert  between text, JSON and the protocol buffer of TASO
//	taso check          check certificates, with a checker of its own and with Z3
//	taso version
//
// Results go to the standard output, everything else to the standard error: one
// line for each fault, with file, place and cause. The exit status is 0 if all
// is well, 1 if there is something to look at (a certificate rejected, a run
// stopped early, rules that a format cannot hold), and 2 if the command could
// not do its work (usage, unreadable input).
//
// A file of this package is one command: its flags, how its result is printed.
// The work is done by the packages below (internal/pipeline/genrules, rules,
// verify/check).
package main
