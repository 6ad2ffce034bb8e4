// Package genrules is the command gen-rules as a function: enumerate graphs,
// bucket them by fingerprint, state pairs that agree as laws, prove them from
// what their operators compute, and keep what is needed.
//
//	enumerate ─ candidates ─▶ proof (verify/sums) ─▶ checker (verify/meaning) ─▶ rule
//	     ▲                        │ no proof: counterexample, or unknown           │
//	     └────────────────── proved rules prune the next batch ◀──────────────────┘
//
// No axiom is used: a new operator needs its definition. Everything depends on the options
// alone and not on the number of workers.
//
// With Options.AxiomsOnly, candidates are proved from the axioms, as TASO does. Then a rule enters
// the set only if three programs agree that have the reading of laws in common and no reasoning:
// the e-graph found the instances, Z3 finds their ground formula contradictory to the negated rule,
// and package verify/check accepts them.
//
// Fingerprints take relu and maxima for any function and any order, so most of what agrees
// there is a law of all of them. It is proved from such laws only; where what operators
// compute shows a candidate of the true relu or maximum alone, the rule has the tag
// ordered. Only rules with the tag follow from it: neither are other pairs left out for
// it, nor other rules marked as derivable.
package genrules
