package roundtrip

import (
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Format is what writes a model to a path, and what reads it from there.
type Format struct {
	Write func(path string, m *model.Model) error
	Read  func(path string) (*model.Model, error)
}

// File is a model that was written and read again.
type File struct {
	Path  string             // where it lies
	Proto *onnxpb.ModelProto // what is in the file
	Model *model.Model       // what was read
}

// Of writes a model to a file in a folder and reads it again. The error is that of writer
// or reader, or says that a node comes before what it reads or that another graph came
// back; with the latter the file is returned, too.
func (f Format) Of(dir string, m *model.Model) (*File, error) {
	file := &File{Path: filepath.Join(dir, "model.onnx"), Proto: &onnxpb.ModelProto{}}
	if err := f.Write(file.Path, m); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(file.Path)
	if err != nil {
		return nil, err
	}
	if err := proto.Unmarshal(raw, file.Proto); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	if err := ordered(file.Proto.GetGraph()); err != nil {
		return nil, err
	}
	if file.Model, err = f.Read(file.Path); err != nil {
		return nil, err
	}
	if file.Model.Graph.Hash() != m.Graph.Hash() {
		return file, fmt.Errorf("another graph comes back:\n%s\nwas\n%s", file.Model.Graph, m.Graph)
	}
	return file, nil
}

// ordered says whether nodes come behind what they read, as ONNX asks. What graphs inside
// nodes read is not looked at.
func ordered(g *onnxpb.GraphProto) error {
	known := map[string]bool{"": true} // an operand that is left out
	for _, x := range g.GetInput() {
		known[x.GetName()] = true
	}
	for _, x := range g.GetInitializer() {
		known[x.GetName()] = true
	}
	for _, n := range g.GetNode() {
		for _, x := range n.GetInput() {
			if !known[x] {
				return fmt.Errorf("node %q (%s) reads %q before it is there", n.GetName(), n.GetOpType(), x)
			}
		}
		for _, x := range n.GetOutput() {
			known[x] = true
		}
	}
	return nil
}
