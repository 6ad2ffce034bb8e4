package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A Python that cannot import onnxruntime is none.
func TestProbe(t *testing.T) {
	if _, err := probe(context.Background(), filepath.Join(t.TempDir(), "python3")); err == nil || !strings.Contains(err.Error(), "probe") {
		t.Errorf("got %v", err)
	}
}

// hello is the first message of a worker, in the shell.
const hello = `printf '\021\0\0\0\0\0\0\0{"Version":"9.9"}'`

// python is a shell script that takes the place of a Python.
func python(t *testing.T, program string) *Runtime {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+program+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Runtime{Python: path}
}

// Answers of the other process are checked.
func TestAnswers(t *testing.T) {
	for what, program := range map[string]string{
		"no answer":              "exit 0",
		"ended: no answer":       hello,
		"header has":             `printf '\377\0\0\0\0\0\0\377x'`,
		"no JSON":                `printf '\001\0\0\0\0\0\0\0x'`,
		"exit status 3":          "echo broken >&2; exit 3",
		"ended: exit status 3":   hello + "; echo broken >&2; exit 3",
		"broken":                 hello + "; echo broken >&2; exit 3",
		"Oops":                   hello + `; printf '\027\0\0\0\0\0\0\0{"Error":"Oops: error"}'; cat >/dev/null`,
		"ended: signal: segment": hello + `; kill -SEGV $$`,
	} {
		_, err := python(t, program).Run(context.Background(), "m.onnx", nil, Options{})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "m.onnx") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	// Bytes that do not come are not waited for with memory.
	tensor := `{"Tensors":[{"Bytes":99999999999999}]}`
	w, err := python(t, fmt.Sprintf(`%s; printf '\%03o\0\0\0\0\0\0\0%s'`, hello, len(tensor), tensor)).Start(context.Background())
	if err != nil || w.Version != "9.9" {
		t.Fatal(err)
	}
	if _, err := w.Open(context.Background(), Job{Model: "m.onnx"}); !Crashed(err) {
		t.Errorf("got %v", err)
	}
	if _, err := w.Open(context.Background(), Job{Model: "m.onnx"}); !Crashed(err) {
		t.Errorf("a worker that crashed: %v", err)
	}
}

// A crash is the error of one model; the next one has a new process.
func TestCrashes(t *testing.T) {
	ok := `{"Seconds":[1]}`
	answer := fmt.Sprintf(`printf '\%03o\0\0\0\0\0\0\0%s'`, len(ok), ok)
	marker := filepath.Join(t.TempDir(), "crashed")
	rt := python(t, fmt.Sprintf("%s; if test -e %s; then %s; %s; %s; cat >/dev/null; else : >%s; kill -SEGV $$; fi", hello, marker, answer, answer, answer, marker))
	res, err := rt.RunAll(context.Background(), []Job{{Model: "a.onnx"}, {Model: "b.onnx"}})
	if err != nil || len(res) != 2 {
		t.Fatal(res, err)
	}
	if !Crashed(res[0].Err) || !strings.Contains(res[0].Err.Error(), "a.onnx") || res[1].Err != nil {
		t.Errorf("got %v, %v", res[0].Err, res[1].Err)
	}
}

