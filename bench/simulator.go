package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
	"github.com/taso-go/taso/parallel/sim"
)

func init() {
	Register(&Benchmark{Name: "simulator", What: "simulator speed: full and delta runs, closed forms",
		Takes: "1 min", Packages: []string{"parallel/sim", "parallel/machine", "parallel/schedule"}, Run: simulator})
}

const (
	microsecond = sim.Second / 1e6
	// simEdits is how many random edits are timed on each graph.
	simEdits = 200
)

// simulated are the graphs that are timed.
var simulated = []struct {
	name    string
	cluster string
	layers  int // of data parallelism; 0: a pipeline of as many stages as nodes
}{
	{"data parallel, 100 layers", "summit:1", 100},
	{"data parallel, 100 layers", "summit:4", 100},
	{"data parallel, 100 layers", "summit:32", 100},
	{"data parallel, 100 layers", "dgx-a100:128", 100},
	{"1f1b, 64 micro-batches, a stage a node", "p3-16xlarge:8", 0},
	{"1f1b, 64 micro-batches, a stage a node", "summit:32", 0},
}

func simulator(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("step"), Label("cluster"), Counted("devices"), Counted("tasks"), Measured("full run", "ms CPU").Digits(3),
		Measured("tasks per second", ""), Measured("delta run", "ms CPU").Digits(3), Measured("speedup", "").Digits(2),
		Counted("tasks rerun, %").Digits(2), Counted("edits"), Counted("equal"))
	stage := env.Progress.Stage("simulate", int64(len(simulated)))
	for _, x := range simulated {
		c, err := machine.Find(x.cluster, machine.Options{})
		if err != nil {
			return nil, err
		}
		g, err := simulatedGraph(c, x.layers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.cluster, err)
		}
		r, err := timeEdits(ctx, g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.cluster, err)
		}
		t.Add(x.name, "`"+x.cluster+"`", c.Devices(), g.Len(), 1e3*r.full, math.Round(float64(g.Len())/r.full/1e4)*1e4, 1e3*r.delta, r.full/r.delta,
			100*r.share, simEdits, r.equal)
		stage.Add(1)
	}
	stage.Done()
	forms, err := closedForms(ctx)
	if err != nil {
		return nil, err
	}
	return &Record{Tables: []*Table{t, forms}, Notes: []string{
		simulatorNote,
	}}, nil
}

// simulatedGraph is a training step.
func simulatedGraph(c *machine.Cluster, layers int) (*sim.Graph, error) {
	if layers > 0 {
		all := make([]schedule.Layer, layers)
		for i := range all {
			all[i] = schedule.Layer{Forward: sim.Time(900+i%7*50) * microsecond, Backward: sim.Time(1800+i%7*100) * microsecond,
				Kept: 1 << 20, Gradients: 40e6, Update: 50 * microsecond}
		}
		return schedule.DataParallel(c, c.All(), all, machine.Ring)
	}
	var stages []schedule.Stage
	for k := range c.Nodes {
		stages = append(stages, schedule.Stage{Name: fmt.Sprint("stage ", k), Devices: c.All()[k*c.PerNode() : (k+1)*c.PerNode()],
			Forward: sim.Time(9000+k%3*500) * microsecond, Backward: sim.Time(18000+k%3*1000) * microsecond,
			Out: 32 << 20, Kept: 64 << 20, Gradients: 200e6, Update: 500 * microsecond})
	}
	p := schedule.Pipeline{Stages: schedule.Chain(stages...), MicroBatches: 64, Schedule: schedule.OneFOneB}
	r, err := p.Build(c)
	if err != nil {
		return nil, err
	}
	return r.Graph, nil
}

// editTimes are seconds of a run of everything and of one after an edit, means; which
// share of tasks was run again; and after how many edits both were equal.
type editTimes struct {
	full, delta, share float64
	equal              int
}

func timeEdits(ctx context.Context, g *sim.Graph) (out editTimes, err error) {
	if err := g.Run(); err != nil {
		return out, err
	}
	r := rand.New(rand.NewPCG(1, 1))
	ids := g.IDs()
	spans := make([]sim.Span, len(ids))
	for range simEdits {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		id := ids[r.IntN(len(ids))]
		t, _ := g.Task(id)
		switch w := t.Work.(type) {
		case sim.Compute:
			w.Time = w.Time/2 + sim.Time(r.Int64N(int64(w.Time)+1))
			t.Work = w
		case sim.Collective:
			w.Bytes = w.Bytes/2 + r.Int64N(w.Bytes+1)
			t.Work = w
		}
		if err := g.Set(id, t); err != nil {
			return out, err
		}
		delta, err := timeRun(g)
		if err != nil {
			return out, err
		}
		out.delta += delta / simEdits
		out.share += float64(g.Simulated()) / float64(g.Len()) / simEdits
		for i, id := range ids {
			spans[i] = g.Span(id)
		}
		g.Forget()
		full, err := timeRun(g)
		if err != nil {
			return out, err
		}
		out.full += full / simEdits
		same := true
		for i, id := range ids {
			same = same && spans[i] == g.Span(id)
		}
		if same {
			out.equal++
		}
	}
	return out, nil
}

