package pad

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/taso-go/taso/graph"
)

// writer decides on versions of the tensors of a network.
type writer struct {
	ctx    context.Context
	g      *graph.Graph
	next   map[int]int
	cells  Cells
	masked map[graph.Tensor]bool // they are masked where they are made
	laws   *Laws

	same    map[graph.Tensor]*version
	padded  map[graph.Tensor]*version // as which a tensor is made
	other   map[graph.Tensor][]*version
	cleaned map[*version]*version
	twice   map[graph.Tensor]bool // what is made twice, while costs are added up
	readers map[graph.Tensor]int
	outs    []*version
	seq     int
	depth   int
}

// maxPadded is how many padded operands of an operator are told apart.
const maxPadded = 4

func newWriter(ctx context.Context, g *graph.Graph, next map[int]int, cells Cells, masked map[graph.Tensor]bool, laws *Laws) *writer {
	w := &writer{ctx: ctx, g: g, next: next, cells: cells, masked: masked, laws: laws, same: map[graph.Tensor]*version{},
		padded: map[graph.Tensor]*version{}, other: map[graph.Tensor][]*version{}, cleaned: map[*version]*version{},
		twice: map[graph.Tensor]bool{}, readers: map[graph.Tensor]int{}}
	for id := range g.Nodes() {
		for _, t := range g.Operands(id) {
			w.readers[t]++
		}
	}
	return w
}

func (w *writer) run() error {
	inputs := 0
	for id := range w.g.Nodes() {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.g.Op(id) == nil {
			t := id.Out(0)
			m := w.make(id, read, nil, nil)
			if after := w.cells[inputs]; some(after) {
				w.padded[t] = w.result(m, t, zero, after, nothing)
			} else {
				w.same[t] = w.result(m, t, same, nil, unknown)
			}
			inputs++
			continue
		}
		if _, _, opaque := w.g.Opaque(id); opaque {
			return fmt.Errorf("%w: node %s is opaque", ErrNone, w.g.Name(id))
		}
		if err := w.node(id); err != nil {
			return err
		}
		for k := range w.g.NumOut(id) {
			if t := id.Out(k); w.masked[t] && w.padded[t] != nil {
				v, err := w.clean(w.padded[t])
				if err != nil {
					return err
				}
				if v != nil {
					w.padded[t] = v
				}
			}
		}
	}
	for k, t := range w.g.Outputs() {
		in, brought := w.next[k]
		after := w.cells[in]
		if !brought || !some(after) {
			v, err := w.whole(t)
			if err != nil {
				return err
			}
			w.outs = append(w.outs, v)
			continue
		}
		v, err := w.with(t, after)
		if err == nil {
			v, err = w.clean(v)
		}
		if err != nil {
			return err
		}
		if v == nil {
			return fmt.Errorf("%w: output %d cannot be masked", ErrNone, k)
		}
		w.outs = append(w.outs, v)
	}
	return nil
}

// node applies an operator to padded operands, as many as laws allow.
func (w *writer) node(id graph.NodeID) error {
	operands := w.g.Operands(id)
	var long []int
	held := true // all are there as they came
	for i, t := range operands {
		if w.padded[t] != nil {
			long = append(long, i)
			held = held && w.same[t] != nil
		}
	}
	if len(long) == 0 || held && !heavy(w.g.Op(id)) || len(long) > maxPadded {
		return w.plain(id)
	}
	for n := len(long); n > 0; n-- {
		for pick := range 1 << len(long) {
			if bits.OnesCount(uint(pick)) != n {
				continue
			}
			after := make([][]int, len(operands))
			for j, i := range long {
				if pick>>j&1 != 0 {
					after[i] = w.padded[operands[i]].after
				}
			}
			for _, a := range w.fit(id, after) {
				m, err := w.apply(id, a, nil)
				if err != nil {
					return err
				}
				if m == nil {
					continue
				}
				for _, v := range m.outs {
					if v.kind == same {
						w.same[v.of] = v
					} else {
						w.padded[v.of] = v
					}
				}
				return nil
			}
		}
	}
	return w.plain(id)
}

