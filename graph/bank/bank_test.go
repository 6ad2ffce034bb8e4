package bank

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

func image(sizes ...int) graph.TensorType {
	return graph.TensorType{DType: graph.Float32, Sizes: sizes}
}

// flops is a price that tells operators and sizes apart.
func flops(o *graph.Op, a graph.Attrs, in, out []graph.TensorType) int64 {
	return int64(len(o.Name))*1000 + int64(graph.NumElements(out[0].Sizes))
}

// must takes the first output.
func (b *Bank) must(t testing.TB, o *graph.Op, a graph.Attrs, in ...Tensor) Tensor {
	t.Helper()
	n, err := b.Apply(o, a, graph.Float32, in...)
	if err != nil {
		t.Fatal(err)
	}
	return b.Out(n, 0)
}

// state is all of a bank that can be seen.
func (b *Bank) state() string {
	s := fmt.Sprintln(b.Len(), b.outputs, b.total, b.Hash(), b.inputs, len(b.table))
	for i := 1; i < len(b.nodes); i++ {
		n := Node(i)
		x := b.nodes[i]
		s += fmt.Sprintln(n, x.sym, x.refs, x.flags, b.Operands(n), b.origin[n])
		for k := range b.NumOut(n) {
			b.Users(b.Out(n, k), func(u Node, at int) bool {
				s += fmt.Sprint(" ", u, at)
				return true
			})
		}
	}
	return s
}

func random(t testing.TB, r *rand.Rand, size int) *Bank {
	b := New(flops)
	var ts []Tensor
	for i := range 3 {
		ts = append(ts, b.Out(b.AddInput(fmt.Sprint("x", i), i == 0, image(2, 2)), 0))
	}
	for range size {
		ts = append(ts, b.grow(t, r, ts))
	}
	b.SetOutputs(ts[len(ts)-1], ts[len(ts)-2], ts[r.IntN(len(ts))])
	return b
}

// grow applies a random operator to random tensors.
func (b *Bank) grow(t testing.TB, r *rand.Rand, ts []Tensor) Tensor {
	pick := func() Tensor { return ts[r.IntN(len(ts))] }
	switch r.IntN(5) {
	case 0:
		return b.must(t, op.Relu, nil, pick())
	case 1:
		return b.must(t, op.EWAdd, nil, pick(), pick())
	case 2:
		return b.must(t, op.EWSub, nil, pick(), pick())
	case 3:
		return b.must(t, op.MatMul, op.MatMul.MustAttr(nil), pick(), pick())
	}
	return b.must(t, op.Tanh, nil, pick())
}

// TestRewrites replaces random tensors by random others, checks the invariants,
// compares hash and cost with those of the same graph built anew, and undoes.
func TestRewrites(t *testing.T) {
	cycles, merges, done := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := random(t, r, 4+r.IntN(20))
		var walk func(depth int)
		walk = func(depth int) {
			before := b.state()
			m := b.Mark()
			for range 1 + r.IntN(2) {
				var ts []Tensor
				for i := 1; i < len(b.tensors); i++ {
					ts = append(ts, Tensor(i))
				}
				for range r.IntN(3) {
					ts = append(ts, b.grow(t, r, ts))
				}
				var old, new []Tensor
				for range 1 + r.IntN(2) {
					o := ts[r.IntN(len(ts))]
					if b.Live(b.tensors[o].node) && (len(old) == 0 || old[0] != o) {
						old, new = append(old, o), append(new, ts[r.IntN(len(ts))])
					}
				}
				if len(old) == 2 && (new[0] == old[1] || new[1] == old[0]) {
					continue
				}
				nodes := b.liveCount()
				switch err := b.Replace(old, new); {
				case errors.Is(err, ErrCycle):
					cycles++
				case err != nil:
					t.Fatal(err)
				default:
					done++
					if b.liveCount() < nodes-1 {
						merges++
					}
				}
				if err := b.Check(); err != nil {
					t.Fatalf("seed %d: after a rewrite: %v", seed, err)
				}
				g, _, err := b.Graph()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				fresh, _, err := From(g, flops)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if fresh.Hash() != b.Hash() || fresh.Cost() != b.Cost() {
					t.Fatalf("seed %d: hash %s and cost %d, of the same graph built anew %s and %d",
						seed, b.Hash(), b.Cost(), fresh.Hash(), fresh.Cost())
				}
			}
			if depth > 0 {
				walk(depth - 1)
			}
			if r.IntN(4) == 0 && depth == 3 {
				b.Keep(m)
				return
			}
			b.Undo(m)
			if err := b.Check(); err != nil {
				t.Fatalf("seed %d: after undoing: %v", seed, err)
			}
			if after := b.state(); after != before {
				t.Fatalf("seed %d: undoing makes\n%s\nof\n%s", seed, after, before)
			}
		}
		for range 3 {
			walk(3)
		}
	}
	if done < 1000 || cycles < 100 || merges < 100 {
		t.Errorf("%d rewrites, %d cycles, %d merges: too few to tell", done, cycles, merges)
	}
}

