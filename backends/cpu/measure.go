package cpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/procstat"
)

// Measure times one application, or a group fused, in a plan of its own, see
// backends.MeasureOptions for what is in the caches when the clock starts. The
// result is the median of the runs and their median absolute deviation; a run
// in which other work took the processor counts with its processor time. An
// application for which nothing is to be done, such as a reshape, costs what it
// takes to find that out.
func (b *Backend) Measure(ctx context.Context, a cost.Application, opt backends.MeasureOptions) (cost.Sample, error) {
	if a.Op == nil {
		return cost.Sample{}, errors.New("measure: no operator")
	}
	wrap := func(err error) (cost.Sample, error) {
		return cost.Sample{}, fmt.Errorf("measure %s: %w", a.Op.Name, err)
	}
	opt = opt.WithDefaults(&a)
	m, data, err := backends.Single(&a, opt)
	if err != nil {
		return wrap(err)
	}
	plan, err := b.Compile(ctx, m, backends.CompileOptions{NoFuse: !a.Fuses()})
	if err != nil {
		return wrap(err)
	}
	p := plan.(*Plan)
	defer p.Close()
	between := opt.Between
	if between == 0 {
		between = 2 * lastLevelCache()
	}
	r, err := newRotation(p, &b.spare, between, opt.Cold)
	if err != nil {
		return wrap(err)
	}
	defer r.close()
	if _, err := p.Run(ctx, data); err != nil { // warms up, and finds faults
		return wrap(err)
	}
	runtime.LockOSThread() // the processor time is the thread's
	defer runtime.UnlockOSThread()
	var times []cost.Seconds
	for start := time.Now(); ; {
		r.next(data)
		used, known := procstat.ThreadCPU()
		t := time.Now()
		if err := p.execute(ctx); err != nil {
			return wrap(err)
		}
		took := time.Since(t)
		if now, _ := procstat.ThreadCPU(); known && took-(now-used) > took/interrupted {
			took = now - used
		}
		times = append(times, cost.FromDuration(took))
		if n := len(times); n >= opt.MinRuns {
			if time.Since(start) >= opt.Budget {
				break
			}
			if median, mad := cost.MedianMAD(times); n >= 2*opt.MinRuns && time.Since(start) >= opt.Budget/4 && float64(mad) <= opt.Spread*float64(median) {
				break
			}
		}
	}
	median, mad := cost.MedianMAD(times)
	return cost.Sample{Seconds: median, MAD: mad, Runs: len(times), Source: cost.Measured}, nil
}

// interrupted: a run that waited for the processor for more than this part of
// its time counts with its processor time instead.
const interrupted = 50

// rotation brings the caches into the state of a run of a whole network before
// each run of one operator.
type rotation struct {
	p      *Plan
	copies []*block // of each constant, one after the other
	count  []int    // how many
	home   []ptr    // where the plan has it
	other  *block   // memory to read, nil if operands may be in the caches
	read   int      // bytes of it
	spare  *spare   // where blocks come from
	turn   int
	sum    float32 // of what was read, so that reading is not optimized away
}

// newRotation copies the constants of a plan until they are between bytes.
func newRotation(p *Plan, s *spare, between int64, cold bool) (*rotation, error) {
	r := &rotation{p: p, spare: s}
	weights := 0
	for _, b := range p.consts {
		weights += constantStride(b)
	}
	n := 1
	if weights > 0 && between > 0 {
		n = int(between)/weights + 2
	}
	for _, b := range p.consts {
		stride := constantStride(b) // side by side, as in a plan
		all, err := s.take(n * stride)
		if err != nil {
			r.close()
			return nil, err
		}
		for i := range n {
			to := bytesPtr(all.p, i*stride)
			copy(bytesAt(to, b.bytes), bytesAt(b.base, b.bytes))
			clearBytes(bytesPtr(to, b.bytes), stride-b.bytes)
		}
		r.copies, r.count, r.home = append(r.copies, all), append(r.count, n), append(r.home, b.base)
	}
	if cold && between > 0 {
		var err error
		if r.other, err = s.take(int(between)); err != nil {
			r.close()
			return nil, err
		}
		r.read = int(between)
	}
	return r, nil
}

// next takes the next copies of the constants and writes the operands.
func (r *rotation) next(data []backends.Tensor) {
	r.p.feed(data)
	r.turn++
	for i, b := range r.p.consts {
		b.base = bytesPtr(r.copies[i].p, r.turn%r.count[i]*constantStride(b))
	}
	if r.other != nil {
		all := f32(r.other.p, r.read/4)
		for i := 0; i < len(all); i += 16 {
			r.sum += all[i]
		}
	}
}

func (r *rotation) close() {
	for i, c := range r.copies {
		r.p.consts[i].base = r.home[i]
		r.spare.giveBack(c)
	}
	r.spare.giveBack(r.other)
}

// spare keeps the blocks of the last measurement for the next: they are as large
// as caches, and to have such memory from the system takes longer than most
// measurements.
type spare struct {
	sync.Mutex
	blocks []*block
}

// maxSpare is how many blocks are kept; spareUnit is what sizes are rounded up to,
// so that blocks fit again.
const (
	maxSpare  = 2
	spareUnit = 64 << 20
)

// take is a block of at least bytes, of any contents, all of it in memory.
func (s *spare) take(bytes int) (*block, error) {
	s.Lock()
	defer s.Unlock()
	for i, b := range s.blocks {
		if b.bytes >= bytes && b.bytes <= 2*bytes+spareUnit {
			s.blocks = slices.Delete(s.blocks, i, i+1)
			return b, nil
		}
	}
	return newBlock(roundUp(bytes, spareUnit))
}

// giveBack keeps a block, or releases it; b may be nil.
func (s *spare) giveBack(b *block) {
	s.Lock()
	defer s.Unlock()
	if b == nil {
		return
	}
	s.blocks = append(s.blocks, b)
	if len(s.blocks) > maxSpare {
		s.blocks[0].free()
		s.blocks = slices.Delete(s.blocks, 0, 1)
	}
}

func (s *spare) free() {
	s.Lock()
	defer s.Unlock()
	for _, b := range s.blocks {
		b.free()
	}
	s.blocks = nil
}

// lastLevelCache is the size of the largest cache in bytes, as the system tells
// it, or 32 MiB.
var lastLevelCache = sync.OnceValue(func() int64 {
	size := int64(0)
	for i := range 8 {
		text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/size", i))
		if err != nil {
			break
		}
		word, unit := strings.TrimSpace(string(text)), int64(1)
		if w, ok := strings.CutSuffix(word, "K"); ok {
			word, unit = w, 1<<10
		} else if w, ok := strings.CutSuffix(word, "M"); ok {
			word, unit = w, 1<<20
		}
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			size = max(size, n*unit)
		}
	}
	if size == 0 {
		size = 32 << 20
	}
	return size
})
