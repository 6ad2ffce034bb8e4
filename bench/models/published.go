package models

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Published is what the source of a model says of it. Zero values are not
// published, or not of this graph.
type Published struct {
	Learned   int64     `json:"learned,omitempty"` // parameters
	About     int64     `json:"about,omitempty"`   // parameters to one or two digits, as networks are named by them
	GMAC      float64   `json:"gmac,omitempty"`    // 1e9 multiply-accumulates of a sample, rounded as published
	Slack     float64   `json:"slack,omitempty"`   // what GMAC may be off; 0: half a unit in its last digit
	Operators []OpCount `json:"operators,omitempty"`
	Total     int       `json:"total,omitempty"` // operators of the source's graph
	// Extra is how many operators ours has more than the source's; Note says why,
	// and what else differs.
	Extra int    `json:"extra,omitempty"`
	Note  string `json:"note,omitempty"`
	Cite  string `json:"cite,omitempty"`
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
	citeExamples   = "FlexFlow examples"
	citeNMT        = "FlexFlow nmt"
	citeAlpa       = "Alpa benchmarks"
	citeMobileBERT = "Devlin et al.; Sun et al., MobileBERT (ACL 2020), table 4"
)

// auxiliary is the size of the classifier at the side of torchvision's
// Inception-v3, which inference does not use.
const auxiliary = 3_326_696

// bertLayer is the size of an encoder layer of hidden size h: four projections,
// two normalizations, and 4h wide feed-forward.
func bertLayer(h int64) int64 { return 4*(h*h+h) + 2*2*h + 2*4*h*h + 5*h }

// What torchvision's full networks have and the papers' graphs leave out: the
// classifier of 1000 classes behind 2048 features, and parameters of batch norms,
// two for each channel that one normalizes.
const (
	classifierParams  = 2048*1000 + 1000
	resnetNorms       = 2 * 26560
	resnextNorms      = 2 * 34112
	inceptionNorms    = 2 * 17216
	resnetStem        = 64 * 3 * 7 * 7
	squeezenetBiases  = 3944
	vggBiases         = 5504 + 4096 + 4096 + 1000
	mobilenetNorms    = 2 * 17088
	mobilenetKernels  = 3_470_784
	joins             = "the source joins several tensors at once, concat takes two"
	resnetFirstAndEnd = "published 4.089 less stem (0.118) and classifier (0.002)"
)

