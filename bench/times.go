package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/measure"
)

// papers are the models on which TASO and Tensat measured.
var papers = []string{"resnet50-taso", "resnext50", "nasneta", "nasrnn", "bert", "inceptionv3", "squeezenet", "vgg19", "mobilenetv2"}

// formula is the machine whose formula is compared with the times.
const formula = "zen5"

func init() {
	timed := []string{"internal/pipeline/measure", "backends/cpu", "bench/models"}
	Register(&Benchmark{Name: "sums", What: "sums of operator times vs whole runs, CPU backend",
		Takes: "4 min", Packages: timed, Models: true, Default: papers, Repeat: true, Run: sums})
	var forms []string
	for _, m := range append(papers, "resnet50") {
		forms = append(forms, m)
		for _, v := range models.Variants(m) {
			forms = append(forms, v.Name)
		}
	}
	Register(&Benchmark{Name: "form-times", What: "rewritten forms: whole runs and sums of operator times",
		Takes: "15 min", Packages: timed, Models: true, Default: forms, Repeat: true, Run: sums})
}

// sums measures the operators of models, and runs the models.
func sums(ctx context.Context, env *Env) (*Record, error) {
	return timesOf(ctx, env, measure.Options{Least: time.Second})
}

// timesOf is sums with the options of how long to measure.
func timesOf(ctx context.Context, env *Env, o measure.Options) (*Record, error) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	m, err := cost.FindMachine(formula)
	if err != nil {
		return nil, err
	}
	o.Backend, o.EndToEnd, o.Repeat, o.Machine, o.Progress = b, true, env.Repeat, m, env.Progress
	if o.Repeat == 0 {
		o.Repeat = 24
	}
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		o.Models = append(o.Models, m)
	}
	rep, err := measure.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	t := NewTable("", Label("model"), Measured("end to end", "ms").Digits(3), Measured("spread", "ms").Digits(2),
		Measured("sum of operators", "ms").Digits(3), Measured("error", "%").Decimals(1).Signed(),
		Modelled("formula of "+formula, "ms").Digits(3), Modelled("error", "%").Decimals(1).Signed())
	for _, m := range rep.Models {
		if m.Measured == nil || m.Analytic == nil {
			return nil, fmt.Errorf("model %s: some of its operators have no time", m.Name)
		}
		ms := func(s cost.Seconds) float64 { return 1e3 * float64(s) }
		t.Add("`"+m.Name+"`", ms(m.Measured.Measured.Seconds), ms(m.Measured.Measured.MAD), ms(m.Measured.Predicted), 100*m.Measured.Error(),
			ms(m.Analytic.Predicted), 100*m.Analytic.Error())
	}
	order := NewTable("Order of pairs that differ by more than their spread:", Label("by"), Measured("pairs of models", ""),
		Measured("kept", ""), Measured("pairs of forms of one model", ""), Measured("kept", ""), Measured("median error", "%").Decimals(1),
		Measured("largest", "%").Decimals(1), Label("of"))
	for _, by := range []struct {
		name string
		a    *cost.Accuracy
	}{
		{"sums of measured operators", rep.Accuracy.Measured},
		{"the formula of " + formula, rep.Accuracy.Analytic},
		{"that formula fitted to the times", rep.Accuracy.Calibrated},
	} {
		if by.a != nil {
			order.Add(by.name, by.a.Pairs, by.a.Kept, by.a.FormPairs, by.a.FormsKept, 100*by.a.Median, 100*by.a.Max, "`"+by.a.Worst+"`")
		}
	}
	rec := &Record{Tables: []*Table{t, order}}
	var disturbed []string
	for _, m := range rep.Models {
		if m.Disturbed {
			disturbed = append(disturbed, m.Name)
		}
	}
	if len(disturbed) > 0 {
		rec.Notes = append(rec.Notes, "Other work had the processor while these ran, so that processor time stands for time: "+strings.Join(disturbed, ", ")+".")
	}
	return rec, nil
}
