package onnx

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// WriteOptions say how a model is written. The zero value writes one file of
// operator set 17, or 20 if the model needs it.
type WriteOptions struct {
	// Opset is the version of ONNX's operator set, 17 to 26; 0 is the smallest
	// of 17 and up that has all operators of the model.
	Opset int64
	// External: the numbers of weights go to a second file, named as the first
	// with ".data" behind it. That is so anyway if they are more than 1 GiB.
	External bool
}

const (
	writtenOpset  = 17
	geluOpset     = 20
	bitwiseOpset  = 18
	reduceOpset   = 18 // from here on all reductions take their axes as an input
	maxInlineData = 1 << 30
	externalMin   = 1024 // bytes of a weight that goes to the second file
)

// DataPath is the second file that [Write] writes beside path if the weights are
// many; "" for "".
func DataPath(path string) string {
	if path == "" {
		return ""
	}
	return path + ".data"
}

// Write writes a model to a file, which appears whole or not at all. [Read]
// gives the same graph again. Operators of types that ONNX does not have, and
// opaque nodes that are not ONNX's, are errors that name the node.
func Write(path string, m *model.Model, opt WriteOptions) error {
	if err := write(path, m, opt); err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.File = path
			return err
		}
		return &Error{File: path, Err: err}
	}
	return nil
}

func write(path string, m *model.Model, opt WriteOptions) error {
	var data *atomicfile.File
	var w io.Writer
	if opt.External || m.WeightBytes() > maxInlineData {
		f, err := atomicfile.Create(DataPath(path))
		if err != nil {
			return err
		}
		defer f.Abort()
		data, w = f, f
	}
	raw, err := encode(m, opt, w, filepath.Base(DataPath(path)))
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(raw); err != nil {
		return err
	}
	if data != nil {
		if err := data.Commit(); err != nil {
			return err
		}
	}
	return f.Commit()
}

// encode is a model file. If data is not nil, the numbers of weights go there,
// and the file says that they are at location.
func encode(m *model.Model, opt WriteOptions, data io.Writer, location string) ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	e := newExporter(m)
	if err := e.chooseOpset(opt.Opset); err != nil {
		return nil, err
	}
	p, err := e.model(data, location)
	if err != nil {
		return nil, err
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	return raw, nil
}

// exporter writes one model.
type exporter struct {
	m     *model.Model
	g     *graph.Graph
	opset int64
	open  bool       // sizes may be others than those of the graph
	vars  []Variable // the axes of inputs that dynamic sizes are

	names   *names
	name    map[graph.Tensor]string         // of a tensor in the file
	uses    map[graph.Tensor]int            // operands and outputs that are it
	covered []bool                          // nodes that another node's ONNX node computes too
	as      map[graph.NodeID]func()         // nodes that are emitted together with covered ones
	omitted map[graph.NodeID]bool           // weights that reading makes
	stored  map[graph.NodeID][]int          // weights that have other sizes in the file
	compact map[graph.NodeID]*compact       // kernels that are others in the file
	truths  map[graph.NodeID]string         // zeros and ones as truth values
	chosen  map[graph.NodeID]int            // how many nodes choose by them
	users   map[graph.Tensor][]graph.NodeID // while nodes are looked for that stand for several
	ints    map[string]string               // lists of integers to their initializers
	domains map[string]int64
	// functions that opaque nodes call, and their order
	functions map[function]*onnxpb.FunctionProto
	order     []function

	nodes []*onnxpb.NodeProto
	inits []*onnxpb.TensorProto
	infos []*onnxpb.ValueInfoProto
}

func newExporter(m *model.Model) *exporter {
	g := m.Graph
	e := &exporter{m: m, g: g, names: newNames(), name: map[graph.Tensor]string{}, uses: map[graph.Tensor]int{},
		covered: make([]bool, g.Len()+1), as: map[graph.NodeID]func(){}, truths: map[graph.NodeID]string{}, chosen: map[graph.NodeID]int{}, omitted: map[graph.NodeID]bool{}, stored: map[graph.NodeID][]int{}, compact: map[graph.NodeID]*compact{}, ints: map[string]string{}, domains: map[string]int64{},
		functions: map[function]*onnxpb.FunctionProto{}}
	e.count(g.Operands)
	return e
}

