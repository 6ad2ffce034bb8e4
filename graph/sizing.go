package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unbounded is the upper end of the range of a dynamic dimension that has no other: files write
// more for the end of an axis.
const Unbounded = 999_999_999

// Range is the sizes that a dynamic dimension may have: Lo to Hi, Lo at least 1.
type Range struct {
	Lo int64 `json:"from"`
	Hi int64 `json:"to"` // Unbounded: there is no bound
}

// String is the range in words: "4", "1 or more", "1 to 512".
func (r Range) String() string {
	switch {
	case r.Lo == r.Hi:
		return strconv.FormatInt(r.Lo, 10)
	case r.Hi >= Unbounded:
		return fmt.Sprintf("%d or more", r.Lo)
	}
	return fmt.Sprintf("%d to %d", r.Lo, r.Hi)
}

// SizeVar is a size that a graph leaves open.
type SizeVar struct {
	Name   string `json:"name"`   // in sizes, laws and certificates
	Sample int    `json:"sample"` // the size that the graph is made with
	Range
	// Step: the dimension is Step times the variable, and Sample and Range are of the variable;
	// 0 and 1: it is the variable.
	Step int `json:"step,omitempty"`
	// With says what else of a model the variable stands in, for reports.
	With string `json:"with,omitempty"`
}

// String is the variable with its range, as one of the dimension: "n = 1 or more",
// "n = 32 or more in steps of 32".
func (v SizeVar) String() string {
	text := v.Name + " = " + v.Range.String()
	if v.Step > 1 {
		r := Range{v.Lo * int64(v.Step), v.Hi * int64(v.Step)}
		if r.Hi > Unbounded-int64(v.Step) {
			r.Hi = Unbounded
		}
		text = fmt.Sprintf("%s = %s in steps of %d", v.Name, r, v.Step)
	}
	if v.With != "" {
		text += " (" + v.With + ")"
	}
	return text
}

// Size is the size of the dimension where the variable is n.
func (v SizeVar) Size(n int) int { return n * max(v.Step, 1) }

// Sizing is the dynamic sizes of a graph. A graph is built with a sample size for each variable.
// It also keeps the shapes and attributes with their variables, which hold for all sizes in the
// ranges.
type Sizing struct {
	vars   []SizeVar
	ranges map[string]Range
	at     Substitution
}

// Add adds a variable. The error says that the name is taken, or that the sample is not in the
// range.
func (s *Sizing) Add(v SizeVar) error {
	if _, taken := s.ranges[v.Name]; taken || v.Name == "" {
		return fmt.Errorf("size %q: the name is empty or taken", v.Name)
	}
	if v.Lo < 1 || v.Hi < v.Lo || v.Hi > MaxSize {
		return fmt.Errorf("size %s: the range %d to %d is empty, or not within 1 to %d", v.Name, v.Lo, v.Hi, MaxSize)
	}
	if n := int64(v.Sample); n < v.Lo || n > v.Hi {
		return fmt.Errorf("size %s = %d, want %d to %d", v.Name, v.Sample, v.Lo, v.Hi)
	}
	if s.ranges == nil {
		s.ranges, s.at = map[string]Range{}, Substitution{Dims: map[string]Dim{}}
	}
	s.vars, s.ranges[v.Name] = append(s.vars, v), v.Range
	s.at.Dims[v.Name] = Int(int64(v.Sample))
	return nil
}

// Note says what else of a model a variable stands in.
func (s *Sizing) Note(v SizeVar) {
	for i := range s.vars {
		if s.vars[i].Name == v.Name {
			s.vars[i].With = v.With
		}
	}
}

// Vars are the variables, in the order in which they were added; none of a graph with fixed
// sizes.
func (s *Sizing) Vars() []SizeVar {
	if s == nil {
		return nil
	}
	return slices.Clone(s.vars)
}

// Has reports whether there is a variable of this name.
func (s *Sizing) Has(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.ranges[name]
	return ok
}

