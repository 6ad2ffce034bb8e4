package plan

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/graph"
)

// What the order of the graph says is needed is what the simulator sees where one thing is
// done after the other; the first device needs most.
func TestMemorySimulated(t *testing.T) {
	plans(t, func(t *testing.T, p *Plan) {
		m, err := p.Memory()
		if err != nil {
			t.Fatal(err)
		}
		for d, got := range simulated(t, p, SimulateOptions{Serial: true}).Run.Memory()[:p.Mesh.Devices()] {
			if got.Peak > m.Peak || d == 0 && got.Peak != m.Peak {
				t.Errorf("device %d: %d bytes, want %d", d, got.Peak, m.Peak)
			}
			if got.Reserved != m.Weights+m.Inputs {
				t.Errorf("device %d: %d reserved, want %d", d, got.Reserved, m.Weights+m.Inputs)
			}
		}
		sum := int64(0)
		for _, a := range m.Alive {
			sum += a.Bytes
		}
		if sum != m.Peak {
			t.Errorf("what is alive takes %d bytes, not %d: %+v", sum, m.Peak, m.Alive)
		}
	})
}

// By hand: two products of matrices on two devices by samples.
func TestMemoryByHand(t *testing.T) {
	g, err := graph.ParseText("test", `
x : float32[64, 128]
v : weight float32[128, 256]
w : weight float32[256, 64]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
n = neg(v)
return y, n`)
	if err != nil {
		t.Fatal(err)
	}
	// v becomes -v and is written over; w is an input like x. All have all of everything.
	p, err := Make(ctx, &Training{Graph: g, Next: map[int]int{1: 1}}, meshOf(t, "summit", 2), Options{Strategies: strategies, Means: []Means{Megatron}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Memory()
	if err != nil {
		t.Fatal(err)
	}
	const x, v, w, h = 4 * 64 * 128, 4 * 128 * 256, 4 * 256 * 64, 4 * 64 * 256
	want := Memory{Weights: v, Inputs: x + w, Peak: x + v + w + h + h, At: "r"}
	if m.Weights != want.Weights || m.Inputs != want.Inputs || m.Peak != want.Peak || m.At != want.At {
		t.Errorf("%+v, want %+v", m, want)
	}
	if a := m.Alive[0]; a != (Alive{"v_copy_a", v, "weight"}) {
		t.Errorf("the largest is %+v", a)
	}
}

// A plan that needs more than there is is none, and one that needs less is found.
func TestMemoryBound(t *testing.T) {
	tr, s := training(t, `
x : float32[16, 32]
w : weight float32[32, 16]
y = matmul(x, w)
return y`), strategies
	c := meshOf(t, "summit", 1).Cluster
	need := map[string]int64{}
	for _, name := range []string{"data", "fsdp"} {
		p, err := Find(ctx, name, &Job{Training: tr, Cluster: c, Devices: 2, Strategies: s})
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Memory()
		if err != nil {
			t.Fatal(err)
		}
		need[name] = m.Peak
	}
	if need["fsdp"] >= need["data"] {
		t.Errorf("parts of weights take %d bytes, weights %d", need["fsdp"], need["data"])
	}
	job := &Job{Training: tr, Cluster: c, Devices: 2, Strategies: s, Memory: need["fsdp"], Steps: 1 << 16}
	var over *MemoryError
	if _, err := Find(ctx, "data", job); !errors.As(err, &over) || over.Over() != need["data"]-need["fsdp"] {
		t.Errorf("data: %v", err)
	}
	best := func() (*Plan, error) { // what auto does
		k, err := job.fill()
		if err != nil {
			t.Fatal(err)
		}
		return k.bestOf(ctx, []*Planner{dataPlanner, fsdpPlanner}, (*Plan).Makespan)
	}
	p, err := best()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Memory(); err != nil || m.Peak > job.Memory {
		t.Errorf("%d bytes: %v, %v", job.Memory, m, err)
	}
	job.Memory = 1000
	if _, err := best(); !errors.As(err, &over) {
		t.Errorf("1000 bytes: %v", err)
	}
}
