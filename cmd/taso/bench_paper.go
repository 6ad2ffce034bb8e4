package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench"
)

// benchPaper are the flags of bench paper.
type benchPaper struct {
	benchFlags
	list bool
}

func newBenchPaper() *cobra.Command {
	k := &benchPaper{}
	c := &cobra.Command{
		Use:   "paper NAME",
		Short: "List a paper's tables and figures with the benchmarks that cover them",
		Long: `List the results of a paper (tables, figures, claims): what the paper reports, our
figure, the benchmarks that cover it, the minutes that they took, whether our figure is
measured, recorded, modelled or counted, and whether its record is fresh or stale.
Results without a benchmark are listed as not covered. A benchmark without a record covers
nothing yet.

--list lists the papers. The entry "own" holds results of this project that no paper has.`,
		Example: `  taso bench paper --list
  taso bench paper tensat
  taso bench paper unity --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: k.run,
		ValidArgsFunction: func(_ *cobra.Command, args []string, start string) (out []string, _ cobra.ShellCompDirective) {
			papers, err := bench.Papers()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			for _, p := range papers {
				if len(args) == 0 && strings.HasPrefix(p.Name, start) {
					out = append(out, p.Name)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
	k.add(c)
	f := c.Flags()
	f.BoolVar(&k.list, "list", false, "list the papers")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

// paperItem is a result of a paper as paper prints it.
type paperItem struct {
	bench.Item
	Ours    string        `json:"ours,omitempty"`
	Basis   string        `json:"basis,omitempty"`
	Seconds float64       `json:"seconds,omitempty"` // of all its benchmarks, by their records
	Records []paperRecord `json:"records,omitempty"`
}

// paperRecord is the record of a benchmark that covers a result.
type paperRecord struct {
	Benchmark string      `json:"benchmark"`
	Seconds   float64     `json:"seconds,omitempty"`
	Commit    string      `json:"commit,omitempty"`
	State     bench.State `json:"state"`
}

// listedPaper is a paper as paper prints it.
type listedPaper struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Venue   string      `json:"venue,omitempty"`
	Covered int         `json:"covered"`
	Seconds float64     `json:"seconds"` // of all benchmarks, by their records
	Unknown []string    `json:"unknown,omitempty"`
	Items   []paperItem `json:"items"`
}

func (k *benchPaper) run(c *cobra.Command, args []string) error {
	if k.list == (len(args) == 1) {
		return errors.New("want the name of a paper, or --list")
	}
	papers, err := bench.Papers()
	if err != nil {
		return err
	}
	if !k.list {
		p, err := bench.FindPaper(args[0])
		if err != nil {
			return err
		}
		papers = []*bench.Paper{p}
	}
	repo, records, err := k.load()
	if err != nil {
		return err
	}
	out := make([]*listedPaper, len(papers))
	for i, p := range papers {
		if out[i], err = lookUp(p, repo, records); err != nil {
			return err
		}
	}
	w := c.OutOrStdout()
	switch {
	case k.json && k.list:
		return writeJSON(w, out)
	case k.json:
		return writeJSON(w, out[0])
	case k.list:
		return printPapers(w, out)
	}
	printPaper(w, papers[0], out[0])
	return nil
}

// lookUp joins a paper with the records of its benchmarks.
func lookUp(p *bench.Paper, repo *bench.Repository, records map[string]*bench.Record) (*listedPaper, error) {
	l := &listedPaper{Name: p.Name, Title: p.Title, Venue: p.Venue, Items: []paperItem{}}
	for _, name := range p.Benchmarks() {
		if rec := records[name]; rec != nil && rec.Seconds > 0 {
			l.Seconds += rec.Seconds
		} else {
			l.Unknown = append(l.Unknown, name)
		}
	}
	for _, it := range p.Items {
		x := paperItem{Item: it}
		if it.Covered() && records[it.Benchmarks[0]] != nil {
			l.Covered++
		}
		for i, name := range it.Benchmarks {
			b, err := bench.Find(name)
			if err != nil {
				return nil, err
			}
			rec := records[name]
			r := paperRecord{Benchmark: name, State: repo.State(b, rec)}
			if rec != nil {
				r.Seconds, r.Commit = rec.Seconds, rec.Commit
				x.Seconds += rec.Seconds
			}
			if i == 0 && rec != nil && it.Topic != "" {
				if x.Ours, x.Basis, err = it.Figure(rec); err != nil {
					return nil, err
				}
			}
			x.Records = append(x.Records, r)
		}
		l.Items = append(l.Items, x)
	}
	return l, nil
}

// printPapers prints the index.
func printPapers(w io.Writer, papers []*listedPaper) error {
	var rows [][]string
	items, covered := 0, 0
	for _, p := range papers {
		minutes := fmt.Sprintf("%.0f", p.Seconds/60)
		if len(p.Unknown) > 0 {
			minutes += "+"
		}
		if p.Covered == 0 {
			minutes = "–"
		}
		rows = append(rows, []string{p.Name, p.Venue, fmt.Sprint(len(p.Items)), fmt.Sprint(p.Covered), minutes})
		if p.Name != bench.Own {
			items, covered = items+len(p.Items), covered+p.Covered
		}
	}
	fmt.Fprintf(w, "%d of %s of %s covered by benchmarks\n\n", covered, plural(items, "published result"), plural(len(papers)-1, "paper"))
	if err := writeTable(w, []column{{name: "name"}, {name: "venue"}, {"results", true}, {"covered", true}, {"minutes", true}}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nminutes: of all its benchmarks by their records; +: some records have no duration")
	return err
}

// printPaper prints a paper result by result.
func printPaper(w io.Writer, p *bench.Paper, l *listedPaper) {
	name := p.Short()
	if l.Venue != "" {
		name += ", " + l.Venue
	}
	fmt.Fprintf(w, "%s: %d of %s covered", name, l.Covered, plural(len(l.Items), "result"))
	if l.Seconds > 0 {
		fmt.Fprintf(w, "; %.0f min to make again", l.Seconds/60)
	}
	if len(l.Unknown) > 0 {
		fmt.Fprintf(w, "; %s of unknown duration", plural(len(l.Unknown), "benchmark"))
	}
	fmt.Fprintf(w, "\n%s\n", l.Title)
	for _, it := range l.Items {
		fmt.Fprintf(w, "\n%s\n", it.What)
		line := func(head, text string) {
			if text != "" {
				fmt.Fprintf(w, "  %-11s%s\n", head, text)
			}
		}
		line("published", it.Published)
		line("ours", it.Ours)
		if !it.Covered() {
			line("benchmark", "not covered")
			continue
		}
		line("basis", it.Basis)
		for _, r := range it.Records {
			switch {
			case r.State.Age == bench.None:
				line("benchmark", r.Benchmark+", no record yet")
			case r.Seconds == 0:
				line("benchmark", r.Benchmark+", duration unknown, "+r.State.Mark())
			default:
				line("benchmark", fmt.Sprintf("%s, %s min, %s", r.Benchmark, minutesOf(secondsOf(r.Seconds)), r.State.Mark()))
			}
		}
	}
}

func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
