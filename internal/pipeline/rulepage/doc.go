// Package rulepage has what pages about rewrite rules have in common: verdicts, drawings of
// the sides of a rule, the table of operators and verdicts, and counterexamples with every
// intermediate tensor.
//
//	audit/page    ─┐
//	               ├─▶ rulepage ─▶ internal/page
//	genrules/page ─┘
package rulepage
