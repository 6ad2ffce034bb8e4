package cost_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/cost"
)

func TestSecondsText(t *testing.T) {
	for s, want := range map[cost.Seconds]string{
		0: "0 s", 1.5: "1.5 s", 1234: "1234 s", 0.25: "250 ms", 0.99996: "1 s", 1.5e-6: "1.5 µs", 2e-9: "2 ns", -3e-3: "-3 ms", 1e-12: "0.001 ns",
	} {
		if got := s.String(); got != want {
			t.Errorf("%v: got %q, want %q", float64(s), got, want)
		}
	}
	if got := cost.Seconds(1.5e-6).Duration(); got != 1500*time.Nanosecond {
		t.Errorf("duration %v", got)
	}
	for _, s := range []cost.Seconds{1e300, cost.Seconds(math.NaN()), cost.Seconds(math.Inf(1))} {
		if got := s.Duration(); got != math.MaxInt64 {
			t.Errorf("%v: duration %v", float64(s), got)
		}
	}
	if got := cost.FromDuration(2 * time.Millisecond); got != 2e-3 {
		t.Errorf("got %v", got)
	}
}

func TestSampleCheck(t *testing.T) {
	for want, s := range map[string]cost.Sample{
		"":              {Seconds: 1, MAD: 0.1, Runs: 3, Source: cost.Measured},
		"0 is not":      {Runs: 1, Source: cost.Measured},
		"NaN":           {Seconds: cost.Seconds(math.NaN()), Runs: 1},
		"+Inf":          {Seconds: cost.Seconds(math.Inf(1)), Runs: 1},
		"deviation":     {Seconds: 1, MAD: -1},
		"-2 runs":       {Seconds: 1, Runs: -2},
		"source 9":      {Seconds: 1, Source: 9},
		"without a run": {Seconds: 1, Source: cost.Recorded},
	} {
		err := s.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: got %v, want %q", s, err, want)
		}
	}
	for s := cost.Modelled; s <= cost.Measured; s++ {
		if back, err := cost.ParseSource(s.String()); err != nil || back != s {
			t.Errorf("%s reads back as %s, %v", s, back, err)
		}
	}
	if _, err := cost.Source(7).MarshalText(); err == nil || cost.Source(7).String() != "source(7)" {
		t.Errorf("source 7: %v", err)
	}
}

// TestMedian: half of the values are on each side, and the slice is not changed.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 20).Draw(t, "xs")
		before := slices.Clone(xs)
		m := cost.Median(xs)
		if !slices.Equal(xs, before) {
			t.Fatal("the slice was changed")
		}
		below, above := 0, 0
		for _, x := range xs {
			if x < m {
				below++
			}
			if x > m {
				above++
			}
		}
		if 2*below > len(xs) || 2*above > len(xs) {
			t.Fatalf("median %v of %v", m, xs)
		}
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		v := cost.Quantile(xs, q)
		atMost := 0
		for _, x := range xs {
			if x <= v {
				atMost++
			}
		}
		if float64(atMost) < q*float64(len(xs))-1e-6 || !slices.Contains(xs, v) {
			t.Fatalf("quantile %v of %v is %v", q, xs, v)
		}
	})
	if cost.Median[float64](nil) != 0 || cost.Quantile[float64](nil, 0.5) != 0 {
		t.Error("the median of nothing is not 0")
	}
	if m, d := cost.MedianMAD([]cost.Seconds{1, 2, 100, 3}); m != 2.5 || d != 1 {
		t.Errorf("got %v ± %v", m, d)
	}
}

func ExampleMedianMAD() {
	fmt.Println(cost.MedianMAD([]cost.Seconds{0.010, 0.011, 0.010, 0.250, 0.012}))
	// Output: 11 ms 1 ms
}
