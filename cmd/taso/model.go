package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// modelFlags say how a model that is named on the command line is read.
type modelFlags struct {
	shapes    []string
	constants []string
	batch     int
	seed      uint64
	defaults  bool

	cmd    *cobra.Command
	others int            // arguments that are no models
	unused map[string]int // by name in shapes: files that do not have it
	files  int            // that were read
	inputs []string       // those files, and what they refer to
	sized  int            // inputs that got the batch

	// Of commands that take models for all sizes: see addDynamic.
	allSizes   bool
	ranges     []string
	costShapes []string
	typical    bool                     // graphs are made at sizes that are typical for a run
	rangeOf    map[string]graph.SizeVar // variables of models that were read before
	fixed      error                    // why the last model was read at fixed sizes
	vars       []onnx.Variable          // dynamic sizes of the last model
}

// modelHeading is over the flags that say how a model is read.
const modelHeading = "Model flags"

// modelHelp is part of the help of every command that takes a model.
const modelHelp = `
MODEL is an ONNX file, a graph as text (NAME.graph, as taso show prints it), or a built-in model
(taso models). Dynamic dimensions need a size: --shape sequence=128. A dynamic batch is 1 unless
--batch sets it. docs/models.md has more.`

func (k *modelFlags) add(c *cobra.Command) {
	k.addSizes(c)
	c.Flags().Uint64Var(&k.seed, "seed", 1, "seed of random weights and inputs")
	under(c, modelHeading, "seed")
	c.ValidArgsFunction = completeModel
}

// addFor adds the flags of a command whose --for names a model, and whose seed is not the model's.
func (k *modelFlags) addFor(c *cobra.Command) {
	k.addSizes(c)
	k.seed = 1
	_ = c.RegisterFlagCompletionFunc("for", completeModel)
}

// addSizes adds the flags for what a model leaves open.
func (k *modelFlags) addSizes(c *cobra.Command) {
	c.Flags().StringArrayVar(&k.shapes, "shape", nil, "`NAME=SIZES`: set the shape of an input (x=1,3,224,224) or a dimension (batch=1); repeatable")
	c.Flags().IntVar(&k.batch, "batch", 0, "batch `size`, where it is dynamic")
	c.Flags().StringArrayVar(&k.constants, "constant", nil, "`NAME=VALUES`: fix an input to a value (sr=16000, training=false); repeatable")
	c.Flags().BoolVar(&k.defaults, "defaults", false, "make inputs with a default value constants")
	under(c, modelHeading, "shape", "batch", "constant", "defaults")
	k.cmd = c
}

// completeModel completes the name of a model: ONNX files and built-in ones.
func completeModel(_ *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
	return builtinWith(start), cobra.ShellCompDirectiveDefault
}

// completeBuiltin completes the name of a built-in model.
func completeBuiltin(_ *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
	return builtinWith(start), cobra.ShellCompDirectiveNoFileComp
}

// builtinWith lists the built-in models whose names start so.
func builtinWith(start string) []string {
	return slices.DeleteFunc(builtin(), func(name string) bool { return !strings.HasPrefix(name, start) })
}

// completeFlags completes the flag that names a machine, where a command has it.
func completeFlags(c *cobra.Command) {
	if c.Flags().Lookup("machine") != nil {
		_ = c.RegisterFlagCompletionFunc("machine", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return machineNames(), cobra.ShellCompDirectiveDefault
		})
	}
}

// readBeside is read, where files are written later: none that was read is among them.
func (k *modelFlags) readBeside(name string, out []output) (*model.Model, *onnx.Report, error) {
	m, rep, err := k.read(name)
	if err == nil {
		err = spare(k.inputs, out...)
	}
	return m, rep, err
}

