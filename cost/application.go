package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Application is one operator with its attributes, applied to tensors of given
// types; with a tail it is a group of operators that run as one kernel.
type Application struct {
	Op    *graph.Op // nil: an opaque operator, of which only the types are known
	Attrs graph.Attrs
	// In are the types of the operands. Where the operator repeats operands
	// ([lower.Repeats]), they are those before broadcasting: sizes that are 1 where the
	// result has more.
	In, Out []graph.TensorType
	// Tail are the elementwise operators that are fused into it, in their order.
	// Each has the type of Out[0].
	Tail []Fused
	// View: its results are views of its operand, so that nothing runs.
	View bool
}

// Fused is an elementwise operator in the kernel of another one.
type Fused struct {
	Op    *graph.Op
	Attrs graph.Attrs
	// At is the operand that is the running value.
	At int
	// Others are the types of the other operands, those of functions of two
	// elements before they are repeated: sizes that are 1 where the result has more.
	Others []graph.TensorType
}

// Dispatch is an application that moves nothing: its time is that of a view.
func Dispatch() Application {
	op, _ := graph.Lookup("reshape")
	one := []graph.TensorType{{Sizes: []int{1}}}
	return Application{Op: op, Attrs: graph.Attrs{graph.ShapeValue(graph.Sizes(1))}, In: one, Out: one}
}

// At is the application of a node by itself.
func At(g *graph.Graph, id graph.NodeID) Application {
	a := Application{Op: g.Op(id), Attrs: g.Attrs(id)}
	if _, _, opaque := g.Opaque(id); opaque {
		a.Op = nil
	}
	for _, t := range g.Operands(id) {
		x := g.Type(t)
		if a.Op != nil && lower.Repeats(a.Op) {
			x.Sizes = unrepeated(g, t)
		}
		a.In = append(a.In, x)
	}
	for i := range g.NumOut(id) {
		a.Out = append(a.Out, g.Type(id.Out(i)))
	}
	return a
}

// unrepeated are the sizes of a tensor before broadcasting, with 1 for each size that
// broadcasting changed.
func unrepeated(g *graph.Graph, t graph.Tensor) []int {
	op := g.Op(t.Node)
	if op == nil || op.Name != "broadcast" {
		return g.Sizes(t)
	}
	from := unrepeated(g, g.Operands(t.Node)[0])
	return slices.Concat(slices.Repeat([]int{1}, len(g.Sizes(t))-len(from)), from)
}

// repeated reports whether the operator reads an operand that is smaller than its result.
func (a *Application) repeated() bool {
	return a.Op != nil && lower.Repeats(a.Op) && slices.ContainsFunc(a.In, func(t graph.TensorType) bool {
		return !slices.Equal(t.Sizes, a.Out[0].Sizes)
	})
}

// Fuses reports whether kernels must be fused to run the application as one: it has a
// tail, or reads an operand that is broadcast.
func (a *Application) Fuses() bool { return len(a.Tail) > 0 || a.repeated() }

// Groups are the applications that a run of a plan consists of, operands before
// their users: kernels with what is fused into them, and views. Once are those
// that are computed before the first run.
func Groups(p *lower.Plan) (groups []Group) {
	fixed := lower.Fixed(p.Graph)
	runs := make([]bool, p.Graph.Len()+1)
	tails := map[graph.NodeID][]lower.Step{}
	for i, k := range slices.Concat(p.Once, p.Run) {
		runs[k.Node] = runs[k.Node] || i >= len(p.Once) || fixed[k.Node]
		if k.Tail == nil || i < len(p.Once) {
			continue
		}
		for _, s := range k.Tail.Steps {
			if s.Node != k.Node { // its own activation is part of the operator
				tails[k.Node] = append(tails[k.Node], s)
			}
		}
	}
	for id := range p.Graph.Nodes() {
		if _, live := p.Of[id.Out(0)]; !live || p.Graph.Op(id) == nil || p.Into[id] != 0 {
			continue
		}
		g := Group{ID: id, Once: fixed[id], Application: At(p.Graph, id)}
		if g.Op != nil && lower.Repeats(g.Op) {
			for i, t := range p.Graph.Operands(id) {
				g.In[i].Sizes = read(p.Values[p.Of[t]])
			}
		}
		g.View = !runs[id]
		for _, s := range tails[id] {
			g.Tail = append(g.Tail, fusedOf(p, s))
		}
		groups = append(groups, g)
	}
	return groups
}

