package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// simulations is how many pipelines are simulated: those that promise most.
const simulations = 12

// hunt collects pipelines and judges those that promise most.
type hunt struct {
	j         *Job
	of        []int // cluster by node
	n         int
	after     [][]int // by cluster: which it reads
	found     []*staging
	bound     machine.Time
	looked    int // how many were found
	simulated int
	judged    map[*staging]*judged
	partial   bool // a limit kept some from being looked at
	stop      extract.Stop
}

// cut divides clusters into stages so that the slowest of a micro-batch is as fast as can
// be, and adds them by each schedule; again: all stages go forward once more before they go
// backward, else those do that need to for their memory.
func (s *hunt) cut(clusters []part, submeshes []Submesh, micro int, again bool, kinds ...schedule.Kind) (out []*staging) {
	before := make([]machine.Time, len(clusters)+1) // each cluster, what those before it take
	for i, x := range clusters {
		before[i+1] = before[i] + x.forward + x.backward
		if again {
			before[i+1] += x.forward
		}
	}
	time := func(i, k int) machine.Time { return before[k] - before[i] }
	ways := [][]int{balance(len(clusters), len(submeshes), time)}
	if branches(s.after) && len(submeshes) > 1 {
		for _, ends := range aligned(s.after, before, ways[0]) {
			if !slices.ContainsFunc(ways, func(w []int) bool { return slices.Equal(w, ends) }) {
				ways = append(ways, ends)
			}
		}
	}
	s.limit(clusters, micro, groups(submeshes))
	for _, ends := range ways {
		out = append(out, s.stagings(clusters, ends, submeshes, micro, again, kinds)...)
	}
	return out
}

// stagings are stages that end at clusters, by schedule.
func (s *hunt) stagings(clusters []part, ends []int, submeshes []Submesh, micro int, again bool, kinds []schedule.Kind) (out []*staging) {
	stage := make([]int, len(clusters))
	var parts []part
	for i, k := range ends {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		parts = append(parts, sumOf(clusters[from:k]))
		for c := from; c < k; c++ {
			stage[c] = i + 1
		}
	}
	of := s.stages(stage)
	after := merged(s.after, stage, len(parts))
	for _, kind := range kinds {
		x := &staging{of: of, parts: slices.Clone(parts), after: after, row: s.j.Row, submeshes: submeshes, micro: micro, kind: kind, recompute: make([]bool, len(parts)), lean: make([]bool, len(parts))}
		if kind == schedule.Interleaved && !x.inRow(s.j.Training) {
			continue
		}
		for i := range parts {
			x.recompute[i] = again || x.need(i) > s.j.Memory
			if x.lean[i] = x.need(i) > s.j.Memory; x.lean[i] {
				x.parts[i] = x.parts[i].lean()
			}
		}
		s.found = append(s.found, x)
		out = append(out, x)
	}
	return out
}

// stages are those of nodes, by those of clusters.
func (s *hunt) stages(of []int) []int {
	out := slices.Clone(s.of)
	for id, c := range s.of {
		if c > 0 {
			out[id] = of[c-1]
		}
	}
	return out
}

// limit lowers the bound to what no pipeline with such clusters takes less than: each micro-batch
// takes the slowest way through them, and devices that are never idle do the work of all.
func (s *hunt) limit(clusters []part, micro, stages int) {
	all := sumOf(clusters)
	one := longest(s.after, func(i int) machine.Time { return clusters[i].forward + clusters[i].backward })
	low := max(one, (all.forward+all.backward)*machine.Time(micro)/machine.Time(stages))
	if len(s.found) == 0 || low < s.bound {
		s.bound = low
	}
}

// chunks is how many stages a device has in the schedule interleaved.
const chunks = 2

// estimate is about the time of a step: a micro-batch the slowest way through the stages, and the
// others through the slowest.
func (x *staging) estimate() machine.Time {
	var sum, most, update machine.Time
	time := func(i int) machine.Time {
		t := x.parts[i].forward + x.parts[i].backward
		if x.recompute[i] {
			t += x.parts[i].forward
		}
		return t
	}
	for i, p := range x.parts {
		sum, most, update = sum+time(i), max(most, time(i)), max(update, p.update)
	}
	if x.after != nil {
		sum = longest(x.after, time)
	}
	if x.kind == schedule.Interleaved {
		n := groups(x.submeshes)
		return machine.Time(x.micro*len(x.parts)/n+n-1)*most + update
	}
	return sum + machine.Time(x.micro-1)*most + update
}

