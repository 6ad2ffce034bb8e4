package models

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// allRewrites are the rewrites by name.
var allRewrites = []struct {
	name string
	rewrite
}{
	{"mergeMatmuls", mergeMatmuls(nil)}, {"splitMatmuls", splitMatmuls}, {"sumProducts", sumProducts}, {"lift", lift},
	{"mergeConvs", mergeConvs(false)}, {"enlarge", mergeConvs(true)}, {"splitConvs", splitConvs}, {"fuseRelu", fuseRelu},
	{"sumConvs", sumConvs}, {"halveGroups", halveGroups}, {"foldNorms", foldNorms}, {"poolsAsConv", poolsAsConv},
}

// Each rewrite, and any of them one after the other, leaves what a small network
// computes as it is, whatever its weights.
func TestRewritesOfRandomNetworks(t *testing.T) {
	places := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		var err error
		defer func() {
			if err != nil {
				t.Fatal(err)
			}
		}()
		defer caught(&err)
		n := newNet(1, 1, style(rapid.IntRange(0, 2).Draw(t, "style")))
		n.fused = rapid.Bool().Draw(t, "fused")
		var m *model.Model
		if rapid.Bool().Draw(t, "images") {
			m = n.finish(randomImages(t, n)...)
		} else {
			m = n.finish(randomRows(t, n)...)
		}
		for _, r := range allRewrites {
			derived := map[string]bool{}
			now, k := rewritten(m, r.rewrite, derived)
			if places[r.name] += k; k == 0 {
				continue
			}
			sameFunction(t, m, now, derived)
			for lifted := k; lifted > 0; { // of what was merged
				now, lifted = rewritten(now, lift, derived)
				places["lift"] += lifted
			}
			sameFunction(t, m, now, derived)
		}
		now, derived := m, map[string]bool{}
		for range rapid.IntRange(2, 5).Draw(t, "rewrites") {
			r := allRewrites[rapid.IntRange(0, len(allRewrites)-1).Draw(t, "rewrite")]
			now, _ = rewritten(now, r.rewrite, derived)
		}
		sameFunction(t, m, now, derived)
	})
	t.Log(places)
	for _, r := range []string{"mergeMatmuls", "mergeConvs", "splitMatmuls", "splitConvs", "halveGroups", "foldNorms", "lift"} {
		if places[r] == 0 {
			t.Errorf("%s was never used", r)
		}
	}
}

// sameFunction compares a model with what rewrites made of it: exactly and for
// all weights as it is, in numbers with its weights computed.
func sameFunction(t *rapid.T, m, now *model.Model, derived map[string]bool) {
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: now, NoNumbers: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Exact.Verdict != verifymodels.Equal || len(m.Weights) > 0 && !r.Exact.AnyWeights {
		t.Fatalf("%s\nbecomes\n%s\n%s", m.Graph, now.Graph, r)
	}
	r, err = verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: settled(now, derived), NoExact: true, Tolerance: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Agree {
		t.Fatalf("%s\nbecomes\n%s\n%s", m.Graph, now.Graph, r)
	}
}

// randomImages draws layers of convolutions and pools side by side, whose results
// are joined, added and read together.
func randomImages(t *rapid.T, n *net) []tensor {
	x := n.input("x", 1, 4, 5, 6)
	layers := rapid.IntRange(1, 2).Draw(t, "layers")
	var outputs []tensor
	for i := range layers {
		var ys []tensor
		var c conv
		for k := range rapid.IntRange(1, 4).Draw(t, "branches") {
			name := fmt.Sprintf("l%d_%d", i, k)
			if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				ys = append(ys, n.pool(name, "poolavg", x, 3, 1, same))
				continue
			}
			if k > 0 && c.out > 0 && rapid.Bool().Draw(t, "alike") {
				ys = append(ys, n.conv(name, x, c))
				continue
			}
			c = conv{out: 4, kh: rapid.SampledFrom([]int{1, 3}).Draw(t, "kh"), kw: rapid.SampledFrom([]int{1, 3}).Draw(t, "kw"),
				act: rapid.SampledFrom([]string{"", "relu"}).Draw(t, "act"), groups: rapid.SampledFrom([]int{1, 1, 1, 2, 4}).Draw(t, "groups")}
			if x.sizes[1]%c.groups != 0 {
				c.groups = 1
			}
			c.pad = rapid.SampledFrom([]graph.Value{same, pads(c.kh/2, c.kw/2)}).Draw(t, "pad")
			ys = append(ys, n.conv(name, x, c))
		}
		x = randomReader(t, n, ys)
		outputs = append(outputs, ys[rapid.IntRange(0, len(ys)-1).Draw(t, "output")])
	}
	return append(outputs, x)
}

// randomRows does so with products of matrices.
func randomRows(t *rapid.T, n *net) []tensor {
	x, s := n.input("x", 3, 4), n.input("s", 3, 4)
	var ys []tensor
	for k := range rapid.IntRange(1, 5).Draw(t, "branches") {
		bias := rapid.Bool().Draw(t, "bias")
		y := n.linear(fmt.Sprintf("x%d", k), x, 4, bias)
		if rapid.Bool().Draw(t, "sum") {
			y = n.apply("sum", "ewadd", nil, y, n.linear(fmt.Sprintf("s%d", k), s, 4, bias))
		}
		if f := rapid.SampledFrom([]string{"", "", "relu", "tanh"}).Draw(t, "function"); f != "" {
			y = n.apply(f, f, nil, y)
		}
		ys = append(ys, y)
	}
	return []tensor{randomReader(t, n, ys), ys[0]}
}

// randomReader joins tensors, or adds them if it can.
func randomReader(t *rapid.T, n *net, ys []tensor) tensor {
	y := ys[0]
	same := !slices.ContainsFunc(ys, func(z tensor) bool { return z.sizes[1] != y.sizes[1] })
	if !same || rapid.Bool().Draw(t, "joined") {
		return n.concat(ys...)
	}
	for _, z := range ys[1:] {
		y = n.apply("add", "ewadd", nil, y, z)
	}
	return y
}
