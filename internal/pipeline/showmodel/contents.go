package showmodel

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/parallel"
)

// Contents is what is in a model.
type Contents struct {
	Name     string `json:"name"`
	Doc      string `json:"doc,omitempty"`
	Producer string `json:"producer,omitempty"`
	// Opset is the version of ONNX's operator set, 0 if the model is no file.
	Opset   int64    `json:"opset,omitempty"`
	Inputs  []Tensor `json:"inputs"`
	Outputs []Tensor `json:"outputs"`
	// Open are the sizes of inputs that the file leaves open.
	Open []OpenSize `json:"open,omitempty"`
	// Dynamic are the sizes that stay variables.
	Dynamic   []graph.SizeVar `json:"dynamic,omitempty"`
	Operators []Operator      `json:"operators"` // most work first
	Weights   int             `json:"weights"`   // tensors
	Params    int64           `json:"params"`    // elements of all weights
	// Filled is the number of weights that the file makes of one number, which are not
	// among Weights.
	Filled int   `json:"filled,omitempty"`
	FLOPs  int64 `json:"flops"` // of one run
	// Folded is the number of nodes that were computed while reading.
	Folded int `json:"folded"`
	// Fused are operators that the file spells out in smaller ones.
	Fused map[string]int `json:"fused,omitempty"`
	// Opaque are the nodes that are kept as they are.
	Opaque []Opaque `json:"opaque,omitempty"`
	// Defaults are the inputs that are taken to be constants, as the file gives them a
	// default; Warnings are what else contradicts in the file or was assumed.
	Defaults []string `json:"defaults,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Nodes are the operator applications, operands before users.
	Nodes []Node `json:"nodes,omitempty"`

	// Devices is the number of devices over which the graph is laid out, 0: it is not;
	// Findings are the places where roles do not fit.
	Devices  int      `json:"devices,omitempty"`
	Findings []string `json:"findings,omitempty"`

	model *model.Model
	laid  *parallel.PCG                         // nil: it is not laid out
	sent  map[graph.NodeID]*parallel.Collective // by the nodes that send
	fixed []bool                                // by node: a weight, or depends on weights only
	index map[graph.NodeID]int
}

// Tensor is an input or an output, or an operand or a result of a node.
type Tensor struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Sizes []int  `json:"sizes"`
	// Shape has variables for dynamic sizes: batch×sequence×384; "": Sizes are fixed. With
	// variables, Sizes are those at which the graph is made.
	Shape string `json:"shape,omitempty"`
}

// SizesText is the shape in words: "1×3×224×224", "batch×384", or "scalar".
func (t Tensor) SizesText() string { return cmp.Or(t.Shape, sizesText(t.Sizes)) }

// shapeText is a shape with variables; "" for fixed sizes.
func shapeText(s graph.Shape) string {
	if _, fixed := s.Concrete(); fixed {
		return ""
	}
	parts := make([]string, len(s))
	for i, it := range s {
		parts[i] = dimText(it.Dim)
	}
	return strings.Join(parts, "×")
}

// maxDimText is the longest text of a size in a table.
const maxDimText = 30

// dimText is a size in words, such as 2*batch. A long one with quotients is printed as a function
// of its variables, such as f(width).
func dimText(d graph.Dim) string {
	windows, of := false, map[string]bool{}
	d.Walk(func(a graph.Atom) {
		windows = windows || a.Kind == graph.AtomFunc
		if a.Kind == graph.AtomVar {
			of[a.Name] = true
		}
	})
	if text := d.Words(); !windows || len(text) <= maxDimText {
		return text
	}
	return "f(" + strings.Join(slices.Sorted(maps.Keys(of)), ", ") + ")"
}

// OpenSize is the size that was given for one that the file leaves open.
type OpenSize struct {
	Input string `json:"input"`
	Axis  int    `json:"axis"`
	Dim   string `json:"dim,omitempty"` // its name in the file
	Size  int    `json:"size"`
	// Assumed: it is a batch, and 1 because nobody gave it.
	Assumed bool `json:"assumed,omitempty"`
}

// Opaque is a node that is kept as it is, and why.
type Opaque struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

// Operator is the sum over the nodes of one operator.
type Operator struct {
	Op     string `json:"op"` // "opaque KIND" for nodes that are kept as they are
	Nodes  int    `json:"nodes"`
	Params int64  `json:"params"`
	FLOPs  int64  `json:"flops"`
	Bytes  int64  `json:"bytes"` // read and written
	// Results is the number of different types of results, Largest the sizes of
	// the one with most elements.
	Results int   `json:"results"`
	Largest []int `json:"largest"`
	// Seconds is the sum of the known times, of Timed nodes.
	Seconds cost.Seconds `json:"seconds,omitempty"`
	Timed   int          `json:"timed,omitempty"`
}

// Node is one operator application.
type Node struct {
	ID     graph.NodeID `json:"id"`
	Name   string       `json:"name"`
	Op     string       `json:"op"`
	Attrs  string       `json:"attrs,omitempty"` // those that differ from their default
	In     []Tensor     `json:"in"`
	Out    []Tensor     `json:"out"`
	Params int64        `json:"params"`
	FLOPs  int64        `json:"flops"`
	Bytes  int64        `json:"bytes"`
	// Fixed: it depends on weights only and is computed before the first run.
	Fixed bool `json:"fixed,omitempty"`
	// Opaque is why the node is kept as it is, "" for one that is not.
	Opaque string `json:"opaque,omitempty"`
	// Seconds is the time of the node by itself, 0 if there is none; Source says
	// where it comes from.
	Seconds cost.Seconds `json:"seconds,omitempty"`
	Source  string       `json:"source,omitempty"`
}

// Describe lists the contents of a model. The report is that of the reader, nil
// for a model that is no file.
func Describe(m *model.Model, rep *onnx.Report) *Contents {
	g := m.Graph
	c := &Contents{Name: m.Name, Doc: m.Doc, Producer: m.Producer, Weights: len(m.Weights), Params: m.Params(), FLOPs: m.FLOPs(),
		Inputs: []Tensor{}, Outputs: []Tensor{}, Operators: []Operator{}, model: m, index: map[graph.NodeID]int{}}
	why := map[string]string{}
	if rep != nil {
		c.Opset, c.Folded, c.Fused = rep.Opset, rep.Folded, rep.Fused
		c.Defaults, c.Warnings = rep.Defaults, rep.Warnings
		for _, o := range rep.Opaque {
			c.Opaque = append(c.Opaque, Opaque{o.Name, o.Op, o.Reason})
			why[o.Output] = o.Reason
		}
		for _, o := range rep.Open {
			c.Open = append(c.Open, OpenSize(o))
		}
	}
	c.Dynamic = g.Sizing().Vars()
	for _, id := range m.Inputs() {
		c.Inputs = append(c.Inputs, c.tensor(id.Out(0)))
	}
	for _, t := range g.Outputs() {
		c.Outputs = append(c.Outputs, c.tensor(t))
	}
	c.fixed = lower.Fixed(g)
	for _, id := range g.Inputs() {
		c.fixed[id] = g.IsWeight(id)
	}
	params := c.params(m.Filled)
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil {
			continue
		}
		w := g.WorkOf(id)
		n := Node{ID: id, Name: g.Name(id), Op: op.Name, Attrs: op.FormatAttrs(g.OpenAttrs(id)), Params: params[id],
			FLOPs: w.FLOPs, Bytes: w.BytesRead + w.BytesWrite, Fixed: c.fixed[id], In: []Tensor{}}
		if kind, _, ok := g.Opaque(id); ok {
			n.Op, n.Attrs, n.Opaque = "opaque "+kind, "", cmp.Or(why[n.Name], "there is no lowering for it")
		}
		for _, t := range g.Operands(id) {
			n.In = append(n.In, c.tensor(t))
		}
		for i := range g.NumOut(id) {
			n.Out = append(n.Out, c.tensor(id.Out(i)))
		}
		c.index[id] = len(c.Nodes)
		c.Nodes = append(c.Nodes, n)
	}
	c.sum()
	return c
}

// sizesText is "1×3×224×224", or "scalar".
func sizesText(sizes []int) string {
	if len(sizes) == 0 {
		return "scalar"
	}
	parts := make([]string, len(sizes))
	for i, n := range sizes {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, "×")
}

func (c *Contents) tensor(t graph.Tensor) Tensor {
	g := c.model.Graph
	name := g.Name(t.Node)
	if g.NumOut(t.Node) > 1 {
		name += "." + strconv.Itoa(int(t.Out))
	}
	return Tensor{name, g.DType(t).String(), append([]int{}, g.Sizes(t)...), shapeText(g.Shape(t))}
}

// params gives the elements of each weight to the first node that reads it and
// is not fixed, and to a fixed node if there is none. filled are the elements of nodes
// that are weights made of one number; they count as weights.
func (c *Contents) params(filled map[string]int64) map[graph.NodeID]int64 {
	g := c.model.Graph
	out := map[graph.NodeID]int64{}
	seen := make([]bool, g.Len()+1)
	var collect func(id graph.NodeID) int64
	collect = func(id graph.NodeID) int64 {
		if seen[id] || !c.fixed[id] {
			return 0
		}
		seen[id] = true
		if n := filled[g.Name(id)]; n > 0 && g.Op(id) != nil {
			c.Filled++
			for _, t := range g.Operands(id) {
				if g.IsWeight(t.Node) && !seen[t.Node] {
					seen[t.Node] = true // the number itself counts no more
				}
			}
			return n
		}
		if g.IsWeight(id) {
			return int64(graph.NumElements(g.Sizes(id.Out(0))))
		}
		var sum int64
		for _, t := range g.Operands(id) {
			sum += collect(t.Node)
		}
		return sum
	}
	for _, fixed := range []bool{false, true} {
		for id := range g.Nodes() {
			if g.Op(id) == nil || c.fixed[id] != fixed || seen[id] {
				continue
			}
			for _, t := range g.Operands(id) {
				out[id] += collect(t.Node)
			}
		}
	}
	return out
}

// sum fills in the operators.
func (c *Contents) sum() {
	c.Operators = c.Operators[:0]
	at := map[string]int{}
	type result struct {
		op, typ string
	}
	seen := map[result]bool{}
	largest := map[string]int64{}
	for _, n := range c.Nodes {
		i, ok := at[n.Op]
		if !ok {
			i = len(c.Operators)
			at[n.Op] = i
			c.Operators = append(c.Operators, Operator{Op: n.Op, Largest: []int{}})
		}
		o := &c.Operators[i]
		o.Nodes++
		o.Params += n.Params
		o.FLOPs += n.FLOPs
		o.Bytes += n.Bytes
		if n.Source != "" && !n.Fixed {
			o.Seconds += n.Seconds
			o.Timed++
		}
		for _, t := range n.Out {
			if r := (result{n.Op, t.Type + sizesText(t.Sizes)}); !seen[r] {
				seen[r] = true
				o.Results++
			}
			if e, most := int64(graph.NumElements(t.Sizes)), largest[n.Op]; o.Results == 1 || e > most {
				largest[n.Op], o.Largest = e, t.Sizes
			}
		}
	}
	slices.SortFunc(c.Operators, func(a, b Operator) int {
		return cmp.Or(cmp.Compare(b.FLOPs, a.FLOPs), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Op, b.Op))
	})
}

// AddLayouts adds to pictures and pages how the graph is laid out over devices and what it
// sends. The layout is one of the model's graph.
func (c *Contents) AddLayouts(p *parallel.PCG) {
	c.laid, c.sent = p, map[graph.NodeID]*parallel.Collective{}
	c.Devices = p.Devices()
	for _, f := range p.Findings {
		c.Findings = append(c.Findings, f.Text)
	}
	for i := range p.Collectives {
		for _, id := range p.Collectives[i].Nodes {
			c.sent[id] = &p.Collectives[i]
		}
	}
}

// layout is how a tensor lies on the mesh, "" where it is whole.
func (c *Contents) layout(t graph.Tensor) string {
	if c.laid == nil {
		return ""
	}
	return c.laid.LayoutText(c.laid.Layout(t))
}

// sends says what a node sends, "" if nothing.
func (c *Contents) sends(id graph.NodeID) string {
	s := c.sent[id]
	if s == nil || s.Total == 0 {
		return ""
	}
	return s.Kind.String() + ", " + strconv.FormatInt(s.Total, 10) + " bytes"
}

// line is the class of the lines that leave a node.
func (c *Contents) line(id graph.NodeID) string {
	if s := c.sent[id]; s != nil && s.Total > 0 {
		return draw.Activity(s.Kind.String())
	}
	return ""
}

// DOT is the graph for Graphviz, with layouts and colours of what is sent.
func (c *Contents) DOT() string {
	if c.laid == nil {
		return c.model.Graph.DOT()
	}
	return c.model.Graph.DOTWith(func(t graph.Tensor) (label, colour string) {
		if line := c.line(t.Node); line != "" {
			colour = draw.LineColour(line)
		}
		return c.layout(t), colour
	})
}

// AddTimes fills in the time of each node by a cost model, where it has one,
// and returns the number of nodes without a time.
func (c *Contents) AddTimes(m cost.Model) (missing int) {
	g := c.model.Graph
	for i := range c.Nodes {
		n := &c.Nodes[i]
		s, from, err := m.Cost(cost.At(g, n.ID))
		if err != nil || !s.Valid() {
			missing++
			continue
		}
		n.Seconds, n.Source = s, from.String()
	}
	c.sum()
	return missing
}
