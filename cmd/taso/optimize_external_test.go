package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// externalFile is a model of products of size n, with a sum with zero and two transpositions
// behind each. Its weights are in a second file.
func externalFile(t *testing.T, n, layers int) string {
	t.Helper()
	text := fmt.Sprintf("x : float32[1, %d]\nzero : weight float32[]\n", n)
	for i := range layers {
		text += fmt.Sprintf("w%d : weight float32[%d, %d]\n", i, n, n)
	}
	text += fmt.Sprintf("z = broadcast[shape=[1, %d]](zero)\n", n)
	from := "x"
	for i := range layers {
		text += fmt.Sprintf("m%d = matmul(%s, w%d)\na%d = ewadd(m%d, z)\nt%d = transpose[perm=(1, 0)](a%d)\nu%d = transpose[perm=(1, 0)](t%d)\n", i, from, i, i, i, i, i, i, i)
		from = fmt.Sprint("u", i)
	}
	g, err := graph.ParseText("model", text+"y = relu("+from+")\nreturn y")
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: "layers", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.FromFloat32(nil, []float32{0})
			if sizes := g.Sizes(id.Out(0)); len(sizes) > 0 {
				m.Weights[id] = model.Random(uint64(id), sizes, 1)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "layers.onnx")
	if err := onnx.Write(path, m, onnx.WriteOptions{External: true}); err != nil {
		t.Fatal(err)
	}
	return path
}

// optimizedExternal optimizes such a file. The result reads its weights from the second file,
// which stays as it is.
func optimizedExternal(t *testing.T, n, layers int) *optimize.Report {
	t.Helper()
	path := externalFile(t, n, layers)
	before, err := os.Stat(onnx.DataPath(path))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(filepath.Dir(path), "out.onnx")
	var stdout, stderr bytes.Buffer
	if status := run([]string{"optimize", path, "--out", out, "--no-measure", "--backend", "cpu", "--search", "descend", "--tries", "1000", "--json"}, nil, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr.String())
	}
	rep := &optimize.Report{}
	if err := json.Unmarshal(stdout.Bytes(), rep); err != nil {
		t.Fatal(err)
	}
	if !rep.ProofChecked || rep.NodesAfter >= rep.NodesBefore || rep.Changes == nil || rep.Changes.Operators["Add"] > 0 {
		t.Errorf("proof %v, %d operators of %d, %+v", rep.ProofChecked, rep.NodesAfter, rep.NodesBefore, rep.Changes)
	}
	after, err := os.Stat(onnx.DataPath(path))
	if err != nil || !os.SameFile(before, after) || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the weights were %v, and are %v (%v)", before, after, err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("files %v (%v), want the model, its weights and the result", files, err)
	}
	if s, err := os.Stat(out); err != nil || s.Size() > 64<<10 {
		t.Errorf("the result has %d bytes (%v)", s.Size(), err)
	}
	if _, _, err := onnx.Read(out, onnx.ReadOptions{}); err != nil {
		t.Error(err)
	}
	return rep
}

func TestOptimizeExternal(t *testing.T) { optimizedExternal(t, 64, 3) }

// The time of search and measurement grows from 1,000 operators on.
func TestLimitFor(t *testing.T) {
	for _, c := range []struct {
		operators int
		want      time.Duration
	}{{1, 30 * time.Second}, {1000, 30 * time.Second}, {2500, 75 * time.Second}} {
		text, from := "x : float32[1]\n", "x"
		for i := range c.operators {
			text += fmt.Sprintf("a%d = exp(%s)\n", i, from)
			from = fmt.Sprint("a", i)
		}
		g, err := graph.ParseText("chain", text+"return "+from)
		if err != nil {
			t.Fatal(err)
		}
		if got := limitFor(g); got != c.want {
			t.Errorf("%d operators: %v, want %v", c.operators, got, c.want)
		}
	}
}
