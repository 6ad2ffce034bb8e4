package adversary

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/modelpairs"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

var (
	modelCount = flag.Int("adversary.models", 18, "numbers of models of TestModels")
	modelKeep  = flag.String("adversary.keep", "", "folder for the files of false proofs of models")
)

// TestModels: no false proof of models is accepted.
func TestModels(t *testing.T) {
	rt := ort.ForTest(t)
	f, err := RunModels(context.Background(), ModelOptions{Python: rt.Python, Models: *modelCount, Workers: *workers, Seed: *seed, Keep: *modelKeep})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(f)
	for _, x := range f.Findings {
		t.Error(x)
	}
	if f.Models < *modelCount/4 || f.Proved < f.Models/2 || f.Put < 4*f.Models {
		t.Errorf("too few to tell: %s", f)
	}
}

// A change that the reader does not see is found: here the changed model is the model.
func TestModelsFinds(t *testing.T) {
	g, err := graph.ParseText("m", "x : float32[4]\nr = relu(x)\ny = ewadd(r, x)\nreturn y")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := onnx.Write(path, &model.Model{Name: "m", Graph: g}, onnx.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o, how, err := ModelOptions{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	keep := t.TempDir()
	o.Keep = keep
	a := &target{o: o, how: how, pair: &modelpairs.Pair{Kind: "none", A: raw, B: raw, Variant: raw}, rng: rand.New(rand.NewPCG(1, 2))}
	if err := a.attack(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(a.Findings) < 4 {
		t.Errorf("found %v", a.Findings)
	}
	if _, err := os.Stat(filepath.Join(keep, "000000-", "proof")); err != nil {
		t.Error(err)
	}
}
