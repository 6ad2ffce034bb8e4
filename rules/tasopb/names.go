package tasopb

import "fmt"

// An OpType is the type of an operator, numbered as in TASO.
type OpType int32

// The operator types of TASO.
const (
	OpInput OpType = iota
	OpWeight
	OpAny
	OpConv2D
	OpDropout
	OpLinear
	OpPool2DMax
	OpPool2DAvg
	OpRelu
	OpSigmoid
	OpTanh
	OpBatchNorm
	OpConcat
	OpSplit
	OpReshape
	OpTranspose
	OpEwAdd
	OpEwMul
	OpMatmul
	OpMul // tensor times scalar
	OpEnlarge
	OpMergeGConv
	OpConstantImm   // identity matrix
	OpConstantIconv // identity of convolution
	OpConstantOne   // ones
	OpConstantPool  // kernel of average pooling
	numOpTypes
)

// A ParamKey is the key of a parameter, numbered as in TASO.
type ParamKey int32

// The parameter keys of TASO.
const (
	ParamOpType ParamKey = iota
	ParamNumInputs
	ParamNumOutputs
	ParamGroup
	ParamKernelH
	ParamKernelW
	ParamStrideH
	ParamStrideW
	ParamPad
	ParamActi
	ParamNumDim
	ParamAxis
	ParamPerm // a permutation in the number system of base NUMDIM, first axis highest
	ParamOutShuffle
	ParamMergeGConvCount
	ParamAxes
	ParamKeepDims
	ParamEpsilon
	numParamKeys
)

// Padding is a value of ParamPad.
type Padding int32

// The paddings of TASO. Which side SAME favours differs within TASO.
const (
	PadSame Padding = iota
	PadValid
	numPaddings
)

// Activation is a value of ParamActi.
type Activation int32

// The activations of TASO.
const (
	ActNone Activation = iota
	ActSigmoid
	ActRelu
	ActTanh
	numActivations
)

// many stands for an arity without an upper bound.
const many = MaxInputs

// opInfo is what the format says of an operator type.
type opInfo struct {
	name      string // as in TASO's sources, without the prefix OP_
	fn        string // in the functional notation of String
	min, max  int    // number of inputs
	mandatory []ParamKey
}

var opTable = [numOpTypes]opInfo{
	OpInput:     {"INPUT", "input", 0, 0, nil},
	OpWeight:    {"WEIGHT", "weight", 0, 0, nil},
	OpAny:       {"ANY", "any", 0, many, nil},
	OpConv2D:    {"CONV2D", "conv2d", 2, 2, []ParamKey{ParamStrideH, ParamStrideW, ParamPad, ParamActi}},
	OpDropout:   {"DROPOUT", "dropout", 1, 1, nil},
	OpLinear:    {"LINEAR", "linear", 1, 3, nil},
	OpPool2DMax: {"POOL2D_MAX", "poolmax", 1, 1, []ParamKey{ParamKernelH, ParamKernelW, ParamStrideH, ParamStrideW, ParamPad}},
	OpPool2DAvg: {"POOL2D_AVG", "poolavg", 1, 1, []ParamKey{ParamKernelH, ParamKernelW, ParamStrideH, ParamStrideW, ParamPad}},
	OpRelu:      {"RELU", "relu", 1, 1, nil},
	OpSigmoid:   {"SIGMOID", "sigmoid", 1, 1, nil},
	OpTanh:      {"TANH", "tanh", 1, 1, nil},
	OpBatchNorm: {"BATCHNORM", "batchnorm", 1, 5, nil},
	OpConcat:    {"CONCAT", "concat", 1, many, []ParamKey{ParamNumInputs, ParamAxis}},
	OpSplit:     {"SPLIT", "split", 1, 1, []ParamKey{ParamNumOutputs, ParamAxis}},
	OpReshape:   {"RESHAPE", "reshape", 1, 1, nil},
	OpTranspose: {"TRANSPOSE", "transpose", 1, 1, []ParamKey{ParamNumDim, ParamPerm}},
	OpEwAdd:     {"EW_ADD", "ewadd", 2, 2, nil},
	OpEwMul:     {"EW_MUL", "ewmul", 2, 2, nil},
	OpMatmul:    {"MATMUL", "matmul", 2, 2, nil},
	OpMul:       {"MUL", "smul", 2, 2, nil},
	// The generator writes the kernel as parameters, the runtime takes it as a tensor.
	OpEnlarge:       {"ENLARGE", "enlarge", 1, 2, nil},
	OpMergeGConv:    {"MERGE_GCONV", "merge_gconv", 1, 1, []ParamKey{ParamMergeGConvCount}},
	OpConstantImm:   {"CONSTANT_IMM", "Imatmul", 0, 0, nil},
	OpConstantIconv: {"CONSTANT_ICONV", "Iconv", 0, 0, []ParamKey{ParamKernelH, ParamKernelW}},
	OpConstantOne:   {"CONSTANT_ONE", "One", 0, 0, nil},
	OpConstantPool:  {"CONSTANT_POOL", "Cpool", 0, 0, []ParamKey{ParamKernelH, ParamKernelW}},
}

var paramNames = [numParamKeys]string{
	"OP_TYPE", "NUM_INPUTS", "NUM_OUTPUTS", "GROUP", "KERNEL_H", "KERNEL_W",
	"STRIDE_H", "STRIDE_W", "PAD", "ACTI", "NUMDIM", "AXIS", "PERM", "OUTSHUFFLE",
	"MERGE_GCONV_COUNT", "AXES", "KEEP_DIMS", "EPSILON",
}

var (
	paddingNames    = [numPaddings]string{"same", "valid"}
	activationNames = [numActivations]string{"none", "sigmoid", "relu", "tanh"}
)

// among reports whether a number is that of one of the names.
func among[T ~int32](x T, names int) bool { return x >= 0 && int(x) < names }

// named is the name of a number, or otherwise the number in a form.
func named[T ~int32](x T, names []string, form string) string {
	if among(x, len(names)) {
		return names[x]
	}
	return fmt.Sprintf(form, int32(x))
}

// Known reports whether TASO or FlexFlow has such an operator.
func (t OpType) Known() bool { return among(t, len(opTable)) || t.Parallel() }

// String returns its name there without the prefix OP_, or the number.
func (t OpType) String() string {
	if t.Known() {
		return t.info().name
	}
	return fmt.Sprintf("OpType(%d)", int32(t))
}

// Function is the operator's name in the functional notation of [Rule.String], or "".
func (t OpType) Function() string {
	if t.Known() {
		return t.info().fn
	}
	return ""
}

// Known reports whether TASO or FlexFlow has such a parameter.
func (k ParamKey) Known() bool { return among(k, len(paramNames)) || k.parallel() }

// String returns its name there without the prefix PM_, or the number.
func (k ParamKey) String() string {
	if k.parallel() {
		return parallelParamNames[k-firstParallel]
	}
	return named(k, paramNames[:], "ParamKey(%d)")
}

// String returns "same" or "valid", or the number.
func (p Padding) String() string { return named(p, paddingNames[:], "%d") }

// String returns "none", "sigmoid", "relu" or "tanh", or the number.
func (a Activation) String() string { return named(a, activationNames[:], "%d") }
