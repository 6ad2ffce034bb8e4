package progress

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a writer that can be read while a stage draws on it.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// visible is what a terminal's line shows after the output: text after the last
// carriage return overwrites what was there.
func (s *screen) visible() string {
	var line []rune
	col := 0
	for _, r := range s.String() {
		if r == '\r' {
			col = 0
			continue
		}
		if col == len(line) {
			line = append(line, r)
		} else {
			line[col] = r
		}
		col++
	}
	return strings.TrimRight(string(line), " ")
}

// waitFor polls until cond holds; the deadline only bounds a failing test.
func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !cond(); {
		if time.Now().After(deadline) {
			t.Fatalf("never saw %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

var fast = Options{Delay: time.Nanosecond, Interval: time.Millisecond}

func TestKnownTotal(t *testing.T) {
	var out screen
	r := newReporter(&out, true, fast)
	s := r.Stage("prove", 200)
	s.Add(50)
	waitFor(t, "50/200", func() bool {
		v := out.visible()
		return strings.Contains(v, "prove") && strings.Contains(v, "25%") && strings.Contains(v, "50/200")
	})
	s.Add(500) // beyond the total
	waitFor(t, "100%", func() bool { return strings.Contains(out.visible(), "100%") })
	s.Done()
	if v := out.visible(); v != "" {
		t.Errorf("after the stage the line shows %q", v)
	}
	if s.Count() != 550 {
		t.Errorf("count %d", s.Count())
	}
}

func TestUnknownTotal(t *testing.T) {
	for _, total := range []int64{Unknown, 0, -7} {
		var out screen
		s := newReporter(&out, true, fast).Stage("enumerate", total)
		s.Add(123)
		waitFor(t, "123", func() bool {
			v := out.visible()
			return strings.Contains(v, "enumerate (123,") && !strings.Contains(v, "%")
		})
		s.Done()
		if v := out.visible(); v != "" {
			t.Errorf("after the stage the line shows %q", v)
		}
	}
}

func TestDescribe(t *testing.T) {
	var out screen
	s := newReporter(&out, true, fast).Stage("search", Unknown)
	s.Describe("search, best 3 ms")
	waitFor(t, "the new label", func() bool { return strings.Contains(out.visible(), "search, best 3 ms") })
	s.Describe("search")
	waitFor(t, "a shorter label", func() bool {
		return !strings.Contains(out.visible(), "best") && strings.Contains(out.visible(), "search")
	})
	s.Done()
	if v := out.visible(); v != "" {
		t.Errorf("after the stage the line shows %q", v)
	}
	s = nil
	s.Describe("nothing")
}

func TestNote(t *testing.T) {
	var out screen
	r := newReporter(&out, true, fast)
	left := make(chan string, 1)
	left <- "3 min"
	note := "unset"
	r.Note(func(label string) string {
		select {
		case note = <-left:
		default:
		}
		return label + ", " + note + " left"
	})
	s := r.Stage("prove", 10)
	waitFor(t, "the note", func() bool { return strings.Contains(out.visible(), "prove, 3 min left") })
	s.Describe("refute")
	left <- "2 min"
	waitFor(t, "the next note", func() bool { return strings.Contains(out.visible(), "refute, 2 min left") })
	s.Done()
	r.Stage("write", 10)
	waitFor(t, "the note of the next stage", func() bool { return strings.Contains(out.visible(), "write, 2 min left") })
	r.Close()
	r = nil
	r.Note(func(string) string { return "" })
}

func TestSilent(t *testing.T) {
	var out screen
	for name, r := range map[string]*Reporter{
		"not a terminal": newReporter(&out, false, fast),
		"disabled":       newReporter(&out, true, Options{Disabled: true, Delay: 1, Interval: 1}),
		"nil file":       New(nil, Options{}),
	} {
		if r != nil {
			t.Errorf("%s: reporter is not nil", name)
		}
		s := r.Stage("a", 1)
		s.Add(1)
		s.Done()
		r.Close()
		if s.Count() != 0 {
			t.Errorf("%s: a nil stage counted", name)
		}
	}
	file, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if New(file, Options{}) != nil {
		t.Error("a plain file counts as a terminal")
	}
	if out.String() != "" {
		t.Errorf("output %q", out.String())
	}
}

// TestShortStage: a stage that ends before the delay draws nothing at all.
func TestShortStage(t *testing.T) {
	var out screen
	r := newReporter(&out, true, Options{Delay: time.Hour, Interval: time.Millisecond})
	s := r.Stage("short", 10)
	s.Add(10)
	s.Done()
	s.Done()
	if out.String() != "" {
		t.Errorf("output %q", out.String())
	}
	if d := newReporter(&out, true, Options{}).opts.Delay; d != 2*time.Second {
		t.Errorf("default delay %v", d)
	}
}

// TestNextStageEndsTheOneBefore: two bars never share the line, and a late Done
// does not stop the stage that came after.
func TestNextStageEndsTheOneBefore(t *testing.T) {
	var out screen
	r := newReporter(&out, true, fast)
	a := r.Stage("first", 10)
	a.Add(1)
	waitFor(t, "first", func() bool { return strings.Contains(out.visible(), "first") })
	b := r.Stage("second", 10)
	a.Done()
	b.Add(1)
	waitFor(t, "second", func() bool { return strings.Contains(out.visible(), "second") })
	if strings.Contains(out.visible(), "first") {
		t.Errorf("line shows %q", out.visible())
	}
	r.Close()
	r.Close()
	b.Done()
	if v := out.visible(); v != "" {
		t.Errorf("after Close the line shows %q", v)
	}
}

func TestConcurrentAdd(t *testing.T) {
	var out screen
	s := newReporter(&out, true, fast).Stage("work", 8000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 1000 {
				s.Add(1)
			}
		}()
	}
	wg.Wait()
	waitFor(t, "8000/8000", func() bool { return strings.Contains(out.visible(), "8000/8000") })
	s.Done()
	if s.Count() != 8000 {
		t.Errorf("count %d", s.Count())
	}
}

func BenchmarkAdd(b *testing.B) {
	var out screen
	s := newReporter(&out, true, Options{Delay: time.Hour}).Stage("bench", Unknown)
	defer s.Done()
	for b.Loop() {
		s.Add(1)
	}
}

func ExampleNew() {
	r := New(os.Stderr, Options{}) // silent here: not a terminal
	defer r.Close()
	stage := r.Stage("prove", 3)
	for range 3 {
		stage.Add(1)
	}
	stage.Done()
	fmt.Println("proved")
	// Output: proved
}

// What is known of the whole command stands behind each label.
func ExampleReporter_Note() {
	r := New(os.Stderr, Options{}) // silent here: not a terminal
	defer r.Close()
	begun := time.Now()
	r.Note(func(label string) string {
		return fmt.Sprintf("%s, running for %s", label, time.Since(begun).Round(time.Second))
	})
	r.Stage("prove", 1).Add(1)
	// Output:
}
