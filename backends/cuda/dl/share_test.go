//go:build cgo

package dl

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// sharing is set in a process that a test starts: the folder of the cache.
const sharing = "TASO_TEST_CACHE"

// several are sources that processes share.
func several() []string {
	var list []string
	for i := range 6 {
		list = append(list, fmt.Sprintf(`extern "C" __global__ void k(float *x) { x[threadIdx.x] += %d; }`, i))
	}
	return list
}

// TestProcess is what the processes of TestProcesses do.
func TestProcess(t *testing.T) {
	dir := os.Getenv(sharing)
	if dir == "" {
		t.Skip("it is for a process that another test starts")
	}
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(l, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := l.Compiler("sm_90", dir)
	for i, source := range several() {
		cubin, err := c.Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Module(cubin)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Function("k", 0)
		if err != nil {
			t.Fatal(err)
		}
		at := upload(t, d, 0, 0)
		p, err := d.NewPlan(0)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Launch(f, [3]int{1, 1, 1}, [3]int{2, 1, 1}, 0, []Ref{At(0, 0)}); err != nil {
			t.Fatal(err)
		}
		if err := p.Run([]Ptr{at}); err != nil {
			t.Fatal(err)
		}
		if got := download(t, d, at, 2); got[0] != float32(i) || got[1] != float32(i) {
			t.Errorf("source %d gave %v", i, got)
		}
	}
	if os.Getenv("TASO_FAKE_REPORT") != "" { // else it ends without closing
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	hits, misses := c.Counts()
	fmt.Printf("hits %d, misses %d.\n", hits, misses)
}

// Two processes at once share a cache of compiled kernels, and a third finds all in it.
func TestProcesses(t *testing.T) {
	env, err := fake.Environment(fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir, reports := t.TempDir(), t.TempDir()
	start := func(name string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcess$", "-test.v")
		cmd.Env = append(append(os.Environ(), env...), sharing+"="+dir, "TASO_FAKE_REPORT="+filepath.Join(reports, name))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	finish := func(name string, cmd *exec.Cmd, out *bytes.Buffer) (hits, misses int) {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		_, counts, _ := strings.Cut(out.String(), "hits ")
		if _, err := fmt.Sscanf(counts, "%d, misses %d.", &hits, &misses); err != nil {
			t.Fatalf("%s: %v in %s", name, err, out)
		}
		report, err := os.ReadFile(filepath.Join(reports, name))
		if err != nil || !strings.HasPrefix(string(report), "calls: ") || strings.Count(string(report), "\n") != 1 {
			t.Errorf("%s reports %q, %v", name, report, err)
		}
		return hits, misses
	}
	n := len(several())
	one, outOne := start("one")
	two, outTwo := start("two")
	h1, m1 := finish("one", one, outOne)
	h2, m2 := finish("two", two, outTwo)
	if h1+m1 != n || h2+m2 != n || m1+m2 < n {
		t.Errorf("one: %d hits, %d misses, the other: %d and %d, of %d", h1, m1, h2, m2, n)
	}
	// What is damaged is compiled again.
	files, err := filepath.Glob(filepath.Join(dir, "*.cubin"))
	if err != nil || len(files) != n {
		t.Fatalf("%d files, %v", len(files), err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	put(t, files[0], string(whole[:len(whole)/2]))
	three, outThree := start("three")
	if h, m := finish("three", three, outThree); h != n-1 || m != 1 {
		t.Errorf("a third process: %d hits, %d misses", h, m)
	}
	if again, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("the damaged file is not whole again: %v", err)
	}
}
