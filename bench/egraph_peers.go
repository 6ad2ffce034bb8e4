package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
)

func init() {
	Register(&Benchmark{Name: "egraph-peers", What: "the same rewrite rules in our e-graph, egg and egglog",
		Takes: "5 min", Packages: []string{"egraph/tensor", "bench/models", "axioms"}, Run: egraphPeers})
}

// peerLaws are laws that hold in programs without shapes, too: what they ask of
// sizes, every well-typed term that they match has.
var peerLaws = []string{"ewadd_assoc", "ewadd_comm", "ewmul_assoc", "ewmul_comm", "ewmul_ewadd", "matmul_assoc", "matmul_ewadd",
	"matmul_ewadd_left", "matmul_transpose", "transpose_inverse", "transpose_ewadd", "transpose_ewmul", "relu_relu", "neg_neg",
	"neg_ewadd", "neg_ewmul", "neg_matmul"}

// peerTurns is how often each program does each task; the best time counts.
const peerTurns = 3

// leastGrowth is the growth of a process, in bytes, from which on it says something of
// an e-graph: what the process had before it may use again.
const leastGrowth = 4 << 20

// outcome is what a program says of its e-graph; matches are those of all rules in
// the last one.
type outcome struct {
	Nodes, Classes, Applied, Matches int
	Bytes                            int64
	Seconds, Rebuilding, Searching   float64
	Saturated                        bool
}

// better keeps the shorter times of two outcomes. The error says that they are not
// of one e-graph.
func (o *outcome) better(p *outcome) error {
	if o.Nodes != p.Nodes || o.Classes != p.Classes || o.Matches != p.Matches {
		return fmt.Errorf("%d nodes, %d classes, %d matches in one turn and %d, %d, %d in another", o.Nodes, o.Classes, o.Matches, p.Nodes, p.Classes, p.Matches)
	}
	o.Seconds, o.Searching, o.Rebuilding = min(o.Seconds, p.Seconds), min(o.Searching, p.Searching), min(o.Rebuilding, p.Rebuilding)
	return nil
}

func egraphPeers(ctx context.Context, env *Env) (*Record, error) {
	tasks, err := peerTasks()
	if err != nil {
		return nil, err
	}
	laws, err := peerRules(tensor.NewTable())
	if err != nil {
		return nil, err
	}
	programs, done, err := peerPrograms(ctx, laws, tasks)
	if err != nil {
		return nil, err
	}
	defer done()
	runs := append([]peerProgram{{name: "ours", run: ours, towers: ourTowers}}, programs...)
	at := func(name string) int {
		for i, p := range runs {
			if p.name == name {
				return i
			}
		}
		return -1
	}
	times := []Column{Label("terms"), Counted("rounds"), Label("saturated"), Counted("classes"), Counted("nodes"), Counted("matches")}
	rates := []Column{Label("terms"), Label("program"), Measured("nodes", "1/s").Digits(2), Measured("matches applied", "1/s").Digits(2),
		Measured("matches found", "1/s").Digits(2), Measured("memory per node", "bytes").Digits(3)}
	united := []Column{Counted("towers"), Counted("height"), Counted("nodes before")}
	for _, p := range runs {
		times = append(times, Measured(p.name, "s").Digits(3))
		if p.towers != nil {
			united = append(united, Measured(p.name, "s").Digits(3), Measured("congruences, "+p.name, "1/s").Digits(2))
		}
	}
	for _, p := range runs[1:] {
		times = append(times, Measured(p.name+" / ours", "").Decimals(2))
	}
	tt, tr, tu := NewTable("Seconds to the same e-graph", times...), NewTable("Rates and memory", rates...), NewTable("One rebuild", united...)
	stage := env.Progress.Stage("terms", int64(len(tasks)))
	for _, task := range tasks {
		best, err := taskInTurns(ctx, runs, task)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", task.name, err)
		}
		o := best[at("ours")]
		row := []any{task.name, task.rounds, map[bool]string{true: "yes", false: "no"}[o.Saturated], o.Classes, o.Nodes, o.Matches}
		for _, p := range best {
			row = append(row, p.Seconds)
		}
		for i, p := range best {
			if i > 0 {
				row = append(row, p.Seconds/o.Seconds)
			}
			rate := []any{task.name, runs[i].name, float64(p.Nodes) / p.Seconds, nil, nil, nil}
			if i == 0 || p.Bytes >= leastGrowth {
				rate[5] = float64(p.Bytes) / float64(p.Nodes)
			}
			if p.Applied > 0 {
				rate[3] = float64(p.Applied) / p.Seconds
			}
			if p.Searching > 0 {
				rate[4] = float64(p.Matches) / p.Searching
			}
			tr.Add(rate...)
		}
		tt.Add(row...)
		stage.Add(1)
	}
	stage.Done()
	for _, size := range [][2]int{{1000, 100}, {20000, 5}, {100000, 1}} {
		row, err := towersInTurns(ctx, runs, size[0], size[1])
		if err != nil {
			return nil, fmt.Errorf("%d towers of %d: %w", size[0], size[1], err)
		}
		tu.Add(row...)
	}
	return &Record{Tables: []*Table{tt, tr, tu}, Notes: []string{
		fmt.Sprintf("Best of %d turns. "+peerLawsNote, peerTurns),
		peerStoreNote,
		fmt.Sprintf("egg %s. "+peerTurnsNote, eggVersion)}}, nil
}

