package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench"
)

// benchStale are the flags of bench stale.
type benchStale struct {
	benchRun
	within time.Duration
	again  bool
}

func newBenchStale() *cobra.Command {
	k := &benchStale{}
	c := &cobra.Command{
		Use:   "stale",
		Short: "List stale records, the cheapest first, and make them again",
		Long: `List the records that are stale: the source code that they measure has changed since,
or they were recorded before source hashes. Benchmarks without a record are listed,
too. The minutes are those of the last run; the cheapest record comes first, and
records of unknown duration come last.

--within LIMIT keeps as many as fit into the limit together. --run makes them again in
this order and stops before the limit; a benchmark that takes longer than last time is
interrupted at the limit. Ctrl-C loses only the benchmark that is running.`,
		Example: `  taso bench stale
  taso bench stale --within 2h
  taso bench stale --within 2h --run`,
		Args: cobra.NoArgs,
		RunE: k.stale,
	}
	k.add(c)
	f := c.Flags()
	f.DurationVar(&k.within, "within", 0, "the cheapest that fit into `LIMIT` together, such as 2h (default no limit)")
	f.BoolVar(&k.again, "run", false, "make these records again")
	f.BoolVar(&k.json, "json", false, "print as JSON: the list, or with --run the new records")
	f.IntVar(&k.env.Workers, "workers", 0, "parallel workers (default one per processor)")
	f.StringVar(&k.env.Data, "data", os.Getenv("TASO_DATA"), "`DIR` of public rule files (default $TASO_DATA)")
	f.StringVar(&k.out, "out", "", "write records to the folder `DIR` and leave the checkout as it is")
	c.Flag("data").DefValue = ""
	return c
}

// staleRecord is a stale record as stale prints it.
type staleRecord struct {
	Name    string      `json:"name"`
	Seconds float64     `json:"seconds,omitempty"` // of the last run
	Commit  string      `json:"commit,omitempty"`
	State   bench.State `json:"state"`
}

func (k *benchStale) stale(c *cobra.Command, _ []string) error {
	switch {
	case k.within < 0:
		return fmt.Errorf("--within %s: must be positive, such as 2h", k.within)
	case k.env.Workers < 0:
		return fmt.Errorf("--workers %d: must be at least 1", k.env.Workers)
	case k.out != "" && !k.again:
		return errors.New("--out is for --run")
	}
	repo, records, err := k.load()
	if err != nil {
		return err
	}
	jobs := repo.Stale(records)
	fit := jobs[:bench.Within(jobs, k.within)]
	if k.again {
		return k.remake(c, repo, fit, len(jobs))
	}
	list := []staleRecord{}
	var rows [][]string
	var sum time.Duration
	unknown := 0
	for _, j := range fit {
		r := staleRecord{Name: j.Benchmark.Name, Seconds: j.Took.Seconds(), State: j.State}
		if j.Record != nil {
			r.Commit = j.Record.Commit
		}
		list = append(list, r)
		sum += j.Took
		if j.Took == 0 {
			unknown++
		}
		rows = append(rows, []string{r.Name, minutesOf(j.Took), r.Commit[:min(7, len(r.Commit))], j.State.String()})
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), list)
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s stale or missing, %.0f min to make again", plural(len(jobs), "record"), sum.Minutes())
	if unknown > 0 {
		fmt.Fprintf(w, " and %d of unknown duration", unknown)
	}
	if len(fit) < len(jobs) {
		fmt.Fprintf(w, " for the %d that fit into %s", len(fit), shortDuration(k.within))
	}
	fmt.Fprintln(w)
	if len(fit) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return writeTable(w, []column{{name: "name"}, {"minutes", true}, {name: "commit"}, {name: "record"}}, rows)
}

// shortDuration writes 2h0m0s as 2h.
func shortDuration(d time.Duration) string {
	s := d.String()
	if rest, ok := strings.CutSuffix(s, "m0s"); ok {
		s = rest + "m"
	}
	if rest, ok := strings.CutSuffix(s, "h0m"); ok {
		s = rest + "h"
	}
	return s
}

// minutesOf writes a duration in minutes.
func minutesOf(d time.Duration) string {
	if d == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f", d.Minutes())
}

// remake makes records again, of so many stale ones.
func (k *benchStale) remake(c *cobra.Command, repo *bench.Repository, jobs []bench.Job, all int) error {
	if len(jobs) == 0 {
		fmt.Fprintf(c.ErrOrStderr(), "nothing to run: %d of %s within the limit\n", len(jobs), plural(all, "stale record"))
		return nil
	}
	k.env.Root, k.all = repo.Tree.Root, true
	var list []*bench.Benchmark
	for _, j := range jobs {
		list = append(list, j.Benchmark)
	}
	if err := k.ready(repo, list); err != nil {
		return err
	}
	parent := c.Context()
	if k.within > 0 {
		ctx, stop := context.WithTimeout(parent, k.within)
		defer stop()
		c.SetContext(ctx)
	}
	start := time.Now()
	made := []*bench.Record{}
	var skipped []string
	stopped := ""
	var failed error
	for i, j := range jobs {
		if k.within > 0 && time.Since(start)+j.Took > k.within {
			stopped = fmt.Sprintf("stopped before %s: the limit of %s is near", j.Benchmark.Name, shortDuration(k.within))
			break
		}
		fmt.Fprintf(c.ErrOrStderr(), "%d of %d: %s, last time %s min\n", i+1, len(jobs), j.Benchmark.Name, minutesOf(j.Took))
		done, left, err := k.like(j).make(c, repo, list[i:i+1])
		made, skipped = append(made, done...), append(skipped, left...)
		if err != nil && parent.Err() == nil && errors.Is(err, context.DeadlineExceeded) && c.Context().Err() != nil {
			stopped = fmt.Sprintf("stopped in %s at the limit of %s", j.Benchmark.Name, shortDuration(k.within))
			break
		}
		if err != nil {
			failed = err
			break
		}
	}
	if k.json {
		failed = errors.Join(failed, writeJSON(c.OutOrStdout(), made))
	}
	if stopped != "" {
		fmt.Fprintln(c.ErrOrStderr(), stopped)
	}
	fmt.Fprintf(c.ErrOrStderr(), "made %s in %.1f min; %d of %s left\n", plural(len(made), "record"), time.Since(start).Minutes(), all-len(made), plural(all, "stale record"))
	switch {
	case parent.Err() != nil:
		return finding(fmt.Sprintf("interrupted: %d of %s kept", len(made), plural(len(jobs), "benchmark")))
	case failed != nil:
		return failed
	case len(skipped) > 0:
		return finding(strings.Join(skipped, "\n"))
	}
	return nil
}

// like is a run with the models and repetitions of the last one.
func (k *benchStale) like(j bench.Job) *benchRun {
	run := k.benchRun
	if j.Record == nil {
		return &run
	}
	names, repeat := j.Record.Arguments()
	if j.Benchmark.Repeat {
		run.env.Repeat = repeat
	}
	if j.Benchmark.Models && !slices.ContainsFunc(names, func(n string) bool {
		return !slices.Contains(builtin(), n) && !slices.Contains(bench.Real(), n)
	}) {
		run.env.Models = names
	}
	return &run
}
