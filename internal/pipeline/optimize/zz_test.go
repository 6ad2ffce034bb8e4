package optimize

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx"
)

func TestZZ(t *testing.T) {
	for _, f := range strings.Split(os.Getenv("ZZ"), ",") {
		f = filepath.Join(os.Getenv("HOME"), ".cache/taso/optimizers/files", f)
		opt := onnx.ReadOptions{Dynamic: true, Samples: map[string]int{"sequence_length": 128, "sequence": 128, "batch": 3, "batch_size": 3, "s6": 1, "N": 1}, Ranges: map[string]graph.Range{"sequence": {Lo: 1, Hi: 512}, "sequence_length": {Lo: 1, Hi: 512}}}
		if os.Getenv("FIXED") != "" {
			opt = onnx.ReadOptions{Shapes: map[string][]int{"sequence_length": {128}, "sequence": {128}, "batch": {3}, "batch_size": {3}}, Some: true}
		}
		m, rep, err := onnx.Read(f, opt)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(f, rep.Dynamic)
		machine, err := cost.FindMachine("zen5")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		method := Method(os.Getenv("METHOD"))
		if method == "" {
			method = Descend
		}
		r, err := Run(context.Background(), Options{Model: m, Source: rep.Source, Folder: t.TempDir(), Cost: machine, CostName: "x", Method: method, Tries: 20000, NoVerify: true, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(r.CostBefore, r.CostAfter, r.StepCount, r.NodesBefore, r.NodesAfter, r.ProofChecked, len(r.Proof), r.Why, r.Changes, r.Refused, r.Tried, r.File, time.Since(start))
		for _, s := range r.Steps {
			fmt.Println(" ", s.Law)
		}
		if p := os.Getenv("PROOF"); p != "" {
			os.WriteFile(p, r.Proof, 0o644)
		}
	}
}
