package enumerate

// Preset is a named list of operators together with the inputs that suit them.
type Preset struct {
	Name  string
	Doc   string // what it is for, one sentence
	Ops   []string
	Types func() []InputType
	// Mesh: tensors are laid out over meshes of devices, and the other operators are
	// applied to each member. It is the size of each axis of a mesh in the case; 0: there
	// are none.
	Mesh int
	// Apart: of the presets with a mesh, not one of those that run together.
	Apart bool
	// Whole: weights and constants are images of convolutions and pools at every level,
	// not of up to 3 operators only.
	Whole bool
}

// Presets are the built-in presets, by name.
func Presets() []Preset {
	return append([]Preset{
		{Name: "bert",
			Doc: "encoder layers: linear layers with bias, heads, scaled softmax, layer normalization",
			Ops: []string{"matmul", "linear", "bias", "ewadd", "smul", "concat", "split", "transpose", "reshape",
				"softmax", "layernorm", "gelu"},
			Types: sequenceTypes},
		{Name: "cnn",
			Doc: "convolutions with bias, batch normalization and its folding, padding, global average pools",
			Ops: []string{"ewadd", "relu", "conv2d", "concat", "split", "batchnorm", "bias2d", "scale2d", "scalekernel",
				"batchnormkernel", "batchnormbias", "pad", "reducemean", "smul"},
			Types: imageTypes},
		{Name: "llama",
			Doc: "decoder layers: linear layers, masked softmax, RMS normalization, rotary positions, shared heads, gates",
			Ops: []string{"matmul", "linear", "scale", "mask", "ewadd", "ewmul", "smul", "concat", "split", "transpose", "reshape",
				"repeat", "softmax", "rmsnorm", "rotary", "silu"},
			Types: decoderTypes},
		{Name: "taso",
			Doc: "the default operators, and weights and constants as images at every level",
			Ops: DefaultNames(), Types: DefaultTypes, Whole: true},
		{Name: "elements",
			Doc: "elementwise operators, with concats",
			Ops: []string{"ewadd", "ewmul", "smul", "ewsub", "ewdiv", "reciprocal", "ewmax", "ewmin", "neg", "relu",
				"concat", "one", "unit"},
			Types: elementTypes},
		{Name: "slices",
			Doc:   "slices and concats of differences, kernels and constants",
			Ops:   []string{"ewsub", "concat", "slice", "enlarge", "cpool", "one", "relu"},
			Types: sliceTypes},
		{Name: "reductions",
			Doc: "sums, means and maxima along axes",
			Ops: []string{"ewadd", "smul", "ewmul", "ewmax", "relu", "concat", "slice", "reducesum", "reducemean", "reducemax",
				"transpose", "matmul", "one", "reverse"},
			Types: reductionTypes},
		{Name: "broadcasts",
			Doc: "rows, columns, images and kernels repeated along an axis",
			Ops: []string{"ewadd", "ewmul", "smul", "neg", "relu", "concat", "slice", "transpose", "matmul", "conv2d",
				"poolavg", "poolmax", "enlarge", "one", "stretch", "lead"},
			Types: copyTypes},
		{Name: "training",
			Doc: "derivatives: reversed axes, rows added to tables, constants",
			Ops: []string{"ewadd", "ewmul", "smul", "relu", "concat", "matmul", "reducesum", "reducemean", "reverse",
				"scatteradd", "gather", "slice", "one", "unit", "fill", "clip", "leakyrelu"},
			Types: indexTypes},
		{Name: "mesh-family",
			Doc: "shards that differ: sums, products, slices and reductions of families",
			Ops: append([]string{"ewadd", "ewmul", "ewmax", "neg", "smul", "relu", "concat", "slice", "matmul", "reducesum",
				"reducemax", "reducemean"}, layouts...), Types: meshFamilyTypes, Mesh: 3, Apart: true},
		{Name: "mesh-shape",
			Doc:   "slices, softmax and halos of shards",
			Ops:   append([]string{"slice", "softmax", "halo", "ewadd", "ewmax", "relu"}, layouts...),
			Types: meshShapeTypes, Mesh: 3, Apart: true},
		{Name: "parallel-mlp",
			Doc: "sharded linear layers: data, column and row parallelism, and sums",
			Ops: append([]string{"matmul", "ewadd", "relu", "smul", "concat", "transpose"}, layouts...), Types: meshMatrixTypes, Mesh: 3},
		{Name: "parallel-two",
			Doc: "two devices and operators of two operands: sharded concats, sums of pairs",
			Ops: append([]string{"matmul", "ewadd", "concat"}, layouts...), Types: meshPairTypes, Mesh: 2},
		{Name: "parallel-attention",
			Doc: "sharded attention: batched products and softmax by sample, head and query row",
			Ops: append([]string{"matmul", "softmax", "transpose", "ewadd", "relu"}, layouts...), Types: meshHeadTypes, Mesh: 3},
		{Name: "parallel-conv",
			Doc: "sharded convolutions and pools: by sample and by channel",
			Ops: append([]string{"conv2d", "poolmax", "poolavg", "relu", "ewadd", "concat"}, layouts...), Types: meshImageTypes, Mesh: 3},
		{Name: "parallel-embedding",
			Doc: "sharded embeddings: by position, by column and by vocabulary",
			Ops: append([]string{"gather", "pickown", "matmul", "ewadd", "concat"}, layouts...), Types: meshTableTypes, Mesh: 3},
	}, settings()...)
}

// layouts are the operators that lay tensors out, which all presets for meshes have.
var layouts = []string{"partition", "combine", "replicate", "reduce", "lift", "drop"}

func presetOf(name string) (Preset, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}
