package enumerate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
)

// What is spilled changes nothing: not the candidates, not the counts, not what is saved.
func TestSpilled(t *testing.T) {
	for _, c := range kinds(t) {
		t.Run(c.name, func(t *testing.T) {
			alone := c.alone(t)
			if n := alone.s.pool.folder.Written(); n != 0 {
				t.Errorf("%d bytes written without a bound", n)
			}
			for _, workers := range []int{3, 1}[:sweep.Size(1, 2)] {
				opt := c.options()
				opt.Workers, opt.Memory, opt.Spill = workers, 1, t.TempDir()
				spilled := c.run(t, opt)
				s := spilled.s
				sameTexts(t, fmt.Sprintf("spilled, %d workers", workers), spilled.texts, alone.texts)
				terms := int64(s.len() - s.starts[c.levels])
				if s.pool.folder.Written() < 50*terms {
					t.Errorf("%d bytes written for %d terms of the last level", s.pool.folder.Written(), terms)
				}
				a, b := restored(t, opt, alone.saved), restored(t, opt, spilled.saved)
				if a != b {
					t.Errorf("%d workers: what is saved differs", workers)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if left, err := os.ReadDir(opt.Spill); err != nil || len(left) > 0 {
					t.Errorf("%v left in the folder (%v)", left, err)
				}
			}
		})
	}
}

// restored is a session that was saved, as text: maps are saved in any order.
func restored(t *testing.T, opt Options, saved []byte) string {
	t.Helper()
	s := NewSession(opt)
	if err := s.Restore(bytes.NewReader(saved)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(s.codes, s.hashes, s.links.rep, s.starts, s.classes.parent, s.links.equal, len(s.laws.known), s.links.syms)
}

// Graphs with any number of outputs are counted alike.
func TestSpilledGraphs(t *testing.T) {
	opt := Options{Universe: universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split"), Workers: 2}
	want, err := CountGraphs(context.Background(), opt, 3)
	if err != nil {
		t.Fatal(err)
	}
	opt.Memory, opt.Spill = 1, t.TempDir()
	got, err := CountGraphs(context.Background(), opt, 3)
	if err != nil {
		t.Fatal(err)
	}
	if *got != *want || got.Graphs < 2000 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A folder that is gone is one error, in each phase that writes or reads.
func TestNoFolder(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	opt := Options{Universe: universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split"), Workers: 2, Memory: 1, Spill: gone}
	s := NewSession(opt)
	var err error
	for n := 1; n <= 3 && err == nil; n++ {
		_, _, err = level(context.Background(), s, n, how{})
	}
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "temporary file in "+gone) != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := CountGraphs(context.Background(), opt, 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("graphs: error %v", err)
	}
}

// Terms that cannot be read any more stop the comparison with an error.
func TestTermsGone(t *testing.T) {
	s := NewSession(Options{Universe: universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split"), Workers: 2, Memory: 1})
	for n := 1; n <= 2; n++ {
		if _, _, err := level(context.Background(), s, n, how{}); err != nil {
			t.Fatal(err)
		}
	}
	met := false
	s.opt.Progress = func(phase string, _, _ int64) {
		if strings.HasSuffix(phase, "compare") && !met {
			met = true
			s.disk.Close()
		}
	}
	_, _, err := level(context.Background(), s, 3, how{})
	if !met || !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), "temporary file in ") {
		t.Errorf("met: %v, error %v", met, err)
	}
}