// plain applies an operator to its operands as they came.
func (w *writer) plain(id graph.NodeID) error {
	var in []*version
	for _, t := range w.g.Operands(id) {
		v, err := w.whole(t)
		if err != nil {
			return err
		}
		in = append(in, v)
	}
	o, attrs := w.g.Op(id), w.g.Attrs(id)
	m := w.make(id, compute, attrs, nil, in...)
	s := signOf(o, attrs, in)
	if s == inside {
		s = unknown
	}
	for k := range w.g.NumOut(id) {
		w.same[id.Out(k)] = w.result(m, id.Out(k), same, nil, s)
	}
	return nil
}

// heavy reports whether an operator takes much longer than to read and write its tensors.
func heavy(o *graph.Op) bool { return o.Class == "matmul" || o.Class == "conv" }

// fit completes which cells operands have: those that lie along the axes of one result have the
// same, and where a sum goes over cells of one operand it goes over those of another one.
func (w *writer) fit(id graph.NodeID, after [][]int) (out [][][]int) {
	o, attrs, operands := w.g.Op(id), w.g.Attrs(id), w.g.Operands(id)
	ranks := make([]int, len(operands))
	for i, t := range operands {
		ranks[i] = len(w.g.Sizes(t))
	}
	full := make([][]int, len(after))
	for i := range after {
		full[i] = make([]int, ranks[i])
		copy(full[i], after[i])
	}
	// An operand that is made with other cells keeps to those; an input can have more.
	settled := func(i int) bool { return after[i] != nil && w.g.Op(operands[i].Node) != nil }
	used := map[graph.OperandAxis]bool{}
	for axis := range w.g.Sizes(id.Out(0)) {
		from := o.OperandAxes(attrs, ranks, axis)
		most := 0
		for _, a := range from {
			if a.Operand >= len(full) || a.Axis < 0 || a.Axis >= ranks[a.Operand] {
				return nil
			}
			used[a] = true
			most = max(most, full[a.Operand][a.Axis])
		}
		for _, a := range from {
			if full[a.Operand][a.Axis] != most {
				if settled(a.Operand) {
					return nil
				}
				full[a.Operand][a.Axis] = most
			}
		}
	}
	out = [][][]int{full}
	for i, x := range full {
		for axis, n := range x {
			if n == 0 || used[graph.OperandAxis{Operand: i, Axis: axis}] {
				continue
			}
			for j := range full {
				for other, size := range w.g.Sizes(operands[j]) {
					if j == i || settled(j) || full[j][other] != 0 || used[graph.OperandAxis{Operand: j, Axis: other}] ||
						size != w.g.Sizes(operands[i])[axis] {
						continue
					}
					both := slices.Clone(full)
					both[j] = slices.Clone(full[j])
					both[j][other] = n
					out = append(out, both)
				}
			}
		}
	}
	return out
}

// apply applies an operator to operands with such cells, if laws say what its results then are:
// with the cells that are wanted, nil: any.
func (w *writer) apply(id graph.NodeID, after [][]int, want []int) (*made, error) {
	o, operands := w.g.Op(id), w.g.Operands(id)
	shapes := make([]graph.Shape, len(operands))
	for i, t := range operands {
		shapes[i] = graph.Sizes(longer(w.g.Sizes(t), after[i])...)
	}
	for _, attrs := range w.attributes(id, after, want) {
		cells, ok := w.results(id, attrs, shapes, want)
		if !ok {
			continue
		}
		in := make([]*version, len(operands))
		for i, t := range operands {
			var err error
			if some(after[i]) {
				in[i], err = w.with(t, after[i])
			} else {
				in[i], err = w.whole(t)
			}
			if err != nil {
				return nil, err
			}
		}
		tries := [][]*version{in}
		var dirty []int
		for i, v := range in {
			if v.kind == loose {
				dirty = append(dirty, i)
			}
		}
		masked := slices.Clone(in)
		for _, i := range dirty {
			c, err := w.clean(in[i])
			if err != nil {
				return nil, err
			}
			if c == nil {
				continue
			}
			one := slices.Clone(in)
			one[i], masked[i] = c, c
			tries = append(tries, one)
		}
		if len(dirty) > 1 {
			tries = append(tries, masked)
		}
		for _, in := range tries {
			m, err := w.proved(id, o, attrs, in, cells)
			if m != nil || err != nil {
				return m, err
			}
		}
	}
	return nil, nil
}

