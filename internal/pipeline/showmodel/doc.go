// Package showmodel says what is in a model: the table of `taso import` and the
// page of `taso show --html`.
//
// Words: the contents of a model are its inputs and outputs, its nodes, and sums
// over them by operator. A weight, and a node that depends on weights only, is
// fixed: it is computed before the first run. The parameters of a node are the
// elements of the weights that it reads, directly or through fixed nodes; a
// weight that several nodes read is counted with the first of them. Their sum
// over all nodes is that of the model. FLOPs and bytes are those of the
// operator registry: a product and a sum are two operations, and every operand
// is read and every result written once.
//
//	model, report of the reader ─► Describe ─► Contents ─► JSON, tables
//	                     cost.Model ─► AddTimes ─┘      └► Picture, WriteHTML
//
// A graph that is laid out over devices (package parallel) has its layouts and collectives
// in pictures and on the page: [Contents.AddLayouts].
//
// A time comes with its source, measured, recorded or modelled (package cost).
// In pictures weights are not drawn, and fixed nodes neither: they are listed
// with the node that reads them. The page needs no network and no other file;
// without its script it still shows the picture and the tables.
package showmodel