// read are the sizes of what is read of a value that may be repeated.
func read(v lower.Value) []int {
	sizes := slices.Clone(v.Sizes)
	for k, stride := range v.Strides {
		if stride == 0 {
			sizes[k] = 1
		}
	}
	return sizes
}

// Group is an application in a graph.
type Group struct {
	Application
	ID   graph.NodeID // of the root
	Once bool         // it depends on weights only
}

func fusedOf(p *lower.Plan, s lower.Step) Fused {
	f := Fused{Op: p.Graph.Op(s.Node), Attrs: p.Graph.Attrs(s.Node)}
	if s.Reversed {
		f.At = 1
	}
	for i, t := range p.Graph.Operands(s.Node) {
		if i == f.At {
			continue
		}
		o := p.Graph.Type(t)
		if lower.Repeats(f.Op) {
			o.Sizes = read(p.Values[s.Args[0]])
		}
		f.Others = append(f.Others, o)
	}
	return f
}

// alone is the operator by itself, on a running value of the type.
func (f *Fused) alone(t graph.TensorType) Application {
	return Application{Op: f.Op, Attrs: f.Attrs, In: slices.Insert(slices.Clone(f.Others), f.At, t), Out: []graph.TensorType{t}}
}

// text is the operator as part of a key.
func (f *Fused) text() string {
	args := make([]string, len(f.Others))
	for i, t := range f.Others {
		args[i] = t.String()
	}
	args = slices.Insert(args, min(f.At, len(args)), "_")
	return f.Op.Name + formatAttrs(f.Op, f.Attrs) + "(" + strings.Join(args, ", ") + ")"
}

// Build adds an application to a graph that is being built: its operands, by add
// with their types, the repetition of those that are repeated, and the operators.
// It returns the last one's node. An operand i of the tail is from len(a.In) on.
func (a *Application) Build(b *graph.Builder, add func(i int, t graph.TensorType) (graph.Tensor, error)) (graph.NodeID, error) {
	if a.Op == nil {
		return 0, fmt.Errorf("an opaque operator cannot be applied")
	}
	var in []graph.Tensor
	next := 0
	operand := func(t graph.TensorType) (graph.Tensor, error) {
		next++
		return add(next-1, t)
	}
	apply := func(op *graph.Op, attrs graph.Attrs, in []graph.Tensor) (graph.NodeID, error) {
		repeat, ok := graph.Lookup("broadcast")
		for i := range in {
			if !ok || !lower.Repeats(op) || slices.Equal(b.Sizes(in[i]), a.Out[0].Sizes) {
				continue
			}
			r, err := b.Apply("", repeat, graph.Attrs{graph.ShapeValue(graph.Sizes(a.Out[0].Sizes...))}, in[i])
			if err != nil {
				return 0, err
			}
			in[i] = r.Out(0)
		}
		return b.Apply("", op, attrs, in...)
	}
	for _, t := range a.In {
		x, err := operand(t)
		if err != nil {
			return 0, err
		}
		in = append(in, x)
	}
	id, err := apply(a.Op, a.Attrs, in)
	if err != nil {
		return 0, err
	}
	for _, f := range a.Tail {
		in = in[:0:0]
		for _, t := range f.Others {
			x, err := operand(t)
			if err != nil {
				return 0, err
			}
			in = append(in, x)
		}
		in = slices.Insert(in, min(f.At, len(in)), id.Out(0))
		if id, err = apply(f.Op, f.Attrs, in); err != nil {
			return 0, err
		}
	}
	return id, nil
}
