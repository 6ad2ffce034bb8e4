package machine_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// rewired is so many nodes of topoopt with rings of these strides.
func rewired(t testing.TB, name string, strides ...int) *machine.Cluster {
	t.Helper()
	c := find(t, name)
	out, err := c.Rewire(machine.Circulant(c.Nodes, strides))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// On links of d strides, none of which has a divisor in common with the number of devices, d
// rings take the latency of one and a d-th of its bytes, exactly.
func TestRings(t *testing.T) {
	const (
		alpha = machine.Time(7e6) // two PCIe and an optical link
		bytes = 16 * 13 * 4 * 3 * 3125
	)
	for _, x := range []struct {
		name    string
		strides []int
	}{
		{"topoopt:16", []int{1, 3, 7, 11}}, {"topoopt:16", []int{5, 9, 15}}, {"topoopt:16", []int{1, -1}},
		{"topoopt:13", []int{2, 3, 7, 12}}, {"topoopt:12", []int{1, 5, 7, 11}}, {"topoopt:3", []int{1, 2}},
	} {
		c := rewired(t, x.name, x.strides...)
		d, n := machine.Time(len(x.strides)), machine.Time(c.Nodes)
		carry := func(b machine.Time) machine.Time { return machine.TimeOf(int64(b), 3125e6) } // of an optical link
		for _, y := range []struct {
			k    parallel.Kind
			want machine.Time
		}{
			{parallel.AllReduce, 2 * (n - 1) * (alpha + carry(bytes/n/d))},
			{parallel.ReduceScatter, (n - 1) * (alpha + carry(bytes/n/d))},
			{parallel.AllGather, (n - 1) * (alpha + carry(bytes/d))},
		} {
			got := charge(t, c, y.k, machine.Rings, c.All(), bytes)
			if got.Time != y.want {
				t.Errorf("%s on %s with strides %v: %d ps, want %d", y.k, x.name, x.strides, got.Time, y.want)
			}
			for _, h := range got.Holds { // no optical link is in two rings
				if l := c.Links[h.Link]; l.Class == "optical" && h.Time > got.Time-got.Latency {
					t.Errorf("%s on %s with strides %v: link %d is busy for %d of %d ps", y.k, x.name, x.strides, h.Link, h.Time, got.Time)
				}
			}
		}
	}
}

// Rings pass each device once, and send as many bytes as one ring does.
func TestRingsWhole(t *testing.T) {
	c := rewired(t, "topoopt:15", 1, 3, 6, 12)
	groups := [][]int{{0, 3, 6, 9, 12}, {1, 4, 7, 10, 13}, {2, 5, 8, 11, 14}}
	for _, k := range []parallel.Kind{parallel.AllReduce, parallel.ReduceScatter, parallel.AllGather} {
		one, err := c.Together(k, machine.Ring, groups, 60000)
		if err != nil {
			t.Fatal(err)
		}
		many, err := c.Together(k, machine.Rings, groups, 60000)
		if err != nil {
			t.Fatal(err)
		}
		sum := func(rounds []machine.Round) (bytes int64) {
			for _, r := range rounds {
				for _, f := range r.Flows {
					bytes += r.Times * f.Bytes
				}
			}
			return bytes
		}
		if sum(one) != sum(many) {
			t.Errorf("%s: %d bytes by one ring, %d by several", k, sum(one), sum(many))
		}
		group := map[int]int{}
		for i, g := range groups {
			for _, d := range g {
				group[d] = i
			}
		}
		flows := many[0].Flows
		if len(flows)%15 != 0 {
			t.Fatalf("%s: %d messages in a round", k, len(flows))
		}
		for len(flows) > 0 { // five messages are a ring of a group
			var from, to []int
			next := map[int]int{}
			for _, f := range flows[:5] {
				from, to, next[f.From] = append(from, f.From), append(to, f.To), f.To
			}
			slices.Sort(from)
			slices.Sort(to)
			if !slices.Equal(from, groups[group[from[0]]]) || !slices.Equal(to, from) {
				t.Fatalf("%s: a ring from %v to %v", k, from, to)
			}
			d := from[0]
			for range 4 {
				if d = next[d]; d == from[0] {
					t.Fatalf("%s: %v is no ring of all", k, next)
				}
			}
			flows = flows[5:]
		}
	}
}

// Where devices have one link each, or groups are of one device, there is no second ring.
func TestNoRings(t *testing.T) {
	if _, err := star(t, 5).Rounds(parallel.AllReduce, machine.Rings, []int{0, 1, 2, 3, 4}, 1000); err == nil {
		t.Error("several rings over a switch")
	}
	c := rewired(t, "topoopt:6", 1)
	for _, groups := range [][][]int{{{0, 1, 2, 3, 4, 5}}, {{0}, {1}}, {{0, 1}, {2}}} {
		if _, err := c.Together(parallel.AllReduce, machine.Rings, groups, 1000); err == nil {
			t.Errorf("several rings of %v on one", groups)
		}
	}
	if got, want := len(find(t, "topoopt:16").Wires()), 64; got != want || find(t, "summit").Wires() != nil {
		t.Errorf("%d links, want %d", got, want)
	}
}
