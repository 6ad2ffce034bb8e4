package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrTimeout is the error of a request that was late; its worker was killed.
	ErrTimeout = errors.New("worker: request exceeded its time limit")
	// ErrClosed is the error of a request to a closed pool.
	ErrClosed = errors.New("worker: pool is closed")
)

// RemoteError is an error that the handler returned.
type RemoteError struct{ Msg string }

func (e *RemoteError) Error() string { return e.Msg }

// CrashError is the error of a request whose worker ended, or answered
// something that is no response. It is not tried again: it may well be the
// request that crashes workers.
type CrashError struct {
	Cause  error  // how the worker ended, or what was wrong with its answer
	Stderr string // the end of the worker's standard error
}

func (e *CrashError) Error() string {
	msg := "worker: crashed: " + e.Cause.Error()
	if e.Stderr != "" {
		msg += ": stderr: " + e.Stderr
	}
	return msg
}

// Unwrap is the cause.
func (e *CrashError) Unwrap() error { return e.Cause }

// Config configures a pool. All but Cmd may be zero.
type Config struct {
	// Cmd is the worker's command line: program and arguments.
	Cmd []string
	// Env is added to the environment, as "NAME=value".
	Env []string
	// N is the number of workers; 0 is one a core.
	N int
	// RestartAfter replaces a worker after that many requests, since Z3's
	// memory only grows; 0 is 1000, negative is never.
	RestartAfter int
	// Timeout is the wall-clock limit of each request; 0 is none. It includes
	// the start of the worker when the request has to wait for that.
	Timeout time.Duration
	// Stderr receives the workers' standard error as well; nil drops it. Writes
	// are not concurrent.
	Stderr io.Writer
}

const defaultRestart = 1000

// Pool is a set of worker processes. Its methods may be called by several
// goroutines at a time.
type Pool struct {
	cfg   Config
	slots chan *process // N of them; nil where no process runs yet
	// closing guards the start of requests against Close.
	closing sync.RWMutex
	closed  bool
	ending  sync.WaitGroup // replaced workers on their way out
	stderr  sync.Mutex
	ids     atomic.Uint64
	started atomic.Int64
}

// New makes a pool. Workers start when first needed.
func New(cfg Config) (*Pool, error) {
	if len(cfg.Cmd) == 0 {
		return nil, errors.New("worker: pool without a command")
	}
	if cfg.N <= 0 {
		cfg.N = runtime.GOMAXPROCS(0)
	}
	if cfg.RestartAfter == 0 {
		cfg.RestartAfter = defaultRestart
	}
	p := &Pool{cfg: cfg, slots: make(chan *process, cfg.N)}
	for range cfg.N {
		p.slots <- nil
	}
	return p, nil
}

// N is the number of workers.
func (p *Pool) N() int { return p.cfg.N }

// Started is the number of processes started so far: N plus the replacements.
func (p *Pool) Started() int { return int(p.started.Load()) }

// Do sends req to a free worker, waiting for one, and stores the answer in the
// value resp points to. The error is [ErrTimeout], a [RemoteError], a
// [CrashError], [ErrClosed], the cause of ctx, or one of JSON. Only after a
// RemoteError or success does the worker live on.
func (p *Pool) Do(ctx context.Context, req, resp any) error {
	body, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("worker: request: %w", err)
	}
	p.closing.RLock()
	defer p.closing.RUnlock()
	if p.closed {
		return ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var w *process
	select {
	case w = <-p.slots:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	answer, w, err := p.run(ctx, w, body)
	p.slots <- w
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, resp); err != nil {
		return fmt.Errorf("worker: response body: %w", err)
	}
	return nil
}

// run is Do with a slot. It returns what to put back into the slot.
func (p *Pool) run(ctx context.Context, w *process, body []byte) (json.RawMessage, *process, error) {
	var late <-chan time.Time
	if p.cfg.Timeout > 0 {
		t := time.NewTimer(p.cfg.Timeout)
		defer t.Stop()
		late = t.C
	}
	for {
		fresh := w == nil
		if fresh {
			var err error
			if w, err = p.start(); err != nil {
				return nil, nil, err
			}
		}
		id := p.ids.Add(1)
		reply := make(chan exchanged, 1)
		go func() { reply <- w.exchange(id, body) }()
		var r exchanged
		select {
		case r = <-reply:
		case <-late:
			w.kill()
			return nil, nil, ErrTimeout
		case <-ctx.Done():
			w.kill()
			return nil, nil, context.Cause(ctx)
		}
		if r.err != nil {
			crash := w.crash(r.err)
			if !fresh && r.unsent {
				w = nil // it died while idle
				continue
			}
			return nil, nil, crash
		}
		w.served++
		if p.cfg.RestartAfter > 0 && w.served >= p.cfg.RestartAfter {
			old := w
			w = nil
			p.ending.Go(old.quit)
		}
		if r.resp.Error != "" {
			return nil, w, &RemoteError{Msg: r.resp.Error}
		}
		return r.resp.Body, w, nil
	}
}

// Close waits for the requests under way, ends the workers and refuses further
// requests. To hurry, cancel the requests first. A second Close does nothing.
func (p *Pool) Close() error {
	p.closing.Lock()
	defer p.closing.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	for range p.cfg.N {
		if w := <-p.slots; w != nil {
			p.ending.Go(w.quit)
		}
	}
	p.ending.Wait()
	return nil
}

// Result is the outcome of one request of [Map].
type Result[T any] struct {
	Value T
	Err   error // as of [Pool.Do]
}

// Map runs all requests on the pool, as many at a time as it has workers, and
// returns the results in the order of the requests. When ctx ends, the requests
// that have no answer get its cause as their error.
func Map[Req, Resp any](ctx context.Context, p *Pool, reqs []Req) []Result[Resp] {
	out := make([]Result[Resp], len(reqs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(p.cfg.N, len(reqs)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(reqs) {
					return
				}
				out[i].Err = p.Do(ctx, reqs[i], &out[i].Value)
			}
		})
	}
	wg.Wait()
	return out
}
