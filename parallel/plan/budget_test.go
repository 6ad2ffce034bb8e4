package plan

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// All points of a small grid are looked at, and of a large one so many that are some, each
// once; those that are none do not count.
func TestDescend(t *testing.T) {
	for _, c := range []struct{ rows, columns, most, want int }{{3, 5, 20, 15}, {3, 5, 15, 15}, {14, 5, 12, 12}, {1, 5, 2, 2}, {14, 5, 1, 1}} {
		seen, looked := map[[2]int]bool{}, 0
		least := never
		all, err := descend(c.rows, c.columns, c.most, func(r, k int) (machine.Time, error) {
			if seen[[2]int{r, k}] || r < 0 || r >= c.rows || k < 0 || k >= c.columns {
				t.Errorf("%+v: looks at %d, %d", c, r, k)
			}
			seen[[2]int{r, k}] = true
			looked++
			time := machine.Time((r-5)*(r-5) + (k-3)*(k-3))
			least = min(least, time)
			return time, nil
		})
		if err != nil || looked != c.want || all != (c.want == c.rows*c.columns) {
			t.Errorf("%+v: %d looked at, all %v, %v", c, looked, all, err)
		}
		if c.most == 12 && least > 2 {
			t.Errorf("%+v: the least that is found is %v", c, least)
		}
	}
	looked := 0
	if _, err := descend(4, 5, 3, func(int, int) (machine.Time, error) { looked++; return never, nil }); err != nil || looked != 20 {
		t.Errorf("%d points of which all are none, want 20 (%v)", looked, err)
	}
	if _, err := descend(1, 1, 1, func(int, int) (machine.Time, error) { return 0, ErrMeans }); !errors.Is(err, ErrMeans) {
		t.Errorf("an error is lost: %v", err)
	}
}

// Choices of which a family of members would have more elements than a tensor may have are
// none: here copies of what a broadcast makes, which would have 4 times 2^39.
func TestTooMany(t *testing.T) {
	if tooMany(graph.MaxElements) || !tooMany(graph.MaxElements, 2) || !tooMany(1<<30, 1<<5, 1<<6) || tooMany(1<<30, 1<<5, 1<<5) {
		t.Error("2^40 elements are as many as there may be")
	}
	tr := training(t, `
x : float32[524288, 4]
w : weight float32[4, 1048576]
y = matmul(x, w)
return y`)
	large := meshOf(t, "summit", 1).Cluster
	large.Memory = 1 << 50
	j, err := (&Job{Strategies: strategies, Training: tr, Cluster: large, Devices: 4}).fill()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data", "soap"} {
		p, err := Find(ctx, name, j)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		certified(t, p)
	}
}
