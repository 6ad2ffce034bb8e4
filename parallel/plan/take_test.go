package plan

import (
	"slices"
	"testing"
)

// A pipeline that is laid out and needs more than was estimated has stages compute again; the one
// after it is laid out where that does not do.
func TestTake(t *testing.T) {
	j := deepJob(t, 4)
	j.Stages = 2
	p, err := Find(ctx, "pipeline", j)
	if err != nil {
		t.Fatal(err)
	}
	had := p.Pipeline
	if err := p.settleIn(had.Peak - 1); err != nil {
		t.Fatal(err)
	}
	again := false
	for i, s := range p.Pipeline.Stages {
		again = again || s.Recompute && !had.Stages[i].Recompute
	}
	if !again || p.Pipeline.Peak >= had.Peak || p.Pipeline.Makespan <= had.Makespan {
		t.Errorf("peak %d of %d, %v after %v, more is computed again: %v", p.Pipeline.Peak, had.Peak, p.Pipeline.Makespan, had.Makespan, again)
	}
	certified(t, p)

	k, err := j.fill()
	if err != nil {
		t.Fatal(err)
	}
	x, err := k.grid(4)
	if err != nil {
		t.Fatal(err)
	}
	for _, stages := range []int{2, 4} {
		if _, err := x.look(ctx, cell{shape{stages, []int{4 / stages}, Data.looks(true)}, 8}); err != nil {
			t.Fatal(err)
		}
	}
	laid, dropped := [][]int{}, len(x.found)
	lay := func(best *judged) (*Plan, error) {
		laid = append(laid, best.of)
		if len(laid) == 1 {
			return nil, ErrMeans // nothing between its stages
		}
		return x.plan(ctx, best)
	}
	q, err := x.take(ctx, lay, func(a, b *staging) bool { return slices.Equal(a.of, b.of) })
	if err != nil || len(laid) != 2 || slices.Equal(laid[0], laid[1]) || len(x.found) >= dropped || !slices.Equal(q.Pipeline.Of, laid[1]) {
		t.Errorf("%d were laid out, %d of %d left: %v", len(laid), len(x.found), dropped, err)
	}
	certified(t, q)
}
