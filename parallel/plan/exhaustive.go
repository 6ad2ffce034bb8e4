package plan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// exhaustivePlanner judges the others: it looks at all choices there are.
var exhaustivePlanner = &Planner{
	Name:  "exhaustive",
	About: "all meshes and all shardings of all operators, for small graphs",
	Find:  exhaustive,
}

// maxCombinations is how many choices of a place for each weight and a way for each operator
// are looked at, at most.
const maxCombinations = 10_000_000

// ErrLarge is wrapped by the error of a planner that has too many choices to look at.
var ErrLarge = errors.New("too many choices of layouts")

func exhaustive(ctx context.Context, j *Job) (*Plan, error) {
	var spaces []*space
	total := 0.0
	for _, degrees := range factorizations(j.Devices, maxAxes) {
		m, err := NewMesh(j.Cluster, degrees...)
		if err != nil {
			return nil, err
		}
		s, err := newSpace(ctx, j, m)
		if err != nil {
			return nil, err
		}
		spaces = append(spaces, s)
		if total += s.combinations(); total > maxCombinations {
			return nil, fmt.Errorf("%w: %.3g at least, and at most %d are looked at", ErrLarge, total, maxCombinations)
		}
	}
	var best *Plan
	for _, s := range spaces {
		e := &enumeration{space: s, best: never}
		if err := e.all(); err != nil {
			return nil, err
		}
		if e.least == nil {
			continue
		}
		p, err := s.realize(e.least)
		if err != nil {
			return nil, err
		}
		if best == nil || p.Time() < best.Time() {
			best = p
		}
	}
	if best == nil {
		return nil, ErrMeans
	}
	return best, nil
}

// factorizations are all ways to write n as a product of at most so many factors of at
// least 2, in each order; of 1 that of itself.
func factorizations(n, most int) (out [][]int) {
	if most == 0 {
		return nil
	}
	out = append(out, []int{n})
	for _, d := range divisors(n) {
		for _, rest := range factorizations(n/d, most-1) {
			out = append(out, append([]int{d}, rest...))
		}
	}
	return out
}

// combinations is the number of choices of a place for each weight and a way for each
// operator.
func (s *space) combinations() float64 {
	n := 1.0
	for id := range s.g.Nodes() {
		if s.ways[id] != nil {
			n *= float64(len(s.ways[id]))
		}
		if _, ok := s.weights[id]; ok {
			n *= float64(len(s.lies(id.Out(0))))
		}
		if n > math.MaxFloat64/1e9 {
			return n
		}
	}
	return n
}

// enumeration goes through all choices, from the outputs back: who reads a tensor has said
// in which places it is wanted, and each set of ways of its operator is tried that has no
// more of them than places are wanted. What is left to choose depends on what is wanted of
// it alone: it is gone through once for all choices that agree in that.
type enumeration struct {
	*space
	resident map[graph.NodeID]place
	chosen   [][]*way
	wants    map[graph.Tensor][]place
	known    map[string]tried
	best     machine.Time
	least    *layouts
	visited  int64
}

// tried is the best that can be had of a node and those before it.
type tried struct {
	cost machine.Time
	set  []*way // of the node
}

func (e *enumeration) all() error {
	e.resident, e.chosen, e.wants = map[graph.NodeID]place{}, make([][]*way, len(e.ways)), map[graph.Tensor][]place{}
	var weights []graph.NodeID
	for _, id := range e.g.Inputs() {
		if _, ok := e.weights[id]; ok {
			weights = append(weights, id)
		}
	}
	var rec func(i int) error
	rec = func(i int) error {
		if i < len(weights) {
			for _, p := range e.lies(weights[i].Out(0)) {
				e.resident[weights[i]] = p
				if err := rec(i + 1); err != nil {
					return err
				}
			}
			return nil
		}
		return e.one()
	}
	return rec(0)
}

// one finds the best choice for the places of weights as they are.
func (e *enumeration) one() error {
	clear(e.wants)
	e.known = map[string]tried{}
	for output, t := range e.g.Outputs() {
		if in, ok := e.final(output); ok {
			e.want(t, e.resident[in])
		}
	}
	cost, err := e.node(graph.NodeID(e.g.Len()))
	if err != nil || cost >= e.best {
		return err
	}
	e.best = cost
	e.least = &layouts{ways: make([][]*way, len(e.ways)), resident: maps.Clone(e.resident), cost: cost, bound: cost, stop: extract.StopOptimal}
	for id := graph.NodeID(e.g.Len()); id > 0; id-- { // what was best is followed
		if e.ways[id] == nil {
			continue
		}
		e.least.ways[id] = e.known[e.key(id)].set
		for _, w := range e.least.ways[id] {
			for i, t := range e.g.Operands(id) {
				e.want(t, w.in[i])
			}
		}
	}
	return nil
}

