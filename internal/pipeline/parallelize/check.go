package parallelize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// Checked is what a plan was found to show.
type Checked struct {
	*optimize.Checked
	// Model: the sequential graph is the training step of the model that was given, and not
	// only the one in the file.
	Model bool `json:"model"`
	// Step is what a step takes on the cluster, modelled, as the file says.
	Step *plan.Figures `json:"step"`
	// Open are nodes of the graph whose layout could not be derived from what operators
	// compute: what the file says of them is a claim.
	Open []string `json:"layouts_not_derived,omitempty"`
	// Claimed is what the file says and the check does not derive.
	Claimed []plan.Claim `json:"claimed"`
	// Ran is a run on virtual devices, nil if there was none.
	Ran *Ran `json:"ran,omitempty"`
}

// Check says whether a plan's graph computes what the sequential one does, for all inputs
// and weights, and whether all else that the file says follows from that: who works on what,
// where tensors lie, and what a step takes of the cluster. What only a search knows is listed as
// claimed. It shares no code with planners: the certificate is
// checked as any, and the equation compared with the two graphs. of is the graph of the
// model, nil if it is not at hand. An error that is an [optimize.Rejected] says that the
// plan is wrong.
func Check(ctx context.Context, f *plan.File, name string, c *machine.Cluster, of *graph.Graph, z3 bool) (*Checked, error) {
	before, err := graph.ParseText("sequential", f.Sequential)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &Checked{}
	if of != nil {
		if err := ofModel(f, name, of, before); err != nil {
			return nil, err
		}
		out.Model = true
	}
	after, err := graph.ParseText("graph", f.Graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	was, is, err := f.Ends(before, after)
	if err != nil {
		return nil, rejected("%s: padded: %w", name, err)
	}
	a, err := open("sequential graph", was)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b, err := open("plan", is)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out.Checked, err = optimize.CheckProofWhereDefined(ctx, strings.NewReader(f.Certificate), name, a, b, z3)
	if err != nil {
		return nil, err
	}
	p, err := f.Plan(c)
	if err == nil {
		out.Step, err = f.Honest(ctx, p)
	}
	if err == nil {
		out.Open, err = p.Laying.CheckRoles(ctx)
		if err != nil {
			err = fmt.Errorf("layouts: %w", err)
		}
	}
	out.Claimed = f.Claims(out.Model)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, rejected("%s: on %s: %w", name, c.Name, err)
	}
	return out, nil
}

// ofModel compares what a file plans with the training step of a model.
func ofModel(f *plan.File, name string, of, before *graph.Graph) error {
	if h := of.Hash().String(); f.Model.Hash != h {
		return rejected("%s: it is of a model %s with hash %s, that of the model is %s", name, f.Model.Name, f.Model.Hash, h)
	}
	t, err := Training(of, f.Training)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !t.Graph.Equal(before) {
		return rejected("%s: its sequential graph is not the training step of the model %s", name, f.Model.Name)
	}
	if len(f.Next) != len(t.Next) {
		return rejected("%s: next: %d outputs take the place of inputs, of the training step %d", name, len(f.Next), len(t.Next))
	}
	for _, n := range f.Next {
		if in, ok := t.Next[n[0]]; !ok || in != n[1] {
			return rejected("%s: next: output %d does not take the place of input %d", name, n[0], n[1])
		}
	}
	if !maps.Equal(f.Init, t.Init) {
		return rejected("%s: init: state begins with %v, in training with %v", name, f.Init, t.Init)
	}
	return nil
}

func rejected(format string, args ...any) error {
	return &optimize.Rejected{Why: fmt.Errorf(format, args...)}
}

// open is a graph as a model without weights: they are inputs, so that what is said of it
// is said for all values of them.
func open(name string, g *graph.Graph) (*model.Model, error) {
	var b graph.Builder
	at := make([][]graph.Tensor, g.Len()+1)
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			t := id.Out(0)
			x, err := b.AddInput(g.Name(id), g.DType(t), g.Sizes(t)...)
			if err != nil {
				return nil, err
			}
			at[id] = []graph.Tensor{x}
			continue
		}
		if _, _, opaque := g.Opaque(id); opaque {
			return nil, errors.New("a plan with an opaque node")
		}
		var in []graph.Tensor
		for _, t := range g.Operands(id) {
			in = append(in, at[t.Node][t.Out])
		}
		x, err := b.Copy(g, id, in)
		if err != nil {
			return nil, err
		}
		for k := range g.NumOut(id) {
			at[id] = append(at[id], x.Out(k))
		}
	}
	var outs []graph.Tensor
	for _, t := range g.Outputs() {
		outs = append(outs, at[t.Node][t.Out])
	}
	h, err := b.Finish(outs...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &model.Model{Name: name, Graph: h}, nil
}
