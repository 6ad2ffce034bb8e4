package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/axiomcheck"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/bounded"
)

// axiomsCheck are the flags of axioms check.
type axiomsCheck struct {
	opt   axiomcheck.Options
	parts map[axiomcheck.Part]*bool
	file  string
	json  bool
}

var partHelp = map[axiomcheck.Part]string{
	axiomcheck.Bounded:     "check on small shapes, for all real values",
	axiomcheck.Unbounded:   "prove for all shapes",
	axiomcheck.Redundancy:  "derive axioms from the others, and the lemmas",
	axiomcheck.Refutes:     "find counterexamples to the refuted equations",
	axiomcheck.Mutants:     "change each law in one place and refute the result",
	axiomcheck.Consistency: "search for unequal tensors that become equal",
}

func newAxiomsCheck() *cobra.Command {
	k := &axiomsCheck{parts: map[axiomcheck.Part]*bool{}}
	c := &cobra.Command{
		Use:   "check [NAME...]",
		Short: "Check that the axioms are sound, consistent and not redundant",
		Long: `Six independent checks; without a flag all of them run, for all laws or those named:

  --bounded      evaluates each law symbolically on small shapes: sizes 1 to 4, strides 1 and 2,
                 all paddings; entries are polynomials, so it holds for all real values
  --unbounded    proves each law for all shapes from operator semantics
  --redundancy   derives axioms from the other axioms, and every lemma
  --refutes      replays a counterexample of each refuted equation
  --mutants      changes each law in one place, and refutes the result if it is false
  --consistency  searches for unequal tensors that the laws make equal, in an e-graph and with Z3

--file checks your own laws; proofs may use those of the program too. --checkpoint keeps finished
work, and the same command continues. The exit status is 1 if there is a finding.`,
		Example: `  taso axioms check
  taso axioms check --bounded --mutants matmul_assoc conv_relu
  taso axioms check --file my.axioms --checkpoint my.state
  taso axioms check --bounded --instances 20000 --json > axioms.json`,
		RunE: k.run,
	}
	f := c.Flags()
	for _, p := range axiomcheck.Parts {
		k.parts[p] = f.Bool(string(p), false, partHelp[p])
	}
	f.StringVar(&k.file, "file", "", "check the laws in `FILE`, or - for standard input")
	f.IntVar(&k.opt.Instances, "instances", 0, "largest number of instances of a law in --bounded (default 4000)")
	f.IntVar(&k.opt.Workers, "workers", 0, "parallel workers (default one per processor)")
	f.StringVar(&k.opt.Checkpoint, "checkpoint", "", "keep finished work in `FILE`, and continue from there")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *axiomsCheck) run(c *cobra.Command, args []string) error {
	if k.opt.Workers < 0 {
		return fmt.Errorf("--workers %d: must be at least 1", k.opt.Workers)
	}
	if k.opt.Instances < 0 {
		return fmt.Errorf("--instances %d: must be at least 1", k.opt.Instances)
	}
	for _, p := range axiomcheck.Parts {
		if *k.parts[p] {
			k.opt.Parts = append(k.opt.Parts, p)
		}
	}
	if k.file != "" {
		laws, err := readAxioms(c, k.file)
		if err != nil {
			return err
		}
		k.opt.Laws = laws
	}
	if len(args) > 0 {
		k.opt.Only = args
	}
	k.opt.Unbounded = axiomcheck.Sums
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		k.opt.Progress = progress.New(os.Stderr, progress.Options{})
	}
	rep, err := axiomcheck.Run(c.Context(), k.opt)
	k.opt.Progress.Close()
	if err != nil {
		return err
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), rep)
	} else {
		err = printAxiomsCheck(c.OutOrStdout(), rep)
	}
	switch {
	case err != nil:
		return err
	case rep.Stopped != "":
		return finding("stopped before the end: " + rep.Stopped)
	case len(rep.Findings) > 0:
		return finding(plural(len(rep.Findings), "finding"))
	}
	return nil
}

