package optimize_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/model"
)

// From a model to each of its rewritten forms there is a proof, found without a search,
// and the same form with one number of one weight changed has none.
func TestProveForms(t *testing.T) {
	ctx := context.Background()
	done := map[string]bool{}
	for _, v := range models.Variants("") {
		form := v.Name[len(v.Of):]
		// Of each form the first model, and of those that differ more.
		if more := []string{"squeezenet-full+enlarge", "mobilenetv2+split", "vgg19+split"}; done[form] && !slices.Contains(more, v.Name) {
			continue
		}
		if form == "+groups16" || form == "+groups4" {
			continue // kernels with zeros for other groups: no law says so for any number of groups
		}
		done[form] = true
		t.Run(v.Name, func(t *testing.T) {
			a, b := built(t, v.Of+"-tiny"), built(t, v.Name+"-tiny")
			p, err := optimize.Prove(ctx, a, b, optimize.Options{Tries: 1})
			if err != nil || !p.Equal || p.Tried > 0 {
				t.Fatalf("%+v, %v", p, err)
			}
			if _, err := optimize.CheckProof(ctx, bytes.NewReader(p.Proof), "proof", a, b, false); err != nil {
				t.Error(err)
			}
			if !changeNumber(t, b) {
				t.Fatal("no weight can be changed")
			}
			if _, err := optimize.CheckProof(ctx, bytes.NewReader(p.Proof), "proof", a, b, false); err == nil {
				t.Error("the proof is accepted for other weights")
			}
			// One form is searched for a proof by all means, others by a move behind the normal form.
			o := optimize.Options{Tries: 1, Method: optimize.Descend}
			if v.Name == "squeezenet+fused" {
				o.Method = optimize.Auto
			}
			if p, err = optimize.Prove(ctx, a, b, o); err != nil || p.Equal {
				t.Errorf("other weights: %+v, %v", p, err)
			}
		})
	}
}

func built(t *testing.T, name string) *model.Model {
	t.Helper()
	m, err := models.Build(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// changeNumber changes the last number of the first weight of a model that has several.
func changeNumber(t *testing.T, m *model.Model) bool {
	t.Helper()
	for _, id := range m.Graph.Inputs() {
		w := m.Weights[id]
		if w == nil || w.Elements() < 2 || w.DType != graph.Float32 {
			continue
		}
		raw, err := w.Read()
		if err != nil {
			t.Fatal(err)
		}
		raw = slices.Clone(raw)
		raw[len(raw)-2] ^= 1 // of the mantissa
		m.Weights[id] = model.FromBytes(w.DType, w.Sizes, raw)
		return true
	}
	return false
}

// A function of a number that is repeated is that of the number, repeated: a quotient by
// it, as exporters scale keys, is the product of tensor and number.
func TestProveQuotient(t *testing.T) {
	a := written(t, "x : float32[1, 12, 64, 197]\nc : weight float32[]\nb = broadcast[shape=[1, 12, 64, 197]](c)\ny = ewdiv(x, b)\nreturn y")
	b := written(t, "x : float32[1, 12, 64, 197]\nc : weight float32[]\nb = reciprocal(c)\ny = smul(x, b)\nreturn y")
	p, err := optimize.Prove(context.Background(), a, b, optimize.Options{})
	if err != nil || !p.Equal {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, law := range []string{"ewdiv_reciprocal", "lead_pointwise", "broadcast_scalar"} {
		if !bytes.Contains(p.Proof, []byte(law)) {
			t.Errorf("the proof does not use %s", law)
		}
	}
}
