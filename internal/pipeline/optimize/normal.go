package optimize

import (
	"context"
	"errors"
	"slices"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/search"
)

// Two models that were rewritten by merging, cutting, folding and enlarging come to one
// form if all of that is taken back: what was merged is cut into parts as small as its
// weights, then parts of one weight are put together again. No cost says so, so that a
// search finds it by chance; the phases below do it in order, each law wherever it can
// be used.

// use is a law in one direction.
type use struct {
	law  string
	back bool // from right to left
}

// ofWeights names laws that are used only where these variables depend on weights only: a
// sum with a bias is put together with what it is added to, other sums are not.
var ofWeights = map[string][]string{"ewadd_concat": {"Z", "W"}}

// normal are the phases, each of laws of which the first that can be used is used until
// none can. What a phase makes is no source of an earlier one again, but for the
// reverse of cutting: that ends with the weights.
var normal = [][]use{
	// Apart: parts of what is computed are computed from parts.
	{
		{"conv_relu", true}, {"slice_all", false}, {"enlarge_single", true}, {"enlarge_row", true}, {"enlarge_column", true},
		{"slice_slice", false}, {"slice_concat_first", false}, {"slice_concat_second", false}, {"slice_concat_across", false},
		{"slice_concat_before", false}, {"slice_concat_after", false},
		{"slice_pointwise", false}, {"slice_ewadd", false}, {"slice_ewmul", false}, {"slice_smul", false},
		{"slice_bias_columns", false}, {"slice_bias_channels", false}, {"slice_bias_images", false}, {"slice_batchnorm", false},
		{"broadcast_slice", false}, {"broadcast_slice_before", false}, {"broadcast_slice_after", false},
		{"transpose_slice", false}, {"transpose_slice_columns", false},
		{"conv_slice_out", false}, {"matmul_slice_columns", false}, {"matmul_slice_rows", false}, {"matmul_slice_batch", false},
		{"conv_concat_out", false}, {"matmul_concat_columns", false},
		{"pools_as_conv", true},
	},
	{{"fold_batchnorm", false}, {"fuse_relu", true}},
	// Together: parts of one weight are one.
	{
		{"slice_all", false}, {"concat_slice", false}, {"put_together", false}, {"concat_split", false},
		{"matmul_concat_columns", true}, {"conv_concat_out", true}, {"pointwise_concat", true}, {"ewadd_concat", true},
	},
	{{"fold_batchnorm", false}}, // of what was put together
	// What is put together from other tensors is taken apart by whoever multiplies it.
	{
		{"slice_all", false}, {"slice_concat_first", false}, {"slice_concat_second", false}, {"slice_concat_across", false},
		{"cut_inner_product", false}, {"cut_inner_conv", false},
	},
}

// neutral are phases that remove numbers that change nothing. A search removes them where the
// cost says so; an operand that is repeated hides that it is zero, and several users share it.
var neutral = [][]use{
	{{"fill_broadcast", false}},
	{{"add_zero", false}, {"subtract_zero", false}, {"divide_one", false}, {"ewmul_one", false}, {"smul_one", false}},
	{{"fill_broadcast", true}},
}

// normalize makes the moves of phases on a network, and returns them.
func (o *Options) normalize(ctx context.Context, net *bank.Bank, phases [][]use) (path []search.Move, err error) {
	for _, phase := range phases {
		rules := &search.Rules{}
		var order []*rewrite.Direction
		of := map[*rewrite.Direction]string{} // the law that is named
		for _, u := range phase {
			meant, err := o.meant(u)
			if err != nil {
				return nil, err
			}
			for _, w := range meant {
				k := slices.IndexFunc(o.Laws, func(l *law.Law) bool { return l.Name == w.law })
				c, err := o.Compiled.Compile(o.Laws[k])
				if err != nil {
					return nil, err
				}
				for _, d := range c.Directions {
					if d.Backward == w.back && of[d] == "" && rules.Add(d) == nil {
						order = append(order, d)
						of[d] = u.law
					}
				}
			}
		}
		_, err := search.NewRewriter(net, rules).Exhaust(order, func(m *search.Match) bool {
			return ctx.Err() == nil && allowed(net, m, of[m.Direction])
		}, func(m *search.Match) {
			path = append(path, search.Move{Direction: m.Direction, Roots: slices.Clone(m.Roots), Vars: slices.Clone(m.Vars)})
		})
		if err != nil && !errors.Is(err, search.ErrTooLong) {
			return nil, err
		}
	}
	return path, nil
}

// allowed reports whether a law, or what stands in for it, may be used where it was found. What
// stands in has other variables: as many of them as of the law must depend on weights only.
func allowed(net *bank.Bank, m *search.Match, named string) bool {
	fixed := 0
	for i, name := range m.Direction.Vars {
		n, _ := net.NodeOf(m.Vars[i])
		if !net.Fixed(n) {
			continue
		}
		if m.Direction.Law.Law.Name != named || slices.Contains(ofWeights[named], name) {
			fixed++
		}
	}
	return fixed >= len(ofWeights[named])
}
