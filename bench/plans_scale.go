package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

func init() {
	Register(&Benchmark{Name: "plans-scale", What: "planning time and memory for many layers and devices",
		Takes: "10 min", Packages: planned, Run: plansScale})
}

const (
	// scaleCluster is the largest cluster of the table, of which the others are the first devices.
	scaleCluster = "dgx-h100:128"
	// scaleWidth is that of the layers, scaleSamples how many samples a device has.
	scaleWidth, scaleSamples = 2048, 64
)

// scaleLayers and scaleDevices are what is planned, each with each.
var scaleLayers, scaleDevices = []int{100, 300, 1000}, []int{64, 1024}

func plansScale(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Counted("layers"), Counted("devices"), Counted("batch"), Counted("nodes"), Measured("auto", "s").Digits(3), Measured("auto", "CPU s").Digits(3),
		Measured("peak memory", "MB").Digits(3), Label("mesh"), Counted("stages"), Modelled("auto", "ms per step").Digits(4), Modelled("over data", "×").Digits(3))
	c, err := machine.Find(scaleCluster, machine.Options{})
	if err != nil {
		return nil, err
	}
	stage := env.Progress.Stage("plan", int64(len(scaleLayers)*len(scaleDevices)))
	defer stage.Done()
	for _, layers := range scaleLayers {
		for _, devices := range scaleDevices {
			batch := scaleSamples * devices
			m, err := models.Stack(batch, layers, scaleWidth, 1)
			if err != nil {
				return nil, err
			}
			tr, err := plan.Train(m.Graph, grad.Options{Rate: 0.01, Loss: grad.MeanSquare})
			if err != nil {
				return nil, err
			}
			j := &plan.Job{Training: tr, Cluster: c, Devices: devices, Seed: 1}
			meter, cpu, start := procstat.NewMeter(), procstat.Read().CPUSeconds(), time.Now()
			p, err := plan.Find(ctx, "auto", j)
			if err != nil {
				return nil, fmt.Errorf("%d layers on %d devices: %w", layers, devices, err)
			}
			took, cpu, used := time.Since(start).Seconds(), procstat.Read().CPUSeconds()-cpu, meter.Lap()
			step, err := p.Makespan(ctx)
			if err != nil {
				return nil, err
			}
			if err := accepted(ctx, p); err != nil {
				return nil, fmt.Errorf("%d layers on %d devices: %w", layers, devices, err)
			}
			over := any(nil)
			if data, err := plan.Find(ctx, "data", j); err == nil {
				if err := accepted(ctx, data); err != nil {
					return nil, fmt.Errorf("%d layers on %d devices: %w", layers, devices, err)
				}
				other, err := data.Makespan(ctx)
				if err != nil {
					return nil, err
				}
				over = float64(other) / float64(step)
			} else if !plan.IsNone(err) {
				return nil, err
			}
			stages := 1
			if p.Pipeline != nil {
				stages = len(p.Pipeline.Stages)
			}
			t.Add(layers, devices, batch, tr.Graph.Len(), took, cpu, math.Round(float64(used.PeakRSS)/1e6), fmt.Sprint(p.Mesh.Degrees), stages, milliseconds(step), over)
			stage.Add(1)
		}
	}
	return &Record{Tables: []*Table{t}, Notes: []string{
		fmt.Sprintf("Linear layers of %d with bias and relu, in a row, trained by gradient descent, %d samples per device, on the first devices of `%s`. "+
			"Memory is the peak of the process while planning. "+acceptedNote, scaleWidth, scaleSamples, scaleCluster),
	}}, nil
}
