package export

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/jax"
	"github.com/taso-go/taso/parallel/plan"
)

//go:embed collectives.py
var collectivesText string

//go:embed program.py
var programText string

// collectives are the functions that layout operators become.
var collectives = jax.ParseFunctions(collectivesText)

// Options say what is written.
type Options struct {
	Format Format // "": JAX
}

// Format is what a plan is written as.
type Format string

const (
	// JAX is a program for JAX.
	JAX Format = "jax"
	// DTensor is a Python file of placements for PyTorch's DTensor, with what they cannot say.
	DTensor Format = "dtensor"
	// Flags are flags of Megatron-LM and a configuration of DeepSpeed, of a plan that is
	// exactly what they mean; of others [ErrForm].
	Flags Format = "flags"
)

// Formats lists them.
func Formats() []Format { return []Format{JAX, DTensor, Flags} }

// Write writes a plan. What the format cannot say is an error that names the node, the
// mesh axis or the padded input.
func Write(w io.Writer, p *plan.Plan, opt Options) error {
	if list := p.PaddedAxes(); len(list) > 0 && opt.Format != JAX && opt.Format != "" {
		x := list[0]
		return fmt.Errorf("export as %s: input %s has %d along axis %d that was of %d: the format does not say what is padded", opt.Format, x.Input, x.To, x.Axis, x.From)
	}
	var text []byte
	var err error
	switch opt.Format {
	case JAX, "":
		var s *spmd
		if s, err = newSPMD(p); err == nil {
			text, err = newWriter(p, s).program()
		}
	case DTensor:
		text, err = dtensor(p)
	case Flags:
		text, err = flags(p)
	default:
		return fmt.Errorf("export: format %q is not known: want one of %v", opt.Format, Formats())
	}
	if err != nil {
		return fmt.Errorf("export as %s: %w", cmp.Or(opt.Format, JAX), err)
	}
	_, err = w.Write(text)
	return err
}

func newWriter(p *plan.Plan, s *spmd) *writer {
	return &writer{spmd: s, p: p, used: map[string]bool{}, sent: map[string]bool{}}
}

// writer writes a program.
type writer struct {
	*spmd
	p    *plan.Plan
	used map[string]bool // functions of jax.Operators
	sent map[string]bool // of collectives
}

