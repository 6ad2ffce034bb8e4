package models

import (
	"errors"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Info says what a model is.
type Info struct {
	Name   string  `json:"name"`             // for Build, such as "resnet50"
	Doc    string  `json:"doc"`              // one line
	Source string  `json:"source,omitempty"` // the paper or artifact whose graph it is
	Inputs [][]int `json:"inputs"`           // sizes of what the caller feeds

	Operators int   `json:"operators"` // applications in the graph
	Weights   int   `json:"weights"`   // tensors
	Params    int64 `json:"params"`    // elements of all weights
	Learned   int64 `json:"learned"`   // Params without constants and the stored statistics of batch norms: what papers count
	Layers    int   `json:"layers"`    // parts that repeat, see Network
	Batch     int   `json:"batch"`     // samples in one run
	FLOPs     int64 `json:"flops"`     // of one run; a product and a sum are two
	MACs      int64 `json:"macs"`      // multiply-accumulates of convolutions and products of matrices

	Published Published `json:"published"`
}

// entry is a model of the list.
type entry struct {
	name, doc, source string
	build, tiny       builder
}

const (
	taso   = "TASO (Jia et al., SOSP 2019), examples"
	tensat = "Tensat (Yang et al., MLSys 2021), model"
)

// entries is the list, in the order of the papers.
var entries = []entry{
	{"resnet50-taso", "ResNet-50 after its stem, no batch norm; the shortcut's convolution is rectified too", taso,
		residual{image: 224, width: 64, expand: 4, groups: 1, papers: true},
		residual{image: 32, div: 16, width: 64, expand: 4, groups: 1, papers: true}},
	{"resnext50", "ResNeXt-50 32x4d, no batch norm, no classifier; the shortcut's convolution is rectified too", taso,
		residual{image: 224, width: 128, expand: 2, groups: 32, papers: true, stem: true},
		residual{image: 32, div: 16, width: 128, expand: 2, groups: 32, papers: true, stem: true}},
	{"nasneta", "NasNet-A, three stages of five normal cells and a reduction cell", taso,
		nasnet{image: 224},
		nasnet{image: 32, div: 32}},
	{"nasrnn", "NasRNN, five steps of hidden size 512, weights of their own in each step", taso,
		nasrnn{hidden: 512, steps: 5},
		nasrnn{hidden: 8, steps: 5}},
	{"bert", "eight layers of projections and per-head products, without softmax, residuals or feed-forward parts", taso + "; " + tensat,
		bertPaper{sequence: 64, hidden: 1024, heads: 16, layers: 8},
		bertPaper{sequence: 4, hidden: 16, heads: 4, layers: 8}},
	{"inceptionv3", "Inception-v3, no batch norm, no classifier; block B averages and blocks E take maxima", tensat,
		inception{image: 299},
		inception{image: 75, div: 16}},
	{"squeezenet", "SqueezeNet 1.1 without biases", tensat,
		squeezenet{image: 224},
		squeezenet{image: 32, div: 16}},
	{"vgg19", "VGG-19 without biases", tensat,
		vgg{image: 224},
		vgg{image: 32, div: 16}},
	{"mobilenetv2", "MobileNet-v2 with batch norm; the stage of 64 channels runs on 28x28", tensat,
		mobilenet{image: 224, blocks: tensatBlocks},
		mobilenet{image: 32, div: 8, blocks: tensatBlocks}},

	{"resnet50", "ResNet-50 with batch norm and classifier", "He et al., CVPR 2016",
		residual{image: 224, width: 64, expand: 4, groups: 1, stem: true},
		residual{image: 32, div: 16, width: 64, expand: 4, groups: 1, stem: true}},
	{"resnext50-full", "ResNeXt-50 32x4d with batch norm and classifier", "Xie et al., CVPR 2017",
		residual{image: 224, width: 128, expand: 2, groups: 32, stem: true},
		residual{image: 32, div: 16, width: 128, expand: 2, groups: 32, stem: true}},
	{"inceptionv3-full", "Inception-v3 with batch norm and classifier", "Szegedy et al., CVPR 2016",
		inception{image: 299, full: true},
		inception{image: 75, div: 16, full: true}},
	{"squeezenet-full", "SqueezeNet 1.1 with biases", "Iandola et al., 2016",
		squeezenet{image: 224, full: true},
		squeezenet{image: 32, div: 16, full: true}},
	{"vgg19-full", "VGG-19 with biases", "Simonyan and Zisserman, ICLR 2015",
		vgg{image: 224, full: true},
		vgg{image: 32, div: 16, full: true}},
	{"mobilenetv2-full", "MobileNet-v2 with batch norm, relu6 and a linear classifier", "Sandler et al., CVPR 2018",
		mobilenet{image: 224, blocks: sandlerBlocks, full: true},
		mobilenet{image: 32, div: 8, blocks: sandlerBlocks, full: true}},
	{"bert-base-64", "encoder of BERT-base, 12 layers, 64 positions", "Devlin et al., NAACL 2019",
		BERTBase(64), tinyBERT(3)},
	{"bert-base-128", "encoder of BERT-base, 12 layers, 128 positions", "Devlin et al., NAACL 2019",
		BERTBase(128), tinyBERT(5)},
	{"bert-large-64", "encoder of BERT-Large, 24 layers, 64 positions", "Devlin et al., NAACL 2019",
		BERTLarge(64), tinyBERT(3)},
	{"bert-large-128", "encoder of BERT-Large, 24 layers, 128 positions", "Devlin et al., NAACL 2019",
		BERTLarge(128), tinyBERT(5)},
	{"bert-base-layer-128", "one layer of BERT-base, 128 positions", "Devlin et al., NAACL 2019",
		BERTBase(128).one(), tinyBERT(5)},
	{"bert-large-layer-128", "one layer of BERT-Large, 128 positions", "Devlin et al., NAACL 2019",
		BERTLarge(128).one(), tinyBERT(5)},
}

// tinyBERT has two layers, whatever it stands for: all layers are alike.
func tinyBERT(sequence int) EncoderConfig {
	return EncoderConfig{Layers: 2, Sequence: sequence, Hidden: 12, Heads: 3, Inner: 20}
}

// tinySuffix marks the small variant of a model.
const tinySuffix = "-tiny"

// Names lists all models: the papers' graphs, then the full networks. With
// "-tiny" behind it, each names its small variant.
func Names() []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	return names
}

