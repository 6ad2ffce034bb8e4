package ort

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Worker is a process with ONNX Runtime that holds models ready to run. Its calls are made
// one at a time. A call whose context is cancelled ends the process at once.
type Worker struct {
	// Version is that of ONNX Runtime, Providers what it can run models with. The worker
	// uses the CPU's.
	Version   string
	Providers []string
	// CPUTime: the clock of processor time is fine enough to time runs.
	CPUTime bool

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
	ids    int
	dead   error // the crash, once there was one
}

// Session is a model that a worker has loaded, with its inputs.
type Session struct {
	Model string
	w     *Worker
	id    int
}

// Clock is what a sample is timed with.
type Clock bool

// The clocks. CPU is the processor time of the thread that runs a model, which other
// programs lengthen less; it is of use for models on one thread.
const (
	Wall Clock = false
	CPU  Clock = true
)

// Turn is one sample of a timing: the mean of several runs of a model.
type Turn struct {
	Session *Session
	Runs    int // that count
	Warm    int // before them, that do not
}

// Crash is the error of a process that ended in the middle of a call.
type Crash struct{ Why string }

// Error says how it ended.
func (c *Crash) Error() string { return "ONNX Runtime ended: " + c.Why }

// Crashed reports whether an error is a crash of the worker, which is of no use then.
func Crashed(err error) bool {
	c := (*Crash)(nil)
	return errors.As(err, &c)
}

type request struct {
	Op      string
	ID      int
	Model   string
	Level   Level
	Threads int
	Tensors []spec
	Order   []int
	Runs    []int
	Warm    []int
	CPU     bool
}

type response struct {
	Error     string
	Version   string
	Providers []string
	CPU       bool
	Tensors   []spec
	Seconds   []float64
}

type spec struct {
	Name  string
	DType string
	Sizes []int
	Bytes int64
}

// maxHeader bounds the length of an answer's header.
const maxHeader = 1 << 26

// Start starts a worker. It must be closed.
func (r *Runtime) Start(ctx context.Context) (*Worker, error) {
	w := &Worker{cmd: exec.Command(r.Python, "-c", script), stderr: &tail{}}
	w.cmd.Stderr = w.stderr
	w.cmd.WaitDelay = time.Second
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start ONNX Runtime: %w", err)
	}
	stop := context.AfterFunc(ctx, w.kill)
	defer stop()
	hello, _, err := w.read()
	if err != nil {
		return nil, w.ended(ctx, err)
	}
	w.Version, w.Providers, w.CPUTime = hello.Version, hello.Providers, hello.CPU
	return w, nil
}

func (w *Worker) kill() { _ = w.cmd.Process.Kill() }

// Close ends the process.
func (w *Worker) Close() {
	if w.dead == nil {
		w.dead = &Crash{"the worker is closed"}
		w.kill()
		_ = w.cmd.Wait()
	}
}