// Equal reports whether two have the same variables, ranges and steps. Samples and notes do not
// count.
func (s *Sizing) Equal(t *Sizing) bool {
	return slices.EqualFunc(s.Vars(), t.Vars(), func(a, b SizeVar) bool {
		return a.Name == b.Name && a.Range == b.Range && max(a.Step, 1) == max(b.Step, 1)
	})
}

// String lists the variables with their ranges.
func (s *Sizing) String() string {
	if len(s.Vars()) == 0 {
		return "none"
	}
	parts := make([]string, len(s.vars))
	for i, v := range s.vars {
		parts[i] = v.String()
	}
	return strings.Join(parts, ", ")
}

// Made is the sizes that the graph is made with, in words.
func (s *Sizing) Made() string {
	sizes := map[string]int{}
	for _, v := range s.Vars() {
		sizes[v.Name] = v.Sample
	}
	return s.Text(sizes)
}

// Text is sizes in the order of the variables: batch = 1, sequence = 128.
func (s *Sizing) Text(sizes map[string]int) string {
	var parts []string
	for _, v := range s.Vars() {
		parts = append(parts, fmt.Sprintf("%s = %d", v.Name, v.Size(sizes[v.Name])))
	}
	return strings.Join(parts, ", ")
}

// Samples puts the sample sizes in the place of variables.
func (s *Sizing) Samples() *Substitution { return &s.at }

// Holds reports whether a condition is known to hold for all sizes in the ranges.
func (s *Sizing) Holds(n Need) bool {
	return n.Rel == "<=" && s.NonNegative(n.Right.Sub(n.Left))
}

// Apply is [ApplyTypes] for sizes with variables: the shapes of what op computes from
// operands of these shapes, with attributes that may have variables.
func (s *Sizing) Apply(op *Op, attrs Attrs, in []Shape) ([]Shape, error) {
	var f Unifier
	outs, err := op.InferShapes(&f, attrs, in)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Needs {
		if !s.Holds(n) {
			return nil, &NeedError{op.Name, n}
		}
	}
	for i, shape := range outs {
		for j, it := range shape {
			if d := s.Simplify(it.Dim); it.AxisRun == "" && d != it.Dim {
				outs[i] = outs[i].Clone()
				outs[i][j].Dim = d
			}
		}
	}
	return outs, nil
}

// NeedError says that an operator is defined at some of the sizes in the ranges only.
type NeedError struct {
	Op   string
	Need Need
}

// Error names the operator and the condition.
func (e *NeedError) Error() string {
	return fmt.Sprintf("operator %s is defined at some sizes only: %s", e.Op, e.Need)
}

// Varies reports whether attributes have variables of sizes.
func (a Attrs) Varies() (found bool) {
	for _, v := range a {
		v.Walk(func(Atom) { found = true })
	}
	return found
}

// SizesOf are the sizes of a shape at the samples.
func (s *Sizing) SizesOf(shape Shape) ([]int, error) {
	at := shape
	if s != nil {
		at = shape.Subst(&s.at)
	}
	sizes, ok := at.Concrete()
	if !ok {
		return nil, fmt.Errorf("shape %s has variables that the graph does not have", shape)
	}
	return sizes, nil
}

// Sizing is the dynamic sizes of the graph, nil if all its sizes are fixed.
func (g *Graph) Sizing() *Sizing {
	if g.sizing == nil || len(g.sizing.vars) == 0 {
		return nil
	}
	return g.sizing
}

// Shape is the shape of a tensor, with variables for dynamic sizes. The caller must not write
// to it.
func (g *Graph) Shape(t Tensor) Shape {
	if s, ok := g.shapes[t]; ok {
		return s
	}
	return Sizes(g.Sizes(t)...)
}

// OpenAttrs are the attribute values of a node's operator, with variables for dynamic sizes.
func (g *Graph) OpenAttrs(id NodeID) Attrs {
	if a, ok := g.openAttrs[id]; ok {
		return a
	}
	return g.attrs[id]
}

