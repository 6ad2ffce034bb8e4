package kernel

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Values of a Ref that are no values of the plan.
const (
	// Scratch is memory that holds nothing between two kernels of the plan: as
	// many bytes as [Calls] says.
	Scratch lower.ValueID = -2
	// Fault is the fault word of the call, see [Launch.Fault].
	Fault lower.ValueID = -3
)

// FaultBytes is the size of a fault word, which is two int64s: 0 while nothing was
// wrong, then 1, and what the message is about.
const FaultBytes = 16

// Ref is what a pointer points at: Offset bytes behind the first element of Value,
// or behind the beginning of the scratch memory. As an operand that is not there,
// Value is lower.None.
type Ref struct {
	Value  lower.ValueID
	Offset int64
}

// Launch is one launch of a generated kernel.
type Launch struct {
	Source      string // one function `extern "C" __global__ void k(...)`
	Grid, Block [3]int
	Shared      int // bytes of dynamic shared memory
	Args        []Ref
	// Fault is not empty where the kernel may find that its operands are not what
	// the operator is defined on: a format for an error's text, of one int64. The
	// kernel writes 1 and that number to the call's own fault word, which is zeroed
	// before; whatever it then computed is no result.
	Fault string
}

// Matmul is a batch of products of row-major matrices by cuBLASLt:
// D = Relu(A*B + C + Bias).
type Matmul struct {
	M, N, K, Batch int
	A, B, D        Ref
	C              Ref // added, and laid out like D; Value lower.None: nothing
	// TransA: A lies as a matrix of K rows of M; TransB: B as N rows of K.
	TransA, TransB bool
	// Elements from one row to the next, and from one matrix of the batch to the
	// next; a StrideB of 0 is one matrix for all.
	LDA, LDB, LDD             int
	StrideA, StrideB, StrideD int
	Bias                      Ref // one element a column; Value lower.None: nothing
	Relu                      bool
}

// Conv is a convolution of images in NCHW order by cuDNN:
// Y = Relu(X*W + Z + Bias).
type Conv struct {
	X, W, Y  [4]int // sizes: [n, c, h, w], [o, c/groups, kh, kw], [n, o, oh, ow]
	Groups   int
	Stride   [2]int
	Dilation [2]int
	Pad      [2]int // above and below, left and right
	Image    Ref
	Kernel   Ref
	Out      Ref
	Z        Ref // added, and laid out like Out; Value lower.None: nothing
	Bias     Ref // one element a channel of the result; Value lower.None: nothing
	Relu     bool
}

// Call is one thing that the device is asked to do: one of Launch, Matmul and Conv
// is set.
type Call struct {
	Node   graph.NodeID // whose time it is
	Launch *Launch
	Matmul *Matmul
	Conv   *Conv
	// Fallback are launches that do the same as a Matmul or a Conv, for when the
	// library refuses.
	Fallback []Call
}

// Libraries says which libraries may be called.
type Libraries struct{ CublasLt, Cudnn bool }
