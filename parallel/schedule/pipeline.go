package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/sim"
)

// Kind is a schedule.
type Kind string

// The schedules; see the package comment.
const (
	GPipe       Kind = "gpipe"
	OneFOneB    Kind = "1f1b"
	Interleaved Kind = "interleaved"
	TwoBW       Kind = "2bw"
)

// Kinds lists the schedules.
func Kinds() []Kind { return []Kind{GPipe, OneFOneB, Interleaved, TwoBW} }

// Stage is a part of a model. Times are those of one micro-batch.
type Stage struct {
	Name string
	// Devices work on it together, all for the same time; its tensors are dealt out among
	// them in equal parts.
	Devices           []int
	Forward, Backward sim.Time
	// After are the stages whose outputs it reads, by number, all lower than its own.
	After []int
	// Out is how many bytes of a micro-batch it sends to each stage that reads it, from
	// all devices together, and gets back as gradient.
	Out int64
	// Kept is how many bytes each device keeps of a micro-batch until it goes backward.
	Kept int64
	// Weights and State (gradients, what the optimizer keeps) lie on each device for the
	// whole run, in bytes.
	Weights, State int64
	// Gradients is how many bytes each device adds up with the others of the stage after
	// the last micro-batch, by the algorithm Sync ("": a ring). 0: none.
	Gradients int64
	Sync      machine.Algorithm
	// Update is how long the optimizer takes.
	Update sim.Time
	// Joins are other stages, by number, whose backward passes of a batch are over before the update
	// begins: they read a weight of this one, and what they send of its gradient is in Update.
	Joins []int `json:",omitempty"`
	// Recompute keeps inputs only; Offload keeps activations at the host.
	Recompute, Offload bool
	// With Recompute a stage may be segments, such as layers: Inputs is how many bytes each
	// device keeps of a micro-batch as what they read, apart from what the stage receives, and
	// Segment what the largest of them keeps while it goes backward. 0: it is one segment,
	// which keeps Kept.
	Inputs  int64 `json:",omitempty"`
	Segment int64 `json:",omitempty"`
}

// Pipeline is what a training run is made of.
type Pipeline struct {
	Stages []Stage
	// MicroBatches are those of a batch.
	MicroBatches int
	// Batches is how many batches are trained on; 0 is 1.
	Batches  int
	Schedule Kind
}

// Chain makes each stage read the one before it.
func Chain(stages ...Stage) []Stage {
	out := slices.Clone(stages)
	for i := range out {
		out[i].After = nil
		if i > 0 {
			out[i].After = []int{i - 1}
		}
	}
	return out
}

// limits keep a pipeline from making a graph that no memory holds.
const (
	maxStages = 1 << 14
	maxPasses = 1 << 22 // stages times micro-batches
)

// check reports what is wrong with a pipeline.
func (p *Pipeline) check() error {
	if !slices.Contains(Kinds(), p.Schedule) {
		return fmt.Errorf("pipeline: schedule %q is none of gpipe, 1f1b, interleaved, 2bw", p.Schedule)
	}
	if len(p.Stages) == 0 || len(p.Stages) > maxStages {
		return fmt.Errorf("pipeline: %d stages, want 1 to %d", len(p.Stages), maxStages)
	}
	if p.MicroBatches < 1 || p.Batches < 0 || p.MicroBatches > maxPasses/len(p.Stages)/max(1, p.Batches) {
		return fmt.Errorf("pipeline: %d micro-batches of %d batches, want at least 1 and at most %d with %d stages", p.MicroBatches, max(1, p.Batches), maxPasses, len(p.Stages))
	}
	for i, s := range p.Stages {
		name := fmt.Sprintf("pipeline: stage %d (%s)", i, s.Name)
		if len(s.Devices) == 0 {
			return fmt.Errorf("%s: it has no devices", name)
		}
		if s.Forward < 0 || s.Backward < 0 || s.Update < 0 {
			return fmt.Errorf("%s: a time is negative", name)
		}
		if s.Out < 0 || s.Kept < 0 || s.Weights < 0 || s.State < 0 || s.Gradients < 0 || s.Inputs < 0 || s.Segment < 0 {
			return fmt.Errorf("%s: a number of bytes is negative", name)
		}
		if s.Recompute && s.Offload {
			return fmt.Errorf("%s: what is computed again is not kept, recompute or offload", name)
		}
		if !s.Recompute && (s.Inputs > 0 || s.Segment > 0) {
			return fmt.Errorf("%s: it has segments and computes nothing again", name)
		}
		for _, a := range s.After {
			if a < 0 || a >= i {
				return fmt.Errorf("%s: it reads stage %d, want one before it", name, a)
			}
		}
		for _, a := range s.Joins {
			if a < 0 || a >= len(p.Stages) || a == i {
				return fmt.Errorf("%s: it waits for stage %d, want another one of %d", name, a, len(p.Stages))
			}
		}
		if n := len(s.After); n != len(slices.Compact(slices.Sorted(slices.Values(s.After)))) {
			return fmt.Errorf("%s: it reads a stage twice", name)
		}
		for j, t := range p.Stages[:i] {
			for _, d := range s.Devices {
				if slices.Contains(t.Devices, d) && (p.Schedule != Interleaved || !slices.Equal(s.Devices, t.Devices)) {
					return fmt.Errorf("%s: device %d is in stage %d (%s), too, which only the schedule interleaved allows, of all devices of both", name, d, j, t.Name)
				}
			}
		}
	}
	return nil
}

