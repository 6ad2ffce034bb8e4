package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
)

// What is laid out is what was chosen: it costs as much, of choices that are drawn and of those that
// are best, on random small jobs and all their meshes.
func TestRealize(t *testing.T) {
	laid := 0
	for seed := range sweep.Size(40, 2000) {
		j, err := random(t, uint64(seed), strategies).fill()
		if err != nil {
			t.Fatal(err)
		}
		for _, degrees := range factorizations(j.Devices, maxAxes) {
			m, err := NewMesh(j.Cluster, degrees...)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSpace(ctx, j, m)
			if IsNone(err) {
				continue
			}
			if err != nil {
				t.Fatalf("%d: %v", seed, err)
			}
			var all []*layouts
			draw := rand.New(rand.NewPCG(uint64(seed), 11))
			for range 2 {
				if y := s.tally(s.drawn(draw)); y != nil && y.cost < never {
					all = append(all, y.layouts())
				}
			}
			l, err := s.choose(question{means: []Means{All}, steps: 1 << 12, tries: triesSettled})
			if err != nil && !IsNone(err) {
				t.Fatalf("%d on %v: %v", seed, degrees, err)
			}
			if err == nil {
				all = append(all, l)
			}
			for _, l := range all {
				p, err := s.realize(l)
				if err != nil {
					t.Fatalf("%d on %v: %v", seed, degrees, err)
				}
				if laid++; p.Time() != l.cost {
					t.Errorf("%d on %v: chosen at %v, laid out at %v\n%s", seed, degrees, l.cost, p.Time(), p.Laying.Graph())
				}
				if laid%32 == 0 && work(j.Training.Graph) < 1<<20 {
					verified(t, p)
				}
			}
		}
	}
	if laid < 40 {
		t.Errorf("%d choices were laid out", laid)
	}
}
