// Package golden keeps the expected output of tests in files.
//
// A golden file holds cases, one after the other:
//
//	# Comment lines stand between cases.
//	command arguments
//	input, any number of lines
//	----
//	output, up to an empty line or the end of the file
//
// A case is run by a function of the test, which gets the command (first word of
// the first line), its arguments (the rest of that line) and the input, and
// returns the output. Output that has empty lines stands between doubled marks:
//
//	command
//	----
//	----
//	first
//
//	third
//	----
//	----
//
// go test -update writes the outputs anew into the files; comments, commands and
// inputs stay. Tests fail not only for a different output but also for what has
// gone stale: a file without cases, a case without a mark, the same case twice
// in a file, and, where a package's TestMain calls Main, a golden file that no
// test runs.
//
// The form is that of CockroachDB's datadriven tests.
package golden
