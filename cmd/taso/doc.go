// Taso generates substitutions of tensor graphs, proves them from axioms and
// checks the certificates; and it reads, runs, measures and compares the models
// that such substitutions are for.
//
//	taso gen-rules      enumerate graphs, find equal ones, prove, write a rule set
//	taso audit          is each rule of anyone's rule set true?
//	taso axioms list    the operator properties that every proof starts from
//	taso axioms check   are they true, consistent and needed?
//	taso rules show     a rule set, or one rule with its proof
//	taso rules convert  between text, JSON and the protocol buffer of TASO
//	taso check          check certificates, with the checker and with Z3
//	taso models         the built-in models, listed or written
//	taso import         what is in a model
//	taso show           its graph as text, picture or page
//	taso run            execute and time it
//	taso measure        time each of its operators and keep the times
//	taso verify         do two models compute the same?
//	taso doctor         what of this machine can be used, CUDA above all
//	taso bench          the tables of RESULTS.md, each by a benchmark with a name
//	taso version
//
// Results go to the standard output, everything else to the standard error: one
// line for each fault, with file, place and cause. The exit status is 0 if all
// is well, 1 if there is something to look at (a certificate rejected, models
// that differ, a run stopped early, rules that a format cannot hold), and 2 if
// the command could not do its work (usage, unreadable input).
//
// A file of this package is one command: its flags, how its result is printed.
// The work is done by the packages below (internal/pipeline/..., rules,
// verify/check, onnx). model.go has what the commands on models share.
package main
