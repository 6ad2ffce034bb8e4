package cost

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Observation is a timed application as the calibration sees it.
type Observation struct {
	Work  Work
	DType graph.DType // that arithmetic is done in
	Time  Seconds
	Name  string // for the report
}

// Observations are the measured and recorded samples of one setting, of single
// operators: in a group several classes meet. Keys that cannot be read (an
// operator of another version) are left out and counted. Left out are also operators on
// narrow types: whether a device moves those or wider ones its machine says, which is
// what is sought.
func Observations(t *Table, s Setting) (obs []Observation, unread int) {
	for _, e := range t.Entries() {
		if e.Key.Setting != s || e.Key.Tail != "" || e.Sample.Source == Modelled {
			continue
		}
		ap, err := e.Key.Parse()
		if err != nil {
			unread++
			continue
		}
		if narrow := func(t graph.TensorType) bool { return lower.Wide(t.DType) != t.DType }; slices.ContainsFunc(ap.In, narrow) || slices.ContainsFunc(ap.Out, narrow) {
			continue
		}
		obs = append(obs, Observation{
			Work: WorkOf(*ap), DType: elementType(ap.In, ap.Out),
			Time: e.Sample.Seconds, Name: e.Key.Application(),
		})
	}
	return obs, unread
}

// ClassFit is how well a machine fits the observations of one class. Errors are
// relative: 0.1 is a time 10 % off, up or down, of what was observed.
type ClassFit struct {
	Class Class `json:"class"`
	Count int   `json:"count"`
	// Fitted rates; where no observation is bound by one of them it is that of
	// the base machine.
	Rate    Rate    `json:"rate"`
	Compute int     `json:"compute_bound"` // observations that each term bounds
	Memory  int     `json:"memory_bound"`
	Median  float64 `json:"median"`
	Q90     float64 `json:"q90"`
	Max     float64 `json:"max"`
	Worst   string  `json:"worst"` // the application with the largest error
}

// Fit is the result of a calibration.
type Fit struct {
	Machine *Machine `json:"machine"`
	Count   int      `json:"count"`  // observations used
	Rounds  int      `json:"rounds"` // of the fitting
	// Median, Q90 (nine in ten are below) and Max are the relative errors of
	// the fitted machine; BaseMedian is the median error of the machine that
	// the fit started from.
	Median     float64    `json:"median"`
	Q90        float64    `json:"q90"`
	Max        float64    `json:"max"`
	BaseMedian float64    `json:"base_median"`
	Classes    []ClassFit `json:"classes"` // in the order of Classes
}

const (
	fitRounds  = 40    // of reweighting; the fit stops when it stands still
	huberAt    = 0.1   // relative error from which an observation counts less
	ridge      = 1e-12 // keeps the normal equations regular
	minObserve = 3     // observations below which nothing is fitted
	maxRate    = 10.0  // fraction of a peak above which a term no longer matters
)

// Calibrate fits a machine's launch and view times, its rates by class and its
// Serial to observations, and reports how well it fits. Peaks, bandwidths and
// caches stay those of base; only their fractions are fitted.
//
// The model is linear in the launch time and the inverse rates once it is known
// which term of each observation is the longer. So the fit alternates: the
// longer terms are found with the rates so far, then launch and inverse rates
// are fitted by least squares of relative errors, in which an observation far
// off counts with its error instead of its square (Huber's weights: P. J. Huber,
// "Robust estimation of a location parameter", Ann. Math. Statist. 35, 1964).
// Serial is the best of 0, 0.25 … 1. The result depends on the observations'
// values only, not on their order.
func Calibrate(base *Machine, obs []Observation) (*Fit, error) {
	if err := base.Check(); err != nil {
		return nil, fmt.Errorf("calibrate: machine %s: %w", base.Name, err)
	}
	obs = slices.Clone(obs)
	slices.SortFunc(obs, compareObservations)
	var views []Seconds
	var used []Observation
	for _, o := range obs {
		switch {
		case !o.Time.Valid() || o.Time == 0:
			return nil, fmt.Errorf("calibrate: %s: time %v", o.Name, float64(o.Time))
		case o.Work.Class == View:
			views = append(views, o.Time)
		default:
			used = append(used, o)
		}
	}
	if len(used) < minObserve {
		return nil, fmt.Errorf("calibrate: %d observations of operators that are not views, want at least %d", len(used), minObserve)
	}
	var best *Fit
	for _, serial := range []float64{0, 0.25, 0.5, 0.75, 1} {
		m := clone(base)
		m.Serial = serial
		if len(views) > 0 {
			m.View = Median(views)
		}
		rounds, err := fitRates(m, used)
		if err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
		m.round()
		f := Evaluate(m, obs)
		f.Rounds = rounds
		if best == nil || f.score(used) < best.score(used) {
			best = f
		}
	}
	best.BaseMedian = Evaluate(base, obs).Median
	best.Machine.Name = base.Name + "-calibrated"
	best.Machine.Doc = fmt.Sprintf("%s Launch, view, serial and rates fitted to %d measured applications: relative error %.1f %% in the median, %.1f %% at most.",
		base.Doc, best.Count, 100*best.Median, 100*best.Max)
	if err := best.Machine.Check(); err != nil {
		return nil, fmt.Errorf("calibrate: the fit is no machine: %w", err)
	}
	return best, nil
}