// List describes all models of [Names]. It builds each graph, but draws no
// weights. It panics if a graph cannot be built, which is a mistake in the
// program.
func List() []Info {
	return described(entries)
}

// ListFurther is List for the models of [Further].
func ListFurther() []Info { return described(further) }

func described(list []entry) []Info {
	infos := make([]Info, len(list))
	for i, e := range list {
		n, err := BuildNetwork(e.name, Options{})
		if err != nil {
			panic(err)
		}
		infos[i] = Describe(n.Model)
		infos[i].Source, infos[i].Published = e.source, published[e.name]
		infos[i].Layers, infos[i].Batch = len(n.Layers), n.Batch
	}
	return infos
}

// Describe counts what is in a model; Source, Published, Layers and Batch are left empty.
func Describe(m *model.Model) Info {
	info := Info{Name: m.Name, Doc: m.Doc, Weights: len(m.Weights), Params: m.Params(), FLOPs: m.FLOPs()}
	for _, id := range m.Inputs() {
		info.Inputs = append(info.Inputs, m.Graph.Sizes(id.Out(0)))
	}
	info.Learned = info.Params
	for id, w := range m.Weights {
		// Scalars and integers are constants.
		if t := id.Out(0); len(m.Graph.Sizes(t)) == 0 || !m.Graph.DType(t).IsFloat() {
			info.Learned -= w.Elements()
		}
	}
	for id := range m.Graph.Nodes() {
		op := m.Graph.Op(id)
		if op == nil {
			continue
		}
		info.Operators++
		if op.Name == "batchnorm" {
			for _, t := range m.Graph.Operands(id)[3:] { // mean and variance
				if w := m.Weights[t.Node]; w != nil {
					info.Learned -= w.Elements()
				}
			}
		}
		if op.Name == "conv2d" || op.Name == "matmul" {
			info.MACs += m.Graph.WorkOf(id).FLOPs / 2
		}
	}
	return info
}

// Build makes the model of that name, one of [Names], [Further] or [Variants], or its
// small variant. The seed decides the numbers of its weights; a rewritten form computes
// with the same seed what its model does.
func Build(name string, seed uint64) (*model.Model, error) {
	n, err := BuildNetwork(name, Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	return n.Model, nil
}

// ErrUnknown is wrapped by Build's error for a name that is not in the list.
var ErrUnknown = errors.New("there is no such model")

// Count is the number of applications of an operator in a graph.
func Count(g *graph.Graph, op string) int {
	n := 0
	for id := range g.Nodes() {
		if o := g.Op(id); o != nil && o.Name == op {
			n++
		}
	}
	return n
}
