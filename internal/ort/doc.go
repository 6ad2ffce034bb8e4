// Package ort runs and times ONNX model files with ONNX Runtime, which shares no code with
// ours: for tests and comparisons, and to judge results in the runtime that will run them.
//
// ONNX Runtime is used through its Python package, in a process of its own, so that
// nothing links against it. [Find] looks for a Python that can import onnxruntime: the one
// that $TASO_ORT_PYTHON names, then the environment that scripts/setup makes in the user's
// cache folder with the versions of requirements.txt, then python3. Tests call [ForTest].
//
//	Runtime.Start ─► Worker: Open ─► Session: Run, Close
//	                    └── Time: samples of sessions in any order
//	Runtime.Run, RunAll: several models in a worker, one after another
//
// A [Worker] is a process that holds models ready to run. Requests and answers are JSON
// and raw numbers over its standard input and output. Some models crash ONNX Runtime: that
// is the error [Crash] of the call, and the worker is of no use then. A cancelled context
// ends the process at once, and so does the end of this one.
package ort
