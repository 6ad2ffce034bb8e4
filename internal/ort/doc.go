// Package ort runs ONNX model files with ONNX Runtime, for tests and
// comparisons: it is the implementation that other people's models meet, and
// shares no code with ours.
//
// ONNX Runtime is used through its Python package, in a process of its own, so
// that nothing links against it. [Find] looks for a Python that can import
// onnxruntime: the one that $TASO_ORT_PYTHON names, then the environment that
// scripts/setup makes in the user's cache folder with the versions of
// requirements.txt, then python3. Tests call [ForTest].
//
//	Run ─► JSON + raw numbers ─► python3 -c script ─► onnxruntime ─► raw numbers
package ort
