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
		Short: "Convert a rule set to another form, also to those of other programs",
		Long: `Convert reads one form and writes another; the extension says which:

  .rules  the law language, certificates in .cert beside it
  .json   the same in one document
  .pb     the protocol buffer of TASO, without certificates

and these are written only; --to names those that no extension does:

  .egg    a program of egglog: each direction of a rule is a rewrite, what the
          rule is given stands under :when
  .tensat Tensat's s-expressions, rules with one output
  --to tensat-multi
          the same, rules with two outputs: each is two lines
  --to flexflow
          the JSON of FlexFlow's substitutions

Text and JSON hold the same. The protocol buffer, Tensat and FlexFlow have no
variables for strides, paddings, activations and axes: a rule becomes several there.
egglog has them, but no variable for a number of axes. FlexFlow's degrees of parallelism
are numbers: --degree is the one for variables. What a form cannot say
is listed on the standard error; if a rule is lost, the exit status is 1. Rules without certificates are
read only with --unproved, as unknown. "-" as IN is the standard input; --from
names its form.

TASO's format does not say what SAME padding means when it is uneven; --same does.`,
		Example: `  taso rules convert my.rules my.json
  taso rules convert my.rules my.egg
  taso rules convert my.rules my.tensat
  taso rules convert --to flexflow my.rules my.json
  taso rules convert --to flexflow --degree 4 parallel.rules my.json
  taso rules convert --unproved graph_subst.pb taso.rules
  taso rules convert --from json - my.rules < my.json`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	f := c.Flags()
	f.BoolVar(&k.src.unproved, "unproved", false, "read rules without certificates too, as unknown")
	f.StringVar(&k.src.format, "from", "", "`form` of IN: rules, json or pb (default by its extension)")
	f.StringVar(&k.to, "to", "", "`form` of OUT: rules, json, pb, egglog, tensat, tensat-multi or flexflow (default by its extension)")
	f.Int64Var(&k.degree, "degree", 2, "`number` of parts for degrees of parallelism that are variables, in FlexFlow's form")
	f.StringVar(&k.src.reading.Same, "same", "same_upper", "what SAME means in a .pb and in other programs: same_upper, same_lower or any")
	f.BoolVar(&k.src.reading.Grouped, "grouped", false, "convolutions of a .pb may have groups")
	return c
}

// form is the form to be written.
func (k *convertFlags) form(out string) (string, error) {
	own := formatOf(out)
	switch to := k.to; to {
	case "":
		if to = writtenOf(out); to == "" {
			return "", fmt.Errorf("%s: the name must end in .rules, .json, .pb, .egg or .tensat, or --to say the form", out)
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
	return "", fmt.Errorf("--to %s: must be rules, json, pb, egglog, tensat, tensat-multi or flexflow", k.to)
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
		return fmt.Errorf("--same %s: must be same_upper, same_lower or any", k.src.reading.Same)
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
