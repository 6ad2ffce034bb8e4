package axiomcheck

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/taso-go/taso/internal/atomicfile"
)

// saveEvery is the least time between two writings of the checkpoint.
const saveEvery = 2 * time.Second

// line is a finished task in the checkpoint file.
type line struct {
	Key    string          `json:"key"`
	Task   string          `json:"task"` // for people
	Result json.RawMessage `json:"result"`
}

// checkpoint holds the finished tasks. The file is replaced as a whole, so that
// it is a complete one at every moment.
type checkpoint struct {
	path string

	mu    sync.Mutex
	done  map[string]json.RawMessage
	lines []line
	dirty bool
	saved time.Time
}

// openCheckpoint reads a checkpoint file; one that is not there is empty.
func openCheckpoint(path string) (*checkpoint, error) {
	c := &checkpoint{path: path, done: map[string]json.RawMessage{}, saved: time.Now()}
	if path == "" {
		return c, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<26)
	for n := 1; in.Scan(); n++ {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil || l.Key == "" {
			return nil, fmt.Errorf("checkpoint %s:%d: not a finished task", path, n)
		}
		if c.done[l.Key] == nil {
			c.lines = append(c.lines, l)
		}
		c.done[l.Key] = l.Result
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return c, nil
}

// get reads a finished task's result.
func (c *checkpoint) get(key string, to any) bool {
	c.mu.Lock()
	raw, ok := c.done[key]
	c.mu.Unlock()
	return ok && json.Unmarshal(raw, to) == nil
}

// put notes a finished task and now and then writes the file.
func (c *checkpoint) put(key, task string, result any) error {
	if c.path == "" {
		return nil
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[key] = raw
	c.lines = append(c.lines, line{key, task, raw})
	c.dirty = true
	if time.Since(c.saved) < saveEvery {
		return nil
	}
	return c.write()
}

// flush writes the file if anything is new.
func (c *checkpoint) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dirty {
		return nil
	}
	return c.write()
}

func (c *checkpoint) write() error {
	err := atomicfile.WriteFile(c.path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		for i := range c.lines {
			if err := e.Encode(&c.lines[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	c.dirty, c.saved = false, time.Now()
	return nil
}