// depths are the numbers of stages on the longest way to the end.
func (p *Pipeline) depths() []int {
	out := make([]int, len(p.Stages))
	for i := len(p.Stages) - 1; i >= 0; i-- {
		out[i] = max(out[i], 1)
		for _, a := range p.Stages[i].After {
			out[a] = max(out[a], out[i]+1)
		}
	}
	return out
}

// pass is a stage with a micro-batch, forward or backward. Micro-batches are counted
// through all batches.
type pass struct {
	stage, micro int
	back         bool
}

// worker is devices that work together, and their program.
type worker struct {
	devices []int
	program []pass
}

// programs says who does what in which order.
func (p *Pipeline) programs() ([]worker, error) {
	if p.Schedule == Interleaved {
		return p.interleaved()
	}
	batches, m := max(1, p.Batches), p.MicroBatches
	var out []worker
	for s, depth := range p.depths() {
		w := worker{devices: p.Stages[s].Devices}
		forward := func(i int) { w.program = append(w.program, pass{s, i, false}) }
		backward := func(i int) { w.program = append(w.program, pass{s, i, true}) }
		// oneEach is one forward, one backward over micro-batches lo to hi.
		oneEach := func(lo, hi int) {
			ahead := min(depth-1, hi-lo)
			for i := lo; i < lo+ahead; i++ {
				forward(i)
			}
			for i := lo + ahead; i < hi; i++ {
				forward(i)
				backward(i - ahead)
			}
			for i := hi - ahead; i < hi; i++ {
				backward(i)
			}
		}
		switch p.Schedule {
		case GPipe:
			for b := range batches {
				for i := range m {
					forward(b*m + i)
				}
				for i := m - 1; i >= 0; i-- {
					backward(b*m + i)
				}
			}
		case OneFOneB:
			for b := range batches {
				oneEach(b*m, (b+1)*m)
			}
		case TwoBW:
			if m < depth {
				return nil, fmt.Errorf("pipeline: %d micro-batches a batch and %d stages in a row: schedule 2bw wants at least as many micro-batches, else two versions of the weights are not enough", m, depth)
			}
			oneEach(0, batches*m)
		}
		out = append(out, w)
	}
	return out, nil
}

// interleaved is the program of Megatron-LM: devices take their chunks in turns of P
// micro-batches.
func (p *Pipeline) interleaved() ([]worker, error) {
	n := len(p.Stages)
	size := slices.IndexFunc(p.Stages[1:], func(s Stage) bool { return slices.Equal(s.Devices, p.Stages[0].Devices) }) + 1
	if size == 0 {
		size = n
	}
	for i, s := range p.Stages {
		if !slices.Equal(s.Devices, p.Stages[i%size].Devices) || i > 0 && !slices.Equal(s.After, []int{i - 1}) || i == 0 && len(s.After) > 0 {
			return nil, fmt.Errorf("pipeline: stage %d (%s): schedule interleaved wants stages in a row, each on the devices of the one %d before it", i, s.Name, size)
		}
	}
	if n%size != 0 || p.MicroBatches%size != 0 {
		return nil, fmt.Errorf("pipeline: schedule interleaved over %d groups of devices wants numbers of stages and micro-batches that it divides, not %d and %d", size, n, p.MicroBatches)
	}
	chunks := n / size
	total := p.MicroBatches * chunks
	var out []worker
	for r := range size {
		w := worker{devices: p.Stages[r].Devices}
		at := func(b, k int, back bool) {
			chunk := k % n / size
			if back {
				chunk = chunks - 1 - chunk
			}
			w.program = append(w.program, pass{chunk*size + r, b*p.MicroBatches + k/n*size + k%size, back})
		}
		for b := range max(1, p.Batches) {
			ahead := min((size-r-1)*2+(chunks-1)*size, total)
			for k := range ahead {
				at(b, k, false)
			}
			for k := ahead; k < total; k++ {
				at(b, k, false)
				at(b, k-ahead, true)
			}
			for k := total - ahead; k < total; k++ {
				at(b, k, true)
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// String is the program of a worker as people draw it: "F0 F1 B0 B1", with the chunk in
// front where there are several.
func (w worker) String() string {
	var parts []string
	for _, x := range w.program {
		phase := "F"
		if x.back {
			phase = "B"
		}
		parts = append(parts, fmt.Sprintf("%s%d.%d", phase, x.stage, x.micro))
	}
	return strings.Join(parts, " ")
}
