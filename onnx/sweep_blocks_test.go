package onnx

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph"
)

// bytesOf are bytes that are drawn.
func bytesOf(name string, sizes ...int) operand {
	k := newConstant(graph.Uint8, sizes...)
	rng := rand.New(rand.NewPCG(uint64(len(name)), 3))
	for i := range k.ints {
		k.ints[i] = int64(rng.IntN(256))
	}
	return operand{name: name, k: k, fixed: true}
}

// TestSweepBlocks: weights of few bits, and embeddings.
func TestSweepBlocks(t *testing.T) {
	t.Parallel()
	var vs variants
	add := vs.contributed
	for _, c := range []struct{ bits, k, n, size int }{{4, 32, 5, 16}, {4, 40, 3, 32}, {4, 64, 8, 32}, {8, 32, 5, 16}, {8, 48, 4, 32}, {2, 64, 5, 32}} {
		count := (c.k + c.size - 1) / c.size
		x, w := feed("x", 2, 3, c.k).by(0.1), bytesOf("w", c.n, count, c.size*c.bits/8)
		scales, zeros := fixedFeed("s", c.n*count).by(0.1), bytesOf("zero", c.n*((count*c.bits+7)/8))
		as := []any{"K", c.k, "N", c.n, "bits", c.bits, "block_size", c.size}
		add("MatMulNBits", list(x, w, scales), z, as...)
		add("MatMulNBits", list(x, w, scales, zeros), z, as...)
		add("MatMulNBits", list(x, w, scales, zeros, none, fixedFeed("b", c.n)), z, as...)
		if c.bits == 4 {
			add("MatMulNBits", list(x, w, scales, fixedFeed("zero", c.n*count)), z, as...)
		}
	}
	for _, bits := range []int{4, 8} {
		w, scales := bytesOf("w", 7, 64*bits/8), fixedFeed("s", 7, 4)
		at := integers("at", graph.Int64, 3, 6, 0, 1, 1, 2).sized(2, 3)
		as := []any{"bits", bits, "block_size", 16}
		add("GatherBlockQuantized", list(w, at, scales), z, as...)
		add("GatherBlockQuantized", list(w, at, scales, bytesOf("zero", 7, 4*bits/8)), z, as...)
	}
	ids, segments := integers("ids", graph.Int32, 3, 6, 0, 1, 1, 2).sized(2, 3), integers("of", graph.Int32, 0, 1, 1, 0, 0, 1).sized(2, 3)
	words, places, segment := fixedFeed("words", 7, 8), fixedFeed("places", 5, 8), fixedFeed("seg", 2, 8)
	gamma, beta := fixedFeed("g", 8), fixedFeed("bb", 8)
	mask := integers("mask", graph.Int32, 1, 1, 0, 1, 1, 1).sized(2, 3)
	outs := []string{"z", "index", "sum"}
	all := []string{"z", "", "sum"}
	add("EmbedLayerNormalization", list(ids, segments, words, places, segment, gamma, beta), all)
	add("EmbedLayerNormalization", list(ids, none, words, places, none, gamma, beta), all, "epsilon", 0.01)
	add("EmbedLayerNormalization", list(ids, segments, words, places, segment, gamma, beta, mask), outs)
	add("EmbedLayerNormalization", list(ids, segments, words, places, segment, gamma, beta, mask, integers("at", graph.Int32, 4, 0, 2).sized(1, 3)), outs)
	sweep(t, vs)
}
