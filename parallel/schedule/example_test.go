package schedule_test

import (
	"fmt"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
	"github.com/taso-go/taso/parallel/sim"
)

// Four stages on the devices of a node, by each schedule that fits.
func ExamplePipeline_Build() {
	c, err := machine.Find("dgx-a100:1", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const ms = sim.Second / 1000
	for _, k := range schedule.Kinds() {
		p := schedule.Pipeline{MicroBatches: 8, Schedule: k}
		var stages []schedule.Stage
		for i := range 4 {
			stages = append(stages, schedule.Stage{Name: fmt.Sprint("stage ", i), Devices: []int{i}, Forward: 10 * ms, Backward: 20 * ms,
				Out: 8 << 20, Kept: 2 << 30, Weights: 4 << 30, State: 12 << 30})
		}
		if k == schedule.Interleaved { // halves of these, in turns
			stages = append(stages, stages...)
			for i := range stages {
				s := &stages[i]
				s.Forward, s.Backward, s.Kept, s.Weights, s.State = s.Forward/2, s.Backward/2, s.Kept/2, s.Weights/2, s.State/2
			}
		}
		p.Stages = schedule.Chain(stages...)
		r, err := p.Build(c)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := r.Graph.Run(); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-11s %s, idle %s, peak %d GiB\n", k, r.Graph.Makespan(), r.Graph.Usage()[0].Idle, r.Graph.Memory()[0].Peak>>30)
	}
	// Output:
	// gpipe       330.2 ms, idle 90.13 ms, peak 32 GiB
	// 1f1b        330.5 ms, idle 90.16 ms, peak 24 GiB
	// interleaved 285.4 ms, idle 44.94 ms, peak 27 GiB
	// 2bw         330.5 ms, idle 90.16 ms, peak 28 GiB
}

// Two branches side by side, as GraphPipe works on them.
func ExampleChain() {
	c, err := machine.Find("summit:1", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const ms = sim.Second / 1000
	stage := func(d int, after ...int) schedule.Stage {
		return schedule.Stage{Name: fmt.Sprint("stage ", d), Devices: []int{d}, Forward: ms, Backward: 2 * ms, After: after}
	}
	branches := []schedule.Stage{stage(0), stage(1, 0), stage(2), stage(3, 2), stage(4, 1, 3)}
	for _, stages := range [][]schedule.Stage{branches, schedule.Chain(branches...)} {
		p := schedule.Pipeline{Stages: stages, MicroBatches: 4, Schedule: schedule.OneFOneB}
		r, err := p.Build(c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Graph.Run(), r.Graph.Makespan())
	}
	// Output:
	// <nil> 18 ms
	// <nil> 24 ms
}

// Gradients of all but the first layer are added up while the devices go on backward.
func ExampleDataParallel() {
	c, err := machine.Find("summit:1", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const ms = sim.Second / 1000
	var layers []schedule.Layer
	for i := range 10 {
		layers = append(layers, schedule.Layer{Name: fmt.Sprint("layer ", i), Forward: ms, Backward: 2 * ms, Gradients: 48e6})
	}
	g, err := schedule.DataParallel(c, []int{0, 1, 2}, layers, machine.Ring)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Run(), g.Makespan(), "of which only sending", g.Usage()[0].Exposed)
	// Output: <nil> 31.29 ms of which only sending 1.288 ms
}
