package genrules

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

func TestProbe(t *testing.T) {
	max := 3
	if v := os.Getenv("PROBE"); v != "" {
		fmt.Sscan(v, &max)
	}
	ctx := context.Background()
	if v := os.Getenv("LIMIT"); v != "" {
		d, _ := time.ParseDuration(v)
		var c context.CancelFunc
		ctx, c = context.WithTimeout(ctx, d)
		defer c()
	}
	rep, err := Run(ctx, Options{MaxOps: max, Seed: 1, Quantified: os.Getenv("QUANT") != ""})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rep.Stages {
		fmt.Printf("%-60s %9d %8.2fs %6.0f MB\n", s.Name, s.Count, s.Seconds, float64(s.PeakRSS)/1e6)
	}
	fmt.Printf("%+v  %.1fs cpu %.1fs rss %.0f MB %v\n", rep.Rules, rep.Seconds, rep.CPUSeconds, float64(rep.PeakRSS)/1e6, rep.Provers)
	f, _ := os.Create("/tmp/unproved.json")
	e := json.NewEncoder(f)
	e.SetIndent("", " ")
	e.Encode(rep.Unproved)
	f.Close()
	f, _ = os.Create("/tmp/out.rules")
	rules.WriteText(f, rep.Set)
	f.Close()
	rules.Save("/tmp/o.rules", rep.Set)
	f, _ = os.Create("/tmp/level4.txt")
	for _, r := range rep.Set.Rules {
		if r.Level == 4 {
			fmt.Fprintf(f, "cond=%v %s\n", r.Conditional, law.Format(r.Law))
		}
	}
	f.Close()
}