// want notes that a tensor is wanted in a place; it reports whether that is new.
func (e *enumeration) want(t graph.Tensor, p place) bool {
	at, found := slices.BinarySearchFunc(e.wants[t], p, func(a, b place) int { return slices.Compare(a[:], b[:]) })
	if !found {
		e.wants[t] = slices.Insert(e.wants[t], at, p)
	}
	return !found
}

func (e *enumeration) unwant(t graph.Tensor, p place) {
	at := slices.Index(e.wants[t], p)
	e.wants[t] = slices.Delete(e.wants[t], at, at+1)
}

// key is what is wanted of a node and those before it.
func (e *enumeration) key(id graph.NodeID) string {
	key := []byte(fmt.Sprint(id))
	for n := graph.NodeID(1); n <= id; n++ {
		for k := range e.g.NumOut(n) {
			t := n.Out(k)
			if len(e.wants[t]) == 0 {
				continue
			}
			key = append(key, byte(n), byte(n>>8), byte(k), byte(len(e.wants[t])))
			for _, p := range e.wants[t] {
				for _, c := range p {
					key = binary.LittleEndian.AppendUint32(key, uint32(c))
				}
			}
		}
	}
	return string(key)
}

// node is the least cost of a node and those before it.
func (e *enumeration) node(id graph.NodeID) (least machine.Time, err error) {
	if id == 0 {
		return 0, nil
	}
	if e.visited++; e.visited%4096 == 0 {
		if err := e.ctx.Err(); err != nil {
			return 0, err
		}
		if e.err != nil {
			return 0, e.err
		}
		if e.visited > maxCombinations {
			return 0, fmt.Errorf("%w: more than %d, those of operators that are computed in several ways among them", ErrLarge, e.visited-1)
		}
	}
	if e.ways[id] == nil {
		least, err = e.node(id - 1)
		if at, ok := e.resident[id]; ok {
			t := id.Out(0)
			for _, p := range e.wants[t] {
				least += e.price(e.sort(t), at, p)
			}
		}
		return least, err
	}
	key := e.key(id)
	if r, ok := e.known[key]; ok {
		return r.cost, nil
	}
	most := 0
	for k := range e.g.NumOut(id) {
		most += len(e.wants[id.Out(k)])
	}
	best := tried{cost: never}
	err = e.sets(id, 0, max(1, most), 0, &best)
	e.known[key] = best
	return best.cost, err
}

// sets chooses ways of a node from the given one on, at most so many more. A set that costs
// as much as the best whatever is below, and ways added to one that bring nothing nearer,
// need not be followed.
func (e *enumeration) sets(id graph.NodeID, from, most int, spent machine.Time, best *tried) error {
	without := never
	if len(e.chosen[id]) > 0 {
		without = e.moves(id)
	}
	for i := from; i < len(e.ways[id]); i++ {
		w := e.ways[id][i]
		if spent+w.cost >= best.cost {
			continue
		}
		e.chosen[id] = append(e.chosen[id], w)
		err := e.with(id, w, i, most, spent+w.cost, without, best)
		e.chosen[id] = e.chosen[id][:len(e.chosen[id])-1]
		if err != nil {
			return err
		}
	}
	return nil
}

// with goes on with a way that was added to those of a node.
func (e *enumeration) with(id graph.NodeID, w *way, i, most int, spent, without machine.Time, best *tried) error {
	moves := e.moves(id)
	if moves >= without {
		return nil
	}
	var fresh []int
	for k, t := range e.g.Operands(id) {
		if e.want(t, w.in[k]) {
			fresh = append(fresh, k)
		}
	}
	var err error
	if spent+moves < best.cost {
		var rest machine.Time
		if rest, err = e.node(id - 1); err == nil && rest+spent+moves < best.cost {
			*best = tried{rest + spent + moves, slices.Clone(e.chosen[id])}
		}
	}
	if err == nil && most > 1 {
		err = e.sets(id, i+1, most-1, spent, best)
	}
	for _, k := range fresh {
		e.unwant(e.g.Operands(id)[k], w.in[k])
	}
	return err
}

// moves is what it costs to bring a node's results to where they are wanted, each from the
// chosen way from which that is cheapest.
func (e *enumeration) moves(id graph.NodeID) (sum machine.Time) {
	for k := range e.g.NumOut(id) {
		t := id.Out(k)
		typ := e.sort(t)
		for _, p := range e.wants[t] {
			least := never
			for _, w := range e.chosen[id] {
				least = min(least, e.price(typ, w.out[k], p))
			}
			sum += least
		}
		for _, output := range e.becomes[t] {
			if _, ok := e.final(output); ok {
				continue
			}
			least := never
			for _, w := range e.chosen[id] {
				least = min(least, e.ends(typ, w.out[k]))
			}
			sum += least
		}
	}
	return sum
}
