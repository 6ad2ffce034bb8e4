// Taso makes ONNX models faster with rewrite rules that are proved. It discovers and proves
// rewrite rules, audits the rule sets of others, optimizes models with a proof that the result
// is equal, and plans parallel training.
//
//	taso optimize model.onnx --out faster.onnx
//	taso verify model.onnx faster.onnx
//	taso gen-rules --max-ops 2 --out my.rules
//	taso audit my.rules
//
// "taso --help" lists all commands, "taso COMMAND --help" explains one. Results go to standard
// output, everything else to standard error: one line for each error, with file, place and cause.
// The exit status is 0 for success, 1 if there is something to look at (a rejected certificate,
// models that differ, an interrupted run), and 2 if the command could not do its work.
//
// Each command has a file here with its flags and its printed report; the work is done in
// internal/pipeline and the packages below. root.go has the list of commands, help.go the form of
// help texts and the errors about flags, model.go what the commands on models share.
package main
