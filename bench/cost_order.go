package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/search"
)

func init() {
	Register(&Benchmark{Name: "cost-order", What: "modelled vs measured order of random pairs of equal graphs",
		Takes: "5 min", Packages: []string{"cost", "lower", "backends/cpu", "search", "rules/builtin"}, Repeat: true, Run: costOrder})
}

// orderPairs is how many pairs of graphs are compared.
const orderPairs = 200

// costOrder makes random graphs and rewrites each by random moves. It compares which of the
// two the formula prices lower with which runs faster.
func costOrder(ctx context.Context, env *Env) (*Record, error) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	on, err := cost.FindMachine(formula)
	if err != nil {
		return nil, err
	}
	laws, err := optimize.DefaultLaws(false)
	if err != nil {
		return nil, err
	}
	rules, _, err := search.NewRules(laws)
	if err != nil {
		return nil, err
	}
	limits := []float64{0.05, 0.1, 0.2, 0.5}
	differ, right, same := make([]int, len(limits)), make([]int, len(limits)), make([]int, len(limits))
	stage := env.Progress.Stage("pairs", orderPairs)
	defer stage.Done()
	var wrong []string
	pairs := 0
	for seed := uint64(1); pairs < orderPairs; seed++ {
		pair, path, err := randomPair(rules, seed)
		if err != nil {
			return nil, fmt.Errorf("pair of seed %d: %w", seed, err)
		}
		if pair == nil {
			continue
		}
		times, err := timePair(ctx, b, pair, max(env.Repeat, 25))
		if err != nil {
			return nil, fmt.Errorf("pair of seed %d: %w", seed, err)
		}
		var costs [2]float64
		for i, m := range pair {
			p, err := lower.Graph(m.Graph, b.Target(), lower.Options{})
			if err != nil {
				return nil, err
			}
			sum, err := cost.GraphCost(p, on)
			if err != nil {
				return nil, err
			}
			costs[i] = float64(sum.Total)
		}
		pairs++
		stage.Add(1)
		measured, modelled := float64(times[1]/times[0]), costs[1]/costs[0]
		for i, l := range limits {
			if max(measured, 1/measured) <= 1+l {
				continue
			}
			differ[i]++
			switch {
			case max(modelled, 1/modelled) < 1.001:
				same[i]++
			case (modelled > 1) == (measured > 1):
				right[i]++
			case i == 0:
				wrong = append(wrong, fmt.Sprintf("seed %d: measured %.2f, modelled %.2f times by %s", seed, measured, modelled, strings.Join(path, ", ")))
			}
		}
	}
	t := NewTable("", Measured("pairs that differ by more than", "%"), Measured("pairs", ""), Modelled("right order", ""), Modelled("same cost", ""),
		Modelled("right", "%").Decimals(1))
	for i, l := range limits {
		t.Add(100*l, differ[i], right[i], same[i], 100*float64(right[i])/float64(max(1, differ[i])))
	}
	notes := []string{fmt.Sprintf("%d pairs: a random graph and the graph after one to four random moves. Costs are those of the formula of `%s`; times are the best of interleaved runs, processor time of one thread.", pairs, formula)}
	if len(wrong) > 0 {
		notes = append(notes, "Wrong: "+strings.Join(wrong[:min(len(wrong), 12)], "; ")+".")
	}
	return &Record{Tables: []*Table{t}, Notes: notes}, nil
}

// randomPair is a random graph, and what random moves make of it; nil if they make none.
func randomPair(rules *search.Rules, seed uint64) (pair []*model.Model, path []string, err error) {
	r := rand.New(rand.NewPCG(seed, 35))
	m, err := randomGraph(r)
	if err != nil {
		return nil, nil, err
	}
	net, _, err := bank.From(m.Graph, nil)
	if err != nil {
		return nil, nil, err
	}
	before := net.Hash()
	rw := search.NewRewriter(net, rules)
	for range 1 + r.IntN(4) {
		byLaw := map[string][]search.Move{}
		moves := search.NewMoves(rw)
		net.Nodes(func(x bank.Node) bool {
			one, many := moves.At(x)
			for _, mv := range slices.Concat(one, many) {
				byLaw[mv.Direction.Law.Law.Name] = append(byLaw[mv.Direction.Law.Law.Name], mv)
			}
			return true
		})
		var names []string
		for name := range byLaw {
			names = append(names, name)
		}
		if len(names) == 0 {
			break
		}
		slices.Sort(names)
		name := names[r.IntN(len(names))]
		mv := byLaw[name][r.IntN(len(byLaw[name]))]
		var failed error
		if rw.Find(&mv, func(x *search.Match) { failed = rw.Apply(x) }) && failed == nil {
			path = append(path, name)
		}
	}
	if net.Hash() == before {
		return nil, nil, nil
	}
	g, _, err := net.Graph()
	if err != nil {
		return nil, nil, err
	}
	other, err := m.WithGraph(g)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range []*model.Model{m, other} {
		worth := fold.Worth(x.Graph, fold.Limits{})
		if x, err = fold.Model(x, func(id graph.NodeID) bool { return worth[id] }); err != nil {
			return nil, nil, err
		}
		pair = append(pair, x)
	}
	return pair, path, nil
}

