package onnx

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestGenerated: onnxpb is what make proto makes of onnx.proto.
func TestGenerated(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip("no protoc: apt-get install protobuf-compiler")
	}
	plugin, err := exec.LookPath("protoc-gen-go")
	if err != nil {
		if plugin, err = filepath.Abs("../.cache/bin/protoc-gen-go"); err == nil {
			_, err = os.Stat(plugin)
		}
		if err != nil {
			t.Skip("no protoc-gen-go: make proto")
		}
	}
	dir := t.TempDir()
	cmd := exec.Command(protoc, "--plugin=protoc-gen-go="+plugin, "--proto_path=onnxpb", "--go_out="+dir,
		"--go_opt=paths=source_relative", "--go_opt=Monnx.proto=github.com/taso-go/taso/onnx/onnxpb", "onnx.proto")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("protoc: %v\n%s", err, out)
	}
	// The generators' versions stand in comments.
	versions := regexp.MustCompile(`(?m)^// *\t?(- )?protoc.*$`)
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return versions.ReplaceAllString(string(b), "")
	}
	if read(filepath.Join(dir, "onnx.pb.go")) != read("onnxpb/onnx.pb.go") {
		t.Error("onnxpb/onnx.pb.go is stale: run make proto")
	}
}