// Varies reports whether the shape of a result or an attribute of a node has variables.
func (g *Graph) Varies(id NodeID) bool {
	if _, ok := g.openAttrs[id]; ok {
		return true
	}
	for i := range g.NumOut(id) {
		if _, ok := g.shapes[id.Out(i)]; ok {
			return true
		}
	}
	return false
}

// keepShape keeps the shape of a tensor if it has variables.
func (g *Graph) keepShape(t Tensor, s Shape) {
	if _, ok := s.Concrete(); ok {
		return
	}
	if g.shapes == nil {
		g.shapes = map[Tensor]Shape{}
	}
	g.shapes[t] = s
}

// keepAttrs keeps the attributes of a node if they have variables.
func (g *Graph) keepAttrs(id NodeID, a Attrs) {
	if !a.Varies() {
		return
	}
	if g.openAttrs == nil {
		g.openAttrs = map[NodeID]Attrs{}
	}
	g.openAttrs[id] = a
}

// keepOpen keeps what is dynamic of a node of another graph.
func (g *Graph) keepOpen(id NodeID, of *Graph, from NodeID) {
	g.sizing = of.sizing
	for i := range of.NumOut(from) {
		if s, ok := of.shapes[from.Out(i)]; ok {
			g.keepShape(id.Out(i), s)
		}
	}
	if a, ok := of.openAttrs[from]; ok {
		g.keepAttrs(id, a)
	}
}

// Vary lets the sizes of a new graph have variables.
func (b *Builder) Vary(s *Sizing) error {
	b.init()
	if b.g.sizing != nil && b.g.sizing != s && !b.g.sizing.Equal(s) {
		return b.fail(fmt.Errorf("the graph has other dynamic sizes"))
	}
	b.g.sizing = s
	return nil
}

// AddOpen adds an input whose shape may have variables of [Builder.Vary].
func (b *Builder) AddOpen(name string, t DType, shape Shape) (Tensor, error) {
	b.init()
	sizes, err := b.g.sizing.SizesOf(shape)
	if err != nil {
		return Tensor{}, b.fail(fmt.Errorf("input %s: %w", quoteName(name), err))
	}
	x, err := b.AddInput(name, t, sizes...)
	if err == nil {
		b.g.keepShape(x, shape)
	}
	return x, err
}

// openShapes are the shapes of what op computes if variables occur, and nil else, with the
// attributes at the samples.
func (b *Builder) openShapes(op *Op, attrs Attrs, in []Tensor) ([]Shape, Attrs, error) {
	if b.g.sizing == nil {
		return nil, attrs, nil
	}
	varies := attrs.Varies()
	shapes := make([]Shape, len(in))
	for i, t := range in {
		_, ok := b.g.shapes[t]
		varies = varies || ok
		shapes[i] = b.g.Shape(t)
	}
	if !varies {
		return nil, attrs, nil
	}
	outs, err := b.g.sizing.Apply(op, attrs, shapes)
	return outs, attrs.Subst(&b.g.sizing.at), err
}

// At is the graph at other sizes of its variables, each in its range.
func (g *Graph) At(sizes map[string]int) (*Graph, error) {
	s := &Sizing{}
	for _, v := range g.sizing.Vars() {
		n, ok := sizes[v.Name]
		if !ok {
			return nil, fmt.Errorf("size %s: no number", v.Name)
		}
		v.Sample = n
		if err := s.Add(v); err != nil {
			return nil, err
		}
	}
	var b Builder
	if err := b.Vary(s); err != nil {
		return nil, err
	}
	for id := range g.Nodes() {
		if _, err := b.Copy(g, id, g.Operands(id)); err != nil {
			return nil, err
		}
	}
	return b.Finish(g.outputs...)
}

// Fixed is the graph with its sample sizes only.
func (g *Graph) Fixed() *Graph {
	h := *g
	h.sizing, h.shapes, h.openAttrs = nil, nil, nil
	return &h
}
