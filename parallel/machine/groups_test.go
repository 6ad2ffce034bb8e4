package machine_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// What groups know of links gives the time of the messages one by one, whatever the number of
// bytes, and fails where these do.
func TestGroupsTime(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	kinds := []parallel.Kind{parallel.AllReduce, parallel.ReduceScatter, parallel.AllGather, parallel.AllToAll, parallel.Broadcast, parallel.ReduceTo, parallel.Scatter, parallel.Gather, parallel.SendReceive}
	times, failed := 0, 0
	for _, name := range []string{"summit:4", "dgx-a100:2", "tpu-like", "p100-cluster", "topoopt"} {
		c, err := machine.Find(name, machine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			all := c.All()
			draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			var list [][]int
			for n, of := 1+draw.IntN(8), 1+draw.IntN(4); len(all) >= n && len(list) < of; all = all[n:] {
				list = append(list, slices.Clone(all[:n]))
				if draw.IntN(3) == 0 && len(all) > n+1 { // of another size
					list[len(list)-1] = slices.Clone(all[:n+1])
					all = all[1:]
				}
			}
			g := c.Groups(list)
			for _, k := range kinds {
				for _, a := range machine.Algorithms(k) {
					for _, bytes := range []int64{-1, 0, 1, 7, 1000, draw.Int64N(1 << 40), 1 << 59} {
						want, err := machine.Charge{}, error(nil)
						rounds, err := c.Together(k, a, list, bytes)
						if err == nil {
							want, err = c.Charge(rounds)
						}
						have, other := g.Time(k, a, bytes)
						if (err == nil) != (other == nil) || err == nil && have != want.Time {
							t.Fatalf("%s: %s by %s of %d bytes over %v: %v, %v; messages one by one: %v, %v", name, k, a, bytes, list, have, other, want.Time, err)
						}
						if times++; err != nil {
							failed++
						}
					}
				}
			}
		}
	}
	if times < 1000 || failed == 0 || failed > times*3/4 {
		t.Errorf("%d of %d collectives are none", failed, times)
	}
}

// The same list is the same groups, also for those who ask at once.
func TestGroupsShared(t *testing.T) {
	c, err := machine.Find("summit:2", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all [8]*machine.Groups
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			all[i] = c.Groups([][]int{{0, 1, 2}, {3, 4, 5}})
			if _, err := all[i].Time(parallel.AllReduce, machine.Ring, 1<<20); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, g := range all {
		if g != all[0] {
			t.Error("groups of one list are two")
		}
	}
	if c.Groups([][]int{{0, 1, 2, 3, 4, 5}}) == all[0] {
		t.Error("groups of two lists are one")
	}
}
