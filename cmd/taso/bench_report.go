package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench"
	"github.com/taso-go/taso/internal/atomicfile"
)

// benchReport are the flags of bench report.
type benchReport struct {
	benchFlags
	out, html, svg string
	force, check   bool
}

func newBenchReport() *cobra.Command {
	k := &benchReport{}
	c := &cobra.Command{
		Use:   "report",
		Short: "Write the records into the sections of RESULTS.md, and pages with their plots",
		Long: `Report writes every record into its section of RESULTS.md, between the markers
<!-- bench:NAME --> and <!-- /bench:NAME -->; a new section begins as two markers
with nothing between. Text outside of the markers is left as it is. A section that
was edited by hand is refused by name; --force writes what the record says. --out
writes the document to another file instead.

--html writes a page with all records and plots, one file that loads nothing, and
--svg draws the plots into a folder. --check writes nothing: the exit status is 1 if
the document is not what the records say, and sections that are older than the code
they speak of are listed.`,
		Example: `  taso bench report
  taso bench report --html results.html
  taso bench report --check`,
		Args: cobra.NoArgs,
		RunE: k.run,
	}
	k.add(c)
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write the document to `FILE`, and leave RESULTS.md as it is")
	f.StringVar(&k.html, "html", "", "write a page with all records and plots to `FILE`")
	f.StringVar(&k.svg, "svg", "", "draw the plots into the folder `DIR`")
	f.BoolVar(&k.force, "force", false, "overwrite sections that were edited by hand")
	f.BoolVar(&k.check, "check", false, "write nothing, and compare")
	f.BoolVar(&k.json, "json", false, "print the records as JSON, a list")
	return c
}

func (k *benchReport) run(c *cobra.Command, _ []string) error {
	if k.check && (k.out != "" || k.html != "" || k.svg != "" || k.force || k.json) {
		return errors.New("--check goes alone: it writes nothing")
	}
	repo, err := k.open()
	if err != nil {
		return err
	}
	if err := checkOutputs([]string{repo.Results}, output{"--out", k.out}, output{"--html", k.html}); err != nil {
		return err
	}
	records, err := bench.LoadAll(repo.Records)
	if err != nil {
		return err
	}
	text, err := repo.Render(records, nil, k.force)
	var edited *bench.Edited
	if k.check && errors.As(err, &edited) {
		return finding(err.Error())
	}
	if err != nil {
		return err
	}
	if k.check {
		return k.compare(c, repo, records, text)
	}
	if err := k.write(c, repo, records, text); err != nil {
		return err
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), ordered(records))
	}
	return nil
}

// ordered lists records by name.
func ordered(records map[string]*bench.Record) []*bench.Record {
	out := make([]*bench.Record, 0, len(records))
	for _, b := range bench.All() {
		if rec := records[b.Name]; rec != nil {
			out = append(out, rec)
		}
	}
	return out
}

// write writes the document, its pictures and the page.
func (k *benchReport) write(c *cobra.Command, repo *bench.Repository, records map[string]*bench.Record, text string) error {
	path := k.out
	if path == "" {
		path = repo.Results
		if err := bench.Draw(repo.Pictures, ordered(records)...); err != nil {
			return err
		}
	}
	if err := bench.WriteText(path, text); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", path, plural(len(records), "section"))
	if k.svg != "" {
		if err := bench.Draw(k.svg, ordered(records)...); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
		fmt.Fprintf(c.ErrOrStderr(), "wrote the plots to %s\n", k.svg)
	}
	if k.html == "" {
		return nil
	}
	if err := atomicfile.WriteFile(k.html, func(w io.Writer) error { return bench.WritePage(w, records, repo.State) }); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", k.html)
	return nil
}

// compare says what of the document is not as it should be, and what is old.
func (k *benchReport) compare(c *cobra.Command, repo *bench.Repository, records map[string]*bench.Record, text string) error {
	for _, b := range bench.All() {
		if rec := records[b.Name]; rec != nil {
			if s := repo.State(b, rec); s.Age == bench.Older {
				fmt.Fprintf(c.OutOrStdout(), "%s is %s\n", b.Name, s)
			}
		}
	}
	have, err := os.ReadFile(repo.Results)
	if err != nil {
		return err
	}
	if !slices.Equal(have, []byte(text)) {
		return finding(repo.Results + ": some sections are empty; taso bench report fills them")
	}
	return nil
}
