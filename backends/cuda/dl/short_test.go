//go:build cgo

package dl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Where memory is short, algorithms with less workspace are taken.
func TestShort(t *testing.T) {
	d, c := onFake(t)
	m := &memory{rng: rand.New(rand.NewPCG(1, 1))}
	p := dense(m, 64, 64, 64, 1, false, false)
	want := product(m, p, bits(23))
	base := upload(t, d, m.data...)
	free, total, err := d.MemInfo()
	if err != nil {
		t.Fatal(err)
	}
	used := total - free
	for _, step := range []struct{ left, workspace, bound int64 }{
		{1 << 20, 2*64*64*4 + 256<<10, 1 << 20},
		{100 << 10, 64 << 10, (2*64*64*4 + 256<<10) / 2},
		{10 << 10, 0, 0},
		{0, 0, 0},
	} {
		c.Memory(used + step.left)
		plan, err := d.NewPlan(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Matmul(p); err != nil {
			t.Fatal(err)
		}
		if err := plan.Run([]Ptr{base}); err != nil {
			t.Errorf("%d bytes left: %v", step.left, err)
		}
		got := download(t, d, base+Ptr(p.D.Offset), len(want))
		for i, w := range want {
			if math.Abs(float64(got[i])-w) > 1e-4 {
				t.Fatalf("%d bytes left: result %d is %v, want %v", step.left, i, got[i], w)
			}
		}
		bytes, bound, err := plan.Workspace()
		if err != nil || bytes != step.workspace || bound > step.bound {
			t.Errorf("%d bytes left: workspace of %d under %d, %v", step.left, bytes, bound, err)
		}
		if err := plan.Close(); err != nil {
			t.Error(err)
		}
	}
	// A convolution with a bias and no relu has one algorithm, which wants a workspace.
	small := &memory{rng: rand.New(rand.NewPCG(1, 1))}
	conv := image(small, 1, 1, 64, 64, 1, 3, 3, 1)
	conv.Bias = small.add(1)
	at := upload(t, d, make([]float32, 0)...)
	if at != 0 {
		t.Error(at)
	}
	plan, err := d.NewPlan(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Conv(conv); err != nil {
		t.Fatal(err)
	}
	wants := 4096 + 64*64*8
	c.Memory(used + 2048)
	err = plan.Run([]Ptr{base})
	var short *MemoryError
	say := fmt.Sprintf("call 0 has no algorithm with less workspace: out of device memory: workspace of %d bytes asked for, 2048 free of %d", wants, used+2048)
	if !errors.As(err, &short) || err.Error() != say {
		t.Errorf("error %v, want %s", err, say)
	}
	if d.Lost() != nil {
		t.Error(d.Lost())
	}
	// With memory again, the same plan runs.
	c.Memory(total)
	big := upload(t, d, small.data...)
	if err := plan.Run([]Ptr{big}); err != nil {
		t.Error(err)
	}
	for i, w := range convolution(small, conv, bits(23)) {
		if got := download(t, d, big+Ptr(conv.Y.Offset)+Ptr(4*i), 1)[0]; math.Abs(float64(got)-w) > 1e-4 {
			t.Fatalf("result %d is %v, want %v", i, got, w)
		}
	}
}

// A captured plan computes what a run does, on each of its tables, and keeps its algorithms.
func TestReplay(t *testing.T) {
	d, c := onFake(t)
	m := &memory{rng: rand.New(rand.NewPCG(5, 5))}
	p := dense(m, 4, 8, 4, 1, false, false)
	conv := image(m, 1, 1, 4, 8, 2, 3, 3, 1)
	conv.X = p.D
	conv.Relu = true // by zeros for a bias
	f := kernelOf(t, d, double, "twice", 0)
	plan, err := d.NewPlan(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		plan.Matmul(p), plan.Conv(conv),
		plan.Launch(f, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, []Ref{conv.Y}),
		plan.Copy(At(1, 0), conv.Y, 256), plan.Fill(At(1, 0), 0, 4),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tables := make([][]Ptr, 3)
	want := make([][]float32, 3)
	clear := make([]byte, 256)
	for i := range tables {
		for j := range m.data {
			m.data[j] = float32(m.rng.IntN(17) - 8)
		}
		out := upload(t, d, make([]float32, 64)...)
		tables[i] = []Ptr{upload(t, d, m.data...), out}
		if err := plan.Run(tables[i]); err != nil {
			t.Fatal(err)
		}
		want[i] = download(t, d, out, 64)
		if err := d.CopyIn(out, clear); err != nil {
			t.Fatal(err)
		}
	}
	g, err := plan.Capture(tables...)
	if err != nil {
		t.Fatal(err)
	}
	if got := download(t, d, tables[0][1], 64); got[1] != 0 {
		t.Error("a capture runs the plan")
	}
	once, err := g.Replay(1)
	if err != nil {
		t.Fatal(err)
	}
	some := false
	for i := range tables {
		got := download(t, d, tables[i][1], 64)
		for j := range got {
			some = some || got[j] != 0
			if got[j] != want[i][j] {
				t.Fatalf("table %d: result %d is %v, want %v", i, j, got[j], want[i][j])
			}
		}
	}
	if !some {
		t.Error("all results are 0")
	}
	if four, err := g.Replay(4); err != nil || four <= 3*once {
		t.Errorf("1 replay: %v ms, 4: %v ms, %v", once, four, err)
	}
	// It goes on when the plan takes another algorithm and a larger workspace.
	if n := c.Called("cublasLtMatmul"); n != 6 {
		t.Errorf("%d products were issued", n)
	}
	if err := plan.Choose(0, 1); err != nil {
		t.Fatal(err)
	}
	if err := plan.Run(tables[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Replay(1); err != nil {
		t.Error(err)
	}
	for _, bad := range []struct {
		err  error
		want string
	}{
		{plan.Run(nil), "a plan with 2 bases got 0"},
		{plan.Run([]Ptr{tables[0][0] + 4, 0}), fmt.Sprintf("base 0 at %#x is not a multiple of 256", uint64(tables[0][0]+4))},
		{plan.Choose(0, 9), "call 0: no choice 9 of 3"},
		{plan.Choose(7, 0), "no call 7 in a plan of 5"},
	} {
		if bad.err == nil || bad.err.Error() != bad.want {
			t.Errorf("%v, want %s", bad.err, bad.want)
		}
	}
	if _, err := plan.Capture(); err == nil {
		t.Error("nothing was captured")
	}
	if err := plan.Close(); err != nil {
		t.Error(err)
	}
	if _, err := g.Replay(1); !errors.Is(err, ErrClosed) {
		t.Errorf("replay after closing the plan: %v", err)
	}
}
