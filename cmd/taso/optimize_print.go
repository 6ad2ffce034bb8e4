package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/onnx"
)

// enoughTimes is how many times a table must hold for a formula to be fitted to it.
const enoughTimes = 100

// costOfRunner is the cost of what a backend runs: the formula fitted to the times
// that taso measure took on it, or, where these are too few, a machine's as it is.
// One formula prices everything: times and formulas beside each other would favour
// what has not been measured.
func costOfRunner(b backends.Backend, machine string) (cost.Model, string, error) {
	m, err := cost.FindMachine(machine)
	if err != nil {
		return nil, "", err
	}
	path, err := cost.DefaultPath()
	if err != nil {
		return m, "the formula of " + m.Name, nil
	}
	s, err := cost.OpenStore(path)
	if err != nil {
		return m, "the formula of " + m.Name, nil
	}
	obs, _ := cost.Observations(&s.Table, recorded.SettingOf(b.Info()))
	if len(obs) < enoughTimes {
		return m, "the formula of " + m.Name, nil
	}
	fit, err := cost.Calibrate(m, obs)
	if err != nil {
		return nil, "", err
	}
	return fit.Machine, fmt.Sprintf("the formula of %s fitted to %d times of taso measure", m.Name, len(obs)), nil
}

// costOfRecording is the formula of a machine fitted to recorded times.
func costOfRecording(b backends.Backend, name string, m *cost.Machine) (cost.Model, string, error) {
	r, ok := b.(*recorded.Backend)
	if !ok {
		return nil, "", fmt.Errorf("--backend %s tells no costs", name)
	}
	obs, _ := cost.Observations(r.Table(), r.Setting())
	fit, err := cost.Calibrate(m, obs)
	if err != nil {
		return nil, "", err
	}
	return fit.Machine, fmt.Sprintf("the formula of %s fitted to %d times of %s", m.Name, len(obs), name), nil
}

