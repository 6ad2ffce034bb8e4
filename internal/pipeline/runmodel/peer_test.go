package runmodel_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/onnx"
)

// Whole models beside ONNX Runtime, one thread each, its optimizations off and
// on, in turns: TASO_PEERS=resnet50,bert go test -run PeerTimes -v.
func TestPeerTimes(t *testing.T) {
	names := os.Getenv("TASO_PEERS")
	if names == "" {
		t.Skip("a measurement: TASO_PEERS names the models")
	}
	ctx := context.Background()
	rt, err := ort.Find(ctx)
	if err != nil {
		t.Skip(err)
	}
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, name := range strings.Split(names, ",") {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name+".onnx")
		if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		var in []ort.Tensor
		for i, id := range m.Inputs() {
			x, err := backends.Random(uint64(i+1), graph.TensorType{Sizes: m.Graph.Sizes(id.Out(0))})
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, ort.Float32(m.Graph.Name(id), x.Sizes, x.F32))
		}
		var ours float64
		var theirs [2]float64
		for round := range 3 {
			rep, err := runmodel.Run(ctx, runmodel.Options{Backend: b, Model: m, Seed: 1, Repeat: 10})
			if err != nil {
				t.Fatal(err)
			}
			if x := float64(rep.Min); round == 0 || x < ours {
				ours = x
			}
			for o := range theirs {
				res, err := rt.Run(ctx, path, in, ort.Options{Optimize: o, Threads: 1, Repeat: 10})
				if err != nil {
					t.Fatal(err)
				}
				if x := slices.Min(res.Seconds); round == 0 || x < theirs[o] {
					theirs[o] = x
				}
			}
		}
		t.Logf("%-16s ours %7.1f ms, ONNX Runtime %s %7.1f ms off, %7.1f ms on (best of 30)", name, ours*1000, rt.Version, theirs[0]*1000, theirs[1]*1000)
	}
}
