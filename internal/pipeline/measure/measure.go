package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Options says what to measure.
type Options struct {
	// Backend takes the times. It must be given.
	Backend backends.Backend
	// Models whose operators are measured; at least one.
	Models []*model.Model
	// Store keeps the times; nil: they are in the report only.
	Store *cost.Store
	// Again measures what the store has already, too.
	Again bool
	// Measure is handed to the backend. Its budget is for all passes together, of
	// an application with one use; one with several gets as much for each, up to
	// ten.
	Measure backends.MeasureOptions
	// Passes is how many times all operators are measured, one after the other,
	// and in turns with the runs of whole models; 0: 4. Each pass has a median,
	// and the smallest counts, of operators as of whole models, so that what slows
	// the machine down for a while does not spoil the operators whose turn it was:
	// it only adds to a time.
	Passes int
	// EndToEnd runs each model as well and compares; a backend that runs nothing
	// makes this an error. Compared is [runmodel.Report].Calm.
	EndToEnd bool
	// Repeat is the number of those runs, of all passes together; 0: 20.
	Repeat int
	// Least is the time that the runs of one model take together at least: of a
	// fast model there are more.
	Least time.Duration
	// NoFuse compares with runs in which each operator has a kernel of its own.
	NoFuse bool
	// Machine is the description to compare with and to calibrate; nil: neither
	// is done.
	Machine *cost.Machine
	// Progress shows how far it is; nil: nothing is shown.
	Progress *progress.Reporter
}

// Application is one operator application, or a group that runs as one kernel.
type Application struct {
	Key cost.Key `json:"key"`
	// Uses is the number of nodes that are this application, or of groups, in all
	// models.
	Uses   int         `json:"uses"`
	Sample cost.Sample `json:"sample"`
	// Reused: the time was in the store.
	Reused bool `json:"reused,omitempty"`

	app   cost.Application
	model int // the first that uses it, a position in Options.Models
}

// Skipped is a node that has no time, and why.
type Skipped struct {
	Model string `json:"model"`
	Node  string `json:"node"`
	Op    string `json:"op"`
	Why   string `json:"why"`
}

// Model is what was found for one model.
type Model struct {
	Name string `json:"name"`
	// Cost is the sum of the times; nil if some are missing.
	Cost *cost.Breakdown `json:"-"`
	// Sum is the time of a run by that sum, in seconds; 0 if some are missing.
	Sum cost.Seconds `json:"sum"`
	// Measured, Analytic and Calibrated compare with the time of whole runs, if
	// EndToEnd: the sum of the times, that of the machine's formula, and that of
	// the formula fitted to the times.
	Measured   *cost.Prediction `json:"measured,omitempty"`
	Analytic   *cost.Prediction `json:"analytic,omitempty"`
	Calibrated *cost.Prediction `json:"calibrated,omitempty"`
	// Kinds compares the times of each kind of kernel by itself with those inside the
	// whole runs, the largest difference first.
	Kinds []Kind `json:"kinds,omitempty"`
	// Disturbed: Measured, Analytic and Calibrated compare with the processor
	// time of the runs, see Options.EndToEnd.
	Disturbed bool `json:"disturbed,omitempty"`
	// Run is the report of those runs.
	Run *runmodel.Report `json:"run,omitempty"`
}

// Kind is the sum over the kernels of one operator, with what is fused into it, and
// over views.
type Kind struct {
	Op    string `json:"op"` // conv2d+ewadd+relu
	Nodes int    `json:"nodes"`
	// Alone is the sum of the times in the table, Within that in the profile of
	// the runs.
	Alone  cost.Seconds `json:"alone"`
	Within cost.Seconds `json:"within"`
}

// Report is the result. On an error it holds what was done before.
type Report struct {
	Backend      string        `json:"backend"`
	Setting      cost.Setting  `json:"setting"`
	Applications []Application `json:"applications"` // by first use
	Measured     int           `json:"measured"`     // now
	Reused       int           `json:"reused"`       // from the store
	Skipped      []Skipped     `json:"skipped,omitempty"`
	// Parts are groups without a time of their own: their price is made of the
	// times of their parts.
	Parts  int       `json:"parts,omitempty"`
	Models []Model   `json:"models"`
	Fit    *cost.Fit `json:"fit,omitempty"`
	// Accuracy sums up the predictions of all models, if EndToEnd.
	Accuracy *Accuracy `json:"accuracy,omitempty"`
	// FitError is why there is no Fit although a machine was given.
	FitError string       `json:"fit_error,omitempty"`
	Elapsed  cost.Seconds `json:"elapsed"`

	table    *cost.Table
	plans    []*lower.Plan       // of each model
	sessions []*runmodel.Session // of each model, if EndToEnd
}

// Accuracy is how good the predictions are over all models, by where they come
// from, as in Model; nil for one there are none of.
type Accuracy struct {
	Measured   *cost.Accuracy `json:"measured,omitempty"`
	Analytic   *cost.Accuracy `json:"analytic,omitempty"`
	Calibrated *cost.Accuracy `json:"calibrated,omitempty"`
}

