package progress

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	defaultDelay    = 2 * time.Second
	defaultInterval = 150 * time.Millisecond
	barWidth        = 30 // columns of the bar itself
)

// Unknown is the total of a stage whose number of steps is not known.
const Unknown = -1

// Options says how progress is shown. The zero value is what commands use.
type Options struct {
	Disabled bool          // show nothing, whatever the writer is
	Delay    time.Duration // a stage shorter than this shows no bar; 0 means 2 s
	Interval time.Duration // time between two drawings; 0 means 150 ms
}

// A Reporter shows the stages of one command on one terminal. It is safe for
// concurrent use; nil is a Reporter that shows nothing.
type Reporter struct {
	w    io.Writer
	opts Options

	note atomic.Pointer[func(string) string]

	mu      sync.Mutex
	current *Stage
}

// New returns a reporter that draws on w, usually os.Stderr. It returns nil, the
// silent reporter, if w is nil or not a terminal, or progress is disabled.
func New(w *os.File, opts Options) *Reporter {
	if w == nil {
		return nil
	}
	return newReporter(w, term.IsTerminal(int(w.Fd())), opts)
}

// newReporter is New for any writer, with the terminal question answered.
func newReporter(w io.Writer, terminal bool, opts Options) *Reporter {
	if !terminal || opts.Disabled {
		return nil
	}
	if opts.Delay <= 0 {
		opts.Delay = defaultDelay
	}
	if opts.Interval <= 0 {
		opts.Interval = defaultInterval
	}
	return &Reporter{w: w, opts: opts}
}

// Stage begins a stage of total steps and ends the one before it, if it was not
// ended. A total below 1 is Unknown: the count is shown without a bar.
func (r *Reporter) Stage(label string, total int64) *Stage {
	if r == nil {
		return nil
	}
	s := &Stage{reporter: r, stop: make(chan struct{}), stopped: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endLocked()
	r.current = s
	go s.run(label, total)
	return s
}

// Note has f make what is drawn of every label, each time that a bar is drawn: with what
// is known of the command as a whole. f is called by the goroutine that draws.
func (r *Reporter) Note(f func(label string) string) {
	if r != nil {
		r.note.Store(&f)
	}
}

// Close ends the current stage, so that the terminal is clean for other output.
// The reporter can be used again afterwards.
func (r *Reporter) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endLocked()
}

// endLocked stops the current stage and waits until its bar is wiped.
func (r *Reporter) endLocked() {
	if r.current != nil {
		close(r.current.stop)
		<-r.current.stopped
		r.current = nil
	}
}

// A Stage counts the steps of one stage. It is safe for concurrent use; nil is a
// Stage that counts nothing.
type Stage struct {
	// The counter has a cache line to itself: every worker writes to it, and
	// none should thereby slow the readers of the fields behind it.
	_     [64]byte
	count atomic.Int64
	_     [64]byte

	label         atomic.Pointer[string] // nil: that of the beginning
	reporter      *Reporter
	stop, stopped chan struct{}
}

// Add counts n more steps. It costs one atomic addition; loops of a few
// nanoseconds a step should still add in batches.
func (s *Stage) Add(n int64) {
	if s != nil {
		s.count.Add(n)
	}
}

// Describe changes the label of the stage, to say how it goes.
func (s *Stage) Describe(label string) {
	if s != nil {
		s.label.Store(&label)
	}
}

// Count returns the steps counted so far, 0 for a nil Stage.
func (s *Stage) Count() int64 {
	if s == nil {
		return 0
	}
	return s.count.Load()
}

// Done ends the stage and wipes its bar. Calling it again, or after a later
// stage has begun, does nothing.
func (s *Stage) Done() {
	if s == nil {
		return
	}
	s.reporter.mu.Lock()
	defer s.reporter.mu.Unlock()
	if s.reporter.current == s {
		s.reporter.endLocked()
	}
}

// run draws the stage until stop is closed. Errors of the terminal are ignored:
// progress must not fail the command.
func (s *Stage) run(label string, total int64) {
	defer close(s.stopped)
	bar := newBar(s.reporter.w, label, total)
	shown := label
	// The clock of the bar starts with the stage, not when it is first drawn, so
	// that rates are those of the whole stage.
	bar.StartWithoutRender()

	delay := time.NewTimer(s.reporter.opts.Delay)
	defer delay.Stop()
	select {
	case <-s.stop:
		return
	case <-delay.C:
	}
	ticker := time.NewTicker(s.reporter.opts.Interval)
	defer ticker.Stop()
	for {
		n := s.count.Load()
		if total > 0 && n > total {
			n = total // the bar refuses more than its total
		}
		text := label
		if l := s.label.Load(); l != nil {
			text = *l
		}
		if f := s.reporter.note.Load(); f != nil {
			text = (*f)(text)
		}
		if text != shown {
			shown = text
			bar.Describe(text)
		}
		_ = bar.Set64(n)
		select {
		case <-s.stop:
			_ = bar.Clear()
			return
		case <-ticker.C:
		}
	}
}

// newBar returns a bar that draws only when it is set.
func newBar(w io.Writer, label string, total int64) *progressbar.ProgressBar {
	if total < 1 {
		total = Unknown
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(label),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(total != Unknown),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("steps"),
		// Zero: no goroutine of the bar's own, our loop draws the spinner.
		progressbar.OptionSetSpinnerChangeInterval(0),
	}
	if total == Unknown {
		options = append(options, progressbar.OptionShowTotalBytes(false))
	}
	return progressbar.NewOptions64(total, options...)
}
