package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
)

// convertFlags are the flags of rules convert.
type convertFlags struct {
	src source
}

func newRulesConvert() *cobra.Command {
	k := &convertFlags{}
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a rule set between text, JSON and TASO's protocol buffer",
		Long: `Convert reads one form and writes another; the extension says which:

  .rules  the law language, certificates in .cert beside it
  .json   the same in one document
  .pb     the protocol buffer of TASO, without certificates

Text and JSON hold the same. The protocol buffer has no variables for strides,
paddings, activations and axes: a rule becomes several there. What it cannot say
is listed on the standard error; if a rule is lost, the exit status is 1. Rules without certificates are
read only with --unproved, as unknown. "-" as IN is the standard input; --from
names its form.

TASO's format does not say what SAME padding means when it is uneven; --same does.`,
		Example: `  taso rules convert my.rules my.json
  taso rules convert --unproved graph_subst.pb taso.rules
  taso rules convert --from json - my.rules < my.json`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	f := c.Flags()
	f.BoolVar(&k.src.unproved, "unproved", false, "read rules without certificates too, as unknown")
	f.StringVar(&k.src.format, "from", "", "`form` of IN: rules, json or pb (default by its extension)")
	f.StringVar(&k.src.reading.Same, "same", "same_upper", "what SAME means in a .pb: same_upper, same_lower or any")
	f.BoolVar(&k.src.reading.Grouped, "grouped", false, "convolutions of a .pb may have groups")
	return c
}

func (k *convertFlags) run(c *cobra.Command, args []string) error {
	k.src.path = args[0]
	out := args[1]
	to := formatOf(out)
	if to == "" {
		return fmt.Errorf("%s: the name must end in .rules, .json or .pb", out)
	}
	switch k.src.reading.Same {
	case "same_upper", "same_lower", taso.AnySame:
	default:
		return fmt.Errorf("--same %s: must be same_upper, same_lower or any", k.src.reading.Same)
	}
	// Both forms of text have a certificate file beside them.
	certificates := func(path string) string {
		if formatOf(path) != formatText {
			return ""
		}
		return rules.CertPath(path)
	}
	if err := spare([]string{args[0], certificates(args[0])}, output{"OUT", out}, output{"OUT", certificates(out)}); err != nil {
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
	if to == formatPB {
		pb, err := savePB(out, in.set, k.src.reading)
		if err != nil {
			return err
		}
		for _, s := range pb.skips {
			fmt.Fprintf(w, "%s: left out: %s\n", c.CommandPath(), s)
		}
		wrote, lost = pb.written, lost+pb.lost
	} else if err := rules.Save(out, in.set); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "wrote %s: %s\n", out, plural(wrote, "rule"))
	if lost > 0 {
		return finding(fmt.Sprintf("%s of %s could not be converted", plural(lost, "rule"), k.src.path))
	}
	return nil
}
