package machine_test

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

func costSeconds(s float64) cost.Seconds { return cost.Seconds(s) }

// fits says whether ps picoseconds carry n bytes: ps·rate ≥ n·10^12.
func fits(ps, rate, n int64) bool {
	if ps < 0 {
		return false
	}
	ah, al := bits.Mul64(uint64(ps), uint64(rate))
	bh, bl := bits.Mul64(uint64(n), 1e12)
	return ah > bh || ah == bh && al >= bl
}

// star is n devices at a switch, so that each has a link of its own there and back, with
// α = 3 µs from device to device and β = 1 GB/s.
func star(t testing.TB, n int) *machine.Cluster {
	t.Helper()
	var ends []string
	for i := range n {
		ends = append(ends, fmt.Sprint(i))
	}
	c, err := machine.Parse("star.yaml", []byte("name: star\ndevice: v100\nnodes: 1\nclasses: {a: {latency: 1.5us, bandwidth: 1GB/s}}\n"+
		"node: {devices: "+fmt.Sprint(n)+", switches: [s], links: [{class: a, star: s, of: ["+strings.Join(ends, ", ")+"]}]}\n"), machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	alpha = machine.Time(3e6)    // ps
	perB  = machine.Time(1000)   // ps a byte at 1 GB/s
	bytes = int64(840 * 64 * 10) // divided by all of 1 to 8 and 16
)

func charge(t testing.TB, c *machine.Cluster, k parallel.Kind, a machine.Algorithm, group []int, bytes int64) machine.Charge {
	t.Helper()
	rounds, err := c.Rounds(k, a, group, bytes)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Charge(rounds)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestClosedForms: on devices whose links are shared by nobody, the charge is the formula
// of the literature, exactly.
func TestClosedForms(t *testing.T) {
	b := machine.Time(bytes)
	for n := 2; n <= 16; n++ {
		if bytes%int64(n) != 0 {
			continue
		}
		c, N := star(t, n), machine.Time(n)
		log := machine.Time(bits.Len(uint(n - 1)))
		for _, x := range []struct {
			k     parallel.Kind
			a     machine.Algorithm
			steps machine.Time // times α
			sent  machine.Time // times 1/β
		}{
			{parallel.AllReduce, machine.Ring, 2 * (N - 1), 2 * (N - 1) * b / N},
			{parallel.AllReduce, machine.Tree, 2 * log, 2 * log * b},
			{parallel.AllReduce, machine.Direct, 2, 2 * (N - 1) * b / N},
			{parallel.ReduceScatter, machine.Ring, N - 1, (N - 1) * b / N},
			{parallel.ReduceScatter, machine.Direct, 1, (N - 1) * b / N},
			{parallel.AllGather, machine.Ring, N - 1, (N - 1) * b},
			{parallel.AllGather, machine.Direct, 1, (N - 1) * b},
			{parallel.AllToAll, machine.Ring, N - 1, (N - 1) * b / N},
			{parallel.AllToAll, machine.Direct, 1, (N - 1) * b / N},
			{parallel.Broadcast, machine.Tree, log, log * b},
			{parallel.Broadcast, machine.Direct, 1, (N - 1) * b},
			{parallel.ReduceTo, machine.Tree, log, log * b},
			{parallel.Scatter, machine.Direct, 1, (N - 1) * b / N},
			{parallel.Gather, machine.Direct, 1, (N - 1) * b},
		} {
			got := charge(t, c, x.k, x.a, c.All(), bytes)
			if want := x.steps*alpha + x.sent*perB; got.Time != want || got.Latency != x.steps*alpha {
				t.Errorf("%s by %s, %d devices: %d ps of which %d latency, want %d and %d", x.k, x.a, n, got.Time, got.Latency, want, x.steps*alpha)
			}
		}
		if n&(n-1) == 0 { // (n-1)/n of the bytes in log n steps
			got := charge(t, c, parallel.ReduceScatter, machine.Tree, c.All(), bytes)
			if want := log*alpha + (N-1)*b/N*perB; got.Time != want {
				t.Errorf("reduce-scatter by halving, %d devices: %d ps, want %d", n, got.Time, want)
			}
			got = charge(t, c, parallel.AllGather, machine.Tree, c.All(), bytes)
			if want := log*alpha + (N-1)*b*perB; got.Time != want {
				t.Errorf("all-gather by doubling, %d devices: %d ps, want %d", n, got.Time, want)
			}
		} else if _, err := c.Rounds(parallel.AllGather, machine.Tree, c.All(), bytes); err == nil {
			t.Errorf("doubling over %d devices", n)
		}
	}
}

// TestBytes: what is sent is what package parallel counts for messages sent directly; a
// ring sends as much.
func TestBytes(t *testing.T) {
	c := star(t, 6)
	n := int64(6)
	for k, want := range map[parallel.Kind]int64{
		parallel.Scatter: (n - 1) * bytes / n, parallel.Broadcast: (n - 1) * bytes, parallel.Gather: (n - 1) * bytes,
		parallel.ReduceTo: (n - 1) * bytes, parallel.AllReduce: 2 * (n - 1) * bytes, parallel.ReduceScatter: (n - 1) * bytes,
		parallel.AllGather: n * (n - 1) * bytes, parallel.AllToAll: (n - 1) * bytes, parallel.SendReceive: 2 * (n - 1) * bytes,
	} {
		for _, a := range []machine.Algorithm{machine.Direct, machine.Ring} {
			rounds, err := c.Rounds(k, a, c.All(), bytes)
			if err != nil {
				continue
			}
			if got, err := c.Charge(rounds); err != nil || got.Bytes != want {
				t.Errorf("%s by %s: %d bytes, %v, want %d", k, a, got.Bytes, err, want)
			}
		}
	}
}

// TestDelivers plays the messages of the trees: who sends has what it sends, and in the
// end everyone has what the collective says.
func TestDelivers(t *testing.T) {
	for n := 2; n <= 17; n++ {
		c := star(t, n)
		for _, k := range []parallel.Kind{parallel.Broadcast, parallel.Scatter, parallel.Gather, parallel.ReduceTo} {
			rounds, err := c.Rounds(k, machine.Tree, c.All(), int64(n))
			if err != nil {
				t.Fatal(err)
			}
			has := make([]int64, n) // bytes
			for d := range has {
				if k == parallel.Gather {
					has[d] = int64(n)
				}
			}
			if k == parallel.Broadcast || k == parallel.Scatter {
				has[0] = int64(n)
			}
			reached := map[int]bool{0: true}
			for _, r := range rounds {
				for _, f := range r.Flows {
					switch k {
					case parallel.Broadcast:
						if has[f.From] != int64(n) {
							t.Fatalf("%s over %d: %d sends before it has anything", k, n, f.From)
						}
						has[f.To] = int64(n)
					case parallel.ReduceTo:
						has[f.From], reached[f.From] = -1, true
						if has[f.To] < 0 {
							t.Fatalf("%s over %d: %d sent before it had all", k, n, f.To)
						}
					default:
						if has[f.From] < f.Bytes {
							t.Fatalf("%s over %d: %d sends %d bytes and has %d", k, n, f.From, f.Bytes, has[f.From])
						}
						has[f.From] -= f.Bytes
						has[f.To] += f.Bytes
					}
				}
			}
			for d, b := range has {
				want := map[parallel.Kind]int64{parallel.Broadcast: int64(n), parallel.Scatter: 1}[k]
				if k == parallel.Gather && d == 0 {
					want = int64(n) * int64(n)
				}
				if k == parallel.ReduceTo {
					want = -1
					if d == 0 {
						want = 0
					}
				}
				if b != want {
					t.Fatalf("%s over %d: device %d ends with %d, want %d", k, n, d, b, want)
				}
			}
		}
	}
}

// TestHierarchical: over two levels the slow links carry a k-th of the bytes; over one it
// is a ring.
func TestHierarchical(t *testing.T) {
	c := find(t, "summit:4")
	ring := charge(t, c, parallel.AllReduce, machine.Ring, c.All(), 1<<28)
	both := charge(t, c, parallel.AllReduce, machine.Hierarchical, c.All(), 1<<28)
	if both.Time >= ring.Time {
		t.Errorf("all-reduce on %s: %s in two levels, %s by one ring", c.Name, both.Time, ring.Time)
	}
	near := c.All()[:6]
	if a, b := charge(t, c, parallel.AllReduce, machine.Ring, near, 1<<20), charge(t, c, parallel.AllReduce, machine.Hierarchical, near, 1<<20); a.Time != b.Time {
		t.Errorf("within a node: %s by a ring, %s hierarchically", a.Time, b.Time)
	}
	if _, err := c.Rounds(parallel.AllReduce, machine.Hierarchical, []int{0, 1, 6}, 1); err == nil || !strings.Contains(err.Error(), "2 devices are of one node and 1 of another") {
		t.Errorf("uneven nodes: %v", err)
	}
}

// TestShared: two messages over one link take twice as long as one, on a bus also when
// they go in opposite directions.
func TestShared(t *testing.T) {
	c := find(t, "laptop")
	one, err := c.Charge([]machine.Round{{Times: 1, Flows: []machine.Flow{{From: 0, To: 1, Bytes: 3e6}}}})
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.Charge([]machine.Round{{Times: 1, Flows: []machine.Flow{{From: 0, To: 1, Bytes: 3e6}, {From: 1, To: 0, Bytes: 3e6}}}})
	if err != nil {
		t.Fatal(err)
	}
	if two.Time-two.Latency != 2*(one.Time-one.Latency) || one.Time == one.Latency {
		t.Errorf("one message %d ps, both %d", one.Time, two.Time)
	}
}

// TestChargeAgain: a charge does not depend on those before it, also when one was refused.
func TestChargeAgain(t *testing.T) {
	c := star(t, 3)
	flow := machine.Flow{From: 0, To: 1, Bytes: 1000}
	want, err := c.Charge([]machine.Round{{Times: 1, Flows: []machine.Flow{flow}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []machine.Round{
		{Times: 1, Flows: []machine.Flow{flow, {From: 0, To: 9, Bytes: 1}}}, {Times: 1, Flows: []machine.Flow{flow, {From: 0, To: 1, Bytes: -1}}},
		{Times: -1, Flows: []machine.Flow{flow}}, {Times: 1 << 60, Flows: []machine.Flow{flow}},
	} {
		if _, err := c.Charge([]machine.Round{bad}); err == nil {
			t.Errorf("%v is charged", bad)
		}
	}
	again, err := c.Charge([]machine.Round{{Times: 0, Flows: []machine.Flow{flow}}, {Times: 1, Flows: []machine.Flow{flow}}})
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%+v, then %+v, %v", want, again, err)
	}
}

func TestRoundErrors(t *testing.T) {
	c := star(t, 3)
	for _, x := range []struct {
		k     parallel.Kind
		a     machine.Algorithm
		group []int
		bytes int64
		want  string
	}{
		{parallel.AllReduce, machine.Ring, nil, 1, "it is empty"},
		{parallel.AllReduce, machine.Ring, []int{0, 3}, 1, "3 is none of the devices 0 to 2"},
		{parallel.AllReduce, machine.Ring, []int{1, 1}, 1, "1 is in it twice"},
		{parallel.AllReduce, machine.Ring, []int{0, 1}, -1, "-1 bytes"},
		{parallel.AllReduce, machine.Ring, []int{0, 1}, 1 << 60, "too many bytes"},
		{parallel.Broadcast, machine.Ring, []int{0, 1}, 1, `broadcast has no algorithm "ring", only tree, direct`},
		{parallel.Permute, machine.Direct, []int{0, 1}, 1, "permute is no collective of a group"},
	} {
		if _, err := c.Rounds(x.k, x.a, x.group, x.bytes); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s by %s over %v: %v, want %q", x.k, x.a, x.group, err, x.want)
		}
	}
	for _, k := range parallel.Kinds() {
		for _, a := range machine.Algorithms(k) {
			if rounds, err := c.Rounds(k, a, []int{2}, 8); err != nil || len(rounds) != 0 {
				t.Errorf("%s by %s on one device: %v, %v", k, a, rounds, err)
			}
		}
	}
}

// Groups that share no link take together what one takes alone, those that share one more,
// and no more than one after the other.
func TestTogether(t *testing.T) {
	c, err := machine.Find("summit:4", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	time := func(groups ...[]int) machine.Time {
		rounds, err := c.Together(parallel.AllReduce, machine.Ring, groups, 6<<20)
		if err != nil {
			t.Fatal(err)
		}
		x, err := c.Charge(rounds)
		if err != nil {
			t.Fatal(err)
		}
		return x.Time
	}
	a, b := []int{0, 1, 2, 3, 4, 5}, []int{6, 7, 8, 9, 10, 11}
	if one, both := time(a), time(a, b); one != both {
		t.Errorf("nodes side by side: %v, one %v", both, one)
	}
	x, y := []int{0, 6, 12, 18}, []int{1, 7, 13, 19}
	if one, both := time(x), time(x, y); both <= one || both > one+time(y) {
		t.Errorf("two groups across nodes: %v, one %v", both, one)
	}
}