// busiest is the time that the devices with most to do go forward and backward: no step takes less.
func (x *staging) busiest() (most machine.Time) {
	for _, s := range x.submeshes {
		var sum machine.Time
		for k, p := range x.parts {
			if x.submeshes[k] != s {
				continue
			}
			sum += p.forward + p.backward
			if x.recompute[k] {
				sum += p.forward
			}
		}
		most = max(most, sum)
	}
	return most * machine.Time(x.micro)
}

// over is by about how many bytes a device is too small.
func (x *staging) over(memory int64) int64 {
	most := int64(0)
	for i := range x.parts {
		most = max(most, x.need(i)-memory)
	}
	return most
}

// best simulates those that promise most and takes the fastest that fits.
func (s *hunt) best(ctx context.Context) (*judged, error) {
	list := slices.Clone(s.found)
	slices.SortStableFunc(list, func(a, b *staging) int {
		return cmp.Or(cmp.Compare(a.over(s.j.Memory), b.over(s.j.Memory)), cmp.Compare(a.estimate(), b.estimate()))
	})
	s.stop = extract.StopDone
	if s.partial {
		s.stop = extract.StopSteps
	}
	var best, closest *judged
	if s.judged == nil {
		s.judged = map[*staging]*judged{}
	}
	simulated, slower := 0, 0 // these are not simulated, since their busiest devices take longer than the best
	for _, x := range list {
		if simulated+slower >= simulations && (best != nil || simulated >= 4*simulations) {
			s.stop = extract.StopSteps
			break
		}
		if err := ctx.Err(); err != nil {
			if best == nil {
				return nil, err
			}
			s.stop = extract.StopCancelled
			break
		}
		if best != nil && x.busiest() >= best.makespan {
			slower++
			continue
		}
		y := s.judged[x]
		if y == nil {
			var err error
			if y, err = x.judge(s.j.Training, s.j.Cluster); err != nil {
				return nil, err
			}
			s.judged[x] = y
			s.simulated++
		}
		simulated++
		switch {
		case y.peak > s.j.Memory:
			if closest == nil || y.peak < closest.peak {
				closest = y
			}
		case best == nil || y.makespan < best.makespan:
			best = y
		}
	}
	if best != nil {
		return best, nil
	}
	return nil, s.none(closest)
}

// none says by how much the closest pipeline misses, and what would make it fit.
func (s *hunt) none(x *judged) error {
	again := ""
	if slices.Contains(x.recompute, true) {
		again = ", with recomputation"
	}
	return fmt.Errorf("none of %d pipelines fits, the closest has %d stages, %d micro-batches, %s%s; devices of %d bytes would do, or more of them: %w",
		len(s.found), len(x.parts), x.micro, x.kind, again, x.peak, &MemoryError{Need: x.peak, Have: s.j.Memory, At: fmt.Sprintf("stage %d", x.fullest)})
}

// balance divides n clusters into stages in a row, none empty, so that the slowest is as
// fast as can be; of several ways the one with the earliest cuts. It says where each ends.
func balance(n, stages int, time func(i, k int) machine.Time) []int {
	const never = machine.Time(1) << 62
	best := make([][]machine.Time, stages+1)
	from := make([][]int, stages+1)
	for s := range best {
		best[s], from[s] = slices.Repeat([]machine.Time{never}, n+1), make([]int, n+1)
	}
	best[0][0] = 0
	for s := 1; s <= stages; s++ {
		for k := s; k <= n; k++ {
			for i := s - 1; i < k; i++ {
				if t := max(best[s-1][i], time(i, k)); t < best[s][k] {
					best[s][k], from[s][k] = t, i
				}
			}
		}
	}
	ends := make([]int, stages)
	for s, k := stages, n; s > 0; s-- {
		ends[s-1] = k
		k = from[s][k]
	}
	return ends
}
