// Package ort runs ONNX model files with ONNX Runtime, for tests and
// comparisons: it is the implementation that other people's models meet, and
// shares no code with ours.
//
// ONNX Runtime is used through its Python package, in a process of its own, so
// that nothing links against it. [Find] looks for a Python that can import
// onnxruntime: $TASO_ORT_PYTHON, then python3, then an environment in the
// user's cache folder, which [Ensure] makes. Where there is none, callers skip.
//
//	Run ─► JSON + raw numbers ─► python3 -c script ─► onnxruntime ─► raw numbers
package ort
