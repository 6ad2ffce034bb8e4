package parallelize

import (
	"slices"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// StepReport is a step of a plan over time.
type StepReport struct {
	Makespan  machine.Time     `json:"makespan_ps"`
	PerSecond float64          `json:"samples_per_second,omitempty"`
	Classes   []plan.ClassTime `json:"classes"`
	// Devices are in runs of neighbours that do the same.
	Devices []DeviceTimes `json:"devices"`
	// Critical is for what the step waits, by class, the longest first.
	Critical []Waits `json:"critical"`
}

// DeviceTimes is what the devices First to Last do in a step, each of them.
type DeviceTimes struct {
	First int `json:"first"`
	Last  int `json:"last"`
	// Exposed is when it sends and does not compute.
	Compute machine.Time `json:"compute_ps"`
	Send    machine.Time `json:"send_ps"`
	Exposed machine.Time `json:"exposed_ps"`
	Idle    machine.Time `json:"idle_ps"`
}

// Waits is how long a step waits for tasks of a class.
type Waits struct {
	Class string       `json:"class"`
	Time  machine.Time `json:"time_ps"`
	Tasks int          `json:"tasks"`
}

// Steps sums a simulation up.
func Steps(s *plan.Simulation) *StepReport {
	out := &StepReport{Makespan: s.Makespan, PerSecond: s.PerSecond, Classes: s.Classes}
	for _, u := range s.Devices {
		d := DeviceTimes{u.Device, u.Device, u.Compute, u.Send, u.Exposed, u.Idle}
		if n := len(out.Devices); n > 0 {
			if l := &out.Devices[n-1]; l.Last == d.First-1 && l.Compute == d.Compute && l.Send == d.Send && l.Exposed == d.Exposed && l.Idle == d.Idle {
				l.Last = d.Last
				continue
			}
		}
		out.Devices = append(out.Devices, d)
	}
	for _, c := range s.Critical {
		t, ok := s.Run.Task(c.Task)
		if !ok {
			continue
		}
		i := slices.IndexFunc(out.Critical, func(w Waits) bool { return w.Class == t.Class })
		if i < 0 {
			i = len(out.Critical)
			out.Critical = append(out.Critical, Waits{Class: t.Class})
		}
		out.Critical[i].Time += c.To - c.From
		out.Critical[i].Tasks++
	}
	slices.SortStableFunc(out.Critical, func(a, b Waits) int { return int(min(1, max(-1, b.Time-a.Time))) })
	return out
}
