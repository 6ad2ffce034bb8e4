package kernel_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// eachCall calls f with the calls of every kernel of the suite's graphs and of edges,
// without libraries and with them, made twice.
func eachCall(t *testing.T, f func(name string, c, again kernel.Call)) {
	t.Helper()
	cases, err := backendtest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	graphs := map[string]*graph.Graph{}
	for name, text := range edges() {
		if graphs["edges/"+name], err = graph.ParseText("edge", text); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range cases {
		if c.Graph != nil {
			graphs[c.Name] = c.Graph
		}
	}
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		g := graphs[name]
		for _, opt := range []lower.Options{{}, {NoFuse: true}, {KeepAll: true}} {
			var made [2][]kernel.Call
			for i := range made {
				p, err := lower.Graph(g, lower.CUDA(), opt)
				if err != nil {
					t.Fatal(err)
				}
				for _, ks := range [][]lower.Kernel{p.Once, p.Run} {
					for j := range ks {
						for _, lib := range []kernel.Libraries{{}, {CublasLt: true}, {CublasLt: true, Cudnn: true}} {
							calls, _, err := kernel.Calls(p, &ks[j], lib)
							var un *backends.Unsupported
							if err != nil && !errors.As(err, &un) {
								t.Fatalf("%s: %v", name, err)
							}
							made[i] = append(made[i], calls...)
						}
					}
				}
			}
			if len(made[0]) != len(made[1]) {
				t.Fatalf("%s: %d calls, then %d", name, len(made[0]), len(made[1]))
			}
			for i := range made[0] {
				f(name, made[0][i], made[1][i])
			}
		}
	}
}

// TestSame: the same kernel is the same calls, to the byte.
func TestSame(t *testing.T) {
	n := 0
	eachCall(t, func(name string, c, again kernel.Call) {
		n++
		if !reflect.DeepEqual(c, again) {
			t.Errorf("%s: two sets of calls for one kernel: %+v and %+v", name, c, again)
		}
	})
	if n < 1000 {
		t.Errorf("%d calls", n)
	}
}

// TestUnsupported: what there is no code for is told with its node, and is no panic.
func TestUnsupported(t *testing.T) {
	for text, want := range map[string]string{
		"x : float32[4]\ny = cast[to=float8e5m2](x)\nreturn y":                                                 "node y (cast): backend cuda cannot run node y (cast): there is no kernel that makes float8e5m2 of float32",
		"x : int64[2, 3, 4]\ny = reducesum[axes=(0, 2)](x)\nreturn y":                                          "operands in another form",
		"x : int64[1, 2, 3, 3]\nw : weight int64[2, 1, 3, 3]\ny = conv2d[pad=valid, groups=2](x, w)\nreturn y": "",
	} {
		g, err := graph.ParseText("unsupported", text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := lower.Graph(g, lower.CUDA(), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Run {
			_, _, err = kernel.Calls(p, &p.Run[i], kernel.Libraries{CublasLt: true, Cudnn: true})
			if err != nil {
				break
			}
		}
		var un *backends.Unsupported
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (!errors.As(err, &un) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
