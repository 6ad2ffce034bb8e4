package genrules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var record = flag.String("genrules.record", "", "runs to make and record in rates.json, such as default:3,bert:3")

// TestRecord makes runs anew, by the command and so with its settings, and records what they
// took: go test ./internal/pipeline/genrules -run TestRecord -genrules.record default:4 -timeout 0
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("without -genrules.record")
	}
	text, err := os.ReadFile("rates.json") // what is embedded may be older
	if err != nil {
		t.Fatal(err)
	}
	var rates []Rate
	if err := json.Unmarshal(text, &rates); err != nil {
		t.Fatal(err)
	}
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	info, _ := os.ReadFile("/proc/cpuinfo")
	model := "unknown processor"
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); m != nil {
		model = string(m[1])
	}
	command := filepath.Join(t.TempDir(), "taso")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/taso-go/taso/cmd/taso").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, what := range strings.Split(*record, ",") {
		name, ops, _ := strings.Cut(what, ":")
		n, err := strconv.Atoi(ops)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		args := []string{"gen-rules", "--json", "--seed", "1", "--max-ops", ops}
		if name != "default" {
			args = append(args, "--ops", name)
		}
		run := exec.Command(command, args...)
		// The collector as the command sets it.
		run.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
			return strings.HasPrefix(s, "GOGC=") || strings.HasPrefix(s, "GOMEMLIMIT=")
		})
		run.Dir, run.Stderr = t.TempDir(), os.Stderr
		out, err := run.Output()
		if err != nil {
			t.Fatalf("%s: %v", run, err)
		}
		var rep Report
		if err := json.Unmarshal(out, &rep); err != nil {
			t.Fatalf("%s: %v", run, err)
		}
		if rep.Stopped != "" || rep.MaxOps != n || len(rep.Levels) != n {
			t.Fatalf("%s: stopped: %q", run, rep.Stopped)
		}
		r := Rate{Universe: name, MaxOps: n, Workers: rep.Workers, Seconds: round(rep.Seconds), CPUSeconds: round(rep.CPUSeconds), PeakRSS: rep.PeakRSS,
			Machine: model, Commit: strings.TrimSpace(string(commit)), Date: time.Now().UTC().Format(time.DateOnly)}
		for _, l := range rep.Levels {
			r.Levels, r.Graphs = append(r.Levels, round(l.Seconds)), append(r.Graphs, l.Graphs)
		}
		var kept []Rate
		for _, o := range rates {
			if o.Universe != r.Universe || o.MaxOps != r.MaxOps || o.AxiomsOnly != r.AxiomsOnly {
				kept = append(kept, o)
			} else if len(o.Graphs) > n {
				r.Graphs = append(r.Graphs, o.Graphs[n:]...)
			}
		}
		rates = append(kept, r)
	}
	slices.SortFunc(rates, func(a, b Rate) int {
		axioms := map[bool]int{true: 1}
		return cmp.Or(strings.Compare(b.Universe, a.Universe), a.MaxOps-b.MaxOps, axioms[a.AxiomsOnly]-axioms[b.AxiomsOnly])
	})
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, r := range rates {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		sep := ","
		if i == len(rates)-1 {
			sep = ""
		}
		fmt.Fprintf(&b, "  %s%s\n", line, sep)
	}
	b.WriteString("]\n")
	if err := os.WriteFile("rates.json", b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func round(x float64) float64 { return math.Round(x*100) / 100 }

// The rates that are recorded are those of what make gen-rules and the documents run,
// and are whole.
func TestRates(t *testing.T) {
	rates, err := Rates()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rates {
		if r.Seconds <= 0 || r.CPUSeconds <= 0 || r.PeakRSS <= 0 || r.Workers < 1 || r.Levels != nil && len(r.Levels) != r.MaxOps || r.Commit == "" || r.Machine == "" || r.Date == "" {
			t.Errorf("%+v", r)
		}
		sum := 0.0
		for _, s := range r.Levels {
			sum += s
		}
		if sum > r.Seconds*1.01 {
			t.Errorf("%s, %d operators: levels of %v s in %v s", r.Universe, r.MaxOps, sum, r.Seconds)
		}
	}
	for _, opt := range []Options{{MaxOps: 2}, {MaxOps: 3}, {MaxOps: 4}, {MaxOps: 3, Ops: []string{"bert"}}, {MaxOps: 3, Ops: []string{"cnn"}}} {
		if e, ok := EstimateOf(opt); !ok || e.Beyond > 0 {
			t.Errorf("%d operators, %v: no recorded run", opt.MaxOps, opt.Ops)
		}
	}
}

func TestEstimate(t *testing.T) {
	rates := []Rate{
		{Universe: "default", MaxOps: 2, Workers: 2, Seconds: 2, CPUSeconds: 3, PeakRSS: 100, Levels: []float64{0.5, 1}},
		{Universe: "default", MaxOps: 3, Workers: 2, Seconds: 20, CPUSeconds: 30, PeakRSS: 400, Levels: []float64{0.5, 1, 18}},
		{Universe: "default", MaxOps: 3, AxiomsOnly: true, Workers: 2, Seconds: 30, CPUSeconds: 50, PeakRSS: 400, Levels: []float64{0.5, 1, 18}},
		{Universe: "cnn", MaxOps: 2, Workers: 2, Seconds: 2, CPUSeconds: 3, PeakRSS: 100, Graphs: []int64{10, 100, 700}},
		{Universe: "bert", MaxOps: 3, Workers: 1, Seconds: 10, CPUSeconds: 10, PeakRSS: 300, Levels: []float64{1, 2, 6}},
	}
	for _, c := range []struct {
		opt     Options
		seconds float64 // 0: no estimate
		beyond  int
	}{
		{Options{MaxOps: 3, Workers: 2}, 30 * 0.625, 0},
		{Options{MaxOps: 3, Workers: 2, AxiomsOnly: true}, 50 * 0.625, 0},
		{Options{MaxOps: 2, Workers: 2, AxiomsOnly: true}, 3 * 0.625, 0}, // the other provers, better than nothing
		{Options{MaxOps: 3, Workers: 1}, 30, 0},
		{Options{MaxOps: 3, Workers: 8}, 30 * (0.25 + 0.75/8), 0},
		{Options{MaxOps: 4, Workers: 2}, 300 * 0.625, 1},
		{Options{MaxOps: 5, Workers: 2}, 3000 * 0.625, 2},
		{Options{MaxOps: 3, Workers: 2, Ops: []string{"cnn"}}, 21 * 0.625, 1},
		{Options{MaxOps: 4, Workers: 2, Ops: []string{"cnn"}}, 0, 0}, // neither graphs nor a smaller run
		{Options{MaxOps: 3, Workers: 1, Ops: []string{"bert"}}, 10, 0},
		{Options{MaxOps: 4, Workers: 1, Ops: []string{"bert"}}, 0, 0},
		{Options{MaxOps: 2, Workers: 1, Ops: []string{"bert"}}, 0, 0},
		{Options{MaxOps: 3, Ops: []string{"matmul", "relu"}}, 0, 0},
		{Options{MaxOps: 3, Exhaustive: true}, 0, 0},
	} {
		e, ok := estimate(rates, c.opt)
		if ok != (c.seconds > 0) {
			t.Errorf("%+v: %v", c.opt, ok)
			continue
		}
		if ok && (math.Abs(e.Seconds-c.seconds) > 1e-9 || e.Beyond != c.beyond) {
			t.Errorf("%+v: %v s, %d beyond, want %v, %d", c.opt, e.Seconds, e.Beyond, c.seconds, c.beyond)
		}
	}
}

// What is left follows the machine.
func TestPace(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPace(&Estimate{Seconds: 100, Levels: []float64{1, 9, 90}}, func() time.Time { return now })
	at := func(s float64) { now = time.Unix(0, int64(s*1e9)) }
	for _, c := range []struct {
		seconds float64
		level   int // done
		want    string
	}{
		{10, 0, ", whole run about 90 s left"},
		{11, 1, ", whole run about 89 s left"},  // too little is over to judge by
		{20, 2, ", whole run about 3 min left"}, // half as fast: 200 s in all
		{190, 2, ", whole run about 10 s left"},
		{230, 2, ", longer than estimated"},
	} {
		at(c.seconds)
		if c.level > 0 {
			p.level(c.level)
		}
		if c.seconds == 190 || c.seconds == 230 {
			p.factor = 2
		}
		if got := p.note("prove"); got != "prove"+c.want {
			t.Errorf("after %v s: %q, want %q", c.seconds, got, c.want)
		}
	}
	at(0)
	p = newPace(&Estimate{Seconds: 100, Levels: []float64{1, 9, 90}}, func() time.Time { return now })
	p.resume(1)
	p.resume(3)
	at(5)
	if got := p.note("prove"); got != "prove, whole run about 85 s left" {
		t.Errorf("resumed: %q", got)
	}
	at(180)
	p.level(3)
	if p.factor != 2 {
		t.Errorf("resumed: 180 s for 90 are a factor of %v", p.factor)
	}
	p = newPace(nil, time.Now)
	p.resume(2)
	p.level(1)
	p.begin(2)
	for stage, want := range map[string]string{"prove": "level 2: prove", "level 2: compare": "level 2: compare"} {
		if got := p.note(stage); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for s, want := range map[float64]string{0.2: "1 s", 99: "99 s", 120: "2 min", 3600: "60 min", 7200: "2 h"} {
		if got := Duration(s); got != want {
			t.Errorf("%v s is %s, want %s", s, got, want)
		}
	}
}

func ExampleEstimateOf() {
	e, ok := EstimateOf(Options{MaxOps: 3, Workers: 2})
	fmt.Println(ok, e.Beyond, e.Seconds < e.Rate.CPUSeconds)
	_, ok = EstimateOf(Options{MaxOps: 3, Ops: []string{"matmul", "relu"}})
	fmt.Println(ok)
	// Output:
	// true 0 true
	// false
}

func ExampleLeastMemory() {
	three, four := LeastMemory(Options{MaxOps: 3, Workers: 2}), LeastMemory(Options{MaxOps: 4, Workers: 2})
	fmt.Println(four-three > 50<<20, LeastMemory(Options{MaxOps: 3, Ops: []string{"matmul", "relu"}}) > 100<<20)
	// Output: true true
}

func ExampleDuration() {
	fmt.Println(Duration(0.3), Duration(75), Duration(480), Duration(3*3600))
	// Output: 1 s 75 s 8 min 3 h
}
