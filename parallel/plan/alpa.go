package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	workers "github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// alpaPlanner divides the model into stages on submeshes of different sizes and layouts. What
// the clusters take by each layout comes from the choices along its axes, which cost least; of
// an interval of clusters it is their sum, since tensors between clusters have one role.
var alpaPlanner = &Planner{
	Name:  "alpa",
	About: "pipeline stages on submeshes of different sizes, each with its cheapest sharding (Alpa)",
	Find:  alpa,
}

// mostClusters is how many clusters an interval may begin at: so many parts are joined as it
// takes. mostStages is how many stages there are at most.
const mostClusters, mostStages = 64, 32

// alpaMicro are the numbers of micro-batches that are looked at, as far as samples can be
// dealt out so and memory and time want more of them.
func alpaMicro() []int { return []int{1, 4, 16, 64, 256} }

// submeshSizes are those that Alpa looks at: powers of two within a node, and whole nodes.
func submeshSizes(c *machine.Cluster, devices int) (out []int) {
	per := c.PerNode()
	for n := 1; n <= min(per, devices); n *= 2 {
		if per%n == 0 {
			out = append(out, n)
		}
	}
	for n := per; n <= devices; n *= 2 {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if !slices.Contains(out, devices) {
		out = append(out, devices)
	}
	return out
}

// logical are the ways to count the devices of a submesh that are looked at, each with how
// a layout is looked for along its axes; few: those which people use, and all layouts within
// a node.
func logical(c *machine.Cluster, devices int, few bool) (out []layoutOf) {
	if devices == 1 {
		return []layoutOf{{1, []int{1}, Data.looks(true), nil}}
	}
	per := c.PerNode()
	one := All.looks(true)
	if few {
		one = []look{{Data, false}, {FSDP, false}}
		if devices <= per {
			one = append(one, look{Tensor, true}, look{All, false})
		}
	}
	for _, l := range one {
		out = append(out, layoutOf{devices, []int{devices}, []look{l}, nil})
	}
	inner := per // across nodes and within one, else two within one
	if devices <= per {
		inner = 2
	}
	if devices <= inner || devices%inner != 0 {
		return out
	}
	data, parts := look{Data, false}, look{Megatron, true}
	two := [][]look{{data, parts}, {{FSDP, false}, parts}, {data, {All, false}}, {data, {All, true}}}
	if few {
		parts = look{Tensor, true}
		two = [][]look{{data, parts}}
		if devices > per {
			two = append(two, []look{data, {All, false}})
		}
	}
	for _, l := range two {
		out = append(out, layoutOf{devices, []int{devices / inner, inner}, l, nil})
	}
	if few && devices <= per && devices > 2*inner {
		out = append(out, layoutOf{devices, []int{inner, devices / inner}, []look{data, parts}, nil})
	}
	return out
}

// intraSteps bounds the work of one choice of a layout within a stage ([Job.Steps]).
const intraSteps = 1 << 12

// intra is the part of the search within stages.
type intra struct {
	*hunt
	by    *profiler
	how   division // of the whole step
	group []int    // the clusters of an interval's unit, by cluster
	units int
	made  int // layouts
	// closest: plans that do not fit are looked at, too.
	closest bool
}

func alpa(ctx context.Context, j *Job) (*Plan, error) {
	by, err := j.profiler(0)
	if err != nil {
		return nil, err
	}
	of, n := by.of, by.n
	x := &intra{hunt: &hunt{j: j, of: of, n: n, after: j.Training.after(of, n)}, by: by, how: division{of: of, solved: by.solved}}
	x.units = min(n, mostClusters)
	for c := range n {
		x.group = append(x.group, c*x.units/n)
	}
	chosen := map[*staging][]*piece{}
	var without error
	complete := true
	least, large, largest := machine.Time(0), 0, 0
	counts, most := alpaMicro(), 0
	few := x.few()
	if few {
		counts, most = x.near()
	}
	looked := map[int]bool{}
	look := func(micro int) (time machine.Time, err error) {
		looked[micro] = true
		layouts, err := x.layouts(ctx, micro)
		if errors.Is(err, errLarge) {
			large = micro
			return 0, nil
		}
		if errors.Is(err, ErrMeans) {
			without = err
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		time, all := x.divide(layouts, micro, spare, chosen)
		if time > 0 && !x.fits(ctx) { // what is on its way takes more
			var more bool
			time, more = x.divide(layouts, micro, spareMore, chosen)
			all = all && more
		}
		complete = complete && all
		largest = max(largest, micro)
		return time, nil
	}
	for _, micro := range counts {
		if few && x.made >= most && least > 0 {
			if complete = false; x.fits(ctx) {
				break
			}
			least = 0 // of what was promised nothing fits
		}
		if few && least == 0 && largest > micro {
			continue // more of its samples do not fit if fewer do not
		}
		time, err := look(micro)
		if err != nil {
			return nil, err
		}
		if !few && time > 0 && least > 0 && time >= least {
			break // more micro-batches do not make it faster
		}
		if time > 0 && (least == 0 || time < least) {
			least = time
		}
	}
	if few {
		slices.Sort(counts)
		for ctx.Err() == nil && len(x.found) > 0 {
			best, err := x.best(ctx)
			if err != nil || !slices.Contains(best.recompute, true) && !slices.Contains(best.lean, true) {
				break
			}
			// Smaller micro-batches may need nothing to be computed again.
			i := slices.IndexFunc(counts, func(n int) bool { return n > best.micro && !looked[n] })
			if i < 0 {
				break
			}
			if _, err := look(counts[i]); err != nil {
				return nil, err
			}
			if next, err := x.best(ctx); err != nil || next.makespan >= best.makespan {
				break
			}
		}
	}
	if len(x.found) == 0 && large > 0 { // to say by how much the closest misses
		x.closest = true
		layouts, err := x.layouts(ctx, large)
		if err != nil {
			return nil, err
		}
		x.divide(layouts, large, spare, chosen)
	}
	if len(x.found) == 0 && without != nil {
		return nil, without
	}
	x.partial = !complete || few
	return x.take(ctx, func(best *judged) (*Plan, error) { return x.plan(ctx, best, chosen[best.staging]) },
		func(a, b *staging) bool { return a.kind == b.kind && slices.Equal(chosen[a], chosen[b]) })
}

// fits reports whether one of the pipelines that were found does.
func (s *hunt) fits(ctx context.Context) bool {
	_, err := s.best(ctx)
	return err == nil
}

// divide looks for divisions of the clusters into stages that leave a part of the memory, one over
// spare. time is what the best that fits
// promises, 0 where none does; all: that no limit kept any from being looked at.
func (x *intra) divide(layouts []*layoutOf, micro int, spare int64, chosen map[*staging][]*piece) (time machine.Time, all bool) {
	j := x.j
	d := &intervals{n: x.units, devices: j.Devices, micro: micro, memory: j.Memory - j.Memory/spare, layouts: layouts, sizes: submeshSizes(j.Cluster, j.Devices),
		most: min(x.units, j.Devices, mostStages)}
	found, all := d.solve()
	x.low(layouts, micro)
	if len(found) > 0 { // each takes less than the one before it
		time = promised(found[len(found)-1], micro)
	} else { // to say by how much the closest misses
		d.memory = 1 << 60
		found, _ = d.solve()
	}
	for _, l := range layouts { // equal stages of one layout: their axes are the same
		if j.Devices%l.devices == 0 && len(layouts) > 1 {
			one := &intervals{n: x.units, devices: j.Devices, micro: micro, memory: d.memory, layouts: []*layoutOf{l}, sizes: []int{l.devices}, most: d.most}
			if equal, _ := one.solve(); len(equal) > 0 {
				found = append(found, equal[len(equal)-1])
			}
		}
	}
	for _, list := range found {
		for _, s := range x.staged(list, micro) {
			chosen[s] = list
		}
	}
	return time, all
}

// spare: one part in so many of the memory is left for what is on its way between stages; if that
// does not do, one in spareMore.
const spare, spareMore = 64, 12

// promised is the time of stages in a row by the dynamic program.
func promised(list []*piece, micro int) machine.Time {
	var sum, most machine.Time
	for _, p := range list {
		sum, most = sum+p.time, max(most, p.time)
	}
	return sum + machine.Time(micro-1)*most
}

// errLarge says that a cluster's activations of a micro-batch are too many for a device, though all
// devices divide its samples.
var errLarge = errors.New("micro-batches are too large")

// layouts are those of submeshes of all sizes.
func (x *intra) layouts(ctx context.Context, micro int) (out []*layoutOf, err error) {
	j := x.j
	first := &begun{}
	profile := func(l *layoutOf) ([]part, error) {
		return x.by.profile(ctx, arrangement{micro, j.Devices / l.devices, l.degrees, l.looks}, first)
	}
	if _, err := x.by.inTime(ctx, micro); err != nil {
		return nil, err
	}
	if j.Devices > 1 && !x.closest {
		clusters, err := profile(&layoutOf{j.Devices, []int{j.Devices}, Data.looks(true), nil})
		if err != nil && !errors.Is(err, ErrMeans) {
			return nil, err
		}
		for _, c := range clusters {
			if c.inner > j.Memory {
				return nil, errLarge
			}
		}
	}
	var list []layoutOf
	for _, size := range submeshSizes(j.Cluster, j.Devices) {
		list = append(list, logical(j.Cluster, size, x.few())...)
	}
	err = workers.Each(ctx, 0, len(list), func(_, i int) error {
		l := &list[i]
		j.Progress(fmt.Sprintf("%d micro-batches, layouts on %v: %v", micro, l.degrees, l.looks))
		clusters, err := profile(l)
		if errors.Is(err, ErrMeans) {
			return nil
		}
		if err != nil {
			return err
		}
		l.clusters = make([]part, x.units)
		for c, u := range x.group {
			l.clusters[u] = sumOf([]part{l.clusters[u], clusters[c]})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].clusters != nil {
			out = append(out, &list[i])
		}
	}
	x.made += len(out)
	return out, nil
}

// low lowers the bound to what no pipeline of the layouts takes less than: a micro-batch takes the
// slowest way through the clusters, and devices that are never idle do the work of all.
func (x *intra) low(layouts []*layoutOf, micro int) {
	var work machine.Time
	fastest := make([]machine.Time, x.units)
	for u := range x.units {
		var fast, least machine.Time
		for i, l := range layouts {
			t := l.clusters[u].forward + l.clusters[u].backward
			if w := t * machine.Time(l.devices); i == 0 {
				fast, least = t, w
			} else {
				fast, least = min(fast, t), min(least, w)
			}
		}
		fastest[u], work = fast, work+least
	}
	unit := make([]int, len(x.group)) // from 1
	for c, u := range x.group {
		unit[c] = u + 1
	}
	one := longest(merged(x.after, unit, x.units), func(u int) machine.Time { return fastest[u] })
	low := max(one, work*machine.Time(micro)/machine.Time(x.j.Devices))
	if x.bound == 0 || low < x.bound {
		x.bound = low
	}
}

// staged is a division into stages by each schedule. Larger submeshes come first, so that each
// begins at a multiple of its size.
func (x *intra) staged(list []*piece, micro int) (out []*staging) {
	submeshes := make([]Submesh, len(list))
	at := 0
	for _, i := range bySize(list) {
		submeshes[i] = Submesh{at, list[i].layout.devices}
		at += list[i].layout.devices
	}
	stage := make([]int, x.n)
	var parts []part
	var again, lean []bool
	for i, p := range list {
		for c, u := range x.group {
			if u >= p.from && u < p.to {
				stage[c] = i + 1
			}
		}
		all := sumOf(p.layout.clusters[p.from:p.to])
		if p.lean {
			all = all.lean()
		}
		parts, again, lean = append(parts, all), append(again, p.again), append(lean, p.lean)
	}
	of := x.stages(stage)
	for _, kind := range []schedule.Kind{schedule.OneFOneB, schedule.GPipe} {
		s := &staging{of: of, parts: parts, after: merged(x.after, stage, len(list)), submeshes: submeshes, micro: micro, kind: kind, recompute: again, lean: lean}
		x.found = append(x.found, s)
		out = append(out, s)
	}
	return out
}

// bySize are the places of pieces, those on most devices first.
func bySize(list []*piece) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return list[b].layout.devices - list[a].layout.devices })
	return out
}

