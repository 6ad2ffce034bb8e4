package bench

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/parallel/plan"

	layouts "github.com/taso-go/taso/parallel"
)

// alpaReported are TFLOPS for each GPU on 1, 2, 4, .. V100, from the artifact's reference
// results (Zheng et al., OSDI 2022); 0: out of memory.
var alpaReported = map[string][2][]float64{ // by family: the expert's, Alpa's
	"gpt": {{47.5, 55.5, 55.9, 50.4, 56.6, 58.2, 57.8}, {45.1, 57.9, 58.2, 61.6, 60.0, 59.9, 57}},
	"moe": {{34.2, 33.1, 34.7, 40.0, 12.9, 3.8, 0}, {45.5, 43.0, 39.9, 45.8, 45.4, 38.8, 36.6}},
	"wrn": {{8.3, 8.2, 8.1, 7.7, 0.4, 0, 0}, {8.3, 8.5, 8.2, 8.0, 6.8, 6.6, 5.3}},
}

// alpaPlans are the plans that Alpa found on p3.16xlarge, as its artifact has them (solutions
// in suite_auto_gpt.py, suite_auto_moe.py and suite_wresnet.py): micro-batches, and devices by
// stage.
var alpaPlans = map[string][]string{
	"gpt": {"512: 1", "128: 1 1", "128: 2 2", "128: 2 2 4", "64: 8 8", "128: 8 8 8 8", "1024: 16 × 4"},
	"moe": {"512: 1", "32: 2", "32: 2 2", "32: 4 4", "16: 8 8", "128: 8 × 4", "64: 8 × 8"},
	"wrn": {"24: 1", "24: 2", "24: 4", "24: 4 4", "32: 4 4 8", "32: 8 8 8 8", "38: 8 × 8"},
}

// alpaPlanners are those of the table: data and stages of it, ZeRO, what the papers' experts
// write, and Alpa.
var alpaPlanners = []string{"data", "fsdp", "expert", "pipeline", "alpa"}

// alpaWorkers is how many models are planned at once.
const alpaWorkers = 3

func init() {
	Register(&Benchmark{Name: "plans-alpa", What: "plans of Alpa's GPT, MoE and WRN on 1 to 64 V100",
		Takes: "30 min", Packages: planned, Run: plansAlpa})
}

// alpaOptions are how a family is trained: language models by Adam, the residual networks, of which
// statistics are those of groups of samples so that there may be micro-batches, with momentum.
func alpaOptions(model string) grad.Options {
	if strings.HasPrefix(model, "wrn") {
		return grad.Options{Rate: 0.01, Momentum: 0.9, Group: 8}
	}
	return grad.Options{Rate: 0.01, Optimizer: grad.Adam}
}

func plansAlpa(ctx context.Context, env *Env) (*Record, error) {
	cols := []Column{Label("model"), Counted("devices")}
	for _, name := range alpaPlanners {
		cols = append(cols, Modelled(name, "TFLOP/s per device").Digits(3))
	}
	cols = append(cols, Modelled("alpa over expert", "×").Digits(3), Recorded("alpa over expert, paper", "×").Digits(3),
		Recorded("expert, paper", "TFLOP/s per device").Digits(3), Recorded("Alpa, paper", "TFLOP/s per device").Digits(3))
	t := NewTable("", cols...)
	u := NewTable("Micro-batches: devices of each stage", Label("model"), Counted("devices"), Label("expert"), Label("alpa"), Label("alpa's schedule"), Label("Alpa, published"))
	runs := suite("Alpa")
	stage := env.Progress.Stage("plan", int64(len(runs)*len(alpaPlanners)))
	defer stage.Done()
	rows := make([][2][]any, len(runs))
	err := parallel.Each(ctx, alpaWorkers, len(runs), func(_, i int) (err error) {
		rows[i][0], rows[i][1], err = alpaRow(ctx, runs[i], func() { stage.Add(1) })
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		t.Add(row[0]...)
		u.Add(row[1]...)
	}
	rec := &Record{Tables: []*Table{t, u}, Notes: []string{
		alpaFLOP + " " + alpaTraining + " " + alpaExpert + " " + alpaFSDP + " " + acceptedNote + " 8 × 4: eight stages on 4 devices each.",
	}}
	if p := alpaPlot(t); p != nil {
		rec.Plots = []*Plot{p}
	}
	return rec, nil
}

// alpaPlot shows the throughput of the GPT family: modelled for our plans, measured by Alpa's
// authors for theirs. It is nil for a table without these columns.
func alpaPlot(t *Table) *Plot {
	p := NewPlot("GPT, 350M to 39B parameters: throughput by number of V100", Axis{Name: "devices", Log: true}, Axis{Name: "throughput", Unit: "TFLOP/s per device", Zero: true})
	at := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	}
	devices := at("devices")
	for _, c := range []struct{ column, name string }{
		{"alpa", "planner alpa"}, {"expert", "expert plan"}, {"Alpa, paper", "Alpa, paper"}, {"expert, paper", "Megatron-LM, paper"},
	} {
		i := at(c.column)
		if i < 0 || devices < 0 {
			return nil
		}
		curve := p.Curve(c.name, t.Columns[i].Source)
		for _, row := range t.Rows {
			x, known := row.Cells[devices].Number()
			y, also := row.Cells[i].Number()
			if known && also && strings.HasPrefix(row.Cells[0].text, "`gpt-") {
				curve.Add(x, y)
			}
		}
	}
	if p.check() != nil {
		return nil
	}
	return p
}

