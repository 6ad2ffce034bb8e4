package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/collector"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/audit/page"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/rules/peer"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	opt                                       audit.Options
	format                                    string
	semantics                                 []string
	html, minimal, cert, out, explain, replay string
	json, quiet                               bool
}

func newAudit() *cobra.Command {
	k := &auditFlags{}
	var readings []string
	for _, s := range audit.All {
		readings = append(readings, fmt.Sprintf("  %-15s %s", s.Name, wrapped(s.Doc, 18)))
	}
	var verdicts []string
	for _, o := range audit.Outcomes {
		verdicts = append(verdicts, fmt.Sprintf("  %-12s %s", o, wrapped(o.Doc(), 15)))
	}
	c := &cobra.Command{
		Use:   "audit FILE...",
		Short: "Check the soundness of every rule in a rule set, and find redundant rules",
		Long: `Each rule gets one verdict, about all shapes (but for up-to):

` + strings.Join(verdicts, "\n") + `

A rule left => right is sound if, wherever the left side is defined, the right side is defined and
equal. Rules written with == are checked in both directions.

FILE is a rule set of TASO (taso, taso-verifier), Tensat (tensat, tensat-multi), FlexFlow
(flexflow) or of this program (text, json); the content tells which. "-" is standard input, and
@NAME a rule set that ships with taso. These formats do not say how to pad, average, group and
broadcast. A rule is proved if it holds under all readings that apply, or those of --semantics:

` + strings.Join(readings, "\n") + `
  ` + audit.GroupsNote + `

The exit status is 0 if every rule is proved, 1 if not, 2 if a file cannot be read.
docs/auditing.md has more.`,
		Example: `  taso audit graph_subst.pb
  taso audit @bert
  taso audit --explain 12 graph_subst.pb
  taso audit --html audit.html --minimal core.rules tensat.txt
  taso audit --semantics strict --json my.rules > audit.json
  taso audit --replay audit.json`,
		RunE: k.run,
	}
	f := c.Flags()
	f.StringVar(&k.format, "format", "", "`format` of the files: "+strings.Join(peerFormats(), ", ")+" (default by content)")
	f.StringSliceVar(&k.semantics, "semantics", nil, "`NAME,NAME`: readings to check (default all)")
	f.IntVar(&k.opt.Workers, "workers", 0, "parallel workers (default one per processor)")
	f.Uint64Var(&k.opt.Seed, "seed", 1, "seed of the values that are tried as counterexamples")
	f.BoolVar(&k.opt.NoSet, "no-set", false, "do not look for duplicates and derivable rules")
	f.BoolVar(&k.opt.Quantified, "quantified", false, "also prove from the axioms, in two ways, and compare them")
	f.BoolVar(&k.json, "json", false, "print the report as JSON (a list for several files)")
	f.BoolVar(&k.quiet, "summary", false, "print the counts only")
	f.StringVar(&k.out, "out", "", "write the report as JSON to `FILE`")
	f.StringVar(&k.html, "html", "", "write a page with the graphs of each rule to `FILE`")
	f.StringVar(&k.minimal, "minimal", "", "write a subset that implies all sound rules to `FILE.rules`, with certificates")
	f.StringVar(&k.cert, "cert", "", "write all sound rules to `FILE.rules`, with certificates")
	f.StringVar(&k.explain, "explain", "", "print one rule, by `ID`, name or number, with its proof or counterexample; check no other")
	f.StringVar(&k.replay, "replay", "", "evaluate the counterexamples of a JSON report, `FILE`, again")
	return c
}

func peerFormats() []string {
	var out []string
	for _, f := range peer.Formats {
		out = append(out, string(f))
	}
	return out
}