// Run measures. When the context ends, or the store fails, the report says what
// was done until then.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Backend == nil || len(o.Models) == 0 {
		return nil, errors.New("measure: no backend or no model")
	}
	for _, m := range o.Models {
		if m == nil || m.Graph == nil {
			return nil, errors.New("measure: a model without a graph")
		}
	}
	start := time.Now()
	defer o.Progress.Close()
	info := o.Backend.Info()
	r := &Report{Backend: info.String(), Setting: runmodel.SettingOf(info), table: &cost.Table{}}
	if o.Store != nil {
		r.table = &o.Store.Table
	}
	err := r.start(&o)
	if err == nil {
		err = r.measure(ctx, &o)
	}
	if err == nil && o.Machine != nil {
		obs, _ := cost.Observations(r.table, r.Setting)
		if r.Fit, err = cost.Calibrate(o.Machine, obs); err != nil {
			// Too few times to fit is a finding, not a failure to measure.
			r.FitError, err = err.Error(), nil
		}
	}
	if err == nil {
		err = r.compare(&o)
	}
	if o.EndToEnd {
		measured, analytic, calibrated := r.Predictions()
		r.Accuracy = &Accuracy{accuracy(measured), accuracy(analytic), accuracy(calibrated)}
	}
	r.Elapsed = cost.FromDuration(time.Since(start))
	if err != nil {
		return r, fmt.Errorf("measure: %w", err)
	}
	return r, nil
}

// collect lists the different applications of all models by first use, those of
// single nodes and those of groups, and what cannot be measured. What depends on
// weights only is measured too: a search must know what it costs when the weights
// are inputs.
func (r *Report) collect(o *Options) {
	at := map[cost.Key]int{}
	use := func(model int, app cost.Application, k cost.Key) {
		if i, ok := at[k]; ok {
			r.Applications[i].Uses++
			return
		}
		at[k] = len(r.Applications)
		r.Applications = append(r.Applications, Application{Key: k, Uses: 1, app: app, model: model})
	}
	for i, m := range o.Models {
		g := m.Graph
		for id := range g.Nodes() {
			op := g.Op(id)
			if op == nil {
				continue
			}
			skip := Skipped{Model: m.Name, Node: g.Name(id), Op: op.Name}
			if kind, _, ok := g.Opaque(id); ok {
				skip.Op, skip.Why = kind, "opaque: we do not know what it does"
				r.Skipped = append(r.Skipped, skip)
				continue
			}
			app := cost.At(g, id)
			k := cost.KeyOf(r.Setting, app)
			if _, ok := at[k]; !ok {
				if err := o.Backend.Supports(g, id); err != nil {
					skip.Why = err.Error()
					r.Skipped = append(r.Skipped, skip)
					continue
				}
			}
			use(i, app, k)
		}
		for _, group := range cost.Groups(r.plans[i]) {
			if group.View && !group.Once {
				use(i, cost.Dispatch(), cost.KeyOf(r.Setting, cost.Dispatch()))
			}
			root := group.Application
			root.Tail = nil
			if _, ok := at[cost.KeyOf(r.Setting, root)]; ok && len(group.Tail) > 0 {
				use(i, group.Application, cost.KeyOf(r.Setting, group.Application))
			}
		}
	}
}

func (r *Report) measure(ctx context.Context, o *Options) error {
	r.collect(o)
	passes := o.Passes
	if passes < 1 {
		passes = defaultPasses
	}
	opt := o.Measure
	if opt.Budget == 0 {
		opt.Budget = defaultBudget
	}
	opt.Budget /= time.Duration(passes)
	var todo []int // positions in r.Applications
	for i := range r.Applications {
		a := &r.Applications[i]
		if s, ok := r.table.Get(a.Key); ok && !o.Again && s.Source != cost.Modelled {
			a.Sample, a.Reused = s, true
			r.Reused++
			continue
		}
		todo = append(todo, i)
	}
	defer r.drop() // what has no time, also when interrupted
	t := &turns{r: r, o: o, opt: opt, todo: todo, samples: map[int][]cost.Sample{}, failed: map[int]bool{}}
	return t.run(ctx, passes)
}

const (
	defaultPasses = 4
	defaultRepeat = 20
	defaultBudget = 100 * time.Millisecond // of all passes; as in backends.MeasureOptions
)

// combine is the fastest of passes, with the larger of the passes' own spread
// and the one between them: what else happens on a machine only adds to a time.
func combine(ss []cost.Sample) cost.Sample {
	var times, mads []cost.Seconds
	c := cost.Sample{Source: ss[0].Source}
	for _, s := range ss {
		times, mads = append(times, s.Seconds), append(mads, s.MAD)
		c.Runs += s.Runs
		c.Source = min(c.Source, s.Source)
	}
	_, c.MAD = cost.MedianMAD(times)
	c.Seconds, c.MAD = slices.Min(times), max(c.MAD, cost.Median(mads))
	return c
}

