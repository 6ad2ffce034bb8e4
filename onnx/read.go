package onnx

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// ReadOptions say how a file is read. The zero value reads a model whose sizes
// are all known.
type ReadOptions struct {
	// Shapes are the sizes of inputs whose sizes the file leaves open. A key
	// may also be the name of a dimension, with one size: "batch" to [8].
	Shapes map[string][]int
	// Constants are values for inputs that are then no inputs any more, such as
	// a shape or a sampling rate. They are converted to the declared type, which must hold
	// integers exactly. A number, or numbers in a row, get the declared sizes.
	Constants map[string]*model.Weight
	// Defaults: inputs to which the file gives a default are constants. Without it they are
	// inputs, as the standard has it since version 4 of the format.
	Defaults bool
	// Batch is the size of the batch, where the file leaves it open: of the axis of an
	// input whose name has "batch" in it, else of its first. 0: it is 1, unless the first
	// axis may be something else: that of an input with one axis, or one whose name is
	// also that of a later axis of an input.
	Batch int
	// Some: a name in Shapes or Constants that the model does not have is no error,
	// but listed in [Report.Unused]: it may be meant for another model.
	Some bool
	// MaxBytes bounds the memory for the structure of the model, which is
	// everything but long arrays of numbers, and as much again for the arrays in
	// opaque nodes, which are read at once; 0 is 512 MiB. The structure of a
	// network of 10,000 nodes takes some 20 MB.
	MaxBytes int64
	// KeepDecomposed: layer normalization, GELU and hard swish that the file
	// spells out in smaller operators stay so. Files written by this package
	// are always read so.
	KeepDecomposed bool
	// Dynamic: sizes that the file leaves open and that Shapes does not give stay variables;
	// see [Report.Dynamic]. The graph is made at sample sizes: those in Samples by the names
	// of dimensions, or small different ones.
	Dynamic bool
	Samples map[string]int
	// Ranges are the sizes that dynamic dimensions may have, by their names; by default 1 and
	// more. Sizes at which the model is not defined are left out of them.
	Ranges map[string]graph.Range
	// Steps: a dimension of this name is a multiple of the number. The variable is the quotient.
	// Ranges and Samples are of the dimension itself.
	Steps map[string]int
	// Variables are ranges and steps of variables by their own names, as certificates have them:
	// the range is of the quotient, where a dimension has a step.
	Variables map[string]graph.SizeVar
	// Typical: where Samples says nothing, the graph is made at sizes that are typical for a run:
	// a batch of 1, images of 224, and 128 for other dimensions, or the nearest in the range.
	Typical bool
}

// Report is what a reader should know about how a model was read.
type Report struct {
	Producer string
	IR       int64
	Opset    int64      // version of the default operator set
	Dynamic  []Variable // the sizes that stay variables, with those at which the model is defined
	Nodes    int        // nodes in the file, without those of subgraphs
	Folded   int        // nodes that were computed while reading
	// Fused are operators found in a decomposed form, with how often.
	Fused map[string]int
	// Opaque are the nodes that are kept as they are, in the file's order.
	Opaque []OpaqueNode
	// Missing counts the opaque nodes by operator.
	Missing map[string]int
	// Open are the sizes of inputs that the file leaves open, with what they
	// were taken to be.
	Open []OpenSize
	// Files are the files beside the model's from which its weights are read.
	Files []string
	// Batch is the number of inputs that got ReadOptions.Batch.
	Batch int
	// Outputs are the names of the outputs, in the file's order.
	Outputs []string
	// Defaults are the inputs to which the file gives a default. They are constants of the
	// model, which holds only where nobody gives them another value.
	Defaults []string
	// Warnings are what else contradicts in the file or was assumed, a line each.
	Warnings []string
	// Source is the file, for [Rewrite].
	Source *Source
	// Constants are those of ReadOptions that the model has, as its inputs are declared.
	Constants map[string]*model.Weight
	// Unused are the names in ReadOptions.Shapes and Constants that the model
	// does not have, where ReadOptions.Some lets them be.
	Unused []string
}