// alpaRow plans a size of a family on its number of devices.
func alpaRow(ctx context.Context, r models.Run, done func()) (cells, plans []any, err error) {
	x, err := newPlanTask(r.Model, r.Batch, "p3-16xlarge:8", r.Devices, alpaOptions(r.Model))
	if err != nil {
		return nil, nil, err
	}
	s := layouts.NewStrategies()
	cells = []any{"`" + r.Model + "`", r.Devices}
	of := map[string]planOutcome{}
	for _, name := range alpaPlanners {
		o, err := x.find(ctx, name, s)
		if err != nil {
			return nil, nil, err
		}
		of[name] = o
		var over *plan.MemoryError
		switch {
		case errors.As(o.why, &over):
			cells = append(cells, "out of memory")
		case o.why != nil:
			cells = append(cells, nil)
		default:
			cells = append(cells, float64(x.flops)/float64(o.step.Seconds())/float64(r.Devices)/1e12)
		}
		done()
	}
	cells = append(cells, timesFaster(of["expert"], of["alpa"]))
	reported, at := alpaReported[r.Model[:3]], bits.Len(uint(r.Devices))-1
	if e, a := reported[0][at], reported[1][at]; e > 0 {
		cells = append(cells, a/e)
	} else {
		cells = append(cells, nil)
	}
	for _, p := range reported {
		if p[at] == 0 {
			cells = append(cells, "out of memory")
		} else {
			cells = append(cells, p[at])
		}
	}
	schedule := any(nil)
	if p := of["alpa"].plan; p != nil {
		schedule = scheduleOf(p)
	}
	return cells, []any{"`" + r.Model + "`", r.Devices, stagesOf(of["expert"].plan), stagesOf(of["alpa"].plan), schedule, alpaPlans[r.Model[:3]][at]}, nil
}

// scheduleOf says how the stages of a plan take turns, and how many compute again.
func scheduleOf(p *plan.Plan) any {
	if p.Pipeline == nil {
		return nil
	}
	again := 0
	for _, s := range p.Pipeline.Stages {
		if s.Recompute {
			again++
		}
	}
	out := string(p.Pipeline.Schedule)
	if again > 0 {
		out += fmt.Sprintf(", %d of %d stages compute again", again, len(p.Pipeline.Stages))
	}
	return out
}

// stagesOf are the micro-batches and stages of a plan, with the axes of their devices.
func stagesOf(p *plan.Plan) any {
	if p == nil {
		return nil
	}
	if p.Pipeline == nil {
		return fmt.Sprintf("%d: %d", p.Mesh.MicroBatches(), p.Mesh.Devices())
	}
	var sizes []int
	alike := true
	for _, s := range p.Mesh.Stages {
		sizes = append(sizes, s.Devices)
		alike = alike && s.Devices == sizes[0]
	}
	text := strings.Trim(fmt.Sprint(sizes), "[]")
	if alike && len(sizes) > 4 {
		text = fmt.Sprintf("%d × %d", len(sizes), sizes[0])
	}
	var axes []string
	for k, a := range p.Mesh.Axes {
		if a.Time || a.Degree == 1 {
			continue
		}
		of := fmt.Sprintf("%d %s", a.Degree, p.Passes[k].Means)
		if a.Stage > 0 {
			of = fmt.Sprintf("%s in stage %d", of, a.Stage)
		}
		axes = append(axes, of)
	}
	out := fmt.Sprintf("%d: %s", p.Mesh.MicroBatches(), text)
	if len(axes) > 0 {
		out += " (" + strings.Join(axes, ", ") + ")"
	}
	return out
}
