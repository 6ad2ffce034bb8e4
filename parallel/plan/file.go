package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/exactjson"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Format is what files of plans say they are.
const Format = "taso plan 1"

// maxFile bounds the bytes of a file of a plan.
const maxFile = 1 << 30

// maxName bounds the bytes of the name of a planner, a model or a machine.
const maxName = 1 << 10

// File is a plan as it is written to a file: what was planned and for which machine, the
// graph before and after, how its tensors lie, and the certificate that both compute the
// same. Times are modelled.
type File struct {
	Format   string   `json:"format"`
	Planner  string   `json:"planner"`
	Model    ModelRef `json:"model"`
	Training *Recipe  `json:"training,omitempty"` // none: inference
	Machine  Place    `json:"machine"`
	// Mesh are the mesh axes, the last one counts fastest; Stages the devices of each stage.
	Mesh   []Axis    `json:"mesh"`
	Stages []Submesh `json:"stages,omitempty"`
	Passes []Pass    `json:"passes"`
	// Time is that of a step, in picoseconds, if nothing overlaps.
	Time machine.Time `json:"time_ps"`
	// Step is what a step takes as it is simulated.
	Step *Figures `json:"step"`
	// Sequential is what was planned, as text (graph.ParseText); Next says which of its
	// outputs takes the place of which input in the next step, by places.
	Sequential string   `json:"sequential"`
	Next       [][2]int `json:"next"`
	// Init is what all elements of an input are before the first step, by its place: of state.
	Init map[int]float64 `json:"init,omitempty"`
	// Padded are inputs of the sequential graph that are longer in Rewritten and Graph, step by
	// step; outputs that take their places are, too.
	Padded [][]PaddedInput `json:"padded,omitempty"`
	// Rewritten is what laws made of it and what is laid out, as text, with the same inputs and
	// outputs but for what is Padded; none: the sequential graph is. Origins and Pipeline name its
	// nodes.
	Rewritten string `json:"rewritten,omitempty"`
	// Graph is what the devices run, as text, and Layouts how the tensors of each node that
	// is on the mesh lie: by node, by output.
	Graph   string              `json:"graph"`
	Layouts map[string][]Layout `json:"layouts"`
	// Origins says of which sequential node, or tensor that it converts, a node comes whose
	// name is not that of its origin.
	Origins map[string]Origin `json:"origins"`
	// Pipeline says which sequential node is of which stage.
	Pipeline *Pipeline `json:"pipeline,omitempty"`
	// Again and Away are nodes of Graph whose results are made again for the backward pass, or at
	// the hosts until then ([Saving]).
	Again []string `json:"again,omitempty"`
	Away  []string `json:"away,omitempty"`
	// Certificate shows that both compute the same (law.CertFormat).
	Certificate string `json:"certificate"`
}

// ModelRef says which model a plan is of.
type ModelRef struct {
	Name  string `json:"name"`
	Batch int    `json:"batch,omitempty"`
	// Hash is that of the model's graph.
	Hash string `json:"hash"`
}

// Recipe says how a model is trained.
type Recipe struct {
	Loss      string  `json:"loss"`
	Axis      int     `json:"axis"`
	Optimizer string  `json:"optimizer"`
	Rate      float64 `json:"rate"`
	Momentum  float64 `json:"momentum,omitempty"`
	// Group: statistics of the batch are of so many samples each (package grad); 0: of all.
	Group int `json:"group,omitempty"`
}

// Place is on which devices a plan runs.
type Place struct {
	Name    string `json:"name"`
	Devices int    `json:"devices"`
	// Memory is how many bytes a device may hold.
	Memory int64 `json:"memory"`
	// Links are those between nodes, where they can be set ([machine.Cluster.Rewire]); none:
	// those of the machine.
	Links [][2]int `json:"links,omitempty"`
}

// Origin is where a node comes from.
type Origin struct {
	// Of is the name of a sequential node; Converts: the node is a layout operator, of its
	// result number Out.
	Of       string `json:"of"`
	Out      int    `json:"out,omitempty"`
	Converts bool   `json:"converts,omitempty"`
}

// Layout is how a tensor lies on the mesh, outermost first.
type Layout parallel.Layout

// MarshalText is a layout as text: "0 shard 1, 1 copy" lies as shards of axis 1 along mesh
// axis 0, as copies along mesh axis 1.
func (l Layout) MarshalText() ([]byte, error) {
	var b strings.Builder
	for i, s := range l {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d %s", s.Axis, s.Role)
	}
	return []byte(b.String()), nil
}

// UnmarshalText reads it.
func (l *Layout) UnmarshalText(text []byte) error {
	*l = nil
	if len(text) == 0 {
		return nil
	}
	for _, part := range strings.Split(string(text), ", ") {
		axis, role, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(axis)
		if err != nil {
			return fmt.Errorf("layout %q: %q is not the number of a mesh axis", text, axis)
		}
		r, err := parallel.ParseRole(role)
		if err != nil {
			return fmt.Errorf("layout %q: %w", text, err)
		}
		*l = append(*l, parallel.Spread{Axis: n, Role: r})
	}
	return nil
}

