package cuda

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// compiledText compiles a graph with random weights on the fake device, and runs it once.
func compiledText(t *testing.T, text string) (*Backend, *Plan) {
	t.Helper()
	fake.Libraries(t)
	b, err := Open(Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: "case", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	var in []backends.Tensor
	for i, id := range g.Inputs() {
		x, err := backends.Random(uint64(i), g.Type(id.Out(0)))
		if err != nil {
			t.Fatal(err)
		}
		if g.IsWeight(id) {
			m.Weights[id] = model.FromFloat32(x.Sizes, x.F32)
		} else {
			in = append(in, x)
		}
	}
	p, err := b.compile(t.Context(), m, backends.CompileOptions{KeepAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return b, p
}

// TestRotation: copies are so many that they add up to what was asked for, hold what the
// plan's own memory holds, and do not overlap; what does not turn is the plan's.
func TestRotation(t *testing.T) {
	b, p := compiledText(t, `
x : float32[16, 32]
w : weight float32[32, 48]
v : weight float32[48, 3]
y = matmul(x, w)
z = matmul(y, v)
return z`)
	weights := int64(4 * (32*48 + 48*3))
	for _, c := range []struct {
		between int64
		cold    bool
		weights int64 // copies of them at least
	}{
		{-1, false, 1}, {-1, true, 1}, {1, false, 2}, {100 << 10, false, (100 << 10) / weights}, {100 << 10, true, (100 << 10) / weights}, {1 << 30, true, mostCopies},
	} {
		r, err := newRotation(p, backends.MeasureOptions{Between: c.between, Cold: c.cold})
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(r.tables)) < c.weights || len(r.tables) > mostCopies {
			t.Errorf("%+v: %d tables", c, len(r.tables))
		}
		different := map[int]map[dl.Ptr]bool{}
		type span struct{ from, to dl.Ptr }
		var spans []span
		for _, table := range r.tables {
			for base, at := range table {
				bytesOf := p.memory.blocks[p.table[base]]
				if different[base] == nil {
					different[base] = map[dl.Ptr]bool{}
				}
				if different[base][at] {
					continue
				}
				different[base][at] = true
				if bytesOf == 0 {
					continue
				}
				spans = append(spans, span{at, at + dl.Ptr(bytesOf)})
				mine, want := make([]byte, bytesOf), make([]byte, bytesOf)
				if err := first(b.dev.CopyOut(mine, at), b.dev.CopyOut(want, p.table[base])); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(mine, want) {
					t.Fatalf("%+v: a copy of base %d differs", c, base)
				}
			}
		}
		for i, s := range spans[:min(len(spans), 200)] {
			for _, u := range spans[:i] {
				if s.from < u.to && u.from < s.to {
					t.Fatalf("%+v: %v and %v overlap", c, s, u)
				}
			}
		}
		for base := range p.table {
			turns := base >= firstConstant || c.cold && base == arenaBase
			if n := len(different[base]); (n > 1) != (turns && c.between > 0) && p.table[base] != 0 {
				t.Errorf("%+v: base %d has %d places", c, base, n)
			}
			if n := int64(len(different[base])); base >= firstConstant && n < c.weights {
				t.Errorf("%+v: %d copies of base %d", c, n, base)
			}
		}
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDoesNotCompile: the source of a kernel that does not compile is kept, and the error
// says for which node it is and where.
func TestDoesNotCompile(t *testing.T) {
	b, p := compiledText(t, "x : float32[2]\nend = relu(x)\nreturn end")
	node, _ := p.plan.Graph.Find("end")
	n := newBinder(b, p.plan)
	const source = "extern \"C\" __global__ void k(float *p) { p[0] = nothing; }\n"
	err := n.load(t.Context(), []kernel.Call{{Node: node, Launch: &kernel.Launch{Source: source}}})
	var bad *dl.CompileError
	if !errors.As(err, &bad) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "node end (relu)") {
		t.Fatalf("%v", err)
	}
	defer os.Remove(bad.Path)
	if kept, err := os.ReadFile(bad.Path); err != nil || string(kept) != source {
		t.Errorf("kept %q, %v", kept, err)
	}
	if err := n.close(); err != nil {
		t.Error(err)
	}
}

// TestChoicesOfTwo: two processes that measure at once keep what each has found.
func TestChoicesOfTwo(t *testing.T) {
	dir := t.TempDir()
	info := backends.Info{Name: "cuda", Device: "d"}
	one, two := openChoices(dir, info, 1), openChoices(dir, info, 1)
	one.put("a", 1, 3)
	two.put("b", 2, 3)
	one.put("c", 0, 3)
	three := openChoices(dir, info, 1)
	for shape, want := range map[string]int{"a": 1, "b": 2, "c": 0} {
		if at, ok := three.get(shape, 3); !ok || at != want {
			t.Errorf("%s: %d, %v", shape, at, ok)
		}
	}
	if _, ok := three.get("a", 4); ok {
		t.Error("a choice of another list")
	}
	info.Math = "tf32"
	for _, other := range []*choices{openChoices(dir, info, 1), openChoices(dir, backends.Info{Name: "cuda", Device: "d"}, 2), openChoices("", info, 1)} {
		if _, ok := other.get("a", 3); ok {
			t.Error("a choice of another setting")
		}
	}
}
