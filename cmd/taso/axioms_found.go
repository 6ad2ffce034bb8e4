package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/found"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/law"
)

// axiomsFound are the flags of axioms found.
type axiomsFound struct {
	workers int
	json    bool
	all     bool
}

func newAxiomsFound() *cobra.Command {
	k := &axiomsFound{}
	c := &cobra.Command{
		Use:   "found RULES...",
		Short: "Report which axioms and lemmas generated rules state or imply",
		Long: `Each axiom and lemma is looked up in files of generated rules. It is found if a rule states it, or
if it is an instance of one. It is implied if an e-graph derives it from these rules alone, without
axioms, and the checker accepts the proof. Else it is missing, and the reason is printed.

"Missing" means not derived within the limits of the search.`,
		Example: `  taso axioms found default.rules
  taso axioms found --all @default @bert @cnn
  taso axioms found --json my.rules > found.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: k.run,
	}
	f := c.Flags()
	f.IntVar(&k.workers, "workers", 0, "parallel workers (default one per processor)")
	f.BoolVar(&k.all, "all", false, "also print the laws that are found or implied")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	exclusive(c, "all", "json")
	return c
}

func (k *axiomsFound) run(c *cobra.Command, args []string) error {
	if k.workers < 0 {
		return fmt.Errorf("--workers %d: must be at least 1", k.workers)
	}
	var sources []found.Source
	for _, path := range args {
		in, err := (&source{path: path}).load(c)
		if err != nil {
			return err
		}
		sources = append(sources, found.Source{Name: path, Set: in.set})
	}
	goals := slices.DeleteFunc(axioms.Default(), func(l *law.Law) bool { return l.Kind == law.Refute })
	opt := found.Options{Workers: k.workers}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		bar := progress.New(os.Stderr, progress.Options{})
		defer bar.Close()
		stage := bar.Stage("laws", int64(len(goals)))
		defer stage.Done()
		opt.Step = func() { stage.Add(1) }
	}
	r, err := found.Laws(c.Context(), goals, sources, opt)
	if err != nil {
		return err
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), r)
	}
	return k.print(c.OutOrStdout(), r)
}

func (k *axiomsFound) print(w io.Writer, r *found.Report) error {
	fmt.Fprintf(w, "%s axioms and lemmas: %d found, %d implied, %d missing\n\n", count(len(r.Laws)),
		r.Total.Found, r.Total.Implied, r.Total.Missing)
	var rows [][]string
	for _, f := range r.Files {
		rows = append(rows, []string{f.File, count(f.Laws), count(f.Found), count(f.Implied), count(f.Missing)})
	}
	if err := writeTable(w, []column{{"file", false}, {"laws", true}, {"found", true}, {"implied", true}, {"missing", true}}, rows); err != nil {
		return err
	}
	rows = nil
	for _, s := range r.Sources {
		rows = append(rows, []string{s.Name, count(s.Rules), count(s.Found)})
	}
	fmt.Fprintln(w)
	if err := writeTable(w, []column{{"rules of", false}, {"rules", true}, {"laws found first", true}}, rows); err != nil {
		return err
	}
	rows = nil
	for _, s := range r.Reasons {
		rows = append(rows, []string{string(s.Reason), count(s.Laws)})
	}
	if len(rows) > 0 {
		fmt.Fprintln(w)
		if err := writeTable(w, []column{{"reason", false}, {"missing", true}}, rows); err != nil {
			return err
		}
	}
	rows = nil
	for _, l := range r.Laws {
		if l.Outcome != found.Missing && !k.all {
			continue
		}
		rows = append(rows, []string{l.Name, string(l.Outcome), foundBy(l)})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return writeTable(w, []column{{"law", false}, {"outcome", false}, {"rule, or reason", false}}, rows)
}

// foundBy is the rule or the rules that make a law needless, or why there are none.
func foundBy(l found.Law) string {
	switch l.Outcome {
	case found.Found:
		return fmt.Sprintf("%s in %s, %s", l.Rule, l.In, plural(l.Level, "operator"))
	case found.Implied:
		return strings.Join(l.From, " ")
	}
	out := string(l.Reason)
	if l.Detail != "" {
		out += ": " + l.Detail
	}
	if l.Nearest != "" {
		out += " (" + l.Nearest + ")"
	}
	return out
}