// count counts uses, from what each node reads.
func (e *exporter) count(reads func(graph.NodeID) []graph.Tensor) {
	clear(e.uses)
	for id := range e.g.Nodes() {
		for _, t := range reads(id) {
			e.uses[t]++
		}
	}
	for _, t := range e.g.Outputs() {
		e.uses[t] += 2 // an output must have a name, so it is never covered
	}
}

// chooseOpset fixes the operator set; opaque nodes must mean in it what they
// meant in theirs.
func (e *exporter) chooseOpset(asked int64) error {
	least := int64(writtenOpset)
	for id := range e.g.Nodes() {
		switch op := e.g.Op(id); {
		case op == nil:
		case op.Name == "gelu":
			least = max(least, geluOpset)
		case op.Name == "ewint" && bitwise[e.function(id)] != "":
			least = max(least, bitwiseOpset)
		}
		for k := range e.g.NumOut(id) {
			least = max(least, typedSince(e.g.DType(id.Out(k))))
		}
	}
	for id := range e.g.Nodes() {
		if _, payload, ok := e.g.Opaque(id); ok {
			o, ok := payload.(*Opaque)
			if !ok {
				return e.fail(id, errors.New("it is opaque, and not a node of ONNX"))
			}
			if least < o.Opset {
				least = o.Opset
			}
		}
	}
	e.opset = max(least, asked)
	if asked != 0 && asked < least || asked > newestOpset {
		return fmt.Errorf("write model: operator set %d, but the model needs %d to %d", asked, least, newestOpset)
	}
	for id := range e.g.Nodes() {
		if _, payload, ok := e.g.Opaque(id); ok {
			if err := compatible(payload.(*Opaque), e.opset); err != nil {
				return e.fail(id, err)
			}
		}
	}
	return nil
}

func (e *exporter) fail(id graph.NodeID, err error) error {
	op := ""
	if o := e.g.Op(id); o != nil {
		op = o.Name
	}
	return &Error{Node: fmt.Sprintf("node %q", clip(e.g.Name(id))), Op: op, Err: err}
}

// changed are the operator sets in which an operator's inputs or attributes
// took another form or meaning, or in which it was given up. Opaque nodes before and after do not mix.
var changed = map[string][]int64{
	"PRelu": {7}, "Cast": {6}, "Concat": {4}, "Tile": {6},
	"LSTM": {7}, "GRU": {3, 7}, "RNN": {7}, "Scan": {9}, "Scatter": {11}, "RoiAlign": {16}, "GridSample": {20}, "DFT": {20},
	"BatchNormalization": {9, 14}, "Clip": {11}, "Dropout": {7, 12}, "Hardmax": {13}, "LogSoftmax": {13}, "Pad": {11},
	"Resize": {11}, "Slice": {10}, "Softmax": {13}, "Split": {13}, "Squeeze": {13}, "TopK": {10}, "Unsqueeze": {13},
	"Upsample": {9, 10}, "GroupNormalization": {21}, "ReduceSum": {13}, "ReduceMax": {18}, "ReduceMin": {18},
	"ReduceMean": {18}, "ReduceProd": {18}, "ReduceL1": {18}, "ReduceL2": {18}, "ReduceLogSum": {18},
	"ReduceLogSumExp": {18}, "ReduceSumSquare": {18},
}

// placed are the operators that took the axis of their second operand from an
// attribute before operator set 7.
var placed = []string{"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less"}

// compatible reports why a node cannot stand in a model of another operator set.
func compatible(o *Opaque, opset int64) error {
	if o.Opset == 0 || o.Opset == opset {
		return nil
	}
	return must.Try(func() {
		if o.Irregular {
			must.Failf("it is opaque, and not as ONNX defines %s in operator set %d: what it means in the %d that is written is not known", opName(o.Node), o.Opset, opset)
		}
		eachOf(o.Node, func(n *onnxpb.NodeProto) {
			if formOf(n, o.Opset) < formOf(n, opset) {
				must.Failf("it is opaque and of operator set %d; in the %d that is written, %s has another form", o.Opset, opset, opName(n))
			}
		})
	})
}

// formOf numbers the forms of a node's operator: how often it has changed up to an
// operator set, and whether it is there at all.
func formOf(n *onnxpb.NodeProto, opset int64) (form byte) {
	if !defaultDomain(n.GetDomain()) {
		return 0 // its domain has operator sets of its own
	}
	if o := operatorOf(n); o != nil && o.at(opset) != nil {
		form++
	}
	sets := changed[n.GetOpType()]
	if slices.ContainsFunc(n.GetAttribute(), func(a *onnxpb.AttributeProto) bool {
		return a.GetName() == "broadcast" || a.GetName() == "axis" && slices.Contains(placed, n.GetOpType())
	}) {
		sets = append(slices.Clone(sets), 7) // from where on operands broadcast without being told
	}
	for _, v := range sets {
		if v <= opset {
			form++
		}
	}
	return form
}

