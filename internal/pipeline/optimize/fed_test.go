package optimize

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// A result that deviates on the given inputs is refused, whatever it does on others.
func TestCompareFed(t *testing.T) {
	var models []*model.Model
	for _, text := range []string{"x : float32[4]\ny = relu(x)\nreturn y", "x : float32[4]\nz = relu(x)\ny = relu(z)\nreturn y", "x : float32[4]\ny = tanh(x)\nreturn y"} {
		g, err := graph.ParseText("m", text)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, &model.Model{Name: "m", Graph: g})
	}
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for source, says := range map[feed.Source]string{feed.Zeros: "", feed.Ones: "output 0 deviates by 0.24 on the given inputs"} {
		fed, err := feed.Make(feed.Of(models[0]), map[string]feed.Source{"x": source}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range models[1:] {
			refused, err := (&Result{Model: m}).compareFed(context.Background(), &Options{Model: models[0], Feed: fed, Numbers: b})
			if err != nil {
				t.Fatal(err)
			}
			if want := i == 1 && says != ""; (refused != nil) != want || want && !strings.HasPrefix(refused.Error(), says) {
				t.Errorf("%s, result %d: %v", source, i, refused)
			}
		}
	}
	if d := deviation([]float64{1, math.NaN()}, []float64{1, 2}); !math.IsInf(d, 1) {
		t.Errorf("a number for none: %v", d)
	}
}
