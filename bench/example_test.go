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
	// RESULTS.md:3: section "sizes" is not what its record says: was it edited by hand? (taso bench report --force writes the record)
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
	// operators, work and parameters of the models vs published <nil>
	// there is no benchmark "model"; did you mean models?
}

func ExampleAll() {
	fmt.Println(slices.ContainsFunc(bench.All(), func(b *bench.Benchmark) bool { return b.Name == "growth" }))
	// Output: true
}

// Whether a record is stale: older than the code of a checkout.
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
	// stale: .
}

// A record of a file, and one with a number without a source.
func ExampleReadRecord() {
	const text = `{"name": "sizes", "date": "2026-11-22", "machine": "a machine", "command": "wc",
		"tables": [{"columns": [{"name": "file"}, {"name": "bytes", "source": "counted"}], "rows": [{"cells": ["a", 4.10]}]}]}`
	rec, err := bench.ReadRecord("sizes.json", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := rec.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	_, err = bench.ReadRecord("sizes.json", []byte(strings.Replace(text, `, "source": "counted"`, "", 1)))
	fmt.Println(err)
	// Output:
	// {
	//  "name": "sizes",
	//  "date": "2026-11-22",
	//  "commit": "",
	//  "machine": "a machine",
	//  "command": "wc",
	//  "tables": [{"columns":[{"name":"file"},{"name":"bytes","source":"counted"}],"rows":[{"cells":["a",4.10]}]}]
	// }
	// sizes.json: record "sizes": table 1: row 1, column "bytes": a number without a source
}

func ExampleSections() {
	sections, err := bench.Sections("RESULTS.md", "Sizes:\n<!-- bench:sizes -->\n\n| 1 |\n\n<!-- /bench:sizes -->\n")
	fmt.Println(sections[0].Name, sections[0].Line, sections[0].Body, err)
	_, err = bench.Sections("RESULTS.md", "Sizes:\n<!-- bench:sizes -->\n")
	fmt.Println(err)
	// Output:
	// sizes 2 | 1 | <nil>
	// RESULTS.md:2: section "sizes" has no end: want <!-- /bench:sizes -->
}

// The records of this checkout, with their ages, as one page.
func ExampleWritePage() {
	root, err := bench.FindRoot(".")
	if err != nil {
		fmt.Println(err)
		return
	}
	repo, err := bench.OpenRepository(root)
	if err != nil {
		fmt.Println(err)
		return
	}
	records, err := bench.LoadAll(repo.Records)
	if err != nil {
		fmt.Println(err)
		return
	}
	var page strings.Builder
	if err := bench.WritePage(&page, records, repo.State); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(page.String(), `<section id="growth">`), strings.Contains(page.String(), "<svg"))
	// Output: true true
}

// What a benchmark of package internal/progress speaks of: it imports no other.
func ExampleTree_Digests() {
	root, err := bench.FindRoot(".")
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := bench.OpenTree(root)
	if err != nil {
		fmt.Println(err)
		return
	}
	digests, err := tree.Digests([]string{"internal/progress"})
	fmt.Println(len(digests), len(digests["internal/progress"]), err)
	// Output: 1 16 <nil>
}

// A column of words may hold anything; numbers are shown as the column says.
func ExampleNewTable() {
	t := bench.NewTable("", bench.Label("model"), bench.Measured("time", "ms").Digits(3), bench.Modelled("error", "%").Decimals(1).Signed())
	t.Add("bert", 26.543, 3.21)
	t.Add("vgg19", 1215.9, nil)
	head, rows, _ := t.Grid()
	fmt.Println(head)
	for _, r := range rows {
		fmt.Println(r)
	}
	// Output:
	// [model time, ms error, %]
	// [bert 26.5 +3.2]
	// [vgg19 1,216 –]
}

func ExampleReal() {
	fmt.Println(bench.Real()[:2])
	// Output: [blazeface-front blazeface-back]
}

// The index from papers to benchmarks.
func ExampleFindPaper() {
	p, err := bench.FindPaper("tensat")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %s: %s\n", p.Short(), p.Venue, p.Items[0].What)
	_, err = bench.FindPaper("flex")
	fmt.Println(err)
	// Output:
	// Tensat, MLSys 2021: Table 1: speedup and optimizer time, T4
	// no paper "flex" in the index; did you mean flexflow?
}
