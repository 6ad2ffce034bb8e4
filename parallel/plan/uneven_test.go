package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/verify/check"
)

// oddStep is a training step of two layers on devices of a node.
func oddStep(t testing.TB, samples, in, hidden, words int, loss grad.Loss) *Training {
	t.Helper()
	g, err := graph.ParseText("test", fmt.Sprintf(`
x : float32[%[1]d, %[2]d]
v : weight float32[%[2]d, %[3]d]
w : weight float32[%[3]d, %[4]d]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
return y`, samples, in, hidden, words))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Train(g, grad.Options{Loss: loss, Axis: 1, Rate: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// shownPadded asks the checker about a plan of a padded training step.
func shownPadded(t testing.TB, p *Plan) {
	t.Helper()
	s := p.Shown()
	for name, l := range s.Laws {
		if _, err := check.Rule(l, s.Evidence[name], nil); err != nil {
			t.Errorf("law %s: %v", name, err)
		}
	}
	if _, err := check.Rule(s.Equation, s.Proof, check.Laws(s.Laws)); err != nil {
		t.Error(err)
	}
}

// Where devices do not divide what matters auto pads it, and a step is shorter; where they do it
// does not.
func TestUneven(t *testing.T) {
	for _, c := range []struct {
		name                       string
		samples, in, hidden, words int
		loss                       grad.Loss
		padded                     []int // sizes
	}{
		{"samples", 4001, 512, 512, 512, grad.MeanSquare, []int{4001}},
		{"words, few samples", 32, 1024, 1024, 50257, grad.MeanSquare, []int{50257}},
		{"all", 4001, 509, 1021, 503, grad.MeanSquare, []int{4001}},
		{"none", 4096, 512, 512, 512, grad.MeanSquare, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := oddStep(t, c.samples, c.in, c.hidden, c.words, c.loss)
			j, err := (&Job{Strategies: strategies, Training: tr, Cluster: meshOf(t, "summit", 1).Cluster, Devices: 4, Steps: 1 << 16, Without: []string{"exhaustive", "topology", "soap", "unity", "alpa", "pipeline"}}).fill()
			if err != nil {
				t.Fatal(err)
			}
			even := *j
			even.Even = true
			as, err := Find(ctx, "auto", &even)
			if err != nil && !IsNone(err) {
				t.Fatal(err)
			}
			was := machine.Time(math.MaxInt64)
			if err == nil {
				if was, err = as.Makespan(ctx); err != nil {
					t.Fatal(err)
				}
			}
			p, err := Find(ctx, "auto", j)
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.Makespan(ctx)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("as it is %s, padded %v %v", was, m, p.PaddedAxes())
			if longer := len(p.PaddedAxes()) > 0; longer != (m < was) {
				t.Errorf("as it is a step takes %s, with %v %s", was, p.PaddedAxes(), m)
			}
			var from []int
			for _, x := range p.PaddedAxes() {
				if !slices.Contains(from, x.From) {
					from = append(from, x.From)
				}
			}
			if !slices.Equal(from, c.padded) {
				t.Errorf("padded: %v, want %v", from, c.padded)
			}
			shownPadded(t, p)
		})
	}
}

// What auto tells of planners is told once, of the training step as it came, also where the plan
// it takes is padded.
func TestFoundOfTheStep(t *testing.T) {
	tr := oddStep(t, 4001, 512, 512, 512, grad.MeanSquare)
	told := map[string]int{}
	j, err := (&Job{Strategies: strategies, Training: tr, Cluster: meshOf(t, "summit", 1).Cluster, Devices: 4, Steps: 1 << 16,
		Without: []string{"exhaustive", "topology", "soap", "unity", "alpa", "pipeline", "expert"},
		Found:   func(planner string, _ *Plan, _ error) { told[planner]++ }}).fill()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Find(ctx, "auto", j)
	if err != nil {
		t.Fatal(err)
	}
	if p.Training.Padded == nil {
		t.Error("the plan is not padded: the test looks at nothing")
	}
	for _, name := range []string{"data", "fsdp", "megatron"} {
		if told[name] != 1 {
			t.Errorf("%s is told of %d times", name, told[name])
		}
	}
}
