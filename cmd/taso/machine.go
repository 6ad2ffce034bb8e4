package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/parallel/machine"
)

// machineFlags are the flags of the commands on clusters.
type machineFlags struct {
	nodes string
	json  bool
}

func newMachine() *cobra.Command {
	return group("machine", "Describe clusters: devices, links, memory, cost of collectives", `  taso machine show
  taso machine show summit:32
  taso machine check my.yaml`, newMachineShow(), newMachineCheck())
}

const machineHelp = `
MACHINE is a built-in cluster, or a YAML file (a name with a "."). NAME:32 has 32 nodes, NAME:8x4 is
a torus of that shape. "go doc github.com/taso-go/taso/parallel/machine" lists the fields.
`

func (k *machineFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&k.nodes, "nodes", "", "number of `NODES`, or the shape of a torus such as 8x4")
	c.Flags().BoolVar(&k.json, "json", false, "print the report as JSON")
}

// options reads the flags.
func (k *machineFlags) options() (opt machine.Options, err error) {
	if k.nodes != "" {
		if opt.Nodes, err = machine.ParseNodes(k.nodes); err != nil {
			err = fmt.Errorf("--nodes: %w", err)
		}
	}
	return opt, err
}

func newMachineShow() *cobra.Command {
	k := &machineFlags{}
	c := &cobra.Command{
		Use:   "show [MACHINE]",
		Short: "List the built-in clusters, or show one and its cost of collectives",
		Long: `For one cluster: devices with memory and peak rates, links, bisection bandwidth, and the cost of
each collective over all devices, alpha + b/beta seconds for b bytes per device (scatter and
broadcast: b bytes on the first device). All numbers are modelled.
` + machineHelp,
		Example: `  taso machine show
  taso machine show summit --nodes 32
  taso machine show tpu-like:16x16 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: k.show,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return machine.Names(), cobra.ShellCompDirectiveDefault
		},
	}
	k.add(c)
	return c
}

func newMachineCheck() *cobra.Command {
	k := &machineFlags{}
	c := &cobra.Command{
		Use:   "check MACHINE...",
		Short: "Check descriptions of clusters for errors",
		Long: `All errors are listed with file and line: unknown or missing fields, quantities without a unit,
links without ends, devices that no link reaches. The exit status is 2 if there is an error.
` + machineHelp,
		Example: `  taso machine check my.yaml
  taso machine check my.yaml --nodes 64
  taso machine check summit p3-16xlarge:8 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: k.check,
	}
	k.add(c)
	return c
}

func (k *machineFlags) show(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		if k.nodes != "" {
			return errors.New("--nodes needs a MACHINE")
		}
		return k.list(c.OutOrStdout())
	}
	opt, err := k.options()
	if err != nil {
		return err
	}
	m, err := machine.Find(args[0], opt)
	if err != nil {
		return err
	}
	s, err := m.Summary()
	if err != nil {
		return err
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), s)
	}
	return printMachine(c.OutOrStdout(), s)
}

// cluster is a line of the list of clusters.
type cluster struct {
	Name    string `json:"name"`
	Nodes   []int  `json:"nodes"`
	Devices int    `json:"devices"`
	Device  string `json:"device"`
	Doc     string `json:"doc"`
}

func (k *machineFlags) list(w io.Writer) error {
	var all []cluster
	var rows [][]string
	for _, name := range machine.Names() {
		m, err := machine.Find(name, machine.Options{})
		if err != nil {
			return err
		}
		all = append(all, cluster{m.Name, m.Shape, m.Devices(), m.Device.Name, m.Doc})
		first, _, _ := strings.Cut(m.Doc, ". ")
		rows = append(rows, []string{m.Name, shape(m.Shape), strconv.Itoa(m.PerNode()), m.Device.Name, first})
	}
	if k.json {
		return writeJSON(w, all)
	}
	return writeTable(w, []column{{"machine", false}, {"nodes", true}, {"devices per node", true}, {"device", false}, {"description", false}}, rows)
}

