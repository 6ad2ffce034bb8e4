package main

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestRuntimeOfNarrow: numbers of types that numpy does not have are fed to ONNX Runtime
// and come back; what agrees is derived from the type, and said.
func TestRuntimeOfNarrow(t *testing.T) {
	ort.ForTest(t)
	for name, typ := range map[string]onnxpb.TensorProto_DataType{
		"bfloat16": onnxpb.TensorProto_BFLOAT16, "float16": onnxpb.TensorProto_FLOAT16, "float64": onnxpb.TensorProto_DOUBLE, "bool": onnxpb.TensorProto_BOOL, "uint16": onnxpb.TensorProto_UINT16,
	} {
		f := newFile()
		f.input("x", int32(typ), 2, 3)
		f.node("Transpose", "y", "x")
		f.g.Output = append(f.g.Output, info("y", int32(typ), []int64{3, 2}))
		setInt(f.node("Cast", "z", "y"), "to", int64(floatType))
		f.output("z", 3, 2)
		text, _ := command(t, 0, "run", f.write(t, name), "--repeat", "1", "--onnxruntime")
		if strings.Count(text, "[3 2]: largest deviation 0 absolute") != 2 {
			t.Errorf("%s: %s", name, text)
		}
		narrow := name == "bfloat16" || name == "float16"
		if strings.Contains(text, "  "+name+" is computed in float32 here: deviations of up to ") != narrow {
			t.Errorf("%s: %s", name, text)
		}
	}
}
