// Package progress shows how far a long command has come.
//
// A command runs in stages, one after the other; a stage has a label and a
// number of steps, its total, which may be unknown. The hot loops of a stage
// only add to a counter: one atomic addition, from any number of goroutines. A
// single goroutine of the reporter looks at the counter a few times a second and
// draws the bar.
//
// Nothing is drawn unless the writer is a terminal, so that logs and pipes stay
// clean, and a stage that ends within two seconds never shows a bar. A bar is
// wiped when its stage ends: the terminal afterwards holds the command's own
// output only. A nil *Reporter and a nil *Stage are valid and silent, so that
// engines need no test for them.
package progress
