package bench

import (
	"context"
	"slices"

	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/schedule"
)

func init() {
	Register(&Benchmark{Name: "plans-graphpipe", What: "pipeline stages in a row vs as a DAG",
		Takes: "2 min", Packages: planned, Run: plansGraphPipe})
}

// graphPipeDevices are the numbers of devices of the paper, each of which is a stage.
var graphPipeDevices = []int{4, 8, 16, 32}

// graphPipeAtMost is by how much, at most, the paper's stages side by side are faster than those of
// PipeDream and Piper in a row (Jeon et al., ASPLOS 2025), measured.
const graphPipeAtMost = 1.6

func plansGraphPipe(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("One device per stage:", Label("model"), Counted("devices"), Counted("batch"), Modelled("data parallel", "samples/s").Digits(4),
		Modelled("stages in a row", "× data").Digits(3), Modelled("as a DAG", "× data").Digits(3), Modelled("DAG over row", "×").Digits(3),
		Recorded("paper, at most", "×").Digits(2), Counted("longest path"), Counted("stages in parallel"),
		Counted("micro-batches, row"), Counted("micro-batches, DAG"), Measured("row", "s").Digits(2), Measured("DAG", "s").Digits(2))
	free := NewTable("Best number of stages, and of devices per stage:", Label("model"), Counted("devices"),
		Modelled("pipeline", "× data").Digits(3), Counted("stages"), Modelled("alpa", "× data").Digits(3))
	runs := suite("GraphPipe")
	stage := env.Progress.Stage("plan", int64(5*len(runs)*len(graphPipeDevices)))
	defer stage.Done()
	for _, r := range runs {
		s := parallel.NewStrategies()
		for _, n := range graphPipeDevices {
			x, err := newPlanTask(r.Model, r.Batch*n, "summit:6", n, grad.Options{Rate: 0.01})
			if err != nil {
				return nil, err
			}
			var of [5]planOutcome
			for i, how := range []struct {
				planner string
				row     bool
				stages  int
			}{{"data", false, 0}, {"pipeline", true, n}, {"pipeline", false, n}, {"pipeline", false, 0}, {"alpa", false, 0}} {
				x.row, x.stages = how.row, how.stages
				if of[i], err = x.find(ctx, how.planner, s); err != nil {
					return nil, err
				}
				stage.Add(1)
			}
			data, row, dag := of[0], of[1], of[2]
			cells := []any{"`" + r.Model + "`", n, x.batch, x.perSecond(data), timesFaster(data, row), timesFaster(data, dag), timesFaster(row, dag), graphPipeAtMost}
			if dag.why == nil {
				way, most := sideBySide(dag.plan.Pipeline.Stages)
				cells = append(cells, way, most)
			} else {
				cells = append(cells, nil, nil)
			}
			t.Add(append(cells, microBatches(row), microBatches(dag), row.seconds, dag.seconds)...)
			var stages any
			if of[3].why == nil {
				stages = len(of[3].plan.Pipeline.Stages)
			}
			free.Add("`"+r.Model+"`", n, timesFaster(data, of[3]), stages, timesFaster(data, of[4]))
		}
	}
	return &Record{Tables: []*Table{t, free}, Notes: []string{
		graphPipeNote + " " + acceptedNote + " " + graphPipePaper + " " + emptyNote,
	}}, nil
}

// microBatches is how many a plan has, nil where there is none.
func microBatches(o planOutcome) any {
	if o.why != nil {
		return nil
	}
	return o.plan.Mesh.MicroBatches()
}

// sideBySide is how many stages are on the longest way through a pipeline, and how many at most are
// as many stages from its end, which is when they work on the same micro-batch.
func sideBySide(stages []schedule.Stage) (way, most int) {
	depth, count := make([]int, len(stages)), make([]int, len(stages)+1)
	for i, s := range slices.Backward(stages) {
		depth[i] = max(depth[i], 1)
		count[depth[i]]++
		for _, a := range s.After {
			depth[a] = max(depth[a], depth[i]+1)
		}
	}
	return slices.Max(depth), slices.Max(count)
}
