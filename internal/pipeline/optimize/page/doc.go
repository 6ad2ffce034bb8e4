// Package page shows an optimization to people: the page of "taso optimize --html",
// to step through, and the picture of --svg.
//
//	model, optimize.Result ─► graphs, what changed marked ─► SVG
//	                       ├► laws as pictures of both sides ─┐
//	                       └► steps, costs ───────────────────┴► HTML
//
// A node is marked if the model has it and the result does not, or the reverse. The
// page needs no network and no other file; without its script all steps are shown, one
// below the other. Everything is escaped, and the page's policy lets no script run but
// its own.
package page
