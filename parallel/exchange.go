package parallel

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// exchange is what a device does in one collective.
type exchange[T any] struct {
	*device[T]
	ctx   context.Context
	index int
	c     *Collective
	from  graph.Tensor // what is handed on
	to    graph.Tensor // what becomes of it
	peers []int        // the devices of the group
	me    int          // its place among them
	a, b  act          // of the first and the last node
	bytes int64        // of an element
}

// collective takes part in a collective, if the device's place is on the mesh of what is
// handed on or of what becomes of it.
func (d *device[T]) collective(ctx context.Context, index int) error {
	p := d.p
	c := &p.Collectives[index]
	last := c.Nodes[len(c.Nodes)-1]
	e := &exchange[T]{device: d, ctx: ctx, index: index, c: c, from: p.Graph.Operands(c.Nodes[0])[0], to: last.Out(0),
		a: p.acts[c.Nodes[0]], b: p.acts[last]}
	e.bytes = int64(p.Graph.DType(e.from).Bytes())
	if e.a.kind == actSplit || e.a.kind == actMerge {
		return e.permute()
	}
	// The larger of the two meshes has all devices of the groups.
	l := p.Layout(e.to)
	if e.a.kind != actMake {
		l = p.Layout(e.from)
	}
	if _, ok := p.memberAt(l, d.at); !ok {
		return nil
	}
	e.peers, e.me = p.group(l[e.a.at].Axis, d.at)
	x, here := d.held[e.from]
	if !here && (e.a.kind != actMake || e.me == 0) {
		return fmt.Errorf("its member of %s is not here", tensorName(p.Graph, e.from))
	}
	return e.do(x)
}

func (e *exchange[T]) do(x interp.Tensor[T]) error {
	switch {
	case len(e.c.Nodes) == 2:
		return e.pair(x)
	case e.a.op == op.Partition:
		return e.scatter(x)
	case e.a.op == op.Replicate:
		return e.broadcast(x)
	case e.a.op == op.Lift:
		if e.me > 0 {
			x = zeros(e.r, e.p.memberSizes(e.to))
		}
		e.held[e.to] = x
		return nil
	case e.a.op == op.Combine:
		xs, err := e.gather(x)
		if err == nil && e.me == 0 {
			e.held[e.to] = join(xs, e.a.axis)
		}
		return err
	case e.a.op == op.Reduce:
		xs, err := e.gather(x)
		if err == nil && e.me == 0 {
			e.held[e.to] = e.add(xs)
		}
		return err
	case e.a.op == op.Drop:
		if e.me == 0 {
			e.held[e.to] = x
		}
		return nil
	case e.a.op == op.Halo:
		return e.halo(x)
	}
	return fmt.Errorf("operator %s sends nothing that is known", e.a.op.Name)
}

func (e *exchange[T]) pair(x interp.Tensor[T]) error {
	switch {
	case e.a.op == op.Reduce && e.b.op == op.Replicate:
		return e.allReduce(x)
	case e.a.op == op.Reduce: // reduce-scatter
		xs, err := e.deal(x, e.b.axis)
		if err == nil {
			e.held[e.to] = e.add(xs)
		}
		return err
	case e.b.op == op.Replicate: // all-gather
		xs, err := e.all(slices.Repeat([][]T{x.Data}, len(e.peers)), slices.Repeat([]int{len(x.Data)}, len(e.peers)))
		if err != nil {
			return err
		}
		e.held[e.to] = join(tensors(x.Sizes, xs), e.a.axis)
		return nil
	case e.a.axis == e.b.axis: // each has its part
		e.held[e.to] = x
		return nil
	default: // all-to-all
		xs, err := e.deal(x, e.b.axis)
		if err == nil {
			e.held[e.to] = join(xs, e.a.axis)
		}
		return err
	}
}

func tensors[T any](sizes []int, data [][]T) []interp.Tensor[T] {
	out := make([]interp.Tensor[T], len(data))
	for i, x := range data {
		out[i] = interp.Tensor[T]{Sizes: sizes, Data: x}
	}
	return out
}

func (e *exchange[T]) add(xs []interp.Tensor[T]) interp.Tensor[T] {
	data := make([][]T, len(xs))
	for i := range xs {
		data[i] = xs[i].Data
	}
	return interp.Tensor[T]{Sizes: xs[0].Sizes, Data: sum(e.r, data)}
}

func (e *exchange[T]) send(peer int, data []T) error {
	return e.port.send(e.ctx, e.step, e.index, e.peers[peer], data, e.bytes)
}

func (e *exchange[T]) receive(peer, n int) ([]T, error) {
	return e.port.receive(e.ctx, e.step, e.index, e.peers[peer], n, e.bytes)
}

// all sends the device at each place its part and receives theirs, n elements from each.
func (e *exchange[T]) all(parts [][]T, n []int) ([][]T, error) {
	got := make([][]T, len(e.peers))
	got[e.me] = parts[e.me]
	for i := range e.peers {
		if i != e.me {
			if err := e.send(i, parts[i]); err != nil {
				return nil, err
			}
		}
	}
	for i := range e.peers {
		if i != e.me {
			var err error
			if got[i], err = e.receive(i, n[i]); err != nil {
				return nil, err
			}
		}
	}
	return got, nil
}

