package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
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
		Short: "Write the records to RESULTS.md, results/ and an HTML page",
		Long: `Write every record into its section of results/ or HISTORY.md, between the markers
<!-- bench:NAME --> and <!-- /bench:NAME -->, and the summary of RESULTS.md. Text outside
the markers is kept. A section that was edited by hand is an error; --force overwrites
it. To add a section, write its two markers with nothing between them.

--out DIR writes the documents there and leaves the checkout as it is. --html writes one
self-contained page with all records and plots, and --svg the plots. --check writes
nothing: it lists stale records, and the exit status is 1 if a document differs from the
records.`,
		Example: `  taso bench report
  taso bench report --html results.html
  taso bench report --check`,
		Args: cobra.NoArgs,
		RunE: k.run,
	}
	k.add(c)
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write the documents to the folder `DIR` and leave the checkout as it is")
	f.StringVar(&k.html, "html", "", "write a page with all records and plots to `FILE`")
	f.StringVar(&k.svg, "svg", "", "write the plots to the folder `DIR`")
	f.BoolVar(&k.force, "force", false, "overwrite sections edited by hand")
	f.BoolVar(&k.check, "check", false, "write nothing; compare the documents with the records")
	f.BoolVar(&k.json, "json", false, "print the records as JSON, a list")
	return c
}

func (k *benchReport) run(c *cobra.Command, _ []string) error {
	if k.check && (k.out != "" || k.html != "" || k.svg != "" || k.force || k.json) {
		return errors.New("--check writes nothing and takes no other flag")
	}
	repo, err := k.open()
	if err != nil {
		return err
	}
	if err := checkOutputs([]string{repo.Results}, output{"--html", k.html}); err != nil {
		return err
	}
	records, err := bench.LoadAll(repo.Records)
	if err != nil {
		return err
	}
	texts, err := repo.Render(records, nil, k.force)
	var edited *bench.Edited
	if k.check && errors.As(err, &edited) {
		return finding(err.Error())
	}
	if err != nil {
		return err
	}
	if k.check {
		return k.compare(c, repo, records, texts)
	}
	if err := k.write(c, repo, records, texts); err != nil {
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

// write writes the documents, their pictures and the page.
func (k *benchReport) write(c *cobra.Command, repo *bench.Repository, records map[string]*bench.Record, texts map[string]string) error {
	pictures := repo.Pictures
	if k.out != "" {
		pictures = filepath.Join(k.out, "bench", "pictures") // where the documents look for them
	}
	if err := bench.Draw(pictures, ordered(records)...); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		to := path
		if k.out != "" {
			name, err := filepath.Rel(repo.Tree.Root, path)
			if err != nil {
				return err
			}
			to = filepath.Join(k.out, name)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return fmt.Errorf("--out %s: %w", k.out, err)
			}
		}
		if err := bench.WriteText(to, texts[path]); err != nil {
			return err
		}
	}
	where := repo.Tree.Root
	if k.out != "" {
		where = k.out
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s of %s to %s\n", plural(len(records), "section"), plural(len(texts), "document"), where)
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

// compare lists stale records and reports documents that differ from the records.
func (k *benchReport) compare(c *cobra.Command, repo *bench.Repository, records map[string]*bench.Record, texts map[string]string) error {
	for _, b := range bench.All() {
		if rec := records[b.Name]; rec != nil {
			if s := repo.State(b, rec); s.Age == bench.Older {
				fmt.Fprintf(c.OutOrStdout(), "%s is %s\n", b.Name, s)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		have, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if string(have) != texts[path] {
			return finding(path + ": out of date; run taso bench report")
		}
	}
	return nil
}
