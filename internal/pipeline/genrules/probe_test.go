package genrules

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/taso-go/taso/rules"
	"os"
	"testing"
)

func TestProbe(t *testing.T) {
	max := 3
	if v := os.Getenv("PROBE"); v != "" {
		fmt.Sscan(v, &max)
	}
	rep, err := Run(context.Background(), Options{MaxOps: max, Seed: 1, Quantified: os.Getenv("QUANT") != ""})
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
}