// measuredLine says what was measured in turns.
func measuredLine(list []optimize.Measured) string {
	var parts []string
	for i, m := range list {
		part := m.Name + " " + m.Seconds.String()
		if i > 0 {
			sign := "+"
			if m.Difference < 0 {
				sign = "-"
			}
			part += fmt.Sprintf(" (%s%s ± %s in a round)", sign, cost.Seconds(math.Abs(float64(m.Difference))), m.Spread)
		}
		if m.Kept {
			part += " (kept)"
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("measured in %s of turns: %s", plural(list[0].Rounds, "round"), strings.Join(parts, ", "))
}

// print prints a report for people.
func (k *optimizeFlags) print(w io.Writer, r *optimize.Report) error {
	if k.steps {
		printSteps(w, r.Steps)
	}
	switch {
	case r.Judged == nil:
	case r.Judged.Winner > 0 && r.StepCount == 0: // refused after that, see below
		fmt.Fprint(w, "Model unchanged; the rewritten model that was faster in ONNX Runtime was refused.\n\n")
	default:
		printJudged(w, r.Judged)
	}
	rows := [][]string{
		{"operators", fmt.Sprint(r.Before.Operators), fmt.Sprint(r.After.Operators), ""},
		{"GFLOP", fmt.Sprintf("%.4g", float64(r.Before.FLOPs)/1e9), fmt.Sprintf("%.4g", float64(r.After.FLOPs)/1e9), ""},
		{"MB of weights", fmt.Sprintf("%.4g", float64(r.Before.Bytes)/1e6), fmt.Sprintf("%.4g", float64(r.After.Bytes)/1e6), ""},
		{"cost (" + r.CostSource + ")", r.CostBefore.String(), r.CostAfter.String(), gain(r.CostBefore, r.CostAfter)},
	}
	if r.MeasuredBefore > 0 {
		rows = append(rows, []string{"measured", r.MeasuredBefore.String(), r.MeasuredAfter.String(), gain(r.MeasuredBefore, r.MeasuredAfter)})
	}
	if err := writeTable(w, []column{{"", false}, {"before", true}, {"after", true}, {"gain", true}}, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\ncosts: %s; %s tried\n", r.CostModel, plural(r.Tried, "move"))
	printTime(w, r)
	printCandidates(w, r)
	if len(r.Measured) > 1 {
		fmt.Fprintln(w, measuredLine(r.Measured))
	}
	if r.Slower {
		fmt.Fprintf(w, "A network that costs less took longer, %s: it was not kept.\n", r.Dropped)
	} else if r.Dropped > 0 {
		fmt.Fprintf(w, "A network that costs a little less was not faster, %s: it was not kept.\n", r.Dropped)
	}
	if r.Deviated > 0 {
		fmt.Fprintf(w, "A network that costs less is equal in exact arithmetic and deviates by %.2g in floating point, since large numbers cancel: it was not kept.\n", r.Deviated)
	}
	for _, why := range r.Refused {
		fmt.Fprintf(w, "A network that costs less was not kept: %s.\n", why)
	}
	if r.Changes != nil {
		printChanges(w, r.Changes)
	}
	if r.StepCount == 0 {
		if r.Cleaned {
			fmt.Fprintln(w, "No rewrite rule was used; nodes that compute the same as another, or nothing that is needed, were removed.")
			if r.Changes != nil && r.Changes.Inlined > 0 {
				fmt.Fprintln(w, "An If whose condition is constant was replaced by the branch that it takes.")
			}
		}
		printUnimproved(w, r)
	} else if err := printLaws(w, r, k.top); err != nil {
		return err
	}
	if k.explain {
		if err := printExplained(w, r, k.top); err != nil {
			return err
		}
	}
	if len(r.UnprovedUsed) > 0 {
		fmt.Fprintf(w, "NOT PROVED: the result uses laws that are not known to be true: %s; the models were only run", strings.Join(r.UnprovedUsed, ", "))
	} else {
		fmt.Fprintf(w, "proof: %s, accepted by the checker", plural(r.Checked.Steps, "instance"))
		if line := verifymodels.AssumptionLine(r.Checked.Assumptions); line != "" {
			fmt.Fprint(w, ", "+strings.TrimSpace(line))
		}
	}
	if r.Exact != "" {
		fmt.Fprintf(w, "; modulo 2^61 - 1: %s; in floating point: %s, largest relative deviation %.2g", r.Exact, r.Numbers, r.MaxRelError)
	}
	fmt.Fprintln(w)
	for _, f := range []string{k.out, k.proof, k.html, k.svg} {
		if f != "" && f != stdout {
			fmt.Fprintf(w, "wrote %s\n", f)
		}
	}
	return nil
}

// printTime prints where the time went, and the memory.
func printTime(w io.Writer, r *optimize.Report) {
	fmt.Fprintf(w, "time: %.1f s in all: search %.1f s", r.Seconds, r.SearchSeconds)
	if r.SearchEnded {
		fmt.Fprintf(w, " (ended by its limit of %.4g s; --budget sets another)", r.SearchLimit)
	}
	fmt.Fprintf(w, ", measuring %.1f s, proof and comparison %.1f s", r.MeasureSeconds, r.ProofSeconds)
	if r.PeakBytes > 0 {
		fmt.Fprintf(w, "; peak memory %.2f GB", float64(r.PeakBytes)/1e9)
	}
	fmt.Fprintln(w)
}

// printUnimproved prints why the model stays.
func printUnimproved(w io.Writer, r *optimize.Report) {
	var parts []string
	for _, k := range r.Heaviest {
		parts = append(parts, fmt.Sprintf("%.0f %% in %d %s", 100*k.Part, k.Nodes, k.Op))
	}
	if !r.Cleaned && (r.Judged == nil || r.Judged.Failed == "" && len(r.Judged.Candidates) > 0 && r.Judged.Winner == 0) {
		fmt.Fprint(w, "No improvement found; model unchanged.")
		if r.Judged != nil {
			fmt.Fprintf(w, " %s measured", plural(len(r.Judged.Candidates), "candidate"))
			if best := r.Judged.Best(); best != nil {
				half := 50 * (best.High - best.Low)
				fmt.Fprintf(w, ", the best changes the time by %.1f %% ± %.1f %%", 50*(best.High+best.Low)-100, half)
			}
			fmt.Fprint(w, ".")
		}
		fmt.Fprintln(w)
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "The modelled cost of the model is %s.\n", strings.Join(parts, ", "))
	}
}

// printCandidates prints what was judged, in the order of preference.
func printCandidates(w io.Writer, r *optimize.Report) {
	for i, c := range r.Candidates {
		if r.Judged == nil || i >= len(r.Judged.Candidates) {
			return
		}
		out := r.Judged.Candidates[i]
		verdict := string(out.Verdict)
		switch {
		case out.On != nil:
			verdict += ", " + out.On.Change()
		case verdict == "":
			verdict = "not measured"
		}
		if i+1 == r.Judged.Winner && r.StepCount > 0 {
			verdict += " (kept)"
		}
		fmt.Fprintf(w, "candidate %d, %s: %s: %s\n", i+1, c.Name, plural(c.Steps, "step"), verdict)
	}
}

// printSteps lists the steps. Those of a saturation have no costs of their own.
func printSteps(w io.Writer, steps []optimize.Step) {
	together := 0
	for _, s := range steps {
		if s.Together {
			together++
		}
	}
	if together > 0 {
		fmt.Fprintf(w, "Steps 1 to %d were found together, by saturation, and have no costs of their own: together %s -> %s.\n", together, steps[0].Before, steps[together-1].After)
	}
	for i, s := range steps {
		fmt.Fprintf(w, "%d. %s", i+1, s.Law)
		if s.Backward {
			fmt.Fprint(w, ", from right to left")
		}
		if !s.Together {
			fmt.Fprintf(w, ": %s -> %s", s.Before, s.After)
		}
		fmt.Fprintf(w, "\n   %s\n", s.Why)
		for _, line := range strings.Split(strings.TrimRight(s.Text, "\n"), "\n") {
			fmt.Fprintf(w, "   %s\n", line)
		}
		if len(s.Where) > 0 {
			fmt.Fprintf(w, "   where %s\n", strings.Join(s.Where, ", "))
		}
		for _, x := range s.Removed {
			fmt.Fprintf(w, "   - %s\n", x)
		}
		for _, x := range s.Added {
			fmt.Fprintf(w, "   + %s\n", x)
		}
	}
	if len(steps) > 0 {
		fmt.Fprintln(w)
	}
}

// printExplained says what came of each law.
func printExplained(w io.Writer, r *optimize.Report, top int) error {
	var kept, never [][]string
	var neverLaws, idle int
	for _, u := range r.Laws {
		switch {
		case u.Kept > 0:
			paid := "found together"
			if u.Kept > u.Together {
				paid = u.Paid.String()
			}
			kept = append(kept, []string{paid, fmt.Sprint(u.Kept), fmt.Sprint(u.Together), fmt.Sprint(u.Tried), fmt.Sprint(u.EGraph), u.Law})
		case u.Tried > 0 || u.EGraph > 0:
			if neverLaws++; neverLaws <= top {
				never = append(never, []string{fmt.Sprint(u.Tried), fmt.Sprint(u.Made), fmt.Sprint(u.EGraph), u.Law})
			}
		default:
			idle++
		}
	}
	if len(kept) > 0 {
		fmt.Fprintln(w, "\nWhat each law paid (steps of a saturation left out, for they have no cost of their own):")
		if err := writeTable(w, []column{{"paid", true}, {"steps", true}, {"of a saturation", true}, {"moves tried", true}, {"in e-graphs", true}, {"law", false}}, kept); err != nil {
			return err
		}
	}
	if len(never) > 0 {
		fmt.Fprintf(w, "\nTried, and not in the result: %s", plural(neverLaws, "law"))
		if neverLaws > top {
			fmt.Fprintf(w, ", the first %d of them", top)
		}
		fmt.Fprintln(w, ":")
		if err := writeTable(w, []column{{"moves tried", true}, {"could be made", true}, {"in e-graphs", true}, {"law", false}}, never); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\n%s found nowhere in the model.\n", plural(idle, "law"))
	if len(r.Unusable) > 0 {
		fmt.Fprintf(w, "Refused, for they cannot be used in networks: %s", plural(len(r.Unusable), "direction"))
		if len(r.Unusable) > top {
			fmt.Fprintf(w, ", the first %d of them", top)
		}
		fmt.Fprintln(w, ":")
		for _, s := range r.Unusable[:min(top, len(r.Unusable))] {
			fmt.Fprintf(w, "  %s\n", s)
		}
	}
	for _, u := range r.Unproved {
		fmt.Fprintf(w, "Used without a proof: %s: %s\n", u.Law, u.Why)
	}
	fmt.Fprintln(w)
	return nil
}

func gain(before, after cost.Seconds) string {
	return fmt.Sprintf("%.1f %%", 100*(float64(before/after)-1))
}

// printLaws lists the laws that were used most.
func printLaws(w io.Writer, r *optimize.Report, top int) error {
	count := map[string]int{}
	why := map[string]string{}
	for _, s := range r.Steps {
		name := s.Law
		if s.Backward {
			name += " (right to left)"
		}
		count[name]++
		why[name] = s.Why
	}
	var names []string
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	var rows [][]string
	for i, name := range names {
		if i == top {
			break
		}
		rows = append(rows, []string{fmt.Sprint(count[name]), name, why[name]})
	}
	fmt.Fprintf(w, "%s of %s:\n", plural(r.StepCount, "use"), plural(len(names), "law"))
	return writeTable(w, []column{{"uses", true}, {"law", false}, {"what it says", false}}, rows)
}

// printChanges says what became of the nodes of the file.
func printChanges(w io.Writer, c *onnx.Changes) {
	fmt.Fprintf(w, "file: %s kept as they are", plural(c.Kept, "node"))
	if c.Renamed > 0 {
		fmt.Fprintf(w, ", %d with other names of values", c.Renamed)
	}
	if c.Inlined > 0 {
		fmt.Fprintf(w, ", %d moved out of branches of If", c.Inlined)
	}
	fmt.Fprintf(w, ", %d removed, %d new", c.Dropped, c.Written)
	var parts []string
	for _, op := range slices.Sorted(maps.Keys(c.Operators)) {
		parts = append(parts, fmt.Sprintf("%d %s", c.Operators[op], op))
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, " (%s)", strings.Join(parts, ", "))
	}
	fmt.Fprintln(w)
	for _, o := range c.Fixed {
		fmt.Fprintf(w, "size fixed: axis %d of %s is %d in the result, and open in the file\n", o.Axis, o.Input, o.Size)
	}
	if c.FixedBecause != "" {
		fmt.Fprintf(w, "sizes are fixed because the result is not proved at other sizes: %s\n", c.FixedBecause)
	}
	for _, sizes := range c.Open {
		fmt.Fprintf(w, "sizes stay open: the result is also proved at %s\n", optimize.SizesText(sizes))
	}
}
