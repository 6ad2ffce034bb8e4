// Package model is a neural network as it is handed around: a graph, and the
// numbers of its weights.
//
// Words. A *model* is a graph ([graph.Graph]) some of whose inputs are
// *weights*: their numbers belong to the model. The other inputs are what a
// caller feeds. A *weight* does not hold its numbers, it can load them: from a
// file, from memory, or from a seed. So a model of a gigabyte costs a few
// kilobytes until somebody computes with it, and passing a model through a
// search copies no numbers. A weight is bound to an input of the graph by the
// input's id; [Model.WithGraph] binds by name, which is how weights follow a
// graph that was rewritten.
//
//	         Graph ──── inputs ──┬── fed by the caller
//	        /                    └── weights ─► Weights[id].Load ─► bytes
//	Model ──
//	        \ Name, Doc, Producer
//
// Numbers are little-endian and row-major, as in ONNX's raw_data.
//
// Random weights are uniform. Their elements are a hash of the seed and the
// element's index (splitmix64, Steele, Lea and Flood, OOPSLA 2014), so that
// every machine draws the same bits, in any order. [He] gives them the spread
// that keeps activations of rectified layers in range (He, Zhang, Ren and Sun,
// *Delving Deep into Rectifiers*, ICCV 2015).
package model
