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
	return group("bench", "Run benchmarks and write the tables of RESULTS.md and results/",
		`  taso bench list
  taso bench paper unity
  taso bench run models funnel
  taso bench stale --within 2h --run
  taso bench report --html results.html`,
		newBenchList(), newBenchPaper(), newBenchRun(), newBenchStale(), newBenchReport())
}

func (k *benchFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&k.root, "root", "", "`DIR` of the checkout (default: the one around this folder)")
}

// open opens the checkout.
func (k *benchFlags) open() (*bench.Repository, error) {
	root := k.root
	if root == "" {
		var err error
		if root, err = bench.FindRoot("."); err != nil {
			return nil, fmt.Errorf("%w; name one with --root", err)
		}
	}
	return bench.OpenRepository(root)
}

// load opens the checkout and reads its records.
func (k *benchFlags) load() (*bench.Repository, map[string]*bench.Record, error) {
	repo, err := k.open()
	if err != nil {
		return nil, nil, err
	}
	records, err := bench.LoadAll(repo.Records)
	return repo, records, err
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
		Short: "List the benchmarks, the minutes they take, and which records are stale",
		Long: `List the benchmarks: what each one measures, the minutes that its last run took, and
the state of its record:

  fresh     the source code that it measures has not changed since
  stale     it has changed, or the record was made before source hashes
  archived  a record of an old commit that no benchmark makes again
  none      there is no record yet

The packages that changed are in taso bench stale and in the JSON, with dates, commits,
commands and papers.`,
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
	Seconds float64     `json:"seconds,omitempty"` // of the last run
	Papers  []string    `json:"papers"`
}

func (k *benchFlags) list(c *cobra.Command, _ []string) error {
	repo, records, err := k.load()
	if err != nil {
		return err
	}
	var list []listed
	var rows [][]string
	count := map[string]int{}
	for _, b := range bench.All() {
		rec := records[b.Name]
		l := listed{Name: b.Name, What: b.What, Takes: b.Takes, State: repo.State(b, rec)}
		if l.Papers, err = bench.PapersOf(b.Name); err != nil {
			return err
		}
		minutes := "–"
		if rec != nil {
			l.Date, l.Commit, l.Machine, l.Command, l.Seconds = rec.Date, rec.Commit, rec.Machine, rec.Command, rec.Seconds
		}
		if rec != nil && !b.Past() {
			minutes = minutesOf(secondsOf(rec.Seconds))
		}
		list = append(list, l)
		rows = append(rows, []string{l.Name, l.What, minutes, l.State.Mark()})
		count[l.State.Mark()]++
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), list)
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s; records: %d fresh, %d stale, %d archived, %d missing\n\n", plural(len(list), "benchmark"), count["fresh"], count["stale"], count["archived"], count["none"])
	return writeTable(w, []column{{name: "name"}, {name: "measures"}, {"minutes", true}, {name: "record"}}, rows)
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
		Short: "Run benchmarks and write their records and tables",
		Long: `Run the named benchmarks, or all of them with --all. Each finished benchmark writes its
record to bench/records, its plots to bench/pictures and its tables to results/ and
RESULTS.md. Ctrl-C loses only the benchmark that is running. --out DIR writes records
there and leaves the checkout as it is.

The program must be newer than the source code that a benchmark measures. Public rule
files are read from --data. With --all, benchmarks whose files are missing are skipped,
and the exit status is 1.`,
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
	f.StringVar(&k.models, "models", "", "`NAMES` of built-in models and ONNX files, separated by commas")
	f.StringArrayVar(&k.shapes, "shape", nil, "`NAME=SIZES` of an input with dynamic dimensions; may be repeated")
	f.BoolVar(&k.defaults, "defaults", false, "treat inputs with a default value as constants")
	f.StringArrayVar(&k.constants, "constant", nil, "`NAME=NUMBERS`: treat an input as a constant; may be repeated")
	f.IntVar(&k.env.Repeat, "repeat", 0, "timing rounds (default: the benchmark's own)")
	f.IntVar(&k.env.Workers, "workers", 0, "parallel workers (default one per processor)")
	f.StringVar(&k.env.Data, "data", os.Getenv("TASO_DATA"), "`DIR` of public rule files (default $TASO_DATA)")
	f.StringVar(&k.out, "out", "", "write records to the folder `DIR` and leave the checkout as it is")
	c.Flag("data").DefValue = ""
	return c
}

// chosen are the benchmarks to run.
func (k *benchRun) chosen(names []string) ([]*bench.Benchmark, error) {
	switch {
	case k.all && len(names) > 0:
		return nil, errors.New("--all takes no names")
	case !k.all && len(names) == 0:
		return nil, errors.New("want names of benchmarks (see taso bench list), or --all")
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
			return nil, fmt.Errorf("benchmark %s is given twice", n)
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
			return fmt.Errorf("--models: benchmark %s takes no models", b.Name)
		}
		if k.env.Repeat > 0 && !b.Repeat && !k.all {
			return fmt.Errorf("--repeat: benchmark %s measures no times", b.Name)
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
				return fmt.Errorf("--models: %q is neither a file nor a built-in model (see taso models) nor one of %s", n, strings.Join(bench.Real(), ", "))
			}
			k.env.Models = append(k.env.Models, n)
		}
	}
	if files == 0 && len(shapes)+len(constants) > 0 {
		return errors.New("--shape and --constant need an ONNX file in --models")
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
			names = append(names, filepath.Base(n)) // without folders
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
			left = append(left, "skipped: "+missing.Error())
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
	fmt.Fprintf(w, "%s: %s s, %s CPU s\n", rec.Name, seconds(rec.Seconds), seconds(rec.CPUSeconds))
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
