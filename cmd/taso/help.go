package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taso-go/taso/internal/suggest"
)

// exitHelp ends the help text of the program.
const exitHelp = `Exit status:
  0  success
  1  the command did its work and found something to look at: a rule that is not proved, models
     that differ, a rejected certificate; or it was interrupted
  2  it could not do its work: wrong usage, or an input that cannot be read
`

// help prints the help text of a command: what it does, how to use it, examples, flags.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	if c.HasParent() {
		fmt.Fprintf(w, "%s.\n\n", strings.TrimSuffix(c.Short, "."))
	}
	if long := strings.TrimSpace(c.Long); long != "" {
		fmt.Fprintf(w, "%s\n\n", long)
	}
	writeUsage(w, c)
	if !c.HasParent() {
		fmt.Fprintf(w, "\n%s", exitHelp)
	}
}

// usage prints what help does from the usage line on.
func usage(c *cobra.Command) error {
	writeUsage(c.OutOrStderr(), c)
	return nil
}

func writeUsage(w io.Writer, c *cobra.Command) {
	call := c.UseLine()
	if c.HasAvailableSubCommands() {
		call = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", call)
	writeCommands(w, c)
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	writeFlags(w, c)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\"%s COMMAND --help\" explains a command.\n", c.CommandPath())
	}
}

// writeCommands lists the subcommands, under the headings of their groups.
func writeCommands(w io.Writer, c *cobra.Command) {
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		first := true
		for _, sub := range c.Commands() {
			if sub.GroupID != g.ID || !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			if first {
				fmt.Fprintf(w, "\n%s\n", g.Title)
				first = false
			}
			fmt.Fprintf(w, "  %-*s %s\n", sub.NamePadding(), sub.Name(), wrapped(sub.Short, sub.NamePadding()+3))
		}
	}
}

// flagHeading is the key of the annotation of a flag that names its heading in help texts.
const flagHeading = "taso_heading"

// under puts flags of a command under a heading of its help text.
func under(c *cobra.Command, heading string, flags ...string) {
	for _, name := range flags {
		_ = c.Flags().SetAnnotation(name, flagHeading, []string{heading})
	}
}

// placeholder is the value of a flag whose placeholder is not a part of its description.
type placeholder struct {
	pflag.Value
	name string
}

func (p placeholder) Type() string { return p.name }

// described is a flag as help texts list it. A description "`NAME`: what it does" gives the
// placeholder first.
func described(f *pflag.Flag) *pflag.Flag {
	name, what, ok := strings.Cut(strings.TrimPrefix(f.Usage, "`"), "`: ")
	if !ok || !strings.HasPrefix(f.Usage, "`") {
		return f
	}
	g := *f
	g.Usage, g.Value = what, placeholder{f.Value, name}
	if f.DefValue == "[]" {
		g.DefValue = ""
	}
	return &g
}

// writeFlags lists the flags, those without a heading first.
func writeFlags(w io.Writer, c *cobra.Command) {
	sets := map[string]*pflag.FlagSet{}
	var headings []string
	add := func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		heading := "Flags"
		if h := f.Annotations[flagHeading]; len(h) > 0 {
			heading = h[0]
		}
		if sets[heading] == nil {
			sets[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
			headings = append(headings, heading)
		}
		sets[heading].AddFlag(described(f))
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	slices.SortStableFunc(headings, func(a, b string) int {
		last := map[string]int{"Flags": -1, modelHeading: 1}
		return cmp.Or(cmp.Compare(last[a], last[b]), cmp.Compare(a, b))
	})
	for _, h := range headings {
		if sets[h].HasAvailableFlags() {
			fmt.Fprintf(w, "\n%s:\n%s", h, sets[h].FlagUsagesWrapped(screenWidth))
		}
	}
}

// flagError explains an error of the command line's flags.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		what, _ := pflag.UnquoteUsage(described(f))
		return fmt.Errorf("--%s has no value; want --%s %s", f.Name, f.Name, what)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if want, ok := wanted[f.Value.Type()]; ok {
			return fmt.Errorf("--%s %s: want %s", f.Name, invalid.GetValue(), want)
		}
		return fmt.Errorf("--%s: %w", f.Name, errors.Unwrap(invalid))
	}
	return err
}

// wanted says which values a type of flags takes.
var wanted = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"int64":    "a whole number",
	"uint64":   "a whole number, 0 or more",
	"float64":  "a number",
	"duration": "a duration such as 90s, 5m or 1h30m",
}

// unknownFlag suggests the nearest flags, also for -out in place of --out.
func unknownFlag(c *cobra.Command, err *pflag.NotExistError) error {
	flag, name := "--"+err.GetSpecifiedName(), err.GetSpecifiedName()
	if short := err.GetSpecifiedShortnames(); short != "" {
		flag, name = "-"+short, strings.SplitN(short, "=", 2)[0]
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	near := suggest.Nearest(name, names)
	if len(near) == 0 {
		return fmt.Errorf("unknown flag %s; %s --help lists the flags", flag, c.CommandPath())
	}
	return fmt.Errorf("unknown flag %s; did you mean --%s?", flag, strings.Join(near, " or --"))
}

// exclusive makes it an error to give more than one of these flags.
func exclusive(c *cobra.Command, flags ...string) {
	c.MarkFlagsMutuallyExclusive(flags...)
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if before != nil {
			if err := before(c, args); err != nil {
				return err
			}
		}
		var given []string
		for _, name := range flags {
			if c.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return fmt.Errorf("%s: give only one of them", strings.Join(given, " and "))
		}
		return nil
	}
}

// unknownValue is the error of a flag whose value is none of the names that it takes.
func unknownValue(flag, value string, known []string) error {
	return fmt.Errorf("%s %s: unknown name%s", flag, value, suggest.OneOf(value, known))
}
