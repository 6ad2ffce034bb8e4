package cuda_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// TestOutside runs operators whose operands say where they read with places that there
// are not, many at once and as far out as numbers go: the error names one of them as it
// was given, and the next run is right again.
func TestOutside(t *testing.T) {
	b, _ := open(t, cuda.Options{})
	for _, text := range []string{
		"x : float32[5, 3]\ni : int64[70]\ny = gather[axis=0](x, i)\nreturn y",
		"x : float32[70, 3]\ni : int64[70]\ny = scatteradd[axis=0, n=5](x, i)\nreturn y",
		"x : float32[70, 1100]\ni : int64[70]\ny = scatteradd[axis=0, n=5](x, i)\nreturn y",
		"x : float32[5, 3]\nk : int64[5]\ni : int64[70]\ny = pick[n=5](x, k, i)\nreturn y",
		"x : float32[2, 5, 3]\ni : int64[2, 70]\ny = each_gather[over=[2], axis=0](x, i)\nreturn y",
	} {
		g, err := graph.ParseText("outside", text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.Compile(t.Context(), &model.Model{Name: "outside", Graph: g}, backends.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		var in []backends.Tensor
		for k, id := range g.Inputs() {
			x, err := backends.Random(uint64(k), g.Type(id.Out(0)))
			if err != nil {
				t.Fatal(err)
			}
			for k := range x.I64 {
				x.I64[k] = int64(k%10) - 5
			}
			in = append(in, x)
		}
		if len(in) == 3 { // keys of any size are found by nobody
			in[1].I64[0], in[1].I64[1] = math.MinInt64, math.MaxInt64
		}
		first, err := p.Run(t.Context(), in)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		at := in[len(in)-1].I64
		good := slices.Clone(at)
		for k := range at {
			at[k] = []int64{math.MinInt64 + int64(k), math.MaxInt64 - int64(k), 1<<32 + int64(k), -6, 5}[k%5]
		}
		_, err = p.Run(t.Context(), in)
		named := err != nil && slices.ContainsFunc(at, func(k int64) bool { return strings.Contains(err.Error(), fmt.Sprintf("index %d of", k)) })
		if !named {
			t.Errorf("places that are outside: %v in:\n%s", err, text)
		}
		copy(at, good)
		again, err := p.Run(t.Context(), in)
		if err != nil || !slices.Equal(again[0].F32, first[0].F32) {
			t.Errorf("after places that are outside: %v in:\n%s", err, text)
		}
	}
}
