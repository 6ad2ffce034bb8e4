package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// shape is stages on equally many devices with one layout: the axes of their devices and how a
// layout is looked for along each.
type shape struct {
	stages  int
	degrees []int
	looks   []look
}

// grid looks for a pipeline of one of a few shapes, with so many micro-batches that it fits and is
// fast. For each shape and number of micro-batches the model is cut so that the slowest stage
// is as fast as can be; schedules and recomputation are judged by simulation.
type grid struct {
	*hunt
	*profiler
	shapes []shape
	turns  bool // two stages on each device in turns, too
	cells  map[*staging]cell
	more   int // how often what was looked at last, and did not fit, is to be halved
}

// cell is a shape with a number of micro-batches.
type cell struct {
	shape
	micro int
}

func (c cell) same(d cell) bool {
	return c.micro == d.micro && c.stages == d.stages && slices.Equal(c.degrees, d.degrees) && slices.Equal(c.looks, d.looks)
}

// grid is one of up to so many stages, or as many as a large step has layers.
func (j *Job) grid(stages int) (*grid, error) {
	if j.Training.Graph.Len() > manyNodes {
		stages = 0
	}
	p, err := j.profiler(stages)
	if err != nil {
		return nil, err
	}
	return &grid{hunt: &hunt{j: j, of: p.of, n: p.n, after: j.Training.after(p.of, p.n)}, profiler: p, cells: map[*staging]cell{}}, nil
}

// microBatches are numbers of micro-batches that are looked at for a shape, of so many samples: one,
// where weights are what takes time, from as many as stages on, and many, where memory
// wants that. few: those of which a device has a power of two of samples.
// Where stages are side by side (branches), half as many are enough to keep all busy.
func (s *shape) microBatches(samples int, few, branches bool) (out []int) {
	if few {
		for b := 1024 * s.degrees[0]; b > 0; b /= 2 {
			if samples%b == 0 && b%s.degrees[0] == 0 {
				out = append(out, samples/b)
			}
		}
		return out
	}
	m, stages := 1, s.stages
	for m < stages {
		m *= 2
	}
	if stages == 1 {
		return []int{1, 2, 4, 8, 64}
	}
	out = []int{1, m, 2 * m, 4 * m, 8 * m, 32 * m}
	if branches && m > 2 {
		out = slices.Insert(out, 1, m/2)
	}
	return out
}

// mostMicro is how many numbers those are at most.
const mostMicro = 7

// find is the best pipeline.
func (x *grid) find(ctx context.Context) (*Plan, error) {
	j := x.hunt.j
	samples := j.Training.samples()
	few := layoutsOf(x.small.Training, j.Devices) < manyLayouts
	need := int64(0)
	x.shapes = slices.DeleteFunc(x.shapes, func(s shape) bool {
		lies := j.lies(s)
		if need == 0 || lies < need {
			need = lies
		}
		return s.stages > x.hunt.n || lies > j.Memory
	})
	if len(x.shapes) == 0 && need > j.Memory {
		return nil, fmt.Errorf("weights and state alone: %w", &MemoryError{Need: need, Have: j.Memory, At: "stage 1"})
	}
	var without error
	side := branches(x.after)
	look := func(row, column int) (machine.Time, error) {
		s := x.shapes[row]
		counts := s.microBatches(samples, few, side)
		if column < 0 || column >= len(counts) || counts[column] > samples {
			return never, nil
		}
		time, err := x.look(ctx, cell{s, counts[column]})
		if errors.Is(err, ErrMeans) {
			without, time, err = err, never, nil
		}
		return time, err
	}
	var all bool
	var err error
	if few {
		err = x.jump(samples, look)
	} else {
		all, err = descend(len(x.shapes), mostMicro, layoutsOf(x.small.Training, j.Devices), look)
	}
	if err != nil {
		return nil, err
	}
	if len(x.found) == 0 {
		return nil, cmp.Or(without, ErrMeans)
	}
	x.partial = !all
	return x.take(ctx, func(best *judged) (*Plan, error) { return x.plan(ctx, best) }, func(a, b *staging) bool {
		return a.kind == b.kind && x.cells[a].same(x.cells[b]) && slices.Equal(a.of, b.of)
	})
}

// fewSamples is of how many samples of a device the first micro-batches are that are looked at, where few are,
// as a power of two.
const fewSamples = 3

