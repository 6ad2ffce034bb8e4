package judge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/ort"
)

// chain is a file of testdata: chains of sines of 2048 elements.
func chain(name string) File { return File{Path: filepath.Join("testdata", name+".onnx")} }

func inputs() []ort.Tensor { return []ort.Tensor{ort.Float32("x", []int{2048}, make([]float32, 2048))} }

// Files are judged in ONNX Runtime, and the decision is kept until it depends on something
// else.
func TestRun(t *testing.T) {
	rt := ort.ForTest(t)
	ctx := context.Background()
	store := OpenStore(filepath.Join(t.TempDir(), "decisions"))
	o := Options{Inputs: inputs(), Budget: time.Second, Store: store}
	broken := File{Path: filepath.Join(t.TempDir(), "broken.onnx")}
	if err := os.WriteFile(broken.Path, []byte("no model"), 0o666); err != nil {
		t.Fatal(err)
	}
	list := []File{broken, chain("renamed"), chain("fast")}
	d, err := Run(ctx, rt, chain("slow"), list, o)
	if err != nil {
		t.Fatal(err)
	}
	if d.Winner != 3 || d.Reused || d.Version != rt.Version || d.Threads != 1 || d.Level != ort.All || d.Unix == 0 || d.Seconds <= 0 {
		t.Errorf("%+v", d)
	}
	for i, want := range []struct {
		verdict Verdict
		why     string
	}{{Fails, "run ONNX Runtime on " + broken.Path}, {Fails, "output 0 is named z, in the original y"}, {Faster, ""}} {
		if c := d.Candidates[i]; c.Verdict != want.verdict || !strings.HasPrefix(c.Why, want.why) {
			t.Errorf("candidate %d: %s %s", i+1, c.Verdict, c.Why)
		}
	}
	if c := d.Candidates[2]; c.On.Ratio < 0.3 || c.On.Ratio > 0.8 || c.Off == nil || c.On.Original > 0.1 {
		t.Errorf("%+v, %+v", c.On, c.Off)
	}
	again, err := Run(ctx, rt, chain("slow"), list, o)
	if err != nil || !again.Reused || again.Winner != 3 || *again.Candidates[2].On != *d.Candidates[2].On {
		t.Errorf("%+v, %v", again, err)
	}
	// An original that does not run decides nothing, and is tried again.
	for range 2 {
		if d, err := Run(ctx, rt, broken, list[1:], o); err != nil || d.Winner != 0 || d.Reused || !strings.Contains(d.Failed, "broken.onnx") {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

// What a decision depends on is in its key.
func TestKey(t *testing.T) {
	d := Decision{Version: "1", CPU: "c", Level: ort.All, Threads: 1}
	files := []File{chain("slow"), chain("fast")}
	other := d
	other.Threads = 2
	newer := d
	newer.Version = "2"
	data := []File{{files[0].Path, []string{files[1].Path}}, files[1]}
	keys := map[string]string{}
	for what, k := range map[string]func() (string, error){
		"plain":   func() (string, error) { return keyOf(&d, files, inputs()) },
		"threads": func() (string, error) { return keyOf(&other, files, inputs()) },
		"version": func() (string, error) { return keyOf(&newer, files, inputs()) },
		"order":   func() (string, error) { return keyOf(&d, []File{files[1], files[0]}, inputs()) },
		"data":    func() (string, error) { return keyOf(&d, data, inputs()) },
		"inputs":  func() (string, error) { return keyOf(&d, files, nil) },
		"numbers": func() (string, error) {
			in := inputs()
			in[0].Data = append([]byte{in[0].Data[0] ^ 1}, in[0].Data[1:]...)
			return keyOf(&d, files, in)
		},
	} {
		key, err := k()
		if err != nil {
			t.Fatal(err)
		}
		if was, ok := keys[key]; ok {
			t.Errorf("%s and %s have one key", what, was)
		}
		keys[key] = what
	}
	if _, err := keyOf(&d, []File{chain("none")}, nil); err == nil {
		t.Error("a file that is not there")
	}
}

// A damaged file of the store counts as absent and is replaced.
func TestStore(t *testing.T) {
	s := OpenStore(filepath.Join(t.TempDir(), "a", "b"))
	d := &Decision{Winner: 1, Candidates: make([]Outcome, 1), Unix: 5}
	for _, damage := range []string{"", "{", `{"winner":2,"unix":5}`} {
		if err := s.put("k", d); err != nil {
			t.Fatal(err)
		}
		if damage != "" {
			if err := os.WriteFile(s.path("k"), []byte(damage), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.get("k"); (got != nil) != (damage == "") {
			t.Errorf("%q: %+v", damage, got)
		}
	}
	if s.get("none") != nil {
		t.Error("a decision that was not put")
	}
}

func ExampleDecision_Sentence() {
	on := &Comparison{Level: ort.All, Original: 6.12e-3, Candidate: 5.37e-3, Ratio: 0.877, Low: 0.871, High: 0.882, Confidence: 0.95, Rounds: 96, Blocks: 8}
	off := &Comparison{Level: ort.Disable, Original: 9e-3, Candidate: 9e-3, Ratio: 1, Low: 0.992, High: 1.004, Confidence: 0.95, Rounds: 72, Blocks: 6}
	d := Decision{Winner: 1, Candidates: []Outcome{{Verdict: Faster, On: on, Off: off}}, Version: "1.20.1", Threads: 1, Level: ort.All}
	fmt.Println(d.Sentence())
	// Output:
	// Faster in ONNX Runtime 1.20.1 (level all, 1 thread): 6.12 ms -> 5.37 ms, time -12.3 % (-12.9 % to -11.8 % at 95 % confidence); with optimizations off: 9 ms -> 9 ms, time 0.0 % (-0.8 % to +0.4 % at 95 % confidence).
}

// The sentence says why the model stays.
func TestSentence(t *testing.T) {
	on := func(ratio float64) *Comparison {
		return &Comparison{Level: ort.All, Original: 2, Candidate: 2 * ratio, Ratio: ratio, Low: ratio - 0.01, High: ratio + 0.01, Confidence: 0.95}
	}
	d := Decision{Version: "1.20.1", Threads: 4, Level: ort.Basic}
	for _, c := range []struct {
		failed     string
		candidates []Outcome
		want       string
	}{
		{"", nil, "No improvement found; model unchanged."},
		{"it crashed", nil, "Model unchanged; not measured in ONNX Runtime 1.20.1 (level basic, 4 threads): it crashed"},
		{"", []Outcome{{Verdict: Fails, Why: "no kernel"}}, "No improvement found; model unchanged: the candidate fails in ONNX Runtime 1.20.1 (level basic, 4 threads): no kernel."},
		{"", []Outcome{{Verdict: Fails}, {Verdict: Slower, On: on(1.1)}, {Verdict: NoDifference, On: on(1)}}, "No improvement found; model unchanged: the best of 3 candidates shows no measurable difference in ONNX Runtime 1.20.1 (level basic, 4 threads): 2 s -> 2 s, time 0.0 % (-1.0 % to +1.0 % at 95 % confidence)."},
	} {
		d.Failed, d.Candidates = c.failed, c.candidates
		if got := d.Sentence(); got != c.want {
			t.Errorf("%s", got)
		}
	}
}

// A candidate that is the fastest at the first sizes and slower at others loses to the next one
// that is slower nowhere, if there is one.
func TestRunSizes(t *testing.T) {
	// Changes of time by file, at 4, 8 and 16 elements.
	changes := map[string][3]float64{"most": {-9, -9, 1}, "some": {-5, 0, -1}, "none": {0, 0, 0}, "late": {-7, 2, -9}}
	verdict := func(x float64) Verdict {
		switch {
		case x < 0:
			return Faster
		case x > 0:
			return Slower
		}
		return NoDifference
	}
	at := func(n int) []ort.Tensor { return []ort.Tensor{ort.Float32("x", []int{n}, make([]float32, n))} }
	run := func(files []File, o Options) (*Decision, error) {
		d := &Decision{Seconds: 1}
		best := 0.0
		for i, f := range files {
			x := changes[f.Path][map[int]int{4: 0, 8: 1, 16: 2}[o.Inputs[0].Sizes[0]]]
			d.Candidates = append(d.Candidates, Outcome{Verdict: verdict(x), On: &Comparison{}})
			if x < best {
				d.Winner, best = i+1, x
			}
		}
		return d, nil
	}
	further := []Sized{{"8", at(8)}, {"16", at(16)}}
	for _, c := range []struct {
		files    []string
		winner   int
		verdicts []Verdict
		seconds  float64
	}{
		{[]string{"most", "none", "some"}, 3, []Verdict{SlowerElsewhere, NoDifference, Faster}, 6},
		{[]string{"some", "late", "most"}, 1, []Verdict{Faster, SlowerElsewhere, SlowerElsewhere}, 8},
		{[]string{"none", "late"}, 0, []Verdict{NoDifference, SlowerElsewhere}, 2},
		{[]string{"none"}, 0, []Verdict{NoDifference}, 1},
	} {
		var files []File
		for _, f := range c.files {
			files = append(files, File{Path: f})
		}
		d, err := runSizes(files, Options{Inputs: at(4)}, further, run)
		if err != nil {
			t.Fatal(err)
		}
		var got []Verdict
		for _, o := range d.Candidates {
			got = append(got, o.Verdict)
		}
		if d.Winner != c.winner || !slices.Equal(got, c.verdicts) || d.Seconds != c.seconds {
			t.Errorf("%v: winner %d, %v, %g s; want %d, %v, %g s", c.files, d.Winner, got, d.Seconds, c.winner, c.verdicts, c.seconds)
		}
		if w := d.Winner; w > 0 && len(d.Candidates[w-1].Elsewhere) != len(further) {
			t.Errorf("%v: the winner is compared at %d further sizes", c.files, len(d.Candidates[w-1].Elsewhere))
		}
	}
}
