package sim_test

import (
	"fmt"
	"io"
	"os"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/sim"
)

// Two devices work on halves of a batch and add their gradients up while they go on
// backward.
func ExampleGraph() {
	c, err := machine.Find("summit:1", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const ms = sim.Second / 1000
	g := sim.New(c)
	add := func(t sim.Task) sim.ID {
		id, err := g.Add(t)
		if err != nil {
			fmt.Println(err)
		}
		return id
	}
	var second, first []sim.ID
	for d := range 2 {
		f := add(sim.Task{Name: "forward", Class: "forward", Work: sim.Compute{Device: d, Time: 2 * ms}, Output: 1 << 30})
		b2 := add(sim.Task{Name: "backward 2", Class: "backward", Work: sim.Compute{Device: d, Time: 2 * ms}, Reads: []sim.ID{f}})
		b1 := add(sim.Task{Name: "backward 1", Class: "backward", Work: sim.Compute{Device: d, Time: 2 * ms}, Reads: []sim.ID{f}, After: []sim.ID{b2}})
		second, first = append(second, b2), append(first, b1)
	}
	for i, of := range [][]sim.ID{second, first} {
		add(sim.Task{Name: fmt.Sprint("gradients ", 2-i), Class: "all-reduce", Reads: of,
			Work: sim.Collective{Kind: parallel.AllReduce, Algorithm: machine.Ring, Group: []int{0, 1}, Bytes: 50e6}})
	}
	if err := g.Run(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Makespan())
	for _, s := range g.Critical() {
		t, _ := g.Task(s.Task)
		fmt.Println(s.From, "to", s.To, t.Name)
	}
	u, m := g.Usage()[0], g.Memory()[0]
	fmt.Println("computing", u.Compute, "only sending", u.Exposed, "idle", u.Idle, "peak", m.Peak>>20, "MiB")
	// Output:
	// 7.004 ms
	// 0 s to 2 ms forward
	// 2 ms to 4 ms backward 2
	// 4 ms to 6 ms backward 1
	// 6 ms to 7.004 ms gradients 1
	// computing 6 ms only sending 1.004 ms idle 0 s peak 1024 MiB
}

// An edit is simulated from where it matters, with the result of a full run.
func ExampleGraph_Run() {
	c, err := machine.Find("laptop", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := sim.New(c)
	var last []sim.ID
	for i := range 1000 {
		id, err := g.Add(sim.Task{Name: fmt.Sprint("step ", i), Work: sim.Compute{Device: 0, Time: sim.Second}, Reads: last})
		if err != nil {
			fmt.Println(err)
			return
		}
		last = []sim.ID{id}
	}
	fmt.Println(g.Run(), g.Makespan(), g.Simulated(), "tasks")
	t, _ := g.Task(990)
	t.Work = sim.Compute{Device: 1, Time: 3 * sim.Second}
	fmt.Println(g.Set(990, t), g.Run(), g.Makespan(), g.Simulated(), "tasks")
	// Output:
	// <nil> 1000 s 1000 tasks
	// <nil> <nil> 1002 s 10 tasks
}

func ExampleGraph_Lower() {
	c, err := machine.Find("summit:1", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rounds, err := c.Rounds(parallel.AllReduce, machine.Ring, []int{0, 1, 2}, 150e6)
	if err != nil {
		fmt.Println(err)
		return
	}
	g := sim.New(c)
	_, err = g.Lower("all-reduce", "", rounds, nil)
	fmt.Println(err, g.Run(), g.Len(), "messages", g.Makespan())
	// Output: <nil> <nil> 12 messages 4.008 ms
}

func ExampleGraph_Fits() {
	c, err := machine.Find("laptop", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := sim.New(c)
	fmt.Println(g.Reserve(1, 5<<30), g.Run(), g.Fits())
	// Output: <nil> <nil> n0.d1 needs 5368709120 bytes at 0 s, 1073741824 more than it has
}

func ExampleGraph_WriteTrace() {
	c, err := machine.Find("laptop", machine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := sim.New(c)
	a, err := g.Add(sim.Task{Name: "forward", Class: "forward", Work: sim.Compute{Device: 0, Time: 1500}, Output: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = g.Add(sim.Task{Name: "send", Class: "send", Work: sim.Transfer{From: 0, To: 1, Bytes: 75}, Reads: []sim.ID{a}})
	fmt.Println(err, g.Run(), g.WriteHTML(io.Discard, "two steps"))
	if err := g.WriteTrace(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <nil> <nil> <nil>
	// {"displayTimeUnit":"ns","traceEvents":[
	// {"ph":"M","pid":0,"name":"process_name","args":{"name":"n0.d0"}},
	// {"ph":"M","pid":1,"name":"process_name","args":{"name":"n0.d1"}},
	// {"ph":"M","pid":2,"name":"process_name","args":{"name":"links"}},
	// {"ph":"X","pid":0,"tid":0,"ts":0.000000,"dur":0.001500,"name":"forward","cat":"forward","args":{"task":0}},
	// {"ph":"M","pid":2,"tid":0,"name":"thread_name","args":{"name":"n0.memory-in2 → n0.memory-out3"}},
	// {"ph":"X","pid":2,"tid":0,"ts":0.001500,"dur":0.010000,"name":"send","cat":"send","args":{"task":1}},
	// {"ph":"C","pid":0,"ts":0.000000,"name":"memory","args":{"bytes":64}},
	// {"ph":"C","pid":0,"ts":5.011500,"name":"memory","args":{"bytes":0}},
	// {"ph":"C","pid":1,"ts":0.000000,"name":"memory","args":{"bytes":0}}
	// ]}
}