// scatter deals parts out from place 0.
func (e *exchange[T]) scatter(x interp.Tensor[T]) error {
	sizes := e.p.memberSizes(e.to)
	if e.me > 0 {
		data, err := e.receive(0, graph.NumElements(sizes))
		e.held[e.to] = interp.Tensor[T]{Sizes: sizes, Data: data}
		return err
	}
	n := sizes[e.a.axis]
	for i := 1; i < len(e.peers); i++ {
		if err := e.send(i, cut(x, e.a.axis, i*n, (i+1)*n).Data); err != nil {
			return err
		}
	}
	e.held[e.to] = cut(x, e.a.axis, 0, n)
	return nil
}

func (e *exchange[T]) broadcast(x interp.Tensor[T]) error {
	if e.me > 0 {
		sizes := e.p.memberSizes(e.to)
		data, err := e.receive(0, graph.NumElements(sizes))
		e.held[e.to] = interp.Tensor[T]{Sizes: sizes, Data: data}
		return err
	}
	for i := 1; i < len(e.peers); i++ {
		if err := e.send(i, x.Data); err != nil {
			return err
		}
	}
	e.held[e.to] = x
	return nil
}

// gather brings all members to place 0.
func (e *exchange[T]) gather(x interp.Tensor[T]) ([]interp.Tensor[T], error) {
	if e.me > 0 {
		return nil, e.send(0, x.Data)
	}
	xs := []interp.Tensor[T]{x}
	for i := 1; i < len(e.peers); i++ {
		data, err := e.receive(i, len(x.Data))
		if err != nil {
			return nil, err
		}
		xs = append(xs, interp.Tensor[T]{Sizes: x.Sizes, Data: data})
	}
	return xs, nil
}

// deal sends each place its part of the member along an axis.
func (e *exchange[T]) deal(x interp.Tensor[T], axis int) ([]interp.Tensor[T], error) {
	n := x.Sizes[axis] / len(e.peers)
	var parts [][]T
	for i := range e.peers {
		parts = append(parts, cut(x, axis, i*n, (i+1)*n).Data)
	}
	xs, err := e.all(parts, slices.Repeat([]int{len(parts[0])}, len(parts)))
	return tensors(with(x.Sizes, axis, n), xs), err
}

// allReduce adds up a part of the elements at each place and sends the sums around.
func (e *exchange[T]) allReduce(x interp.Tensor[T]) error {
	g, n := len(e.peers), len(x.Data)
	parts, lengths := make([][]T, g), make([]int, g)
	for i := range g {
		parts[i] = x.Data[n*i/g : n*(i+1)/g]
		lengths[i] = len(parts[i])
	}
	xs, err := e.all(parts, slices.Repeat([]int{lengths[e.me]}, g))
	if err != nil {
		return err
	}
	mine := sum(e.r, xs)
	sums, err := e.all(slices.Repeat([][]T{mine}, g), lengths)
	if err != nil {
		return err
	}
	e.held[e.to] = interp.Tensor[T]{Sizes: x.Sizes, Data: slices.Concat(sums...)}
	return nil
}

// halo takes the last places of the part before and the first ones of the part behind.
func (e *exchange[T]) halo(x interp.Tensor[T]) error {
	axis, before, after := e.a.axis, e.a.before, e.a.after
	n := x.Sizes[axis]
	border := func(places int) interp.Tensor[T] { return zeros(e.r, with(x.Sizes, axis, places)) }
	if e.me+1 < len(e.peers) && before > 0 {
		if err := e.send(e.me+1, cut(x, axis, n-before, n).Data); err != nil {
			return err
		}
	}
	if e.me > 0 && after > 0 {
		if err := e.send(e.me-1, cut(x, axis, 0, after).Data); err != nil {
			return err
		}
	}
	var parts []interp.Tensor[T]
	take := func(peer, places int) error {
		if places == 0 {
			return nil
		}
		b := border(places)
		if peer >= 0 && peer < len(e.peers) {
			data, err := e.receive(peer, len(b.Data))
			if err != nil {
				return err
			}
			b.Data = data
		}
		parts = append(parts, b)
		return nil
	}
	if err := take(e.me-1, before); err != nil {
		return err
	}
	parts = append(parts, x)
	if err := take(e.me+1, after); err != nil {
		return err
	}
	e.held[e.to] = join(parts, axis)
	return nil
}

// permute moves members to the devices at whose places another mesh has them.
func (e *exchange[T]) permute() error {
	p, id := e.p, e.to.Node
	own := p.device(e.at)
	sizes := p.memberSizes(e.to)
	if place, ok := p.Member(e.from, own); ok {
		x := e.held[e.from]
		if to := p.holder(p.Layout(e.to), p.moved(id, place)); to != own {
			if err := e.port.send(e.ctx, e.step, e.index, to, x.Data, e.bytes); err != nil {
				return err
			}
		} else {
			e.held[e.to] = x
		}
	}
	place, ok := p.Member(e.to, own)
	if !ok {
		return nil
	}
	from := p.holder(p.Layout(e.from), p.cameFrom(id, place))
	if from == own {
		return nil
	}
	data, err := e.port.receive(e.ctx, e.step, e.index, from, graph.NumElements(sizes), e.bytes)
	e.held[e.to] = interp.Tensor[T]{Sizes: sizes, Data: data}
	return err
}