func (b *Bank) liveCount() int {
	n := 0
	b.Nodes(func(Node) bool { n++; return true })
	return n
}

// TestHash: two ways to one graph have one hash, what differs has another.
func TestHash(t *testing.T) {
	build := func(f func(b *Bank, x, y Tensor) Tensor) Hash {
		b := New(nil)
		x := b.Out(b.AddInput("x", false, image(2, 2)), 0)
		y := b.Out(b.AddInput("y", false, image(2, 2)), 0)
		b.SetOutputs(f(b, x, y))
		return b.Hash()
	}
	add := func(b *Bank, x, y Tensor) Tensor { return b.must(t, op.EWAdd, nil, x, y) }
	sub := func(b *Bank, x, y Tensor) Tensor { return b.must(t, op.EWSub, nil, x, y) }
	relu := func(b *Bank, x Tensor) Tensor { return b.must(t, op.Relu, nil, x) }
	forms := []struct {
		class int
		f     func(b *Bank, x, y Tensor) Tensor
	}{
		{0, func(b *Bank, x, y Tensor) Tensor { return add(b, x, y) }},
		{0, func(b *Bank, x, y Tensor) Tensor { return add(b, y, x) }},
		{1, func(b *Bank, x, y Tensor) Tensor { return sub(b, x, y) }},
		{2, func(b *Bank, x, y Tensor) Tensor { return sub(b, y, x) }},
		{3, func(b *Bank, x, y Tensor) Tensor { return add(b, relu(b, x), relu(b, y)) }},
		{4, func(b *Bank, x, y Tensor) Tensor { return relu(b, add(b, x, y)) }},
		{5, func(b *Bank, x, y Tensor) Tensor { return add(b, relu(b, x), y) }},
		{6, func(b *Bank, x, y Tensor) Tensor { return add(b, x, relu(b, y)) }},
		{7, func(b *Bank, x, y Tensor) Tensor { return sub(b, add(b, x, y), add(b, x, x)) }},
		{8, func(b *Bank, x, y Tensor) Tensor { return sub(b, add(b, x, x), add(b, x, y)) }},
	}
	for i, a := range forms {
		for j, c := range forms {
			if same := build(a.f) == build(c.f); same != (a.class == c.class) {
				t.Errorf("forms %d and %d: same hash is %t", i, j, same)
			}
		}
	}
}

// TestDead: what was dead when its operands changed is right when it lives again.
func TestDead(t *testing.T) {
	b := New(flops)
	x := b.Out(b.AddInput("x", false, image(2, 2)), 0)
	w := b.Out(b.AddInput("w", true, image(2, 2)), 0)
	r := b.must(t, op.Relu, nil, x)
	b.SetOutputs(b.must(t, op.EWAdd, nil, r, w))
	dead := b.must(t, op.Tanh, nil, r)
	if err := b.Replace([]Tensor{r}, []Tensor{w}); err != nil {
		t.Fatal(err)
	}
	if !b.Fixed(1+b.tensors[r].node) || b.Cost() != 0 {
		t.Errorf("a sum of weights costs %d", b.Cost())
	}
	if err := b.Replace([]Tensor{b.outputs[0]}, []Tensor{dead}); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	if b.Cost() != 2*4004 {
		t.Errorf("tanh(relu(x)) costs %d", b.Cost())
	}
}

