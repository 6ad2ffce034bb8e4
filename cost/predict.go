package cost

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/taso-go/taso/graph"
)

// Prediction compares the sum of operators' times with the time of a whole run.
type Prediction struct {
	Model string `json:"model"`
	// Of is the model that this one is a rewritten form of, "" if of none: the
	// order of forms is what a search goes by.
	Of    string `json:"of,omitempty"`
	Nodes int    `json:"nodes"` // groups and views in the sum
	// Fused are the operators that run inside others' kernels.
	Fused int `json:"fused,omitempty"`
	// Predicted is the sum, and Source the least trusted source in it.
	Predicted Seconds `json:"predicted"`
	Source    Source  `json:"source"`
	// Measured is the time of whole runs.
	Measured Sample `json:"measured"`
}

// Predict compares a breakdown with the time of whole runs.
func Predict(name string, b *Breakdown, measured Sample) (*Prediction, error) {
	if err := measured.Check(); err != nil {
		return nil, fmt.Errorf("prediction for %s: %w", name, err)
	}
	p := &Prediction{Model: name, Predicted: b.Total, Source: b.Source(), Measured: measured}
	for _, n := range b.Nodes {
		if !n.Once {
			p.Nodes++
			p.Fused += len(n.Fused)
		}
	}
	return p, nil
}

// Error is the relative error: 0.1 if the prediction is 10 % above what was
// measured.
func (p *Prediction) Error() float64 { return float64(p.Predicted/p.Measured.Seconds) - 1 }

// MarshalJSON writes the fields and the relative error.
func (p *Prediction) MarshalJSON() ([]byte, error) {
	type fields Prediction
	return json.Marshal(struct {
		*fields
		Error float64 `json:"error"`
	}{(*fields)(p), p.Error()})
}

// WriteText writes the report of a calibration: a line a class.
func (f *Fit) WriteText(w io.Writer) error {
	m := f.Machine
	fmt.Fprintf(w, "%s: launch %v, view %v, serial %v; %d applications, relative error: median %.1f %% (before: %.1f %%), nine in ten below %.1f %%, at most %.1f %%\n",
		m.Name, m.Launch, m.View, m.Serial, f.Count, 100*f.Median, 100*f.BaseMedian, 100*f.Q90, 100*f.Max)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "CLASS\tCOUNT\tCOMPUTE BOUND\tMEMORY BOUND\tGFLOP/s\tGB/s\tMEDIAN ERROR\t90 %\tMAX\t")
	peak := m.FLOPS[graph.Float32.String()]
	for _, c := range f.Classes {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.4g\t%.4g\t%.1f %%\t%.1f %%\t%.1f %%\t\n", c.Class, c.Count, c.Compute, c.Memory,
			c.Rate.FLOPS*peak/1e9, c.Rate.Bandwidth*m.Bandwidth/1e9, 100*c.Median, 100*c.Q90, 100*c.Max)
	}
	return t.Flush()
}
