// Package onnxpb is the Go form of ONNX's file format, generated from
// onnx.proto of the ONNX project (Apache-2.0) by "make proto".
package onnxpb
