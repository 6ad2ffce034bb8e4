package lower

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Spread is how an image lies under the windows of a convolution of stride 1, between zeros:
// cell i of axis k, rows or columns, at First[k] + i*Apart[k], while window j has its cell n
// at j + n*Dilation[k]. The zero value is no such image.
type Spread struct {
	Apart, First, Dilation [2]int
}

// None reports whether there is no image that is spread.
func (s Spread) None() bool { return s.Apart[0] == 0 }

// A convolution over an image that is spread with zeros, as a transposed convolution is
// read, multiplies zeros for the most part. A kernel that knows better reads the image as it
// was before.

// spreads finds what convolutions read that is an image spread with zeros, for
// them alone.
func (l *lowerer) spreads() {
	l.spread, l.absorbed = map[graph.NodeID]spreadImage{}, map[graph.NodeID]graph.NodeID{}
	if !l.t.Spread || l.opt.NoFuse || l.opt.KeepAll {
		return
	}
	g := l.Graph
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || op.Name != "conv2d" || l.uses[id.Out(0)] == 0 {
			continue
		}
		a, in := Attrs{op, g.Attrs(id)}, g.Operands(id)
		x, y := g.Sizes(in[0]), g.Sizes(id.Out(0))
		if g.TouchesEmpty(id) || As(a, x, y) != "conv2d" || l.t.held(g.DType(in[0])) != graph.Float32 {
			continue
		}
		if s, behind, ok := l.spreadBy(a, in[0], g.Sizes(in[1]), y); ok {
			l.spread[id] = s
			for _, n := range behind {
				l.absorbed[n] = id
			}
		}
	}
}

// spreadImage is an image before it is spread, and the sizes that it has after.
type spreadImage struct {
	Spread
	from  graph.Tensor
	sizes [2]int
}

// spreadBy is the image that a convolution with kernels of sizes w and a result of sizes y
// reads spread, and the nodes that spread it.
func (l *lowerer) spreadBy(a Attrs, x graph.Tensor, w, y []int) (s spreadImage, behind []graph.NodeID, ok bool) {
	g, sizes := l.Graph, l.Graph.Sizes(x)
	stride, _ := a.Get("stride")
	if st, ok := stride.Tuple(); !ok || !slices.Equal(st, []int64{1, 1}) {
		return s, nil, false
	}
	top, left, err := Pads(a, sizes, w[2], w[3])
	if err != nil {
		return s, nil, false
	}
	dh, dw, err := Dilation(a)
	if err != nil {
		return s, nil, false
	}
	before, dilation := [2]int{top, left}, [2]int{dh, dw}
	far := [2]int{y[2] + (w[2]-1)*dh, y[3] + (w[3]-1)*dw} // behind the last window
	if groups, err := a.Int("groups"); err == nil && groups == 1 && sizes[2] == 1 && sizes[3] == 1 && y[2]*y[3] > 1 {
		// Each cell of the result sees the one cell that there is, or nothing.
		return spreadImage{Spread{far, before, dilation}, x, [2]int{1, 1}}, nil, true
	}
	// From the convolution back to where the image is spread: what cuts off, and what
	// borders are put around.
	for at := x; ; at = g.Operands(at.Node)[0] {
		op := g.Op(at.Node)
		if op == nil || l.uses[at] != 1 {
			return s, nil, false
		}
		behind = append(behind, at.Node)
		if op.Name == "reshape" {
			break
		}
		if op.Name != "slice" && op.Name != "pad" {
			return s, nil, false
		}
	}
	slices.Reverse(behind)
	s, all, ok := l.spreadFrom(behind)
	if !ok {
		return s, nil, false
	}
	cut := [2][2]bool{} // by axis, whether cells are gone before and behind the image
	for _, id := range behind[1:] {
		if !s.moved(Attrs{g.Op(id), g.Attrs(id)}, &cut) {
			return s, nil, false
		}
	}
	// Where cells are gone the windows must not see that they are.
	for k := range 2 {
		if cut[k][0] && before[k] > 0 || cut[k][1] && far[k]-before[k] > s.sizes[k] {
			return s, nil, false
		}
		s.First[k] += before[k]
	}
	s.Dilation = dilation
	return s, all, true
}

// spreadFrom: a cell becomes a row of Apart cells, of which all but one are zeros. The
// reshape that makes images of the rows is the first of the nodes behind; all are these and
// those before it that nobody else needs.
func (l *lowerer) spreadFrom(behind []graph.NodeID) (s spreadImage, all []graph.NodeID, ok bool) {
	g := l.Graph
	made := func(t graph.Tensor, by string) bool {
		op := g.Op(t.Node)
		return op != nil && op.Name == by
	}
	padded := g.Operands(behind[0])[0]
	if !made(padded, "pad") || l.uses[padded] != 1 {
		return s, nil, false
	}
	apart := g.Operands(padded.Node)[0]
	if !made(apart, "reshape") {
		return s, nil, false
	}
	from := g.Operands(apart.Node)[0]
	x, out := g.Sizes(from), g.Sizes(behind[0].Out(0))
	a := Attrs{g.Op(padded.Node), g.Attrs(padded.Node)}
	before, err := a.Ints("before")
	if value, errV := a.Real("value"); err != nil || errV != nil || value != 0 || len(x) != 4 || len(out) != 4 {
		return s, nil, false
	}
	p := g.Sizes(padded)
	if !slices.Equal(g.Sizes(apart), []int{x[0], x[1], x[2], 1, x[3], 1}) ||
		len(p) != 6 || !slices.Equal(p, []int{x[0], x[1], x[2], p[3], x[3], p[5]}) || !slices.Equal(out, []int{x[0], x[1], x[2] * p[3], x[3] * p[5]}) {
		return s, nil, false
	}
	s = spreadImage{Spread{Apart: [2]int{p[3], p[5]}, First: [2]int{before[3], before[5]}}, from, [2]int{out[2], out[3]}}
	all = append([]graph.NodeID{padded.Node}, behind...)
	if l.uses[apart] == 1 {
		all = append(all, apart.Node)
	}
	return s, all, true
}

// moved is what a slice or a border of zeros makes of it. Cells that were cut off are not
// to become zeros.
func (s *spreadImage) moved(a Attrs, cut *[2][2]bool) bool {
	if a.Op.Name == "slice" {
		axis, errA := a.Int("axis")
		lo, errL := a.Int("lo")
		hi, errH := a.Int("hi")
		if errA != nil || errL != nil || errH != nil || axis < 2 {
			return false
		}
		k := axis - 2
		cut[k][0], cut[k][1] = cut[k][0] || lo > 0, cut[k][1] || hi < s.sizes[k]
		s.First[k], s.sizes[k] = s.First[k]-lo, hi-lo
		return true
	}
	before, errB := a.Ints("before")
	after, errA := a.Ints("after")
	value, errV := a.Real("value")
	if errB != nil || errA != nil || errV != nil || value != 0 || max(before[0], before[1], after[0], after[1]) > 0 {
		return false
	}
	for k := range 2 {
		if cut[k][0] && before[2+k] > 0 || cut[k][1] && after[2+k] > 0 {
			return false
		}
		s.First[k], s.sizes[k] = s.First[k]+before[2+k], s.sizes[k]+before[2+k]+after[2+k]
	}
	return true
}
