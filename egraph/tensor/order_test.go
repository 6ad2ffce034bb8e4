package tensor

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := NewGraph(NewTable())
	for range 200 {
		g.queue = g.queue[:0]
		for range r.IntN(50) {
			g.queue = append(g.queue, found{cost: int32(r.IntN(4)), nth: int32(r.IntN(1 + r.IntN(40)))})
		}
		want := make([]int32, len(g.queue))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			x, y := &g.queue[a], &g.queue[b]
			return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.nth, y.nth))
		})
		if g.sortQueue(); !slices.Equal(g.order, want) {
			t.Fatalf("%v is ordered %v, want %v", g.queue, g.order, want)
		}
	}
}