// results are the cells of results; false: an operator does not take such operands, or its
// results are smaller than they were.
func (w *writer) results(id graph.NodeID, attrs graph.Attrs, in []graph.Shape, want []int) (out [][]int, ok bool) {
	var f graph.Unifier
	shapes, err := w.g.Op(id).InferShapes(&f, attrs, in)
	if err != nil {
		return nil, false
	}
	for k, s := range shapes {
		sizes, known := s.Concrete()
		was := w.g.Sizes(id.Out(k))
		if !known || len(sizes) != len(was) {
			return nil, false
		}
		cells := make([]int, len(was))
		for i := range sizes {
			if cells[i] = sizes[i] - was[i]; cells[i] < 0 {
				return nil, false
			}
		}
		if k == 0 && want != nil && !slices.Equal(cells, want) {
			return nil, false
		}
		out = append(out, cells)
	}
	return out, true
}

// proved applies an operator to versions; nil: what its results are is not proved.
func (w *writer) proved(id graph.NodeID, o *graph.Op, attrs graph.Attrs, in []*version, cells [][]int) (*made, error) {
	if !defined(o, attrs, in) {
		return nil, nil
	}
	var from []operand
	long := false
	for i, t := range w.g.Operands(id) {
		from = append(from, in[i].operand(w.g.Sizes(t)))
		long = long || in[i].kind != same
	}
	m := w.make(id, compute, attrs, nil, in...)
	for k, after := range cells {
		t := id.Out(k)
		kinds := []kind{zero, loose}
		if !some(after) {
			kinds, after = []kind{same}, nil
		}
		s := signOf(o, attrs, in)
		if after == nil && (long || s == inside) {
			s = unknown // it is of inside too
		}
		ok := false
		for _, k := range kinds {
			l, err := w.laws.of(w.ctx, o, w.g.Attrs(id), attrs, from, int(t.Out), operand{k, w.g.Sizes(t), after})
			if err != nil {
				return nil, err
			}
			if ok = l != nil; ok {
				m.laws = append(m.laws, l)
				w.result(m, t, k, after, s)
				break
			}
		}
		if !ok {
			return nil, nil
		}
	}
	return m, nil
}

// attributes are those that an operator may have where its operands have cells: its own, or a
// size among them that is as much larger. Of what is wanted, they are those of that.
func (w *writer) attributes(id graph.NodeID, after [][]int, want []int) []graph.Attrs {
	g := w.g
	o, attrs := g.Op(id), g.Attrs(id)
	out := []graph.Attrs{attrs}
	type share struct{ was, is int }
	var shares []share
	note := func(sizes, after []int) {
		for i, n := range after {
			if s := (share{sizes[i], sizes[i] + n}); n > 0 && !slices.Contains(shares, s) {
				shares = append(shares, s)
			}
		}
	}
	for i, t := range g.Operands(id) {
		note(g.Sizes(t), after[i])
	}
	if want != nil {
		note(g.Sizes(id.Out(0)), want)
	}
	for i, p := range o.Params {
		with := func(v graph.Value) {
			a := slices.Clone(attrs)
			a[i] = v
			out = append(out, a)
		}
		for _, s := range shares {
			grown := func(n int64) (int64, bool) { return n / int64(s.was) * int64(s.is), n > 0 && n%int64(s.was) == 0 }
			switch p.Sort {
			case "shape":
				shape, _ := attrs[i].Shape()
				if want != nil && len(shape) == len(want) {
					with(graph.ShapeValue(graph.Sizes(longer(g.Sizes(id.Out(0)), want)...)))
					continue
				}
				for k := range shape {
					n, ok := shape[k].Dim.Const()
					if more, fits := grown(n); ok && fits {
						with(graph.ShapeValue(shape.With(k, graph.Int(more))))
					} else if ok && int(n)*s.is%s.was == 0 {
						with(graph.ShapeValue(shape.With(k, graph.Int(n*int64(s.is)/int64(s.was)))))
					}
				}
			case "int":
				if d, ok := attrs[i].Dim(); ok {
					n, ok := d.Const()
					if more, fits := grown(n); ok && fits {
						with(graph.IntValue(more))
					}
				}
			}
		}
	}
	return out
}
