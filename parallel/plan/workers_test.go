package plan

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
)

// written is a plan as a file, or why there is none.
func written(t *testing.T, name string, j Job, workers int) string {
	t.Helper()
	j.Workers = workers
	p, err := Find(ctx, name, &j)
	if err != nil {
		if !IsNone(err) {
			t.Fatal(err)
		}
		return err.Error()
	}
	var b bytes.Buffer
	if err := p.File().Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Laying.Laws())) {
		fmt.Fprintln(&b, name, p.Laying.Evidence(name))
	}
	return b.String()
}

// The plan of a job is the same, to the last byte, with any number of workers.
func TestWorkers(t *testing.T) {
	jobs := map[string]Job{
		"perceptron": {Training: training(t, perceptron), Cluster: meshOf(t, "dgx-a100", 1).Cluster, Devices: 4},
		"deep":       *deepJob(t, 4),
	}
	for seed := range sweep.Size(1, 4) {
		j := random(t, uint64(seed), strategies)
		jobs[fmt.Sprint("random ", seed)] = *j
	}
	plans := 0
	for what, j := range jobs {
		j.Steps = 1 << 16
		several := []int{8}
		if what == "perceptron" || what == "deep" {
			j.Strategies, several = strategies, []int{2, 8}[sweep.Size(1, 0):]
		}
		for _, name := range []string{"auto", "unity", "soap", "alpa", "expert"} {
			if name != "auto" && what != "perceptron" {
				continue
			}
			j := j
			if name == "auto" && what == "perceptron" { // strategies are found by these workers, too
				j.Strategies = nil
			}
			want := written(t, name, j, 1)
			for _, workers := range several {
				if have := written(t, name, j, workers); have != want {
					t.Errorf("%s by %s: another plan with %d workers:\n%.2000s\nwith one:\n%.2000s", what, name, workers, have, want)
				}
			}
			if len(want) > 1000 {
				plans++
			}
		}
	}
	if plans < len(jobs) {
		t.Errorf("%d plans of %d jobs", plans, len(jobs))
	}
	if _, err := Find(ctx, "data", &Job{Training: jobs["deep"].Training, Cluster: jobs["deep"].Cluster, Workers: -1}); err == nil {
		t.Error("-1 workers")
	}
}
