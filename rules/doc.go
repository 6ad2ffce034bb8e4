// Package rules holds sets of rewrite rules with their certificates: it reads and writes them, and
// removes rules that follow from others.
//
// [Load] and [Save] read and write a set: FILE.rules has the rules as text (package law) and
// FILE.cert the certificates. FILE.json holds both in one document. [ReadText], [WriteText],
// [ReadJSON] and [WriteJSON] do the same for streams. Both formats are lossless, and equal sets
// give equal bytes. See the examples of [Load] and [Set.Add].
//
// A [Rule] is a law in canonical form. Its name is "r_" and ten digits of the hash of its text,
// never a position in a file. A rule can be used forward (left to right) or backward if the
// variables of the new side are known from the old one. A rule is derivable if it follows from the
// other rules of its set; [Set.Minimal] leaves derivable rules out.
//
// Reading a certificate does not check it: package verify/check does.
//
// [Set.Add] removes rules that differ by renamed inputs only, as TASO does (Jia et al., SOSP 2019,
// section 3). [Subsume] also removes instances of more general laws. [Join] builds rules with two
// outputs from rules with one.
//
// Other formats: package rules/taso (TASO's protocol buffer), rules/egglog, and rules/peer (rule
// files of Tensat, FlexFlow and others). Package rules/broadcast handles laws whose operands
// differ in shape.
package rules