// round leaves four significant digits of what was fitted: more would pretend a
// precision that no clock has.
func (m *Machine) round() {
	m.Launch, m.View = Seconds(round4(float64(m.Launch))), Seconds(round4(float64(m.View)))
	for c, r := range m.Rates {
		r.FLOPS, r.Bandwidth = round4(r.FLOPS), round4(r.Bandwidth)
		m.Rates[c] = r
	}
}

func round4(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		return x
	}
	return y
}

func compareObservations(a, b Observation) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Time, b.Time))
}

// score is the mean of Huber's losses, which the fit minimizes.
func (f *Fit) score(obs []Observation) float64 {
	sum := 0.0
	for _, o := range obs {
		r := math.Abs(float64(f.Machine.Time(o.Work, o.DType)/o.Time) - 1)
		if r > huberAt {
			sum += huberAt * (2*r - huberAt)
		} else {
			sum += r * r
		}
	}
	return sum / float64(len(obs))
}

// clone is a copy whose rates are one for each class, the fitted ones of float32 where
// there are any: what is measured is better than those.
func clone(m *Machine) *Machine {
	c := *m
	c.Caches = slices.Clone(m.Caches)
	if c.Rates = maps.Clone(m.Rates); c.Rates == nil {
		c.Rates = map[Class]Rate{}
	}
	c.Fitted = nil
	for class, r := range m.Fitted[graph.Float32.String()] {
		r.Launch = 0
		c.Rates[class] = r
	}
	return &c
}

// Unknown 0 is the launch time; then two for each class: the inverse fractions
// of arithmetic and of bandwidth.
type unknowns struct {
	classes []Class
	at      map[Class]int
}

// move is the unknown of a class's bandwidth. Functions share that of Pointwise.
func (u *unknowns) move(c Class) int {
	if i, ok := u.at[Pointwise]; ok && c == Function {
		return i + 1
	}
	return u.at[c] + 1
}

// fitRates changes m.Launch and m.Rates.
func fitRates(m *Machine, obs []Observation) (rounds int, err error) {
	u := unknowns{at: map[Class]int{}}
	for _, c := range Classes() {
		if slices.ContainsFunc(obs, func(o Observation) bool { return o.Work.Class == c }) {
			u.at[c] = 1 + 2*len(u.classes)
			u.classes = append(u.classes, c)
			m.Rates[c] = m.rateOf(c, graph.Float32)
		}
	}
	n := 1 + 2*len(u.classes)
	last := math.Inf(1)
	for rounds = 1; rounds <= fitRounds; rounds++ {
		x, err := u.solve(m, obs, n)
		if err != nil {
			return rounds, err
		}
		u.apply(m, x)
		s := (&Fit{Machine: m}).score(obs)
		if math.Abs(last-s) < 1e-9*(1+s) {
			break
		}
		last = s
	}
	return min(rounds, fitRounds), nil
}

// solve makes one step: weighted least squares with the terms as they are now.
// Unknowns that no observation determines, or that come out at or below zero,
// keep their value (a launch below zero becomes the smallest observed one's
// share).
func (u *unknowns) solve(m *Machine, obs []Observation, n int) ([]float64, error) {
	now := make([]float64, n)
	now[0] = float64(m.Launch)
	for _, c := range u.classes {
		r := m.rate(c, graph.Float32)
		now[u.at[c]], now[u.move(c)] = 1/r.FLOPS, 1/r.Bandwidth
	}
	fixed := make([]bool, n)
	for {
		x, negative, err := u.step(m, obs, now, fixed)
		if err != nil || negative < 0 {
			return x, err
		}
		// The worst offender stands still and the others are fitted again.
		fixed[negative] = true
		if negative == 0 {
			now[0] = math.Max(now[0]/2, 1e-9)
		} else {
			now[negative] = math.Max(now[negative]/2, 1/maxRate) // faster: this term explains too much
		}
	}
}

