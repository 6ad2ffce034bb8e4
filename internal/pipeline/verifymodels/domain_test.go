package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// Models that are equal wherever functions have values are compared where they have none.
func TestNoValue(t *testing.T) {
	// There is a root of a negative number where x is large and u is small.
	const head = "x : float32[2]\nu : float32[2]\nw : weight float32[2]\no : float32 = one[shape=[2]]()\na = abs(u)\nl = ewless(a, o)\nc = cast[to=float32](l)\np = ewmul(x, c)\n"
	w := map[string][]float32{"w": {30, 30}}
	a := parse(t, "a", head+"return p", w)
	b := parse(t, "b", head+"d = ewsub(w, p)\ns = sqrt(d)\nh = ewadd(p, s)\ny = ewsub(h, s)\nreturn y", w)
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b})
	if err != nil || r.Exact.Verdict != verifymodels.Equal || r.Verdict != verifymodels.ModelsDiffer {
		t.Errorf("%v\n%s", err, r)
	}
	// No number can be compared before a node that is not understood.
	kept := func(quotient bool) *model.Model {
		var g graph.Builder
		y, _ := g.AddInput("x", graph.Float32, 2)
		if quotient {
			mul, _ := graph.Lookup("ewmul")
			div, _ := graph.Lookup("ewdiv")
			m, err := g.Apply("m", mul, nil, y, y)
			if err != nil {
				t.Fatal(err)
			}
			d, err := g.Apply("d", div, nil, m.Out(0), y)
			if err != nil {
				t.Fatal(err)
			}
			y = d.Out(0)
		}
		o, err := g.Opaque("o", "onnx.Unique", "", []graph.Tensor{y}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{2}}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := g.Finish(o.Out(0))
		if err != nil {
			t.Fatal(err)
		}
		return &model.Model{Name: "m", Graph: out}
	}
	r, err = verifymodels.Run(context.Background(), verifymodels.Options{A: kept(false), B: kept(true)})
	if err != nil || r.Exact.Verdict != verifymodels.Equal || r.Verdict != verifymodels.NotKnown || !strings.Contains(r.String(), "where functions have no value") {
		t.Errorf("%v\n%s", err, r)
	}
}
