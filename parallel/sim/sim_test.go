package sim_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/sim"
)

// star is n devices at a switch and a host: a link of 1 GB/s each way for each, and 1 µs
// from end to end.
func star(t testing.TB, n int) *machine.Cluster {
	t.Helper()
	var ends []string
	for i := range n {
		ends = append(ends, fmt.Sprint(i))
	}
	c, err := machine.Parse("star.yaml", []byte("name: star\ndevice: v100\nmemory: 1GB\nnodes: 1\nclasses: {a: {latency: 500ns, bandwidth: 1GB/s}}\n"+
		"node: {devices: "+fmt.Sprint(n)+", hosts: {s: 4GB}, links: [{class: a, star: s, of: ["+strings.Join(ends, ", ")+"]}]}\n"), machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const us = sim.Time(1e6)

// add adds a task, which must be right.
func add(t testing.TB, g *sim.Graph, task sim.Task) sim.ID {
	t.Helper()
	id, err := g.Add(task)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func run(t testing.TB, g *sim.Graph) sim.Time {
	t.Helper()
	if err := g.Run(); err != nil {
		t.Fatal(err)
	}
	return g.Makespan()
}

// oracle simulates in the plainest way: of all tasks that are ready the next by the order
// of service, found by looking at all of them.
func oracle(g *sim.Graph) map[sim.ID]sim.Span {
	spans := map[sim.ID]sim.Span{}
	levels := map[sim.ID]int{}
	var level func(id sim.ID) int
	level = func(id sim.ID) int {
		if l, ok := levels[id]; ok {
			return l
		}
		l := 0
		for _, d := range g.Deps(id) {
			if time, _ := g.Load(d); time == 0 {
				l = max(l, level(d)+1)
			}
		}
		levels[id] = l
		return l
	}
	free := map[int]sim.Time{}
	for len(spans) < g.Len() {
		next, at := sim.ID(-1), sim.Time(0)
	search:
		for _, id := range g.IDs() {
			if _, done := spans[id]; done {
				continue
			}
			ready := sim.Time(0)
			for _, d := range g.Deps(id) {
				s, done := spans[d]
				if !done {
					continue search
				}
				ready = max(ready, s.End)
			}
			if next < 0 || ready < at || ready == at && level(id) < level(next) {
				next, at = id, ready
			}
		}
		time, holds := g.Load(next)
		start := at
		for r := range holds {
			start = max(start, free[r])
		}
		for r, h := range holds {
			free[r] = start + h
		}
		spans[next] = sim.Span{Ready: at, Start: start, End: start + time}
	}
	return spans
}

func same(t testing.TB, what string, g *sim.Graph, want func(sim.ID) sim.Span) {
	t.Helper()
	last := sim.Time(0)
	for _, id := range g.IDs() {
		if got := g.Span(id); got != want(id) {
			t.Fatalf("%s: task %d runs %v, want %v", what, id, got, want(id))
		}
		last = max(last, g.Span(id).End)
	}
	if g.Makespan() != last {
		t.Fatalf("%s: makespan %d, the last task ends at %d", what, g.Makespan(), last)
	}
}

// randomTask waits for some of the tasks below a number; times are small so that ties and
// zeros are frequent.
func randomTask(r *rand.Rand, g *sim.Graph, below sim.ID) sim.Task {
	n := g.Cluster().Devices()
	t := sim.Task{Name: "t", Output: r.Int64N(3) * 1000, Kept: r.IntN(10) == 0, Scratch: r.Int64N(2) * 500}
	for range r.IntN(4) {
		if below == 0 {
			break
		}
		d := below - 1 - sim.ID(r.Int64N(min(int64(below), 12)))
		if _, ok := g.Task(d); ok && r.IntN(2) == 0 {
			t.Reads = append(t.Reads, d)
		} else if ok {
			t.After = append(t.After, d)
		}
	}
	t.Work = randomWork(r, n)
	return t
}

func randomWork(r *rand.Rand, n int) sim.Work {
	switch r.IntN(8) {
	case 0:
		return sim.Wait{Time: sim.Time(r.IntN(3)) * us}
	case 1, 2:
		return sim.Transfer{From: r.IntN(n), To: r.IntN(n), Bytes: r.Int64N(4) * 1000}
	case 3:
		group := r.Perm(n)[:1+r.IntN(n)]
		return sim.Collective{Kind: parallel.AllReduce, Algorithm: machine.Ring, Group: group, Bytes: r.Int64N(4) * 6000}
	case 4:
		return sim.Messages{{From: r.IntN(n), To: r.IntN(n), Bytes: 1000}, {From: r.IntN(n), To: r.IntN(n), Bytes: 2000}}
	}
	return sim.Compute{Device: r.IntN(n), Time: sim.Time(r.IntN(5)) * us}
}

// TestDelta: after each of 10,000 random edits the delta run is the full run, task by
// task, and both are what the oracle finds. An edit changes times, bytes or places, what a
// task waits for, adds tasks, takes some out, or puts new tasks in the place of some.
func TestDelta(t *testing.T) {
	edits, placed, all, most := 0, 0, 0, 10000
	if s := os.Getenv("TASO_RANDOM_EDITS"); s != "" {
		var err error
		if most, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for seed := uint64(0); edits < most; seed++ {
		r := rand.New(rand.NewPCG(seed, 14))
		g := sim.New(star(t, 2+r.IntN(4)))
		n := 5 + r.IntN(60)
		for range n {
			add(t, g, randomTask(r, g, sim.ID(g.Len())))
		}
		run(t, g)
		for range 40 {
			for range 1 + r.IntN(3) {
				edit(t, r, g)
			}
			if err := g.Delta(); err != nil {
				t.Fatal(err)
			}
			edits++
			placed, all = placed+g.Simulated(), all+g.Len()
			full := g.Fresh()
			run(t, full)
			same(t, fmt.Sprintf("seed %d, delta and full", seed), g, full.Span)
			if edits%10 == 0 {
				want := oracle(g)
				same(t, fmt.Sprintf("seed %d, delta and oracle", seed), g, func(id sim.ID) sim.Span { return want[id] })
				consistent(t, g)
			}
		}
	}
	t.Logf("%d edits, %.1f %% of tasks simulated again", edits, 100*float64(placed)/float64(all))
	if placed >= all {
		t.Errorf("%d edits: %d tasks placed of %d: nothing is saved", edits, placed, all)
	}
}

// edit changes a graph at random and leaves it without cycles and loose ends.
func edit(t testing.TB, r *rand.Rand, g *sim.Graph) {
	ids := g.IDs()
	id := ids[r.IntN(len(ids))]
	task, _ := g.Task(id)
	switch r.IntN(6) {
	case 0: // another time, place or number of bytes
		task.Work = randomWork(r, g.Cluster().Devices())
	case 1: // waits for something else; lower IDs only, so that there is no cycle
		other := randomTask(r, g, id)
		task.Reads, task.After = other.Reads, other.After
	case 2:
		add(t, g, randomTask(r, g, ids[len(ids)-1]+1))
		return
	case 3: // removed, and nothing waits for it any more
		if len(ids) < 4 {
			return
		}
		for _, v := range ids {
			x, _ := g.Task(v)
			if without(&x, id, nil) {
				if err := g.Set(v, x); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := g.Remove(id); err != nil {
			t.Fatal(err)
		}
		return
	case 4: // two tasks in its place: what waited for it waits for the second
		first := add(t, g, sim.Task{Name: "first", Work: randomWork(r, g.Cluster().Devices()), Reads: task.Reads, After: task.After})
		second := add(t, g, sim.Task{Name: "second", Work: randomWork(r, g.Cluster().Devices()), Reads: []sim.ID{first}})
		for _, v := range ids {
			x, _ := g.Task(v)
			if without(&x, id, []sim.ID{second}) {
				if err := g.Set(v, x); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := g.Remove(id); err != nil {
			t.Fatal(err)
		}
		return
	case 5: // as long as before, elsewhere
		if c, ok := task.Work.(sim.Compute); ok {
			c.Device = r.IntN(g.Cluster().Devices())
			task.Work = c
		}
	}
	// IDs from replacements may make it wait for what waits for it: left out then.
	if reaches(g, id, append(append([]sim.ID{}, task.Reads...), task.After...)) {
		return
	}
	if err := g.Set(id, task); err != nil {
		t.Fatal(err)
	}
}

// without puts other tasks in the place of one in what a task waits for.
func without(t *sim.Task, id sim.ID, others []sim.ID) (changed bool) {
	for _, list := range []*[]sim.ID{&t.Reads, &t.After} {
		var out []sim.ID
		for _, d := range *list {
			if d == id {
				changed = true
				out = append(out, others...)
			} else {
				out = append(out, d)
			}
		}
		*list = out
	}
	return changed
}

// reaches reports whether some tasks wait for a task, perhaps by way of others.
func reaches(g *sim.Graph, id sim.ID, from []sim.ID) bool {
	seen := map[sim.ID]bool{}
	for len(from) > 0 {
		d := from[len(from)-1]
		from = from[:len(from)-1]
		if d == id {
			return true
		}
		if !seen[d] {
			seen[d] = true
			from = append(from, g.Deps(d)...)
		}
	}
	return false
}

// consistent: the parts of each device's time add up, the critical path is as long as the
// run and without holes, and memory ends where it began but for what is kept.
func consistent(t testing.TB, g *sim.Graph) {
	t.Helper()
	for _, u := range g.Usage() {
		if u.Compute+u.Exposed+u.Idle != g.Makespan() || u.Exposed > u.Send || u.Idle < 0 {
			t.Fatalf("device %d: %+v of %d", u.Device, u, g.Makespan())
		}
	}
	at := sim.Time(0)
	for _, s := range g.Critical() {
		if s.From != at || s.To < s.From || s.From != g.Span(s.Task).Start {
			t.Fatalf("critical path: %+v after %d, the task runs %+v", s, at, g.Span(s.Task))
		}
		at = s.To
	}
	if at != g.Makespan() {
		t.Fatalf("the critical path ends at %d of %d", at, g.Makespan())
	}
	for _, m := range g.Memory() {
		for i, l := range m.Curve {
			if l.Bytes < 0 || l.Bytes > m.Peak || i > 0 && l.From <= m.Curve[i-1].From {
				t.Fatalf("memory of %d: %+v in %+v", m.Vertex, l, m)
			}
		}
		if last := m.Curve[len(m.Curve)-1]; last.Bytes != 0 {
			t.Fatalf("memory of %d: %d bytes after the end", m.Vertex, last.Bytes)
		}
	}
}

// TestContention: two messages over one link take twice as long as one; over different
// links, or in opposite directions, they go side by side; and computing goes on meanwhile.
func TestContention(t *testing.T) {
	c := star(t, 4)
	for _, x := range []struct {
		name string
		work []sim.Work
		want sim.Time
	}{
		{"one", []sim.Work{sim.Transfer{From: 0, To: 1, Bytes: 5000}}, 1*us + 5*us},
		{"two from one device", []sim.Work{sim.Transfer{From: 0, To: 1, Bytes: 5000}, sim.Transfer{From: 0, To: 2, Bytes: 5000}}, 1*us + 10*us},
		{"two to one device", []sim.Work{sim.Transfer{From: 0, To: 1, Bytes: 5000}, sim.Transfer{From: 2, To: 1, Bytes: 5000}}, 1*us + 10*us},
		{"there and back", []sim.Work{sim.Transfer{From: 0, To: 1, Bytes: 5000}, sim.Transfer{From: 1, To: 0, Bytes: 5000}}, 1*us + 5*us},
		{"beside each other", []sim.Work{sim.Transfer{From: 0, To: 1, Bytes: 5000}, sim.Transfer{From: 2, To: 3, Bytes: 5000}}, 1*us + 5*us},
		{"computing meanwhile", []sim.Work{sim.Transfer{From: 0, To: 1, Bytes: 5000}, sim.Compute{Device: 0, Time: 6 * us}}, 6 * us},
		{"two on a device", []sim.Work{sim.Compute{Device: 0, Time: 6 * us}, sim.Compute{Device: 0, Time: 6 * us}}, 12 * us},
		{"a collective and a message", []sim.Work{
			sim.Collective{Kind: parallel.AllReduce, Algorithm: machine.Ring, Group: []int{0, 1}, Bytes: 4000}, sim.Transfer{From: 0, To: 1, Bytes: 5000}}, 4*us + 6*us},
		{"a message to itself", []sim.Work{sim.Transfer{From: 2, To: 2, Bytes: 5000}}, 0},
	} {
		g := sim.New(c)
		for _, w := range x.work {
			add(t, g, sim.Task{Name: "t", Work: w})
		}
		if got := run(t, g); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// TestLowered: a collective as one task takes as long as its messages as tasks, if nothing
// else is sent; both as long as the formula says.
func TestLowered(t *testing.T) {
	const b = 840 * 1000
	for n := 2; n <= 8; n++ {
		c := star(t, n)
		for _, k := range parallel.Kinds() {
			for _, a := range machine.Algorithms(k) {
				rounds, err := c.Rounds(k, a, c.All(), b)
				if err != nil {
					continue
				}
				one, many := sim.New(c), sim.New(c)
				add(t, one, sim.Task{Work: sim.Collective{Kind: k, Algorithm: a, Group: c.All(), Bytes: b}})
				if _, err := many.Lower("c", "", rounds, nil); err != nil {
					t.Fatal(err)
				}
				// Messages of a tree go on while others of their round are under way.
				if x, y := run(t, one), run(t, many); x != y && a != machine.Tree || y > x {
					t.Errorf("%s by %s over %d: %s as one task, %s as %d messages", k, a, n, x, y, many.Len())
				}
			}
		}
		g := sim.New(c)
		add(t, g, sim.Task{Work: sim.Collective{Kind: parallel.AllReduce, Algorithm: machine.Ring, Group: c.All(), Bytes: b}})
		N := sim.Time(n)
		if got, want := run(t, g), 2*(N-1)*(1*us)+2*(N-1)*(b/N)*1000; got != want {
			t.Errorf("ring over %d: %d ps, want 2(n-1)α + 2(n-1)/n b/β = %d", n, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	g := sim.New(star(t, 2))
	a := add(t, g, sim.Task{Name: "a", Work: sim.Compute{Device: 0, Time: us}})
	b := add(t, g, sim.Task{Name: "b", Work: sim.Compute{Device: 1, Time: us}, Reads: []sim.ID{a}})
	c := add(t, g, sim.Task{Name: "c", Work: sim.Wait{}, After: []sim.ID{b, a}})
	for want, task := range map[string]sim.Task{
		`task "x": its work is missing`:                               {Name: "x"},
		`task "x": compute: 2 is none of the devices 0 to 1`:          {Name: "x", Work: sim.Compute{Device: 2}},
		`task "x": compute: the time -1 ps is negative`:               {Name: "x", Work: sim.Compute{Time: -1}},
		`task "x": wait: the time -1 ps is negative`:                  {Name: "x", Work: sim.Wait{Time: -1}},
		`transfer: message of -5 bytes`:                               {Name: "x", Work: sim.Transfer{From: 0, To: 1, Bytes: -5}},
		`transfer: route: 9 is none of the vertices`:                  {Name: "x", Work: sim.Transfer{From: 0, To: 9, Bytes: 5}},
		`transfer: 1152921504606846976 bytes take more than 106 days`: {Name: "x", Work: sim.Transfer{From: 0, To: 1, Bytes: 1 << 60}},
		`task "x": it waits for 7, which is no task`:                  {Name: "x", Work: sim.Wait{}, After: []sim.ID{7}},
		`task "x": it waits for -1, which is no task`:                 {Name: "x", Work: sim.Wait{}, Reads: []sim.ID{-1}},
		`an output of -1 and scratch of 0 bytes`:                      {Name: "x", Work: sim.Wait{}, Output: -1},
		`messages: route: -1 is none`:                                 {Name: "x", Work: sim.Messages{{From: -1, To: 0, Bytes: 1}}},
		`group of devices: 5 is none`:                                 {Name: "x", Work: sim.Collective{Kind: parallel.AllReduce, Algorithm: machine.Ring, Group: []int{0, 5}}},
		`broadcast has no algorithm "ring"`:                           {Name: "x", Work: sim.Collective{Kind: parallel.Broadcast, Algorithm: machine.Ring, Group: []int{0, 1}}},
	} {
		if _, err := g.Add(task); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	want := run(t, g)
	if err := g.Set(a, sim.Task{Name: "a", Work: sim.Compute{Device: 0, Time: us}, After: []sim.ID{c}}); err != nil {
		t.Fatal(err)
	}
	if err := g.Run(); err == nil || !strings.Contains(err.Error(), `a cycle: "a" waits for "c" waits for "a"`) && !strings.Contains(err.Error(), `a cycle: "a" waits for "c" waits for "b" waits for "a"`) {
		t.Errorf("a cycle: %v", err)
	}
	if err := g.Set(a, sim.Task{Name: "a", Work: sim.Compute{Device: 0, Time: us}}); err != nil {
		t.Fatal(err)
	}
	if got := run(t, g); got != want {
		t.Errorf("after a cycle was taken back: %s, want %s", got, want)
	}
	if err := g.Remove(b); err != nil {
		t.Fatal(err)
	}
	if err := g.Run(); err == nil || !strings.Contains(err.Error(), `task "b" was removed, and task "c" waits for it`) {
		t.Errorf("a removed task: %v", err)
	}
	if err := g.Set(c, sim.Task{Name: "c", Work: sim.Wait{}, After: []sim.ID{a}}); err != nil {
		t.Fatal(err)
	}
	if got := run(t, g); got != us {
		t.Errorf("without b: %s", got)
	}
	for _, err := range []error{g.Set(b, sim.Task{Work: sim.Wait{}}), g.Remove(b), g.Remove(99), g.Reserve(0, -1), g.Reserve(77, 1)} {
		if err == nil {
			t.Error("no error")
		}
	}
	long := sim.New(star(t, 1))
	for range 2 {
		add(t, long, sim.Task{Work: sim.Compute{Device: 0, Time: machine.MaxTime}})
	}
	if err := long.Run(); err == nil || !strings.Contains(err.Error(), "more than 106 days") {
		t.Errorf("times beyond the range: %v", err)
	}
}

// TestMemory: an output lives from the start of its task to the end of its last reader, and
// what begins as something ends takes its place.
func TestMemory(t *testing.T) {
	g := sim.New(star(t, 2))
	if err := g.Reserve(0, 1000); err != nil {
		t.Fatal(err)
	}
	a := add(t, g, sim.Task{Name: "a", Work: sim.Compute{Device: 0, Time: 2 * us}, Output: 10, Scratch: 5})
	b := add(t, g, sim.Task{Name: "b", Work: sim.Compute{Device: 0, Time: 3 * us}, Output: 20, Reads: []sim.ID{a}})
	add(t, g, sim.Task{Name: "c", Work: sim.Compute{Device: 0, Time: 4 * us}, Output: 40, After: []sim.ID{b}})
	d := add(t, g, sim.Task{Name: "d", Work: sim.Transfer{From: 0, To: 1, Bytes: 1000}, Output: 7, Reads: []sim.ID{a}})
	add(t, g, sim.Task{Name: "e", Work: sim.Compute{Device: 1, Time: 1 * us}, Kept: true, Output: 1, Reads: []sim.ID{d}})
	run(t, g)
	m := g.Memory()
	// a runs 0 to 2, b 2 to 5, c 5 to 9; d 2 to 4, e 4 to 5. a's output is read to 5.
	if got, want := fmt.Sprint(m[0].Curve), fmt.Sprint([]sim.Level{{0, 1015}, {2 * us, 1030}, {5 * us, 1040}, {9 * us, 1000}}); got != want {
		t.Errorf("device 0: %s, want %s", got, want)
	}
	if m[0].Peak != 1040 || m[0].At != 5*us || m[0].Over() != 0 || g.Fits() != nil {
		t.Errorf("device 0: %+v", m[0])
	}
	if got, want := fmt.Sprint(m[1].Curve), fmt.Sprint([]sim.Level{{0, 0}, {2 * us, 7}, {4 * us, 8}, {5 * us, 1}, {9 * us, 0}}); got != want {
		t.Errorf("device 1: %s, want %s", got, want)
	}
	if err := g.Reserve(0, 1e9-20); err != nil {
		t.Fatal(err)
	}
	if err := g.Fits(); err == nil || !strings.Contains(err.Error(), "n0.d0 needs 1000000020 bytes at 5 µs, 20 more than it has") {
		t.Errorf("too much memory: %v", err)
	}
}

// TestMemoryEach: what a collective leaves on several devices is gone from each when the
// last reader there is over.
func TestMemoryEach(t *testing.T) {
	g := sim.New(star(t, 2))
	all := sim.Collective{Kind: parallel.AllReduce, Algorithm: machine.Direct, Group: []int{0, 1}, Bytes: 8}
	a := add(t, g, sim.Task{Name: "a", Work: all, Output: 8})
	b := add(t, g, sim.Task{Name: "b", Work: sim.Compute{Device: 0, Time: 1 * us}, Reads: []sim.ID{a}})
	c := add(t, g, sim.Task{Name: "c", Work: sim.Compute{Device: 1, Time: 3 * us}, Reads: []sim.ID{a}})
	run(t, g)
	for d, id := range []sim.ID{b, c} {
		curve := g.Memory()[d].Curve
		if last := curve[len(curve)-1]; last != (sim.Level{g.Span(id).End, 0}) {
			t.Errorf("device %d: %v, want the output to be gone at %s", d, curve, g.Span(id).End)
		}
	}
}
