package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// randomCluster has 2 to 4 devices, on links of any speed.
func randomCluster(t testing.TB, draw *rand.Rand) *machine.Cluster {
	t.Helper()
	speed := func() int { return 1 << draw.IntN(8) }
	text := fmt.Sprintf("name: random\ndevice: v100\nnodes: 1\nclasses: {near: {latency: %dus, bandwidth: %dGB/s}}\nnode: {devices: %d, links: [{class: near, mesh: [0, 1]}]}\n",
		speed(), speed(), 2)
	if draw.IntN(2) == 0 {
		text = fmt.Sprintf(`name: random
device: v100
nodes: 2
classes:
  near: {latency: %dus, bandwidth: %dGB/s}
  far: {latency: %dus, bandwidth: %dGB/s}
node:
  devices: 2
  switches: [nic]
  links:
    - {class: near, mesh: [0, 1, nic]}
network: {topology: switch, class: far, ports: [nic]}
`, speed(), 8*speed(), speed(), speed())
	}
	c, err := machine.Parse("random.yaml", []byte(text), machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// randomTraining is a few operators on matrices, as it is or with derivatives and updates.
func randomTraining(t testing.TB, draw *rand.Rand, devices int) *Training {
	t.Helper()
	size := func() int { return 64 << (2 * draw.IntN(4)) }
	var b strings.Builder
	type value struct {
		name       string
		rows, cols int
	}
	x := value{"x", size(), size()}
	fmt.Fprintf(&b, "x : float32[%d, %d]\n", x.rows, x.cols)
	var lines []string
	steps := 2 + draw.IntN(2)
	train := devices == 2 && draw.IntN(3) == 0
	if train {
		steps = 1
	}
	for i := range steps {
		y := value{fmt.Sprintf("y%d", i), x.rows, x.cols}
		switch k := draw.IntN(5); {
		case k < 2 || train:
			y.cols = size()
			fmt.Fprintf(&b, "w%d : weight float32[%d, %d]\n", i, x.cols, y.cols)
			lines = append(lines, fmt.Sprintf("%s = matmul(%s, w%d)", y.name, x.name, i))
		case k == 2:
			lines = append(lines, fmt.Sprintf("%s = relu(%s)", y.name, x.name))
		case k == 3:
			lines = append(lines, fmt.Sprintf("%s = softmax[axis=%d](%s)", y.name, draw.IntN(2), x.name))
		default:
			y.rows, y.cols = x.cols, x.rows
			lines = append(lines, fmt.Sprintf("%s = transpose(%s)", y.name, x.name))
		}
		x = y
	}
	text := b.String() + strings.Join(lines, "\n") + "\nreturn " + x.name
	if train {
		return training(t, text)
	}
	g, err := graph.ParseText("random", text)
	if err != nil {
		t.Fatal(err)
	}
	return &Training{Graph: g, Next: map[int]int{}}
}

// work is the number of operations of a graph.
func work(g *graph.Graph) (n int64) {
	for id := range g.Nodes() {
		if g.Op(id) != nil {
			n += g.WorkOf(id).FLOPs
		}
	}
	return n
}

// Random small graphs on random small clusters: the time of each planner's plan beside the
// least there is, one thing after the other; "auto alone" chooses by that and does not know
// what exhaustive found. No planner's plan has a shorter makespan than auto's. Plans of every fifth one are verified. GAPS sets their number.
func TestGaps(t *testing.T) {
	n := 20
	if s := os.Getenv("GAPS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	gaps := map[string][]float64{}
	strategies := parallel.NewStrategies()
	judged, rewritten := 0, 0
	for seed := range n {
		draw := rand.New(rand.NewPCG(uint64(seed), 10))
		c := randomCluster(t, draw)
		j := &Job{Training: randomTraining(t, draw, c.Devices()), Cluster: c, Strategies: strategies, Seed: 1}
		best, err := Find(ctx, "exhaustive", j)
		if errors.Is(err, ErrLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, j.Training.Graph)
		}
		judged++
		auto, err := Find(ctx, "auto", j)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		shortest, err := auto.Makespan(ctx)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		k, err := j.fill()
		if err != nil {
			t.Fatal(err)
		}
		alone, err := k.bestOf(ctx, slices.DeleteFunc(Planners(), func(p *Planner) bool {
			return p == autoPlanner || p == exhaustivePlanner || p == pipelinePlanner || p == unityPlanner
		}), func(p *Plan, _ context.Context) (machine.Time, error) { return p.Time(), nil })
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		gaps["auto alone"] = append(gaps["auto alone"], float64(alone.Time())/float64(best.Time())-1)
		for _, pl := range Planners() {
			p, err := Find(ctx, pl.Name, j)
			if errors.Is(err, ErrMeans) {
				continue
			}
			if err != nil {
				t.Fatalf("%d: %v", seed, err)
			}
			if got, err := p.Makespan(ctx); err != nil || got < shortest {
				t.Errorf("%d: %s %v (%v), auto %v\n%s", seed, pl.Name, got, err, shortest, j.Training.Graph)
			}
			if p.Pipeline != nil {
				continue // stages are not among what exhaustive judges
			}
			if p.Rewritten != nil { // nor are other networks
				rewritten++
				if work(j.Training.Graph) < 1<<24 {
					verified(t, p)
				} else {
					certified(t, p)
				}
				continue
			}
			if p.Time() < best.Time() {
				t.Errorf("%d: %s %v on %v, exhaustive %v on %v\n%s", seed, pl.Name, p.Time(), p.Mesh.Degrees, best.Time(), best.Mesh.Degrees, j.Training.Graph)
			}
			if pl == autoPlanner {
				continue // by another measure
			}
			gaps[pl.Name] = append(gaps[pl.Name], float64(p.Time())/float64(best.Time())-1)
			switch {
			case seed%5 > 0:
			case work(j.Training.Graph) < 1<<24:
				verified(t, p)
			default:
				certified(t, p)
			}
		}
	}
	t.Logf("%d of %d judged, %d plans of rewritten networks", judged, n, rewritten)
	for _, name := range slices.Sorted(maps.Keys(gaps)) {
		all := gaps[name]
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		zero := 0
		for _, g := range all {
			if g == 0 {
				zero++
			}
		}
		t.Logf("%-10s %3d plans, %3d optimal, gap median %.3f, 90%% %.3f, most %.3f", name, len(all), zero, all[len(all)/2], all[len(all)*9/10], all[len(all)-1])
	}
}
