package export

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/jax"
)

// function writes a graph as a Python function.
type function struct {
	*writer
	g  *graph.Graph
	of *spmd // nil: the sequential one
	b  strings.Builder
	names
	to map[graph.Tensor]string
}

// step writes a graph as a function; of is nil for the sequential one.
func (x *writer) step(name string, g *graph.Graph, of *spmd) (string, error) {
	f := &function{writer: x, g: g, of: of, names: *newNames(jax.Operators, collectives), to: map[graph.Tensor]string{}}
	var args []string
	for _, id := range g.Inputs() {
		f.to[id.Out(0)] = f.fresh(g.Name(id))
		args = append(args, f.to[id.Out(0)])
	}
	fmt.Fprintf(&f.b, "def %s(%s):\n", name, strings.Join(args, ", "))
	for phase := range int8(3) {
		if phase == 1 && of != nil && of.time >= 0 {
			if err := f.loop(); err != nil {
				return "", err
			}
			continue
		}
		if err := f.nodes(phase, "    "); err != nil {
			return "", err
		}
	}
	outs := g.Outputs()
	if of != nil {
		outs = of.last
	}
	fmt.Fprintf(&f.b, "    return %s\n", f.list(outs))
	return f.b.String(), nil
}

// at is the name of a tensor.
func (f *function) at(t graph.Tensor) string {
	if f.of != nil {
		t = f.of.resolved(t)
	}
	return f.to[t]
}

// list is a tuple's inside.
func (f *function) list(ts []graph.Tensor) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = f.at(t)
	}
	return inside(parts)
}

// inside is what stands in the brackets of a tuple.
func inside(parts []string) string {
	if len(parts) == 1 {
		return parts[0] + ","
	}
	return strings.Join(parts, ", ")
}

// name gives a tensor its name.
func (f *function) name(t graph.Tensor) string {
	base := f.g.Name(t.Node)
	if t.Out > 0 {
		base += fmt.Sprintf("_%d", t.Out)
	}
	f.to[t] = f.fresh(base)
	return f.to[t]
}

// nodes writes those of a phase.
func (f *function) nodes(phase int8, indent string) error {
	for id := range f.g.Nodes() {
		if f.g.Op(id) == nil {
			continue
		}
		if f.of == nil && phase != 0 || f.of != nil && (!f.of.need[id] || f.of.phase[id] != phase || f.of.ends(id)) {
			continue
		}
		if f.of != nil {
			if _, same := f.of.same[id.Out(0)]; same {
				continue
			}
		}
		text, err := f.node(f.g, id, f.of, f.at)
		if err != nil {
			return fmt.Errorf("node %s: %w", f.g.Name(id), err)
		}
		var outs, shapes []string
		for k := range f.g.NumOut(id) {
			t := id.Out(k)
			outs = append(outs, f.name(t))
			shapes = append(shapes, strings.ReplaceAll(fmt.Sprint(f.sizes(t)), " ", ", "))
		}
		fmt.Fprintf(&f.b, "%s%s = %s  # %s\n", indent, strings.Join(outs, ", "), text, strings.Join(shapes, ", "))
	}
	return nil
}

func (f *function) sizes(t graph.Tensor) []int {
	if f.of != nil {
		return f.of.memberSizes(t)
	}
	return f.g.Sizes(t)
}

// ends reports whether a node ends the axis in time: it is what the loop over micro-batches
// gives.
func (s *spmd) ends(id graph.NodeID) bool {
	m := s.must(id)
	return s.need[id] && m != nil && m.axis == s.time && m.op.Layout == graph.LayoutEnds
}

// loop writes what is done for each micro-batch, one after the other: what is reduced along
// the axis in time is added up, the rest kept side by side.
func (f *function) loop() error {
	var sums, kept []graph.NodeID
	for id := range f.g.Nodes() {
		if f.of.ends(id) {
			if m := f.of.must(id); m.op == op.Combine {
				kept = append(kept, id)
			} else {
				sums = append(sums, id)
			}
		}
	}
	f.b.WriteString("\n    def micro_batch(sums, now):\n")
	names := make([]string, len(sums)) // of the sums before
	for i, id := range sums {
		names[i] = f.fresh(f.g.Name(id) + "_before")
	}
	if len(names) > 0 {
		fmt.Fprintf(&f.b, "        %s = sums\n", inside(names))
	}
	if err := f.nodes(1, "        "); err != nil {
		return err
	}
	var next, side, zeros []string
	for i, id := range sums {
		t := f.g.Operands(id)[0]
		text := names[i] + " + " + f.at(t)
		if m := f.of.must(id); m.op == op.Drop && f.of.copied(t, m.at) {
			text = f.at(t) // all have the same
		}
		next = append(next, text)
		zeros = append(zeros, fmt.Sprintf("jnp.zeros(%s, %s)", tuple(f.sizes(t)), f.g.DType(t)))
	}
	for _, id := range kept {
		side = append(side, f.at(f.g.Operands(id)[0]))
	}
	fmt.Fprintf(&f.b, "        return (%s), (%s)\n\n", inside(next), inside(side))
	names = names[:0]
	var whole []string
	for _, id := range sums {
		names = append(names, f.name(id.Out(0)))
	}
	for _, id := range kept {
		whole = append(whole, f.name(id.Out(0)))
	}
	fmt.Fprintf(&f.b, "    (%s), (%s) = lax.scan(micro_batch, (%s), jnp.arange(MICRO))\n", inside(names), inside(whole), inside(zeros))
	for i, id := range kept {
		f.sent["micro_whole"] = true
		fmt.Fprintf(&f.b, "    %s = micro_whole(%s, %d)\n", whole[i], whole[i], f.of.must(id).along)
	}
	return nil
}