func (k *auditFlags) run(c *cobra.Command, args []string) error {
	defer collector.Lazily(collector.Audit, 0)()
	if k.replay != "" {
		if len(args) > 0 {
			return errors.New("--replay reads only the file that it names; give no FILE")
		}
		return k.again(c)
	}
	if len(args) == 0 {
		return errors.New("no file given; usage: taso audit FILE... (- is standard input)")
	}
	for _, name := range k.semantics {
		s, err := audit.FindSemantics(name)
		if err != nil {
			return err
		}
		k.opt.Semantics = append(k.opt.Semantics, s)
	}
	if k.opt.Workers < 0 {
		return fmt.Errorf("--workers %d: must be at least 1", k.opt.Workers)
	}
	if k.minimal != "" && k.opt.NoSet {
		return errors.New("--minimal and --no-set: give only one of them")
	}
	for _, path := range []string{k.minimal, k.cert} {
		if path != "" {
			if err := setName(path); err != nil {
				return err
			}
		}
	}
	if err := checkOutputs(args, output{"--out", k.out}, output{"--html", k.html}, output{"--minimal", k.minimal},
		output{"--minimal", certOf(k.minimal)}, output{"--cert", k.cert}, output{"--cert", certOf(k.cert)}); err != nil {
		return err
	}
	var files []*peer.File
	for _, path := range args {
		f, err := readPeer(c, path, peer.Format(k.format))
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if k.explain != "" && k.out+k.html+k.minimal+k.cert == "" {
		files = named(files, k.explain)
		k.opt.NoSet = true
	}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		k.opt.Progress = progress.New(os.Stderr, progress.Options{})
	}
	reps, err := audit.Run(c.Context(), files, k.opt)
	k.opt.Progress.Close()
	stopped := err != nil && len(reps) > 0 && errors.Is(err, context.Canceled)
	if err != nil && !stopped {
		return err
	}
	if err := k.write(c, reps); err != nil {
		return err
	}
	switch {
	case k.explain != "":
		err = explainRule(c.OutOrStdout(), reps, k.explain)
	case k.json && len(args) == 1:
		err = writeJSON(c.OutOrStdout(), reps[0])
	case k.json:
		err = writeJSON(c.OutOrStdout(), reps)
	default:
		err = printAudit(c.OutOrStdout(), reps, k.quiet)
	}
	if err != nil {
		return err
	}
	if stopped {
		return finding(fmt.Sprintf("interrupted: %s of %d audited", plural(len(reps), "file"), len(files)))
	}
	rules, proved := 0, 0
	for _, rep := range reps {
		for _, r := range rep.Rules {
			if k.explain != "" && !isNamed(r.Index, r.Name, r.ID, k.explain) {
				continue
			}
			rules++
			if r.Overall() == audit.Proved {
				proved++
			}
		}
	}
	if proved < rules {
		return finding(fmt.Sprintf("%d of %s not proved as written", rules-proved, plural(rules, "rule")))
	}
	return nil
}

// readPeer reads a file of rules of anyone's, or the standard input.
func readPeer(c *cobra.Command, path string, format peer.Format) (*peer.File, error) {
	in, name, err := open(c, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, peer.MaxOwnBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return peer.Read(name, data, format)
}

// write writes the files asked for.
func (k *auditFlags) write(c *cobra.Command, reps []*audit.Report) error {
	save := func(path string, f func(io.Writer) error) error {
		if path == "" {
			return nil
		}
		if err := atomicfile.WriteFile(path, f); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", path)
		return nil
	}
	err := save(k.out, func(w io.Writer) error {
		if len(reps) == 1 {
			return writeJSON(w, reps[0])
		}
		return writeJSON(w, reps)
	})
	if err != nil {
		return err
	}
	if err := save(k.html, func(w io.Writer) error { return page.Write(w, reps) }); err != nil {
		return err
	}
	for _, x := range []struct {
		path string
		all  bool
	}{{k.minimal, false}, {k.cert, true}} {
		if x.path == "" {
			continue
		}
		set, left, err := audit.Certified(c.Context(), reps, x.all)
		if err != nil {
			return err
		}
		if err := saveSet(x.path, set); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", x.path, plural(set.Len(), "rule"))
		for _, n := range []struct {
			rules int
			why   string
		}{
			{left.Unproved, "not proved for all sizes"},
			{left.Sums, "proved by sums or order, without a certificate"},
			{left.Reverse, "proved right to left only, which is not what the rule says"},
			{left.Form, "without a proof of the canonical form"},
		} {
			if n.rules > 0 {
				fmt.Fprintf(c.ErrOrStderr(), "left out: %s %s\n", plural(n.rules, "rule"), n.why)
			}
		}
		if left.Half > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "written in one direction only: %s\n", plural(left.Half, "equation"))
		}
	}
	return nil
}

// again replays counterexamples.
func (k *auditFlags) again(c *cobra.Command) error {
	in, name, err := open(c, k.replay)
	if err != nil {
		return err
	}
	defer in.Close()
	all, err := audit.ReplayAll(in, name)
	if err != nil {
		return err
	}
	bad := 0
	var details strings.Builder
	for _, r := range all {
		if r.Err != nil {
			bad++
			fmt.Fprintf(&details, "%s: does not replay: %v\n", r.Rule, r.Err)
		} else if !k.quiet {
			fmt.Fprintf(&details, "%s: replays\n%s\n", r.Rule, indent(r.Witness.String()))
		}
	}
	fmt.Fprintf(c.OutOrStdout(), "%s, %d replay\n%s", plural(len(all), "counterexample"), len(all)-bad, details.String())
	if bad > 0 {
		return finding(fmt.Sprintf("%s: %s do not replay", name, plural(bad, "counterexample")))
	}
	return nil
}
