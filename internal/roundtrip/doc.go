// Package roundtrip writes models to ONNX files and reads them again, for the tests of
// what writes them and of what makes models to be written.
//
//	model ─ write ─► file ─┬─ read ─► the same graph?
//	                       └─ as ONNX has it: every node behind what it reads?
//
// It knows neither writer nor reader, so that the tests inside package onnx can use it:
// both are given.
package roundtrip
