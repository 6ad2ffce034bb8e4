package verifymodels

import (
	"context"
	"errors"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// compareWithBackend runs a model on a backend and by the reference evaluator.
func compareWithBackend(t testing.TB, b backends.Backend, m *model.Model) Numbers {
	t.Helper()
	ins, err := pair(m, m)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := fill(ins, func(in input, i int) float64 { return unit(draw(1, 0, in, i)) })
	want, err := reference(context.Background(), m, in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := onBackend(context.Background(), b, m, in)
	if err != nil {
		t.Fatal(err)
	}
	n := Numbers{}
	for _, o := range m.Graph.Outputs() {
		n.Outputs = append(n.Outputs, Output{Sizes: m.Graph.Sizes(o)})
	}
	n.compare(want, got)
	return n
}

// The processor computes in float32 what the reference computes in float64, on
// every listed model, with all its kernels.
func TestProcessor(t *testing.T) {
	for _, table := range cpu.Tables() {
		b, err := cpu.New(cpu.Options{Kernels: table})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range models.Names() {
			m, err := models.Build(name+"-tiny", 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range compareWithBackend(t, b, m).Outputs {
				if o.NaNs > 0 || o.Relative > 1e-5 || o.Largest == 0 {
					t.Errorf("kernels %s: %s: output %d: %+v", table, m.Name, i, o)
				}
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Integers and functions of the field.
func TestResidues(t *testing.T) {
	fns := false
	f := residues{maxima: newMaxima(0), functions: &fns}
	for _, x := range []int64{0, 1, -1, 1<<53 - 1, -(1<<53 - 1)} {
		if got, ok := f.Integer(f.fromInt(x)); !ok || got != x {
			t.Errorf("%d: %d, %t", x, got, ok)
		}
	}
	if _, ok := f.Integer(1 << 60); ok {
		t.Error("2^60 is a small integer")
	}
	if f.Fn("neg", 5) != p-5 || f.Fn("neg", 0) != 0 || f.Fn("number(-0.5)", 9) != f.Rat(-1, 2) || f.Mul(f.Fn("reciprocal", 7), 7) != 1 || fns {
		t.Errorf("a function that the field has is not exact, or is said not to be: %t", fns)
	}
	if f.Fn("relu", 0) != 0 || !fns {
		t.Error("relu is not marked")
	}
	if fns = false; f.Fn("reciprocal", 0) != 0 || !fns {
		t.Error("a reciprocal of 0 is not marked")
	}
	if fns = false; f.Max([]uint64{3}) != 3 || fns || f.Max([]uint64{3, 4}) == 0 || !fns {
		t.Error("maximum")
	}
}

// Weights of all types are exact.
func TestLoadWeight(t *testing.T) {
	fns := false
	f := residues{functions: &fns}
	w, err := loadWeight(f, model.FromInt64([]int{2}, []int64{-3, 4}))
	if err != nil || w.Data[0] != p-3 || w.Data[1] != 4 {
		t.Errorf("got %v, %v", w, err)
	}
	for _, c := range []struct {
		t    graph.DType
		raw  []byte
		want uint64
	}{
		{graph.Float16, []byte{0, 0xc2}, p - 3},
		{graph.BFloat16, []byte{0x40, 0x40}, 3},
		{graph.Float64, []byte{0, 0, 0, 0, 0, 0, 8, 0x40}, 3},
		{graph.Bool, []byte{1}, 1},
		{graph.Int8, []byte{0xfd}, p - 3},
		{graph.Uint64, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 7}, // 2^64 - 1, where 2^61 is 1
	} {
		w, err := loadWeight(f, model.FromBytes(c.t, []int{1}, c.raw))
		if err != nil || w.Data[0] != c.want {
			t.Errorf("%s: got %v, %v, want %d", c.t, w, err, c.want)
		}
	}
	for want, w := range map[string]*model.Weight{
		"load weight: no disk":                          {Sizes: []int{1}, Load: func() ([]byte, error) { return nil, errors.New("no disk") }},
		"load weight: int64[1] has 8 bytes, not 1":      {DType: graph.Int64, Sizes: []int{1}, Load: func() ([]byte, error) { return []byte{1}, nil }},
		"load weight: there is nothing to load it from": {DType: graph.Int64, Sizes: []int{1}},
	} {
		if _, err := loadWeight[float64](floats{}, w); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// An output of an operator with several has its number behind the name.
func TestOutputName(t *testing.T) {
	g, err := graph.ParseText("", "x : float32[4]\ns = split[axis=0, at=1](x)\nreturn s.1, x")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := outputName(g, 0), outputName(g, 1); a != "s.1" || b != "x" {
		t.Errorf("got %s and %s", a, b)
	}
	m := &model.Model{Name: "m", Graph: g}
	r, err := Run(context.Background(), Options{A: m, B: m})
	if err != nil || r.Exact.Verdict != Equal || !r.Agree {
		t.Errorf("got %v, %v", r, err)
	}
}

var _ interp.Ring[uint64] = residues{}
