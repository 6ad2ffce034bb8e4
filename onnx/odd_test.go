package onnx

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/taso-go/taso/graph"
	"google.golang.org/protobuf/proto"
)

// oddAttributes are names of attributes that nodes read, by what they hold.
var oddAttributes = map[string][]string{
	"int": {"axis", "batch_dims", "num_heads", "kv_num_heads", "q_num_heads", "is_causal", "qk_matmul_output_mode", "softmax_precision", "interleaved",
		"rotary_embedding_dim", "onesided", "inverse", "p", "group", "offset_group", "align_corners", "output_height", "output_width", "sampling_ratio",
		"keepdims", "storage_order", "ceil_mode", "min_gram_length", "max_gram_length", "max_skip_count", "K", "N", "bits", "block_size", "do_rotary",
		"unidirectional", "local_window_size", "smooth_softmax", "antialias", "exclude_outside", "to", "time_axis", "batch_axis", "new_axis", "largest"},
	"float":  {"scale", "softcap", "epsilon", "alpha", "beta", "norm_coefficient", "spatial_scale", "threshold", "mask_filter_value"},
	"text":   {"mode", "padding_mode", "reduction", "auto_pad", "coordinate_transformation_mode", "direction", "equation"},
	"ints":   {"axes", "kernel_shape", "strides", "pads", "dilations", "output_padding", "output_shape", "perm", "qkv_hidden_sizes", "ngram_counts", "ngram_indexes", "pool_int64s"},
	"floats": {"weights", "offset", "scale"},
}

var oddTexts = []string{"linear", "nearest", "cubic", "bilinear", "border", "reflection", "zeros", "add", "mul", "max", "min", "none", "avg", "SAME_UPPER", "VALID", "TF", "IDF",
	"circular", "standard", "nesterov", "output_half_pixel", "ij,jk->ik", "nothing"}

// TestOddNodes: nodes of every operator with inputs and attributes that are drawn, most of
// which make no sense, are read, kept or refused, and what is read runs.
func TestOddNodes(t *testing.T) {
	t.Parallel()
	type op struct{ domain, name string }
	var ops []op
	for name := range lowerings {
		ops = append(ops, op{"", name})
	}
	for domain, list := range domains {
		for name := range list {
			ops = append(ops, op{domain, name})
		}
	}
	slices.SortFunc(ops, func(a, b op) int { return slices.Compare([]string{a.domain, a.name}, []string{b.domain, b.name}) })
	rounds := 60
	if n, err := strconv.Atoi(os.Getenv("TASO_ODD_NODES")); err == nil {
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "odd.onnx")
	read := 0
	for _, o := range ops {
		for round := range rounds {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(len(o.name)*1000+int(o.name[0]))))
			v := oddNode(rng, o.name)
			if o.domain != "" {
				v.nodes[0].Domain, v.domain = proto.String(o.domain), o.domain
			}
			if err := os.WriteFile(path, marshal(t, v.proto()), 0o666); err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() {
					if e := recover(); e != nil {
						t.Errorf("%s %s, round %d: %v", o.domain, v.name, round, e)
					}
				}()
				m, r, err := Read(path, ReadOptions{})
				if err != nil || len(r.Opaque) > 0 {
					return
				}
				read++
				_, _ = evaluateVariant(m, v) // places may be outside, which is an error
			}()
		}
	}
	t.Logf("%d operators, %d nodes read", len(ops), read)
	if read == 0 {
		t.Error("no node was read")
	}
}

// oddNode is a node with up to eight inputs of few axes and some attributes.
func oddNode(rng *rand.Rand, name string) *variant {
	types := []graph.DType{graph.Float32, graph.Float32, graph.Float32, graph.Int64, graph.Bool, graph.Int32, graph.Uint8}
	shapes := [][]int{{}, {1}, {2}, {2, 3}, {1, 4, 8}, {2, 3, 4}, {2, 2, 4, 4}, {1, 2, 3, 4}, {3, 4, 4}}
	first := rng.IntN(len(shapes))
	var in []operand
	for i := range 1 + rng.IntN(8) {
		sizes := shapes[first]
		if rng.IntN(2) == 0 {
			sizes = shapes[rng.IntN(len(shapes))]
		}
		o := feed(fmt.Sprintf("in%d", i), sizes...)
		if rng.IntN(6) == 0 && i > 0 {
			o = none
		} else if o = o.as(types[rng.IntN(len(types))]); rng.IntN(3) == 0 {
			o = o.held()
		}
		in = append(in, o)
	}
	outs := []string{"z"}
	for i := range rng.IntN(4) {
		outs = append(outs, fmt.Sprintf("z%d", i))
	}
	var as []any
	for _, kind := range slices.Sorted(maps.Keys(oddAttributes)) {
		for range rng.IntN(5) {
			name := oddAttributes[kind][rng.IntN(len(oddAttributes[kind]))]
			switch small := rng.IntN(9) - 2; kind {
			case "int":
				if rng.IntN(10) == 0 {
					small = 1 << (10 * rng.IntN(5))
				}
				as = append(as, name, small)
			case "float":
				as = append(as, name, float64(small)/2)
			case "text":
				as = append(as, name, oddTexts[rng.IntN(len(oddTexts))])
			case "ints":
				xs := make([]int, rng.IntN(5))
				for i := range xs {
					xs[i] = rng.IntN(7) - 1
				}
				as = append(as, name, xs)
			}
		}
	}
	seen := map[string]bool{}
	var once []any
	for i := 0; i < len(as); i += 2 {
		if !seen[as[i].(string)] {
			seen[as[i].(string)] = true
			once = append(once, as[i], as[i+1])
		}
	}
	return variantOf([]int64{9, 11, 13, 18, 23, 24}[rng.IntN(6)], name, in, outs, attributesNamed(once)...)
}
