package cpu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/lower"
	"pgregory.net/rapid"
)

// spreadConv is the text of a random convolution of an image that is spread with zeros,
// which may be cut and given borders, with a tail.
func spreadConv(t *rapid.T) string {
	w := &writer{t: t}
	b, groups := w.int(1, 2, "batch"), 1
	cg, og := w.int(1, 6, "channels"), w.length(33, "results")
	if w.int(0, 2, "grouped") == 0 {
		groups, og = w.int(2, 3, "groups"), w.int(2, 9, "results")
	}
	var n, k, d, apart, before, sizes, lo, hi [2]int
	one := w.int(0, 5, "one cell") == 0
	for i := range 2 {
		n[i], k[i] = w.int(1, 9, "cells"), w.int(1, 5, "kernel")
		d[i], apart[i] = max(1, w.int(-2, 3, "dilation")), w.int(1, 4, "apart")
		if one {
			n[i], apart[i] = 1, 1
		}
		before[i] = w.int(0, apart[i]-1, "before")
		sizes[i] = n[i] * apart[i]
	}
	name := w.input(b, groups*cg, n[0], n[1])
	add := func(format string, a ...any) string {
		next := fmt.Sprintf("s%d", len(w.lines))
		w.lines = append(w.lines, next+" = "+fmt.Sprintf(format, a...))
		return next
	}
	if !one {
		name = add("reshape[shape=[%d, %d, %d, 1, %d, 1]](%s)", b, groups*cg, n[0], n[1], name)
		name = add("pad[before=(0, 0, 0, %d, 0, %d), after=(0, 0, 0, %d, 0, %d)](%s)", before[0], before[1], apart[0]-1-before[0], apart[1]-1-before[1], name)
		name = add("reshape[shape=[%d, %d, %d, %d]](%s)", b, groups*cg, sizes[0], sizes[1], name)
	}
	for i := range 2 {
		switch w.int(0, 3, "between") {
		case 0:
			if from, to := w.int(0, sizes[i]-1, "from"), w.int(0, 2, "less"); sizes[i]-to > from {
				name = add("slice[axis=%d, lo=%d, hi=%d](%s)", 2+i, from, sizes[i]-to, name)
				sizes[i] -= from + to
			}
		case 1:
			p := [2][4]int{}
			p[0][2+i], p[1][2+i] = w.int(0, 2, "border"), w.int(0, 2, "border")
			f := func(p [4]int) string { return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(p)), ", "), "[]") }
			name = add("pad[before=(%s), after=(%s)](%s)", f(p[0]), f(p[1]), name)
			sizes[i] += p[0][2+i] + p[1][2+i]
		}
	}
	var out [2]int
	for i := range 2 {
		reach := (k[i] - 1) * d[i]
		lo[i], hi[i] = w.int(0, reach, "pad"), w.int(0, reach, "pad")
		if sizes[i]+lo[i]+hi[i] <= reach {
			lo[i], hi[i] = reach, reach
		}
		out[i] = sizes[i] + lo[i] + hi[i] - reach
	}
	w.apply("conv2d", fmt.Sprintf("pad=(%d, %d, %d, %d), dilation=(%d, %d), groups=%d", lo[0], lo[1], hi[0], hi[1], d[0], d[1], groups),
		name, w.input(groups*og, cg, k[0], k[1]))
	w.tail([]int{b, groups * og, out[0], out[1]})
	return strings.Join(w.lines, "\n")
}

// TestSpreadConvs: convolutions over images spread with zeros, by all kernels, against the
// interpreter.
func TestSpreadConvs(t *testing.T) {
	drawn, spread := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range sweep.Size(1, 4) {
			text := spreadConv(t)
			g, err := graph.ParseText("case", text)
			if err != nil {
				t.Fatalf("%v in:\n%s", err, text)
			}
			p, err := lower.Graph(g, lower.CPU(), lower.Options{})
			if err != nil {
				t.Fatalf("%v in:\n%s", err, text)
			}
			drawn++
			for _, k := range p.Run {
				if k.As == "spread" {
					spread++
				}
			}
			for _, k := range allTables() {
				if err := backendtest.Agree(context.Background(), &Backend{t: k}, g, backends.CompileOptions{}); err != nil {
					t.Fatalf("%s: %v in:\n%s", k.name(), err, text)
				}
			}
		}
	})
	if spread*3 < drawn {
		t.Errorf("%d of %d convolutions are of an image that is spread", spread, drawn)
	}
}

// TestFarSpread: windows that reach far beyond the image need no memory for it.
func TestFarSpread(t *testing.T) {
	text := `
x : float32[1, 2, 3, 3]
w : float32[3, 2, 2, 2]
a = reshape[shape=[1, 2, 3, 1, 3, 1]](x)
p = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 0, 1, 0, 1)](a)
s = reshape[shape=[1, 2, 6, 6]](p)
y = conv2d[pad=(100000, 1, 0, 1), dilation=(100000, 1)](s, w)
return y`
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range allTables() {
		b := &Backend{t: k}
		if err := backendtest.Agree(context.Background(), b, g, backends.CompileOptions{}); err != nil {
			t.Fatalf("%s: %v", k.name(), err)
		}
		p, err := lower.Graph(g, b.Target(), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		far := p.Run[len(p.Run)-1]
		rows := phases(far.Spread, 0, 6, 2)
		nearer(rows, 3)
		if before, length := framed(rows, 3); far.As != "spread" || before > 10 || length > 30 {
			t.Errorf("%s: an axis of %d cells, %d before, for %s", k.name(), length, before, far.As)
		}
	}
}
