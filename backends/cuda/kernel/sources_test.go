package kernel_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/lower"
)

// eachCall calls f with the calls of every kernel of the suite's graphs, made twice.
func eachCall(t *testing.T, f func(name string, c, again kernel.Call)) {
	t.Helper()
	cases, err := backendtest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Graph == nil {
			continue
		}
		for _, opt := range []lower.Options{{}, {NoFuse: true}, {KeepAll: true}} {
			var made [2][]kernel.Call
			for i := range made {
				p, err := lower.Graph(c.Graph, lower.CUDA(), opt)
				if err != nil {
					t.Fatal(err)
				}
				for _, ks := range [][]lower.Kernel{p.Once, p.Run} {
					for j := range ks {
						calls, _, err := kernel.Calls(p, &ks[j], kernel.Libraries{})
						var un *backends.Unsupported
						if err != nil && !errors.As(err, &un) {
							t.Fatalf("%s: %v", c.Name, err)
						}
						made[i] = append(made[i], calls...)
					}
				}
			}
			if len(made[0]) != len(made[1]) {
				t.Fatalf("%s: %d calls, then %d", c.Name, len(made[0]), len(made[1]))
			}
			for i := range made[0] {
				f(c.Name, made[0][i], made[1][i])
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
			t.Errorf("%s: two sets of calls for one kernel:\n%s\n%s", name, c.Launch.Source, again.Launch.Source)
		}
	})
	if n < 1000 {
		t.Errorf("%d calls", n)
	}
}
