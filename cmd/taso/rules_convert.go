package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
)

// convertFlags are the flags of rules convert.
type convertFlags struct {
	src    source
	to     string
	degree int64
}

func newRulesConvert() *cobra.Command {
	k := &convertFlags{}
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a rule set to another format, also to those of other programs",
		Long: `The extension of OUT, or --to, gives the format:

  .rules             text, with certificates in a .cert file next to it
  .json              the same in one document
  .pb                TASO's protocol buffer, without certificates
  .egg               an egglog program
  .tensat            Tensat's s-expressions, rules with one output
  --to tensat-multi  the same, rules with two outputs
  --to flexflow      FlexFlow's JSON

IN is text, JSON or a protocol buffer. Rules without certificates are read with --unproved only.
The formats of TASO, Tensat and FlexFlow have no variables for strides, padding, activations and
axes, so one rule becomes several there. Rules that a format cannot hold are listed, and the exit
status is then 1. docs/rules.md has more.`,
		Example: `  taso rules convert my.rules my.json
  taso rules convert my.rules my.egg
  taso rules convert --to flexflow my.rules flexflow.json
  taso rules convert --unproved graph_subst.pb theirs.rules
  taso rules convert --from json - my.rules < my.json`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	f := c.Flags()
	f.BoolVar(&k.src.unproved, "unproved", false, "also read rules without certificates, as unknown")
	f.StringVar(&k.src.format, "from", "", "`format` of IN: rules, json or pb (default by extension)")
	f.StringVar(&k.to, "to", "", "`format` of OUT: rules, json, pb, egglog, tensat, tensat-multi, flexflow (default by extension)")
	f.Int64Var(&k.degree, "degree", 2, "FlexFlow: `number` of shards for variable degrees of parallelism")
	f.StringVar(&k.src.reading.Same, "same", "same_upper", "`meaning` of SAME padding in .pb and other formats: same_upper, same_lower or any")
	f.BoolVar(&k.src.reading.Grouped, "grouped", false, "convolutions in .pb may have groups")
	return c
}

// form is the form to be written.
func (k *convertFlags) form(out string) (string, error) {
	own := formatOf(out)
	switch to := k.to; to {
	case "":
		if to = writtenOf(out); to == "" {
			return "", fmt.Errorf("%s: unknown format; want a name that ends in .rules, .json, .pb, .egg or .tensat, or --to", out)
		}
		return to, nil
	case formatEgglog, formatTensat, formatMulti, formatFlexFlow, formatPB:
		return to, nil
	case formatText, formatJSON:
		// The name tells certificates from proofs inside when the file is read.
		if to != own {
			return "", fmt.Errorf("--to %s %s: the name must end in .%s", to, out, to)
		}
		return to, nil
	}
	return "", unknownValue("--to", k.to, []string{formatText, formatJSON, formatPB, formatEgglog, formatTensat, formatMulti, formatFlexFlow})
}

func (k *convertFlags) run(c *cobra.Command, args []string) error {
	k.src.path = args[0]
	out := args[1]
	to, err := k.form(out)
	if err != nil {
		return err
	}
	switch k.src.reading.Same {
	case "same_upper", "same_lower", taso.AnySame:
	default:
		return unknownValue("--same", k.src.reading.Same, []string{"same_upper", "same_lower", taso.AnySame})
	}
	if k.degree < 2 || k.degree > 1<<20 {
		return fmt.Errorf("--degree %d: must be 2 to %d", k.degree, 1<<20)
	}
	// Both forms of text have a certificate file beside them.
	certificates := func(path string) string {
		if formatOf(path) != formatText {
			return ""
		}
		return rules.CertPath(path)
	}
	beside := ""
	if to == formatText {
		beside = rules.CertPath(out)
	}
	if err := spare([]string{args[0], certificates(args[0])}, output{"OUT", out}, output{"OUT", beside}); err != nil {
		return err
	}
	in, err := k.src.load(c)
	if err != nil {
		return err
	}
	w := c.ErrOrStderr()
	for _, s := range in.skipped {
		fmt.Fprintf(w, "%s: left out: %s\n", c.CommandPath(), s)
	}
	if in.twice > 0 {
		fmt.Fprintf(w, "%s: %s of %s say the same as another and are left out\n", c.CommandPath(), plural(in.twice, "rule"), k.src.path)
	}
	wrote, lost := in.set.Len(), len(in.skipped)
	var done *conversion
	switch to {
	case formatPB:
		done, err = savePB(out, in.set, k.src.reading)
	case formatEgglog:
		done, err = saveEgglog(out, in.set)
	case formatFlexFlow:
		parallel := k.src.reading
		parallel.Degree = k.degree
		done, err = savePeer(out, peerForms[to], in.set, parallel)
	case formatTensat, formatMulti:
		done, err = savePeer(out, peerForms[to], in.set, k.src.reading)
	default:
		err = rules.Save(out, in.set)
	}
	if err != nil {
		return err
	}
	if done != nil {
		for _, s := range done.skips {
			fmt.Fprintf(w, "%s: left out: %s\n", c.CommandPath(), s)
		}
		wrote, lost = done.written, lost+done.lost
	}
	fmt.Fprintf(c.OutOrStdout(), "wrote %s: %s\n", out, plural(wrote, "rule"))
	if lost > 0 {
		return finding(fmt.Sprintf("%s of %s could not be converted", plural(lost, "rule"), k.src.path))
	}
	return nil
}
