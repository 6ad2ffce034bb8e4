package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// MaxDevices is the most devices that [Run] starts.
const MaxDevices = 1024

// Result is what a run on virtual devices gives.
type Result[T any] struct {
	// Outputs are the graph's, as device 0 has them.
	Outputs []interp.Tensor[T]
	// Counts are what was sent, for each of the PCG's collectives.
	Counts []Count
}

// Run runs a PCG on virtual devices, a goroutine each, that share nothing and send each
// other messages. Device 0 gets the inputs, in the order of the graph's, and has the
// outputs in the end. The arithmetic is that of r; sums of members are added in the order
// of their places. Bytes are counted by the element types of the graph, whatever T is.
func Run[T any](ctx context.Context, p *PCG, r interp.Ring[T], in []interp.Tensor[T]) (*Result[T], error) {
	return runOn(ctx, p, r, in, newNetwork[T])
}

func runOn[T any](ctx context.Context, p *PCG, r interp.Ring[T], in []interp.Tensor[T], connect func(devices int) *network[T]) (*Result[T], error) {
	g, devices := p.Graph, p.Devices()
	if devices > MaxDevices {
		return nil, fmt.Errorf("run on devices: %d are more than %d", devices, MaxDevices)
	}
	if len(in) != len(g.Inputs()) {
		return nil, fmt.Errorf("run on devices: %d inputs, want %d", len(in), len(g.Inputs()))
	}
	net := connect(devices)
	all := make([]*device[T], devices)
	for i := range all {
		all[i] = &device[T]{p: p, r: r, at: p.coordinates(i), held: map[graph.Tensor]interp.Tensor[T]{}, uses: interp.Readers(g),
			port: port[T]{net: net, me: i, count: make([]tally, len(p.Collectives))}}
	}
	for i, id := range g.Inputs() {
		if want := g.Sizes(id.Out(0)); !slices.Equal(in[i].Sizes, want) || len(in[i].Data) != graph.NumElements(want) {
			return nil, fmt.Errorf("run on devices: input %s has sizes %v and %d elements, want %v", g.Name(id), in[i].Sizes, len(in[i].Data), want)
		}
		all[0].held[id.Out(0)] = in[i]
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, devices)
	var wg sync.WaitGroup
	for i, d := range all {
		wg.Go(func() {
			if errs[i] = d.run(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	var stopped error
	for i, err := range errs {
		switch {
		case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
			stopped = err
		case err != nil:
			return nil, fmt.Errorf("run on devices: device %d: %w", i, err)
		}
	}
	if stopped != nil {
		return nil, fmt.Errorf("run on devices: %w", stopped)
	}
	res := &Result[T]{Counts: make([]Count, len(p.Collectives))}
	for _, t := range g.Outputs() {
		res.Outputs = append(res.Outputs, all[0].held[t])
	}
	for i := range res.Counts {
		c := &res.Counts[i]
		for _, d := range all {
			n := d.port.count[i]
			c.Messages += n.messages
			c.Bytes += n.sent
			c.Sent, c.Got = append(c.Sent, n.sent), append(c.Got, n.got)
		}
	}
	return res, nil
}

// device is one of the virtual devices: it knows the graph, its place, and the members it
// has.
type device[T any] struct {
	p    *PCG
	r    interp.Ring[T]
	at   []int // along the dimensions of the mesh
	held map[graph.Tensor]interp.Tensor[T]
	uses []int // by node, what is still to read it
	port port[T]

	step int // the one it is in
}

func (d *device[T]) run(ctx context.Context) error {
	g := d.p.Graph
	for i, s := range d.p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.step = i
		read := []graph.NodeID{s.node}
		var err error
		if s.collective < 0 {
			err = d.compute(s.node)
		} else {
			read = d.p.Collectives[s.collective].Nodes
			err = d.collective(ctx, s.collective)
		}
		if err != nil {
			return fmt.Errorf("node %s: %w", g.Name(s.node), err)
		}
		for _, id := range read {
			for _, t := range g.Operands(id) {
				if d.uses[t.Node]--; d.uses[t.Node] == 0 {
					for k := range g.NumOut(t.Node) {
						delete(d.held, t.Node.Out(k))
					}
				}
			}
		}
	}
	return nil
}

// compute applies an operator to the members that the device has.
func (d *device[T]) compute(id graph.NodeID) error {
	if _, ok := d.p.memberAt(d.p.layouts[id][0], d.at); !ok {
		return nil
	}
	g := d.p.Graph
	if _, _, opaque := g.Opaque(id); opaque {
		return errors.New("what an opaque node computes is not known")
	}
	var args []interp.Tensor[T]
	for _, t := range g.Operands(id) {
		x, ok := d.held[t]
		if !ok {
			return fmt.Errorf("its member of %s is not here", tensorName(g, t))
		}
		args = append(args, x)
	}
	a := d.p.acts[id]
	out, err := interp.Apply(d.r, a.op, a.attrs, args)
	if err != nil {
		return err
	}
	for k, x := range out {
		d.held[id.Out(k)] = x
	}
	return nil
}
