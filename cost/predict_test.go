package cost_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
)

func measured(s, mad cost.Seconds) cost.Sample {
	return cost.Sample{Seconds: s, MAD: mad, Runs: 9, Source: cost.Measured}
}

func TestPredict(t *testing.T) {
	b, err := cost.GraphCost(lowered(t, small(t)), machine(t, "laptop"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.Predict("small", b, measured(b.Total/2, 0))
	if err != nil {
		t.Fatal(err)
	}
	// y with r and s in its kernel; ww is computed once.
	if p.Nodes != 1 || p.Fused != 2 || p.Predicted != b.Total || math.Abs(p.Error()-1) > 1e-9 || p.Source != cost.Modelled {
		t.Errorf("%+v, error %v", p, p.Error())
	}
	if b, err := json.Marshal(p); err != nil || !strings.Contains(string(b), `"fused":2`) || !strings.Contains(string(b), `"error":`) {
		t.Errorf("JSON %s, %v", b, err)
	}
	if _, err := cost.Predict("small", b, cost.Sample{}); err == nil || !strings.Contains(err.Error(), "small") {
		t.Errorf("without a measured time: %v", err)
	}
}

func TestAccuracy(t *testing.T) {
	p := func(name string, predicted, seconds, mad cost.Seconds) *cost.Prediction {
		return &cost.Prediction{Model: name, Predicted: predicted, Measured: measured(seconds, mad)}
	}
	form := func(of string, p *cost.Prediction) *cost.Prediction {
		p.Of = of
		return p
	}
	for _, c := range []struct {
		name string
		ps   []*cost.Prediction
		want cost.Accuracy
	}{
		{"none", nil, cost.Accuracy{}},
		{"forms", []*cost.Prediction{p("a", 1, 1, 0), form("a", p("a+x", 3, 0.75, 0)), form("a", p("a+y", 0.5, 0.5, 0)), p("b", 2, 2, 0)},
			cost.Accuracy{Models: 4, Median: 0, Max: 3, Worst: "a+x", Pairs: 6, Kept: 4, FormPairs: 3, FormsKept: 2}},
		{"order kept", []*cost.Prediction{p("a", 1, 1, 0), p("b", 3, 2, 0), p("c", 8, 4, 0)}, cost.Accuracy{Models: 3, Median: 0.5, Max: 1, Worst: "c", Pairs: 3, Kept: 3}},
		{"one pair turned", []*cost.Prediction{p("a", 4, 4, 0), p("b", 2, 5, 0), p("c", 8, 8, 0)}, cost.Accuracy{Models: 3, Max: 0.6, Worst: "b", Pairs: 3, Kept: 2}},
		{"too close to tell", []*cost.Prediction{p("a", 4, 4, 0.25), p("b", 4.5, 4.5, 0.25)}, cost.Accuracy{Models: 2, Worst: "a"}},
		{"equal predictions", []*cost.Prediction{p("a", 4, 4, 0), p("b", 4, 8, 0)}, cost.Accuracy{Models: 2, Median: 0.25, Max: 0.5, Worst: "b", Pairs: 1}},
	} {
		if got := cost.AccuracyOf(c.ps); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestReports(t *testing.T) {
	fit, err := cost.Calibrate(machine(t, "laptop"), observe(truth(t), 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := fit.WriteText(&w); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"launch 300 ns", "transpose", "GFLOP/s", "300 applications"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, w.String())
		}
	}
	if err := cost.WritePredictions(failing{}, []*cost.Prediction{{Measured: measured(1, 0)}}); !errors.Is(err, errFailing) {
		t.Errorf("a writer that fails: %v", err)
	}
}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

func ExampleWritePredictions() {
	ps := []*cost.Prediction{
		{Model: "resnet50", Nodes: 175, Predicted: 52e-3, Source: cost.Measured, Measured: measured(50e-3, 2e-4)},
		{Model: "bert", Nodes: 120, Predicted: 9.6e-3, Source: cost.Measured, Measured: measured(10e-3, 1e-4)},
	}
	fmt.Println("prediction")
	if err := cost.WritePredictions(os.Stdout, ps); err != nil {
		fmt.Println(err)
	}
	// Output:
	// prediction
	//      MODEL  OPERATORS  SUM OF OPERATORS    SOURCE  END TO END       ±   ERROR
	//   resnet50        175             52 ms  measured       50 ms  200 µs  +4.0 %
	//       bert        120            9.6 ms  measured       10 ms  100 µs  -4.0 %
	// error: median 4.0 %, at most 4.0 % (bert); order predicted for 1 of 1 pairs of models
}
