package adversary

import (
	"context"
	"flag"
	"testing"

	"github.com/taso-go/taso/internal/ort"
)

var (
	modelCount = flag.Int("adversary.models", 24, "numbers of models of TestModels")
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