// jump looks at each shape with two numbers of micro-batches: if with the first one activations are so
// many times too many, with as many times more, else with twice as many samples in each. For
// the best shape it goes on to the numbers beside, as long as these are better.
func (x *grid) jump(samples int, look func(row, column int) (machine.Time, error)) error {
	least, at := never, [2]int{}
	seen := map[[2]int]bool{}
	try := func(row, column int) (machine.Time, error) {
		k := [2]int{row, column}
		if seen[k] {
			return never, nil
		}
		seen[k] = true
		time, err := look(row, column)
		if time < least {
			least, at = time, k
		}
		return time, err
	}
	for row := range x.shapes {
		n := len(x.shapes[row].microBatches(samples, true, false))
		column := n - 1 - fewSamples
		time, err := try(row, column)
		for err == nil && time == never && column > 0 { // samples are not dealt out so
			column--
			time, err = try(row, column)
		}
		if err == nil && time < never {
			more := -1
			if time >= never/2 {
				more = x.more
			}
			for to := min(column+more, n-1); err == nil && to != column; to-- {
				var second machine.Time
				if second, err = try(row, to); second < never || more < 0 {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	for last := [2]int{-1}; at != last; {
		last = at
		for _, column := range []int{last[1] - 1, last[1] + 1} {
			if _, err := try(last[0], column); err != nil {
				return err
			}
		}
	}
	return nil
}

// lies is the least that weights and state take of the fullest device: its stage has no less than the
// mean of all, of which at most all axes but those of samples have parts.
func (j *Job) lies(s shape) int64 {
	parts := int64(s.stages)
	for k, l := range s.looks {
		if l.means != Data {
			parts *= int64(s.degrees[k])
		}
	}
	total := int64(0)
	for _, in := range j.Training.Next {
		total += j.Training.Graph.Type(j.Training.Graph.Inputs()[in].Out(0)).Bytes()
	}
	return total / parts
}

// look cuts the model by a cell, and is what the best promises that fits, more than any such
// time if none does: the more, the more bytes are too many.
func (x *grid) look(ctx context.Context, c cell) (machine.Time, error) {
	j := x.hunt.j
	j.Progress(fmt.Sprintf("%d stages on %v, %d micro-batches", c.stages, c.degrees, c.micro))
	clusters, err := x.profile(ctx, c.arrangement(), nil)
	if err != nil {
		return 0, err
	}
	submeshes := equal(c.stages, j.Devices/c.stages)
	best := never - 1
	for _, again := range []bool{false, true} {
		list := x.cut(clusters, submeshes, c.micro, again, schedule.OneFOneB, schedule.GPipe)
		if x.turns && c.stages > 1 && c.micro%c.stages == 0 && chunks*c.stages <= x.hunt.n {
			list = append(list, x.cut(clusters, slices.Repeat(submeshes, chunks), c.micro, again, schedule.Interleaved)...)
		}
		for _, s := range list {
			x.cells[s] = c
			if over := s.over(j.Memory); over > 0 {
				if t := never/2 + machine.Time(over); t < best {
					best, x.more = t, s.halvings(j.Memory)
				}
			} else {
				best = min(best, s.estimate())
			}
		}
	}
	return best, nil
}

// halvings is how often a micro-batch is to be halved so that all stages fit, about.
func (x *staging) halvings(memory int64) (n int) {
	for i, p := range x.parts {
		own := p.weights + p.state
		for k := n; own+(x.need(i)-own)>>k > memory && k < 10; k++ {
			n = k + 1
		}
	}
	return n
}

// arrangement is the layout of a cell.
func (c cell) arrangement() arrangement {
	return arrangement{c.micro, c.stages, c.degrees, c.looks}
}

// plan lays the whole step out as was chosen, and says what its stages take.
func (x *grid) plan(ctx context.Context, best *judged) (*Plan, error) {
	j, c, how := x.hunt.j, x.cells[best.staging], division{of: x.hunt.of, solved: x.solved}
	j.Progress(fmt.Sprintf("layout of %d stages, %d micro-batches", c.stages, c.micro))
	timed, err := j.inTime(ctx, j.Training, c.micro, how)
	if err != nil {
		return nil, err
	}
	a := c.arrangement().plain()
	p, err := x.lay(ctx, timed, a, how, 0, len(a.degrees))
	if err != nil {
		return nil, err
	}
	p.Mesh, err = NewMeshOf(j.Cluster, best.submeshes, p.Mesh.Axes...)
	return p, err
}