// File is the plan as it is written, without what it does not know: the model, the recipe,
// the certificate.
func (p *Plan) File() *File {
	l := p.Laying
	f := &File{Format: Format, Planner: p.Planner, Mesh: p.Mesh.Axes, Stages: p.Mesh.Stages, Passes: p.Passes, Time: p.Time(),
		Machine:    Place{Name: p.Mesh.Cluster.Name, Devices: p.Mesh.Devices(), Memory: p.room(0), Links: p.Mesh.Cluster.Wires()},
		Sequential: p.Training.First().Graph.String(), Padded: p.Training.paddedInputs(), Graph: l.Graph().String(), Layouts: map[string][]Layout{}}
	for out, in := range p.Training.Next {
		f.Next = append(f.Next, [2]int{out, in})
	}
	slices.SortFunc(f.Next, func(a, b [2]int) int { return a[0] - b[0] })
	f.Init = p.Training.Init
	f.Origins, f.Pipeline = map[string]Origin{}, p.Pipeline
	g, before := l.Graph(), p.Source().Graph
	if p.Saving != nil {
		f.Again, f.Away = names(g, p.Saving.Again), names(g, p.Saving.Away)
	}
	if p.Rewritten != nil || p.Training.Padded != nil {
		f.Rewritten = before.String()
	}
	for id := range g.Nodes() {
		o := l.Origin(id)
		if name := before.Name(o.Tensor.Node); o.Converts || name != g.Name(id) {
			f.Origins[g.Name(id)] = Origin{name, int(o.Tensor.Out), o.Converts}
		}
		var lies []Layout
		on := false
		for k := range g.NumOut(id) {
			x := l.Layout(id.Out(k))
			lies = append(lies, Layout(x))
			on = on || len(x) > 0
		}
		if on {
			f.Layouts[g.Name(id)] = lies
		}
	}
	return f
}

// Write writes a file.
func (f *File) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(f)
}

// ReadFile reads a file of a plan; name is what errors call it. Graphs in it are not read.
func ReadFile(r io.Reader, name string) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: it has more than %d bytes", name, maxFile)
	}
	f := &File{}
	switch err := exactjson.Unmarshal(data, f); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s: it ends within the plan", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case f.Format != Format:
		return nil, fmt.Errorf("%s: its format is %q, this program reads %q", name, f.Format, Format)
	}
	for _, x := range []string{f.Planner, f.Model.Name, f.Machine.Name} {
		if len(x) > maxName {
			return nil, fmt.Errorf("%s: the name of its planner, model or machine has %d bytes, at most %d are read", name, len(x), maxName)
		}
	}
	return f, nil
}

// Graphs are the sequential step and what the plan makes of it, as they are told.
func (f *File) Graphs() (before, after *graph.Graph, err error) {
	if before, err = graph.ParseText("sequential", f.Sequential); err == nil {
		after, err = graph.ParseText("graph", f.Graph)
	}
	return before, after, err
}

