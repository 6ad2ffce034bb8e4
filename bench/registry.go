package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/model"
)

// Benchmark is a named run whose outcome is a record.
type Benchmark struct {
	Name string // lower-case words and digits, joined by "-"
	What string // what it measures, in one line
	// Takes is about how long a run takes: "20 s", "5 min".
	Takes string
	// Packages are the packages that it measures, as paths in the module; those that
	// they import are added. None: the record is archived.
	Packages []string
	// Models and Repeat say whether it uses these fields of Env; Default are the
	// models if none are given.
	Models  bool
	Default []string
	Repeat  bool
	// Needs are files of the folder of public data that it cannot run without.
	Needs []string
	// Run returns a record with tables, plots and notes; [Make] fills in the rest. When
	// ctx ends it returns the error of ctx.
	Run func(ctx context.Context, env *Env) (*Record, error)
}

// Past says whether the benchmark cannot be run: its record is archived.
func (b *Benchmark) Past() bool { return b.Run == nil }

// Env is what a run is given.
type Env struct {
	// Models are those named, or the benchmark's own; never empty where it heeds
	// models. Open reads one; nil: they are built-in ones, with weights of seed 1.
	Models []string
	Open   func(name string) (*model.Model, error)
	// Repeat is how often a time is taken at least; 0: as the benchmark likes.
	Repeat int
	// Workers is the number of goroutines of what is parallel; 0: one for each
	// processor.
	Workers int
	// Root is the folder of the source code, "" if there is none.
	Root string
	// Data is the folder of public rule files and the like, "" if there is none.
	Data string
	// Progress shows how far the run is; nil is silent.
	Progress *progress.Reporter
}

// model reads a model.
func (e *Env) model(name string) (*model.Model, error) {
	if e.Open != nil {
		return e.Open(name)
	}
	return models.Build(name, 1)
}

// shown is the name of a model in a table: of a file, its last part.
func shown(name string) string { return "`" + filepath.Base(name) + "`" }

var registry = map[string]*Benchmark{}

// Register adds a benchmark, from an init function. It panics where its name is
// taken or not well-formed, or where it says nothing: mistakes in the program.
func Register(b *Benchmark) {
	if err := register(registry, b); err != nil {
		panic("bench: " + err.Error())
	}
}

func register(to map[string]*Benchmark, b *Benchmark) error {
	switch {
	case !nameForm.MatchString(b.Name):
		return fmt.Errorf("benchmark %q: its name is not lower-case words joined by \"-\"", b.Name)
	case b.Name == summary:
		return fmt.Errorf("benchmark %s: the name is reserved", b.Name)
	case to[b.Name] != nil:
		return fmt.Errorf("benchmark %s: registered twice", b.Name)
	case b.What == "" || strings.Contains(b.What, "\n"):
		return fmt.Errorf("benchmark %s: its What is not one line", b.Name)
	case b.Run != nil && len(b.Packages) == 0:
		return fmt.Errorf("benchmark %s: no packages", b.Name)
	case b.Models && len(b.Default) == 0:
		return fmt.Errorf("benchmark %s: no default models", b.Name)
	}
	to[b.Name] = b
	return nil
}

// All lists the benchmarks by name.
func All() []*Benchmark {
	var out []*Benchmark
	for _, name := range sortedKeys(registry) {
		out = append(out, registry[name])
	}
	return out
}

// Find finds a benchmark by name. The error names the nearest ones.
func Find(name string) (*Benchmark, error) {
	if b := registry[name]; b != nil {
		return b, nil
	}
	hint := suggest.DidYouMean(name, sortedKeys(registry))
	if hint == "" {
		hint = "; taso bench list lists all"
	}
	return nil, fmt.Errorf("there is no benchmark %q%s", name, hint)
}

// ErrPast is the error of a run of a record of the past.
var ErrPast = errors.New("its record is archived; it cannot be run again")

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
