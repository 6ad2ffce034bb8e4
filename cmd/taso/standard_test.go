package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// A model whose numbers are in another file is neither read from the standard input nor
// written to the standard output.
func TestStandardOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	var diag bytes.Buffer
	if status := run([]string{"models", "squeezenet-tiny", "--write", dir}, nil, &bytes.Buffer{}, &diag); status != 0 {
		t.Fatal(diag.String())
	}
	raw, err := os.ReadFile(filepath.Join(dir, "squeezenet-tiny.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	p := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(raw, p); err != nil {
		t.Fatal(err)
	}
	w := p.Graph.Initializer[0]
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), w.RawData, 0o666); err != nil {
		t.Fatal(err)
	}
	w.RawData, w.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
	w.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}}
	if raw, err = proto.Marshal(p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ model, says string }{
		{"-", "taso optimize: <stdin>: the model has numbers in the file w.bin next to it; name files for MODEL and --out\n"},
		{path, "taso optimize: --out -: the model has numbers in the file w.bin next to it; name files for MODEL and --out\n"},
	} {
		var out, diag bytes.Buffer
		if status := run([]string{"optimize", c.model, "--out", "-", "--no-measure"}, bytes.NewReader(raw), &out, &diag); status != 2 || diag.String() != c.says || out.Len() > 0 {
			t.Errorf("%s: status %d: %s%s", c.model, status, diag.String(), out.String())
		}
	}
}
