package lower

import "github.com/taso-go/taso/graph"

// ValueID is a position in [Plan.Values], BufferID one in [Plan.Buffers].
type (
	ValueID  int
	BufferID int
)

// None is the value, or the buffer, that is not there.
const None = -1

// Plan is what would run: kernels in order, and where their tensors lie. It is
// data; whoever executes or prices it decides nothing. It must not be changed.
type Plan struct {
	Graph   *graph.Graph
	Values  []Value
	Buffers []Buffer
	// Once are the kernels that depend on weights and constants only: they run
	// before the first run, in this order.
	Once []Kernel
	// Run are the kernels of a run, in this order.
	Run []Kernel
	// Of are the values of the tensors that outputs depend on, weights and inputs
	// included. A value that a kernel's tail has changed is that of the last
	// node in the tail, and of those before it.
	Of map[graph.Tensor]ValueID
	// Inputs are the values of the graph's inputs, None for weights.
	Inputs []ValueID
	// Outputs are dense values, of the graph's outputs.
	Outputs []ValueID
	// Into are the nodes that the kernel of another one computes, by node.
	Into map[graph.NodeID]graph.NodeID
	// Arena is the memory for the tensors of a run in bytes, Constants that for
	// the constants that a run reads.
	Arena, Constants int
}

// Peak is the bytes that a run holds, without what kernels need for themselves.
func (p *Plan) Peak() int { return p.Arena + p.Constants }

// Value is a tensor: sizes and strides, in elements, over a buffer.
type Value struct {
	Buffer  BufferID
	Offset  int // of the first element, in elements
	Sizes   []int
	Strides []int
	// DType is the type as which the elements lie there, and Type what they are: a
	// target may hold a narrow type as a wider one, see [Target.Held].
	DType, Type graph.DType
	// Node computes the value: time spent on making it dense is the node's.
	Node graph.NodeID
}

// Home says where a buffer lies.
type Home uint8

const (
	// Arena buffers lie in the memory of a run and share it by their lifetimes.
	Arena Home = iota
	// Weight buffers hold a weight of the model.
	Weight
	// Computed buffers hold what kernels of Once write.
	Computed
)

// Buffer is the memory of one or more values.
type Buffer struct {
	Home  Home
	Node  graph.NodeID // of a Weight
	Bytes int
	// First and Last are the first and the last kernel of Run that uses an Arena
	// buffer; inputs are there from -1, outputs until len(Run).
	First, Last int
	// Offset is where an Arena buffer begins, in bytes.
	Offset int
	// Shares is the buffer in whose place this one lies, because its kernel
	// overwrites what it reads; None if it has a place of its own.
	Shares BufferID
	// Kept: a kernel of Run or an output reads the constant. Others may be
	// released when their last kernel of Once has run.
	Kept bool
}

// Constant reports whether the buffer is the same in every run.
func (b *Buffer) Constant() bool { return b.Home != Arena }

// Kind is what a kernel does.
type Kind uint8

const (
	// Compute is the operator of the kernel's node, or one part of it.
	Compute Kind = iota
	// Chain is the steps of the tail alone, on In[0], which is dense or rows that lie apart.
	Chain
	// Copy makes In[0], a view, dense.
	Copy
	// Prepare brings operands of the node into the form that the target's kernel
	// wants.
	Prepare
	// Constant is an operator without operands, or one that makes elements although an
	// operand has none: they are the same in every run.
	Constant
)

// Kernel is one launch, or a few on the same data: an operator with all that is
// fused into it.
type Kernel struct {
	Kind Kind
	// Node is whose time it is: the root of the group.
	Node graph.NodeID
	// As names what is run, where one operator is run in several ways:
	// poolavg over a whole image as reducemean, conv2d as depthwise, and as dots where
	// the kernels are as large as the image: a product of two vectors a channel; and as
	// spread where the image that it reads is spread with zeros.
	As string
	// Part is the operand that Prepare prepares, or the axis of a kernel that is
	// one of several of its node.
	Part int
	// Spread is how the image of a spread convolution lies.
	Spread Spread
	// Span is, for kernels along neighbouring axes, the elements before, in and
	// behind them; for those that prepare, [Packed.Span].
	Span [3]int
	// In is what the root reads. Prepared, if it is there, has the forms in which
	// operands were prepared, None for those that are read as they are.
	In, Prepared []ValueID
	Out          []ValueID
	// Tail is what is done to the result before it is written; nil for kernels
	// that take none.
	Tail *Tail
	// Overwrites: a Chain whose result lies where In[0] does.
	Overwrites bool
}

// Tail is the elementwise operations fused into a kernel.
type Tail struct {
	Steps []Step
	// N is the length of the result's rows for operands that are one element a
	// row or one a column, and Mod the number of rows after which the former
	// repeat; 0 means that no step has asked.
	N, Mod int
}

// Step is one operation of a tail: Fn of the running value, or of it and Args.
type Step struct {
	Node graph.NodeID
	// Fn is an operator's name; affine is the running value times Args[0] plus
	// Args[1], and StepWhole is no operator either.
	Fn string
	// Reversed: the running value is the second operand.
	Reversed bool
	Mode     Mode
	Args     [2]ValueID
}

// Mode is how the operands of a step lie under the result.
type Mode uint8

const (
	NoOperand Mode = iota
	Scalar         // one element for all
	Row            // one element a row
	Col            // one element a column
	Full           // one element each
	// Rows: one element each, in rows that lie apart, such as some columns of a matrix
	// ([Value.Rows]).
	Rows
)

// Reads calls f with each value that a kernel reads.
func (k *Kernel) Reads(f func(ValueID)) {
	for i, v := range k.In {
		if i < len(k.Prepared) && k.Prepared[i] != None {
			v = k.Prepared[i]
		}
		f(v)
	}
	if k.Tail == nil {
		return
	}
	for _, s := range k.Tail.Steps {
		for _, v := range s.Args {
			if v != None {
				f(v)
			}
		}
	}
}

// Buffer is the buffer of a value.
func (p *Plan) Buffer(v ValueID) *Buffer { return &p.Buffers[p.Values[v].Buffer] }

// Place is the offset of an Arena buffer in bytes, that of the buffer whose
// place it shares if it does.
func (p *Plan) Place(b BufferID) int { return p.Buffers[p.root(b)].Offset }

// root is the buffer whose place another one has in the end.
func (p *Plan) root(b BufferID) BufferID {
	for p.Buffers[b].Shares != None {
		b = p.Buffers[b].Shares
	}
	return b
}
