package plan

import (
	"errors"
	"testing"
)

// Experts take what people write for the kind of model, which computes the same: weights of which a
// sample uses a part lie in parts.
func TestExpert(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       modelKind
		sparse     string // a weight that lies in parts
	}{
		{"transformer", `
x : float32[32, 4]
w : weight float32[4, 4]
rows = matmul(x, w)
h = reshape[shape=[8, 4, 4]](rows)
k = transpose[perm=(0, 2, 1)](h)
s = matmul(h, k)
p = softmax[axis=2](s)
y = matmul(p, h)
return y`, modelTransformer, ""},
		{"experts", `
x : float32[4, 8, 4]
up : weight float32[4, 4, 8]
h = matmul(x, up)
y = relu(h)
return y`, modelExperts, "up"},
		{"table", `
at : int64[8, 3]
table : weight float32[12, 8]
w : weight float32[8, 4]
found = gather[axis=0](table, at)
rows = reshape[shape=[24, 8]](found)
y = matmul(rows, w)
return y`, modelTables, "table"},
		{"convolution", `
x : float32[8, 4, 3, 3]
w : weight float32[6, 4, 1, 1]
y = conv2d[pad=(0, 0, 0, 0)](x, w)
return y`, modelConvolution, ""},
		{"other", perceptron, modelOther, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := training(t, c.text)
			if kind := tr.model(); kind != c.kind {
				t.Fatalf("a model of kind %d, want %d", kind, c.kind)
			}
			p, err := Find(ctx, "expert", &Job{Training: tr, Cluster: meshOf(t, "dgx-a100", 1).Cluster, Devices: 4, Steps: 1 << 16, Strategies: strategies})
			if err != nil {
				t.Fatal(err)
			}
			verified(t, p)
			if c.sparse == "" {
				return
			}
			parts := tr.sparse()
			for i, id := range tr.Graph.Inputs() {
				if name := tr.Graph.Name(id); parts[i] != (name == c.sparse) {
					t.Errorf("%s is sparse: %v", name, parts[i])
				}
			}
		})
	}
}

// ZeRO with micro-batches gathers weights in each pass where they do not fit as gathered for
// the step, which takes longer.
func TestRemade(t *testing.T) {
	tr := training(t, layered(8))
	j, err := (&Job{Training: tr, Cluster: meshOf(t, "summit", 1).Cluster, Devices: 2, Strategies: strategies}).fill()
	if err != nil {
		t.Fatal(err)
	}
	find := func(memory int64) (*Plan, error) {
		j.Memory = memory
		x, err := j.grid(1)
		if err != nil {
			t.Fatal(err)
		}
		x.shapes = []shape{{1, []int{2}, FSDP.looks(true)}}
		return x.find(ctx)
	}
	p, err := find(1 << 40)
	for remade := false; ; p, err = find(p.Pipeline.Peak * 95 / 100) {
		var over *MemoryError
		if errors.As(err, &over) {
			if !remade {
				t.Error("nothing is made again before it is too much")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.Pipeline.Peak > j.Memory {
			t.Fatalf("%d bytes of %d", p.Pipeline.Peak, j.Memory)
		}
		remade = remade || p.Pipeline.Remade != nil
	}
}
