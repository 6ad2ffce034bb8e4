package enumerate

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/internal/spill"
)

// pool is the goroutines of a session, and what they share: the bound on memory, the folder of
// what is beyond it, and what tests of laws found.
type pool struct {
	opt    *Options
	folder *spill.Folder
	broken func() error     // the error of the terms on disk, if they could not be read
	tested []*general.Known // by goroutine
}

// each runs f on chunks of 0..n-1; workers ask for the next chunk. Progress is told of
// the phase.
func (p *pool) each(ctx context.Context, phase string, n, chunk int, f func(worker int, lo, hi int)) error {
	var show func(done int64)
	if p.opt.Progress != nil {
		show = func(done int64) { p.opt.Progress(phase, done, int64(n)) }
	}
	return p.run(ctx, n, chunk, f, show)
}

// run runs f on chunks of 0..n-1; show, if not nil, is told how many are done. The error
// is that of the terms on disk, if they could not be read.
func (p *pool) run(ctx context.Context, n, chunk int, f func(worker int, lo, hi int), show func(done int64)) error {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for w := 0; w < p.opt.Workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil && p.broken() == nil {
				lo := int(next.Add(int64(chunk))) - chunk
				if lo >= n {
					return
				}
				hi := min(lo+chunk, n)
				f(w, lo, hi)
				if d := done.Add(int64(hi - lo)); show != nil {
					show(d)
				}
			}
		}()
	}
	wg.Wait()
	return cmp.Or(ctx.Err(), p.broken())
}
