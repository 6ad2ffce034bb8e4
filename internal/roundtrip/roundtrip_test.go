package roundtrip_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/roundtrip"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// format is that of package onnx.
var format = roundtrip.Format{
	Write: func(path string, m *model.Model) error { return onnx.Write(path, m, onnx.WriteOptions{}) },
	Read: func(path string) (*model.Model, error) {
		m, _, err := onnx.Read(path, onnx.ReadOptions{})
		return m, err
	},
}

func modelOf(text string) *model.Model {
	g, err := graph.ParseText("g", text)
	if err != nil {
		panic(err)
	}
	return &model.Model{Name: "m", Graph: g}
}

func ExampleFormat_Of() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := format.Of(dir, modelOf("x : float32[2, 3]\ny = relu(x)\nz = tanh(y)\nreturn z"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range f.Proto.GetGraph().GetNode() {
		fmt.Println(n.GetOpType(), n.GetInput(), n.GetOutput())
	}
	// Output:
	// Relu [x] [y]
	// Tanh [y] [z]
}

// What is wrong is said: a writer that turns the nodes around, a reader that reads another
// graph.
func TestWrong(t *testing.T) {
	m := modelOf("x : float32[2, 3]\ny = relu(x)\nz = tanh(y)\nreturn z")
	if _, err := format.Of(t.TempDir(), m); err != nil {
		t.Fatal(err)
	}
	turned := format
	turned.Write = func(path string, m *model.Model) error {
		if err := format.Write(path, m); err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var p onnxpb.ModelProto
		if err := proto.Unmarshal(raw, &p); err != nil {
			return err
		}
		slices.Reverse(p.Graph.Node)
		if raw, err = proto.Marshal(&p); err != nil {
			return err
		}
		return os.WriteFile(path, raw, 0o666)
	}
	if _, err := turned.Of(t.TempDir(), m); err == nil || !strings.Contains(err.Error(), `(Tanh) reads "y" before it is there`) {
		t.Errorf("nodes turned around: %v", err)
	}
	other := format
	other.Read = func(string) (*model.Model, error) {
		return modelOf("x : float32[2, 3]\nz = tanh(x)\nreturn z"), nil
	}
	if f, err := other.Of(t.TempDir(), m); err == nil || !strings.Contains(err.Error(), "another graph comes back") || f == nil {
		t.Errorf("another graph: %v", err)
	}
}