// read reads the model of a name. The report is nil for built-in models.
func (k *modelFlags) read(name string) (*model.Model, *onnx.Report, error) {
	shapes, err := parseShapes(k.shapes)
	if err != nil {
		return nil, nil, err
	}
	constants, err := parseConstants(k.constants)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case k.batch < 0 || k.batch > graph.MaxSize || k.batch == 0 && k.cmd.Flags().Changed("batch"):
		return nil, nil, fmt.Errorf("--batch %d: must be 1 to %d", k.batch, graph.MaxSize)
	case k.batch > 0 && k.builtin(name) && !models.Batched(name) && k.fileArgs() == 0:
		return nil, nil, fmt.Errorf("--batch: the built-in model %s has a fixed batch", name)
	}
	if k.builtin(name) {
		if len(shapes) > 0 && k.fileArgs() == 0 {
			return nil, nil, fmt.Errorf("--shape: the built-in model %s has fixed shapes", name)
		}
		o := models.Options{Seed: k.seed}
		if models.Batched(name) {
			o.Batch = k.batch
		}
		n, err := models.BuildNetwork(name, o)
		if err != nil {
			return nil, nil, err
		}
		return n.Model, nil, nil
	}
	if strings.HasSuffix(name, graphSuffix) {
		if len(shapes) > 0 || len(constants) > 0 || k.batch > 0 {
			return nil, nil, fmt.Errorf("--shape, --constant, --batch: %s has fixed shapes", name)
		}
		m, err := readGraph(name, k.seed)
		if err == nil {
			k.inputs = append(k.inputs, name)
			k.files++
		}
		return m, nil, err
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(strings.ToLower(name), ".onnx") {
		return nil, nil, noModel(name)
	}
	opt := onnx.ReadOptions{Shapes: shapes, Constants: constants, Defaults: k.defaults, Batch: k.batch, Some: k.fileArgs() > 1 || k.batchedArgs() > 0}
	var m *model.Model
	var rep *onnx.Report
	if k.fixed = nil; k.allSizes {
		if m, rep, k.fixed, err = k.readDynamic(name, opt); err != nil {
			return nil, nil, err
		}
	}
	if m == nil {
		if m, rep, err = onnx.Read(name, opt); err != nil {
			if err = wayOut(err, name); k.fixed != nil {
				err = fixedBecause(err, k.fixed)
			}
			return nil, nil, err
		}
		if len(rep.Open) == 0 {
			k.fixed = nil // it has no dynamic dimensions, or all are given
		}
		if k.fixed != nil && len(k.ranges)+len(k.costShapes) > 0 {
			return nil, nil, fmt.Errorf("--range and --cost-shape are for models that are read for all sizes; %s is not: %w", name, k.fixed)
		}
	}
	k.vars = rep.Dynamic
	k.inputs = append(append(k.inputs, name), rep.Files...)
	m.Name = filepath.Base(name) // the names in files are their producers'
	k.noteBatch(m.Name, rep)
	for _, w := range rep.Warnings {
		fmt.Fprintf(k.cmd.ErrOrStderr(), "%s: warning: %s: %s\n", k.cmd.CommandPath(), m.Name, w)
	}
	return m, rep, k.countUnused(rep)
}

// noModel is the error of a name that is no file and no built-in model.
func noModel(name string) error {
	hint := suggest.DidYouMean(name, builtin())
	if hint == "" {
		hint = "; taso models lists the built-in models"
	}
	return fmt.Errorf("%s: neither a file nor a built-in model%s", name, hint)
}

// wayOut adds to the error of a file that does not say a type what adds it.
func wayOut(err error, name string) error {
	if missing := (*onnx.Untyped)(nil); !errors.As(err, &missing) {
		return err
	}
	return fmt.Errorf("%w; shape inference may add it: pip install onnx && python3 -c %q %s typed.onnx", err,
		"import onnx, sys; onnx.shape_inference.infer_shapes_path(*sys.argv[1:], data_prop=True)", strconv.Quote(name))
}

// noteBatch reports that the batch of a file is dynamic and taken to be 1.
func (k *modelFlags) noteBatch(name string, rep *onnx.Report) {
	var inputs []string
	for _, o := range rep.Open {
		if o.Assumed {
			inputs = append(inputs, fmt.Sprintf("axis %d of %s", o.Axis, o.Input))
		}
	}
	if n := len(inputs); n > 4 {
		inputs = append(inputs[:3], fmt.Sprintf("%d more", n-3))
	}
	if len(inputs) > 0 {
		fmt.Fprintf(k.cmd.ErrOrStderr(), "%s: %s: batch is dynamic (%s); assuming 1 (override with --batch)\n",
			k.cmd.CommandPath(), name, strings.Join(inputs, ", "))
	}
}

// graphSuffix ends the names of files with graphs in the text form.
const graphSuffix = ".graph"

// readGraph reads a graph in the text form. Its weights are random, those of one name and
// size the same in all graphs.
func readGraph(name string, seed uint64) (*model.Model, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	g, err := graph.ParseText(name, string(src))
	if err != nil {
		return nil, err
	}
	m := &model.Model{Name: filepath.Base(name), Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if !g.IsWeight(id) {
			continue
		}
		t := g.Type(id.Out(0))
		if t.DType != graph.Float32 {
			return nil, fmt.Errorf("%s: weight %s has type %s; random weights are float32 only", name, g.Name(id), t.DType)
		}
		h := fnv.New64a()
		h.Write([]byte(g.Name(id)))
		m.Weights[id] = model.Random(seed^h.Sum64(), t.Sizes, 1)
	}
	return m, m.Validate()
}

// fileArgs is the number of models among the arguments that are files.
func (k *modelFlags) fileArgs() int {
	n := -k.others
	for _, arg := range k.cmd.Flags().Args() {
		if !k.builtin(arg) {
			n++
		}
	}
	return n
}

// batchedArgs is the number of models among the arguments that are built in and take any
// batch.
func (k *modelFlags) batchedArgs() int {
	n := 0
	for _, arg := range k.cmd.Flags().Args() {
		if k.builtin(arg) && models.Batched(arg) {
			n++
		}
	}
	return n
}