// ended ends a worker whose process gave no right answer, and returns why.
func (w *Worker) ended(ctx context.Context, err error) error {
	if w.dead == nil {
		_ = w.in.Close()
		died := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if !died {
			w.kill()
		}
		ended := w.cmd.Wait()
		why := err.Error()
		if died && ended != nil {
			why = ended.Error()
		} else if died {
			why = "no answer"
		}
		if text := w.stderr.String(); text != "" {
			why += "\n" + text
		}
		w.dead = &Crash{why}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.dead
}

// call sends a request and reads its answer. The error is a Crash, that of the context, or
// what ONNX Runtime reported.
func (w *Worker) call(ctx context.Context, req request, data [][]byte) (*response, [][]byte, error) {
	if w.dead != nil {
		return nil, nil, w.dead
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, w.kill)
	defer stop()
	head, err := json.Marshal(req)
	if err != nil {
		return nil, nil, err
	}
	msg := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	for _, b := range append([][]byte{msg}, data...) {
		if _, err := w.in.Write(b); err != nil {
			return nil, nil, w.ended(ctx, io.ErrUnexpectedEOF)
		}
	}
	ans, blobs, err := w.read()
	if err != nil {
		return nil, nil, w.ended(ctx, err)
	}
	if ans.Error != "" {
		return nil, nil, errors.New(ans.Error)
	}
	return ans, blobs, nil
}

// read reads one message.
func (w *Worker) read() (*response, [][]byte, error) {
	var size [8]byte
	if _, err := io.ReadFull(w.out, size[:]); err != nil {
		return nil, nil, err
	}
	n := binary.LittleEndian.Uint64(size[:])
	if n > maxHeader {
		return nil, nil, fmt.Errorf("the answer is cut: its header has %d bytes", n)
	}
	head, err := w.bytes(int64(n))
	if err != nil {
		return nil, nil, err
	}
	ans := &response{}
	if err := json.Unmarshal(head, ans); err != nil {
		return nil, nil, fmt.Errorf("the answer is no JSON: %w", err)
	}
	var blobs [][]byte
	for _, t := range ans.Tensors {
		b, err := w.bytes(t.Bytes)
		if err != nil {
			return nil, nil, err
		}
		blobs = append(blobs, b)
	}
	return ans, blobs, nil
}

// bytes reads n bytes, without trust in n.
func (w *Worker) bytes(n int64) ([]byte, error) {
	var b bytes.Buffer
	if n < 0 {
		return nil, errors.New("the answer is cut: a size is below 0")
	}
	if n < 1<<20 {
		b.Grow(int(n))
	}
	if _, err := io.CopyN(&b, w.out, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Open loads a model with its inputs, which are found by name; inputs that the model does
// not have are left out. Repeat is not looked at.
func (w *Worker) Open(ctx context.Context, j Job) (*Session, error) {
	w.ids++
	s := &Session{Model: j.Model, w: w, id: w.ids}
	if _, _, err := w.send(ctx, "open", s.id, j); err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// send makes a request with a model and its inputs.
func (w *Worker) send(ctx context.Context, op string, id int, j Job) (*response, [][]byte, error) {
	req := request{Op: op, ID: id, Model: j.Model, Level: j.Level, Threads: max(j.Threads, 1), Tensors: []spec{}}
	if req.Level == "" {
		req.Level = Disable
	}
	var data [][]byte
	for _, t := range j.Inputs {
		req.Tensors = append(req.Tensors, spec{t.Name, t.DType, t.Sizes, int64(len(t.Data))})
		data = append(data, t.Data)
	}
	return w.call(ctx, req, data)
}

func (s *Session) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run ONNX Runtime on %s: %w", s.Model, err)
}

// Run runs the model and returns its outputs.
func (s *Session) Run(ctx context.Context) ([]Tensor, error) {
	return s.outputs(s.w.call(ctx, request{Op: "run", ID: s.id}, nil))
}

// outputs are the tensors of an answer.
func (s *Session) outputs(ans *response, blobs [][]byte, err error) ([]Tensor, error) {
	if err != nil {
		return nil, s.wrap(err)
	}
	var out []Tensor
	for i, t := range ans.Tensors {
		out = append(out, Tensor{t.Name, t.DType, t.Sizes, blobs[i]})
	}
	return out, nil
}

// Close frees the model.
func (s *Session) Close(ctx context.Context) error {
	_, _, err := s.w.call(ctx, request{Op: "close", ID: s.id}, nil)
	return s.wrap(err)
}

// Time takes samples in the order given, and returns the seconds of one run in each.
func (w *Worker) Time(ctx context.Context, turns []Turn, c Clock) ([]float64, error) {
	req := request{Op: "time", CPU: c == CPU && w.CPUTime}
	var names []string
	seen := map[int]bool{}
	for _, t := range turns {
		req.Order, req.Runs, req.Warm = append(req.Order, t.Session.id), append(req.Runs, t.Runs), append(req.Warm, t.Warm)
		if !seen[t.Session.id] {
			seen[t.Session.id] = true
			names = append(names, t.Session.Model)
		}
	}
	ans, _, err := w.call(ctx, req, nil)
	if err == nil && len(ans.Seconds) != len(turns) {
		err = w.ended(ctx, fmt.Errorf("the answer is cut: it has %d times of %d", len(ans.Seconds), len(turns)))
	}
	if err != nil {
		return nil, fmt.Errorf("time %s in ONNX Runtime: %w", strings.Join(names, ", "), err)
	}
	return ans.Seconds, nil
}

// tail is the end of what was written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b) - most; n > 0 {
		t.b = append([]byte("…"), t.b[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.b))
}
