package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// saveable are the nodes of a plan that a saving may be of.
func saveable(t *testing.T, p *Plan) (out []graph.NodeID) {
	t.Helper()
	m, err := p.write(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.out.slots {
		if s.saveable() && !slices.Contains(out, s.node) {
			out = append(out, s.node)
		}
	}
	return out
}

// drawn is a plan with a saving of which each node is drawn.
func drawn(t *testing.T, p *Plan, seed uint64) *Plan {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	s := &Saving{}
	for _, id := range saveable(t, p) {
		switch rng.IntN(3) {
		case 0:
			s.Again = append(s.Again, id)
		case 1:
			s.Away = append(s.Away, id)
		}
	}
	q, err := p.With(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// meanings says of each slot of a program what it makes, as text, without regard to how often it
// is made and where it lies.
func meanings(p *program) (all []string, once map[string]bool) {
	once = map[string]bool{}
	ids := map[string]int{}
	for _, s := range p.slots {
		var reads []string
		for _, r := range s.reads {
			reads = append(reads, all[r])
		}
		if s.host != here {
			all = append(all, reads[0])
			continue
		}
		slices.Sort(reads)
		text := fmt.Sprint(s.node, s.kind, s.axis, s.adds, slices.Compact(reads))
		if _, ok := ids[text]; !ok {
			ids[text] = len(ids)
		}
		all = append(all, fmt.Sprint(text[:min(len(text), 20)], "#", ids[text]))
		once[text] = true
	}
	return all, once
}

// Whatever is made again or put aside, everything is made of the same.
func TestSavingSame(t *testing.T) {
	plans(t, func(t *testing.T, p *Plan) {
		plain, err := p.With(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.program()
		if err != nil {
			t.Fatal(err)
		}
		_, all := meanings(want)
		for seed := range uint64(20) {
			q := drawn(t, plain, seed+10)
			got, err := q.program()
			if err != nil {
				t.Fatal(err)
			}
			if q.Saving != nil && len(q.Saving.Away) > 0 && len(got.slots) <= len(want.slots) {
				t.Errorf("seed %d: nothing is done again", seed)
			}
			_, have := meanings(got)
			for text := range have {
				if !all[text] {
					t.Errorf("seed %d: %s is not made without a saving", seed, text)
				}
			}
			if len(have) != len(all) {
				t.Errorf("seed %d: %d things are made, want %d", seed, len(have), len(all))
			}
		}
	})
}

// layered is a network of layers: most of what it holds is read when it goes backward.
func layered(n int) string {
	var b strings.Builder
	b.WriteString("x : float32[512, 256]\n")
	for i := range n {
		fmt.Fprintf(&b, "v%d : weight float32[256, 256]\nw%d : weight float32[256, 256]\n", i, i)
	}
	at := "x"
	for i := range n {
		fmt.Fprintf(&b, "a%d = matmul(%s, v%d)\nb%d = gelu(a%d)\nc%d = matmul(b%d, w%d)\nd%d = ewadd(%s, c%d)\n", i, at, i, i, i, i, i, i, i, at, i)
		at = fmt.Sprint("d", i)
	}
	return b.String() + "return " + at
}

// With less memory than a plan wants it is made to fit, the slower the less there is, until it
// cannot be.
func TestThrifty(t *testing.T) {
	tr, s := training(t, layered(8)), strategies
	c := meshOf(t, "summit", 1).Cluster
	for _, planner := range []string{"data", "fsdp"} {
		job := &Job{Training: tr, Cluster: c, Devices: 2, Strategies: s}
		p, err := Find(ctx, planner, job)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Memory()
		if err != nil {
			t.Fatal(err)
		}
		lies := m.Weights + m.Inputs
		before := p.Time()
		fit := 0
		var over *MemoryError
		for part := int64(9); part >= 0; part-- {
			job.Memory = lies + (m.Peak-lies)*part/10
			q, err := Find(ctx, planner, job)
			if errors.As(err, &over) {
				if over.Need != m.Peak || part > 0 && (over.Least <= job.Memory || over.Least >= m.Peak) {
					t.Errorf("%s with %d tenths: %+v", planner, part, over)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			fit++
			if n, err := q.Memory(); err != nil || n.Peak > job.Memory {
				t.Errorf("%s with %d tenths: %d bytes of %d, %v", planner, part, n.Peak, job.Memory, err)
			}
			if q.Saving == nil && q.Pipeline == nil || q.Time() <= before { // with micro-batches, where nothing else helps
				t.Errorf("%s with %d tenths: it takes %d ps, %d without: %+v", planner, part, q.Time(), before, q.Saving)
			}
		}
		if over == nil || fit < 2 {
			t.Errorf("%s: %d of nine tenths fit", planner, fit)
		}
	}
}

// Weights that are gathered for the forward pass can be gathered again (ZeRO-3): then no more is
// held of them than a part and what is in use.
func TestGatherAgain(t *testing.T) {
	tr, s := training(t, layered(8)), strategies
	p, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{Means: []Means{FSDP}, Strategies: s})
	if err != nil {
		t.Fatal(err)
	}
	gathers := &Saving{}
	m, err := p.write(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.out.slots {
		if x.kind == parallel.AllGather && x.saveable() {
			gathers.Again = append(gathers.Again, x.node)
		}
	}
	if len(gathers.Again) != 16 {
		t.Fatalf("%d weights are gathered, want 16", len(gathers.Again))
	}
	q, err := p.With(gathers)
	if err != nil {
		t.Fatal(err)
	}
	before, err := p.Sent()
	if err != nil {
		t.Fatal(err)
	}
	after, err := q.Sent()
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before)+15 { // v0 is only read forward
		t.Errorf("%d collectives, %d without", len(after), len(before))
	}
	was, _ := p.Memory()
	now, err := q.Memory()
	if err != nil {
		t.Fatal(err)
	}
	if was.Peak-now.Peak < 12*256*256*4 {
		t.Errorf("%d bytes, %d without", now.Peak, was.Peak)
	}
}

// What cannot be said of a plan is refused.
func TestSavingRefused(t *testing.T) {
	tr := training(t, perceptron)
	p, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{Strategies: strategies, Means: []Means{Data}})
	if err != nil {
		t.Fatal(err)
	}
	ok := saveable(t, p)
	input := p.Laying.Graph().Inputs()[0]
	for want, s := range map[string]*Saving{
		"there is no node":                       {Again: []graph.NodeID{graph.NodeID(p.Laying.Graph().Len() + 1)}},
		"is there twice":                         {Again: []graph.NodeID{ok[0], ok[0]}},
		"is made again and put aside":            {Again: ok[:1], Away: ok[:1]},
		"makes nothing in the forward pass that": {Away: []graph.NodeID{input}},
	} {
		if _, err := p.With(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", s, err, want)
		}
	}
}
