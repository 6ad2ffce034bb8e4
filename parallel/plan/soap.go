package plan

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/taso-go/taso/graph"
	workers "github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// soapPlanner is the search of FlexFlow: a Markov chain over configurations, one of each
// operator and weight at a time (Jia, Zaharia, Aiken, Beyond data and model parallelism
// for deep neural networks, MLSys 2019, section 6).
var soapPlanner = &Planner{
	Name:  "soap",
	About: "a Metropolis random walk over the shardings of each operator (FlexFlow)",
	Find:  soap,
}

const (
	// walkScale times a relative difference of cost is the exponent by which it is accepted.
	walkScale = 200
	// walkMoves is how many moves without a better choice end a walk, by things to choose.
	walkMoves = 40
)

// soap takes of data parallelism, with which FlexFlow begins, and of what walks end at the plan
// whose simulated step is shortest: walks add times up, and do not see what is sent meanwhile.
func soap(ctx context.Context, j *Job) (*Plan, error) {
	meshes, err := j.meshes()
	if err != nil {
		return nil, err
	}
	ways := []func() (*Plan, error){func() (*Plan, error) { return dataPlanner.Find(ctx, j) }}
	for _, m := range meshes {
		ways = append(ways, func() (*Plan, error) {
			p, err := j.walk(ctx, m)
			if err == nil {
				p, err = j.fit(p)
			}
			return p, err
		})
	}
	found := make([]outcome, len(ways))
	steps := make([]machine.Time, len(ways))
	err = workers.Each(ctx, 0, len(ways), func(_, i int) (err error) {
		x := &found[i]
		if x.plan, x.err = ways[i](); x.err == nil {
			steps[i], x.err = x.plan.Makespan(context.WithoutCancel(ctx)) // what is found is worth its price
		}
		if x.err != nil && !IsNone(x.err) {
			return x.err
		}
		return nil
	})
	var best *Plan
	var least machine.Time
	var first error
	for i, x := range found {
		switch {
		case x.err != nil:
			if first == nil && IsNone(x.err) {
				first = x.err
			}
		case x.plan != nil && (best == nil || steps[i] < least):
			best, least = x.plan, steps[i]
		}
	}
	if err != nil && (ctx.Err() == nil || best == nil) {
		return nil, err
	}
	if best == nil {
		return nil, first
	}
	return best.stopped(ctx, nil)
}

// walk goes over the layouts on a mesh, once from data parallelism, and once from a layout
// that is drawn.
func (j *Job) walk(ctx context.Context, m *Mesh) (*Plan, error) {
	s, err := j.space(ctx, m)
	if err != nil {
		return nil, err
	}
	s = s.clone()
	draw := rand.New(rand.NewPCG(j.Seed, uint64(len(m.Degrees))))
	starts := []*layouts{s.data(), s.drawn(draw)}
	var best *layouts
	moves := j.Steps / 1000 / int64(len(starts))
	for _, l := range starts {
		j.Progress("random walk")
		y := s.tally(l)
		if y == nil {
			continue
		}
		if y.walk(draw, moves, walkScale); y.err != nil {
			return nil, y.err
		}
		if y.cost < never && (best == nil || y.cost < best.cost) {
			best = y.layouts()
		}
		if ctx.Err() != nil {
			break
		}
	}
	if best == nil {
		return nil, ErrMeans
	}
	return s.realize(best)
}

// drawn is a choice in which each operator has a way that is drawn.
func (s *space) drawn(draw *rand.Rand) *layouts {
	l := &layouts{ways: make([][]*way, len(s.ways)), resident: map[graph.NodeID]place{}}
	for id := range s.g.Nodes() {
		if ws := s.ways[id]; ws != nil {
			l.ways[id] = []*way{ws[draw.IntN(len(ws))]}
		}
		if _, ok := s.weights[id]; ok {
			lies := s.lies(id.Out(0))
			l.resident[id] = lies[draw.IntN(len(lies))]
		}
	}
	return l
}

// walk makes so many moves and ends at the best choice it has come through. Times scale, a
// relative difference of cost is the exponent by which a dearer one is taken.
func (y *tally) walk(draw *rand.Rand, moves int64, scale float64) {
	var free []graph.NodeID // what there is to choose
	lies := map[graph.NodeID][]place{}
	for id := range y.g.Nodes() {
		if _, ok := y.weights[id]; ok {
			lies[id] = y.lies(id.Out(0))
		}
		if len(y.ways[id]) > 1 && y.way[id] != nil || len(lies[id]) > 1 {
			free = append(free, id)
		}
	}
	if len(free) == 0 {
		return
	}
	best, since, kept := y.layouts(), 0, true // kept: best is the choice as it is, or cheaper
	for n := int64(0); n < moves && since < walkMoves*len(free); n++ {
		if n%1024 == 0 && y.ctx.Err() != nil {
			break
		}
		id := free[draw.IntN(len(free))]
		before := y.cost
		back := y.another(draw, id, lies[id])
		since++
		switch worse := float64(y.cost - before); {
		case worse > 0 && draw.Float64() >= math.Exp(-scale*worse/float64(before)):
			back()
		case worse > 0 && !kept: // the best so far is left
			back()
			best, kept = y.layouts(), true
		case y.cost < best.cost && worse < 0:
			best.cost, since, kept = y.cost, 0, false
		}
	}
	if kept {
		y.to(best)
	}
}

// another draws another way of a node, or another place of a weight; the function that it
// returns takes that back.
func (y *tally) another(draw *rand.Rand, id graph.NodeID, lies []place) (back func()) {
	if lies != nil {
		was := y.resident[id]
		y.put(id, lies[draw.IntN(len(lies))])
		return func() { y.put(id, was) }
	}
	was := y.way[id]
	y.use(id, y.ways[id][draw.IntN(len(y.ways[id]))])
	return func() { y.use(id, was) }
}

// to takes over a choice.
func (y *tally) to(l *layouts) {
	for id, ws := range l.ways {
		if len(ws) > 0 {
			y.way[id] = ws[0]
		}
	}
	for id, p := range l.resident {
		y.resident[id] = p
	}
	y.count()
}