// countUnused reports a shape or a constant that none of several files has a use for.
func (k *modelFlags) countUnused(rep *onnx.Report) error {
	if k.unused == nil {
		k.unused = map[string]int{}
	}
	k.files++
	if k.sized += rep.Batch; k.batch > 0 && k.sized == 0 && k.files == k.fileArgs() && k.batchedArgs() == 0 {
		return fmt.Errorf("--batch %d: no model has a dynamic batch", k.batch)
	}
	for _, name := range rep.Unused {
		if k.unused[name]++; k.unused[name] == k.fileArgs() && k.files == k.fileArgs() {
			return fmt.Errorf("--shape, --constant: no model has an input or dimension %q", name)
		}
	}
	return nil
}

// builtin reports whether a name is that of a built-in model, and not of a file.
func (k *modelFlags) builtin(name string) bool {
	_, err := os.Stat(name)
	return err != nil && slices.Contains(builtin(), name)
}

// newProgress draws on the terminal of a command, if it has one.
func newProgress(c *cobra.Command) *progress.Reporter {
	if c.ErrOrStderr() != io.Writer(os.Stderr) {
		return nil
	}
	return progress.New(os.Stderr, progress.Options{})
}

// builtin lists the names that models.Build knows.
func builtin() []string {
	var out []string
	for _, n := range slices.Concat(models.Names(), models.Further()) {
		out = append(out, n, n+"-tiny")
	}
	for _, v := range models.Variants("") {
		out = append(out, v.Name, v.Name+"-tiny")
	}
	return out
}

// parseShapes reads NAME=SIZE,SIZE,... .
func parseShapes(list []string) (map[string][]int, error) {
	out := map[string][]int{}
	for _, s := range list {
		name, parts, err := parseList("--shape", s, out)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil || n < 1 || n > graph.MaxSize {
				return nil, fmt.Errorf("--shape %s: %q is not a size; want a whole number, 1 or more", s, part)
			}
			out[name] = append(out[name], int(n))
		}
	}
	return out, nil
}

// parseConstants reads NAME=VALUE, a scalar, and NAME=VALUE,VALUE,... . The type is that of
// the text: integers, truth values or numbers. The reader converts it to that of the input.
func parseConstants(list []string) (map[string]*model.Weight, error) {
	out := map[string]*model.Weight{}
	for _, s := range list {
		name, parts, err := parseList("--constant", s, out)
		if err != nil {
			return nil, err
		}
		if out[name], err = constant(parts); err != nil {
			return nil, fmt.Errorf("--constant %s: %w", s, err)
		}
	}
	return out, nil
}

// constant is a list of integers, of truth values or of numbers.
func constant(parts []string) (*model.Weight, error) {
	var sizes []int
	if len(parts) > 1 {
		sizes = []int{len(parts)}
	}
kinds:
	for _, t := range []graph.DType{graph.Int64, graph.Uint64, graph.Bool, graph.Float64} {
		var raw []byte
		for _, part := range parts {
			n, x, ok := elementOf(t, part)
			if !ok {
				continue kinds
			}
			raw = model.AppendElement(raw, t, n, x)
		}
		return model.FromBytes(t, sizes, raw), nil
	}
	return nil, errors.New("want numbers, or true and false")
}

// elementOf reads an element of a type.
func elementOf(t graph.DType, text string) (n int64, x float64, ok bool) {
	var err error
	switch t {
	case graph.Int64:
		n, err = strconv.ParseInt(text, 10, 64)
	case graph.Uint64:
		var u uint64
		u, err = strconv.ParseUint(text, 10, 64)
		n = int64(u)
	case graph.Bool:
		if text == "true" {
			n = 1
		}
		return n, 0, text == "true" || text == "false"
	default:
		x, err = strconv.ParseFloat(text, 64)
	}
	return n, x, err == nil
}

// parseList reads NAME=TEXT,TEXT,... . The name must not be known.
func parseList[T any](flag, s string, known map[string]T) (name string, parts []string, err error) {
	name, text, ok := strings.Cut(s, "=")
	if !ok || name == "" || text == "" {
		return "", nil, fmt.Errorf("%s %s: want NAME=VALUE,VALUE,... such as input=1,3,224,224", flag, s)
	}
	if _, twice := known[name]; twice {
		return "", nil, fmt.Errorf("%s %s: %s is given twice", flag, s, name)
	}
	for _, part := range strings.Split(text, ",") {
		parts = append(parts, strings.TrimSpace(part))
	}
	return name, parts, nil
}

// big writes 25557032 as 25.56 M.
func big(n float64) string { return showmodel.Figure(n) }

func sizesText(sizes []int) string {
	if len(sizes) == 0 {
		return "scalar"
	}
	var parts []string
	for _, n := range sizes {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "x")
}
