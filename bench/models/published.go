package models

import (
	"fmt"
	"strings"
)

// Published is what the source of a model says of it. Zero values are not
// published, or not of this graph.
type Published struct {
	Learned   int64     `json:"learned,omitempty"` // parameters
	GMAC      float64   `json:"gmac,omitempty"`    // 1e9 multiply-accumulates, rounded as published
	Slack     float64   `json:"slack,omitempty"`   // what GMAC may be off; 0: half a unit in its last digit
	Operators []OpCount `json:"operators,omitempty"`
	Cite      string    `json:"cite,omitempty"`
}

// OpCount is a number of applications of an operator.
type OpCount struct {
	Op string `json:"op"`
	N  int    `json:"n"`
}

// Sources of published figures.
const (
	citeTASO       = "TASO examples"
	citeTensat     = "Tensat model files"
	citeTorch      = "torchvision model cards"
	citeMobileBERT = "Devlin et al.; Sun et al., MobileBERT (ACL 2020), table 4"
)

// auxiliary is the size of the classifier at the side of torchvision's
// Inception-v3, which inference does not use.
const auxiliary = 3_326_696

// bertLayer is the size of an encoder layer of hidden size h: four projections,
// two normalizations, and 4h wide feed-forward.
func bertLayer(h int64) int64 { return 4*(h*h+h) + 2*2*h + 2*4*h*h + 5*h }

// published has the figures by model. torchvision's cards give the parameters
// (num_params) and multiply-accumulates (_ops, in units of 1e9) of the full
// networks; those of the papers' graphs differ in what they leave out, and only
// multiply-accumulates that are the same are given. The operators of the papers'
// graphs are counted in the builders of TASO and the files of Tensat.
var published = map[string]Published{
	"resnet50-taso": {Operators: []OpCount{{"conv2d", 52}, {"ewadd", 16}, {"relu", 16}}, Cite: citeTASO},
	"resnext50": {GMAC: 4.23, Operators: []OpCount{{"conv2d", 53}, {"ewadd", 16}, {"relu", 16}, {"poolmax", 1}},
		Cite: citeTASO + "; " + citeTorch},
	"nasneta": {Operators: []OpCount{{"conv2d", 217}}, Cite: citeTASO},
	"nasrnn":  {Learned: 80*512*512 + 512, Operators: []OpCount{{"matmul", 80}}, Cite: citeTASO},
	"bert": {Learned: 32 * 1024 * 1024, Operators: []OpCount{{"matmul", 48}, {"reshape", 32}, {"transpose", 32}, {"relu", 1}},
		Cite: citeTensat},
	// The file's 30 joins of two to four tensors are 35 of two.
	"inceptionv3": {GMAC: 5.71, Operators: []OpCount{{"conv2d", 94}, {"concat", 35}, {"poolavg", 9}, {"poolmax", 5}},
		Cite: citeTensat + "; " + citeTorch},
	"squeezenet": {GMAC: 0.349, Operators: []OpCount{{"conv2d", 26}, {"concat", 8}, {"relu", 26}, {"poolmax", 3}, {"poolavg", 1}},
		Cite: citeTensat + "; " + citeTorch},
	"vgg19": {GMAC: 19.632, Operators: []OpCount{{"conv2d", 16}, {"matmul", 3}, {"transpose", 3}, {"relu", 18}, {"poolmax", 5}},
		Cite: citeTensat + "; " + citeTorch},
	"mobilenetv2": {Operators: []OpCount{{"conv2d", 54}, {"batchnorm", 53}, {"relu", 36}, {"ewadd", 10}}, Cite: citeTensat},

	"resnet50": {Learned: 25_557_032, GMAC: 4.089, Operators: []OpCount{{"conv2d", 53}, {"batchnorm", 53}, {"relu", 49}, {"matmul", 1}},
		Cite: citeTorch},
	"resnext50-full": {Learned: 25_028_904, GMAC: 4.23, Operators: []OpCount{{"conv2d", 53}, {"batchnorm", 53}, {"relu", 49}, {"matmul", 1}},
		Cite: citeTorch},
	"inceptionv3-full": {Learned: 27_161_264 - auxiliary, GMAC: 5.713, Operators: []OpCount{{"conv2d", 94}, {"batchnorm", 94}, {"relu", 94}, {"matmul", 1}},
		Cite: citeTorch},
	"squeezenet-full": {Learned: 1_235_496, GMAC: 0.349, Operators: []OpCount{{"conv2d", 26}, {"relu", 26}}, Cite: citeTorch},
	"vgg19-full":      {Learned: 143_667_240, GMAC: 19.632, Operators: []OpCount{{"conv2d", 16}, {"matmul", 3}, {"relu", 18}}, Cite: citeTorch},
	// Ten residual additions and the classifier's bias.
	"mobilenetv2-full": {Learned: 3_504_872, GMAC: 0.301, Operators: []OpCount{{"conv2d", 52}, {"batchnorm", 52}, {"clip", 35}, {"ewadd", 11}, {"matmul", 1}},
		Cite: citeTorch},
	"bert-base-64":  {Learned: 12 * bertLayer(768), Operators: bertOperators(12), Cite: "Devlin et al."},
	"bert-base-128": {Learned: 12 * bertLayer(768), GMAC: 22.5 / 2, Slack: 0.15, Operators: bertOperators(12), Cite: citeMobileBERT},
	"bert-large-64": {Learned: 24 * bertLayer(1024), Operators: bertOperators(24), Cite: "Devlin et al."},
	"bert-large-128": {Learned: 24 * bertLayer(1024), Operators: bertOperators(24),
		Cite: "Devlin et al."},
	"bert-base-layer-128":  {Learned: bertLayer(768), Operators: bertOperators(1), Cite: "Devlin et al."},
	"bert-large-layer-128": {Learned: bertLayer(1024), Operators: bertOperators(1), Cite: "Devlin et al."},
}

