package lower

import "github.com/taso-go/taso/graph"

// Target describes what the kernels of a device can do. Two devices differ in
// this alone; what is decided from it is decided in this package.
type Target struct {
	// Name is a short word.
	Name string
	// Align is what offsets in the arena are multiples of, in bytes.
	Align int
	// Copies are the operators that move elements although [IsView]; of all
	// others of these the results are views.
	Copies map[string]bool
	// Reads is in what form kernels read their operands, by [Kernel.As]; those
	// that are not named want them dense.
	Reads map[string]Form
	// Tails are the kernels that take a tail, by [Kernel.As].
	Tails map[string]bool
	// Held is as which type elements of a type lie in buffers, and are computed with;
	// nil: as what they are.
	Held func(graph.DType) graph.DType
	// Tailed reports whether those kernels take a tail where elements are held as a
	// type; nil: for all types. Others get none.
	Tailed func(held graph.DType) bool
	// Steps reports whether tails and chains can do a function, see [Step.Fn], on
	// elements that are held as a type; nil: all functions of one element, those of two,
	// and affine.
	Steps func(fn string, held graph.DType) bool
	// Whole: integers may be held as float32 where float32 is all that comes of them, and
	// there is a kernel for products of such with a constant, see [Integers].
	Whole bool
	// Longest is the most steps that a tail grows to; 0: there is no bound.
	Longest int
	// Spread: there is a kernel for convolutions over images that are spread with zeros,
	// which reads them as they are before, see [Spread]; of elements held as float32.
	Spread bool
	// Parts is how many operands a concatenation has at most when others go into it; 0: none
	// do.
	Parts int
	// Rows: steps, of elements held as float32, and chains read operands whose rows lie
	// apart ([Value.Rows]) as they lie.
	Rows bool
	// Overwrites: a chain may write where it reads.
	Overwrites bool
	// Packed are the forms in which a kernel wants its operands prepared; nil, or
	// a form of no elements: it reads them as they are.
	Packed func(a *App) ([]Packed, error)
}

// Packed is a form of an operand that only a target's kernels know.
type Packed struct {
	Elements int // of the operand's type
	// Span is what the target wants to know when it prepares, such as the number
	// of matrices, their rows and their columns: see [Kernel.Span].
	Span [3]int
}

// App is an application with its operands as they lie.
type App struct {
	As       string
	Attrs    Attrs
	In       []Value
	Constant []bool // the operands that are the same in every run
	Out      []graph.TensorType
	Spread   Spread // see [Kernel.Spread]
}

// Form is how a kernel can read its operands.
type Form uint8

const (
	Dense    Form = iota // row-major
	Matrices             // matrices that can be read along their memory, in any order
	Strided              // at any strides
)

// CPU describes the kernels of backends/cpu, but for the forms that its weights
// are packed into, which depend on the processor.
func CPU() *Target {
	return &Target{
		Name: "cpu", Align: 64, Overwrites: true, Spread: true, Whole: true, Rows: true, Parts: 1 << 16, Held: Wide,
		Tailed: func(held graph.DType) bool { return held == graph.Float32 },
		Reads: map[string]Form{"matmul": Matrices, Integers: Matrices, "concat": Strided, "pad": Strided, "enlarge": Strided,
			"ewwhere": Strided, "ewpow": Strided, "ewint": Strided, "ewless": Strided, "ewlessequal": Strided, "ewequal": Strided},
		Tails: map[string]bool{"conv2d": true, "depthwise": true, "dots": true, "spread": true, "poolmax": true, "poolavg": true, "matmul": true, Integers: true},
	}
}

// CUDA describes the kernels of backends/cuda. Where the kernel of an operator computes
// one element of the result after the other, it takes any tail, and reads its operands
// at any strides.
func CUDA() *Target {
	t := &Target{
		Name: "cuda", Align: 256, Overwrites: true, Held: Wide,
		Longest: 128, // of two operands each: arguments of a launch are 4096 bytes at most
		Reads:   map[string]Form{"matmul": Matrices, "concat": Strided, "pad": Strided, "enlarge": Strided, "reverse": Strided, "cast": Strided},
		Tails:   map[string]bool{},
	}
	for _, as := range []string{
		"conv2d", "depthwise", "dots", "poolmax", "poolavg", "matmul",
		"reducesum", "reducemean", "reducemax", "softmax", "layernorm",
		"concat", "pad", "enlarge", "reverse", "cast", "gather", "scatteradd",
	} {
		t.Tails[as] = true
	}
	return t
}

// ONNXRuntime describes the kernels of ONNX Runtime's CPU provider with its optimizations
// on. Convolutions and products take a bias, a residual, a normalization by stored
// statistics and an activation; other elementwise operators run as kernels of their own.
// Transposes, slices and splits are copies; a reshape is a view, and so is a broadcast where
// an elementwise operator reads it. Sums and activations behind each other count as fused
// even where no convolution or product is before them: neighbours do not tell.
func ONNXRuntime() *Target {
	fused := map[string]bool{"ewadd": true, "relu": true, "sigmoid": true, "tanh": true, "leakyrelu": true, "affine": true}
	return &Target{
		Name: "onnxruntime", Align: 64, Overwrites: true,
		Copies: map[string]bool{"transpose": true, "slice": true, "split": true},
		Tails:  map[string]bool{"conv2d": true, "depthwise": true, "dots": true, "matmul": true},
		Steps:  func(fn string, held graph.DType) bool { return held == graph.Float32 && fused[fn] },
	}
}

// Separate describes kernels of one operator each, as the cost models of TASO and
// Tensat have them: nothing is fused. Views cost their dispatch.
func Separate() *Target {
	t := CPU()
	t.Parts = 0
	t.Name, t.Tails, t.Spread, t.Whole, t.Steps = "separate", nil, false, false, func(string, graph.DType) bool { return false }
	return t
}

// step reports whether tails and chains can do a function on elements of a type.
func (t *Target) step(fn string, d graph.DType) bool {
	return t.Steps == nil || t.Steps(fn, t.held(d))
}

// IsStep reports whether an operator with operands is elementwise, so that it
// may be a step: a function of one element, of two elements, a product with a scalar, or
// a normalization by stored statistics.
func IsStep(op *graph.Op) bool { return op.In > 0 && StepFn(op) != "" }

// Repeats reports whether an operator is a step of two tensors of one shape, which reads
// an operand that is broadcast to that shape at the size that it had before.
func Repeats(op *graph.Op) bool { return op.In == 2 && op.Name != "smul" && IsStep(op) }

// StepFn is the function of the step that an elementwise operator is, "" for
// others.
func StepFn(op *graph.Op) string {
	switch op.Name {
	case "smul":
		return "ewmul"
	case "batchnorm":
		return "affine"
	}
	if op.Elementwise && op.In <= 2 || op.Pointwise && op.In == 1 {
		return op.Name
	}
	return ""
}
