package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/parallelize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// isPlan reports whether a file is named like a plan.
func isPlan(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".json") }

// readPlan reads the file of a plan.
func readPlan(c *cobra.Command, path string) (*plan.File, error) {
	in, name, err := open(c, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return plan.ReadFile(in, name)
}

// plan checks the certificate of a plan, of a model if there is one.
func (k *checkFlags) plan(c *cobra.Command, path string, of []string) error {
	f, err := readPlan(c, path)
	if err != nil {
		return err
	}
	var g *graph.Graph
	if len(of) == 0 && k.model.builtin(f.Model.Name) {
		of = []string{f.Model.Name}
		k.model.batch = f.Model.Batch
	}
	if len(of) > 0 {
		m, _, err := k.model.read(of[0])
		if err != nil {
			return err
		}
		g = m.Graph
	}
	var small func(devices int) (string, *graph.Graph, error)
	if name := f.Model.Name + "-tiny"; k.model.builtin(name) {
		small = func(devices int) (string, *graph.Graph, error) {
			o := models.Options{Seed: k.model.seed}
			if models.Batched(name) {
				o.Batch = 2 * devices
			}
			n, err := models.BuildNetwork(name, o)
			if err != nil {
				return name, nil, err
			}
			return name, n.Model.Graph, nil
		}
	}
	if k.machine != "" {
		f.Machine.Name = k.machine
	}
	cluster, err := machine.Find(f.Machine.Name, machine.Options{})
	if err != nil {
		return fmt.Errorf("%s: machine: %w; --machine says where it is", path, err)
	}
	rep, err := parallelize.Check(c.Context(), f, path, cluster, g, k.z3 && !k.noZ3)
	if rejected := (*optimize.Rejected)(nil); errors.As(err, &rejected) {
		return finding(err.Error())
	}
	if err != nil {
		return err
	}
	if !k.noRun {
		if rep.Ran, err = parallelize.Run(c.Context(), f, cluster, small); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	wrong := rep.Ran != nil && rep.Ran.Why == "" && !rep.Ran.Equal
	if k.json {
		if err := writeJSON(c.OutOrStdout(), rep); err != nil || !wrong {
			return err
		}
		return finding(path + ": virtual devices compute something else")
	}
	w := c.OutOrStdout()
	switch {
	case wrong:
		writeLines(w, "%s: the certificate is accepted, and virtual devices compute something else", path)
	case rep.Model:
		writeLines(w, "%s computes the same as the training step of %s, for all inputs and weights.", path, of[0])
	default:
		writeLines(w, "%s computes the same as its sequential graph, for all inputs and weights.", path)
		writeLines(w, "Whether that is the training step of %s is checked with the model: taso check %s MODEL", f.Model.Name, path)
	}
	fmt.Fprintln(w)
	if err := writeTable(w, []column{{"inputs", true}, {"outputs", true}, {"axioms", true}, {"lemmas", true}, {"law instances", true}},
		[][]string{{count(rep.Inputs), count(rep.Outputs), count(rep.Axioms), count(rep.Lemmas), count(rep.Steps)}}); err != nil {
		return err
	}
	if line := verifymodels.AssumptionLine(rep.Assumptions); line != "" {
		fmt.Fprintf(w, "\n%s", line)
	}
	fmt.Fprintln(w)
	writeLines(w, "step time on %s: %s; memory of a device: %s of %s; both modelled, and as the plan says",
		f.Machine.Name, rep.Step.Makespan, bytesText(rep.Step.Memory), bytesText(f.Machine.Memory))
	if err := printClaims(w, rep); err != nil {
		return err
	}
	if x := rep.Ran; x != nil {
		what := x.Of
		if x.Small {
			what += " (a small variant, same planner)"
		}
		switch {
		case x.Why != "":
			fmt.Fprintf(w, "\nNot run on virtual devices: %s\n", x.Why)
		case wrong:
			return finding(fmt.Sprintf("%s: %s was run on %s, which compute something else", path, what, plural(x.Devices, "virtual device")))
		default:
			text := fmt.Sprintf("run of %s on %s: outputs equal modulo 2^61 - 1", what, plural(x.Devices, "virtual device"))
			if x.Deviation != nil {
				text += fmt.Sprintf(", within %.1e in float32", *x.Deviation)
			}
			fmt.Fprintln(w)
			writeLines(w, "%s", text)
		}
	}
	return nil
}

// printClaims prints what a plan says and the check does not derive.
func printClaims(w io.Writer, rep *parallelize.Checked) error {
	if n := len(rep.Open); n > 0 {
		some, more := rep.Open, ""
		if n > 4 {
			some, more = some[:4], ", ..."
		}
		fmt.Fprintf(w, "\nThe placements of %s are claimed, not derived: %s%s\n", plural(n, "node"), strings.Join(some, ", "), more)
	}
	fmt.Fprintln(w)
	var rows [][]string
	for _, x := range rep.Claimed {
		rows = append(rows, []string{x.What, x.Value})
	}
	return writeTable(w, []column{{"claimed by the plan, not checked", false}, {"value", false}}, rows)
}