func (e *exporter) model(data io.Writer, location string) (*onnxpb.ModelProto, error) {
	g := e.g
	for _, id := range g.Inputs() {
		e.names.claim(g.Name(id))
		e.name[id.Out(0)] = g.Name(id)
	}
	for _, t := range g.Outputs() {
		if _, ok := e.name[t]; !ok {
			e.name[t] = e.names.unique(e.wanted(t))
		}
	}
	if err := must.Try(func() { e.cover(); e.choices() }); err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	p := &onnxpb.GraphProto{Name: proto.String(e.m.Name)}
	var off int64
	for _, id := range g.Inputs() {
		t := id.Out(0)
		if !g.IsWeight(id) {
			p.Input = append(p.Input, valueInfo(g.Name(id), g.Type(t)))
			if w := e.m.Standard[g.Name(id)]; w != nil {
				raw, err := w.Read()
				if err != nil {
					return nil, e.fail(id, err)
				}
				standard := tensorProto(g.Name(id), g.Type(t))
				standard.RawData = pack(w.DType, raw)
				p.Initializer = append(p.Initializer, standard)
			}
			continue
		}
		if e.omitted[id] {
			continue
		}
		raw, err := e.m.Weights[id].Read()
		if err != nil {
			return nil, e.fail(id, err)
		}
		typ := g.Type(t)
		if sizes, ok := e.stored[id]; ok {
			typ.Sizes = sizes
		}
		c := e.compact[id]
		if c != nil {
			typ.Sizes, raw = c.sizes, c.raw
		}
		raw = pack(typ.DType, raw)
		w := tensorProto(g.Name(id), typ)
		if c != nil {
			w.DocString = proto.String(note + c.note)
		}
		if data != nil && len(raw) >= externalMin {
			if _, err := data.Write(raw); err != nil {
				return nil, err
			}
			w.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
			w.ExternalData = []*onnxpb.StringStringEntryProto{
				entry("location", location), entry("offset", fmt.Sprint(off)), entry("length", fmt.Sprint(len(raw))),
			}
			off += int64(len(raw))
		} else {
			w.RawData = raw
		}
		p.Initializer = append(p.Initializer, w)
	}
	for id := range g.Nodes() {
		if g.Op(id) == nil || e.covered[id] {
			continue
		}
		if err := must.Try(func() { e.node(id) }); err != nil {
			return nil, e.fail(id, err)
		}
	}
	seen := map[string]bool{}
	for _, t := range g.Outputs() {
		name := e.name[t]
		// An output that is an input, or an output twice, needs a node.
		if g.Op(t.Node) == nil || seen[name] {
			from := name
			name = e.names.unique(name + "_out")
			e.emit("Identity", []string{from}, name)
		}
		seen[name] = true
		p.Output = append(p.Output, valueInfo(name, g.Type(t)))
	}
	p.Node, p.ValueInfo = e.nodes, e.infos
	p.Initializer = append(p.Initializer, e.inits...)
	out := &onnxpb.ModelProto{
		IrVersion:    proto.Int64(irVersion(e.opset)),
		ProducerName: proto.String(producer),
		Graph:        p,
		OpsetImport:  []*onnxpb.OperatorSetIdProto{{Domain: proto.String(""), Version: proto.Int64(e.opset)}},
	}
	if e.m.Doc != "" {
		out.DocString = proto.String(e.m.Doc)
	}
	for _, key := range e.order {
		out.Functions = append(out.Functions, e.functions[key])
		if key.overload != "" {
			out.IrVersion = proto.Int64(max(out.GetIrVersion(), 10)) // the first that has overloads
		}
	}
	for _, d := range slices.Sorted(maps.Keys(e.domains)) {
		out.OpsetImport = append(out.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(d), Version: proto.Int64(e.domains[d])})
	}
	return out, nil
}

// irVersion is the version of the file format that came with an operator set.
func irVersion(opset int64) int64 {
	switch {
	case opset >= 25:
		return 13
	case opset >= 24:
		return 12
	case opset >= 23:
		return 11
	case opset >= 21:
		return 10
	case opset >= 19:
		return 9
	}
	return 8
}

