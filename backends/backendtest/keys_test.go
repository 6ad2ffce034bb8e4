package backendtest

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// TestKeys: applications that differ have different keys, with different
// hashes, and what a key's text stands for is the application.
func TestKeys(t *testing.T) {
	here := cost.Setting{Device: "here", Library: "suite"}
	byText, byHash := map[cost.Key]string{}, map[uint64]cost.Key{}
	err := Applications(func(g *graph.Graph, id graph.NodeID) error {
		app := cost.At(g, id)
		op, a := app.Op, app.Attrs
		k := cost.KeyOf(here, app)
		// All there is to know of it, written by other means.
		what := op.Name
		for i, p := range op.Params {
			what += fmt.Sprintf(" %s %s", p.Name, a[i].String())
		}
		what += fmt.Sprintf(" %v %v", app.In, app.Out)
		if old, ok := byText[k]; ok && old != what {
			return fmt.Errorf("%s is the key of %s and of %s", k, old, what)
		}
		byText[k] = what
		if old, ok := byHash[k.Hash()]; ok && old != k {
			return fmt.Errorf("%s and %s have one hash", k, old)
		}
		byHash[k.Hash()] = k
		ap, err := k.Parse()
		if err != nil {
			return err
		}
		if ap.Op != op || cost.KeyOf(here, *ap) != k {
			return fmt.Errorf("%s is read back as %+v", k, ap)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if len(byText) < 400 {
		t.Errorf("%d keys", len(byText))
	}
}
