package bench_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/taso-go/taso/bench"
)

// A benchmark's Run, and what becomes of its record.
func ExampleMake() {
	b := &bench.Benchmark{Name: "squares", What: "squares of small numbers", Packages: []string{"graph"},
		Run: func(ctx context.Context, env *bench.Env) (*bench.Record, error) {
			t := bench.NewTable("", bench.Counted("n"), bench.Counted("its square"))
			for n := 1; n <= 3; n++ {
				t.Add(n, n*n)
			}
			return &bench.Record{Tables: []*bench.Table{t}}, nil
		}}
	rec, err := bench.Make(context.Background(), b, &bench.Env{}, "taso bench run squares")
	if err != nil {
		fmt.Println(err)
		return
	}
	rec.Date, rec.Machine = "2026-11-22", "a machine"
	fmt.Print(rec.Markdown(""))
	// Output:
	// | n | its square |
	// |---:|---:|
	// | 1 | 1 |
	// | 2 | 4 |
	// | 3 | 9 |
	//
	// *`taso bench run squares`, 2026-11-22, a machine. Counted: n; its square.*
}

// Sections of a document are filled; the text around them stays.
func ExampleFill() {
	text := "Sizes:\n\n<!-- bench:sizes -->\n<!-- /bench:sizes -->\n\nThey grew.\n"
	filled, err := bench.Fill("RESULTS.md", text, map[string]string{"sizes": "| 1 | 2 |"}, nil, false)
	fmt.Print(filled, err, "\n")
	edited := strings.Replace(filled, "2", "3", 1)
	_, err = bench.Fill("RESULTS.md", edited, map[string]string{"sizes": "| 1 | 2 |"}, nil, false)
	fmt.Println(err)
	// Output:
	// Sizes:
	//
	// <!-- bench:sizes -->
	//
	// | 1 | 2 |
	//
	// <!-- /bench:sizes -->
	//
	// They grew.
	// <nil>
	// RESULTS.md:3: section "sizes" is not what its record says: was it edited by hand?
}

func ExamplePlot_SVG() {
	p := bench.NewPlot("Cost over time", bench.Axis{Name: "time", Unit: "s", Log: true}, bench.Axis{Name: "cost", Unit: "ms"})
	c := p.Curve("backtracking", bench.FromModel)
	c.Steps = true
	c.Add(0.1, 26.5)
	c.Add(2, 20)
	var svg strings.Builder
	if err := p.SVG(&svg, false); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(svg.String(), "backtracking (modelled)"))
	// Output: true
}

func ExampleFind() {
	b, err := bench.Find("models")
	fmt.Println(b.What, err)
	_, err = bench.Find("model")
	fmt.Println(err)
	// Output:
	// operators, work and parameters of the papers' models, beside those of their sources <nil>
	// there is no benchmark "model": did you mean models?
}

func ExampleAll() {
	fmt.Println(slices.ContainsFunc(bench.All(), func(b *bench.Benchmark) bool { return b.Name == "growth" }))
	// Output: true
}

// Whether a record is older than the code of a checkout.
func ExampleRepository_State() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			fmt.Println(err)
		}
	}
	write("go.mod", "module example.org/m\n")
	write("m.go", "package m\n")
	state := func(rec *bench.Record) (*bench.Record, bench.State) {
		r, err := bench.OpenRepository(dir)
		if err != nil {
			fmt.Println(err)
			return nil, bench.State{}
		}
		b := &bench.Benchmark{Name: "m", What: "m", Packages: []string{"."}, Run: func(context.Context, *bench.Env) (*bench.Record, error) { return nil, nil }}
		if rec == nil {
			digests, err := r.Tree.Digests(b.Packages)
			if err != nil {
				fmt.Println(err)
			}
			rec = &bench.Record{Sources: digests}
		}
		return rec, r.State(b, rec)
	}
	rec, s := state(nil)
	fmt.Println(s)
	write("m.go", "package m // changed\n")
	_, s = state(rec)
	fmt.Println(s)
	// Output:
	// fresh
	// older: .
}
