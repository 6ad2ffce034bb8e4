package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// lowerTfIdf counts n-grams in sequences of integers: where each number of one stands is a
// comparison, and where all of them do, as far apart as they may be, a product.
func lowerTfIdf(c *call) {
	x, im := c.need(1, 1)[0], c.im
	if !x.dtype.IsInt() || x.rank() > 2 {
		must.Failf("input %s is not supported", x)
	}
	if c.has("pool_strings") {
		must.Do(unsupported("pool_strings is not supported"))
	}
	starts, pool, to := c.ints("ngram_counts"), c.ints("pool_int64s"), c.ints("ngram_indexes")
	least, most, skips := c.int("min_gram_length", 0), c.int("max_gram_length", 0), c.int("max_skip_count", 0)
	if least < 1 || most < least || most > int64(len(starts)) || skips < 0 || skips > maxConstant || len(to) == 0 || slices.Min(to) < 0 || slices.Max(to) >= maxConstant {
		must.Failf("%d numbers of n-grams of %d to %d, with %d skips", len(pool), least, most, skips)
	}
	// The n-grams of each length, by their places in the list of all.
	type gram struct {
		at     int
		tokens []int
	}
	grams, seen, number := make([][]gram, len(starts)), map[string]bool{}, 0
	tokens := map[int]int{}
	for i, from := range starts {
		end := len(pool)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if from < 0 || end < from || end > len(pool) || (end-from)%(i+1) != 0 {
			must.Failf("n-grams of %d from %d to %d of %d", i+1, from, end, len(pool))
		}
		for ; from < end; from += i + 1 {
			g := gram{number, pool[from : from+i+1]}
			if key := fmt.Sprint(g.tokens); seen[key] {
				must.Do(unsupported("the n-gram %s is listed twice", key))
			} else {
				seen[key] = true
			}
			if number++; int64(i+1) < least || int64(i+1) > most {
				continue
			}
			grams[i] = append(grams[i], g)
			for _, t := range g.tokens {
				if _, ok := tokens[t]; !ok {
					tokens[t] = len(tokens)
				}
			}
		}
	}
	if number != len(to) {
		must.Failf("%d n-grams and %d places for them", number, len(to))
	}
	size := slices.Max(to) + 1
	batch, long := 1, x.elements()
	if x.rank() == 2 {
		batch, long = x.sizes()[0], x.sizes()[1]
	}
	if graph.Product(batch, long, len(tokens)) > maxSummed {
		must.Do(unsupported("%d tokens in %s are too many", len(tokens), x))
	}
	columns := make([][]int, size) // of counts that add up to an element
	var counts []*value
	width := 0
	if len(tokens) > 0 {
		known := newConstant(graph.Int64, len(tokens))
		for t, i := range tokens {
			known.ints[i] = int64(t)
		}
		sizes := []int{batch, long, len(tokens)}
		is := im.do("ewequal", im.broadcast(im.reshape(im.cast(x, graph.Int64), batch, long, 1), sizes...), im.broadcast(valueOf(known), sizes...))
		is = im.cast(is, graph.Float32)
		for i, list := range grams {
			for skip := range int(skips) + 1 {
				span := long - i*(skip+1)
				if len(list) == 0 || span < 1 || i == 0 && skip > 0 {
					continue
				}
				var all *value
				for k := range i + 1 {
					at := newConstant(graph.Int64, len(list))
					for j, g := range list {
						at.ints[j] = int64(tokens[g.tokens[k]])
					}
					v := im.slice(is, 1, k*(skip+1), k*(skip+1)+span)
					v = im.apply("gather", attrs{"axis": graph.IntValue(2)}, v, valueOf(at))
					if all == nil {
						all = v
					} else {
						all = im.do("ewmul", all, v)
					}
				}
				counts = append(counts, im.reduce("reducesum", all, []int{1}, false))
				for j, g := range list {
					columns[to[g.at]] = append(columns[to[g.at]], width+j)
				}
				width += len(list)
			}
		}
	}
	var y *value
	if len(counts) == 0 {
		y = valueOf(newConstant(graph.Float32, batch, size))
	} else {
		y = im.summed(im.joined(1, counts), columns)
	}
	switch mode := c.text("mode", ""); mode {
	case "TF", "TFIDF":
	case "IDF":
		y = im.clipped(y, 0, 1)
	default:
		must.Failf("mode is %q", clip(mode))
	}
	if w := c.floats("weights"); w != nil && c.text("mode", "") != "TF" {
		if len(w) != len(to) || !slices.Equal(to, upTo(0, size)) {
			must.Do(unsupported("weights with reordered ngram_indexes are not supported"))
		}
		k := newConstant(graph.Float32, size)
		copy(k.floats, w)
		y = im.do("ewmul", y, im.broadcastTo(valueOf(k), y.dims()))
	}
	if x.rank() < 2 {
		y = im.reshape(y, size)
	}
	c.set(y)
}