// plan lays the graph out by the stages that were chosen: along the axes of all stages at
// once where they are alike, else along those of each.
func (x *intra) plan(ctx context.Context, best *judged, list []*piece) (*Plan, error) {
	alike := true
	for _, p := range list {
		alike = alike && slices.Equal(p.layout.degrees, list[0].layout.degrees) && slices.Equal(p.layout.looks, list[0].layout.looks)
	}
	axes := axesOf(best.micro, 0, nil)
	looks := make([]look, len(axes))
	for i := range looks {
		looks[i] = look{means: Micro}
	}
	for i, p := range list {
		stage := i + 1
		if alike {
			stage = 0
		}
		for k, d := range p.layout.degrees {
			if d > 1 { // a device counts itself
				axes, looks = append(axes, Axis{Degree: d, Stage: stage}), append(looks, p.layout.looks[k])
			}
		}
		if alike {
			break
		}
	}
	mesh, err := NewMeshOf(x.j.Cluster, best.submeshes, axes...)
	if err != nil {
		return nil, err
	}
	p := &Plan{Training: x.j.Training, Mesh: mesh, Laying: parallel.NewLaying(x.j.Training.Graph, x.j.Strategies)}
	stage := make([]int, x.n+1) // of clusters
	for id, c := range x.of {
		stage[c] = best.of[id]
	}
	for i, a := range axes {
		how := x.how
		if a.Stage > 0 {
			how.only = func(cluster int) bool { return stage[cluster] == a.Stage }
		}
		x.j.Progress(fmt.Sprintf("layout along axis %d of %d", i+1, len(axes)))
		if err := p.along(ctx, looks[i:i+1], a.Degree, min(x.j.Steps, intraSteps), how); err != nil {
			return nil, err
		}
	}
	return p, nil
}
