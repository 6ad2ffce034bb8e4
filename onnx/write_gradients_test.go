package onnx_test

import (
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// The operators of derivatives are the same after they are written and read.
func TestGradientOperators(t *testing.T) {
	for _, text := range []string{
		"x : float32[2, 3]\ny = step(x)\nreturn y\n",
		"x : float32[2, 3, 4]\ny = reverse[axes=(0, 2)](x)\nreturn y\n",
		"x : float32[2, 1]\ny = reverse[axes=(1)](x)\nreturn y\n",
		"x : float32[4, 3]\ni : int64[4]\ny = scatteradd[axis=0, n=5](x, i)\nreturn y\n",
		"x : float32[2, 2, 600]\ni : int64[2, 2]\ny = scatteradd[axis=0, n=5000](x, i)\nreturn y\n",
		"x : float32[3]\ni : int64[]\ny = scatteradd[axis=0, n=2](x, i)\nreturn y\n",
		"x : float32[2]\nh = fill[shape=[], value=0.3, den=7]()\ny = smul(x, h)\nreturn y\n",
	} {
		g, err := graph.ParseText("test", text)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.onnx")
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		back, _, err := onnx.Read(path, onnx.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if back.Graph.Hash() != g.Hash() {
			t.Errorf("%s is read as\n%s", text, back.Graph)
		}
	}
}
