package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/cost"
)

// Bounds of a captured graph: seconds that a replay takes at least, of which the some 10 µs
// between the clock's start and the first kernel are little, and beyond which no
// further copies take turns (what their weights take to come from memory is no hundredth
// of it then); and issues.
const (
	leastReplay = 1e-3
	mostReplay  = 20e-3
	mostCopies  = 1024
	mostIssues  = 4096
)

// rotation is a plan on copies of its memory, which take turns.
type rotation struct {
	p      *Plan
	memory *memory // of the copies
	tables [][]dl.Ptr
	graph  *dl.Graph
	issues int // in the graph
}

// newRotation copies the constants of a plan until they are opt.Between bytes and, if
// they are to be cold, the tensors of a run.
func newRotation(p *Plan, opt backends.MeasureOptions) (r *rotation, err error) {
	r = &rotation{p: p, memory: newMemory(p.b.dev)}
	defer func() {
		if err != nil {
			err = first(err, r.close())
		}
	}()
	between := opt.Between
	if between == 0 {
		between = 2 * int64(p.b.dev.Properties().L2)
	}
	var constants []int // their bases
	for base := firstConstant; base < len(p.table); base++ {
		if p.table[base] != 0 {
			constants = append(constants, base)
		}
	}
	turns := [][]int{constants}
	if opt.Cold {
		turns = append(turns, []int{arenaBase})
	}
	var copies []copied
	n := 1
	for _, bases := range turns {
		c, err := r.copy(bases, between)
		if err != nil {
			return r, err
		}
		copies, n = append(copies, c), max(n, c.n)
	}
	for i := range n {
		t := append([]dl.Ptr(nil), p.table...)
		for _, c := range copies {
			for k, base := range c.bases {
				t[base] = c.at[k] + dl.Ptr(int64(i%c.n)*c.stride[k])
			}
		}
		r.tables = append(r.tables, t)
	}
	return r, nil
}

// copied are n copies of some bases, each base's side by side.
type copied struct {
	bases  []int
	n      int
	at     []dl.Ptr
	stride []int64
}

// copy makes copies until they are between bytes, or fewer where memory is short.
func (r *rotation) copy(bases []int, between int64) (copied, error) {
	p := r.p
	c := copied{n: 1}
	size := int64(0)
	for _, base := range bases {
		if bytes := p.memory.blocks[p.table[base]]; bytes > 0 {
			stride := (bytes + 255) / 256 * 256
			c.bases, c.stride, size = append(c.bases, base), append(c.stride, stride), size+stride
		}
	}
	if size == 0 || between <= 0 {
		c.bases = nil
		return c, nil
	}
	free, _, err := p.b.dev.MemInfo()
	if err != nil {
		return c, err
	}
	c.n = int(min(between/size+2, mostCopies, free/2/size))
	if c.n < 2 {
		c.n, c.bases = 1, nil
		return c, nil
	}
	for k, base := range c.bases {
		at, err := r.memory.take(int64(c.n) * c.stride[k])
		if err != nil {
			return c, fmt.Errorf("%d copies of what it reads: %w", c.n, err)
		}
		c.at = append(c.at, at)
		if err := r.fill(at, p.table[base], p.memory.blocks[p.table[base]], c.stride[k], c.n); err != nil {
			return c, err
		}
	}
	return c, nil
}

// fill copies bytes n times.
func (r *rotation) fill(to, from dl.Ptr, bytes, stride int64, n int) (err error) {
	p, err := r.p.b.dev.NewPlan(0)
	if err != nil {
		return err
	}
	defer func() { err = first(err, p.Close()) }()
	for i := range n {
		if err := p.Copy(dl.At(0, int64(i)*stride), dl.At(1, 0), bytes); err != nil {
			return err
		}
	}
	return p.Run([]dl.Ptr{to, from})
}

// take captures n issues, and gives back what was captured before.
func (r *rotation) take(n int) error {
	if r.graph != nil {
		g := r.graph
		r.graph = nil
		if err := g.Close(); err != nil {
			return err
		}
	}
	tables := make([][]dl.Ptr, n)
	for i := range tables {
		tables[i] = r.tables[i%len(r.tables)]
	}
	g, err := r.p.prog.Capture(tables...)
	if err != nil {
		return fmt.Errorf("capture %d issues: %w", n, err)
	}
	r.graph, r.issues = g, n
	return nil
}

// run is the time of one issue, of a replay of all.
func (r *rotation) run() (cost.Seconds, error) {
	ms, err := r.graph.Replay(1)
	if err != nil {
		return 0, err
	}
	if !(ms > 0) {
		return 0, fmt.Errorf("a replay of %d issues took %v ms by the device's clock", r.issues, ms)
	}
	return cost.Seconds(ms) / 1000 / cost.Seconds(r.issues), nil
}

// capture captures as many issues as a run needs.
func (r *rotation) capture(ctx context.Context) error {
	const few = 16
	n := min(len(r.tables), few)
	for {
		if err := r.take(n); err != nil {
			return err
		}
		if _, err := r.run(); err != nil { // the first replay brings the graph to the device
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := r.run()
		if err != nil {
			return err
		}
		copies := min(len(r.tables), max(n, int(mostReplay/t)))
		turns := math.Ceil(float64(r.p.b.leastReplay/t) / float64(copies))
		want := min(copies*max(1, int(min(turns, mostIssues))), mostIssues)
		if want <= n {
			return nil
		}
		n = want
	}
}

// few is how many of the algorithms of a library are timed, replays how often each.
const (
	fewChoices = 4
	replays    = 3
)

// choose times the best few algorithms of each call that has several and whose shape
// was not timed before, and takes the fastest.
func (r *rotation) choose(ctx context.Context) error {
	p := r.p.prog
	for call, shape := range p.shapes {
		if shape == "" {
			continue
		}
		n, best, err := p.Choices(call)
		if err != nil {
			return err
		}
		if _, known := r.p.b.choices.get(shape, n); known || n < 2 {
			continue
		}
		least := cost.Seconds(math.Inf(1))
		for i := range min(n, fewChoices) {
			t, err := r.try(ctx, call, i)
			var short *dl.MemoryError
			if i != best && (errors.As(err, &short) || errors.Is(err, dl.ErrUnsupported)) {
				continue // one that needs more than there is, or is refused; the plan has run with best
			}
			if err != nil {
				return err
			}
			if now, _, err := p.Choices(call); err != nil || now != n {
				return err // memory is short: there is another list now, whose best is taken
			}
			if t < least {
				best, least = i, t
			}
		}
		if err := p.Choose(call, best); err != nil {
			return err
		}
		r.p.b.choices.put(shape, best, n)
	}
	return nil
}

// try is the time of the plan with one of the algorithms of a call.
func (r *rotation) try(ctx context.Context, call, choice int) (cost.Seconds, error) {
	if err := r.p.prog.Choose(call, choice); err != nil {
		return 0, err
	}
	// A library loads the kernels of an algorithm when it is first issued, which is not
	// to happen in a capture.
	if err := r.p.prog.Run(r.tables[0]); err != nil {
		return 0, err
	}
	if err := r.capture(ctx); err != nil {
		return 0, err
	}
	var times []cost.Seconds
	for range replays {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		t, err := r.run()
		if err != nil {
			return 0, err
		}
		times = append(times, t)
	}
	return cost.Median(times), nil
}

// close gives back the graph and the copies.
func (r *rotation) close() error {
	var err error
	if r.graph != nil {
		err = r.graph.Close()
	}
	return first(err, r.memory.close())
}
