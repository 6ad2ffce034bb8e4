package plan

import (
	"context"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/parallel/pad"
)

// Padded says of which training step one is with longer axes. What it brings forward lies in its
// longer form on the devices between steps, with zeros in what was added; so do samples when they
// come. To bring it there and back is no part of a step.
type Padded struct {
	Of *Training
	// Cells are those that inputs have more than those of Of.
	Cells pad.Cells

	step *pad.Step // nil: it was read from a file, and a certificate says that it holds
}

// PaddedInput is an input with cells added behind along each of its axes.
type PaddedInput struct {
	Input int   `json:"input"` // its place
	Cells []int `json:"cells"`
}

// longer is the training step with inputs that have more cells, as a graph.
func (t *Training) longer(cells []pad.Cells, g *graph.Graph) *Training {
	for _, c := range cells {
		t = &Training{Graph: g, Next: t.Next, Init: t.Init, Padded: &Padded{Of: t, Cells: c}}
	}
	return t
}

// First is the training step as it came.
func (t *Training) First() *Training {
	for t.Padded != nil {
		t = t.Padded.Of
	}
	return t
}

// steps are those by which the training step was padded, the first one first.
func (t *Training) steps() (out []*Padded) {
	for ; t.Padded != nil; t = t.Padded.Of {
		out = append(out, t.Padded)
	}
	slices.Reverse(out)
	return out
}

// cells are those that were added, step by step.
func (t *Training) cells() (out []pad.Cells) {
	for _, s := range t.steps() {
		out = append(out, s.Cells)
	}
	return out
}

func (t *Training) paddedInputs() (out [][]PaddedInput) {
	for _, c := range t.cells() {
		var list []PaddedInput
		for _, in := range slices.Sorted(maps.Keys(c)) {
			list = append(list, PaddedInput{in, c[in]})
		}
		out = append(out, list)
	}
	return out
}

// Pad is the training step with more cells along axes of inputs, and of those that have to go
// along. The error is pad.ErrNone where that it computes the same is not proved.
func (t *Training) Pad(ctx context.Context, cells pad.Cells) (*Training, error) {
	return t.pad(ctx, cells, pad.NewLaws())
}

func (t *Training) pad(ctx context.Context, cells pad.Cells, laws *pad.Laws) (*Training, error) {
	s, err := pad.Pad(ctx, t.Graph, t.Next, cells, laws)
	if err != nil {
		return nil, err
	}
	return &Training{Graph: s.To, Next: t.Next, Init: t.Init, Padded: &Padded{Of: t, Cells: s.Cells, step: s}}, nil
}

// PaddedAxis is an axis of an input that is longer than it was.
type PaddedAxis struct {
	Input string `json:"input"`
	Axis  int    `json:"axis"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// PaddedAxes are the axes of inputs that the plan has longer than the training step: outputs that
// take the places of these inputs, and what is computed of them, are so too.
func (p *Plan) PaddedAxes() (out []PaddedAxis) {
	was, is := p.Training.First().Graph, p.Training.Graph
	for i, id := range was.Inputs() {
		now := is.Sizes(is.Inputs()[i].Out(0))
		for axis, n := range was.Sizes(id.Out(0)) {
			if now[axis] != n {
				out = append(out, PaddedAxis{was.Name(id), axis, n, now[axis]})
			}
		}
	}
	return out
}

// Cells are those that are added to inputs, step by step.
func (f *File) Cells() (out []pad.Cells) {
	for _, list := range f.Padded {
		c := pad.Cells{}
		for _, x := range list {
			c[x.Input] = append(c[x.Input], x.Cells...) // of one that is told twice too many
		}
		out = append(out, c)
	}
	return out
}

// Ends are the two networks that a file says compute the same: the sequential graph, and one
// with its inputs and outputs. Where inputs are padded, in front of after they are, and so are the
// outputs of before that take their places.
func (f *File) Ends(before, after *graph.Graph) (a, b *graph.Graph, err error) {
	if len(f.Padded) == 0 {
		return before, after, nil
	}
	next := map[int]int{}
	for _, n := range f.Next {
		next[n[0]] = n[1]
	}
	return pad.Squared(before, after, next, f.Cells())
}

// Ends are the two networks that a plan says compute the same, see [File.Ends].
func (p *Plan) Ends() (a, b *graph.Graph, err error) {
	return pad.Squared(p.Training.First().Graph, p.Laying.Graph(), p.Training.Next, p.Training.cells())
}

// Shown is what shows that a plan computes what the training step does: an equation between the
// networks of [Plan.Ends]. It is for plans that a planner has made.
func (p *Plan) Shown() *pad.Shown {
	l := p.Laying
	out := &pad.Shown{Equation: l.Equation(), Proof: l.Proof(), Laws: l.Laws(), Evidence: map[string]*law.Proof{}}
	for name := range out.Laws {
		if e := l.Evidence(name); e != nil {
			out.Evidence[name] = e
		}
	}
	var steps []*pad.Step
	for _, s := range p.Training.steps() {
		steps = append(steps, s.step)
	}
	if len(steps) == 0 {
		return out
	}
	return pad.Around(steps, out)
}
