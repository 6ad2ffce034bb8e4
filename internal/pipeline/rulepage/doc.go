// Package rulepage has what pages about rules have in common: the table of rules that
// can be filtered and sorted and whose rows open, the pictures of a rule's sides, and
// counterexamples with every intermediate tensor.
//
//	audit/page    ─┐
//	               ├─▶ rulepage: Template, Style, Script, Pictures, Counterexample ─▶ draw
//	genrules/page ─┘
package rulepage
