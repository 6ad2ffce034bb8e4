package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/selftest"
)

func init() {
	Register(&Benchmark{Name: "gpu", What: "GPU runs: conformance, models before and after optimize",
		Takes: "1 s", Packages: []string{"backends/cuda", "internal/pipeline/optimize", "internal/pipeline/measure"}, Run: gpuEvidence})
}

// gpuLogs is the folder of the logs that scripts/gpu-evidence wrote and scripts/gpu-merge put
// there, NAME.jsonl each.
const gpuLogs = "bench/gpu"

// gpuEvidence makes tables of all logs. Nothing is run: no figure is of this machine.
func gpuEvidence(_ context.Context, env *Env) (*Record, error) {
	files, err := filepath.Glob(filepath.Join(env.Root, gpuLogs, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if env.Root == "" || len(files) == 0 {
		return nil, &Missing{What: "no log of a GPU: run scripts/gpu-evidence on a machine with one, then scripts/gpu-merge"}
	}
	rec := &Record{}
	for _, file := range files {
		l, err := readGPULog(file)
		if err != nil {
			return nil, err
		}
		rec.Tables = append(rec.Tables, l.tables(strings.TrimSuffix(filepath.Base(file), ".jsonl"))...)
		rec.Notes = append(rec.Notes, l.note())
	}
	return rec, nil
}

// gpuStep is a line of a log.
type gpuStep struct {
	Step      string          `json:"step"`
	Status    string          `json:"status"`
	Why       string          `json:"why"`
	Seconds   float64         `json:"seconds"`
	Date      string          `json:"date"`
	GPU       string          `json:"gpu"`
	Rehearsal bool            `json:"rehearsal"`
	Result    json.RawMessage `json:"result"`
}

// gpuLog is a log, its steps in their order.
type gpuLog struct {
	path  string
	steps []gpuStep
}

func readGPULog(path string) (*gpuLog, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &gpuLog{path: path}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<24)
	for n := 1; sc.Scan(); n++ {
		var s gpuStep
		if err := json.Unmarshal(sc.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; a line is a JSON object of a step", path, n, err)
		}
		if s.Rehearsal {
			return nil, fmt.Errorf("%s:%d: a rehearsal without a GPU is no evidence", path, n)
		}
		l.steps = append(l.steps, s)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(l.steps) == 0 || l.steps[0].Step != "script" {
		return nil, fmt.Errorf("%s: the first line is not that of the start of scripts/gpu-evidence", path)
	}
	return l, nil
}

// note says what the log is of.
func (l *gpuLog) note() string {
	s := l.steps[0]
	return fmt.Sprintf("Measured on %s (name, driver, memory, clock, power limit by nvidia-smi) at %s by `scripts/gpu-evidence`; the log is `%s/%s`.",
		s.GPU, s.Date, gpuLogs, filepath.Base(l.path))
}

// decode reads the result of a step into v and says whether it has one of that form.
func (s *gpuStep) decode(v any) bool { return len(s.Result) > 0 && json.Unmarshal(s.Result, v) == nil }

// tables are the tables of a log; one without rows is left out.
func (l *gpuLog) tables(name string) []*Table {
	all := []*Table{l.outcomes(name), l.conformance(name), l.wholes(name), l.optimized(name), l.pairs(name)}
	var out []*Table
	for _, t := range all {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// outcomes lists the steps that did not end well.
func (l *gpuLog) outcomes(name string) *Table {
	t := NewTable(name+", steps that failed or did not run", Label("step"), Label("status"), Label("reason"))
	for _, s := range l.steps {
		if s.Step != "script" && s.Status != "ok" {
			t.Add(s.Step, s.Status, fmt.Sprintf("%.120s", s.Why))
		}
	}
	return t
}

func (l *gpuLog) conformance(name string) *Table {
	t := NewTable(name+", agreement with the interpreter", Label("check"), Counted("cases"), Counted("agree"),
		Recorded("largest deviation", ""), Recorded("tolerance", ""))
	for _, s := range l.steps {
		var r selftest.Report
		if !strings.HasPrefix(s.Step, "suite") && s.Step != "agreement" || !s.decode(&r) {
			continue
		}
		if r.Cases > 0 {
			math := r.Math
			if math == "" {
				math = "float32"
			}
			t.Add("suite, "+math, r.Cases, r.Passed, nil, r.Tolerance)
		}
		for _, m := range r.Models {
			agrees := 0
			if m.Agrees {
				agrees = 1
			}
			t.Add(shown(m.Name), 1, agrees, m.Deviation, m.Tolerance)
		}
	}
	return t
}

// wholes compares the sums of measured kernels with whole runs.
func (l *gpuLog) wholes(name string) *Table {
	t := NewTable(name+", sum of the times of kernels against whole runs", Label("model"), Recorded("sum", "ms").Digits(3),
		Recorded("whole", "ms").Digits(3), Recorded("error", "%").Digits(2))
	for _, s := range l.steps {
		var r struct {
			Models []struct {
				Name     string           `json:"name"`
				Measured *cost.Prediction `json:"measured"`
			} `json:"models"`
		}
		if !strings.HasPrefix(s.Step, "kernels") || !s.decode(&r) {
			continue
		}
		for _, m := range r.Models {
			if p := m.Measured; p != nil {
				t.Add(shown(m.Name), 1e3*float64(p.Predicted), 1e3*float64(p.Measured.Seconds), 100*p.Error())
			}
		}
	}
	return t
}

// gpuPeer is a line of scripts/gpu/peers.py.
type gpuPeer struct {
	System  string  `json:"system"`
	Form    string  `json:"form"`
	Seconds float64 `json:"seconds"`
}

// optimized compares models before and after optimize, here and in other systems.
func (l *gpuLog) optimized(name string) *Table {
	ms := func(n string) Column { return Recorded(n, "ms").Digits(3) }
	t := NewTable(name+", models before and after `taso optimize --backend cuda`, from host to host", Label("model"), Modelled("modelled gain", "%").Digits(2),
		ms("before"), ms("after"), ms("difference"), ms("95 % interval, ±"), ms("eager before"), ms("eager after"),
		ms("compiled before"), ms("compiled after"), ms("ONNX Runtime before"), ms("ONNX Runtime after"))
	peers := map[string]map[string]float64{} // by model, by system and form
	for _, s := range l.steps {
		kind, model, _ := strings.Cut(s.Step, "-")
		var lines []gpuPeer
		if kind != "torch" && kind != "compile" || !s.decode(&lines) {
			continue
		}
		if peers[model] == nil {
			peers[model] = map[string]float64{}
		}
		for _, p := range lines {
			if p.Seconds > 0 {
				peers[model][p.System+" "+p.Form] = p.Seconds
			}
		}
	}
	for _, s := range l.steps {
		model, is := strings.CutPrefix(s.Step, "optimize-")
		var r struct {
			Before   cost.Seconds        `json:"cost_before"`
			After    cost.Seconds        `json:"cost_after"`
			Measured []optimize.Measured `json:"measured"`
		}
		if !is || !s.decode(&r) || len(r.Measured) == 0 {
			continue
		}
		var before, after optimize.Measured
		for _, m := range r.Measured {
			if m.Name == "model" {
				before = m
			}
			if m.Kept || m.Name == "model" && after.Name == "" {
				after = m
			}
		}
		row := []any{shown(model), 100 * float64(r.Before-r.After) / float64(r.Before), 1e3 * float64(before.Seconds), 1e3 * float64(after.Seconds),
			1e3 * float64(after.Difference), 1e3 * float64(after.Spread)}
		for _, system := range []string{"torch eager", "torch.compile", "onnxruntime cuda"} {
			for _, form := range []string{" before", " after"} {
				if x := peers[model][system+form]; x > 0 {
					row = append(row, 1e3*x)
				} else {
					row = append(row, nil)
				}
			}
		}
		t.Add(row...)
	}
	return t
}

// pairs compares PET's operators in their two forms, by the kernels alone.
func (l *gpuLog) pairs(name string) *Table {
	t := NewTable(name+", operators of PET in two equal forms, kernels alone", Label("operator"), Recorded("as it is", "ms").Digits(3),
		Label("other form"), Recorded("in that form", "ms").Digits(3), Recorded("speedup", "").Digits(3))
	for _, s := range l.steps {
		var list []struct {
			Form, Other string
			Times       map[string][]struct{ Kernels float64 }
		}
		if s.Step != "pet" || !s.decode(&list) {
			continue
		}
		for _, p := range list {
			least := func(form string) float64 {
				best := 0.0
				for _, x := range p.Times[form] {
					if best == 0 || x.Kernels < best {
						best = x.Kernels
					}
				}
				return best
			}
			if a, b := least(p.Form), least(p.Other); a > 0 && b > 0 {
				t.Add(p.Form, 1e3*a, p.Other, 1e3*b, a/b)
			}
		}
	}
	return t
}
