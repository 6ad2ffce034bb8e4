package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// benchFlags are the flags that commands of bench share.
type benchFlags struct {
	root string
	json bool
}

func newBench() *cobra.Command {
	return group("bench", "Make the tables of RESULTS.md, each by a benchmark with a name",
		`  taso bench list
  taso bench run models funnel
  taso bench report --html results.html`,
		newBenchList(), newBenchRun(), newBenchReport())
}

func (k *benchFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&k.root, "root", "", "`DIR` of the checkout (default that of the working folder)")
}

// open opens the checkout.
func (k *benchFlags) open() (*bench.Repository, error) {
	root := k.root
	if root == "" {
		var err error
		if root, err = bench.FindRoot("."); err != nil {
			return nil, fmt.Errorf("%w; --root names one", err)
		}
	}
	return bench.OpenRepository(root)
}

// benchNames completes names of benchmarks that can be run.
func benchNames(_ *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, b := range bench.All() {
		if !b.Past() && strings.HasPrefix(b.Name, start) && !slices.Contains(args, b.Name) {
			out = append(out, b.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func newBenchList() *cobra.Command {
	k := &benchFlags{}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the benchmarks, with the dates of their records and whether the code has changed since",
		Long: `List prints a line for each benchmark: what it finds out, about how long it takes,
and of its record the date, the commit, and how it stands to the code:

  fresh  the code that it speaks of is the same
  older  it is not; the packages that changed are named
  dated  figures of an old commit, which nothing can make again
  none   there is no record yet`,
		Example: `  taso bench list
  taso bench list --json`,
		Args: cobra.NoArgs,
		RunE: k.list,
	}
	k.add(c)
	c.Flags().BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

// listed is a benchmark as list prints it.
type listed struct {
	Name    string      `json:"name"`
	What    string      `json:"what"`
	Takes   string      `json:"takes,omitempty"`
	State   bench.State `json:"state"`
	Date    string      `json:"date,omitempty"`
	Commit  string      `json:"commit,omitempty"`
	Machine string      `json:"machine,omitempty"`
	Command string      `json:"command,omitempty"`
}

func (k *benchFlags) list(c *cobra.Command, _ []string) error {
	repo, err := k.open()
	if err != nil {
		return err
	}
	records, err := bench.LoadAll(repo.Records)
	if err != nil {
		return err
	}
	var list []listed
	var rows [][]string
	for _, b := range bench.All() {
		rec := records[b.Name]
		l := listed{Name: b.Name, What: b.What, Takes: b.Takes, State: repo.State(b, rec)}
		if rec != nil {
			l.Date, l.Commit, l.Machine, l.Command = rec.Date, rec.Commit, rec.Machine, rec.Command
		}
		list = append(list, l)
		rows = append(rows, []string{l.Name, l.What, l.Takes, l.Date, l.Commit[:min(7, len(l.Commit))], l.Machine, l.State.String()})
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), list)
	}
	return writeTable(c.OutOrStdout(), []column{{name: "name"}, {name: "what it finds out"}, {name: "takes"}, {name: "date"},
		{name: "commit"}, {name: "machine"}, {name: "record"}}, rows)
}

// benchRun are the flags of bench run.
type benchRun struct {
	benchFlags
	env               bench.Env
	models, out       string
	shapes, constants []string
	defaults          bool
	all               bool
}

func newBenchRun() *cobra.Command {
	k := &benchRun{}
	c := &cobra.Command{
		Use:   "run NAME...",
		Short: "Run benchmarks, keep their records, and write their sections of RESULTS.md",
		Long: `Run runs the benchmarks named, or with --all every one. Each finished one leaves
its record in bench/records, its plots in bench/pictures and its section in
RESULTS.md, so that Ctrl-C loses only the one that is running. With --out DIR the
records go there instead, and the checkout is left as it is.

Figures are of the code that runs: a program that is older than the code of the
checkout is refused. Benchmarks that need public files (rule sets of others) find
them in the folder --data; with --all those without their files are left out, and
the exit status is 1.`,
		Example: `  taso bench run models
  taso bench run funnel growth
  taso bench run sums --models squeezenet,bert --repeat 24
  taso bench run onnxruntime-times --models face.onnx,det.onnx --shape x=1,3,640,640
  taso bench run models --out folder --json`,
		RunE:              k.run,
		ValidArgsFunction: benchNames,
	}
	k.add(c)
	f := c.Flags()
	f.BoolVar(&k.json, "json", false, "print the records as JSON, a list")
	f.BoolVar(&k.all, "all", false, "run all benchmarks")
	f.StringVar(&k.models, "models", "", "`NAMES` of built-in models and of ONNX files, parted by commas, of benchmarks that take models")
	f.StringArrayVar(&k.shapes, "shape", nil, "`NAME=SIZES` of an input of these files whose sizes are open; may be repeated")
	f.BoolVar(&k.defaults, "defaults", false, "inputs of these files to which a file gives a default are constants")
	f.StringArrayVar(&k.constants, "constant", nil, "`NAME=NUMBERS`: an input of these files that always has this value; may be repeated")
	f.IntVar(&k.env.Repeat, "repeat", 0, "how often times are taken, of benchmarks that take times (default theirs)")
	f.IntVar(&k.env.Workers, "workers", 0, "parallel workers (default one a processor)")
	f.StringVar(&k.env.Data, "data", os.Getenv("TASO_DATA"), "`DIR` of public rule files (default the environment's TASO_DATA)")
	f.StringVar(&k.out, "out", "", "write records to the folder `DIR`, and nothing else")
	c.Flag("data").DefValue = ""
	return c
}

// chosen are the benchmarks to run.
func (k *benchRun) chosen(names []string) ([]*bench.Benchmark, error) {
	switch {
	case k.all && len(names) > 0:
		return nil, errors.New("--all goes without names")
	case !k.all && len(names) == 0:
		return nil, errors.New("name benchmarks (taso bench list), or say --all")
	}
	var out []*bench.Benchmark
	if k.all {
		for _, b := range bench.All() {
			if !b.Past() {
				out = append(out, b)
			}
		}
		return out, nil
	}
	for i, n := range names {
		b, err := bench.Find(n)
		if err != nil {
			return nil, err
		}
		if b.Past() {
			return nil, fmt.Errorf("benchmark %s: %w", n, bench.ErrPast)
		}
		if slices.Contains(names[:i], n) {
			return nil, fmt.Errorf("benchmark %s is named twice", n)
		}
		out = append(out, b)
	}
	return out, nil
}

// settings checks the flags that some benchmarks take and others do not.
func (k *benchRun) settings(c *cobra.Command, list []*bench.Benchmark) error {
	if k.env.Workers < 0 {
		return fmt.Errorf("--workers %d: must be at least 1", k.env.Workers)
	}
	if c.Flags().Changed("repeat") && k.env.Repeat < 1 {
		return fmt.Errorf("--repeat %d: must be at least 1", k.env.Repeat)
	}
	if err := k.openModels(); err != nil {
		return err
	}
	for _, b := range list {
		if k.models != "" && !b.Models && !k.all {
			return fmt.Errorf("--models: benchmark %s takes none", b.Name)
		}
		if k.env.Repeat > 0 && !b.Repeat && !k.all {
			return fmt.Errorf("--repeat: benchmark %s takes none", b.Name)
		}
	}
	return nil
}

// openModels checks the models named, and says how one is read.
func (k *benchRun) openModels() error {
	shapes, err := parseShapes(k.shapes)
	if err != nil {
		return err
	}
	constants, err := parseConstants(k.constants)
	if err != nil {
		return err
	}
	files := 0
	if k.models != "" {
		for n := range strings.SplitSeq(k.models, ",") {
			n = strings.TrimSpace(n)
			if _, err := os.Stat(n); err == nil {
				files++
			} else if !slices.Contains(builtin(), n) && !slices.Contains(bench.Real(), n) {
				return fmt.Errorf("--models: %q is neither a file nor a built-in model (taso models lists these), nor one of %s", n, strings.Join(bench.Real(), ", "))
			}
			k.env.Models = append(k.env.Models, n)
		}
	}
	if files == 0 && len(shapes)+len(constants) > 0 {
		return errors.New("--shape, --constant: which file of --models are they for?")
	}
	k.env.Open = func(name string) (*model.Model, error) {
		if _, err := os.Stat(name); err != nil {
			return models.Build(name, 1)
		}
		m, _, err := onnx.Read(name, onnx.ReadOptions{Shapes: shapes, Constants: constants, Defaults: k.defaults, Some: true})
		if err == nil {
			m.Name = filepath.Base(name) // the names in files are their producers'
		}
		return m, err
	}
	return nil
}

// command is what makes a benchmark's record.
func (k *benchRun) command(b *bench.Benchmark) string {
	line := "taso bench run " + b.Name
	if b.Models && len(k.env.Models) > 0 {
		var names []string
		for _, n := range k.env.Models {
			names = append(names, filepath.Base(n)) // where they lie is nobody's business
		}
		line += " --models " + strings.Join(names, ",")
		for _, s := range k.shapes {
			line += " --shape " + s
		}
		for _, s := range k.constants {
			line += " --constant " + s
		}
	}
	if b.Repeat && k.env.Repeat > 0 {
		line += " --repeat " + strconv.Itoa(k.env.Repeat)
	}
	return line
}

func (k *benchRun) run(c *cobra.Command, names []string) error {
	list, err := k.chosen(names)
	if err != nil {
		return err
	}
	if err := k.settings(c, list); err != nil {
		return err
	}
	repo, err := k.open()
	if err != nil {
		return err
	}
	k.env.Root = repo.Tree.Root
	if err := k.ready(repo, list); err != nil {
		return err
	}
	done, left, err := k.make(c, repo, list)
	if k.json {
		if done == nil {
			done = []*bench.Record{}
		}
		err = errors.Join(err, writeJSON(c.OutOrStdout(), done))
	}
	switch {
	case c.Context().Err() != nil:
		return finding(fmt.Sprintf("interrupted: %d of %s kept", len(done), plural(len(list), "benchmark")))
	case err != nil:
		return err
	case len(left) > 0:
		return finding(strings.Join(left, "\n"))
	}
	return nil
}

// ready reports what would keep records from being written, before hours of work.
func (k *benchRun) ready(repo *bench.Repository, list []*bench.Benchmark) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for _, b := range list {
		if err := repo.Outdated(program, b); err != nil {
			return err
		}
		if k.out == "" {
			if err := repo.Ready(b); err != nil {
				return err
			}
		}
	}
	if k.out == "" {
		return nil
	}
	if err := os.MkdirAll(k.out, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", k.out, err)
	}
	return checkOutputs(nil, output{"--out", filepath.Join(k.out, list[0].Name+".json")})
}

// make runs the benchmarks one after the other; left says which were left out.
func (k *benchRun) make(c *cobra.Command, repo *bench.Repository, list []*bench.Benchmark) (done []*bench.Record, left []string, err error) {
	w := c.OutOrStdout()
	for _, b := range list {
		env := k.env
		env.Progress = newProgress(c)
		rec, err := bench.Make(c.Context(), b, &env, k.command(b))
		env.Progress.Close()
		var missing *bench.Missing
		if k.all && errors.As(err, &missing) {
			left = append(left, "left out: "+missing.Error())
			continue
		}
		if err != nil {
			return done, left, err
		}
		where := repo.Records
		if k.out != "" {
			where = k.out
			err = rec.Save(k.out)
		} else {
			err = repo.Put(rec)
		}
		if err != nil {
			return done, left, err
		}
		done = append(done, rec)
		if !k.json {
			if err := printRecord(c, rec); err != nil {
				return done, left, err
			}
			fmt.Fprintf(w, "wrote %s\n", filepath.Join(where, rec.Name+".json"))
		}
	}
	return done, left, nil
}

// printRecord prints the tables of a record.
func printRecord(c *cobra.Command, rec *bench.Record) error {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s, %s s, %s s of processor time\n", rec.Name, seconds(rec.Seconds), seconds(rec.CPUSeconds))
	for _, t := range rec.Tables {
		head, rows, numbers := t.Grid()
		cols := make([]column, len(head))
		for i := range head {
			cols[i] = column{head[i], numbers[i]}
		}
		fmt.Fprintln(w)
		if t.Title != "" {
			fmt.Fprintln(w, t.Title)
		}
		if err := writeTable(w, cols, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return nil
}
