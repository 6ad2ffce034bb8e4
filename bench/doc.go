// Package bench holds the benchmarks of the repository, their records, and the tables made
// from the records.
//
// A [Benchmark] has a name, names the packages that it measures, and can be run. A run
// leaves a [Record] in bench/records/NAME.json: tables and plots, with commit, machine,
// command, duration, and hashes of the source code. A benchmark without a Run has an
// archived record of an old commit.
//
// Every figure has a [Source]: measured by a clock in this run, recorded (measured before or
// elsewhere, or published), modelled by a formula, or counted.
//
// A record is stale when the source hashes of its benchmark's packages have changed since
// ([Repository.State], [Repository.Stale]).
//
//	Benchmark.Run ──► Record ──► bench/records/NAME.json ──► results/TOPIC.md, HISTORY.md
//	                    ▲                 │       └─────────► plots, HTML page
//	packages ──hashes───┘                 └─ papers.json ──► RESULTS.md
//
// Documents hold sections between <!-- bench:NAME --> and <!-- /bench:NAME -->, which the
// program fills from the record of that name; text outside the markers is written by hand
// and holds no numbers. The section "summary" of RESULTS.md has a row for each item of the
// index papers.json that a benchmark covers: a table or figure of a paper, or a result of
// our own ([Papers]).
//
// To add a benchmark, write a file with
//
//	func init() {
//		Register(&Benchmark{Name: "optimize-cpu", What: "...", Takes: "20 min", Packages: []string{"search"},
//			Run: func(ctx context.Context, env *Env) (*Record, error) {
//				t := NewTable("", Label("model"), Modelled("cost", "ms").Digits(4))
//				t.Add("bert", 26.5)
//				p := NewPlot("Cost over time", Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost", Unit: "ms"})
//				p.Curve("backtracking", FromModel).Add(0.1, 26.5)
//				return &Record{Tables: []*Table{t}, Plots: []*Plot{p}}, nil
//			}})
//	}
//
// the two markers in a document of results/, and an item in papers.json that names the
// benchmark. An item with a topic needs a function in the map figures, which writes the figure
// of the row. Run gets an [Env] with models, repetitions, workers, the folder of public rule
// files, and a progress reporter.
package bench