// Plan is what a file says, on a cluster with the links that it tells: its graphs are read, and
// that tensors are on the mesh axes that it tells. What the graph computes is for the certificate to show, and
// Passes and roles are as they are told.
func (f *File) Plan(c *machine.Cluster) (*Plan, error) {
	before, after, err := f.Graphs()
	if err != nil {
		return nil, err
	}
	t := &Training{Graph: before, Next: map[int]int{}}
	taken := map[int]bool{}
	for _, n := range f.Next {
		out, in := n[0], n[1]
		if out < 0 || out >= len(before.Outputs()) || in < 0 || in >= len(before.Inputs()) {
			return nil, fmt.Errorf("next: output %d takes the place of input %d: there are %d and %d", out, in, len(before.Outputs()), len(before.Inputs()))
		}
		if _, twice := t.Next[out]; twice || taken[in] {
			return nil, fmt.Errorf("next: output %d, or input %d, is there twice", out, in)
		}
		x, y := before.Type(before.Outputs()[out]), before.Type(before.Inputs()[in].Out(0))
		if x.DType != y.DType || !slices.Equal(x.Sizes, y.Sizes) {
			return nil, fmt.Errorf("next: output %d is %s, input %d is %s", out, x, in, y)
		}
		t.Next[out], taken[in] = in, true
	}
	for in := range f.Init {
		if !taken[in] {
			return nil, fmt.Errorf("init: input %d is none that an output takes the place of", in)
		}
	}
	t.Init = f.Init
	if f.Machine.Links != nil {
		if c, err = c.Rewire(f.Machine.Links); err != nil {
			return nil, fmt.Errorf("machine: links: %w", err)
		}
	}
	mesh, err := NewMeshOf(c, f.Stages, f.Mesh...)
	if err != nil {
		return nil, err
	}
	var rewritten *graph.Graph
	from := before
	if f.Rewritten != "" {
		if rewritten, err = graph.ParseText("rewritten", f.Rewritten); err != nil {
			return nil, err
		}
		was, is, err := f.Ends(before, rewritten)
		if err == nil {
			err = parallel.SameEnds(was, is)
		}
		if err != nil {
			return nil, fmt.Errorf("rewritten: %w", err)
		}
		from = rewritten
	}
	if len(f.Padded) > 0 {
		if rewritten == nil {
			return nil, errors.New("padded: there is no rewritten graph")
		}
		t, rewritten = t.longer(f.Cells(), rewritten), nil
	}
	origins, err := f.origins(from, after)
	if err != nil {
		return nil, err
	}
	layouts := make([][]parallel.Layout, after.Len()+1)
	known := 0
	for id := range after.Nodes() {
		told, ok := f.Layouts[after.Name(id)]
		if ok {
			known++
		}
		if ok && len(told) != after.NumOut(id) {
			return nil, fmt.Errorf("layouts: node %s has %d results, %d are told", after.Name(id), after.NumOut(id), len(told))
		}
		for k := range after.NumOut(id) {
			var lies parallel.Layout
			if ok {
				lies = parallel.Layout(told[k])
			}
			layouts[id] = append(layouts[id], lies)
		}
	}
	if known < len(f.Layouts) {
		return nil, fmt.Errorf("layouts: %d are of nodes that the graph has not", len(f.Layouts)-known)
	}
	l, err := parallel.Laid(after, mesh.Degrees, layouts, origins)
	if err != nil {
		return nil, fmt.Errorf("layouts: %w", err)
	}
	if err := f.passes(); err != nil {
		return nil, err
	}
	p := &Plan{Planner: f.Planner, Training: t, Mesh: mesh, Rewritten: rewritten, Laying: l, Passes: f.Passes, Pipeline: f.Pipeline}
	p = p.within(max(0, f.Machine.Memory))
	if (p.Pipeline == nil) != (len(mesh.Stages) == 0) {
		return nil, errors.New("pipeline: there are stages of the mesh or of a pipeline, and none of the other")
	}
	s := &Saving{}
	if s.Again, err = named(after, f.Again); err == nil {
		s.Away, err = named(after, f.Away)
	}
	switch {
	case err != nil:
		return nil, err
	case p.Pipeline == nil && len(s.Again)+len(s.Away) == 0:
		return p, nil
	case p.Pipeline == nil:
		return p.With(s)
	case len(s.Again)+len(s.Away) > 0:
		return nil, errors.New("saving: the plan has stages, which say themselves what they compute again")
	}
	return p, p.settle()
}

// names are those of nodes.
func names(g *graph.Graph, list []graph.NodeID) (out []string) {
	for _, id := range list {
		out = append(out, g.Name(id))
	}
	return out
}

// named are the nodes with such names.
func named(g *graph.Graph, list []string) (out []graph.NodeID, err error) {
	for _, name := range list {
		id, ok := g.Find(name)
		if !ok {
			return nil, fmt.Errorf("saving: the graph has no node %s", name)
		}
		out = append(out, id)
	}
	return out, nil
}

// passes checks that there is one for each axis, with a bound that is none above its cost.
func (f *File) passes() error {
	if len(f.Passes) != len(f.Mesh) {
		return fmt.Errorf("passes: there are %d, and %d mesh axes", len(f.Passes), len(f.Mesh))
	}
	for i, p := range f.Passes {
		switch {
		case p.Degree != f.Mesh[i].Degree:
			return fmt.Errorf("passes: %d is along an axis of %d, mesh axis %d has %d members", i, p.Degree, i, f.Mesh[i].Degree)
		case (p.Means == Micro) != f.Mesh[i].Time:
			return fmt.Errorf("passes: %d is of means %q, of an axis in time are micro-batches", i, p.Means)
		case p.Means != Micro && !p.Means.known():
			return fmt.Errorf("passes: %d: means %q are not known", i, p.Means)
		case p.Cost < 0 || p.Bound < 0 || p.Bound > p.Cost:
			return fmt.Errorf("passes: %d costs %d ps, and at least %d", i, p.Cost, p.Bound)
		case !knownStop(p.Stop):
			return fmt.Errorf("passes: %d: a search does not stop with %q", i, p.Stop)
		}
	}
	if x := f.Pipeline; x != nil && (!knownStop(x.Stop) || x.Bound < 0 || x.Bound > x.Makespan || x.Looked < 0 || x.Simulated < 0) {
		return fmt.Errorf("pipeline: bound %d ps of %d, %d candidates, %d simulated, stopped with %q", x.Bound, x.Makespan, x.Looked, x.Simulated, x.Stop)
	}
	return nil
}
