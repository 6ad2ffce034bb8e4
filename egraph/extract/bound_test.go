package extract

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBounds holds each lower bound, on cores as they are and reduced, to all
// choices. That reduction keeps the least cost is part of it.
func TestBounds(t *testing.T) {
	var tight, loose [3]int
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		want := least(p)
		f, err := p.fold(0)
		if err != nil {
			if want >= 0 {
				t.Fatalf("%v: there is a choice of cost %d", err, want)
			}
			return
		}
		reduced := f.core.clone()
		reduced.reduce()
		for i, c := range []*core{f.core, reduced} {
			l := newLandmarks(c)
			linear, ok := c.linear()
			if !ok {
				linear = 0
			}
			limited := newLandmarks(c).run(int64(rapid.IntRange(0, 40).Draw(t, "limit")), math.MaxInt64, nil)
			for x, b := range []int64{c.chainBound(), c.base + l.run(math.MaxInt64, math.MaxInt64, nil), c.base + linear, c.base + limited} {
				if b > want {
					t.Fatalf("core %d: bound %d is %d: the least cost is %d", i, x, b, want)
				}
				if x < 3 && i == 0 {
					if b == want {
						tight[x]++
					} else {
						loose[x]++
					}
				}
			}
		}
		// What landmarks say of single ways: the least cost of a choice with the way.
		c := f.core
		l := newLandmarks(c)
		l.run(math.MaxInt64, math.MaxInt64, nil)
		with := make(map[NodeID]int64)
		brute(p, func(choice []NodeID, cost, _ int64) {
			for _, n := range choice {
				if n != NoNode {
					if old, ok := with[n]; !ok || cost < old {
						with[n] = cost
					}
				}
			}
		})
		for k, ws := range c.ways {
			for i, w := range ws {
				if cost, ok := with[w.picks[0]]; ok && c.base+l.bound+l.slack(int32(k), i) > cost {
					t.Fatalf("class %d, way %d: bound %d+%d, there is a choice with it that costs %d", k, i, l.bound, l.slack(int32(k), i), cost)
				}
			}
		}
	})
	t.Logf("met the least cost: chains %d, landmarks %d, linear %d; below it: %d, %d, %d", tight[0], tight[1], tight[2], loose[0], loose[1], loose[2])
	if tight[1] == 0 || tight[2] == 0 || loose[0] == 0 {
		t.Error("the problems drawn tell no bound from another")
	}
}

// TestRequired: what all choices contain is so by all choices, and found alike in
// blocks and in one piece.
func TestRequired(t *testing.T) {
	some := 0
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		f, err := p.fold(0)
		if err != nil {
			return
		}
		c := f.core
		whole := c.requiredBy(c.needs())
		for _, block := range []int{1, 3, 64} {
			if got := c.required(block); !slices.Equal(got, whole) {
				t.Fatalf("blocks of %d: %v, in one piece %v", block, got, whole)
			}
		}
		brute(p, func(choice []NodeID, _, _ int64) {
			for k, r := range whole {
				if r && choice[k] == NoNode {
					t.Fatalf("class %d is said to be required: %v", k, choice)
				}
			}
		})
		for k, r := range whole {
			if r && !slices.Contains(c.roots, int32(k)) {
				some++
			}
		}
	})
	if some == 0 {
		t.Error("nothing but roots is required")
	}
}
