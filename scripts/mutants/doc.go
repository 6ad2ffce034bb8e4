// Mutants measures what the tests find. It changes one place of the source, such as a comparison
// or a constant, runs the tests, and reports whether one of them failed (the mutant is killed).
//
//	go run ./scripts/mutants -seed 20261127 -count 200 -out before.jsonl
//	go run ./scripts/mutants -again before.jsonl -out after.jsonl
//
// The first form draws mutants of all packages until the tests have killed the given number. The
// second form applies the killed mutants of a file to the present source, so that a faster test
// suite can be compared with the suite that it replaces. A mutant is named by its file, function,
// kind and place among the mutants of that kind in the function, so that changes elsewhere in the
// file do not matter. Each mutant is compiled with an overlay: no file of the checkout changes.
//
// A mutant is tested by the tests of its own package and, if they pass, by those of the packages
// that import it, with a time limit for each package. A test that runs into the limit counts as
// failed if it passes within the limit without the mutant. The output has one JSON object per
// mutant and is appended to: an interrupted run goes on where it stopped.
package main
