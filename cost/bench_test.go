package cost_test

import (
	"bytes"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// chain is a graph of n relus, no two of one size.
func chain(b *testing.B, n int) *graph.Graph {
	var gb graph.Builder
	var last graph.Tensor
	for i := range n {
		x, _ := gb.AddInput(string(rune('a'+i%26))+string(rune('0'+i/26)), graph.Float32, i+1, 64)
		id, _ := gb.Apply("", op.Relu, nil, x)
		last = id.Out(0)
	}
	g, err := gb.Finish(last)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func benchmarkGraphCost(b *testing.B, m cost.Model, g *graph.Graph) {
	b.ReportAllocs()
	p := lowered(b, g)
	for b.Loop() {
		if _, err := cost.GraphCost(p, m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGraphCostMachine and BenchmarkGraphCostTable price 100 operators.
func BenchmarkGraphCostMachine(b *testing.B) {
	benchmarkGraphCost(b, machine(b, "v100"), chain(b, 100))
}

func BenchmarkGraphCostTable(b *testing.B) {
	g := chain(b, 100)
	var t cost.Table
	for id := range g.Nodes() {
		if g.Op(id) != nil {
			if _, err := t.Put(cost.Entry{Key: cost.KeyOf(here, cost.At(g, id)), Sample: measured(1e-6, 0)}); err != nil {
				b.Fatal(err)
			}
		}
	}
	benchmarkGraphCost(b, t.Model(here), g)
}

// BenchmarkReadTable reads 1000 entries.
func BenchmarkReadTable(b *testing.B) {
	var t cost.Table
	for i := range 1000 {
		if _, err := t.Put(entry(i)); err != nil {
			b.Fatal(err)
		}
	}
	var w bytes.Buffer
	if err := cost.WriteTable(&w, &t); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(w.Len()))
	for b.Loop() {
		if _, err := cost.ReadTable("bench", bytes.NewReader(w.Bytes()), new(cost.Table)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCalibrate fits a machine to 300 observations.
func BenchmarkCalibrate(b *testing.B) {
	obs := observe(truth(b), 0.05, 10)
	for b.Loop() {
		if _, err := cost.Calibrate(machine(b, "laptop"), obs); err != nil {
			b.Fatal(err)
		}
	}
}
