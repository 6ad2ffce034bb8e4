package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/parallel"
)

// showModelFlags are the flags of show.
type showModelFlags struct {
	model                   modelFlags
	svg, dot, html          string
	backend, store, machine string
}

func newShow() *cobra.Command {
	k := &showModelFlags{}
	c := &cobra.Command{
		Use:        "show MODEL",
		SuggestFor: []string{"draw", "plot"},
		Short:      "Print a model's graph as text, or draw it",
		Long: `Without flags the graph is printed as text, which every command reads back as NAME.graph.
--html writes a page to zoom and search, with the shape, cost and time of each node; it needs no
network. Times come from the table of taso measure, or from the cost model of --machine; the page
says which. Weights, and nodes that depend on weights only, are not drawn. A graph that is
partitioned over devices (docs/parallel.md) shows shardings and collectives.
` + dynamicHelp,
		Example: `  taso show bert-tiny
  taso show model.onnx --svg model.svg
  taso show resnet50 --html resnet50.html --machine laptop`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	k.model.addDynamic(c)
	f := c.Flags()
	f.StringVar(&k.svg, "svg", "", "write a picture to `FILE.svg`")
	f.StringVar(&k.dot, "dot", "", "write the graph, with its weights, for Graphviz to `FILE.dot`")
	f.StringVar(&k.html, "html", "", "write a page to `FILE.html`")
	addBackend(c, &k.backend, "cpu", "`backend` whose times the page shows: "+forms(families()), families())
	f.StringVar(&k.store, "store", "", "`FILE` with measured times (default in the user's cache folder)")
	f.StringVar(&k.machine, "machine", "", "machine, by `name` or file, whose cost model fills in missing times")
	return c
}

func (k *showModelFlags) run(c *cobra.Command, args []string) error {
	out := []output{{"--svg", k.svg}, {"--dot", k.dot}, {"--html", k.html}}
	if err := checkOutputs([]string{args[0], k.store, k.machine}, out...); err != nil {
		return err
	}
	m, rep, err := k.model.readBeside(args[0], out)
	if err != nil {
		return err
	}
	if k.svg == "" && k.dot == "" && k.html == "" {
		if s := m.Graph.Sizing(); s != nil {
			fmt.Fprintf(c.ErrOrStderr(), "%s: the text is for %s; --shape chooses other sizes\n", c.CommandPath(), s.Made())
		}
		_, err := io.WriteString(c.OutOrStdout(), m.Graph.String())
		return err
	}
	var laid *parallel.PCG
	if parallel.LaidOut(m.Graph) {
		if laid, err = parallel.New(c.Context(), m.Graph); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		m = withGraph(m, laid.Graph)
	}
	d := showmodel.Describe(m, rep)
	if laid != nil {
		d.AddLayouts(laid)
	}
	timed := ""
	if k.html != "" {
		if timed, err = k.addTimes(c, d); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{k.svg, func(w io.Writer) error { return draw.SVG(w, d.Picture(), draw.Options{Title: m.Name}) }},
		{k.dot, func(w io.Writer) error { _, err := io.WriteString(w, d.DOT()); return err }},
		{k.html, func(w io.Writer) error { return d.WriteHTML(w, timed) }},
	} {
		if f.path == "" {
			continue
		}
		if err := atomicfile.WriteFile(f.path, f.write); err != nil {
			return err
		}
		fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", f.path)
	}
	return nil
}

// addTimes fills in times that are known, and says where they come from. A table
// that is not there has none, unless it was asked for.
func (k *showModelFlags) addTimes(c *cobra.Command, d *showmodel.Contents) (string, error) {
	var model cost.Model
	var says string
	if k.machine != "" {
		m, err := cost.FindMachine(k.machine)
		if err != nil {
			return "", err
		}
		model, says = m, "modelled for "+m.Name
	}
	times, by, err := k.times(c)
	switch {
	case err != nil:
		return "", err
	case times != nil && model != nil:
		model, says = cost.WithFallback(times, model), by+", the others "+says
	case times != nil:
		model, says = times, by
	case model == nil:
		return "", nil
	}
	d.AddTimes(model)
	return says, nil
}

// times are those of the backend, and how they came to be; nil: there are none.
func (k *showModelFlags) times(c *cobra.Command) (cost.Model, string, error) {
	path := k.store
	if path == "" {
		var err error
		if path, err = cost.DefaultPath(); err != nil {
			return nil, "", err
		}
	}
	f, err := find(families(), k.backend)
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(path); f.runs && err != nil { // a device is not opened for nothing
		if k.store != "" {
			return nil, "", fmt.Errorf("table of times %s: %w", path, err)
		}
		return nil, "", nil
	}
	b, _, err := openTimer(k.backend, c.ErrOrStderr())
	if err != nil {
		return nil, "", err
	}
	defer b.Close()
	switch b := b.(type) {
	case *analytic.Backend:
		return b.Machine(), "modelled for " + b.Machine().Name, nil
	case *recorded.Backend:
		return b.Table().Model(b.Setting()), b.Info().String(), nil
	}
	store, err := cost.OpenStore(path)
	if err != nil {
		return nil, "", err
	}
	for _, e := range store.Damaged {
		fmt.Fprintf(c.ErrOrStderr(), "%s: %v\n", c.CommandPath(), e)
	}
	return store.Model(runmodel.SettingOf(b.Info())), "measured by " + b.Info().String(), nil
}

// withGraph is the model with a graph that has its inputs in the same order.
func withGraph(m *model.Model, g *graph.Graph) *model.Model {
	if g == m.Graph {
		return m
	}
	out := *m
	out.Graph, out.Weights = g, map[graph.NodeID]*model.Weight{}
	for i, id := range m.Graph.Inputs() {
		if w, ok := m.Weights[id]; ok {
			out.Weights[g.Inputs()[i]] = w
		}
	}
	return &out
}
