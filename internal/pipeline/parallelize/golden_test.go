package parallelize

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

func TestMain(m *testing.M) { os.Exit(golden.Main(m, "testdata/plans.golden")) }

// Plans of small models stay as they are: a change of the planners that is none of the plans changes no line.
func TestPlans(t *testing.T) { golden.Run(t, "testdata/plans.golden", planned) }

// Plans of larger models, for sweeps.
func TestPlansLarge(t *testing.T) {
	if sweep.Size(0, 1) == 0 {
		t.Skip("in make sweeps")
	}
	golden.Run(t, "testdata/plans_large.golden", planned)
}

// planned writes the plan of each planner that the input names. The command is a machine; the arguments are
// MODEL:BATCH and, if wanted, loss=, optimizer=, devices= and memory= (MiB).
func planned(t *testing.T, cmd, args, input string) string {
	words := strings.Fields(args)
	name, batch, _ := strings.Cut(words[0], ":")
	n, err := strconv.Atoi(batch)
	if err != nil {
		t.Fatal(err)
	}
	c, err := machine.Find(cmd, machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	job := &plan.Job{Cluster: c, Strategies: strategies, Steps: 1 << 14}
	recipe := &plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		k, err := strconv.ParseInt(value, 10, 64)
		switch {
		case key == "loss":
			recipe.Loss, err = value, nil
		case key == "optimizer":
			recipe.Optimizer, err = value, nil
		case key == "devices":
			job.Devices = int(k)
		case key == "memory":
			job.Memory = k << 20
		default:
			t.Fatalf("unknown flag %s", w)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if job.Training, err = Training(network(t, name, n), recipe); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, planner := range strings.Fields(input) {
		p, err := plan.Find(context.Background(), planner, job)
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", planner, err)
			continue
		}
		f := p.File()
		if f.Step, err = p.Figures(context.Background()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: mesh", planner)
		for _, a := range f.Mesh {
			fmt.Fprintf(&b, " %d", a.Degree)
			if a.Time {
				b.WriteString(" in time")
			}
		}
		if len(f.Stages) > 0 {
			fmt.Fprintf(&b, ", %d stages", len(f.Stages))
		}
		fmt.Fprintf(&b, "; step %d ps, in sequence %d ps, %d bytes; %s\n", f.Step.Makespan, f.Time, f.Step.Memory, layoutHash(t, f))
	}
	return b.String()
}

// layoutHash is of all that a plan says of the layout: the graphs, how tensors lie, stages and savings.
func layoutHash(t *testing.T, f *plan.File) string {
	data, err := json.Marshal([]any{f.Rewritten, f.Graph, f.Layouts, f.Origins, f.Pipeline, f.Stages, f.Again, f.Away, f.Machine.Links, f.Padded})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))[:16]
}
