// Package page says what the HTML page of "taso optimize --html" shows, and draws the picture
// of --svg; package internal/page draws the page.
//
//	model, optimize.Result ─► graphs, what changed marked ─► SVG
//	                       ├► laws as pictures of both sides ─┐
//	                       └► steps, costs ───────────────────┴► internal/page
//
// Nodes that only the model has are marked as removed, those that only the result has as
// added.
package page
