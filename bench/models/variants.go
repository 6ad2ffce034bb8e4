package models

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/model"
)

// Variant is a model that computes what another one does by other operators: a
// form into which optimizers of graphs bring it, or the reverse of one.
type Variant struct {
	Name string `json:"name"` // for Build, such as "bert+qkv"
	Of   string `json:"of"`   // the model that it was made of
	Doc  string `json:"doc"`  // one line
	// Laws are the names of the laws in [VariantRules] that the rewrite uses.
	Laws []string `json:"laws"`
	// Cite says whose optimizer rewrites so; empty for the reverse of a form.
	Cite string `json:"cite,omitempty"`
}

// VariantRules are the laws that the rewrites are instances of, in the language
// of package law.
//
//go:embed variants.rules
var VariantRules []byte

// form is a way to rewrite models.
type form struct {
	name, doc string
	of        []string
	laws      []string
	cite      string
	steps     []rewrite
	// lift says that functions and biases of the parts of merged operators are
	// merged as well.
	lift bool
}

// Whose optimizer rewrites so.
const (
	citeMetaFlow = "MetaFlow (Jia et al., MLSys 2019)"
	citeSOSP     = "TASO (Jia et al., SOSP 2019)"
	citeMLSys    = "Tensat (Yang et al., MLSys 2021)"
)

var (
	liftLaws    = []string{"lift_function", "put_together", "all_parts"}
	convLaws    = append([]string{"merge_convs"}, liftLaws...)
	enlargeLaws = append([]string{"enlarge_single", "enlarge_row", "enlarge_column"}, convLaws...)
	encoders    = []string{"bert-base-64", "bert-base-128", "bert-large-64", "bert-large-128", "bert-base-layer-128", "bert-large-layer-128"}
)

// forms is the list, in the order in which they are shown.
var forms = []form{
	{name: "qkv", doc: "queries, keys and values by one product", of: append([]string{"bert"}, encoders...),
		laws: []string{"merge_products", "lift_bias_columns"}, cite: citeSOSP + "; " + citeMLSys,
		steps: []rewrite{mergeMatmuls(named("q", "k", "v"))}, lift: true},
	{name: "qkvo", doc: "all four products with a layer's input by one", of: []string{"bert"},
		laws: []string{"merge_products"}, cite: citeSOSP + "; " + citeMLSys,
		steps: []rewrite{mergeMatmuls(nil)}},
	{name: "gates", doc: "the eight products of an input by one, those of the state by another", of: []string{"nasrnn"},
		laws: []string{"merge_products", "lift_sum"}, cite: citeSOSP + "; " + citeMLSys,
		steps: []rewrite{mergeMatmuls(nil)}, lift: true},
	{name: "cell", doc: "input and state beside each other, and one product for all gates", of: []string{"nasrnn"},
		laws: []string{"sum_products", "merge_products"}, cite: citeSOSP + "; " + citeMLSys,
		steps: []rewrite{sumProducts, mergeMatmuls(nil)}},
	{name: "merge", doc: "convolutions of one image and one kernel size by one",
		of:   []string{"resnet50-taso", "resnext50", "nasneta", "inceptionv3", "inceptionv3-full"},
		laws: append([]string{"lift_batchnorm"}, convLaws...), cite: citeMetaFlow + "; " + citeSOSP,
		steps: []rewrite{mergeConvs(false)}, lift: true},
	{name: "enlarge", doc: "convolutions of one image by one, small kernels being filled up with zeros",
		of:   []string{"squeezenet", "squeezenet-full", "inceptionv3"},
		laws: append([]string{"lift_bias_images"}, enlargeLaws...), cite: citeMetaFlow + "; " + citeSOSP,
		steps: []rewrite{mergeConvs(true)}, lift: true},
	{name: "fused", doc: "functions behind convolutions as parts of them", of: []string{"squeezenet", "vgg19"},
		laws: []string{"fuse_relu"}, cite: citeMetaFlow + "; " + citeSOSP,
		steps: []rewrite{fuseRelu}},
	{name: "sums", doc: "sums of two convolutions by one of both images beside each other", of: []string{"nasneta"},
		laws: []string{"sum_convs"}, cite: citeSOSP,
		steps: []rewrite{sumConvs}},
	{name: "pools", doc: "sums of two equal averages by one convolution", of: []string{"nasneta"},
		laws: []string{"pools_as_conv"}, cite: citeSOSP,
		steps: []rewrite{poolsAsConv}},
	{name: "groups16", doc: "16 groups instead of 32, kernels being filled up with zeros", of: []string{"resnext50"},
		laws: []string{"join_groups", "groups_apart"}, cite: citeSOSP,
		steps: []rewrite{halveGroups}},
	{name: "groups4", doc: "4 groups instead of 32, kernels being filled up with zeros", of: []string{"resnext50"},
		laws: []string{"join_groups", "groups_apart"}, cite: citeSOSP,
		steps: []rewrite{halveGroups, halveGroups, halveGroups}},
	{name: "fold", doc: "batch norms as parts of the kernels before them",
		of:   []string{"mobilenetv2", "mobilenetv2-full", "resnet50", "resnext50-full", "inceptionv3-full"},
		laws: []string{"fold_batchnorm"}, cite: citeSOSP,
		steps: []rewrite{foldNorms}},
	{name: "fold-merge", doc: "batch norms folded, then convolutions of one image merged", of: []string{"resnet50", "inceptionv3-full"},
		laws: append([]string{"fold_batchnorm", "lift_bias_channels"}, convLaws...), cite: citeMetaFlow + "; " + citeSOSP,
		steps: []rewrite{foldNorms, mergeConvs(false)}, lift: true},
	{name: "split", doc: "each product and each ungrouped convolution in two halves: the reverse of merging",
		of: []string{"resnet50-taso", "resnext50", "nasneta", "nasrnn", "bert", "inceptionv3", "squeezenet", "vgg19", "mobilenetv2",
			"resnet50", "bert-base-128", "bert-base-layer-128"},
		laws:  []string{"split_columns", "split_channels"},
		steps: []rewrite{splitMatmuls, splitConvs}},
}

// Variants lists the rewritten forms of a model, of all models if the name is
// empty; there may be none. With "-tiny" behind the model's name they are those of
// the small model.
func Variants(name string) []Variant {
	base, tiny := strings.CutSuffix(name, tinySuffix)
	var out []Variant
	for _, e := range entries {
		if base != "" && e.name != base {
			continue
		}
		for _, f := range forms {
			if !slices.Contains(f.of, e.name) {
				continue
			}
			v := Variant{Name: e.name + "+" + f.name, Of: e.name, Doc: f.doc, Laws: slices.Clone(f.laws), Cite: f.cite}
			if tiny {
				v.Name, v.Of = v.Name+tinySuffix, v.Of+tinySuffix
			}
			out = append(out, v)
		}
	}
	return out
}

// formOf finds the form of a model by name.
func formOf(base, name string) (form, bool) {
	for _, f := range forms {
		if f.name == name && slices.Contains(f.of, base) {
			return f, true
		}
	}
	return form{}, false
}

// apply rewrites a model. The weights of the result are the model's, and nodes
// that compute weights from them, whose names it returns.
func (f form) apply(m *model.Model) (*model.Model, map[string]bool) {
	derived := map[string]bool{}
	applied := 0
	for _, r := range f.steps {
		var n int
		m, n = rewritten(m, r, derived)
		applied += n
	}
	if applied == 0 {
		must(fmt.Errorf("form %s applies nowhere", f.name))
	}
	for n := 1; f.lift && n > 0; {
		m, n = rewritten(m, lift, derived)
	}
	return m, derived
}