// step solves for the unknowns that are not fixed; negative is one that came
// out at or below zero, or -1.
func (u *unknowns) step(m *Machine, obs []Observation, now []float64, fixed []bool) (x []float64, negative int, err error) {
	n := len(now)
	ata, atb := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	row := make([]float64, n)
	for _, o := range obs {
		clear(row)
		i, mv := u.at[o.Work.Class], u.move(o.Work.Class)
		compute, move := m.ideal(o.Work, o.DType, m.Rates[o.Work.Class])
		row[0] = 1
		if compute*now[i] >= move*now[mv] {
			row[i], row[mv] = compute, m.Serial*move
		} else {
			row[i], row[mv] = m.Serial*compute, move
		}
		predicted := 0.0
		for j := range row {
			predicted += row[j] * now[j]
		}
		t := float64(o.Time)
		w := 1.0
		if r := math.Abs(predicted/t - 1); r > huberAt {
			w = huberAt / r
		}
		rest := 1.0
		for _, j := range [3]int{0, i, mv} {
			row[j] *= now[j] / t // unknowns relative to their values: all near 1
			if fixed[j] {
				rest -= row[j]
				row[j] = 0
			}
		}
		for _, j := range [3]int{0, i, mv} {
			atb.SetVec(j, atb.AtVec(j)+w*row[j]*rest)
			for _, k := range [3]int{0, i, mv} {
				if k >= j {
					ata.SetSym(j, k, ata.At(j, k)+w*row[j]*row[k])
				}
			}
		}
	}
	for j := range n {
		if ata.At(j, j) < 1e-9 { // nothing determines it: it stands still
			atb.SetVec(j, 1)
			for k := range n {
				ata.SetSym(min(j, k), max(j, k), 0)
			}
			ata.SetSym(j, j, 1)
		}
		ata.SetSym(j, j, ata.At(j, j)*(1+ridge))
	}
	var chol mat.Cholesky
	if !chol.Factorize(ata) {
		return nil, -1, errors.New("the observations do not determine the rates")
	}
	var sol mat.VecDense
	if err := chol.SolveVecTo(&sol, atb); err != nil {
		var cond mat.Condition
		if !errors.As(err, &cond) { // badly conditioned is still the best there is
			return nil, -1, err
		}
	}
	x, negative = make([]float64, n), -1
	worst := 1e-3 // below a thousandth of its value a rate has lost its meaning
	for j := range n {
		f := sol.AtVec(j)
		if fixed[j] {
			f = 1
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, -1, errors.New("the fit diverges")
		}
		if f < worst && !fixed[j] {
			worst, negative = f, j
		}
		if x[j] = f * now[j]; j > 0 {
			x[j] = math.Max(x[j], 1/maxRate)
		}
	}
	return x, negative, nil
}

func (u *unknowns) apply(m *Machine, x []float64) {
	m.Launch = Seconds(x[0])
	for _, c := range u.classes {
		r := m.Rates[c]
		r.FLOPS, r.Bandwidth = 1/x[u.at[c]], 1/x[u.move(c)]
		m.Rates[c] = r
	}
	for _, c := range u.classes {
		m.Rates[c] = m.rate(c, graph.Float32)
	}
}

// Evaluate is how well a machine predicts observations, views included.
func Evaluate(m *Machine, obs []Observation) *Fit {
	f := &Fit{Machine: m, Count: len(obs)}
	var all []float64
	by := map[Class]*ClassFit{}
	errs := map[Class][]float64{}
	for _, o := range obs {
		c := by[o.Work.Class]
		if c == nil {
			c = &ClassFit{Class: o.Work.Class, Rate: m.rate(o.Work.Class, o.DType)}
			by[o.Work.Class] = c
		}
		c.Count++
		switch m.BoundOf(o.Work, o.DType) {
		case ByCompute:
			c.Compute++
		case ByMemory:
			c.Memory++
		}
		e := math.Abs(float64(m.Time(o.Work, o.DType)/o.Time) - 1)
		all = append(all, e)
		errs[c.Class] = append(errs[c.Class], e)
		if e > c.Max || c.Worst == "" {
			c.Max, c.Worst = e, o.Name
		}
	}
	f.Median, f.Q90, f.Max = Median(all), Quantile(all, 0.9), Quantile(all, 1)
	for _, k := range Classes() {
		if c := by[k]; c != nil {
			c.Median, c.Q90 = Median(errs[k]), Quantile(errs[k], 0.9)
			f.Classes = append(f.Classes, *c)
		}
	}
	return f
}
