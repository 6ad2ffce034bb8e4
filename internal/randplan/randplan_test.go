package randplan_test

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/internal/randplan"
)

// What is drawn can be read, and a seed always draws the same.
func TestDrawn(t *testing.T) {
	trained := 0
	for seed := range uint64(200) {
		var texts [2]string
		for k := range texts {
			draw := rand.New(rand.NewPCG(seed, 10))
			c, err := randplan.Cluster(draw)
			if err != nil {
				t.Fatal(err)
			}
			g, how, err := randplan.Graph(draw, c.Devices())
			if err != nil {
				t.Fatal(err)
			}
			if how != nil {
				trained++
			}
			texts[k] = g.String()
		}
		if texts[0] != texts[1] {
			t.Errorf("seed %d: two graphs:\n%s\n%s", seed, texts[0], texts[1])
		}
	}
	if trained < 20 || trained > 200 {
		t.Errorf("%d of 400 are trained", trained)
	}
}