func TestReplaceErrors(t *testing.T) {
	b := New(nil)
	x := b.Out(b.AddInput("x", false, image(2, 2)), 0)
	y := b.Out(b.AddInput("y", false, image(2, 3)), 0)
	r := b.must(t, op.Relu, nil, x)
	rr := b.must(t, op.Relu, nil, r)
	b.SetOutputs(rr, y)
	if err := b.Replace([]Tensor{r}, []Tensor{y}); err == nil || errors.Is(err, ErrCycle) {
		t.Errorf("a tensor of another type: %v", err)
	}
	if err := b.Replace([]Tensor{r}, []Tensor{rr}); !errors.Is(err, ErrCycle) {
		t.Errorf("a tensor that is computed from it: %v", err)
	}
	if _, err := b.Apply(op.EWAdd, nil, graph.Float32, x, y); err == nil {
		t.Error("a sum of two shapes")
	}
	if _, err := b.Apply(op.Relu, nil, graph.Float32, 99); err == nil {
		t.Error("a tensor that is not there")
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
}

// What is too much work to be computed ahead is work of each run, and so is what is
// computed from it; and it stays so when operands change.
func TestHeavy(t *testing.T) {
	b := New(flops)
	weight := func(name string, sizes ...int) Tensor { return b.Out(b.AddInput(name, true, image(sizes...)), 0) }
	v, w, few := weight("v", 1024, 1024), weight("w", 1024, 1024), weight("few", 1024, 16)
	for _, c := range []struct {
		x     Tensor
		fixed bool
	}{
		{b.must(t, op.MatMul, nil, v, w), false},                                 // 2.1e9 operations
		{b.must(t, op.Relu, nil, b.must(t, op.MatMul, nil, v, w)), false},        // not ahead of its operand
		{b.must(t, op.MatMul, nil, b.must(t, op.MatMul, nil, v, w), few), false}, // nor this
		{b.must(t, op.MatMul, nil, v, b.must(t, op.MatMul, nil, w, few)), true},  // 3.4e7 each
		{b.must(t, op.MatMul, nil, b.must(t, op.EWAdd, nil, v, w), few), true},
	} {
		b.SetOutputs(c.x)
		if got := b.Fixed(b.tensors[c.x].node); got != c.fixed || c.fixed != (b.Cost() == 0) {
			t.Errorf("tensor %d: fixed is %t, it costs %d", c.x, got, b.Cost())
		}
		if err := b.Check(); err != nil {
			t.Error(err)
		}
	}
	// (x w) few, as x becomes v, costs both products; back it is as before.
	x := b.Out(b.AddInput("x", false, image(1024, 1024)), 0)
	r := b.must(t, op.Relu, nil, x)
	b.SetOutputs(b.must(t, op.MatMul, nil, b.must(t, op.MatMul, nil, r, w), few))
	before := b.Cost()
	mark := b.Mark()
	if err := b.Replace([]Tensor{r}, []Tensor{v}); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	if got := b.Cost(); got != before-flops(op.Relu, nil, nil, []graph.TensorType{image(1024, 1024)}) {
		t.Errorf("(v w) few costs %d, (relu(x) w) few %d", got, before)
	}
	b.Undo(mark)
	if err := b.Check(); err != nil || b.Cost() != before {
		t.Errorf("undone it costs %d, before %d: %v", b.Cost(), before, err)
	}
}

// What stays whole keeps its own weights, although others are the same number.
func TestWholeKeepsWeights(t *testing.T) {
	g, err := graph.ParseText("g", `x : float32[2]
u : weight float32[2]
v : weight float32[2]
a = ewadd(x, u)
b = ewmul(x, v)
return a, b`)
	if err != nil {
		t.Fatal(err)
	}
	zero := func(string) (float64, bool) { return 0, true }
	for _, whole := range []map[string]bool{nil, {"b": true}} {
		net, _, err := FromReal(g, nil, Weights{Constant: zero, Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := net.Graph()
		if err != nil {
			t.Fatal(err)
		}
		reads := h.Name(h.Operands(h.Outputs()[1].Node)[1].Node)
		if want := map[bool]string{false: "u", true: "v"}[whole != nil]; reads != want {
			t.Errorf("whole: %v: b reads %s, want %s", whole, reads, want)
		}
	}
}