// published has the figures by model. torchvision's cards give the parameters
// (num_params) and multiply-accumulates (_ops, in units of 1e9) of the full
// networks; those of the papers' graphs are these less what the graphs leave out.
// Neither TASO nor Tensat prints sizes: where no card fits, operators, parameters
// and multiply-accumulates were counted from the tensors in TASO's builders and
// Tensat's files, by another program than this one.
var published = map[string]Published{
	"resnet50-taso": {Learned: 25_557_032 - classifierParams - resnetNorms - resnetStem, GMAC: 3.969,
		Operators: []OpCount{{"conv2d", 52}, {"ewadd", 16}, {"relu", 16}}, Total: 84,
		Note: resnetFirstAndEnd, Cite: citeTASO + "; " + citeTorch},
	"resnext50": {Learned: 25_028_904 - classifierParams - resnextNorms, GMAC: 4.228,
		Operators: []OpCount{{"conv2d", 53}, {"ewadd", 16}, {"relu", 16}, {"poolmax", 1}}, Total: 86,
		Note: "published 4.230 less classifier (0.002)", Cite: citeTASO + "; " + citeTorch},
	"nasneta": {Learned: 39_838_528, GMAC: 15.051645952,
		Operators: []OpCount{{"conv2d", 217}, {"ewadd", 90}, {"poolavg", 51}, {"poolmax", 7}}, Total: 383, Extra: 54,
		Note: joins + ": 18 joins of five", Cite: citeTASO},
	"nasrnn": {Learned: 80*512*512 + 512, GMAC: 80 * 512 * 512 / 1e9,
		Operators: []OpCount{{"matmul", 80}, {"ewadd", 55}, {"ewmul", 20}, {"tanh", 40}, {"sigmoid", 25}, {"relu", 10}}, Total: 230,
		Cite: citeTASO},
	"bert": {Learned: 32 * 1024 * 1024, GMAC: (32*64*1024*1024 + 16*16*64*64*64) / 1e9,
		Operators: []OpCount{{"matmul", 48}, {"reshape", 32}, {"transpose", 32}, {"relu", 1}}, Total: 113,
		Note: "TASO's builder has no relu, and reads the last layer only", Cite: citeTensat},
	"inceptionv3": {Learned: 27_161_264 - auxiliary - classifierParams - inceptionNorms, GMAC: 5.711,
		Operators: []OpCount{{"conv2d", 94}, {"concat", 35}, {"poolavg", 9}, {"poolmax", 5}}, Total: 138, Extra: 5,
		Note: joins + ": 30 joins are 35; published 5.713 less classifier (0.002)", Cite: citeTensat + "; " + citeTorch},
	"squeezenet": {Learned: 1_235_496 - squeezenetBiases, GMAC: 0.349,
		Operators: []OpCount{{"conv2d", 26}, {"concat", 8}, {"relu", 26}, {"poolmax", 3}, {"poolavg", 1}}, Total: 66, Extra: -1,
		Note: "without the dropout, which does nothing", Cite: citeTensat + "; " + citeTorch},
	"vgg19": {Learned: 143_667_240 - vggBiases, GMAC: 19.632,
		Operators: []OpCount{{"conv2d", 16}, {"matmul", 3}, {"transpose", 3}, {"relu", 18}, {"poolmax", 5}}, Total: 50, Extra: -4,
		Note: "without two dropouts and two reshapes to the same shape", Cite: citeTensat + "; " + citeTorch},
	"mobilenetv2": {Learned: mobilenetKernels + mobilenetNorms, GMAC: 0.429111936,
		Operators: []OpCount{{"conv2d", 54}, {"batchnorm", 53}, {"relu", 36}, {"ewadd", 10}}, Total: 155,
		Note: "the published network has 0.301: its stage of 64 channels is on 14x14", Cite: citeTensat},

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

	"mlp":  {Note: "the source has an input for each tower, and no biases", Cite: citeExamples},
	"dlrm": {Note: "the source has no biases", Cite: citeExamples},
	"xdl":  {Note: "no biases", Cite: citeExamples},
	"candle": {Note: "no biases; GraphPipe measures CANDLE-Uno too, in dimensions that we do not know",
		Cite: citeExamples},
	"bert-large-512": {Learned: 24 * bertLayer(1024), Operators: bertOperators(24), Note: "the layers, without embedding and classifier", Cite: "Devlin et al."},
	"alexnet":        {Learned: 61_100_840, GMAC: 0.714, Operators: []OpCount{{"conv2d", 5}, {"matmul", 3}, {"poolmax", 3}}, Cite: citeTorch},
	"resnet101": {Learned: 44_549_160, GMAC: 7.801, Operators: []OpCount{{"conv2d", 104}, {"batchnorm", 104}, {"relu", 100}, {"matmul", 1}},
		Cite: citeTorch},
	"rnntc": {Note: "sizes and steps are those of the source's translation; its vocabulary, too; two classes", Cite: citeNMT},
	"rnnlm": {Note: "sizes and steps are those of the source's translation; words are those of the Penn Treebank", Cite: citeNMT},
	"nmt":   {Note: "attention, which the paper has and the source leaves out, is Luong's (EMNLP 2015)", Cite: citeNMT},
	"mmt":   {Note: "dimensions are ours: we do not know the paper's"},

	"gpt-350m": {About: 350e6, Cite: citeAlpa}, "gpt-760m": {About: 760e6, Cite: citeAlpa}, "gpt-1.3b": {About: 1.3e9, Cite: citeAlpa},
	"gpt-2.6b": {About: 2.6e9, Cite: citeAlpa}, "gpt-6.7b": {About: 6.7e9, Cite: citeAlpa}, "gpt-15b": {About: 15e9, Cite: citeAlpa},
	"gpt-39b":  {About: 39e9, Cite: citeAlpa},
	"moe-380m": {About: 380e6, Cite: citeAlpa}, "moe-690m": {About: 690e6, Cite: citeAlpa}, "moe-1.3b": {About: 1.3e9, Cite: citeAlpa},
	"moe-2.4b": {About: 2.4e9, Cite: citeAlpa}, "moe-10b": {About: 10e9, Cite: citeAlpa},
	"moe-27b":  {About: 27e9, Note: "an expert has room for 85 of 2048 positions, a third of one less than its share", Cite: citeAlpa},
	"moe-70b":  {About: 70e9, Cite: citeAlpa},
	"wrn-250m": {About: 250e6, Cite: citeAlpa}, "wrn-500m": {About: 500e6, Cite: citeAlpa}, "wrn-1b": {About: 1e9, Cite: citeAlpa},
	"wrn-2b": {About: 2e9, Cite: citeAlpa}, "wrn-4b": {About: 4e9, Cite: citeAlpa}, "wrn-6.8b": {About: 6.8e9, Cite: citeAlpa},
	"wrn-13b": {About: 13e9, Note: "a later version of the source has 101 layers and 16 times as many channels instead", Cite: citeAlpa},
}

