package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
)

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  graph.Range
		steps map[string]int
		fails string
	}{
		{text: "n=1..512", want: graph.Range{Lo: 1, Hi: 512}},
		{text: "n=..512", want: graph.Range{Lo: 1, Hi: 512}},
		{text: "n=4..", want: graph.Range{Lo: 4, Hi: graph.Unbounded}},
		{text: "n=32..512/8", want: graph.Range{Lo: 32, Hi: 512}, steps: map[string]int{"n": 8}},
		{text: "n=../8", want: graph.Range{Lo: 1, Hi: graph.Unbounded}, steps: map[string]int{"n": 8}},
		{text: "n=5..8/8", want: graph.Range{Lo: 5, Hi: 8}, steps: map[string]int{"n": 8}},
		{text: "n=1..9/1", want: graph.Range{Lo: 1, Hi: 9}, steps: map[string]int{"n": 1}},
		{text: "n=5..7/8", fails: "no multiple of 8 is in the range"},
		{text: "n=9..7", fails: "the range is empty"},
		{text: "n=1..9/0", fails: `"0" is not a step; want a whole number from 1`},
		{text: "n=1..9/", fails: `"" is not a step`},
		{text: "n=1..9/-2", fails: `"-2" is not a step`},
		{text: "n=1..9/2/2", fails: `"2/2" is not a step`},
		{text: "n=1..x/2", fails: `"x" is not a size`},
		{text: "n=8/8", fails: "want NAME=FROM..TO or NAME=FROM..TO/STEP"},
		{text: "=1..2", fails: "want NAME=FROM..TO"},
	} {
		ranges, steps, err := parseRanges([]string{c.text})
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), "--range "+c.text+": ") || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: error %v, want one with %q", c.text, err, c.fails)
			}
			continue
		}
		if err != nil || ranges["n"] != c.want || !maps.Equal(steps, c.steps) {
			t.Errorf("%s: %v in steps of %v, %v; want %v in steps of %v", c.text, ranges, steps, err, c.want, c.steps)
		}
	}
	if _, _, err := parseRanges([]string{"n=1..9/3", "n=1..9"}); err == nil || !strings.Contains(err.Error(), "n is given twice") {
		t.Errorf("error %v", err)
	}
}

// The sizes at which a result must not lose reach from small ones to the end of the range, or to
// larger ones where that is far.
func TestLarger(t *testing.T) {
	for _, c := range []struct {
		sample int
		hi     int64
		want   int
	}{{128, 512, 512}, {128, 1024, 1024}, {128, 1025, 256}, {1, 8, 8}, {1, graph.Unbounded, 4}, {128, 128, 128}} {
		if got := larger(graph.SizeVar{Name: "n", Sample: c.sample, Range: graph.Range{Lo: 1, Hi: c.hi}}); got != c.want {
			t.Errorf("a sample of %d up to %d: %d, want %d", c.sample, c.hi, got, c.want)
		}
	}
}