// A cancelled context ends a call and its process at once.
func TestCancelled(t *testing.T) {
	w, err := python(t, hello+"; exec sleep 100").Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	start := time.Now()
	if _, err := w.Open(ctx, Job{Model: "m.onnx"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %s", d)
	}
}

// The answer of a Python is kept until a file that it depends on changes.
func TestProbeCache(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	module := filepath.Join(dir, "site", "onnxruntime", "__init__.py")
	count := filepath.Join(dir, "count")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(module, "1")
	rt := python(t, fmt.Sprintf("echo x >>%s; echo 9.$(cat %s); echo %s", count, module, module))
	for i, c := range []struct {
		change, version string
		asked           int
	}{{"", "9.1", 1}, {"", "9.1", 1}, {"22", "9.22", 2}, {"", "9.22", 2}} {
		if c.change != "" {
			write(module, c.change)
		}
		got, err := probe(context.Background(), rt.Python)
		if err != nil || got.Version != c.version {
			t.Fatalf("%d: %+v, %v", i, got, err)
		}
		if text, _ := os.ReadFile(count); len(text) != 2*c.asked {
			t.Errorf("%d: asked %d times, want %d", i, len(text)/2, c.asked)
		}
	}
}

// Models are timed in the order asked for, and give the same outputs at all levels.
func TestWorker(t *testing.T) {
	rt := ForTest(t)
	ctx := context.Background()
	w, err := rt.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.Version != rt.Version || len(w.Providers) == 0 || !w.CPUTime {
		t.Errorf("%+v, want version %s", w, rt.Version)
	}
	in := []Tensor{Float32("x", []int{2}, []float32{-1, 2})}
	var open []*Session
	for _, level := range Levels() {
		s, err := w.Open(ctx, Job{Model: filepath.Join("testdata", "relu.onnx"), Inputs: in, Options: Options{Level: level}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Run(ctx)
		if err != nil || len(out) != 1 {
			t.Fatal(out, err)
		}
		if xs, err := out[0].Float32s(); err != nil || xs[0] != 0 || xs[1] != 2 {
			t.Errorf("%s: %v, %v", level, xs, err)
		}
		open = append(open, s)
	}
	for _, c := range []Clock{Wall, CPU} {
		times, err := w.Time(ctx, []Turn{{open[0], 100, 1}, {open[1], 1, 0}, {open[0], 1, 0}}, c)
		if err != nil || len(times) != 3 || slices.Min(times) <= 0 || times[0] > 0.1 {
			t.Errorf("%v, %v", times, err)
		}
	}
	if err := open[0].Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := w.Time(ctx, []Turn{{open[0], 1, 0}}, Wall); err == nil || Crashed(err) {
		t.Errorf("a closed model: %v", err)
	}
	if _, err := open[1].Run(ctx); err != nil {
		t.Errorf("after an error: %v", err)
	}
}

// Calls of tests share a worker as long as it lives; others end theirs.
func TestShared(t *testing.T) {
	rt := ForTest(t)
	rt.idle = make(chan *Worker, 1)
	run := func() *Worker {
		t.Helper()
		out, err := rt.Run(context.Background(), filepath.Join("testdata", "relu.onnx"), []Tensor{Float32("x", []int{2}, []float32{-1, 2})}, Options{})
		if err != nil || len(out.Outputs) != 1 {
			t.Fatal(out, err)
		}
		select {
		case w := <-rt.idle:
			return w
		default:
			return nil
		}
	}
	w := run()
	if w == nil || w.dead != nil {
		t.Fatal("the worker is not kept")
	}
	rt.giveBack(w)
	if again := run(); again != w {
		t.Error("another worker is started")
	}
	w.Close()
	rt.giveBack(w)
	if len(rt.idle) > 0 {
		t.Error("a worker that ended is kept")
	}
	rt.idle = nil
	if run() != nil {
		t.Error("a program keeps a worker")
	}
}

func TestRunErrors(t *testing.T) {
	rt := ForTest(t)
	if rt.Version == "" {
		t.Error("no version")
	}
	_, err := rt.Run(context.Background(), filepath.Join(t.TempDir(), "none.onnx"), nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "none.onnx") {
		t.Errorf("got %v", err)
	}
}

func ExampleFloat32() {
	t := Float32("x", []int{2}, []float32{1, 2})
	xs, err := t.Float32s()
	fmt.Println(t.DType, xs, err)
	// Output: float32 [1 2] <nil>
}

// fake records how a test ended.
type fake struct{ skipped, failed string }

func (*fake) Helper()                        {}
func (f *fake) Skipf(s string, args ...any)  { f.skipped = fmt.Sprintf(s, args...) }
func (f *fake) Fatalf(s string, args ...any) { f.failed = fmt.Sprintf(s, args...) }

// Without ONNX Runtime, or without onnx beside it, a test is skipped; with CI=true it fails.
// The environment of scripts/setup comes before python3.
func TestForTest(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("TASO_ORT_PYTHON", "")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	forget := func() { found.looked, found.rt, found.err = false, nil, nil }
	t.Cleanup(forget)
	pinned, err := environment()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(pinned, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ system, pinned, version, why string }{
		{"exit 1", "exit 1", "", "no ONNX Runtime"},
		{"echo 9.9", "exit 1", "9.9", "the Python package onnx"},
		{"echo 9.9 1.1", "exit 1", "9.9", ""},
		{"echo 9.9 1.1", "echo 9.8 1.1", "9.8", ""},
	} {
		for path, script := range map[string]string{filepath.Join(dir, "python3"): c.system, filepath.Join(pinned, "bin", "python3"): c.pinned} {
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, ci := range []string{"", "true"} {
			t.Setenv("CI", ci)
			forget()
			var f fake
			rt := ForTest(&f)
			if rt != nil && rt.Version != c.version || rt == nil && c.version != "" {
				t.Errorf("%+v: found %+v", c, rt)
			}
			ended, other := f.skipped, f.failed
			if ci == "true" {
				ended, other = other, ended
			}
			if other != "" || !strings.Contains(ended, c.why) || (ended == "") != (c.why == "") {
				t.Errorf("%+v, CI=%q: skipped %q, failed %q", c, ci, f.skipped, f.failed)
			}
		}
	}
}