func bertOperators(layers int) []OpCount {
	return []OpCount{{"matmul", 8 * layers}, {"softmax", layers}, {"layernorm", 2 * layers}, {"gelu", layers}}
}

// Markdown returns the table and the list of docs/models.md: every model with its figures
// and the published ones, then what it is.
func Markdown() string {
	infos := List()
	var b strings.Builder
	b.WriteString("| model | inputs | operators | published | parameters | published | GMAC | published | GFLOP |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, i := range infos {
		p := i.Published
		learned, gmac, total := "", "", ""
		if p.Total > 0 {
			total = fmt.Sprint(p.Total)
		}
		if p.Learned > 0 {
			learned = thousands(p.Learned)
		}
		if p.GMAC > 0 {
			gmac = fmt.Sprintf("%.5g", p.GMAC)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s | %s | %.4g | %s | %.4g |\n", i.Name, inputs(i.Inputs), i.Operators, total,
			thousands(i.Learned), learned, float64(i.MACs)/1e9, gmac, float64(i.FLOPs)/1e9)
	}
	b.WriteByte('\n')
	for _, i := range infos {
		var ops []string
		for _, o := range i.Published.Operators {
			ops = append(ops, fmt.Sprintf("%d %s", o.N, o.Op))
		}
		counted := ""
		if len(ops) > 0 {
			counted = "Operators counted there: " + strings.Join(ops, ", ") + "."
		}
		b.WriteString(item(i.Name, i.Doc+".", "Graph of "+i.Source+".", figures(i.Published.Cite), counted, differs(i.Published.Note)))
	}
	return b.String()
}

// MarkdownFurther returns the table and the list of docs/models.md for the networks to be
// trained.
func MarkdownFurther() string {
	infos := ListFurther()
	var b strings.Builder
	b.WriteString("| model | batch | operators | layers | parameters | published | GMAC | published | GFLOP |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, i := range infos {
		p, learned, gmac := i.Published, "", ""
		switch {
		case p.Learned > 0:
			learned = thousands(p.Learned)
		case p.About > 0:
			learned = fmt.Sprintf("%.3g M", float64(p.About)/1e6)
			if p.About >= 1e9 {
				learned = fmt.Sprintf("%.3g G", float64(p.About)/1e9)
			}
		}
		if p.GMAC > 0 {
			gmac = fmt.Sprintf("%.5g", p.GMAC)
		}
		per := 1e9 * float64(i.Batch)
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %s | %s | %.4g | %s | %.4g |\n", i.Name, i.Batch, i.Operators, i.Layers,
			thousands(i.Learned), learned, float64(i.MACs)/per, gmac, float64(i.FLOPs)/per)
	}
	b.WriteByte('\n')
	for _, i := range infos {
		source, _, _ := strings.Cut(i.Source, " (")
		b.WriteString(item(i.Name, "Graph of "+source+".", figures(i.Published.Cite), differs(i.Published.Note)))
	}
	return b.String()
}

func figures(cite string) string {
	if cite == "" {
		return ""
	}
	return "Figures: " + strings.TrimSuffix(cite, ".") + "."
}

func differs(note string) string {
	if note == "" {
		return ""
	}
	return "Differs: " + note + "."
}

// item is an item of a Markdown list about a model, in lines of up to 100 columns.
func item(name string, sentences ...string) string {
	var b strings.Builder
	line := "- `" + name + "`:"
	for _, word := range strings.Fields(strings.Join(sentences, " ")) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 100 {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	return b.String() + line + "\n"
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
