package cuda

import (
	"context"
	"fmt"
	"time"

	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/cost"
)

// reference is a kernel whose time tells how fast the device is now: one warp that
// waits for its own sums.
type reference struct {
	graph *dl.Graph
	best  cost.Seconds // ever
	last  cost.Seconds
	ticks int // how often it ran
	made  time.Time
	warm  bool // the device is
}

// referenceSource takes some 4 cycles a turn.
const referenceSource = `extern "C" __global__ void k(float *p0) {
	float x = p0[threadIdx.x];
	for (int i = 0; i < 16384; i++) x = x * 0.999f + 0.5f;
	p0[threadIdx.x] = x;
}
`

// drift is how much longer than at its best the reference may take beside a run, as a
// part.
const drift = 0.03

// warming is for how long the kernel runs before it is asked, while the clock of a device
// that was idle comes up; and how often at least.
const (
	warming     = 200 * time.Millisecond
	leastWarmup = 8
)

// reference makes the kernel when it is first asked for; it lives as long as the device.
func (b *Backend) reference(ctx context.Context) (*reference, error) {
	if b.ref == nil {
		r := &reference{made: time.Now()}
		if err := b.makeReference(r); err != nil {
			return nil, fmt.Errorf("reference kernel: %w", err)
		}
		b.ref = r
	}
	for r := b.ref; r.ticks < leastWarmup || time.Since(r.made) < b.warming && !r.warm; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.tick(); err != nil {
			return nil, err
		}
	}
	b.ref.warm = true
	return b.ref, nil
}

func (b *Backend) makeReference(r *reference) (err error) {
	cubin, err := b.compiler.Compile(referenceSource)
	if err != nil {
		return err
	}
	memory := newMemory(b.dev)
	var m *dl.Module
	var p *dl.Plan
	defer func() {
		if err == nil {
			return
		}
		if p != nil {
			p.Close()
		}
		if m != nil {
			m.Close()
		}
		memory.close()
	}()
	if m, err = b.dev.Module(cubin); err != nil {
		return err
	}
	f, err := m.Function("k", 0)
	if err != nil {
		return err
	}
	const warp = 32
	at, err := memory.take(4 * warp)
	if err != nil {
		return err
	}
	if err := b.dev.Fill(at, 0, 4*warp); err != nil {
		return err
	}
	if p, err = b.dev.NewPlan(0); err != nil {
		return err
	}
	if err := p.Launch(f, [3]int{1, 1, 1}, [3]int{warp, 1, 1}, 0, []dl.Ref{dl.At(0, 0)}); err != nil {
		return err
	}
	if err := p.Run([]dl.Ptr{at}); err != nil { // loads what the driver had left for later
		return err
	}
	r.graph, err = p.Capture([]dl.Ptr{at})
	return err
}

// tick times the kernel.
func (r *reference) tick() error {
	ms, err := r.graph.Replay(1)
	if err != nil {
		return fmt.Errorf("reference kernel: %w", err)
	}
	r.last = cost.Seconds(ms) / 1000
	r.ticks++
	if r.best == 0 || r.last < r.best {
		r.best = r.last
	}
	return nil
}

// steady: the device was as fast as it can be when the kernel was last timed.
func (r *reference) steady() bool { return r.last <= (1+drift)*r.best }

// beside times a run between two of the kernel; good: the device was steady in both.
func (r *reference) beside(run func() (cost.Seconds, error)) (took cost.Seconds, good bool, err error) {
	before := r.steady()
	if took, err = run(); err != nil {
		return 0, false, err
	}
	err = r.tick()
	return took, before && r.steady(), err
}
