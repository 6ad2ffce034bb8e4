package genrules

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/pipeline/weightfacts"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
)

// ForModel is the part of a report about the model that rules are generated for.
type ForModel struct {
	Name      string          `json:"name"`
	Operators []ModelOperator `json:"operators"`
	// Machine is the machine whose formula models costs, kernels being fused as taso optimize does
	// for a CPU.
	Machine string `json:"machine"`
	// Cost is the modelled cost of the model in seconds.
	Cost float64 `json:"modelled_cost_seconds"`
	// Rules are what the rules save in the model, in the order of the rule set.
	Rules []Saving `json:"rules"`

	net     *bank.Bank
	machine *cost.Machine
}

// ModelOperator is an operator of a model, and what is enumerated for it.
type ModelOperator struct {
	Operator string `json:"operator"`
	Nodes    int    `json:"nodes"`
	// Enumerated is the member of Options.Ops that stands for it; "": none.
	Enumerated string `json:"enumerated,omitempty"`
	// Reason is why it is not enumerated; "": it is.
	Reason string `json:"reason,omitempty"`
}

// mostWindows is how many different windows of an operator are enumerated, those of most nodes.
const mostWindows = 6

// Case sizes of windows: a kernel is as in the case, or 1.
const caseWindow = 3

// companions are operators that a rule writes in the place of others, by the operators that a
// model must have.
var companions = []struct {
	have []string
	add  []string
}{
	{[]string{"matmul"}, []string{"concat", "split"}},
	{[]string{"linear"}, []string{"concat", "split"}},
	{[]string{"conv2d"}, []string{"concat", "split", "enlarge"}},
	{[]string{"conv2d_relu"}, []string{"concat", "split", "enlarge"}},
	{[]string{"conv2d", "batchnorm"}, []string{"batchnormkernel", "batchnormbias"}},
	{[]string{"conv2d", "scale2d"}, []string{"scalekernel"}},
	{[]string{"concat"}, []string{"split"}},
}

// Choose chooses what is enumerated for a model: its operators with their attributes, the numbers
// that are weights of one number everywhere, and operators that rules write in their place. The
// more are further ones. The bank that it reads the model into is kept in the result, for [Rank].
func Choose(m *model.Model, more []string) (ops []string, forModel *ForModel, err error) {
	known, err := weightfacts.Of(m)
	if err != nil {
		return nil, nil, err
	}
	machine, err := cost.FindMachine(usefulMachine)
	if err != nil {
		return nil, nil, err
	}
	net, _, err := bank.FromReal(m.Graph, nil, known)
	if err != nil {
		return nil, nil, err
	}
	f := &ForModel{Name: m.Name, Machine: usefulMachine, net: net, machine: machine}
	t, err := f.trail(&search.Rules{})
	if err != nil {
		return nil, nil, err
	}
	f.Cost = float64(t.Price.Cost()) * cost.Picosecond
	c := chooser{net: net, seq: isSequence(net)}
	net.Nodes(func(n bank.Node) bool {
		if !net.Fixed(n) {
			c.put(c.choose(n))
			c.constants(n)
		}
		return true
	})
	f.Operators = c.listed()
	have := map[string]bool{}
	for _, o := range f.Operators {
		if o.Enumerated != "" && !slices.Contains(ops, o.Enumerated) {
			ops = append(ops, o.Enumerated)
			name, _, _ := strings.Cut(o.Enumerated, "[")
			have[name] = true
		}
	}
	// A convolution with an activation takes the place of one and the activation.
	if have["relu"] {
		for _, text := range slices.Clone(ops) {
			if rest, ok := strings.CutPrefix(text, "conv2d["); ok && !slices.Contains(ops, "conv2d_relu["+rest) {
				ops = append(ops, "conv2d_relu["+rest)
			}
		}
	}
	for _, co := range companions {
		if !slices.ContainsFunc(co.have, func(name string) bool { return !have[name] }) {
			for _, name := range co.add {
				if !slices.Contains(ops, name) {
					ops = append(ops, name)
				}
				have[name] = true
			}
		}
	}
	if len(ops) == 0 {
		var why strings.Builder
		for _, o := range f.Operators[:min(3, len(f.Operators))] {
			fmt.Fprintf(&why, "; %s: %s", o.Operator, o.Reason)
		}
		return nil, nil, fmt.Errorf("%s: no operator of the model can be enumerated%s", m.Name, &why)
	}
	ops = append(ops, more...)
	slices.Sort(ops)
	ops = slices.Compact(ops)
	return ops, f, nil
}

