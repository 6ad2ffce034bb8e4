// Package invariants is a switch for slow checks that a program makes of its own data
// structures. Tests turn it on; taso never does.
package invariants

// Checked is true where e-graphs check their whole structure after each step and panic on a
// fault. Set it before the first e-graph is built.
var Checked bool
