package models

// form is a way to rewrite models: phases, one after the other, of uses of laws.
type form struct {
	name, doc string
	of        []string
	laws      []string // those that are used in one of these models, in order; a test holds the list
	cite      string
	phases    []phase
}

// phase is laws of rules/builtin, used from left to right wherever place allows,
// always the first one that can be used at all, until none can.
type phase struct {
	laws  []string
	place map[string]place // by law; none: anywhere
}

// Whose optimizer rewrites so.
const (
	citeMetaFlow = "MetaFlow (Jia et al., MLSys 2019)"
	citeSOSP     = "TASO (Jia et al., SOSP 2019)"
	citeMLSys    = "Tensat (Yang et al., MLSys 2021)"
)

var encoders = []string{"bert-base-64", "bert-base-128", "bert-large-64", "bert-large-128", "bert-base-layer-128", "bert-large-layer-128"}

// lifting is what is done with the parts of a merged operator: what is done to all
// of them alike is done once, before the tensor is cut.
var lifting = []string{"part_of_part", "lift_function", "lift_sum", "lift_bias_columns", "lift_bias_channels",
	"lift_bias_images", "lift_batchnorm", "put_together", "all_parts"}

// merging are phases that merge by a law, and lift.
func merging(merge string, at place) phase {
	return phase{append(append([]string{}, lifting...), merge), map[string]place{
		merge: at, "lift_function": allParts, "lift_sum": allParts,
	}}
}

// enlarging fills kernels up with zeros where another one of the same image has
// nine cells, or where a row and a column have the same image.
var enlarging = phase{laws: []string{"enlarge_single", "enlarge_row", "enlarge_column"}, place: map[string]place{
	"enlarge_single": besideLarger, "enlarge_row": besideLarger, "enlarge_column": besideLarger,
}}

// halving makes one group of every two.
var halving = []phase{
	{laws: []string{"halve_groups"}, place: map[string]place{"halve_groups": moreThanTwo}},
	{laws: []string{"join_two"}},
	{laws: []string{"put_together", "all_parts", "groups_beside"}},
}

// forms is the list, in the order in which they are shown.
var forms = []form{
	{name: "qkv", doc: "queries, keys and values by one product", of: append([]string{"bert"}, encoders...),
		laws: []string{"merge_products", "part_of_part", "lift_bias_columns"},
		cite: citeSOSP + "; " + citeMLSys, phases: []phase{merging("merge_products", named("q", "k", "v"))}},
	{name: "qkvo", doc: "all four products with a layer's input by one", of: []string{"bert"},
		laws: []string{"merge_products", "part_of_part"},
		cite: citeSOSP + "; " + citeMLSys, phases: []phase{{laws: []string{"part_of_part", "merge_products"}, place: map[string]place{"merge_products": ofWeights}}}},
	{name: "gates", doc: "the eight products of an input by one, those of the state by another", of: []string{"nasrnn"},
		laws: []string{"merge_products", "lift_sum", "part_of_part"},
		cite: citeSOSP + "; " + citeMLSys, phases: []phase{merging("merge_products", ofWeights)}},
	{name: "cell", doc: "input and state beside each other, and one product for all gates", of: []string{"nasrnn"},
		laws: []string{"sum_products", "merge_products", "part_of_part"},
		cite: citeSOSP + "; " + citeMLSys, phases: []phase{
			{laws: []string{"sum_products"}, place: map[string]place{"sum_products": ofWeights}},
			{laws: []string{"part_of_part", "merge_products"}, place: map[string]place{"merge_products": ofWeights}}}},
	{name: "merge", doc: "convolutions of one image and one kernel size by one",
		of:   []string{"resnet50-taso", "resnext50", "nasneta", "inceptionv3", "inceptionv3-full"},
		laws: []string{"merge_convs", "part_of_part", "lift_batchnorm", "lift_function"},
		cite: citeMetaFlow + "; " + citeSOSP, phases: []phase{merging("merge_convs", ofWeights)}},
	{name: "enlarge", doc: "convolutions of one image by one, small kernels being filled up with zeros",
		of:   []string{"squeezenet", "squeezenet-full", "inceptionv3"},
		laws: []string{"enlarge_row", "enlarge_column", "merge_convs", "put_together", "all_parts", "enlarge_single", "lift_function", "lift_bias_images"},
		cite: citeMetaFlow + "; " + citeSOSP, phases: []phase{enlarging, merging("merge_convs", ofEnlarged)}},
	{name: "fused", doc: "functions behind convolutions as parts of them", of: []string{"squeezenet", "vgg19"},
		laws: []string{"fuse_relu"},
		cite: citeMetaFlow + "; " + citeSOSP, phases: []phase{{laws: []string{"fuse_relu"}, place: map[string]place{"fuse_relu": usedOnce}}}},
	{name: "sums", doc: "sums of two convolutions by one of both images beside each other", of: []string{"nasneta"},
		laws: []string{"sum_convs"},
		cite: citeSOSP, phases: []phase{{laws: []string{"sum_convs"}, place: map[string]place{"sum_convs": ofWeights}}}},
	{name: "pools", doc: "sums of two equal averages by one convolution", of: []string{"nasneta"},
		laws: []string{"pools_as_conv"},
		cite: citeSOSP, phases: []phase{{laws: []string{"pools_as_conv"}}}},
	{name: "groups16", doc: "16 groups instead of 32, kernels being filled up with zeros", of: []string{"resnext50"},
		laws: []string{"halve_groups", "join_two", "groups_beside", "put_together", "all_parts"},
		cite: citeSOSP, phases: halving},
	{name: "groups4", doc: "4 groups instead of 32, kernels being filled up with zeros", of: []string{"resnext50"},
		laws: []string{"halve_groups", "join_two", "groups_beside", "put_together", "all_parts"},
		cite: citeSOSP, phases: append(append(append([]phase{}, halving...), halving...), halving...)},
	{name: "fold", doc: "batch norms as parts of the kernels before them",
		of:   []string{"mobilenetv2", "mobilenetv2-full", "resnet50", "resnext50-full", "inceptionv3-full"},
		laws: []string{"fold_batchnorm"},
		cite: citeSOSP, phases: []phase{folding}},
	{name: "fold-merge", doc: "batch norms folded, then convolutions of one image merged", of: []string{"resnet50", "inceptionv3-full"},
		laws: []string{"fold_batchnorm", "merge_convs", "lift_bias_channels", "lift_function", "part_of_part"},
		cite: citeMetaFlow + "; " + citeSOSP, phases: []phase{folding, merging("merge_convs", ofWeights)}},
	{name: "split", doc: "each product and each ungrouped convolution in two halves: the reverse of merging",
		of: []string{"resnet50-taso", "resnext50", "nasneta", "nasrnn", "bert", "inceptionv3", "squeezenet", "vgg19", "mobilenetv2",
			"resnet50", "bert-base-128", "bert-base-layer-128"},
		laws:   []string{"split_channels", "split_columns"},
		phases: []phase{{laws: []string{"split_columns", "split_channels"}, place: map[string]place{"split_columns": ofOriginal, "split_channels": ofOriginal}}}},
}

// folding takes batch norms into kernels.
var folding = phase{laws: []string{"fold_batchnorm"}, place: map[string]place{"fold_batchnorm": usedOnce}}
