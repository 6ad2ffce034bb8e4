package bench

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/axiomcheck"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/measure"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search/saturate"
)

// column is the position of a column of a table, by name.
func columnOf(t *testing.T, tab *Table, name string) int {
	t.Helper()
	for i, c := range tab.Columns {
		if c.Name == name {
			return i
		}
	}
	t.Fatalf("no column %q", name)
	return 0
}

// number is a figure of a table.
func number(t *testing.T, tab *Table, row int, name string) float64 {
	t.Helper()
	x, ok := tab.Rows[row].Cells[columnOf(t, tab, name)].Number()
	if !ok {
		t.Fatalf("row %d has no number under %q", row, name)
	}
	return x
}

func makeOne(t *testing.T, name string, models ...string) *Record {
	t.Helper()
	b, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Make(context.Background(), b, &Env{Root: checkout(t).Tree.Root, Models: models, Repeat: 1}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// What benchmarks that take no time say is true of what they speak of.
func TestRuns(t *testing.T) {
	rec := makeOne(t, "models")
	list := models.List()
	for i, m := range list {
		if number(t, rec.Tables[0], i, "operators, ours") != float64(m.Operators) || number(t, rec.Tables[0], i, "parameters, ours") != float64(m.Learned) {
			t.Errorf("%s: %v", m.Name, rec.Tables[0].Rows[i])
		}
	}
	if len(rec.Tables[0].Rows) != len(list) {
		t.Errorf("%d rows of %d models", len(rec.Tables[0].Rows), len(list))
	}

	rec = makeOne(t, "code")
	sum, rows := 0.0, len(rec.Tables[0].Rows)
	for i := range rows - 1 {
		sum += number(t, rec.Tables[0], i, "lines")
	}
	if sum != number(t, rec.Tables[0], rows-1, "lines") || sum < 1000 {
		t.Errorf("lines: %v", rec.Tables[0].Rows)
	}

	rec = makeOne(t, "moves", "nasrnn-tiny", "bert-tiny")
	if len(rec.Tables[0].Rows) != 2 {
		t.Errorf("two models, %d rows", len(rec.Tables[0].Rows))
	}
	if all, some := number(t, rec.Tables[0], 0, "moves"), number(t, rec.Tables[0], 0, "moves that change the network"); some < 1 || some > all {
		t.Errorf("%v of %v moves change the network", some, all)
	}

	rec, err := timesOf(context.Background(), &Env{Models: []string{"nasrnn-tiny"}, Repeat: 1},
		measure.Options{Passes: 1, Measure: backends.MeasureOptions{Budget: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Tables[0].Rows) != 1 || number(t, rec.Tables[0], 0, "end to end") <= 0 || number(t, rec.Tables[0], 0, "sum of operators") <= 0 {
		t.Errorf("times: %v", rec.Tables[0].Rows)
	}
	if _, err := sums(context.Background(), &Env{Models: []string{"none"}}); err == nil {
		t.Error("a model that is not there has times")
	}
}

// Stages are those of a run of the generator.
func TestStages(t *testing.T) {
	rep := &genrules.Report{MaxOps: 2, Stages: []genrules.Stage{{Name: "lemmas", Count: 1}, {Name: "level 1: graphs", Count: 9},
		{Name: "level 2: graphs", Count: 76}, {Name: "level 2: proved", Count: 7}, {Name: "derivable", Count: 3}}}
	names, counts := levelStages(rep, 2)
	if strings.Join(names, " ") != "graphs proved" || counts["graphs"] != 76 || counts["proved"] != 7 {
		t.Errorf("%v %v", names, counts)
	}
	tab := stageTable(rep)
	var got []string
	for _, r := range tab.Rows {
		got = append(got, r.Cells[0].show(""))
	}
	if want := "lemmas, level 2: graphs, level 2: proved, derivable"; strings.Join(got, ", ") != want {
		t.Errorf("stages %v, want %s", got, want)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if _, err := generate(context.Background(), &Env{}, genrules.Options{MaxOps: 2, Memory: 1, Spill: gone}); err == nil || !strings.Contains(err.Error(), "stopped before the end") {
		t.Errorf("a run that stopped early: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := generate(ctx, &Env{}, genrules.Options{MaxOps: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was interrupted: %v", err)
	}
}

// A short search of every kind: curves begin at the model's cost, fall, and end at
// that of the result, which is the model where the plan of the whole knows better.
func TestOptimized(t *testing.T) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	b, err := analytic.New(m)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	o := optimize.Options{Cost: m, CostName: "v100", Target: b.Target(), Tries: 3000}
	rec, err := optimized(context.Background(), &Env{Models: []string{"squeezenet-tiny"}}, false, func(*model.Model) (optimize.Options, error) { return o, nil })
	if err != nil {
		t.Fatal(err)
	}
	rec.Name, rec.Date = "optimize-v100", "2026-11-22"
	if err := rec.Check(); err != nil {
		t.Fatal(err)
	}
	if len(rec.Plots) != len(optimize.Methods()) {
		t.Errorf("%d plots", len(rec.Plots))
	}
	gained := false
	for i, p := range rec.Plots {
		points := p.Curves[0].Points
		for j, q := range points[1:] {
			if q[1] > points[j][1]+1e-9 && j+2 < len(points) || q[0] < points[j][0] {
				t.Errorf("%s: %v behind %v", p.Title, q, points[j])
			}
		}
		x := number(t, rec.Tables[0], i, "speedup")
		end := points[len(points)-1][1]
		if want := 1 / (1 + x/100); points[0][1] != 1 || end > want+1e-9 || end < want-1e-9 {
			t.Errorf("%s: from %v to %v, in the table %v", p.Title, points[0], end, want)
		}
		gained = gained || x > 0
	}
	if !gained {
		t.Error("no search found anything")
	}
}

// The parts of a check of the axioms, of one law in two parts.
func TestAxiomTable(t *testing.T) {
	rep, err := axiomcheck.Run(context.Background(), axiomcheck.Options{Only: []string{"matmul_assoc"}, Workers: 1, Unbounded: axiomcheck.Sums,
		Parts: []axiomcheck.Part{axiomcheck.Bounded, axiomcheck.Unbounded}})
	if err != nil {
		t.Fatal(err)
	}
	tab := axiomTable(rep)
	if err := tab.check(); err != nil {
		t.Fatal(err)
	}
	if want := "1 axioms, 0 lemmas, 0 refuted equations; 0 findings."; tab.Title != want {
		t.Errorf("title %q, want %q", tab.Title, want)
	}
	if got := tab.Rows[1].Cells[1].show(""); got != "1 of 1" {
		t.Errorf("for all sizes: %s", got)
	}
	if got := tab.Rows[0].Cells[1].show(""); !strings.HasPrefix(got, "1 axioms and lemmas on ") {
		t.Errorf("bounded: %s", got)
	}
}

// E-graphs of a model, and what few and many nodes bring.
func TestSaturated(t *testing.T) {
	limits := nodeLimits
	t.Cleanup(func() { nodeLimits = limits })
	nodeLimits = []int{100, saturate.DefaultNodes}
	rec := makeOne(t, "egraph", "squeezenet-tiny")
	before, after := number(t, rec.Tables[0], 0, "cost before"), number(t, rec.Tables[0], 0, "cost after")
	if bound := number(t, rec.Tables[0], 0, "bound"); !(after > 0 && after < before && bound > 0 && bound < before) {
		t.Errorf("from %v to %v: %v", before, after, rec.Tables[0].Rows)
	}
	points := rec.Plots[0].Curves[0].Points
	if len(points) != 2 || points[0][0] != 100 || points[1][1] != after/before {
		t.Errorf("curve %v, table from %v to %v", points, before, after)
	}
}

// Both provers on the rules of one operator.
func TestProvers(t *testing.T) {
	rec, err := proversTo(context.Background(), &Env{Workers: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	tab := rec.Tables[0]
	if goals := number(t, tab, 1, "goals"); len(tab.Rows) != 2 || goals < 1 || number(t, tab, 1, "proved") != goals || number(t, tab, 0, "goals") != goals {
		t.Errorf("provers: %v", tab.Rows)
	}
}