// OpenSize is a size that a file leaves open.
type OpenSize struct {
	Input string
	Axis  int
	Dim   string // its name in the file, or ""
	Size  int    // as given by [ReadOptions.Shapes] and [ReadOptions.Batch]
	// Assumed: nobody gave it; it is a batch, and 1.
	Assumed bool
}

// OpaqueNode is a node that could not be lowered.
type OpaqueNode struct {
	Name   string // the node's name, or its first output's
	Output string // its first output's name, which the graph's node has
	Op     string // with the domain, if it is not ONNX's own
	Reason string
}

// Error is what is wrong with a model file, and where.
type Error struct {
	File string
	Node string // the node, weight or input, if it lies there
	Op   string // of the node
	Err  error
}

// Error is file: node name (operator): cause.
func (e *Error) Error() string {
	node := e.Node
	if e.Op != "" {
		node += " (" + e.Op + ")"
	}
	var b strings.Builder
	for _, part := range []string{e.File, node} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	fmt.Fprint(&b, e.Err)
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

const (
	defaultMaxBytes = 512 << 20
	oldestOpset     = 1
	newestOpset     = 26
)

// source is where the numbers of a model lie.
type source struct {
	path   string // of the model's file; "" if it is in memory
	size   int64
	memory []byte
	others map[string]bool // files beside it that hold numbers, as far as met
}

// inMemory is a model file that is held in memory.
func inMemory(raw []byte) source { return source{size: int64(len(raw)), memory: raw} }

// Read reads the model in a file. Long arrays of numbers are not read: the
// weights of the model read them from path, or from the files beside it that
// the model names, when they are loaded. Every error is an [Error].
func Read(path string, opt ReadOptions) (*model.Model, *Report, error) {
	m, r, err := readFile(path, opt)
	var e *Error
	if err != nil && !errors.As(err, &e) {
		err = &Error{File: path, Err: err}
	}
	return m, r, err
}

func readFile(path string, opt ReadOptions) (*model.Model, *Report, error) {
	// Opening a pipe would wait for somebody to write.
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, nil, errors.New("open model: not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err // Error names the file
		}
		return nil, nil, fmt.Errorf("open model: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("open model: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, nil, errors.New("open model: not a regular file")
	}
	return decode(f, source{path: path, size: st.Size(), others: map[string]bool{}}, opt)
}

// decode reads a model of which f holds src.size bytes.
func decode(f io.ReaderAt, src source, opt ReadOptions) (*model.Model, *Report, error) {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = defaultMaxBytes
	}
	if src.size == 0 {
		return nil, nil, errors.New("the file is empty")
	}
	p := &onnxpb.ModelProto{}
	slim, err := slimModel(f, src.size, opt.MaxBytes)
	if err != nil {
		err = fmt.Errorf("read model: %w", err)
	} else if err = proto.Unmarshal(slim, p); err != nil {
		err = fmt.Errorf("read model: not an ONNX model: %w", err)
	}
	if err != nil || p.GetGraph() == nil {
		if other := otherFormat(f, src.size); other != "" {
			return nil, nil, errors.New("not an ONNX file: " + other)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	im, m, err := readModel(p, src, opt)
	if err != nil {
		return nil, nil, err
	}
	if m.Name == "" {
		m.Name = strings.TrimSuffix(filepath.Base(src.path), filepath.Ext(src.path))
	}
	im.report.Files = slices.Sorted(maps.Keys(src.others))
	return m, im.report, nil
}

// defaultDomain reports whether a domain is that of ONNX's own operators.
func defaultDomain(d string) bool { return d == "" || d == "ai.onnx" }

// opName is an operator with its domain, for messages.
func opName(n *onnxpb.NodeProto) string {
	if defaultDomain(n.GetDomain()) {
		return word(clip(n.GetOpType()))
	}
	return word(clip(n.GetDomain() + "." + n.GetOpType()))
}

// nodeName is what a node is called in messages: by its name, or by its first
// output.
func nodeName(n *onnxpb.NodeProto) string {
	if n.GetName() != "" {
		return fmt.Sprintf("node %q", clip(n.GetName()))
	}
	for _, o := range n.GetOutput() {
		if o != "" {
			return fmt.Sprintf("node of %q", clip(o))
		}
	}
	return "node without a name"
}
