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
	// Whole: weights and constants are images of convolutions and pools at every level,
	// not of up to 3 operators only.
	Whole bool
}

// Presets are the built-in presets, by name.
func Presets() []Preset {
	return []Preset{
		{Name: "bert",
			Doc: "an encoder layer: linear layers with biases, heads, scaled softmax, layer normalization",
			Ops: []string{"matmul", "linear", "bias", "ewadd", "smul", "concat", "split", "transpose", "reshape",
				"softmax", "layernorm", "gelu"},
			Types: sequenceTypes},
		{Name: "cnn",
			Doc: "convolutions with biases, batch normalization and what folds it into kernels, padding, averages over images",
			Ops: []string{"ewadd", "relu", "conv2d", "concat", "split", "batchnorm", "bias2d", "scale2d", "scalekernel",
				"batchnormkernel", "batchnormbias", "pad", "reducemean", "smul"},
			Types: imageTypes},
		{Name: "llama",
			Doc: "a layer of a language model: linear layers, gains, heads, scaled and masked softmax, RMS normalization, rotary positions, shared heads, gates",
			Ops: []string{"matmul", "linear", "scale", "mask", "ewadd", "ewmul", "smul", "concat", "split", "transpose", "reshape",
				"repeat", "softmax", "rmsnorm", "rotary", "silu"},
			Types: decoderTypes},
		{Name: "taso",
			Doc: "the default operators and inputs with all graphs of TASO's generator, also those of 4 operators and more that convolve or pool weights and constants",
			Ops: DefaultNames(), Types: DefaultTypes, Whole: true},
		{Name: "parallel-mlp",
			Doc: "linear layers over meshes: data, column and row parallelism, sums and what commutes with them",
			Ops: append([]string{"matmul", "ewadd", "relu", "smul", "concat", "transpose"}, layouts...), Types: meshMatrixTypes, Mesh: 3},
		{Name: "parallel-two",
			Doc: "what meshes of two members have to do with two operands: concats dealt out, sums of pairs",
			Ops: append([]string{"matmul", "ewadd", "concat"}, layouts...), Types: meshPairTypes, Mesh: 2},
		{Name: "parallel-attention",
			Doc: "batched products and softmax over meshes: by sample, heads and rows of the queries",
			Ops: append([]string{"matmul", "softmax", "transpose", "ewadd", "relu"}, layouts...), Types: meshHeadTypes, Mesh: 3},
		{Name: "parallel-conv",
			Doc: "convolutions and pools over meshes: by sample and by channel",
			Ops: append([]string{"conv2d", "poolmax", "poolavg", "relu", "ewadd", "concat"}, layouts...), Types: meshImageTypes, Mesh: 3},
		{Name: "parallel-embedding",
			Doc: "tables looked up over meshes: by position, by column and by vocabulary",
			Ops: append([]string{"gather", "pickown", "matmul", "ewadd", "concat"}, layouts...), Types: meshTableTypes, Mesh: 3},
	}
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
