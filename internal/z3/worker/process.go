package worker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is one running worker. One goroutine at a time uses it.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	tail   *tail
	served int
	exited chan struct{} // closed when the process is gone and waited for
	state  error         // then: how it ended
}

func (p *Pool) start() (*process, error) {
	cmd := exec.Command(p.cfg.Cmd[0], p.cfg.Cmd[1:]...)
	cmd.Env = append(os.Environ(), p.cfg.Env...)
	// A group of its own: Ctrl-C reaches the parent, which decides what becomes
	// of its workers, and a kill reaches what the worker itself started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A grandchild that holds stderr open must not keep Wait waiting.
	cmd.WaitDelay = grace
	w := &process{cmd: cmd, tail: &tail{copy: p.cfg.Stderr, lock: &p.stderr}, exited: make(chan struct{})}
	cmd.Stderr = w.tail
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("worker: start: %w", err)
	}
	// Not StdoutPipe: Wait would close it before the last answer is read.
	r, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("worker: start: %w", err)
	}
	defer out.Close()
	cmd.Stdout = out
	w.out, w.lines = r, bufio.NewReader(r)
	if err := cmd.Start(); err != nil {
		r.Close()
		return nil, fmt.Errorf("worker: start: %w", err)
	}
	p.started.Add(1)
	go func() {
		w.state = cmd.Wait()
		close(w.exited)
	}()
	return w, nil
}

type exchanged struct {
	resp   response
	unsent bool // the worker cannot have seen the whole request
	err    error
}

// exchange sends one request and reads its response. It ends when the process
// does.
func (w *process) exchange(id uint64, body []byte) exchanged {
	text, err := json.Marshal(request{ID: id, Body: body})
	if err != nil {
		return exchanged{err: err}
	}
	if _, err := w.in.Write(append(text, '\n')); err != nil {
		return exchanged{unsent: true, err: err}
	}
	line, err := w.lines.ReadBytes('\n')
	if err != nil {
		return exchanged{err: err}
	}
	var resp response
	if err := json.Unmarshal(line, &resp); err != nil {
		return exchanged{err: fmt.Errorf("not a response: %w", err)}
	}
	if resp.ID != id {
		return exchanged{err: fmt.Errorf("response %d to request %d", resp.ID, id)}
	}
	if resp.Error == "" && resp.Body == nil {
		return exchanged{err: fmt.Errorf("response %d without body and error", id)}
	}
	return exchanged{resp: resp}
}

// kill ends the process and its group now, and waits until it is gone.
func (w *process) kill() {
	if !w.gone(0) {
		// Once waited for, its number may belong to another process.
		_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	}
	w.in.Close()
	w.out.Close() // frees an exchange that still reads
	<-w.exited
}

// gone tells whether the process ends within d.
func (w *process) gone(d time.Duration) bool {
	select {
	case <-w.exited:
		return true
	case <-time.After(d):
	}
	select {
	case <-w.exited: // both were ready
		return true
	default:
		return false
	}
}

// quit ends an idle process: by the end of its input, and if it does not heed
// that, by force.
func (w *process) quit() {
	w.in.Close()
	w.gone(grace)
	w.kill()
}

// crash buries a process that broke off, and tells how.
func (w *process) crash(cause error) *CrashError {
	// It may be about to exit by itself, with a telling status.
	byItself := w.gone(grace)
	w.kill()
	if byItself && w.state != nil {
		cause = fmt.Errorf("%w (%w)", w.state, cause)
	}
	return &CrashError{Cause: cause, Stderr: w.tail.String()}
}

// tail keeps the last bytes written to it, and copies all to copy.
type tail struct {
	mu   sync.Mutex
	last []byte
	copy io.Writer
	lock *sync.Mutex // guards copy among all workers
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.last = append(t.last, b...)
	if n := len(t.last) - tailSize; n > 0 {
		t.last = append(t.last[:0], t.last[n:]...)
	}
	t.mu.Unlock()
	if t.copy != nil {
		t.lock.Lock()
		defer t.lock.Unlock()
		// A full disk behind the log is no reason to stop the worker.
		_, _ = t.copy.Write(b)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.last))
}