// timeRun is the processor time of a run, in seconds, or the time of the clock where that
// of a thread is not known.
func timeRun(g *sim.Graph) (float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	before, known := procstat.ThreadCPU()
	err := g.Run()
	if after, ok := procstat.ThreadCPU(); ok && known {
		return (after - before).Seconds(), err
	}
	return time.Since(start).Seconds(), err
}

// closedForms compares simulated times with formulas.
func closedForms(ctx context.Context) (*Table, error) {
	t := NewTable("Closed forms, equal to the picosecond:", Label("what"), Label("formula"), Counted("cases"), Counted("equal"))
	c, err := machine.Find("dgx-a100:1", machine.Options{})
	if err != nil {
		return nil, err
	}
	// α is two links of 2 µs, β 300 GB/s; the bytes are divided by all groups.
	const alpha, bytes = 4 * microsecond, int64(840 * 300e3)
	perByte := func(b int64) sim.Time { return machine.TimeOf(b, 300e9) }
	type form struct {
		what, formula string
		kind          parallel.Kind
		by            machine.Algorithm
		want          func(n int64) sim.Time
	}
	for _, f := range []form{
		{"all-reduce by a ring", "2(n-1)α + 2(n-1)/n b/β", parallel.AllReduce, machine.Ring, func(n int64) sim.Time { return sim.Time(2*(n-1))*alpha + perByte(2*(n-1)*bytes/n) }},
		{"all-reduce by a tree", "2⌈log n⌉(α + b/β)", parallel.AllReduce, machine.Tree, func(n int64) sim.Time {
			l := int64(0)
			for 1<<l < n {
				l++
			}
			return sim.Time(2*l)*alpha + perByte(2*l*bytes)
		}},
		{"all-reduce, direct", "2α + 2(n-1)/n b/β", parallel.AllReduce, machine.Direct, func(n int64) sim.Time { return 2*alpha + perByte(2*(n-1)*bytes/n) }},
	} {
		cases, equal := 0, 0
		for n := int64(2); n <= 8; n++ {
			g := sim.New(c)
			if _, err := g.Add(sim.Task{Work: sim.Collective{Kind: f.kind, Algorithm: f.by, Group: c.All()[:n], Bytes: bytes}}); err != nil {
				return nil, err
			}
			if err := g.Run(); err != nil {
				return nil, err
			}
			cases++
			if g.Makespan() == f.want(n) {
				equal++
			}
		}
		t.Add(f.what, f.formula, cases, equal)
	}
	const fwd, bwd = 3 * microsecond, 5 * microsecond
	for _, f := range []struct {
		what, formula string
		kind          schedule.Kind
		v             int
		want          func(p, m, v sim.Time) sim.Time
	}{
		{"GPipe", "(M+P-1)(f+b)", schedule.GPipe, 1, func(p, m, _ sim.Time) sim.Time { return (m + p - 1) * (fwd + bwd) }},
		{"1F1B", "(M+P-1)(f+b)", schedule.OneFOneB, 1, func(p, m, _ sim.Time) sim.Time { return (m + p - 1) * (fwd + bwd) }},
		{"interleaved, 3 chunks a device", "(Mv+P-1)(f+b), f and b of a chunk", schedule.Interleaved, 3, func(p, m, v sim.Time) sim.Time { return (m*v + p - 1) * (fwd + bwd) }},
	} {
		cases, equal := 0, 0
		for P := 1; P <= 8; P++ {
			for M := P; M <= 4*P; M += P {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				var stages []schedule.Stage
				for i := range P * f.v {
					stages = append(stages, schedule.Stage{Devices: []int{i % P}, Forward: fwd, Backward: bwd})
				}
				pipe := schedule.Pipeline{Stages: schedule.Chain(stages...), MicroBatches: M, Schedule: f.kind}
				r, err := pipe.Build(c)
				if err != nil {
					return nil, err
				}
				if err := r.Graph.Run(); err != nil {
					return nil, err
				}
				cases++
				if r.Graph.Makespan() == f.want(sim.Time(P), sim.Time(M), sim.Time(f.v)) {
					equal++
				}
			}
		}
		t.Add(f.what, f.formula, cases, equal)
	}
	return t, nil
}
