package plan

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/randplan"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/parallel"
)

// random is a job on a small graph and a small cluster, as the seed draws them.
func random(t testing.TB, seed uint64, s *parallel.Strategies) *Job {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 10))
	c, err := randplan.Cluster(draw)
	if err != nil {
		t.Fatal(err)
	}
	g, how, err := randplan.Graph(draw, c.Devices())
	if err != nil {
		t.Fatal(err)
	}
	tr := &Training{Graph: g, Next: map[int]int{}}
	if how != nil {
		if tr, err = Train(g, *how); err != nil {
			t.Fatal(err)
		}
	}
	return &Job{Training: tr, Cluster: c, Strategies: s, Seed: 1}
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
	seeds := []int{0, 1, 2, 3, 5, 13}
	n := 20
	if s := os.Getenv("GAPS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	gaps := map[string][]float64{}
	judged, rewritten := 0, 0
	if sweep.Size(0, 1) > 0 || os.Getenv("GAPS") != "" {
		seeds = seeds[:0]
		for seed := range n {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		j := random(t, uint64(seed), strategies)
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
		k := *j
		k.Serial, k.Without = true, []string{"exhaustive", "pipeline", "unity"}
		alone, err := Find(ctx, "auto", &k)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		gaps["auto alone"] = append(gaps["auto alone"], float64(alone.Time())/float64(best.Time())-1)
		for _, pl := range Planners() {
			p, err := Find(ctx, pl.Name, j)
			if IsNone(err) {
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
	t.Logf("%d of %d judged, %d plans of rewritten networks", judged, len(seeds), rewritten)
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
