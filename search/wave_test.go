package search_test

import (
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
)

// Descent merges all eight products of one tensor of a recurrent cell: merging two of
// them, or three, pays nothing, because what ran in their kernels needs its own.
func TestWaves(t *testing.T) {
	net, rs, prices := recurrent(t)
	again := net.Clone()
	p := search.NewPricer(net, lower.CPU(), prices)
	tr := search.NewTrail(search.NewRewriter(net, rs), p)
	before := p.Cost()
	kept, _ := tr.Descend(t.Context(), search.DescendOptions{Tries: 30000, Waves: true})
	products := 0
	net.Nodes(func(n bank.Node) bool {
		if net.Op(n) == op.MatMul && !net.Fixed(n) {
			products++
		}
		return true
	})
	// Of four steps at most two are left, of eight and eight: the first step has a state
	// that is a weight, so that it has eight, of which nothing but the input is a variable.
	if products > 4*2+8 {
		t.Errorf("%d products are left, want at most two of each step", products)
	}
	if p.Err() != nil || p.Cost() > before*7/10 {
		t.Errorf("it cost %d, and costs %d", before, p.Cost())
	}
	// The moves that were kept are moves: a network of its own comes to the same.
	r := search.NewRewriter(again, rs)
	var err error
	for i := range kept {
		if !r.Find(&kept[i], func(x *search.Match) { err = r.Apply(x) }) || err != nil {
			t.Fatalf("move %d cannot be made again: %v", i, err)
		}
	}
	if again.Hash() != net.Hash() {
		t.Error("the moves that were kept lead elsewhere")
	}
}

// No more moves are tried than may be, within waves, sweeps and chains as well, and what
// was found until then is kept.
func TestTries(t *testing.T) {
	net, rs, prices := recurrent(t)
	most := sweep.Size(3000, 10000)
	for _, tries := range []int{1, 7, 50, 300, most} {
		for _, waves := range []bool{true, false} {
			n := net.Clone()
			p := search.NewPricer(n, lower.CPU(), prices)
			tr := search.NewTrail(search.NewRewriter(n, rs), p)
			before := p.Cost()
			_, done := tr.Descend(t.Context(), search.DescendOptions{Tries: tries, Waves: waves})
			if tr.Tried != tries || done {
				t.Errorf("waves %v: %d moves of %d were tried, done %v", waves, tr.Tried, tries, done)
			}
			if p.Err() != nil || p.Cost() > before || tries == most && waves && p.Cost() == before {
				t.Errorf("waves %v, %d moves: it cost %d, and costs %d", waves, tries, before, p.Cost())
			}
		}
	}
}

// recurrent is NASRNN with all laws and what it costs.
func recurrent(t *testing.T) (*bank.Bank, *search.Rules, search.Prices) {
	t.Helper()
	m, err := models.Build("nasrnn", 1)
	if err != nil {
		t.Fatal(err)
	}
	v100, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	laws, err := optimize.DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	rs, _, err := search.NewRules(laws)
	if err != nil {
		t.Fatal(err)
	}
	net, _, err := bank.From(m.Graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	return net, rs, prices{v100}
}
