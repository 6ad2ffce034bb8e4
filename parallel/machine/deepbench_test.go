package machine_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// TestDeepBench fits latency and bandwidth of the links of p100-pcie to every other
// all-reduce that DeepBench published, compares them with the cluster's description, and
// predicts the others by the algorithm that is fastest under the model.
func TestDeepBench(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "cost", "testdata", "deepbench", "allreduce.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		bytes   int64
		devices int
		seconds float64
	}
	var fit, others []row
	for i, line := range lines[1:] {
		floats, err1 := strconv.ParseInt(line[2], 10, 64)
		devices, err2 := strconv.Atoi(line[3])
		ms, err3 := strconv.ParseFloat(line[4], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("allreduce.csv:%d: %v %v %v", i+2, err1, err2, err3)
		}
		if r := (row{4 * floats, devices, ms / 1e3}); i%2 == 0 {
			fit = append(fit, r)
		} else {
			others = append(others, r)
		}
	}
	// A ring of n devices at a switch takes 2(n-1)(2α + b/nβ).
	predict := func(r row, alpha, beta float64) float64 {
		n := float64(r.devices)
		return 2 * (n - 1) * (2*alpha + float64(r.bytes)/n/beta)
	}
	loss := func(alpha, beta float64) (sum float64) {
		for _, r := range fit {
			sum += math.Abs(predict(r, alpha, beta)/r.seconds - 1)
		}
		return sum
	}
	var alpha, beta float64
	least := math.Inf(1)
	for a := 1; a <= 100; a++ { // tenths of microseconds
		for b := 30; b <= 130; b++ { // tenths of GB/s
			if l := loss(float64(a)*1e-7, float64(b)*1e8); l < least {
				alpha, beta, least = float64(a)*1e-7, float64(b)*1e8, l
			}
		}
	}
	c, err := machine.Find("p100-pcie", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if l := c.Links[0]; math.Abs(float64(l.Latency.Seconds())-alpha) > 1e-9 || math.Abs(float64(l.Bandwidth)-beta) > 1 {
		t.Errorf("links have %v and %d bytes/s, the fit says %v s and %v bytes/s", l.Latency, l.Bandwidth, alpha, beta)
	}
	var errors []float64
	for _, r := range others {
		rounds, err := c.Rounds(parallel.AllReduce, machine.Ring, c.All()[:r.devices], r.bytes)
		if err != nil {
			t.Fatal(err)
		}
		charge, err := c.Charge(rounds)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(charge.Time.Seconds())
		if math.Abs(got/predict(r, alpha, beta)-1) > 1e-3 {
			t.Errorf("%d bytes on %d devices: the cluster says %v, the formula %v", r.bytes, r.devices, got, predict(r, alpha, beta))
		}
		errors = append(errors, math.Abs(got/r.seconds-1))
	}
	want := fmt.Sprintf("%d all-reduces fitted, %d predicted, median error %.0f %%, 90th percentile %.0f %%",
		len(fit), len(others), 100*cost.Median(errors), 100*cost.Quantile(errors, 0.9))
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "costs.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("docs/costs.md does not say %q", want)
	}
}
