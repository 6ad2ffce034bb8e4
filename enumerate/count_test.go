package enumerate

import (
	"context"
	"testing"
	"time"
)

func TestCountProbe(t *testing.T) {
	for n := 1; n <= 3; n++ {
		t0 := time.Now()
		g, err := CountGraphs(context.Background(), Options{Seed: 1}, n)
		t.Logf("%+v %v %v", g, err, time.Since(t0))
	}
}
