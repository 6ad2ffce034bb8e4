// Package cluster generates rules on many machines: the larger parts of
// internal/pipeline/genrules as Apache Beam pipelines. It is a module of its own, so that
// the command taso does not depend on Beam.
//
// # Words
//
//   - driver: the process that has the session of package enumerate and the rules. It is
//     the same code as the command gen-rules, with what is large done by pipelines
//     ([Cluster]).
//   - share: a part of a walk, by the first operators of a graph.
//   - part: records that belong together by a hash of what they begin with, in one file.
//   - record: bytes of a size that package enumerate fixes, such as the encoding of a
//     graph and its fingerprint; elements of pipelines are many records at a time.
//   - state: the session between two levels, which each worker reads once from a file.
//
// For each level one pipeline finds the graphs and which agree:
//
//	shares ─ walk ─► encodings ─ group by encoding ─► evaluate ─► files: terms, symmetries
//	                                                     │ fingerprints
//	shares ─ graphs of smaller levels ─ fingerprints ────┤
//	                                    group by fingerprint ─► join ─► files: edges
//
// others compare the graphs that agree, a batch of classes after the other, each from what
// is proved by then:
//
//	numbers of chunks of classes ─ compare ─► files: what is equal by rules, candidates
//
// and others answer questions about laws:
//
//	numbers of questions ─► solve ─► group into parts ─► files: answers
//
// The driver reads the files, decides the batches, compares small ones itself, and has the
// proofs of workers checked and their counterexamples evaluated again. What a function yields depends on its input alone, files appear
// whole or not at all and their content does not depend on who writes them, and records
// are sorted before they are used: so a bundle may be done again, or twice, and the rules
// are those of the command gen-rules, byte by byte.
//
// The model is that of Akidau et al., The Dataflow Model, VLDB 2015.
package cluster
