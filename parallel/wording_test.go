package parallel

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// Strategies of operators at sizes of real networks: found, and without evaluating what is
// large.
func TestLargeStrategies(t *testing.T) {
	for _, c := range []struct {
		o     *graph.Op
		attrs graph.Attrs
		sizes [][]int
		has   []string
	}{
		{op.ScatterAdd, graph.Attrs{graph.IntValue(0), graph.IntValue(1_000_000)}, [][]int{{12288, 256}, {12288}},
			[]string{"[shard 0 shard 0] [sum]", "[shard 1 copy] [shard 1]"}},
		// The groups are a number in an attribute, the samples are not.
		{op.Conv2D, graph.Attrs{graph.TupleValue(1, 1), graph.TupleValue(1, 1, 1, 1), graph.IntValue(32), graph.NameValue("none"), graph.TupleValue(1, 1)}, [][]int{{768, 128, 56, 56}, {256, 4, 3, 3}},
			[]string{"[shard 0 copy] [shard 0]"}},
		// A part of the channels, samples in a derivative by the kernel, is as small as a window.
		{op.Conv2D, graph.Attrs{graph.TupleValue(1, 1), graph.TupleValue(1, 1, 1, 1), graph.IntValue(1), graph.NameValue("none"), graph.TupleValue(1, 1)}, [][]int{{8, 16, 3, 3}, {12, 16, 3, 3}},
			[]string{"[shard 1 shard 1] [sum]"}},
		// Groups and samples are one axis.
		{op.Reshape, graph.Attrs{graph.ShapeValue(graph.Sizes(32, 512, 7, 7))}, [][]int{{32, 32, 16, 7, 7}},
			[]string{"[shard 2] [shard 1 of 32 blocks]"}},
		{op.Conv2D, graph.Attrs{graph.TupleValue(1, 1), graph.TupleValue(1, 1, 1, 1), graph.IntValue(32), graph.NameValue("none"), graph.TupleValue(1, 1)}, [][]int{{4, 512, 58, 58}, {128, 16, 56, 56}},
			[]string{"[shard 1 of 32 blocks shard 1] [sum]", "[shard 1 shard 0] [shard 1]"}},
		// As many groups as channels, and as members.
		{op.Conv2D, graph.Attrs{graph.TupleValue(2, 2), graph.TupleValue(1, 1, 1, 1), graph.IntValue(96), graph.NameValue("relu"), graph.TupleValue(1, 1)}, [][]int{{16, 96, 56, 56}, {96, 1, 3, 3}},
			[]string{"[shard 1 shard 0] [shard 1]"}},
		{op.Conv2D, graph.Attrs{graph.TupleValue(1, 1), graph.TupleValue(0, 0, 0, 0), graph.IntValue(4), graph.NameValue("none"), graph.TupleValue(1, 1)}, [][]int{{16, 96, 56, 56}, {64, 24, 3, 3}},
			[]string{"[shard 1 shard 0] [shard 1]"}},
		{op.Reshape, graph.Attrs{graph.ShapeValue(graph.Sizes(24576, 1024))}, [][]int{{48, 512, 1024}},
			[]string{"[shard 0] [shard 0]", "[sum] [sum]"}},
	} {
		all, err := NewStrategies().Of(context.Background(), c.o, c.attrs, c.sizes, 4)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, st := range all {
			got = append(got, fmt.Sprint(st.In, " ", st.Out))
		}
		for _, want := range c.has {
			if !slices.Contains(got, want) {
				t.Errorf("%s at %v: %v, want %s", c.o.Name, c.sizes, got, want)
			}
		}
	}
}