// chooser looks at the nodes of a model.
type chooser struct {
	net   *bank.Bank
	seq   bool // the model works on sequences
	found []ModelOperator
}

// isSequence reports whether a model multiplies batches of matrices, or normalizes layers.
func isSequence(net *bank.Bank) (seq bool) {
	net.Nodes(func(n bank.Node) bool {
		switch o := net.Op(n); {
		case net.Fixed(n):
		case o.Name == "layernorm":
			seq = true
		case o.Name == "matmul":
			seq = seq || len(net.Type(net.Out(n, 0)).Sizes) > 2
		}
		return !seq
	})
	return seq
}

func (c *chooser) put(o ModelOperator) {
	for i := range c.found {
		if p := &c.found[i]; p.Operator == o.Operator && p.Enumerated == o.Enumerated && p.Reason == o.Reason {
			p.Nodes++
			return
		}
	}
	o.Nodes = 1
	c.found = append(c.found, o)
}

// listed are the operators by number of nodes, those that are enumerated first. Of many windows
// of one operator those of the most nodes are enumerated.
func (c *chooser) listed() []ModelOperator {
	byNodes := func(a, b ModelOperator) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), strings.Compare(a.Operator, b.Operator), strings.Compare(a.Enumerated, b.Enumerated))
	}
	slices.SortFunc(c.found, byNodes)
	items := map[string][]string{}
	for i := range c.found {
		o := &c.found[i]
		name, _, with := strings.Cut(o.Enumerated, "[")
		switch {
		case !with || slices.Contains(items[name], o.Enumerated):
		case len(items[name]) < mostWindows:
			items[name] = append(items[name], o.Enumerated)
		default:
			o.Enumerated, o.Reason = "", fmt.Sprintf("%d more frequent ones are", mostWindows)
		}
	}
	slices.SortStableFunc(c.found, func(a, b ModelOperator) int {
		rank := func(o ModelOperator) int {
			if o.Reason != "" {
				return 1
			}
			return 0
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return c.found
}

// choose says what is enumerated for a node.
func (c *chooser) choose(n bank.Node) ModelOperator {
	net := c.net
	o, attrs := net.Op(n), net.Attrs(n)
	r := ModelOperator{Operator: o.Name}
	not := func(format string, args ...any) ModelOperator {
		r.Reason = fmt.Sprintf(format, args...)
		return r
	}
	out := net.Type(net.Out(n, 0))
	if o.Out > 1 && o.Name != "split" {
		return not("it has %d results, operators of one are enumerated", o.Out)
	}
	for _, t := range append(slices.Clone(net.Operands(n)), net.Out(n, 0)) {
		if ty := net.Type(t); !ty.DType.IsFloat() && o.Name != "gather" {
			return not("it has operands or results of type %s; real numbers are enumerated", ty.DType)
		}
	}
	if _, ok := graph.Lookup(o.Name); !ok {
		return not("its meaning is not known")
	}
	if o.In > 2 && o.Name != "batchnorm" && o.Name != "layernorm" {
		return not("it has %d operands, at most 2 are enumerated", o.In)
	}
	rank := len(out.Sizes)
	item := func(name string) ModelOperator {
		r.Enumerated = name
		return r
	}
	switch o.Name {
	case "conv2d", "poolmax", "poolavg":
		return c.window(n, r)
	case "matmul":
		if x := net.Type(net.Operand(n, 0)).Sizes; len(x) > 2 {
			if from, ok := c.repeated(net.Operand(n, 1)); ok && len(from) == 2 {
				return item("linear")
			}
		}
		return item("matmul")
	case "ewadd", "ewmul":
		return item(c.repeating(n))
	case "broadcast":
		return not("only as a part of bias, scale, mask and linear")
	case "reshape":
		if !c.seq {
			return not("it is for models of sequences only")
		}
		return item("reshape")
	case "batchnorm":
		if rank == 4 {
			return item(o.Name)
		}
		return not("it has %d axes; images are enumerated", rank)
	case "layernorm":
		if rank >= 2 {
			return item(o.Name)
		}
	case "concat", "split":
		most := 2
		if c.seq {
			most = 3
		}
		if axis := number64(attrs[0]); axis >= int64(most) {
			return not("it is along axis %d; axes 0 to %d are enumerated", axis, most-1)
		}
		return item(o.Name)
	case "one", "fill":
		return item(o.Name)
	case "transpose":
		if rank == 2 || c.seq && rank <= 4 {
			if rank == 2 || slices.Contains(sequencePerms, attrs[0].String()) {
				return item(o.Name)
			}
		}
	case "softmax":
		if int(number64(attrs[0])) == rank-1 && (rank == 2 || c.seq) {
			return item(o.Name)
		}
	case "gather":
		if !net.Type(net.Operand(n, 1)).DType.IsFloat() {
			return not("its positions are integers; operators of numbers are enumerated")
		}
	}
	if len(o.Params) == 0 && slices.Contains(enumerate.OperatorNames(), o.Name) {
		return item(o.Name)
	}
	text := withAttrs(o, attrs, nil)
	r.Operator = text
	if _, err := enumerate.New([]string{text}); err != nil {
		_, why, _ := strings.Cut(err.Error(), "\": ")
		return not("%s", cmp.Or(why, err.Error()))
	}
	return item(text)
}

// sequencePerms are the permutations that the family of transpositions has.
var sequencePerms = []string{"(0, 2, 1)", "(0, 2, 1, 3)", "(0, 1, 3, 2)", "(0, 2, 3, 1)"}

func number64(v graph.Value) int64 {
	d, _ := v.Dim()
	n, _ := d.Const()
	return n
}

// withAttrs writes an operator with its attributes, but for defaults and those of skip.
func withAttrs(o *graph.Op, attrs graph.Attrs, skip []string) string {
	var parts []string
	for i, p := range o.Params {
		if attrs[i] != p.Default && !slices.Contains(skip, p.Name) {
			parts = append(parts, p.Name+"="+attrs[i].String())
		}
	}
	return o.Name + "[" + strings.Join(parts, ", ") + "]"
}

// window chooses a convolution or pool: its kernel becomes one of the case, its padding that of
// such a kernel.
func (c *chooser) window(n bank.Node, r ModelOperator) ModelOperator {
	net := c.net
	o, attrs := net.Op(n), slices.Clone(net.Attrs(n))
	var kernel []int
	conv := o.Name == "conv2d"
	if conv {
		sizes := net.Type(net.Operand(n, 1)).Sizes
		kernel = sizes[2:]
		if act, _ := attrs[o.ParamIndex("act")].Name(); act != "none" && act != "relu" {
			r.Operator = withAttrs(o, attrs, nil)
			r.Reason = "it has an activation that is enumerated as an operator of its own"
			return r
		}
		if g := o.ParamIndex("groups"); attrs[g] != graph.IntValue(1) {
			attrs[g] = graph.IntValue(2)
		}
	} else {
		kernel = []int{int(number64(attrs[0])), int(number64(attrs[1]))}
	}
	inCase := make([]int, 2)
	for i, k := range kernel {
		inCase[i] = caseWindow
		if k == 1 {
			inCase[i] = 1
		}
	}
	p := o.ParamIndex("pad")
	if pads, ok := attrs[p].Tuple(); ok {
		to := make([]int64, len(pads))
		for i, n := range pads {
			k, ck := int64(kernel[i%2]), int64(inCase[i%2])
			if to[i] = min(n, ck-1); n == (k-1)/2 {
				to[i] = (ck - 1) / 2
			}
		}
		attrs[p] = graph.TupleValue(to...)
		if !slices.ContainsFunc(to, func(n int64) bool { return n != 0 }) {
			attrs[p] = graph.NameValue(graph.Valid)
		}
	}
	r.Operator = withAttrs(o, net.Attrs(n), nil)
	if !conv {
		// Kernels of pools are variables in rules.
		attrs[0], attrs[1] = graph.IntValue(int64(inCase[0])), graph.IntValue(int64(inCase[1]))
		r.Enumerated = withAttrs(o, attrs, nil)
		return r
	}
	r.Operator += fmt.Sprintf(" %dx%d", kernel[0], kernel[1])
	text := withAttrs(o, attrs, []string{"act"})
	if act, _ := attrs[o.ParamIndex("act")].Name(); act == "relu" {
		text = "conv2d_relu" + strings.TrimPrefix(text, "conv2d")
	}
	r.Enumerated = fmt.Sprintf("%s %dx%d", text, inCase[0], inCase[1])
	return r
}

// repeated are the sizes of what a tensor is a repetition of; not ok: it is none.
func (c *chooser) repeated(t bank.Tensor) (from []int, ok bool) {
	n, _ := c.net.NodeOf(t)
	if o := c.net.Op(n); o == nil || o.Name != "broadcast" {
		return nil, false
	}
	return c.net.Type(c.net.Operand(n, 0)).Sizes, true
}

// repeating chooses a sum or product: one with an operand that is repeated is a bias, a scale or a
// mask.
func (c *chooser) repeating(n bank.Node) string {
	name := c.net.Op(n).Name
	out := c.net.Type(c.net.Out(n, 0)).Sizes
	rank := len(out)
	as := func(add, mul string) string {
		if name == "ewadd" {
			return add
		}
		return mul
	}
	for _, t := range c.net.Operands(n) {
		from, ok := c.repeated(t)
		if !ok {
			continue
		}
		for len(from) > 1 && from[0] == 1 { // axes in front change nothing
			from = from[1:]
		}
		switch {
		case c.seq && len(from) == 1 && rank >= 2 && from[0] == out[rank-1] && from[0] > 1:
			return as("bias", "scale")
		case len(from) == 3 && rank == 4 && from[0] == out[1] && from[1] == 1 && from[2] == 1:
			return as("bias2d", "scale2d")
		case c.seq && len(from) == 2 && rank >= 3 && name == "ewadd" && slices.Equal(from, out[rank-2:]):
			return "mask"
		}
	}
	return name
}

// constants puts the numbers that a node reads.
func (c *chooser) constants(n bank.Node) {
	for _, t := range c.net.Operands(n) {
		x, _ := c.net.NodeOf(t)
		o := c.net.Op(x)
		if o == nil || !c.net.Fixed(x) || o.Name != "one" && o.Name != "fill" {
			continue
		}
		r := ModelOperator{Operator: o.Name, Enumerated: o.Name}
		if o.Name == "fill" {
			attrs := slices.Clone(c.net.Attrs(x))
			attrs[0] = graph.ShapeValue(graph.Sizes(2, 3))
			if len(c.net.Type(t).Sizes) == 4 {
				attrs[0] = graph.ShapeValue(graph.Sizes(1, 2, 4, 5))
			}
			r.Operator = withAttrs(o, c.net.Attrs(x), []string{"shape"})
			r.Enumerated = withAttrs(o, attrs, nil)
		}
		c.put(r)
	}
}

// RunFor generates rules over Options.Ops, which [Choose] chose for a model, and ranks them by what
// they save there: see [Rank].
func RunFor(ctx context.Context, opt Options, f *ForModel) (*Report, error) {
	rep, err := Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	rep.Model = f
	if ctx.Err() == nil {
		err = Rank(ctx, rep.Set, f)
	}
	return rep, err
}
