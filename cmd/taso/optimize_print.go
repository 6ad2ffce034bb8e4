package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
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

// measuredLine says what was measured in interleaved rounds.
func measuredLine(list []optimize.Measured) string {
	var parts []string
	for i, m := range list {
		part := m.Name + " " + m.Seconds.String()
		if i > 0 {
			sign := "+"
			if m.Difference < 0 {
				sign = "-"
			}
			part += fmt.Sprintf(" (%s%s ± %s per round)", sign, cost.Seconds(math.Abs(float64(m.Difference))), m.Spread)
		}
		if m.Kept {
			part += ", kept"
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s: %s", plural(list[0].Rounds, "interleaved timing round"), strings.Join(parts, "; "))
}

// print prints a report for people: the answer, the figures, what was tried, what changed
// and why it is right.
func (k *optimizeFlags) print(w io.Writer, r *optimize.Report) error {
	writeLines(w, "%s", r.Answer())
	if r.Judged != nil {
		printJudged(w, r.Judged)
	}
	fmt.Fprintln(w)
	rows := [][]string{
		{"operators", count(r.Before.Operators), count(r.After.Operators), ""},
		{"work (GFLOP)", fmt.Sprintf("%.4g", float64(r.Before.FLOPs)/1e9), fmt.Sprintf("%.4g", float64(r.After.FLOPs)/1e9), ""},
		{"weights (MB)", fmt.Sprintf("%.4g", float64(r.Before.Bytes)/1e6), fmt.Sprintf("%.4g", float64(r.After.Bytes)/1e6), ""},
		{"cost (" + r.CostSource + ")", r.CostBefore.String(), r.CostAfter.String(), optimize.Speedup(r.CostBefore, r.CostAfter)},
	}
	if r.MeasuredBefore > 0 {
		rows = append(rows, []string{"time (measured)", r.MeasuredBefore.String(), r.MeasuredAfter.String(), optimize.Speedup(r.MeasuredBefore, r.MeasuredAfter)})
	}
	if err := writeTable(w, []column{{"quantity", false}, {"before", true}, {"after", true}, {"speedup", true}}, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\ncost model: %s; %s tried\n", r.CostModel, plural(r.Tried, "candidate"))
	printTime(w, r)
	if len(r.Measured) > 1 {
		writeLines(w, "%s", measuredLine(r.Measured))
	}
	printDropped(w, r)
	if len(r.Heaviest) > 0 && r.StepCount == 0 {
		printHeaviest(w, r)
	}
	printSizes(w, r)
	if r.Changes != nil {
		printChanges(w, r.Changes)
	}
	if err := printCandidates(w, r); err != nil {
		return err
	}
	if r.StepCount > 0 {
		if err := printLaws(w, r, k.top); err != nil {
			return err
		}
	}
	if k.steps {
		printSteps(w, r.Steps)
	}
	if k.explain {
		if err := printExplained(w, r, k.top); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	printEvidence(w, r)
	for _, f := range []string{k.out, k.proof, k.html, k.svg} {
		if f != "" && f != stdout {
			fmt.Fprintf(w, "wrote %s\n", f)
		}
	}
	var more []string
	if !k.steps {
		more = append(more, "--steps prints every step")
	}
	if !k.explain {
		more = append(more, "--explain prints what each rule saved")
	}
	if k.html == "" {
		more = append(more, "--html FILE writes a page")
	}
	if r.StepCount > 0 && len(more) > 0 {
		fmt.Fprintln(w, "More: "+strings.Join(more, ", "))
	}
	return nil
}

// printEvidence prints why the result computes what the model does.
func printEvidence(w io.Writer, r *optimize.Report) {
	if len(r.UnprovedUsed) > 0 {
		writeLines(w, "NOT PROVED: the result uses rules that are not known to be true: %s; the models were compared on samples only", strings.Join(r.UnprovedUsed, ", "))
	} else {
		text := fmt.Sprintf("proof: %s, accepted by the checker", plural(r.Checked.Steps, "law instance"))
		if line := verifymodels.AssumptionLine(r.Checked.Assumptions); line != "" {
			text += ", " + strings.TrimSpace(line)
		}
		writeLines(w, "%s", text)
	}
	if r.Exact != "" {
		writeLines(w, "comparison: modulo 2^61 - 1: %s; in floating point: %s, largest relative deviation %.2g", r.Exact, r.Numbers, r.MaxRelError)
	}
}

// printTime prints where the time went, and the memory.
func printTime(w io.Writer, r *optimize.Report) {
	text := fmt.Sprintf("time: %.1f s: search %.1f s", r.Seconds, r.SearchSeconds)
	if r.SearchEnded {
		text += fmt.Sprintf(" (limit %.4g s reached; --budget sets another)", r.SearchLimit)
	}
	text += fmt.Sprintf(", measuring %.1f s, proof and comparison %.1f s", r.MeasureSeconds, r.ProofSeconds)
	if r.PeakBytes > 0 {
		text += fmt.Sprintf("; peak memory %.2f GB", float64(r.PeakBytes)/1e9)
	}
	writeLines(w, "%s", text)
}

// printDropped prints why cheaper candidates were not kept.
func printDropped(w io.Writer, r *optimize.Report) {
	const dropped = "dropped candidate: "
	switch {
	case r.Slower:
		writeLines(w, dropped+"cheaper under the cost model, slower when measured (%s)", r.Dropped)
	case r.Dropped > 0:
		writeLines(w, dropped+"slightly cheaper under the cost model, not faster when measured (%s)", r.Dropped)
	}
	if r.Deviated > 0 {
		writeLines(w, dropped+"equal in exact arithmetic; deviates by %.2g in floating point, since large numbers cancel", r.Deviated)
	}
	for _, why := range r.Refused {
		writeLines(w, dropped+"%s", why)
	}
	if r.StepCount == 0 && r.Cleaned && r.Changes != nil && r.Changes.Inlined > 0 {
		fmt.Fprintln(w, "An If with a constant condition was replaced by the branch that it takes.")
	}
}

// printHeaviest prints which operators cost most.
func printHeaviest(w io.Writer, r *optimize.Report) {
	var parts []string
	for _, k := range r.Heaviest {
		parts = append(parts, fmt.Sprintf("%.0f %% in %d %s", 100*k.Part, k.Nodes, k.Op))
	}
	writeLines(w, "cost by operator: %s", strings.Join(parts, ", "))
}

// printCandidates prints what was judged, in the order of preference.
func printCandidates(w io.Writer, r *optimize.Report) error {
	var rows [][]string
	for i, c := range r.Candidates {
		if r.Judged == nil || i >= len(r.Judged.Candidates) {
			break
		}
		out := r.Judged.Candidates[i]
		verdict, change := cmp.Or(string(out.Verdict), "not measured"), out.Why
		if out.On != nil {
			change = strings.TrimPrefix(out.On.Change(), "time ")
		}
		if i+1 == r.Judged.Winner && (r.StepCount > 0 || r.Cleaned) {
			verdict += ", kept"
		}
		rows = append(rows, []string{c.Name, fmt.Sprint(c.Steps), verdict, change})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return writeTable(w, []column{{"candidate", false}, {"steps", true}, {"verdict in ONNX Runtime", false}, {"change of time", false}}, rows)
}

// printSteps lists the steps. Those of a saturation have no costs of their own.
func printSteps(w io.Writer, steps []optimize.Step) {
	together := 0
	for _, s := range steps {
		if s.Together {
			together++
		}
	}
	if len(steps) > 0 {
		fmt.Fprintln(w)
	}
	if together > 0 {
		writeLines(w, "Steps 1 to %d were found together by equality saturation and have no costs of their own; in total %s -> %s.", together, steps[0].Before, steps[together-1].After)
	}
	for i, s := range steps {
		fmt.Fprintf(w, "%d. %s", i+1, s.Law)
		if s.Backward {
			fmt.Fprint(w, ", right to left")
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
}

// printExplained says what came of each rule.
func printExplained(w io.Writer, r *optimize.Report, top int) error {
	var kept, never [][]string
	var neverLaws, idle int
	for _, u := range r.Laws {
		switch {
		case u.Kept > 0:
			saved := "-"
			if u.Kept > u.Together {
				saved = u.Paid.String()
			}
			kept = append(kept, []string{saved, fmt.Sprint(u.Kept), fmt.Sprint(u.Together), fmt.Sprint(u.Tried), fmt.Sprint(u.EGraph), u.Law})
		case u.Tried > 0 || u.EGraph > 0:
			if neverLaws++; neverLaws <= top {
				never = append(never, []string{fmt.Sprint(u.Tried), fmt.Sprint(u.Made), fmt.Sprint(u.EGraph), u.Law})
			}
		default:
			idle++
		}
	}
	shown := func(n int) string {
		if n > top {
			return fmt.Sprintf(" (first %d shown)", top)
		}
		return ""
	}
	if len(kept) > 0 {
		fmt.Fprintln(w, "\nWhat each rule saved (steps found by saturation have no cost of their own):")
		if err := writeTable(w, []column{{"saved", true}, {"steps", true}, {"by saturation", true}, {"candidates tried", true}, {"in e-graphs", true}, {"rule", false}}, kept); err != nil {
			return err
		}
	}
	if len(never) > 0 {
		fmt.Fprintf(w, "\nTried and not in the result: %s%s:\n", plural(neverLaws, "rule"), shown(neverLaws))
		if err := writeTable(w, []column{{"candidates tried", true}, {"applicable", true}, {"in e-graphs", true}, {"rule", false}}, never); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\n%s without a match in the model\n", plural(idle, "rule"))
	if len(r.Unusable) > 0 {
		fmt.Fprintf(w, "not usable on models: %s%s:\n", plural(len(r.Unusable), "rule direction"), shown(len(r.Unusable)))
		for _, s := range r.Unusable[:min(top, len(r.Unusable))] {
			fmt.Fprintf(w, "  %s\n", s)
		}
	}
	for _, u := range r.Unproved {
		fmt.Fprintf(w, "used without a proof: %s: %s\n", u.Law, u.Why)
	}
	return nil
}

// printLaws lists the rules that were used most.
func printLaws(w io.Writer, r *optimize.Report, top int) error {
	uses := map[string]int{}
	why := map[string]string{}
	for _, s := range r.Steps {
		name := s.Law
		if s.Backward {
			name += " (right to left)"
		}
		uses[name]++
		why[name] = s.Why
	}
	names := byCount(uses)
	var rows [][]string
	for i, name := range names {
		if i == top {
			break
		}
		rows = append(rows, []string{fmt.Sprint(uses[name]), name, why[name]})
	}
	fmt.Fprintf(w, "\n%s of %s:\n", plural(r.StepCount, "use"), plural(len(names), "rewrite rule"))
	return writeTable(w, []column{{"uses", true}, {"rule", false}, {"statement", false}}, rows)
}

// printSizes says for which dynamic sizes the result holds, and at which costs are.
func printSizes(w io.Writer, r *optimize.Report) {
	if r.SizesFixed != "" {
		writeLines(w, "dynamic dimensions have fixed sizes in the search, because the model cannot be read for all sizes: %s", r.SizesFixed)
	}
	if len(r.Sizes) == 0 {
		return
	}
	var samples []string
	for _, v := range r.Sizes {
		samples = append(samples, fmt.Sprintf("%s = %d", v.Name, v.Size(v.Sample)))
	}
	writeLines(w, "dynamic dimensions: the proof holds for all sizes, %s; costs are for %s", rangesText(r.Sizes), strings.Join(samples, ", "))
}

// rangesText is dynamic sizes with their ranges.
func rangesText(sizes []graph.SizeVar) string {
	ranges := make([]string, len(sizes))
	for i, v := range sizes {
		ranges[i] = v.String()
	}
	return strings.Join(ranges, ", ")
}

// printChanges says what became of the nodes of the file.
func printChanges(w io.Writer, c *onnx.Changes) {
	text := "nodes of the file: " + count(c.Kept) + " kept"
	var how []string
	if c.Renamed > 0 {
		how = append(how, fmt.Sprintf("%d with renamed values", c.Renamed))
	}
	if c.Inlined > 0 {
		how = append(how, fmt.Sprintf("%d moved out of branches of If", c.Inlined))
	}
	if len(how) > 0 {
		text += " (" + strings.Join(how, ", ") + ")"
	}
	text += fmt.Sprintf(", %d removed, %d new", c.Dropped, c.Written)
	var parts []string
	for _, op := range slices.Sorted(maps.Keys(c.Operators)) {
		parts = append(parts, fmt.Sprintf("%d %s", c.Operators[op], op))
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	writeLines(w, "%s", text)
	for _, o := range c.Fixed {
		writeLines(w, "fixed dimension: axis %d of %s is %d in the result and dynamic in the file", o.Axis, o.Input, o.Size)
	}
	if c.FixedBecause != "" {
		writeLines(w, "dimensions are fixed because the result is not proved for all sizes: %s", c.FixedBecause)
	}
	if len(c.Open) > 0 {
		writeLines(w, "dynamic dimensions stay dynamic: also proved for all sizes, %s", rangesText(c.Open))
	}
}
