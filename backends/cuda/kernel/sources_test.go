package kernel_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
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
						for _, lib := range []kernel.Libraries{{}, {CublasLt: true, Cudnn: true}} {
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
