package measure

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/taso-go/taso/cost"
)

// WriteText writes the report for people; at most top applications are listed,
// those with the largest part of the models' time first (0: none, negative:
// all).
func (r *Report) WriteText(w io.Writer, top int) error {
	for _, m := range r.Models {
		if m.Cost == nil {
			fmt.Fprintf(w, "%s: no sum, some operators have no time\n", m.Name)
		} else {
			fmt.Fprintf(w, "%s: sum of operators %v (%s), before the first run %v\n", m.Name, m.Sum, m.Cost.Source(), m.Cost.Once)
		}
	}
	fmt.Fprintf(w, "\n%s\n%d distinct operator applications: %d timed now, %d from the table; %d nodes without a time; %v\n",
		r.Backend, len(r.Applications), r.Measured, r.Reused, len(r.Skipped), r.Elapsed)
	if r.Parts > 0 {
		fmt.Fprintf(w, "%d groups without a time of their own have the sum of the times of their parts\n", r.Parts)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "no time: %s, node %s (%s): %s\n", s.Model, s.Node, s.Op, s.Why)
	}
	list := slices.Clone(r.Applications)
	slices.SortStableFunc(list, func(a, b Application) int {
		x, y := a.Sample.Seconds*cost.Seconds(a.Uses), b.Sample.Seconds*cost.Seconds(b.Uses)
		switch {
		case x != y && x > y:
			return -1
		case x != y:
			return 1
		}
		return strings.Compare(a.Key.Application(), b.Key.Application())
	})
	if top >= 0 && len(list) > top {
		list = list[:top]
	}
	if len(list) > 0 {
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "TIME\t±\tUSES\tSOURCE\tAPPLICATION")
		for _, a := range list {
			fmt.Fprintf(t, "%v\t%v\t%d\t%s\t%s\n", a.Sample.Seconds, a.Sample.MAD, a.Uses, a.Sample.Source, clip(a.Key.Application()))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	measured, analytic, calibrated := r.Predictions()
	for _, part := range []struct {
		title string
		ps    []*cost.Prediction
	}{{"sum of the times vs whole runs", measured}, {"formula of the machine vs whole runs", analytic}, {"formula fitted to the times vs whole runs", calibrated}} {
		if len(part.ps) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", part.title)
		if err := cost.WritePredictions(w, part.ps); err != nil {
			return err
		}
	}
	if err := r.writeKinds(w); err != nil {
		return err
	}
	if r.Fit != nil {
		fmt.Fprintln(w)
		return r.Fit.WriteText(w)
	}
	if r.FitError != "" {
		_, err := fmt.Fprintf(w, "\nno calibration: %s\n", r.FitError)
		return err
	}
	return nil
}

// longest is how many columns an application takes at most in a table.
const longest = 62

// clip shortens the text of an application.
func clip(s string) string {
	if r := []rune(s); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return s
}

// kindsListed bounds how many operators of a model writeKinds lists.
const kindsListed = 5

// writeKinds writes where the sums and the runs differ most.
func (r *Report) writeKinds(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	some := false
	for _, m := range r.Models {
		for i, k := range m.Kinds {
			if i == kindsListed {
				break
			}
			if !some {
				fmt.Fprintln(t, "\nlargest differences\nMODEL\tOPERATOR\tNODES\tALONE\tWITHIN A RUN\tDIFFERENCE")
				some = true
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%v\t%v\t%v\n", m.Name, k.Op, k.Nodes, k.Alone, k.Within, k.Alone-k.Within)
		}
	}
	for _, m := range r.Models {
		if m.Disturbed {
			fmt.Fprintf(t, "%s: other processes used the CPU while it ran; end to end is CPU time, not wall time\n", m.Name)
		}
	}
	return t.Flush()
}

// Predictions are those of all models that have one: by the sum of the times,
// by the machine's formula, and by the formula fitted to the times.
func (r *Report) Predictions() (measured, analytic, calibrated []*cost.Prediction) {
	for _, m := range r.Models {
		if m.Measured != nil {
			measured = append(measured, m.Measured)
		}
		if m.Analytic != nil {
			analytic = append(analytic, m.Analytic)
		}
		if m.Calibrated != nil {
			calibrated = append(calibrated, m.Calibrated)
		}
	}
	return measured, analytic, calibrated
}