// randomGraph is a chain of three to seven operators on a matrix or on images, with a second
// input, scalars, rows and parameters between.
func randomGraph(r *rand.Rand) (*model.Model, error) {
	n := 128 << r.IntN(4)
	shape := fmt.Sprintf("%d, %d", n, n)
	lines := []string{"relu(x)", "ewadd(x, Y)", "ewmul(Y, x)", "ewadd(x, S)", "ewmul(x, S)", "ewsub(x, R)", "neg(x)", "sigmoid(x)", "ewmax(x, Y)", "softmax[axis=1](x)"}
	head := fmt.Sprintf("x0 : float32[%s]\nY : float32[%s]\ns : weight float32[]\n", shape, shape)
	if r.IntN(2) == 0 {
		lines = append(lines, "matmul(x, W)", "matmul(x, V)", "transpose(x)")
		head += fmt.Sprintf("r : weight float32[%d]\nW : weight float32[%s]\nV : weight float32[%s]\n", n, shape, shape)
	} else {
		n = 14 << r.IntN(3)
		shape = fmt.Sprintf("1, 32, %d, %d", n, n)
		lines = append(lines, "conv2d[pad=same_upper](x, W)", "conv2d[pad=same_upper](x, V)", "batchnorm[eps=0.001](x, P, P, P, P)", "poolmax[kh=3, kw=3, pad=same_upper](x)")
		head = fmt.Sprintf("x0 : float32[%s]\nY : float32[%s]\ns : weight float32[]\nr : weight float32[32, 1, 1]\n", shape, shape) +
			"W : weight float32[32, 32, 3, 3]\nV : weight float32[32, 32, 1, 1]\nP : weight float32[32]\n"
	}
	text := head + fmt.Sprintf("S = broadcast[shape=[%s]](s)\nR = broadcast[shape=[%s]](r)\n", shape, shape)
	count := 3 + r.IntN(5)
	for i := range count {
		l := lines[r.IntN(len(lines))]
		l = strings.NewReplacer("(x", fmt.Sprintf("(x%d", i), " x)", fmt.Sprintf(" x%d)", i)).Replace(l)
		text += fmt.Sprintf("x%d = %s\n", i+1, l)
	}
	g, err := graph.ParseText("random", text+fmt.Sprintf("return x%d", count))
	if err != nil {
		return nil, err
	}
	m := &model.Model{Name: "random", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			sizes := g.Sizes(id.Out(0))
			xs := make([]float32, graph.NumElements(sizes))
			for i := range xs {
				xs[i] = 0.5 + 0.01*r.Float32() // a variance is positive
			}
			m.Weights[id] = model.FromFloat32(sizes, xs)
		}
	}
	return m, nil
}

// timePair runs two models in turns, and is their best times: processor times where they are
// known, so that other work on the machine counts less.
func timePair(ctx context.Context, b *cpu.Backend, pair []*model.Model, rounds int) (best [2]cost.Seconds, err error) {
	runtime.LockOSThread() // the processor time is the thread's
	defer runtime.UnlockOSThread()
	var plans [2]backends.Plan
	var in [2][]backends.Tensor
	for i, m := range pair {
		if plans[i], err = b.Compile(ctx, m, backends.CompileOptions{}); err != nil {
			return best, err
		}
		defer plans[i].Close()
		for k, id := range m.Inputs() {
			x, err := backends.Random(uint64(k), m.Graph.Type(id.Out(0)))
			if err != nil {
				return best, err
			}
			in[i] = append(in[i], x)
		}
	}
	for range rounds {
		for i := range plans {
			// Several runs at once, since a clock is no finer, after one that fills the caches.
			if _, err := plans[i].Run(ctx, in[i]); err != nil {
				return best, err
			}
			used, known := procstat.ThreadCPU()
			start := time.Now()
			for range runsAtOnce {
				if _, err := plans[i].Run(ctx, in[i]); err != nil {
					return best, err
				}
			}
			took := time.Since(start)
			if now, _ := procstat.ThreadCPU(); known {
				took = min(took, now-used)
			}
			if t := cost.FromDuration(took) / runsAtOnce; best[i] == 0 || t < best[i] {
				best[i] = t
			}
		}
	}
	return best, nil
}

// runsAtOnce is how often a model runs between two looks at the clock.
const runsAtOnce = 4
