package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// SettingOf is the setting that the times of a backend belong to: its device
// with the number of threads, its kernels and libraries with their versions,
// and its arithmetic.
func SettingOf(i backends.Info) cost.Setting {
	s := cost.Setting{Device: i.Hardware(), Library: i.Name + " " + i.Version, Math: i.Math}
	for _, l := range i.Libraries {
		s.Library += ", " + l
	}
	return s
}

// Backend is a [backends.Backend] over the times of one setting in a table.
type Backend struct {
	t *cost.Table
	s cost.Setting
}

var _ backends.Backend = (*Backend)(nil)

// New is the backend of a table's times of one setting.
func New(t *cost.Table, s cost.Setting) *Backend { return &Backend{t, s} }

// ErrSettings is the error of a table of which not exactly one setting fits.
var ErrSettings = errors.New("want one")

// Open reads a table from a file and takes the setting whose text contains
// device; "" takes any. Exactly one setting must fit, but of settings that differ in
// the arithmetic alone the one without a mode is taken. damaged are the lines of the
// file that could not be used.
func Open(path, device string) (b *Backend, damaged []*cost.Damage, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("recorded times: %w", err)
	}
	defer f.Close()
	t := &cost.Table{}
	if damaged, err = cost.ReadTable(path, f, t); err != nil {
		return nil, damaged, err
	}
	var fit []cost.Setting
	var all []string
	for _, c := range t.Settings() {
		all = append(all, c.Setting.String())
		if strings.Contains(c.Setting.String(), device) {
			fit = append(fit, c.Setting)
		}
	}
	if s, ok := exact(fit); ok {
		fit = []cost.Setting{s}
	}
	if len(fit) != 1 {
		return nil, damaged, fmt.Errorf("recorded times %s: %d settings fit device %q, %w; the file has:\n  %s",
			path, len(fit), device, ErrSettings, strings.Join(all, "\n  "))
	}
	return New(t, fit[0]), damaged, nil
}

// exact is the one without a mode, of settings that differ in the arithmetic alone.
func exact(list []cost.Setting) (cost.Setting, bool) {
	if len(list) == 0 {
		return cost.Setting{}, false
	}
	want := list[0]
	want.Math = ""
	for _, s := range list {
		if s.Math = ""; s != want {
			return cost.Setting{}, false
		}
	}
	return want, slices.Contains(list, want)
}

// Setting is the setting whose times are replayed.
func (b *Backend) Setting() cost.Setting { return b.s }

// Info names the device and the library that were measured.
func (b *Backend) Info() backends.Info {
	return backends.Info{Name: "recorded", Device: b.s.Device, Version: "1", Libraries: []string{b.s.Library}, Math: b.s.Math}
}

// Supports is nil for a node whose application is in the table.
func (b *Backend) Supports(g *graph.Graph, id graph.NodeID) error {
	op := g.Op(id)
	un := &backends.Unsupported{Backend: "recorded", Node: g.Name(id), Op: "input", Why: "it is no operator"}
	if op == nil {
		return un
	}
	un.Op = op.Name
	if kind, _, ok := g.Opaque(id); ok {
		un.Op, un.Why = kind, "it is opaque"
		return un
	}
	k := cost.KeyOf(b.s, cost.At(g, id))
	if _, ok := b.t.Get(k); !ok {
		un.Why = (&cost.MissingError{Key: k}).Error()
		return un
	}
	return nil
}

// Compile always fails with [backends.ErrNoRun].
func (b *Backend) Compile(context.Context, *model.Model, backends.CompileOptions) (backends.Plan, error) {
	return nil, fmt.Errorf("recorded times of %s: %w", b.s.Device, backends.ErrNoRun)
}

// Target is that of the backend whose times they are: its name begins the setting's
// library, see [SettingOf].
func (b *Backend) Target() *lower.Target {
	if name, _, _ := strings.Cut(b.s.Library, " "); name == lower.CUDA().Name {
		return lower.CUDA()
	}
	return lower.CPU()
}

// Measure is the recorded time of exactly this application, with source
// Recorded unless it was modelled already when it was recorded. An application
// that is not in the table is a *cost.MissingError. The options do not matter.
func (b *Backend) Measure(ctx context.Context, a cost.Application, _ backends.MeasureOptions) (cost.Sample, error) {
	if err := ctx.Err(); err != nil {
		return cost.Sample{}, err
	}
	if a.Op == nil || len(a.Attrs) != len(a.Op.Params) {
		return cost.Sample{}, &backends.Unsupported{Backend: "recorded", Op: "input", Why: "it is no operator with its attributes"}
	}
	k := cost.KeyOf(b.s, a)
	s, ok := b.t.Get(k)
	if !ok {
		return cost.Sample{}, &cost.MissingError{Key: k}
	}
	if s.Source == cost.Measured {
		s.Source = cost.Recorded
	}
	return s, nil
}

// Close does nothing.
func (b *Backend) Close() error { return nil }

// Table is the recording.
func (b *Backend) Table() *cost.Table { return b.t }
