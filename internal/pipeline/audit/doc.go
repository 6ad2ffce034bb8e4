// Package audit says of each rule of a file whether it is true, of a true one
// what it needs, of a false one why, and of the whole set what is superfluous.
//
// # Words
//
//	claim        what a rule says from one side, its source, to the other, its
//	             target: wherever the source is defined, so is the target, and
//	             they are equal
//	reading      one way to understand what a file format leaves open (Semantics):
//	             SAME padding, averages at the border, groups, broadcasting; what
//	             FlexFlow's linear does with replicas
//	condition    what a rule needs beyond its source being defined: equal sizes,
//	             one group, odd kernels, no broadcasting
//	outcome      proved, conditional (proved under a condition, refuted without),
//	             refuted, unknown, ill-formed, unsupported
//
// # How a rule is judged
//
//	file ─► claims, one a reading ─► proved from operator semantics ──► proved
//	                                   │ no                              │ the source
//	                                   ▼                                 ▼ permits more
//	                            counterexample ─► conditions, each  ─► conditional
//	                                   │ none      proved in turn
//	                                   ▼
//	                            up to a limit, with Z3 ─► up-to, or unknown
//
// A counterexample is one to a law. Before it is reported the rule is written out at its
// sizes as the reading understands it there, and evaluated; see confirm.go.
//
// Rules that say degrees of parallelism are judged
// as they are written, and once more for any degree.
//
// A direction that is proved in shapes less general than its source permits is
// conditional: the shapes are the condition. In readings that broadcast, what is
// true is then taken apart into patterns of axes of size 1.
//
// What takes longest comes last: large sizes; conditions, each made when those before it did
// not do. A verdict does not depend on that order, and nothing that is reported on the number
// of workers.
//
// Rules are as in Jia et al., TASO: optimizing deep learning computation with
// automatic generation of graph substitutions (SOSP 2019), Yang et al., Equality
// saturation for tensor graph superoptimization (MLSys 2021), and Unger et al.,
// Unity (OSDI 2022).
package audit