func bertOperators(layers int) []OpCount {
	return []OpCount{{"matmul", 8 * layers}, {"softmax", layers}, {"layernorm", 2 * layers}, {"gelu", layers}}
}

// Markdown is the table of docs/models.md: every model with its figures beside
// the published ones.
func Markdown() string {
	infos := List()
	var b strings.Builder
	b.WriteString("| model | inputs | operators | parameters | published | GMAC | published | GFLOP | operators counted in the source | source of the figures |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|---|---|\n")
	for _, i := range infos {
		p := i.Published
		var ops []string
		for _, o := range p.Operators {
			ops = append(ops, fmt.Sprintf("%d %s", o.N, o.Op))
		}
		learned, gmac := "", ""
		if p.Learned > 0 {
			learned = thousands(p.Learned)
		}
		if p.GMAC > 0 {
			gmac = fmt.Sprint(p.GMAC)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s | %.4g | %s | %.4g | %s | %s |\n", i.Name, inputs(i.Inputs), i.Operators,
			thousands(i.Learned), learned, float64(i.MACs)/1e9, gmac, float64(i.FLOPs)/1e9, strings.Join(ops, ", "), p.Cite)
	}
	b.WriteString("\n| model | what it is | graph of |\n|---|---|---|\n")
	for _, i := range infos {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", i.Name, i.Doc, i.Source)
	}
	return b.String()
}

// inputs writes sizes, those that repeat once: 5 of 1×512.
func inputs(all [][]int) string {
	parts := make([]string, len(all[0]))
	for i, n := range all[0] {
		parts[i] = fmt.Sprint(n)
	}
	s := strings.Join(parts, "×")
	if len(all) > 1 {
		s = fmt.Sprintf("%d of %s", len(all), s)
	}
	return s
}

// thousands writes a number in groups of three digits.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
