package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// helperEnv makes the test binary a worker.
const helperEnv = "TASO_TEST_WORKER=1"

type job struct {
	Do string `json:"do"`
	N  int    `json:"n"`
}

type result struct {
	Square int `json:"square"`
	PID    int `json:"pid"`
	Served int `json:"served"`
}

func TestMain(m *testing.M) {
	if !slices.Contains(os.Environ(), helperEnv) {
		os.Exit(m.Run())
	}
	served := 0
	err := Serve(context.Background(), os.Stdin, os.Stdout, func(_ context.Context, j job) (result, error) {
		served++
		switch j.Do {
		case "fail":
			return result{}, fmt.Errorf("no square of %d", j.N)
		case "hang": // like a C call that never returns
			select {}
		case "crash":
			fmt.Fprintln(os.Stderr, "out of cheese")
			os.Exit(3)
		case "junk":
			fmt.Println("hello")
		case "wrong id":
			fmt.Println(`{"id": 0, "body": {}}`)
		case "child": // a grandchild that holds every pipe open
			cmd := exec.Command("sleep", "60")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Start(); err != nil {
				return result{}, err
			}
			select {}
		case "sleep":
			time.Sleep(time.Duration(j.N) * time.Millisecond)
		}
		return result{Square: j.N * j.N, PID: os.Getpid(), Served: served}, nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func newPool(t testing.TB, cfg Config) *Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Cmd, cfg.Env = []string{exe}, []string{helperEnv}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestMapKeepsOrder(t *testing.T) {
	for _, n := range []int{1, 4} {
		p := newPool(t, Config{N: n, RestartAfter: 7})
		var jobs []job
		for i := range 60 {
			jobs = append(jobs, job{Do: "sleep", N: i * 7 % 5}, job{Do: "fail", N: i}, job{N: i})
		}
		for i, r := range Map[job, result](context.Background(), p, jobs) {
			if jobs[i].Do == "fail" {
				var re *RemoteError
				if want := fmt.Sprintf("no square of %d", jobs[i].N); !errors.As(r.Err, &re) || re.Msg != want {
					t.Errorf("%d workers, request %d: %v, want %q", n, i, r.Err, want)
				}
			} else if want := jobs[i].N * jobs[i].N; r.Err != nil || r.Value.Square != want {
				t.Errorf("%d workers, request %d: %+v, want %d", n, i, r, want)
			}
		}
		if p.Started() < 180/7 {
			t.Errorf("%d workers: %d processes for 180 requests of at most 7 each", n, p.Started())
		}
	}
}

func TestRestartAfter(t *testing.T) {
	for _, tt := range []struct{ after, want int }{{3, 3}, {1, 1}, {-1, 8}, {0, 8}} {
		p := newPool(t, Config{N: 1, RestartAfter: tt.after})
		most := 0
		for _, r := range Map[job, result](context.Background(), p, make([]job, 8)) {
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			most = max(most, r.Value.Served)
		}
		if most != tt.want {
			t.Errorf("RestartAfter %d: a worker served %d requests, want %d", tt.after, most, tt.want)
		}
	}
}

func TestLateRequestIsKilled(t *testing.T) {
	p := newPool(t, Config{N: 1, Timeout: 5 * time.Second})
	ctx := context.Background()
	var first, second result
	if err := p.Do(ctx, job{N: 2}, &first); err != nil {
		t.Fatal(err)
	}
	p.cfg.Timeout = 200 * time.Millisecond
	for _, do := range []string{"hang", "child"} {
		start := time.Now()
		if err := p.Do(ctx, job{Do: do}, &second); !errors.Is(err, ErrTimeout) {
			t.Fatalf("%s: %v", do, err)
		}
		if d := time.Since(start); d < 200*time.Millisecond || d > 30*time.Second {
			t.Errorf("%s: gave up after %v", do, d)
		}
	}
	if !gone(first.PID) {
		t.Errorf("worker %d still lives", first.PID)
	}
	p.cfg.Timeout = 5 * time.Second
	if err := p.Do(ctx, job{N: 3}, &second); err != nil || second.Square != 9 || second.PID == first.PID {
		t.Errorf("after a kill: %+v, %v", second, err)
	}
}

func TestBrokenWorkers(t *testing.T) {
	p := newPool(t, Config{N: 1, Timeout: time.Minute})
	ctx := context.Background()
	for _, tt := range []struct{ do, want string }{
		{"crash", "exit status 3"}, {"junk", "not a response"}, {"wrong id", "response 0 to request"},
	} {
		var r result
		err := p.Do(ctx, job{Do: tt.do}, &r)
		var ce *CrashError
		if !errors.As(err, &ce) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want a CrashError with %q", tt.do, err, tt.want)
		}
		if tt.do == "crash" && !strings.Contains(err.Error(), "out of cheese") {
			t.Errorf("%s: %v lacks the standard error", tt.do, err)
		}
		if err := p.Do(ctx, job{N: 5}, &r); err != nil || r.Square != 25 {
			t.Errorf("after %s: %+v, %v", tt.do, r, err)
		}
	}
}

func TestIdleDeathIsRepaired(t *testing.T) {
	p := newPool(t, Config{N: 1, Timeout: time.Minute})
	var a, b result
	if err := p.Do(context.Background(), job{}, &a); err != nil {
		t.Fatal(err)
	}
	w := <-p.slots
	if err := syscall.Kill(a.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-w.exited
	p.slots <- w
	if err := p.Do(context.Background(), job{N: 4}, &b); err != nil || b.Square != 16 || b.PID == a.PID {
		t.Errorf("after an idle death: %+v, %v", b, err)
	}
}

func TestCancelAndClose(t *testing.T) {
	p := newPool(t, Config{N: 2})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	for i, r := range Map[job, result](ctx, p, []job{{Do: "hang"}, {Do: "hang"}, {N: 1}}) {
		if !errors.Is(r.Err, cause) {
			t.Errorf("request %d: %v, want %v", i, r.Err, cause)
		}
	}
	var r result
	if err := p.Do(context.Background(), job{N: 6}, &r); err != nil || r.Square != 36 {
		t.Errorf("after a cancel: %+v, %v", r, err)
	}
	// Close waits for the request under way.
	var wg sync.WaitGroup
	begun := make(chan struct{})
	wg.Go(func() {
		close(begun)
		var s result
		if err := p.Do(context.Background(), job{Do: "sleep", N: 200}, &s); err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("during Close: %v", err)
		}
	})
	<-begun
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if err := p.Do(context.Background(), job{}, &r); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if !gone(r.PID) {
		t.Errorf("worker %d outlives its pool", r.PID)
	}
}

func TestNoProgram(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("a pool without a command")
	}
	p, err := New(Config{Cmd: []string{filepath.Join(t.TempDir(), "nothing")}, N: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 2 { // a failed start gives its slot back
		if err := p.Do(context.Background(), job{}, new(result)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no such program: %v", err)
		}
	}
	if err := p.Do(context.Background(), func() {}, nil); err == nil {
		t.Error("a function went through JSON")
	}
}

func TestServe(t *testing.T) {
	double := func(_ context.Context, n int) (int, error) {
		if n < 0 {
			return 0, errors.New("negative")
		}
		return 2 * n, nil
	}
	for _, tt := range []struct{ name, in, out, err string }{
		{"two", "{\"id\":1,\"body\":4}\n\n{\"id\":9,\"body\":-1}", "{\"id\":1,\"body\":8}\n{\"id\":9,\"error\":\"negative\"}\n", ""},
		{"empty", "", "", ""},
		{"wrong body", "{\"id\":2,\"body\":\"x\"}\n", "{\"id\":2,\"error\":\"worker: request body: json: cannot unmarshal string into Go value of type int\"}\n", ""},
		{"no JSON", "{\"id\":1,\"body\":4}\nhello\n", "{\"id\":1,\"body\":8}\n", "worker: request 2:"},
	} {
		var out bytes.Buffer
		err := Serve(context.Background(), strings.NewReader(tt.in), &out, double)
		if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
		if out.String() != tt.out {
			t.Errorf("%s: wrote %q, want %q", tt.name, out.String(), tt.out)
		}
	}
	r, w := io.Pipe() // never written
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Serve(ctx, r, io.Discard, double); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestOrphanEnds starts a worker through a shell that then dies: a worker that
// hangs in a request must not outlive the process it works for.
func TestOrphanEnds(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "err")
	text, _ := json.Marshal(request{ID: 1, Body: json.RawMessage(`{"do":"hang"}`)})
	if err := os.WriteFile(in, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("sh", "-c", `"$0" <"$1" 2>"$2" & echo $!; sleep 0.3`, exe, in, out)
	sh.Env = append(os.Environ(), helperEnv)
	// Not through a pipe of ours: the orphan would hold it open.
	pidFile, err := os.Create(filepath.Join(t.TempDir(), "pid"))
	if err != nil {
		t.Fatal(err)
	}
	defer pidFile.Close()
	sh.Stdout = pidFile
	if err := sh.Run(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if msg, _ := os.ReadFile(out); strings.Contains(string(msg), ErrOrphaned.Error()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the orphan did not end")
		}
	}
}

func TestStderrIsCopied(t *testing.T) {
	var log bytes.Buffer
	p := newPool(t, Config{N: 1, Stderr: &log})
	_ = p.Do(context.Background(), job{Do: "crash"}, new(result))
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if log.String() != "out of cheese\n" {
		t.Errorf("copied %q", log.String())
	}
	var tl tail
	for range 100 {
		fmt.Fprint(&tl, strings.Repeat("x", 99), "\n")
	}
	fmt.Fprint(&tl, "end")
	if s := tl.String(); len(s) > tailSize || !strings.HasSuffix(s, "x\nend") {
		t.Errorf("tail of %d bytes ends %q", len(s), s[len(s)-10:])
	}
}

func ExampleServe() {
	// The body of a worker's main; in and out are os.Stdin and os.Stdout there.
	in := strings.NewReader(`{"id": 1, "body": "relu"}` + "\n")
	err := Serve(context.Background(), in, os.Stdout, func(_ context.Context, name string) (int, error) {
		return len(name), nil
	})
	fmt.Println(err)
	// Output:
	// {"id":1,"body":4}
	// <nil>
}

func ExampleMap() {
	exe, _ := os.Executable() // as taso does to start its own prove-worker
	p, err := New(Config{Cmd: []string{exe}, Env: []string{helperEnv}, N: 2, Timeout: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	for _, r := range Map[job, result](context.Background(), p, []job{{N: 3}, {Do: "fail", N: 4}, {N: 5}}) {
		fmt.Println(r.Value.Square, r.Err)
	}
	// Output:
	// 9 <nil>
	// 0 no square of 4
	// 25 <nil>
}

func BenchmarkDo(b *testing.B) {
	p := newPool(b, Config{N: 1, RestartAfter: -1, Timeout: time.Minute})
	var r result
	for b.Loop() {
		if err := p.Do(context.Background(), job{N: 3}, &r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	p := newPool(b, Config{N: 1, RestartAfter: 1})
	var r result
	for b.Loop() {
		if err := p.Do(context.Background(), job{N: 3}, &r); err != nil {
			b.Fatal(err)
		}
	}
}
