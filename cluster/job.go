package cluster

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/spill"
)

// Job is what functions of a pipeline know beside their input. It travels as JSON.
type Job struct {
	Dir        string   // folder of this pipeline's files, which all processes see
	Ops        []string // of genrules.Options
	Seed       uint64
	Exhaustive bool
	Shares     int   // parts of a walk
	Parts      int   // files of a kind
	Memory     int64 // bytes that a function sorts in memory; what is more is spilled
}

// statePath is the file of the session's state.
func (j *Job) statePath() string { return j.Dir + "/state" }

// sorter sorts records of a size.
func (j *Job) sorter(size int) *spill.Sorter[string] {
	return spill.NewSorter(spill.NewFolder(""), spill.Strings(size), j.Memory, true)
}

// shared are values that a process makes once for all its functions: one of each kind, for
// the last key that was asked for.
type shared[T any] struct {
	mu  sync.Mutex
	key string
	of  *once[T]
}

type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (s *shared[T]) get(key string, make func() (T, error)) (T, error) {
	s.mu.Lock()
	if s.of == nil || s.key != key {
		s.key, s.of = key, &once[T]{}
	}
	o := s.of
	s.mu.Unlock()
	o.Do(func() { o.value, o.err = make() })
	if o.err != nil {
		s.mu.Lock()
		if s.of == o {
			s.of = nil // another attempt may do better
		}
		s.mu.Unlock()
	}
	return o.value, o.err
}

var (
	workers   shared[*enumerate.Worker]
	solvers   shared[*genrules.Solver]
	questions shared[[]genrules.Question]
)

// worker is one for a goroutine, of the job's state.
func (j *Job) worker(ctx context.Context) (*enumerate.Worker, error) {
	w, err := workers.get(j.statePath(), func() (*enumerate.Worker, error) {
		u, err := enumerate.New(j.Ops)
		if err != nil {
			return nil, err
		}
		read, write := io.Pipe()
		go func() {
			write.CloseWithError(load(ctx, j.statePath(), func(b []byte) error {
				_, err := write.Write(b)
				return err
			}))
		}()
		defer read.Close()
		w, err := enumerate.NewWorker(enumerate.Options{Universe: u, Seed: j.Seed, Exhaustive: j.Exhaustive}, read)
		if err != nil {
			return nil, err
		}
		// The sum at the end of the file is still to be seen.
		if _, err := io.Copy(io.Discard, read); err != nil {
			return nil, err
		}
		return w, nil
	})
	if err != nil {
		return nil, fmt.Errorf("state of the session: %w", err)
	}
	return w.Fork(), nil
}

// chunkBytes is the size of what passes between functions at once.
const chunkBytes = 1 << 16

// chunks collect records by part and pass them on when there are enough.
type chunks struct {
	emit func(int, []byte)
	list [][]byte
}

func newChunks(parts int, emit func(int, []byte)) *chunks {
	return &chunks{emit, make([][]byte, parts)}
}

func (c *chunks) add(part uint64, record []byte) {
	i := int(part % uint64(len(c.list)))
	if len(c.list[i])+len(record) > chunkBytes {
		c.emit(i, c.list[i])
		c.list[i] = nil
	}
	c.list[i] = append(c.list[i], record...)
}

// everywhere gives each part something, so that each has a file in the end.
func (c *chunks) everywhere() {
	for i := range c.list {
		c.emit(i, nil)
	}
}

func (c *chunks) flush() {
	for i, b := range c.list {
		if len(b) > 0 {
			c.emit(i, b)
			c.list[i] = nil
		}
	}
}

// collect sorts the records of chunks.
func collect(next func(*[]byte) bool, s *spill.Sorter[string], size int) (*spill.Stream[string], error) {
	var chunk []byte
	for next(&chunk) {
		if len(chunk)%size != 0 {
			return nil, fmt.Errorf("%d bytes are no records of %d", len(chunk), size)
		}
		for ; len(chunk) > 0; chunk = chunk[size:] {
			if err := s.Add(string(chunk[:size])); err != nil {
				return nil, err
			}
		}
	}
	return spill.Merge(0, s)
}

// each calls f with the records of a sorter, in order.
func each(s *spill.Sorter[string], f func(record string) error) error {
	all, err := spill.Merge(0, s)
	if err != nil {
		return err
	}
	for r, ok := all.Next(); ok; r, ok = all.Next() {
		if err := f(r); err != nil {
			return err
		}
	}
	return all.Err()
}
