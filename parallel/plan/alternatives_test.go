package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// What the plan would take with another choice is what a plan with that choice takes; plans whose
// stages have layouts of their own keep their borders.
func TestAlternatives(t *testing.T) {
	j := deepJob(t, 4)
	j.Stages = 2
	p, err := Find(ctx, "pipeline", j)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Alternatives(ctx)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, a := range all {
		kinds[strings.Fields(a.What)[0]]++
		if a.What != "stage 1 recomputes its activations" {
			continue
		}
		q := *p
		l := *p.Pipeline
		q.Pipeline, l.Stages = &l, slices.Clone(l.Stages)
		l.Stages[0].Recompute = true
		if err := q.settle(); err != nil {
			t.Fatal(err)
		}
		if q.Pipeline.Makespan-p.Pipeline.Makespan != a.More || q.Pipeline.Peak != a.Peak {
			t.Errorf("%+v, the plan takes %v more and %d bytes", a, q.Pipeline.Makespan-p.Pipeline.Makespan, q.Pipeline.Peak)
		}
	}
	schedules := 1
	if p.Pipeline.Schedule == schedule.Interleaved {
		schedules = 0 // its stages are not those of another one
	}
	if kinds["stage"] < 4 || kinds["schedule"] != schedules {
		t.Errorf("%v", all)
	}
	if !slices.ContainsFunc(all, func(a Alternative) bool {
		return strings.HasPrefix(a.What, "stage 2, instead of 1, computes ")
	}) {
		t.Errorf("no border is moved: %v", all)
	}
	if !slices.IsSortedFunc(all, func(a, b Alternative) int {
		if a.Fits != b.Fits {
			return 0
		}
		return int(min(max(a.More-b.More, -1), machine.Time(1)))
	}) {
		t.Errorf("not the best first: %v", all)
	}
	flat, err := Find(ctx, "data", deepJob(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flat.Alternatives(ctx); !errors.Is(err, errNoStages) {
		t.Errorf("a plan without stages: %v", err)
	}
}
