package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Loops whose number of rounds is known while reading are read round by round: the
// nodes of the body stand in the graph once for each, with the number of the round a
// constant.

// maxRounds bounds the rounds of a loop.
const maxRounds = 256

// lowerLoop reads a Loop: from M, the condition and what is carried, bodies give the next
// condition, what is carried on, and one element of each list that is gathered.
func lowerLoop(c *call) {
	if len(c.in) < 2 {
		must.Failf("%d inputs, want at least 2", len(c.in))
	}
	carried := slices.Clone(c.in[2:])
	for i, v := range carried {
		if v == nil {
			must.Failf("input %d is missing", i+2)
		}
	}
	g := c.bodyOf(2+len(carried), 1+len(c.outs))
	if len(c.outs) < len(carried) {
		must.Failf("%d outputs for %d carried values", len(c.outs), len(carried))
	}
	rounds := int64(-1)
	if k := c.known(0, "number of rounds"); k != nil {
		rounds = max(0, int64(only(k, "number of rounds")))
	}
	on := true
	if k := c.known(1, "condition"); k != nil {
		on = only(k, "condition") != 0
	}
	gathered := make([][]*value, len(c.outs)-len(carried))
	c.attempt(func() {
		for i := 0; on && int64(i) != rounds; i++ {
			if i == maxRounds {
				must.Do(unsupported("more than %d iterations", maxRounds))
			}
			going := newConstant(graph.Bool)
			going.ints[0] = 1
			outs := c.round(g, append([]*value{valueOf(intScalar(i)), valueOf(going)}, carried...))
			k := must.Get(outs[0].constant())
			if outs[0].list != nil || k == nil {
				must.Do(unsupported("the loop condition is not constant after iteration %d", i+1))
			}
			on = only(k, "condition") != 0
			carried = outs[1 : 1+len(carried)]
			for j := range gathered {
				v := outs[1+len(carried)+j]
				if v.list != nil {
					must.Failf("a loop output is a sequence of tensors")
				}
				gathered[j] = append(gathered[j], c.im.reshapeTo(v, slices.Insert(slices.Clone(v.dims()), 0, graph.Int(1))))
			}
		}
		copy(c.outs, carried)
		for j, parts := range gathered {
			if at := len(carried) + j; c.wanted(at) {
				c.outs[at] = c.im.stacked(0, parts)
			}
		}
	})
}

// lowerScan reads a Scan: from what is carried and slices of inputs, bodies give what is
// carried on, and slices of outputs.
func lowerScan(c *call) {
	n := int(c.int("num_scan_inputs", 0))
	if n < 1 || n > len(c.in) {
		must.Failf("num_scan_inputs %d of %d inputs", n, len(c.in))
	}
	for i, v := range c.in {
		if v == nil {
			must.Failf("input %d is missing", i)
		}
		if v.list != nil {
			must.Failf("input %d is a sequence", i)
		}
	}
	carried, scanned := slices.Clone(c.in[:len(c.in)-n]), c.in[len(c.in)-n:]
	g := c.bodyOf(len(c.in), len(c.outs))
	out := len(c.outs) - len(carried)
	if out < 0 {
		must.Failf("%d outputs for %d carried values", len(c.outs), len(carried))
	}
	axes, outAxes := c.perScan("scan_input_axes", n), c.perScan("scan_output_axes", out)
	back, outBack := c.perScan("scan_input_directions", n), c.perScan("scan_output_directions", out)
	rounds := 0
	for i, v := range scanned {
		axes[i] = axis(axes[i], v.rank())
		if size := numberOf(v.size(axes[i])); i > 0 && size != rounds {
			must.Failf("scan inputs have different lengths, %d and %d", rounds, size)
		} else {
			rounds = size
		}
	}
	if rounds > maxRounds {
		must.Do(unsupported("more than %d iterations", maxRounds))
	}
	gathered := make([][]*value, out)
	c.attempt(func() {
		for i := range rounds {
			in := slices.Clone(carried)
			for j, v := range scanned {
				at := i
				if back[j] != 0 {
					at = rounds - 1 - i
				}
				part := c.im.slice(v, axes[j], at, at+1)
				in = append(in, c.im.reshapeTo(part, slices.Delete(slices.Clone(v.dims()), axes[j], axes[j]+1)))
			}
			outs := c.round(g, in)
			carried = outs[:len(carried)]
			for j := range gathered {
				v := outs[len(carried)+j]
				a := axis(outAxes[j], v.rank()+1)
				gathered[j] = append(gathered[j], c.im.reshapeTo(v, slices.Insert(slices.Clone(v.dims()), a, graph.Int(1))))
			}
		}
		copy(c.outs, carried)
		for j, parts := range gathered {
			at := len(carried) + j
			if !c.wanted(at) {
				continue
			}
			if outBack[j] != 0 {
				slices.Reverse(parts)
			}
			var a int
			if len(parts) > 0 {
				a = axis(outAxes[j], parts[0].rank())
			}
			c.outs[at] = c.im.stacked(a, parts)
		}
	})
}

