package enumerate

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/procstat"
)

func TestProbe(t *testing.T) {
	max := 3
	if v := os.Getenv("PROBE"); v != "" {
		fmt.Sscan(v, &max)
	}
	start := time.Now()
	var mu sync.Mutex
	last := ""
	s := NewSession(Options{Seed: 1, MaxOps: max, Progress: func(ph string, d, n int64) {
		mu.Lock()
		if ph != last || d == n || os.Getenv("V") != "" {
			fmt.Printf("%.1fs cpu %.1fs %s %d %d\n", time.Since(start).Seconds(), procstat.Read().CPUSeconds(), ph, d, n)
			last = ph
		}
		mu.Unlock()
	}})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	for n := 1; n <= max; n++ {
		t0 := time.Now()
		c, st, err := s.Level(ctx, n)
		if err != nil {
			t.Log(err)
			return
		}
		fmt.Printf("%+v %v\n", st, time.Since(t0))
		if f, err := os.Create(fmt.Sprintf("/tmp/cands%d.txt", n)); err == nil {
			for _, x := range c {
				fmt.Fprintf(f, "cond=%v level=%d %s\n   == %s   given", x.Conditional, x.Level, x.Law.LHS[0], x.Law.RHS[0])
				for _, g := range x.Law.Given {
					fmt.Fprintf(f, " %s:%s%s", g.Name, g.Sort, g.Shape)
				}
				fmt.Fprintf(f, " where %v\n", x.Law.Where)
			}
			f.Close()
		}
	}
}
