// Package parallelize is `taso parallelize` and what `taso check` and `taso plan` do with
// its files: a model is brought to a training step, a planner lays that out over a cluster,
// and the certificate that both compute the same is written beside it and checked by what
// did not make it.
//
//	model ── training step ── planner ── plan ── File ─── Write
//	                             │         │       ▲
//	                         baselines   laws, instances ── certificate
//
//	File ── Check: the certificate's equation is about the two graphs in the file, and the
//	        first is the training step of the model that is named
package parallelize
