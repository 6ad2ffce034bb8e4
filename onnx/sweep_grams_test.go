package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestSweepGrams: n-grams, counted and weighed.
func TestSweepGrams(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(x operand, mode string, least, most, skips int, more ...*onnxpb.AttributeProto) *variant {
		as := attributesNamed([]any{"mode", mode, "min_gram_length", least, "max_gram_length", most, "max_skip_count", skips,
			"ngram_counts", []int{0, 4, 10}, "pool_int64s", []int{2, 3, 5, 4, 5, 6, 7, 8, 6, 7, 2, 3, 5}, "ngram_indexes", []int{0, 1, 2, 3, 4, 5, 6, 7}})
		v := variantOf(9, "TfIdfVectorizer", list(x), z, append(as, more...)...)
		vs = append(vs, v)
		return v
	}
	long := integers("x", graph.Int64, 1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8, 2, 3, 5, 2, 3)
	for _, mode := range []string{"TF", "IDF", "TFIDF"} {
		for _, g := range [][3]int{{1, 1, 0}, {2, 2, 0}, {2, 2, 5}, {1, 2, 5}, {1, 3, 1}, {3, 3, 2}, {1, 3, 20}} {
			add(long, mode, g[0], g[1], g[2])
			add(long.as(graph.Int32), mode, g[0], g[1], g[2], floatsAttribute("weights", 1, 2, 3, 4, 0.5, 6, 7, 0.25))
			add(integers("x", graph.Int64, 1, 3, 5, 6, 7, 8, 6, 7, 7, 8, 2, 3).sized(2, 6), mode, g[0], g[1], g[2])
		}
	}
	sweep(t, vs)
}
