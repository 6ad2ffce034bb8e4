package training

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/model"
)

// Report says what a training step is beside its model.
type Report struct {
	Model     string `json:"model"`
	Loss      string `json:"loss"`
	Optimizer string `json:"optimizer"`
	// Labels and Rate are what the step wants beside the inputs of the model.
	Labels []Tensor `json:"labels"`
	// Weights are trained, Statistics are those of batch normalizations that follow those
	// of the batch, State is the optimizer's, in tensors; Params are the elements of the
	// weights.
	Weights    int   `json:"weights"`
	Statistics int   `json:"statistics"`
	State      int   `json:"state"`
	Params     int64 `json:"params"`
	// Forward is the model, Step all of the training step.
	Forward Size `json:"forward"`
	Step    Size `json:"step"`
	// Operators counts applications in both.
	Operators []Count `json:"operators"`
}

// Tensor is an input by name.
type Tensor struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Sizes []int  `json:"sizes"`
}

// Size is the size of a graph: applications of operators, operations of float32
// arithmetic (a product and a sum are two), and those of products of matrices and
// convolutions alone.
type Size struct {
	Operators int   `json:"operators"`
	FLOPs     int64 `json:"flops"`
	Products  int64 `json:"products"`
}

// Count is a number of applications of an operator, in the model and in the step.
type Count struct {
	Op      string `json:"op"`
	Forward int    `json:"forward"`
	Step    int    `json:"step"`
}

// Make makes the training step of a model, as a model whose weights are those of the
// model and the state before the first step.
func Make(m *model.Model, opt grad.Options) (*model.Model, *Report, error) {
	s, err := grad.Train(m.Graph, opt)
	if err != nil {
		return nil, nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	g := s.Graph
	r := &Report{Model: m.Name, Loss: opt.Loss.String(), Optimizer: opt.Optimizer.String(), Forward: sizeOf(m.Graph), Step: sizeOf(g)}
	out := &model.Model{Name: m.Name + "+step", Doc: "training step of " + m.Name, Producer: m.Producer, Graph: g,
		Weights: map[graph.NodeID]*model.Weight{}}
	for id, w := range m.Weights {
		at, ok := g.Find(m.Graph.Name(id))
		if !ok {
			return nil, nil, fmt.Errorf("model %s: its training step has no weight %s", m.Name, m.Graph.Name(id))
		}
		out.Weights[at] = w
	}
	trained := map[string]bool{}
	list := opt.Weights
	if list == nil {
		list = grad.Trained(m.Graph)
	}
	for _, id := range list {
		trained[m.Graph.Name(id)] = true
	}
	for _, k := range s.Next {
		sizes := g.Sizes(k.Input.Out(0))
		switch {
		case k.State:
			out.Weights[k.Input] = model.UniformAs(g.DType(k.Input.Out(0)), 0, sizes, k.Init, k.Init)
			r.State++
		case trained[g.Name(k.Input)]:
			r.Weights, r.Params = r.Weights+1, r.Params+graph.Product(sizes...)
		default:
			r.Statistics++
		}
	}
	for _, id := range s.Labels {
		t := id.Out(0)
		r.Labels = append(r.Labels, Tensor{g.Name(id), g.DType(t).String(), g.Sizes(t)})
	}
	r.Operators = counts(m.Graph, g)
	if err := out.Validate(); err != nil {
		return nil, nil, err
	}
	return out, r, nil
}

// products are the classes of operators that multiply and add most.
func products(op *graph.Op) bool { return op.Class == "matmul" || op.Class == "conv" }

func sizeOf(g *graph.Graph) (s Size) {
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			continue
		}
		n := g.WorkOf(id).FLOPs
		s.Operators++
		s.FLOPs += n
		if products(g.Op(id)) {
			s.Products += n
		}
	}
	return s
}

// counts lists the operators of both graphs, the most frequent of the step first.
func counts(model, step *graph.Graph) []Count {
	by := map[string]*Count{}
	count := func(g *graph.Graph, add func(c *Count)) {
		for id := range g.Nodes() {
			if op := g.Op(id); op != nil {
				if by[op.Name] == nil {
					by[op.Name] = &Count{Op: op.Name}
				}
				add(by[op.Name])
			}
		}
	}
	count(model, func(c *Count) { c.Forward++ })
	count(step, func(c *Count) { c.Step++ })
	out := make([]Count, 0, len(by))
	for _, c := range by {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Step, a.Step), cmp.Compare(a.Op, b.Op)) })
	return out
}
