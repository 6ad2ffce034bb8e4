package cost

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// Accuracy sums up predictions for several models.
type Accuracy struct {
	Models int `json:"models"`
	// Median and Max are of the absolute relative errors; Worst is the model
	// with the largest.
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
	Worst  string  `json:"worst,omitempty"`
	// Pairs are the pairs of models whose measured times differ by more than
	// their spreads (the sum of the deviations), and Kept those of them that the
	// predictions put in the same order.
	Pairs int `json:"pairs"`
	Kept  int `json:"kept"`
	// FormPairs and FormsKept are the same of pairs of forms of one model.
	FormPairs int `json:"form_pairs,omitempty"`
	FormsKept int `json:"forms_kept,omitempty"`
}

// pair is two predictions whose measured times differ, faster first.
type pair struct{ fast, slow *Prediction }

// pairsOf lists the pairs in the order of the predictions.
func pairsOf(ps []*Prediction) (pairs []pair) {
	for i, p := range ps {
		for _, q := range ps[:i] {
			d := p.Measured.Seconds - q.Measured.Seconds
			switch {
			case Seconds(math.Abs(float64(d))) <= p.Measured.MAD+q.Measured.MAD:
			case d < 0:
				pairs = append(pairs, pair{p, q})
			default:
				pairs = append(pairs, pair{q, p})
			}
		}
	}
	return pairs
}

func (p pair) kept() bool { return cmp.Less(p.fast.Predicted, p.slow.Predicted) }

// forms: both are forms of one model, or one is a form of the other.
func (p pair) forms() bool {
	of := func(p *Prediction) string { return cmp.Or(p.Of, p.Model) }
	return of(p.fast) == of(p.slow)
}

// AccuracyOf sums up.
func AccuracyOf(ps []*Prediction) Accuracy {
	a := Accuracy{Models: len(ps)}
	var errs []float64
	for _, p := range ps {
		e := math.Abs(p.Error())
		errs = append(errs, e)
		if e > a.Max || a.Worst == "" {
			a.Max, a.Worst = e, p.Model
		}
	}
	a.Median = Median(errs)
	count := func(p pair, pairs, kept *int) {
		*pairs++
		if p.kept() {
			*kept++
		}
	}
	for _, p := range pairsOf(ps) {
		count(p, &a.Pairs, &a.Kept)
		if p.forms() {
			count(p, &a.FormPairs, &a.FormsKept)
		}
	}
	return a
}

// WritePredictions writes a table of predictions and their summary, and the
// forms of a model that are predicted in the wrong order.
func WritePredictions(w io.Writer, ps []*Prediction) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "MODEL\tOPERATORS\tSUM OF OPERATORS\tSOURCE\tEND TO END\t±\tERROR\t")
	for _, p := range ps {
		fmt.Fprintf(t, "%s\t%d\t%v\t%v\t%v\t%v\t%+.1f %%\t\n",
			p.Model, p.Nodes, p.Predicted, p.Source, p.Measured.Seconds, p.Measured.MAD, 100*p.Error())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(ps) < 2 {
		return nil
	}
	a := AccuracyOf(ps)
	fmt.Fprintf(w, "error: median %.1f %%, at most %.1f %% (%s); order predicted for %d of %d pairs of models",
		100*a.Median, 100*a.Max, a.Worst, a.Kept, a.Pairs)
	if a.FormPairs > 0 {
		fmt.Fprintf(w, ", for %d of %d pairs of forms of one model", a.FormsKept, a.FormPairs)
	}
	_, err := fmt.Fprintln(w)
	for _, p := range pairsOf(ps) {
		if p.forms() && !p.kept() {
			_, err = fmt.Fprintf(w, "wrong order: %s takes %v and %s %v\n",
				p.fast.Model, p.fast.Measured.Seconds, p.slow.Model, p.slow.Measured.Seconds)
		}
	}
	return err
}
