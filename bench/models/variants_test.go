package models_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/sums"
)

func compare(t *testing.T, o verifymodels.Options) *verifymodels.Report {
	t.Helper()
	r, err := verifymodels.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sampled are the rewritten forms, in make test one of those that use the same laws.
func sampled() (all []models.Variant) {
	kinds := map[string]bool{}
	for _, v := range models.Variants("") {
		if kind := fmt.Sprint(v.Laws); sweep.Size(0, 1) > 0 || !kinds[kind] {
			kinds[kind] = true
			all = append(all, v)
		}
	}
	return all
}

// A rewritten form computes what its model does: exactly, whatever the numbers of
// the weights, as long as its weights are computed from the model's in the graph;
// and in numbers when they were computed beforehand. One element of one weight
// changed, and it does not.
func TestVariantsCompute(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range sampled() {
		name := v.Name + "-tiny"
		original, form := build(t, v.Of+"-tiny", 1), build(t, name, 1)
		if key := form.Graph.String(); seen[key] {
			continue // encoders share their small models
		} else {
			seen[key] = true
		}
		apart, err := models.BuildApart(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r := compare(t, verifymodels.Options{A: original, B: apart, Tolerance: 1e-9, NoSearch: true}); !r.Agree || r.Exact.Verdict != verifymodels.Equal || !r.Exact.AnyWeights {
			t.Errorf("%s with the model's weights:\n%s", name, r)
		}
		r := compare(t, verifymodels.Options{A: original, B: form, Tolerance: 1e-6, NoSearch: true})
		if !r.Agree || r.Numbers.Outputs[0].Largest == 0 {
			t.Errorf("%s:\n%s", name, r)
		}
		// Weights that are sums or products of weights are rounded.
		rounded := slices.Contains(v.Laws, "fold_batchnorm") || slices.Contains(v.Laws, "pools_as_conv")
		if r.Exact.Verdict != verifymodels.Equal && !rounded {
			t.Errorf("%s: exact arithmetic sees a difference:\n%s", name, r)
		}
		if r := compare(t, verifymodels.Options{A: original, B: spoiled(t, form), Tolerance: 1e-6, NoSearch: true, NoExact: true}); r.Agree {
			t.Errorf("%s with another weight:\n%s", name, r)
		}
	}
}

// spoiled is a model with other numbers in its largest weight.
func spoiled(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	other := *m
	other.Weights = maps.Clone(m.Weights)
	var largest = m.Graph.Inputs()[0]
	for _, id := range m.Graph.Inputs() {
		if w := m.Weights[id]; w != nil && (m.Weights[largest] == nil || w.Elements() > m.Weights[largest].Elements()) {
			largest = id
		}
	}
	xs, err := m.Weights[largest].Float32s()
	if err != nil {
		t.Fatal(err)
	}
	for i := range xs {
		xs[i] = -xs[i]
	}
	other.Weights[largest] = model.FromFloat32(m.Weights[largest].Sizes, xs)
	return &other
}

// In float32 on the processor, as they are timed, a form and its model agree, too,
// and a form survives being written as ONNX. TASO_FULL_MODELS=1 does so in full
// size.
func TestVariantsRun(t *testing.T) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	size := "-tiny"
	if os.Getenv("TASO_FULL_MODELS") != "" {
		size = ""
	}
	for _, v := range sampled() {
		form := build(t, v.Name+size, 1)
		path := filepath.Join(t.TempDir(), "form.onnx")
		if err := onnx.Write(path, form, onnx.WriteOptions{}); err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		again, _, err := onnx.Read(path, onnx.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		if again.Graph.Hash() != form.Graph.Hash() {
			t.Errorf("%s: ONNX gives another graph", v.Name)
		}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{
			A: build(t, v.Of+size, 1), B: again, Backend: b, NoExact: true, NoSearch: true, Tolerance: 1e-5})
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		if !r.Agree {
			t.Errorf("%s:\n%s", v.Name, r)
		}
	}
}

// The laws of enlarging are about kernels of one cell, a row and a column of
// three: no other kernel is enlarged.
func TestEnlargedKernels(t *testing.T) {
	n := 0
	for _, v := range models.Variants("") {
		if !slices.Contains(v.Laws, "enlarge_single") {
			continue
		}
		m, err := models.BuildApart(v.Name, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id := range m.Graph.Nodes() {
			if op := m.Graph.Op(id); op == nil || op.Name != "enlarge" {
				continue
			}
			n++
			from, to := m.Graph.Sizes(m.Graph.Operands(id)[0])[2:], m.Graph.Sizes(id.Out(0))[2:]
			if !slices.Equal(to, []int{3, 3}) || from[0] != 1 && from[1] != 1 {
				t.Errorf("%s: a kernel of %v is enlarged to %v", v.Name, from, to)
			}
		}
	}
	if n == 0 {
		t.Error("nothing is enlarged")
	}
}

// In full size a form has the inputs, the outputs and, where its rewrite only
// moves them, the parameters of its model.
func TestVariantsInFull(t *testing.T) {
	for _, v := range sampled() {
		a, b := build(t, v.Of, 0), build(t, v.Name, 0)
		if b.Name != v.Name || b.Doc != v.Doc || v.Of == "" || v.Doc == "" {
			t.Errorf("%+v: built as %s, %s", v, b.Name, b.Doc)
		}
		ia, ib := models.Describe(a), models.Describe(b)
		moved := !slices.ContainsFunc(v.Laws, func(l string) bool {
			return strings.HasPrefix(l, "enlarge") || l == "join_two" || l == "fold_batchnorm" || l == "pools_as_conv"
		})
		if moved && (ia.Params != ib.Params || ia.MACs != ib.MACs) {
			t.Errorf("%s: %d parameters and %d multiply-adds, the model has %d and %d", v.Name, ib.Params, ib.MACs, ia.Params, ia.MACs)
		}
		if a.Graph.Hash() == b.Graph.Hash() {
			t.Errorf("%s is %s", v.Name, v.Of)
		}
		for i, id := range a.Inputs() {
			if other := b.Inputs()[i]; a.Graph.Name(id) != b.Graph.Name(other) || !slices.Equal(a.Graph.Sizes(id.Out(0)), b.Graph.Sizes(other.Out(0))) {
				t.Errorf("%s: input %d differs", v.Name, i)
			}
		}
		for i, o := range a.Graph.Outputs() {
			if !slices.Equal(a.Graph.Sizes(o), b.Graph.Sizes(b.Graph.Outputs()[i])) {
				t.Errorf("%s: output %d differs", v.Name, i)
			}
		}
	}
}

// Each of the nine models of the papers has forms, and names lead to them.
func TestVariants(t *testing.T) {
	for _, name := range models.Names()[:9] {
		vs := models.Variants(name)
		if len(vs) < 2 {
			t.Errorf("%s has %d rewritten forms", name, len(vs))
		}
		for i, v := range models.Variants(name + "-tiny") {
			if v.Name != vs[i].Name+"-tiny" || v.Of != name+"-tiny" || v.Doc != vs[i].Doc {
				t.Errorf("%+v beside %+v", v, vs[i])
			}
		}
	}
	if vs := models.Variants("resnet51"); vs != nil {
		t.Errorf("got %+v", vs)
	}
	for _, name := range []string{"bert+", "bert+fold", "bert+qkv+split", "+qkv", "bert-tiny+qkv"} {
		if _, err := models.Build(name, 0); !errors.Is(err, models.ErrUnknown) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// All laws that the rewrites are instances of hold for all sizes: by the axioms,
// or from what the operators compute, with a proof that the checker accepts.
func TestVariantRules(t *testing.T) {
	laws := models.FormLaws(t)
	known := map[string]bool{}
	for _, l := range laws {
		known[l.Name] = true
	}
	used := map[string]bool{}
	for _, v := range models.Variants("") {
		for _, name := range v.Laws {
			used[name] = true
			if !known[name] {
				t.Errorf("%s: there is no law %s", v.Name, name)
			}
		}
	}
	th, err := theory.Load(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	proofs, err := th.Decide(context.Background(), laws, theory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range laws {
		if !used[l.Name] {
			t.Errorf("law %s is used by no form", l.Name)
		}
		if proofs[i].Verdict.Status == verify.Proved {
			t.Logf("%s: from the axioms", l.Name)
			continue
		}
		p, err := sums.Certify(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			t.Errorf("law %s has no certificate: axioms: %s; and none from what operators compute", l.Name, proofs[i].Verdict.Reason)
			continue
		}
		t.Logf("%s: from what operators compute, %d numbers", l.Name, len(p))
	}
}
