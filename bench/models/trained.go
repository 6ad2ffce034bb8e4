package models

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

const (
	unity     = "Unity (Unger et al., OSDI 2022)"
	alpa      = "Alpa (Zheng et al., OSDI 2022)"
	flexflow  = "FlexFlow (Jia, Zaharia and Aiken, MLSys 2019)"
	graphpipe = "GraphPipe (Jeon et al., ASPLOS 2025)"
)

// further are networks that are trained rather than rewritten, with the batches of the
// papers.
var further = append([]entry{
	{"dlrm", "DLRM, eight tables of a million rows", unity,
		dlrm{samples: 1024, features: 1024, bottom: 9, top: 5, hidden: 1024, tables: 8, rows: 1_000_000, width: 256},
		dlrm{samples: 6, features: 5, bottom: 3, top: 2, hidden: 7, tables: 3, rows: 4, width: 3}},
	{"mlp", "two towers of eight layers of 8192, added", unity,
		towers{samples: 256, features: 1024, layers: 8, hidden: 8192},
		towers{samples: 6, features: 5, layers: 3, hidden: 7}},
	{"xdl", "XDL, four tables of a million rows, three layers", unity,
		xdl{samples: 1024, tables: 4, rows: 1_000_000, width: 64, layers: 2, hidden: 256},
		xdl{samples: 6, tables: 3, rows: 4, width: 3, layers: 2, hidden: 7}},
	{"candle", "CANDLE-Uno, five features through eight layers of 4192, and two doses", unity + "; " + graphpipe,
		candle{samples: 256, features: unoFeatures, bottom: 8, top: 4, hidden: 4192},
		candle{samples: 6, features: []feature{{"cell", 4}, {"dose", 1}, {"drug", 3}}, bottom: 2, top: 2, hidden: 5}},
	{"bert-large-512", "encoder of BERT-Large, 24 layers, 512 positions", unity,
		BERTLarge(512).withBatch(4), tinyBERT(5).withBatch(2)},
	{"alexnet", "AlexNet on one device", flexflow,
		alexnet{samples: 64, image: 224},
		alexnet{samples: 2, image: 64, div: 32}},
	{"resnet101", "ResNet-101 with batch norm and classifier", flexflow,
		residual{samples: 64, image: 224, blocks: [4]int{3, 4, 23, 3}, width: 64, expand: 4, groups: 1, stem: true},
		residual{samples: 2, image: 32, blocks: [4]int{1, 1, 2, 1}, div: 32, width: 64, expand: 4, groups: 1, stem: true}},
	{"rnntc", "classes of texts: four LSTM layers of 2048, 20 steps", flexflow,
		recurrent{samples: 64, layers: 4, steps: 20, vocabulary: 20480, width: 2048, hidden: 2048, classes: 2},
		recurrent{samples: 2, layers: 2, steps: 3, vocabulary: 5, width: 4, hidden: 3, classes: 4}},
	{"rnnlm", "the next word: two LSTM layers of 2048, 20 steps, 10000 words", flexflow,
		recurrent{samples: 64, layers: 2, steps: 20, vocabulary: 10000, width: 2048, hidden: 2048, task: predict},
		recurrent{samples: 2, layers: 2, steps: 3, vocabulary: 5, width: 4, hidden: 3, task: predict}},
	{"nmt", "translation: two and two LSTM layers of 2048, attention, 20 steps, 20480 words", flexflow,
		recurrent{samples: 64, layers: 2, steps: 20, vocabulary: 20480, width: 2048, hidden: 2048, task: translate},
		recurrent{samples: 2, layers: 2, steps: 3, vocabulary: 5, width: 4, hidden: 3, task: translate}},
	{"mmt", "transformer of four kinds of input, a branch of eight layers each", graphpipe,
		modal{EncoderConfig{Batch: 64, Layers: 8, Sequence: 256, Hidden: 1024, Heads: 16}, 4},
		modal{EncoderConfig{Batch: 2, Layers: 2, Sequence: 3, Hidden: 6, Heads: 2, Inner: 5}, 2}},
}, families()...)

// families are those of Alpa, all sizes. Its language models are of float16; their small
// variants are of float32, so that every backend runs them.
func families() (all []entry) {
	for _, c := range []struct {
		size                  string
		hidden, layers, heads int
	}{{"350m", 1024, 24, 16}, {"760m", 1536, 24, 16}, {"1.3b", 2048, 24, 32}, {"2.6b", 2560, 32, 32},
		{"6.7b", 4096, 32, 32}, {"15b", 5120, 48, 40}, {"39b", 8192, 48, 64}} {
		all = append(all, entry{"gpt-" + c.size, fmt.Sprintf("GPT, %d layers of hidden size %d, 1024 positions, float16", c.layers, c.hidden), alpa,
			language{EncoderConfig: EncoderConfig{Batch: 1024, Layers: c.layers, Sequence: 1024, Hidden: c.hidden, Heads: c.heads}, vocabulary: 51200, dtype: graph.Float16},
			language{EncoderConfig: EncoderConfig{Batch: 2, Layers: 2, Sequence: 3, Hidden: 6, Heads: 2, Inner: 5}, vocabulary: 7}})
	}
	for _, c := range []struct {
		size                    string
		hidden, layers, experts int
	}{{"380m", 768, 8, 8}, {"690m", 768, 8, 16}, {"1.3b", 768, 16, 16}, {"2.4b", 1024, 16, 16},
		{"10b", 1536, 16, 32}, {"27b", 2048, 16, 48}, {"70b", 2048, 32, 64}} {
		all = append(all, entry{"moe-" + c.size, fmt.Sprintf("GShard, %d layers of hidden size %d, %d experts in every other one, 1024 positions, float16",
			c.layers, c.hidden, c.experts), alpa,
			language{EncoderConfig: EncoderConfig{Batch: 1024, Layers: c.layers, Sequence: 1024, Hidden: c.hidden, Heads: 16, Inner: 8 * c.hidden},
				vocabulary: 32000, experts: c.experts, group: 2048, dtype: graph.Float16},
			language{EncoderConfig: EncoderConfig{Batch: 4, Layers: 2, Sequence: 3, Hidden: 6, Heads: 2, Inner: 5}, vocabulary: 7, experts: 3, group: 6}})
	}
	for _, c := range []struct {
		size        string
		width, wide int
	}{{"250m", 160, 2}, {"500m", 224, 2}, {"1b", 320, 2}, {"2b", 448, 2}, {"4b", 640, 2}, {"6.8b", 320, 16}, {"13b", 320, 32}} {
		all = append(all, entry{"wrn-" + c.size, fmt.Sprintf("Wide-ResNet-50, %d channels, %d times as many behind the 3x3 convolutions", c.width, c.wide), alpa,
			residual{samples: 1536, image: 224, first: c.width, width: c.width, wide: c.wide, expand: 4, groups: 1, stem: true},
			residual{samples: 2, image: 32, blocks: [4]int{1, 1, 1, 1}, div: 32, first: 64, width: 64, wide: 2, expand: 4, groups: 1, stem: true}})
	}
	return all
}

// Further lists networks beside those of [Names], which no table of benchmarks holds:
// they are there to be trained.
func Further() []string {
	names := make([]string, len(further))
	for i, e := range further {
		names[i] = e.name
	}
	return names
}
