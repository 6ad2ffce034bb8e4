package parallelize

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/page/pagetest"
	"github.com/taso-go/taso/parallel/plan"
)

// The page holds what the report says, and text of others stays text.
func TestPage(t *testing.T) {
	evil := `</script><script>alert(1)</script><img src=x>`
	r := &Report{Model: evil, Machine: evil, Devices: 2, Batch: 16, Training: true, Laws: 3, Instances: 40,
		Planners: []Row{{Planner: evil, Mesh: evil, Padded: []plan.PaddedAxis{{}}, Time: 4e6, Bound: 1e6, Stop: evil, Makespan: 3e6, Memory: 5e6, PerSecond: 12, Beside: 1}, {Planner: "other", Why: evil}},
		Classes:  []plan.ClassTime{{Class: "forward", Time: 3e6}, {Class: evil, Time: 1e6}},
		Memory:   &plan.Memory{Weights: 1e6, Inputs: 2e6, Peak: 5e6, At: evil, Alive: []plan.Alive{{Node: evil, Bytes: 3e6, What: evil}}, Host: 1e6, Again: 1, Away: 2},
		Layouts:  []Lies{{Node: "a", Op: "relu"}, {Node: "b", Op: "relu"}, {Node: evil, Op: evil, Layout: evil}}}
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	pagetest.Check(t, b.String())
	for _, want := range []string{"A training step of 16 samples takes 3 µs and 5.0000 MB per device", "1 result rematerialized", "2 results offloaded", "3 laws, 40 instances", `<span class="draw sw" style="background:var(--draw-line7)"></span>forward</span></td>`, `75.0<span class="amount" style="width:75%">`, ">whole<", "no plan: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if err := (&Report{}).WriteHTML(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	full := errors.New("disk full")
	if err := r.WriteHTML(failWriter{full}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failWriter struct{ err error }

func (f failWriter) Write([]byte) (int, error) { return 0, f.err }
