package cpu

import (
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// TestTogether: which steps are made together, that they compute what they do one by one, and
// that each has a time.
func TestTogether(t *testing.T) {
	g, err := graph.ParseText("case", `
x : float32[2, 64]
y : float32[256, 512]
a = tanh(x)
b = transpose(a)
c = concat[axis=0](b, b)
d = sigmoid(c)
e = softmax[axis=1](d)
f = exp(e)
k = transpose(f)
l = exp(k)
big = tanh(y)
return l, big, d`)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range allTables() {
		p, err := (&Backend{t: k}).Compile(context.Background(), &model.Model{Name: "case", Graph: g}, backends.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		plan := p.(*Plan)
		var lengths, calls []int
		for _, s := range plan.run {
			lengths, calls = append(lengths, s.last-s.first), append(calls, len(s.of))
		}
		// tanh, concat of two and sigmoid; softmax; exp, a copy and exp; what is too large.
		want := [2][]int{{3, 1, 3, 1}, {4, 0, 3, 0}}
		if !slices.Equal(lengths, want[0]) || !slices.Equal(calls, want[1]) {
			t.Errorf("%s: stretches of %v steps and %v calls, want %v", k.name(), lengths, calls, want)
		}
		in := []backends.Tensor{{DType: graph.Float32, Sizes: []int{2, 64}, F32: ramp(128)}, {DType: graph.Float32, Sizes: []int{256, 512}, F32: ramp(256 * 512)}}
		got, err := p.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		var sum cost.Seconds
		for _, o := range p.Profile() {
			if o.Seconds < 0 {
				t.Errorf("%s: node %s took %v", k.name(), o.Name, o.Seconds)
			}
			sum += o.Seconds
		}
		if sum <= 0 {
			t.Errorf("%s: all nodes took %v", k.name(), sum)
		}
		// One by one.
		run := plan.run
		plan.run = nil
		for i := range plan.steps {
			plan.run = append(plan.run, stretch{first: i, last: i + 1})
		}
		again, err := p.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			for j, x := range again[i].F32 {
				if x != got[i].F32[j] {
					t.Fatalf("%s: output %d, element %d: %v together, %v one by one", k.name(), i, j, got[i].F32[j], x)
				}
			}
		}
		plan.run = run
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func ramp(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%13)/8 - 0.75
	}
	return x
}
