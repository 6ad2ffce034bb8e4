// Package runpcg is the command "taso pcg" as a function: it says how a graph is laid out
// over devices and what it sends, runs it on virtual devices, and compares what they
// compute with the graph as one of ordinary tensors and with a sequential one.
//
//	graph ─► parallel.New ─► layouts, collectives, findings ─┐
//	   │                                                     ├─► Report
//	   ├─► parallel.Run   modulo 2^61-1, float32 ─┐ compared │
//	   └─► interp.EvalGraph, of both graphs ──────┴──────────┘
//
// The comparison modulo the prime is exact: functions of one element are random functions,
// so that outputs which differ in anything agree with a probability below 2^-40 (Schwartz,
// 1980). The float32 run says what rounding makes of it.
package runpcg
