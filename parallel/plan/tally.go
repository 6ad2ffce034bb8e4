package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// tally is a choice of one way for each operator and one place for each weight, with its
// price, which is kept up to date: what changes with a way are its own time and the
// conversions of its operands and results.
type tally struct {
	*space
	way      []*way // by node; nil: an input, or not needed
	resident map[graph.NodeID]place
	readers  map[graph.Tensor][]reader
	moved    map[graph.Tensor]machine.Time // what its conversions cost
	cost     machine.Time
	wanted   []place // of one tensor, as it is priced
}

// reader is an operand of a node.
type reader struct {
	node    graph.NodeID
	operand int
}

// tally begins with layouts, of which the first way of each operator counts; nil: not each
// has one.
func (s *space) tally(l *layouts) *tally {
	y := &tally{space: s, way: make([]*way, len(s.ways)), resident: map[graph.NodeID]place{},
		readers: map[graph.Tensor][]reader{}, moved: map[graph.Tensor]machine.Time{}}
	for id := range s.weights {
		y.resident[id] = l.resident[id]
	}
	for id := range s.g.Nodes() {
		if s.ways[id] == nil {
			continue
		}
		if len(l.ways[id]) == 0 {
			return nil
		}
		y.way[id] = l.ways[id][0]
		for i, t := range s.g.Operands(id) {
			y.readers[t] = append(y.readers[t], reader{id, i})
		}
	}
	y.count()
	return y
}

// count prices everything.
func (y *tally) count() {
	y.cost = 0
	clear(y.moved)
	for id := range y.g.Nodes() {
		if w := y.way[id]; w != nil {
			y.cost += w.cost
		}
		for k := range y.g.NumOut(id) {
			y.move(id.Out(k))
		}
	}
}

// move prices the conversions of a tensor anew.
func (y *tally) move(t graph.Tensor) {
	now := y.conversions(t)
	y.cost += now - y.moved[t]
	y.moved[t] = now
}

// conversions is what it costs to bring a tensor to all places where it is wanted, from
// where it is made, each once.
func (y *tally) conversions(t graph.Tensor) (sum machine.Time) {
	typ := y.sort(t)
	var from place
	anywhere := false // an input that is no weight lies where it is wanted
	if w := y.way[t.Node]; w != nil {
		from = w.out[t.Out]
	} else if at, ok := y.resident[t.Node]; ok {
		from = at
	} else if y.given(t) {
		anywhere = true
	} else {
		return 0 // not needed
	}
	y.wanted = y.wanted[:0]
	want := func(p place) {
		if !slices.Contains(y.wanted, p) {
			y.wanted = append(y.wanted, p)
			if !anywhere {
				sum += y.price(typ, from, p)
			}
		}
	}
	for _, r := range y.readers[t] {
		want(y.way[r.node].in[r.operand])
	}
	for _, output := range y.becomes[t] {
		if in, ok := y.final(output); ok {
			want(y.resident[in])
		} else if !anywhere {
			sum += y.ends(typ, from)
		}
	}
	return sum
}

// touched are the tensors whose conversions depend on a node's way, or on where a weight
// lies.
func (y *tally) touched(id graph.NodeID) []graph.Tensor {
	out := slices.Clone(y.g.Operands(id))
	for k := range y.g.NumOut(id) {
		out = append(out, id.Out(k))
	}
	return append(out, y.follows[id]...)
}

// use takes another way for a node.
func (y *tally) use(id graph.NodeID, w *way) {
	y.cost += w.cost - y.way[id].cost
	y.way[id] = w
	for _, t := range y.touched(id) {
		y.move(t)
	}
}

// put lays a weight to another place.
func (y *tally) put(id graph.NodeID, p place) {
	y.resident[id] = p
	for _, t := range y.touched(id) {
		y.move(t)
	}
}

// settle lays each weight where that is cheapest, with all else as it is; lies lists the
// places that are allowed.
func (y *tally) settle(lies func(graph.NodeID) []place) {
	for _, id := range y.g.Inputs() {
		if _, ok := y.weights[id]; !ok {
			continue
		}
		best, least := y.resident[id], y.cost
		for _, p := range lies(id) {
			y.put(id, p)
			if y.cost < least {
				best, least = p, y.cost
			}
		}
		y.put(id, best)
	}
}

// layouts are the choice.
func (y *tally) layouts() *layouts {
	out := &layouts{ways: make([][]*way, len(y.way)), resident: map[graph.NodeID]place{}, cost: y.cost, stop: "done"}
	for id, w := range y.way {
		if w != nil {
			out.ways[id] = []*way{w}
		}
	}
	for id, p := range y.resident {
		out.resident[id] = p
	}
	return out
}