// drop removes the applications that have no time.
func (r *Report) drop() {
	r.Applications = slices.DeleteFunc(r.Applications, func(a Application) bool { return a.Sample == cost.Sample{} })
}

func (r *Report) keep(o *Options, e cost.Entry) error {
	if o.Store != nil {
		return o.Store.Add(e)
	}
	_, err := r.table.Put(e)
	return err
}

// skip lists the first node with an application that could not be measured. A
// group has a price without.
func (r *Report) skip(o *Options, a *Application, why error) {
	if len(a.app.Tail) > 0 {
		r.Parts++
		return
	}
	for _, m := range o.Models {
		for id := range m.Graph.Nodes() {
			if m.Graph.Op(id) == a.app.Op && cost.KeyOf(r.Setting, cost.At(m.Graph, id)) == a.Key {
				r.Skipped = append(r.Skipped, Skipped{Model: m.Name, Node: m.Graph.Name(id), Op: a.Key.Op, Why: why.Error()})
				return
			}
		}
	}
}

// start lowers the models, and prepares the whole runs, if asked for.
func (r *Report) start(o *Options) error {
	if o.Repeat < 0 {
		return fmt.Errorf("%d runs of whole models", o.Repeat)
	}
	for _, m := range o.Models {
		p, err := lower.Graph(m.Graph, o.Backend.Target(), lower.Options{NoFuse: o.NoFuse})
		if err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
		r.plans = append(r.plans, p)
	}
	if !o.EndToEnd {
		return nil
	}
	for _, m := range o.Models {
		s, err := runmodel.New(runmodel.Options{
			Backend: o.Backend, Model: m, Progress: o.Progress,
			Compile: backends.CompileOptions{NoFuse: o.NoFuse},
		})
		if err != nil {
			return err
		}
		r.sessions = append(r.sessions, s)
	}
	return nil
}

// compare adds up the times of each model and compares them with its runs.
func (r *Report) compare(o *Options) error {
	for i, m := range o.Models {
		res := Model{Name: m.Name}
		measured, err := cost.GraphCost(r.plans[i], r.table.Model(r.Setting))
		if err == nil {
			res.Cost, res.Sum = measured, measured.Total
		}
		var missing *cost.MissingError
		if err != nil && !errors.As(err, &missing) {
			return err
		}
		if o.EndToEnd {
			res.Run = r.sessions[i].Report()
			if err := res.check(r.plans[i], measured, r.Fit, o); err != nil {
				return err
			}
		}
		r.Models = append(r.Models, res)
	}
	return nil
}

// formMark is between the name of a model and that of a rewritten form of it,
// as in bert+qkv.
const formMark = "+"

func accuracy(ps []*cost.Prediction) *cost.Accuracy {
	if len(ps) == 0 {
		return nil
	}
	a := cost.AccuracyOf(ps)
	return &a
}

// check compares the sums with the runs. measured is nil if times are missing.
func (res *Model) check(plan *lower.Plan, measured *cost.Breakdown, fit *cost.Fit, o *Options) (err error) {
	whole := res.Run.Calm
	res.Disturbed = res.Run.CalmCPU
	predict := func(b *cost.Breakdown) (*cost.Prediction, error) {
		p, err := cost.Predict(res.Name, b, whole)
		if of, _, form := strings.Cut(res.Name, formMark); err == nil && form {
			p.Of = of
		}
		return p, err
	}
	if measured != nil {
		if res.Measured, err = predict(measured); err != nil {
			return err
		}
		res.kinds(measured)
	}
	formula := func(machine *cost.Machine) (*cost.Prediction, error) {
		b, err := cost.GraphCost(plan, machine)
		if err != nil {
			return nil, err
		}
		return predict(b)
	}
	if o.Machine == nil {
		return nil
	}
	if res.Analytic, err = formula(o.Machine); err != nil || fit == nil {
		return err
	}
	res.Calibrated, err = formula(fit.Machine)
	return err
}

func (res *Model) kinds(b *cost.Breakdown) {
	within := map[graph.NodeID]cost.Seconds{}
	for _, n := range res.Run.Nodes {
		within[n.ID] = n.Seconds
	}
	at := map[string]int{}
	for _, n := range b.Nodes {
		if n.Once {
			continue
		}
		i, ok := at[n.Kernel()]
		if !ok {
			i = len(res.Kinds)
			at[n.Kernel()] = i
			res.Kinds = append(res.Kinds, Kind{Op: n.Kernel()})
		}
		k := &res.Kinds[i]
		k.Nodes++
		k.Alone += n.Seconds
		k.Within += within[n.ID]
	}
	slices.SortStableFunc(res.Kinds, func(a, b Kind) int {
		return cmp.Compare(math.Abs(float64(b.Alone-b.Within)), math.Abs(float64(a.Alone-a.Within)))
	})
}