// taskInTurns is the best outcome of each program. The error says where they differ.
func taskInTurns(ctx context.Context, runs []peerProgram, task *peerTask) ([]*outcome, error) {
	best := make([]*outcome, len(runs))
	for range peerTurns {
		for i, p := range runs {
			o, err := p.run(ctx, task)
			if err == nil && best[i] != nil {
				err = o.better(best[i])
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			best[i] = o
		}
	}
	for i, p := range best {
		if o := best[0]; p.Nodes != o.Nodes || p.Classes != o.Classes || p.Searching > 0 && p.Matches != o.Matches {
			return nil, fmt.Errorf("%s has %d nodes, %d classes, %d matches, and we have %d, %d, %d", runs[i].name, p.Nodes, p.Classes, p.Matches, o.Nodes, o.Classes, o.Matches)
		}
	}
	return best, nil
}

// ours saturates the terms of a task with our e-graph.
func ours(ctx context.Context, task *peerTask) (*outcome, error) {
	tab := tensor.NewTable()
	rules, err := peerRules(tab)
	if err != nil {
		return nil, err
	}
	g := tensor.NewGraph(tab)
	ids := make([]egraph.NodeID, len(task.terms))
	for i, t := range task.terms {
		if t.op == nil {
			ids[i], err = g.Leaf(t.name, graph.Sizes(64, 64))
		} else {
			kids := make([]egraph.NodeID, len(t.kids))
			for j, k := range t.kids {
				kids[j] = ids[k]
			}
			ids[i], err = g.Apply(t.op, t.attrs, kids...)
		}
		if err != nil {
			return nil, err
		}
	}
	runtime.GC()
	start := time.Now()
	stop, _, err := g.Run(ctx, rules, tensor.Limits{Nodes: 1 << 30, Iters: task.rounds, Level: tensor.Growing}, func() bool { return false })
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := &outcome{Nodes: g.E().Live(), Classes: g.E().NumClasses(), Applied: g.Instances(), Bytes: g.Bytes(),
		Seconds: time.Since(start).Seconds(), Saturated: stop == tensor.StopSaturated}
	start = time.Now()
	for _, r := range rules {
		n, err := r.Matches(g)
		if err != nil {
			return nil, err
		}
		o.Matches += n
	}
	o.Searching = time.Since(start).Seconds()
	return o, nil
}

// towersInTurns is a row of the table of rebuilds.
func towersInTurns(ctx context.Context, runs []peerProgram, width, height int) ([]any, error) {
	best := make([]*outcome, len(runs))
	for range peerTurns {
		for i, p := range runs {
			if p.towers == nil {
				continue
			}
			o, err := p.towers(ctx, width, height)
			if err == nil && best[i] != nil {
				err = o.better(best[i])
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			best[i] = o
		}
	}
	row := []any{width, height, width * (1 + height)}
	for i, o := range best {
		if o == nil {
			continue
		}
		if o.Classes != 1+height {
			return nil, fmt.Errorf("%s has %d classes, want %d", runs[i].name, o.Classes, 1+height)
		}
		row = append(row, o.Seconds, float64((width-1)*height)/o.Seconds)
	}
	return row, nil
}

// ourTowers unites the leaves below towers, and rebuilds.
func ourTowers(ctx context.Context, width, height int) (*outcome, error) {
	g := egraph.NewGraph(egraph.Options{HeadOf: func(sym uint32) uint32 { return min(sym, 1) }})
	leaves := make([]egraph.NodeID, width)
	for i := range leaves {
		top, err := g.Add(uint32(1 + i))
		if err != nil {
			return nil, err
		}
		leaves[i] = top
		for range height {
			if top, err = g.Add(0, top); err != nil {
				return nil, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	runtime.GC()
	start := time.Now()
	for _, l := range leaves[1:] {
		if _, err := g.Union(leaves[0], l, 1); err != nil {
			return nil, err
		}
	}
	if err := g.Rebuild(); err != nil {
		return nil, err
	}
	return &outcome{Nodes: g.Live(), Classes: g.NumClasses(), Seconds: time.Since(start).Seconds()}, nil
}