// perScan is an attribute of a Scan with a number for each of n, 0 where it is missing.
func (c *call) perScan(name string, n int) []int {
	xs := c.ints(name)
	if xs == nil {
		return make([]int, n)
	}
	if len(xs) != n {
		must.Failf("%s has %d elements, want %d", name, len(xs), n)
	}
	return xs
}

// only is the one element of a constant, an integer or a truth value.
func only(k *constant, what string) int64 {
	if k.len() != 1 || k.dtype.IsFloat() {
		must.Failf("its %s is %s%v", what, k.dtype, k.sizes)
	}
	return k.ints[0]
}

// bodyOf is the graph of a loop, with so many inputs and outputs.
func (c *call) bodyOf(inputs, outputs int) *onnxpb.GraphProto {
	g := c.attr["body"].GetG()
	if g == nil {
		must.Failf("no body")
	}
	if len(g.GetInput()) != inputs || len(g.GetOutput()) != outputs {
		must.Failf("its body has %d inputs and %d outputs, want %d and %d", len(g.GetInput()), len(g.GetOutput()), inputs, outputs)
	}
	return g
}

// round reads the body of a loop once more.
func (c *call) round(g *onnxpb.GraphProto, in []*value) (outs []*value) {
	c.im.within(func() {
		env := &scope{outer: c.env, vals: map[string]*value{}}
		for i, p := range g.GetInput() {
			env.define(p.GetName(), in[i])
		}
		outs, _ = c.im.graphWithin(g, env, "body")
	})
	return outs
}

// graphWithin reads a branch or a body; what names its outputs.
func (im *importer) graphWithin(g *onnxpb.GraphProto, env *scope, what string) ([]*value, []*onnxpb.NodeProto) {
	// The body of a loop is read once for each round, whatever is in it.
	if im.budget -= len(g.GetInitializer()) + len(g.GetValueInfo()) + len(g.GetOutput()); im.budget < 0 {
		must.Failf("more than %d nodes, weights and declared types in branches and loops", maxNodes)
	}
	im.initializers(g, env)
	im.declare(g.GetValueInfo(), g.GetOutput())
	nodes := im.nodes(g.GetNode(), env, namesOf(g.GetOutput()))
	outs := make([]*value, len(g.GetOutput()))
	for i, o := range g.GetOutput() {
		if outs[i] = env.find(o.GetName()); outs[i] == nil {
			must.Failf("nothing computes the output %q of its %s", clip(o.GetName()), what)
		}
	}
	return outs, nodes
}

// attempt runs steps that may turn out to be unsupported when nodes have been read
// already: these are forgotten, and no one reads what they computed.
func (c *call) attempt(steps func()) {
	r := c.im.report
	kept, folded, fused := len(r.Opaque), r.Folded, map[string]int{}
	for op, n := range r.Fused {
		fused[op] = n
	}
	err := must.Try(steps)
	if err != nil {
		for _, o := range r.Opaque[kept:] {
			if r.Missing[o.Op]--; r.Missing[o.Op] == 0 {
				delete(r.Missing, o.Op)
			}
		}
		r.Opaque, r.Folded, r.Fused = r.Opaque[:kept], folded, fused
		clear(c.outs)
	}
	must.Do(err)
}

// stacked is a concatenation as a node of the file would be: a constant, if all parts are.
func (im *importer) stacked(a int, parts []*value) *value {
	if len(parts) == 0 {
		must.Do(unsupported("a loop without iterations has an output of unknown size"))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	n := &onnxpb.NodeProto{OpType: proto.String("Concat"), Output: []string{"joined"},
		Attribute: []*onnxpb.AttributeProto{{Name: proto.String("axis"), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(int64(a))}}}
	c := &call{im: im, node: n, op: operatorOf(n), in: parts, outs: make([]*value, 1), attr: map[string]*onnxpb.AttributeProto{"axis": n.Attribute[0]}}
	c.read()
	return c.outs[0]
}
