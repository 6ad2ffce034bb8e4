package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/npy"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// outputNames are what the outputs of a model are called in its file, or else in
// its graph.
func outputNames(m *model.Model, rep *onnx.Report) []string {
	if rep != nil {
		return rep.Outputs
	}
	var names []string
	for _, t := range m.Graph.Outputs() {
		name := m.Graph.Name(t.Node)
		if m.Graph.NumOut(t.Node) > 1 {
			name = fmt.Sprintf("%s.%d", name, t.Out)
		}
		names = append(names, name)
	}
	return names
}

// outputFiles are the files in a folder for outputs of these names. What may not
// stand in the name of a file, on whatever system, is an underscore there, and names
// that would be one file are numbered.
func outputFiles(folder string, names []string) []string {
	var files []string
	taken := map[string]bool{}
	for _, name := range names {
		safe := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+", r) {
				return r
			}
			return '_'
		}, name)
		safe = safe[:min(len(safe), 100)]
		if safe == "" || safe[0] == '.' {
			safe = "_" + safe
		}
		file := safe
		for i := 2; taken[strings.ToLower(file)]; i++ {
			file = fmt.Sprintf("%s_%d", safe, i)
		}
		taken[strings.ToLower(file)] = true
		files = append(files, filepath.Join(folder, file+".npy"))
	}
	return files
}

// writtenOutput is an output that was written to a file.
type writtenOutput struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// writeOutputs writes each output, as a whole or not at all.
func writeOutputs(names, files []string, outs []backends.Tensor, diag io.Writer) ([]writtenOutput, error) {
	var done []writtenOutput
	for i, t := range outs {
		held := model.Stored(t.DType) // NumPy has not all types
		raw, _, err := model.Convert(t.Bytes(), t.DType, held)
		if err != nil {
			return done, fmt.Errorf("output %s: %w", names[i], err)
		}
		a := &npy.Array{Type: held.String(), Sizes: t.Sizes, Data: raw}
		if err := atomicfile.WriteFile(files[i], func(w io.Writer) error { return npy.Write(w, a) }); err != nil {
			return done, err
		}
		as := ""
		if held != t.DType {
			as = fmt.Sprintf(", %s as %s", t.DType, held)
		}
		fmt.Fprintf(diag, "wrote %s%s\n", files[i], as)
		done = append(done, writtenOutput{names[i], files[i]})
	}
	return done, nil
}

// outputFolder makes the folder that --output names, if it is not there.
func outputFolder(path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("--output %s: %w", path, err)
	}
	return nil
}
