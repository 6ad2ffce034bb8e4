package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// wiring looks for links between nodes on which a step of a plan is shortest. Links are those of
// circulants: sets of strides, each a link from every node to that so many numbers further, as
// many strides as the degree allows. From the present strides, and from some that are spread
// out, one stride after the other is replaced.
type wiring struct {
	job  *Job
	left int64 // work, in messages that are priced
}

// mostSimulated is of how many sets of strides, those that send in least time, a step is simulated
// before one of them is taken.
const mostSimulated = 4

// wired is the links of a set of strides, with the time of what a plan sends on them.
type wired struct {
	strides []int // in order
	mesh    *Mesh
	sends   machine.Time
}

// better is the plan on links on which a step takes less time than now, if any are found, and
// the time of its step.
func (w *wiring) better(ctx context.Context, p *Plan, now machine.Time) (*Plan, machine.Time, error) {
	sent, err := p.traffic()
	if err != nil {
		return nil, 0, err
	}
	c := w.job.Cluster
	if p.Mesh.Cluster.Degree() > 0 {
		c = p.Mesh.Cluster
	}
	seen := map[string]bool{}
	best, least := p, now
	at := stridesOf(c)
	if at != nil {
		seen[fmt.Sprint(at)] = true
	}
	// take simulates a step on the most promising links and takes the best, if it is better.
	take := func(all []*wired) (bool, error) {
		slices.SortStableFunc(all, func(a, b *wired) int { return cmp.Compare(a.sends, b.sends) })
		found := false
		for _, x := range all[:min(mostSimulated, len(all))] {
			q, err := p.moved(x, sent)
			if err != nil {
				return false, err
			}
			time, err := q.Makespan(ctx)
			if err != nil {
				return false, err
			}
			if time < least {
				best, least, at, found = q, time, x.strides, true
			}
		}
		return found, nil
	}
	look := func(sets [][]int) (all []*wired, err error) {
		for _, s := range sets {
			slices.Sort(s)
			key := fmt.Sprint(s)
			if seen[key] || !connected(c.Nodes, s) {
				continue
			}
			seen[key] = true
			if w.left -= int64(len(sent)+1) * int64(p.Mesh.Devices()) * int64(p.Mesh.Devices()); w.left < 0 {
				break
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x, err := p.wire(c, s, sent)
			if err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		return all, nil
	}
	start := spread(c.Nodes, c.Degree())
	all, err := look([][]int{start})
	if err != nil {
		return nil, 0, err
	}
	if _, err := take(all); err != nil {
		return nil, 0, err
	}
	if at == nil {
		at = start
	}
	for {
		all, err := look(neighbours(c.Nodes, c.Degree(), at))
		if err != nil {
			return nil, 0, err
		}
		if found, err := take(all); err != nil || !found {
			return best, least, err
		}
	}
}

// neighbours are the sets of strides with one of them replaced, or added where the degree
// allows it.
func neighbours(nodes, degree int, at []int) (out [][]int) {
	for i := range min(len(at)+1, degree) {
		for s := 1; s < nodes; s++ {
			if slices.Contains(at, s) {
				continue
			}
			next := append([]int{}, at...)
			if i < len(at) {
				next[i] = s
			} else {
				next = append(next, s)
			}
			out = append(out, next)
		}
	}
	return out
}

// sends is a collective and how often a device takes part in it.
type sends struct {
	sending
	count int64
}

// traffic is what a step of a plan sends, as layouts are priced: outputs that are put together
// as if all devices had them.
func (p *Plan) traffic() (out []sends, err error) {
	prog, err := p.program()
	if err != nil {
		return nil, err
	}
	at := map[sending]int{}
	for _, x := range prog.slots {
		if x.kind == parallel.None || p.Mesh.Axes[x.axis].Time {
			continue
		}
		key := sending{x.kind, x.axis, x.sent}
		switch {
		case x.result && x.kind == parallel.ReduceTo:
			key.kind = parallel.AllReduce
		case x.result && x.kind == parallel.Gather:
			key.kind = parallel.AllGather
		}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, sends{sending: key})
		}
		out[i].count++
	}
	return out, nil
}

// wire sets links of strides and prices what the plan sends, one after the other.
func (p *Plan) wire(c *machine.Cluster, strides []int, sent []sends) (*wired, error) {
	to, err := c.Rewire(machine.Circulant(c.Nodes, strides))
	if err != nil {
		return nil, err
	}
	x := &wired{strides: strides}
	if x.mesh, err = NewMeshOf(to, p.Mesh.Stages, p.Mesh.Axes...); err != nil {
		return nil, err
	}
	x.sends, err = x.mesh.sends(sent)
	return x, err
}

// sends is the time of collectives one after the other.
func (m *Mesh) sends(all []sends) (sum machine.Time, err error) {
	for _, s := range all {
		t, err := m.Time(s.kind, s.axis, s.bytes)
		if err != nil {
			return 0, err
		}
		sum += machine.Time(s.count) * t
	}
	return sum, nil
}

// stridesOf are the strides of the links of a cluster, in order; nil if they are no circulant.
func stridesOf(c *machine.Cluster) (out []int) {
	count := make([]int, c.Nodes)
	seen := map[[2]int]bool{}
	for _, l := range c.Wires() {
		if !seen[l] {
			seen[l] = true
			count[((l[1]-l[0])%c.Nodes+c.Nodes)%c.Nodes]++
		}
	}
	for s, n := range count {
		switch n {
		case 0:
		case c.Nodes:
			out = append(out, s)
		default:
			return nil
		}
	}
	return out
}

// connected reports whether links of these strides lead from each node to each.
func connected(nodes int, strides []int) bool {
	g := int64(nodes)
	for _, s := range strides {
		g = graph.GCD(g, int64(s))
	}
	return g == 1
}

// spread are strides of rings through all nodes: numbers without a common divisor with that
// of nodes, near 1, n^(1/d), n^(2/d), .. with d strides, so that few links lead far (TopoOpt's
// choice among its TotientPerms). Where there are not enough others are taken, the least first.
func spread(nodes, degree int) (out []int) {
	degree = min(degree, nodes-1)
	for _, coprime := range []bool{true, false} {
		for len(out) < degree {
			want := math.Pow(float64(nodes), float64(len(out))/float64(degree))
			best := 0
			for s := 1; s < nodes; s++ {
				if slices.Contains(out, s) || (graph.GCD(int64(s), int64(nodes)) == 1) != coprime {
					continue
				}
				if best == 0 || math.Abs(float64(s)-want) < math.Abs(float64(best)-want) {
					best = s
				}
			}
			if best == 0 {
				break
			}
			out = append(out, best)
		}
	}
	return out
}

// moved is the plan of one axis on the cluster of links on which it sends: devices are the same.
// What it computes does not depend on links. Of how far it is from the best nothing is known
// there.
func (p *Plan) moved(to *wired, sent []sends) (*Plan, error) {
	q := &Plan{Planner: p.Planner, Training: p.Training, Mesh: to.mesh, Laying: p.Laying, Passes: append([]Pass{}, p.Passes...)}
	before, err := p.Mesh.sends(sent)
	if err != nil {
		return nil, err
	}
	last := &q.Passes[len(q.Passes)-1]
	last.Cost, last.Bound, last.Stop = last.Cost-before+to.sends, 0, extract.StopDone
	return q.With(p.Saving)
}
