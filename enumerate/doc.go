// Package enumerate visits graphs of up to N operators over given operators and typed inputs, and
// finds the pairs that agree on random inputs.
//
// By default not every graph is visited: of graphs that are equal only one, the representative, is
// extended. Random inputs and shapes are those of one set of sizes. From 4 operators on,
// convolutions and pools whose image depends on weights and constants only are left out, unless the
// preset says otherwise ([Preset.Whole]).
//
// # Words
//
//   - universe: the operators with their attributes and the typed inputs, at
//     one concrete set of sizes, the case, in which as much as possible fits
//     together ([Universe]).
//   - family: what one operator name of a universe stands for: the operator with
//     the attribute values worth trying. Each group of operators has a file with
//     its families, a line for each.
//   - preset: a named list of operators with the inputs that suit them
//     ([Presets]).
//   - term: a graph with one output, written as the list of its distinct
//     operator applications. Inputs are numbered by first use and operands of
//     commutative operators are ordered, so that a term has one encoding.
//   - level n: the terms of exactly n operator applications.
//   - representative: the first term of a class of equal terms. By default
//     only representatives are extended (RepGen in Quartz, Xu et al., PLDI
//     2022; Ruler, Nandi et al., OOPSLA 2021): an equality over another member
//     follows from the class's own equalities and the one over its
//     representative.
//   - candidate: two terms that agree, stated as a law in its most general
//     form that random testing supports ([Candidate]); package enumerate/general
//     states it.
//
// The sizes of the case coincide on purpose, so agreement there is only a
// hint: what fails in general is tried again in less general forms, and then
// dropped. A pair that follows from smaller proved rules is not stated at all:
// every smaller term is linked to the representative it was proved equal to, and
// a short search over these links connects most terms of a bucket. The laws are
// compiled by package law/rewrite, and matched in the store as in any graph.
//
// Control goes one way: a [Level] returns candidates in [Batches], the caller proves them, and
// [Batches.Learn] takes the verdicts, which prune the next batch. A [Session] holds the terms of
// all levels, the classes that fingerprints show (classes), what is proved equal (links), the laws
// that terms are rewritten with (lawbook), and its goroutines (pool). While a batch is compared it
// reads these through a view, and changes none of them.
//
// Work is divided by term; results are sorted by encoding, so that any number
// of workers gives the same answer. They may be in other processes ([Remote]): a [Worker]
// finds terms and which agree, a [Comparer] compares the buckets of a batch, which all
// processes do from the same state.
package enumerate