// shape is 32 or 8x4.
func shape(nodes []int) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "x")
}

func (k *machineFlags) check(c *cobra.Command, args []string) error {
	opt, err := k.options()
	if err != nil {
		return err
	}
	var errs []error
	all := []cluster{}
	for _, a := range args {
		m, err := machine.Find(a, opt)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, cluster{m.Name, m.Shape, m.Devices(), m.Device.Name, m.Doc})
		if !k.json {
			fmt.Fprintf(c.OutOrStdout(), "%s: %s, %d hosts and switches, %s; valid: every device reaches every other\n", a,
				plural(m.Devices(), "device"), len(m.Vertices)-m.Devices(), plural(len(m.Links), "link"))
		}
	}
	if k.json {
		if err := writeJSON(c.OutOrStdout(), all); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

func classList(classes []cost.Class) string {
	var names []string
	for _, c := range classes {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// gib is a size in powers of 1024.
func gib(n int64) string { return strconv.FormatFloat(float64(n)/(1<<30), 'g', 4, 64) + " GiB" }

// rate is a bandwidth in GB/s with four digits, or all before the point.
func rate(x float64) string {
	if x >= 1e12 {
		return count(int64(math.Round(x / 1e9)))
	}
	return strconv.FormatFloat(x/1e9, 'g', 4, 64)
}

func printMachine(w io.Writer, s *machine.Summary) error {
	nodes := shape(s.Nodes) + " nodes"
	if nodes == "1 nodes" {
		nodes = "1 node"
	}
	fmt.Fprintf(w, "%s: %s, %s %s", s.Name, nodes, count(s.Devices), s.Device)
	if s.Topology != "" {
		fmt.Fprintf(w, ", %s", s.Topology)
	}
	fmt.Fprintln(w)
	writeLines(w, "%s", s.Doc)
	fmt.Fprintln(w)
	text := fmt.Sprintf("per device: %s at %s GB/s", gib(s.Memory), rate(s.MemoryBandwidth))
	for _, t := range slices.Sorted(maps.Keys(s.FLOPS)) {
		if strings.Contains(t, "float") || t == "tf32" {
			text += fmt.Sprintf(", %s %s TFLOPS", t, strconv.FormatFloat(s.FLOPS[t]/1e12, 'g', 4, 64))
		}
	}
	writeLines(w, "%s", text)
	for _, t := range slices.Sorted(maps.Keys(s.Fitted)) {
		writeLines(w, "%s: rates of %s are fitted to published measurements; extrapolated: %s", t, classList(s.Fitted[t]), classList(s.Extrapolated[t]))
	}
	if len(s.Fitted) == 0 {
		fmt.Fprintln(w, "no rate is fitted to published measurements")
	}
	if len(s.Hosts) > 0 {
		total := int64(0)
		for _, h := range s.Hosts {
			total += h
		}
		fmt.Fprintf(w, "hosts per node: %s, %s in total\n", count(len(s.Hosts)), gib(total))
	}
	fmt.Fprintln(w)
	var rows [][]string
	for _, l := range s.Links {
		rows = append(rows, []string{l.Class, count(l.Count), l.Latency.String(), rate(float64(l.Bandwidth))})
	}
	if err := writeTable(w, []column{{"link class", false}, {"one-way links", true}, {"latency", true}, {"bandwidth (GB/s)", true}}, rows); err != nil {
		return err
	}
	if s.Devices == 1 {
		return nil
	}
	fmt.Fprintf(w, "\nbisection bandwidth: %s GB/s\n\n", rate(float64(s.Bisection)))
	rows = nil
	for _, x := range s.Collectives {
		rows = append(rows, []string{x.Kind, string(x.Algorithm), x.Alpha.String(), rate(x.Beta)})
	}
	return writeTable(w, []column{{"collective", false}, {"algorithm", false}, {"alpha", true}, {"beta (GB/s)", true}}, rows)
}