// wanted is the name a tensor should have in the file.
func (e *exporter) wanted(t graph.Tensor) string {
	if _, payload, ok := e.g.Opaque(t.Node); ok {
		if o, ok := payload.(*Opaque); ok && int(t.Out) < len(o.Node.Output) && o.Node.Output[t.Out] != "" {
			return o.Node.Output[t.Out]
		}
	}
	if t.Out > 0 {
		return fmt.Sprintf("%s_%d", e.g.Name(t.Node), t.Out)
	}
	return e.g.Name(t.Node)
}

// of is a tensor's name in the file.
func (e *exporter) of(t graph.Tensor) string {
	n, ok := e.name[t]
	if !ok {
		n = e.names.unique(e.wanted(t))
		e.name[t] = n
	}
	return n
}

func (e *exporter) operands(id graph.NodeID) []string {
	var in []string
	for _, t := range e.g.Operands(id) {
		in = append(in, e.of(t))
	}
	return in
}

// emit adds a node with one output.
func (e *exporter) emit(op string, in []string, out string, a ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	n := &onnxpb.NodeProto{OpType: proto.String(op), Name: proto.String(out), Input: in, Output: []string{out}, Attribute: a}
	e.nodes = append(e.nodes, n)
	return n
}

// mark adds a note to a node.
func mark(n *onnxpb.NodeProto, text string) { n.DocString = proto.String(note + text) }

// fresh is a name for a value between the nodes of one operator.
func (e *exporter) fresh(id graph.NodeID, what string) string {
	return e.names.unique(e.g.Name(id) + "/" + what)
}

// intList is an initializer that holds integers; equal lists share one.
func (e *exporter) intList(xs ...int) string {
	key := fmt.Sprint(xs)
	if n, ok := e.ints[key]; ok {
		return n
	}
	return e.shared(key, "ints", intConstant(xs...))
}

// number is an initializer of one number, of type t.
func (e *exporter) number(t graph.DType, x float64) string {
	key := t.String() + graph.FormatNumber(x)
	if n, ok := e.ints[key]; ok {
		return n
	}
	k := &constant{dtype: t, floats: []float64{x}}
	if !t.IsFloat() {
		k = &constant{dtype: t, ints: []int64{int64(x)}}
	}
	return e.shared(key, "number", k)
}

// noNumbers is an initializer without elements, for an input that stands for nothing.
func (e *exporter) noNumbers() string {
	if n, ok := e.ints["none"]; ok {
		return n
	}
	return e.shared("none", "none", &constant{dtype: graph.Float32, sizes: []int{0}})
}

// shared is an initializer that is found again by its key.
func (e *exporter) shared(key, name string, k *constant) string {
	w := e.initializer(e.names.unique(name), graph.TensorType{DType: k.dtype, Sizes: k.sizes}, k.encode())
	e.ints[key] = w.GetName()
	return w.GetName()
}

func (e *exporter) initializer(name string, t graph.TensorType, raw []byte) *onnxpb.TensorProto {
	w := tensorProto(name, t)
	w.RawData = pack(t.DType, raw)
	e.inits = append(e.inits, w)
	return w
}

func entry(k, v string) *onnxpb.StringStringEntryProto {
	return &onnxpb.StringStringEntryProto{Key: proto.String(k), Value: proto.String(v)}
}

func tensorProto(name string, t graph.TensorType) *onnxpb.TensorProto {
	p := &onnxpb.TensorProto{Name: proto.String(name), DataType: proto.Int32(int32(elemOf(t.DType)))}
	for _, n := range t.Sizes {
		p.Dims = append(p.Dims, int64(n))
	}
	return p
}

func valueInfo(name string, t graph.TensorType) *onnxpb.ValueInfoProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, n := range t.Sizes {
		shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(n)}})
	}
	return &onnxpb.ValueInfoProto{Name: proto.String(name), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{
		TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(elemOf(t.DType))), Shape: shape},
	}}}
}

func intAttribute(name string, x int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(x)}
}

func floatAttribute(name string, x float64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_FLOAT.Enum(), F: proto.Float32(float32(x))}
}

func textAttribute(name, s string) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_STRING.Enum(), S: []byte(s)}
}

func intsAttribute[T int | int64](name string, xs ...T) *onnxpb.AttributeProto {
	a := &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INTS.Enum()}
	for _, x := range xs {
		a.Ints = append(a.Ints, int64(x))
	}
	return a
}