func (x *writer) program() ([]byte, error) {
	sequential, err := x.step("sequential_step", x.p.Training.First().Graph, nil)
	if err != nil {
		return nil, err
	}
	member, err := x.step("member_step", x.g, x.spmd)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	devices := 1
	var axes []string
	for i, d := range x.lay.Degrees() {
		if i != x.time {
			devices *= d
			axes = append(axes, fmt.Sprintf("%q: %d", axisName(i), d))
		}
	}
	fmt.Fprintf(&b, `# A training step on a mesh of devices, for JAX, as taso's planner %q laid it out.
#
#   python FILE           runs steps on virtual devices of the CPU, from random numbers
#   python FILE --check   compares a step with the sequential one, and lists XLA's collectives
#   ... --double          computes in float64 what is float32 or float16 here
import json, math, os, re, sys

DEVICES = %d
MESH = {%s}  # axes of the mesh, the last one counts fastest
MICRO = %d  # micro-batches
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={DEVICES}"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", True)  # positions are int64
DOUBLE = "--double" in sys.argv
float64, int64, int32, int8, uint8 = jnp.float64, jnp.int64, jnp.int32, jnp.int8, jnp.uint8
float32, float16 = (float64, float64) if DOUBLE else (jnp.float32, jnp.float16)

`, x.p.Planner, devices, strings.Join(axes, ", "), x.micro)
	x.tables(&b)
	for _, f := range []struct {
		about string
		of    jax.Functions
		names map[string]bool
	}{{"Operators.", jax.Operators, x.used}, {"What is sent between devices.", collectives, x.sent}} {
		if len(f.names) == 0 {
			continue
		}
		names, err := f.of.With(slices.Sorted(maps.Keys(f.names))...)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n# %s\n", f.about)
		for i, name := range names {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString("\n" + f.of[name])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n# The step on the mesh: what each device does with its members, whose sizes are behind.\n")
	b.WriteString("\n\n" + member)
	b.WriteString("\n\n# The sequential step.\n\n\n" + sequential + "\n\n")
	b.WriteString(programText)
	return b.Bytes(), nil
}

// tables writes what goes in and comes out, and how it lies.
func (x *writer) tables(b *bytes.Buffer) {
	of, was := x.p.Training.Graph, x.p.Training.First().Graph
	b.WriteString("# Inputs: type, sizes, and how they lie over the mesh.\nINPUTS = {\n")
	below := positions(was)
	for i, id := range of.Inputs() {
		t := id.Out(0)
		fmt.Fprintf(b, "    %q: {\"type\": %s, \"sizes\": %s, \"spec\": %s", of.Name(id), of.DType(t), tuple(of.Sizes(t)), x.ins[i].text())
		if x.ins[i].micro >= 0 {
			fmt.Fprintf(b, `, "micro": %d`, x.ins[i].micro)
		}
		first := was.Inputs()[i]
		if sizes := was.Sizes(first.Out(0)); !slices.Equal(sizes, of.Sizes(t)) {
			fmt.Fprintf(b, `, "was": %s`, tuple(sizes))
		}
		if of.IsWeight(id) {
			b.WriteString(`, "weight": True`)
		}
		if v, ok := x.p.Training.Init[i]; ok {
			fmt.Fprintf(b, `, "start": %s`, graph.FormatNumber(v))
		} else if !of.DType(t).IsFloat() {
			n, ok := below[first]
			if !ok {
				n = 2
			}
			fmt.Fprintf(b, `, "below": %d`, n)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n# Outputs: how they lie, and the inputs of the next step that they become.\nOUTPUTS = {\n")
	seen := newNames()
	for i, t := range of.Outputs() {
		fmt.Fprintf(b, "    %q: {\"spec\": %s", seen.fresh(of.Name(t.Node)), x.outs[i].text())
		if k, ok := x.next[i]; ok {
			fmt.Fprintf(b, `, "becomes": %q`, of.Name(of.Inputs()[k]))
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
}

// node is what a node computes, in Python.
func (x *writer) node(g *graph.Graph, id graph.NodeID, of *spmd, at func(graph.Tensor) string) (string, error) {
	o, attrs := g.Op(id), g.Attrs(id)
	var operands []string
	if of == nil {
		for _, t := range g.Operands(id) {
			operands = append(operands, at(t))
		}
		return call(o, attrs, g.DType(id.Out(0)), operands, x.used)
	}
	for _, t := range of.operands(id) {
		operands = append(operands, at(t))
	}
	if m := of.must(id); m != nil {
		return x.layout(id, m, operands[0])
	}
	if one, own, _ := o.Member(attrs); one != nil {
		o, attrs = one, own
	}
	return call(o, attrs, g.DType(id.Out(0)), operands, x.used)
}

// layout is what a layout operator, or two, become.
func (x *writer) layout(id graph.NodeID, m *move, operand string) (string, error) {
	say := func(f string, args ...any) string {
		x.sent[f] = true
		text := operand
		for _, a := range args {
			if s, ok := a.(string); ok {
				a = fmt.Sprintf("%q", s)
			}
			text += fmt.Sprintf(", %v", a)
		}
		if i, ok := x.sends[id]; ok {
			text = fmt.Sprintf("%q, ", x.list[i].Name) + text
		}
		return f + "(" + text + ")"
	}
	axis := axisName(m.axis)
	if m.axis == x.time {
		switch {
		case x.taken[id]:
			return operand + "[now]", nil
		case m.op == op.Partition:
			x.sent["micro_part"] = true
			return fmt.Sprintf("micro_part(%s, now, %d)", operand, m.along), nil
		case m.op == op.Lift:
			return fmt.Sprintf("jnp.where(now == 0, %s, jnp.zeros_like(%s))", operand, operand), nil
		}
		return "", fmt.Errorf("operator %s has no form in a micro-batch", m.op.Name)
	}
	end, e := x.partner(id)
	if end != 0 && m.op == op.Lift { // the first device has it, the others zeros
		switch e.op {
		case op.Reduce:
			operand = say("all_reduce", axis)
		case op.Combine:
			operand = say("all_gather", axis, e.along)
		}
		x.sent["first"] = true
		return fmt.Sprintf("first(%s, %q)", operand, axis), nil
	}
	switch {
	case e != nil && e.op == op.Reduce && m.op == op.Replicate, m.op == op.Reduce, m.op == op.Drop:
		return say("all_reduce", axis), nil
	case e != nil && e.op == op.Reduce:
		return say("reduce_scatter", axis, m.along), nil
	case e != nil && m.op == op.Replicate:
		return say("all_gather", axis, e.along), nil
	case e != nil:
		return say("all_to_all", axis, m.along, e.along), nil
	case m.op == op.Combine:
		return say("all_gather", axis, m.along), nil
	case m.op == op.Halo:
		return say("halo", axis, m.along, m.before, m.after), nil
	case m.op == op.Partition:
		return say("part", axis, m.along), nil
	case m.op == op.Lift:
		return say("first", axis), nil
	}
	return "", fmt.Errorf("operator %s has no form in a program of each device", m.op.Name)
}

// positions are, of inputs that hold positions, how many places there are.
func positions(g *graph.Graph) map[graph.NodeID]int {
	below := map[graph.NodeID]int{}
	from := map[graph.Tensor]graph.NodeID{} // what is an input's elements in another order
	for _, id := range g.Inputs() {
		if !g.DType(id.Out(0)).IsFloat() {
			from[id.Out(0)] = id
		}
	}
	for id := range g.Nodes() {
		o := g.Op(id)
		if o == nil {
			continue
		}
		ts := g.Operands(id)
		if o.Places != nil {
			var shapes []graph.Shape
			for _, t := range ts {
				shapes = append(shapes, graph.Sizes(g.Sizes(t)...))
			}
			which, d, err := o.Places(g.Attrs(id), shapes)
			if n, ok := d.Const(); err == nil && ok && which < len(ts) {
				if in, ok := from[ts[which]]; ok {
					if old, ok := below[in]; !ok || int(n) < old {
						below[in] = int(n)
					}
				}
			}
		}
		if len(ts) > 0 && !g.DType(id.Out(0)).IsFloat() {
			if in, ok := from[ts[0]]; ok {
				for k := range g.NumOut(id) {
					from[id.Out(k)] = in
				}
			}
		}
	}
	return below
}
