// Package bench makes the tables of RESULTS.md: each by a benchmark with a name,
// which leaves a record and a section of the document.
//
// Words:
//
//   - A [Benchmark] has a name, says what it finds out and which packages' code it
//     speaks of, and can be run. One without a Run is of the past: its record holds
//     figures of an old commit that nothing can make again.
//   - A [Record] is what a run left: tables and plots, and how they came to be:
//     commit, machine, command, date. It lies in bench/records/NAME.json.
//   - A [Column] is a quantity with a unit and a [Source]: measured by a clock here
//     and now, recorded (a clock said so elsewhere or before), modelled by a
//     formula, or counted, which is the same on every machine.
//   - A section is the part of a document between <!-- bench:NAME --> and
//     <!-- /bench:NAME -->. It holds what the record of that name renders to, and
//     nothing else: text for people stands outside.
//   - The sources of a benchmark are digests of its packages and of all they
//     import. A record is older than the code where they differ ([Repository.State]).
//
// Picture:
//
//	Benchmark.Run ──► Record ──► bench/records/NAME.json ──► section of RESULTS.md
//	                    ▲                 │      └──────────► pictures, HTML page
//	packages ──digests──┘                 └── digests differ? older than the code
//
// A further benchmark is a file with
//
//	func init() {
//		Register(&Benchmark{Name: "optimize-cpu", What: "...", Packages: []string{"search"},
//			Run: func(ctx context.Context, env *Env) (*Record, error) {
//				t := NewTable("", Label("model"), Modelled("cost", "ms").Digits(4))
//				t.Add("bert", 26.5)
//				p := NewPlot("Cost over time", Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost", Unit: "ms"})
//				p.Curve("backtracking", FromModel).Add(0.1, 26.5)
//				return &Record{Tables: []*Table{t}, Plots: []*Plot{p}}, nil
//			}})
//	}
//
// its record, and the two markers in RESULTS.md. Run is handed an [Env] with the
// models named, repetitions, workers, the folder of public rule files, and progress.
package bench