func readAxioms(c *cobra.Command, path string) ([]*law.Law, error) {
	in, name, err := open(c, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	laws, err := law.Parse(name, text)
	if err == nil && len(laws) == 0 {
		err = errors.New(name + ": no laws")
	}
	return laws, err
}

// printAxiomsCheck prints what was found, the sums, and a line for each law.
func printAxiomsCheck(w io.Writer, rep *axiomcheck.Report) error {
	has := func(p axiomcheck.Part) bool { return slices.Contains(rep.Parts, p) }
	s := rep.Summary
	fmt.Fprintf(w, "%s in %s, %s, %s; %s s, %s CPU s\n", plural(len(rep.Findings), "finding"), plural(s.Axioms, "axiom"),
		plural(s.Lemmas, "lemma"), plural(s.Refutes, "refuted equation"), seconds(rep.Seconds), seconds(rep.CPUSeconds))
	for _, f := range rep.Findings {
		fmt.Fprintf(w, "finding: %s\n", f)
	}
	fmt.Fprintln(w)
	printAxiomSums(w, rep, has)
	if has(axiomcheck.Bounded) || has(axiomcheck.Unbounded) {
		if err := printTruth(w, rep, has); err != nil {
			return err
		}
	}
	if has(axiomcheck.Mutants) || has(axiomcheck.Redundancy) {
		return printNeed(w, rep, has)
	}
	return nil
}

// printTruth prints for each law how its truth was checked.
func printTruth(w io.Writer, rep *axiomcheck.Report, has func(axiomcheck.Part) bool) error {
	cols := []column{{"law", false}, {"kind", false}}
	if has(axiomcheck.Bounded) {
		cols = append(cols, column{"instances", true}, column{"symbolic", true}, column{"undefined", true}, column{"scope", false})
	}
	if has(axiomcheck.Unbounded) {
		cols = append(cols, column{"all sizes", false})
	}
	var rows [][]string
	for _, l := range rep.Laws {
		row := []string{l.Name, l.Kind}
		if has(axiomcheck.Bounded) {
			row = append(row, boundedCells(l.Bounded)...)
		}
		if has(axiomcheck.Unbounded) {
			cell := "not done"
			if u := l.Unbounded; u != nil {
				cell = u.Status
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return writeTable(w, cols, rows)
}

// boundedCells say on how many instances a law was checked, and what they cover.
func boundedCells(b *bounded.Result) []string {
	if b == nil {
		return []string{"", "", "", "not done"}
	}
	scope := "complete"
	switch {
	case b.Failure != "":
		scope = "false"
	case !b.Complete:
		scope = fmt.Sprintf("%d of %d pairs", b.Covered, b.Pairs)
	}
	return []string{count(b.Instances), count(b.Symbolic), count(b.Undefined), scope}
}

// printNeed prints for each law what became of its mutants, and whether others imply it.
func printNeed(w io.Writer, rep *axiomcheck.Report, has func(axiomcheck.Part) bool) error {
	cols := []column{{"law", false}}
	if has(axiomcheck.Mutants) {
		cols = append(cols, column{"mutants", true}, column{"killed", true}, column{"true", true})
	}
	if has(axiomcheck.Redundancy) {
		cols = append(cols, column{"follows from", false})
	}
	var rows [][]string
	for _, l := range rep.Laws {
		row := []string{l.Name}
		if has(axiomcheck.Mutants) {
			cells := []string{"", "", ""}
			if m := l.Mutants; m != nil {
				cells = []string{count(m.Made), count(m.Killed()), count(m.True())}
			}
			row = append(row, cells...)
		}
		if has(axiomcheck.Redundancy) {
			cell := "not done"
			if d := l.Redundancy; d != nil {
				cell = strings.Join(d.From, " ")
				if !d.Derivable {
					cell = "-"
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return writeTable(w, cols, rows)
}

func printAxiomSums(w io.Writer, rep *axiomcheck.Report, has func(axiomcheck.Part) bool) {
	s := rep.Summary
	if has(axiomcheck.Bounded) {
		fmt.Fprintf(w, "bounded: %s, %s symbolic, %d tested only, %s undefined on both sides; %s s\n  complete scope: %d of %s\n",
			plural(s.Instances, "instance"), count(s.Symbolic), s.Tested, count(s.Undefined), seconds(s.BoundedSecs), s.Complete, plural(s.Axioms+s.Lemmas, "law"))
	}
	if has(axiomcheck.Unbounded) {
		fmt.Fprintf(w, "unbounded: %d of %s proved for all sizes; %s s\n", s.ProvedAll, plural(s.Axioms+s.Lemmas, "law"), seconds(s.UnboundedSec))
	}
	if has(axiomcheck.Redundancy) {
		fmt.Fprintf(w, "redundancy: %s derivable from the other axioms, %d of them together; %s s\n", plural(s.Derivable, "axiom"), len(rep.Spare), seconds(s.DeriveSecs))
	}
	if has(axiomcheck.Refutes) {
		fmt.Fprintf(w, "refutes: %d of %d with a counterexample that replays\n", s.Witnesses, s.Refutes)
	}
	if has(axiomcheck.Mutants) {
		fmt.Fprintf(w, "mutants: %s made, %s killed, %d true; %s s\n", count(s.MutantsMade), count(s.MutantsDead), s.MutantsTrue, seconds(s.MutantsSecs))
	}
	if c := rep.Consistency; c != nil {
		writeLines(w, "consistency: %s of unequal terms, %d become equal in an e-graph of %s; Z3 proves %d of %d equal; %s s",
			plural(c.Pairs, "pair"), c.Merged, plural(c.Nodes, "node"), c.Z3Proved, c.Z3Pairs, seconds(c.Seconds))
	}
	if len(rep.Spare) > 0 {
		writeLines(w, "axioms that can be left out together: %s", strings.Join(rep.Spare, " "))
	}
}
