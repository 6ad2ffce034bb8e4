package extract

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// published reads one of testdata's e-graphs.
func published(t testing.TB, name string) *Gym {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	g, err := ReadGym(z, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPublished: the known optima, proved.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		name           string
		classes, nodes int
		want           float64 // ms
	}{
		{"resnet50", 2656, 4350, 4.38579},
		{"vgg", 1408, 2726, 4.85076},
		{"vgg_acyclic", 96, 112, 4.86677},
	} {
		g := published(t, c.name)
		if g.Classes != c.classes || len(g.Nodes) != c.nodes {
			t.Errorf("%s: %d classes, %d nodes: want %d, %d", c.name, g.Classes, len(g.Nodes), c.classes, c.nodes)
		}
		for _, m := range []Method{Auto, Exact} {
			r, err := Solve(context.Background(), &g.Problem, Options{Method: m})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, &g.Problem, r, r.Bound)
			if got := float64(r.Cost) / g.Scale; r.Stop != StopOptimal || math.Abs(got-c.want) > 1e-5 {
				t.Errorf("%s, method %q: %f, %s: want %f, optimal", c.name, m, got, r.Stop, c.want)
			}
		}
	}
}

// TestGymRoundTrip: what is written is read as it was.
func TestGymRoundTrip(t *testing.T) {
	for _, name := range []string{"resnet50", "vgg_acyclic"} {
		g := published(t, name)
		var b bytes.Buffer
		if err := g.Write(&b); err != nil {
			t.Fatal(err)
		}
		h, err := ReadGym(&b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, h); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		g := &Gym{Problem: *drawn(t, 6, 12), Comment: "drawn"}
		g.MaxBytes = int64(rapid.IntRange(0, 3).Draw(t, "max"))
		var b bytes.Buffer
		if err := g.Write(&b); err != nil {
			if len(byClass(&g.Problem)) < g.Classes {
				return
			}
			t.Fatal(err)
		}
		h, err := ReadGym(&b, 0)
		if err != nil {
			t.Fatal(err)
		}
		// Classes are numbered anew: compare what is written again.
		var c bytes.Buffer
		if err := h.Write(&c); err != nil {
			t.Fatal(err)
		}
		i, err := ReadGym(&c, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h, i); diff != "" {
			t.Fatal(diff)
		}
		if want := least(&g.Problem); want != least(&h.Problem) {
			t.Fatalf("least cost %d, read back %d", want, least(&h.Problem))
		}
	})
}

// byClass counts nodes of classes that have any.
func byClass(p *Problem) map[ClassID]int {
	m := map[ClassID]int{}
	for _, n := range p.Nodes {
		m[n.Class]++
	}
	return m
}

func TestGymErrors(t *testing.T) {
	node := `{"nodes": {"a": {"op": "x", "cost": 1, "eclass": "A", "children": []}}`
	for text, want := range map[string]string{
		``:                                    "file: unexpected EOF",
		`[]`:                                  "want an object",
		`{"root_eclasses": []}`:               `no "nodes"`,
		`{"nodes": {`:                         "unexpected EOF",
		`{"nodes": 3}`:                        "nodes: want an object",
		node + `, "nodes": {}}`:               `"nodes" is there twice`,
		node + `}`:                            "no roots",
		node + `, "root_eclasses": []}`:       "no roots",
		node + `, "root_eclasses": 3}`:        "root_eclasses",
		node + `, "root_eclasses": ["B"]}`:    `root "B" is the class of no node`,
		node + `, "root_eclasses": ["A"]} {}`: "something follows",
		node + `, "root_eclasses": ["A"], "max_bytes": -1}`:                                             "want at least 0",
		`{"nodes": {"a": {"op": "x", "cost": 1}}}`:                                                      `node "a": no eclass`,
		`{"nodes": {"a": {"eclass": 3}}}`:                                                               `node "a"`,
		`{"nodes": {"a": {"eclass": "A", "cost": -1}}}`:                                                 `node "a": cost -1`,
		`{"nodes": {"a": {"eclass": "A", "cost": 1e300}}}`:                                              `node "a": cost 1e+300`,
		`{"nodes": {"a": {"eclass": "A", "kind": "odd"}}}`:                                              `node "a": kind "odd"`,
		`{"nodes": {"a": {"eclass": "A"}, "a": {"eclass": "A"}}}`:                                       `"a" is there twice`,
		`{"nodes": {"a": {"eclass": "A", "children": ["b"]}}}`:                                          `node "a": child "b" is no node`,
		`{"nodes": {"a": {"eclass": "A", "children": ["a"], "kind": "fixed"}}, "root_eclasses": ["A"]}`: "fixed, with 1 children",
	} {
		_, err := ReadGym(strings.NewReader(text), 0)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "e-graph: ") {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
	if _, err := ReadGym(strings.NewReader(node), math.NaN()); err == nil || !strings.Contains(err.Error(), "scale") {
		t.Errorf("scale NaN: got %v", err)
	}
}

// TestGymSubsumed: a subsumed node is not to be extracted, but names its class.
func TestGymSubsumed(t *testing.T) {
	g, err := ReadGym(strings.NewReader(`{"nodes": {
		"a": {"op": "f", "cost": 1, "eclass": "A", "children": ["b"]},
		"b": {"op": "x", "cost": 0, "eclass": "B", "children": [], "subsumed": true},
		"c": {"op": "y", "cost": 2, "eclass": "B", "children": []}}, "root_eclasses": ["A"]}`), 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Solve(context.Background(), &g.Problem, Options{})
	if err != nil || r.Cost != 3 {
		t.Errorf("got %v, %v: want cost 3", r, err)
	}
}

// FuzzReadGym: any text is read or refused, and what is read can be written, if every
// class has a node, and solved.
func FuzzReadGym(f *testing.F) {
	f.Add(`{"nodes": {"a": {"op": "x", "cost": 1, "eclass": "A", "children": []}}, "root_eclasses": ["A"]}`)
	f.Add(`{"nodes": {"a": {"op": "x", "cost": 0.5, "eclass": "A", "children": ["b", "b"]}, "b": {"op": "y", "eclass": "B", "children": [], "kind": "fixed", "bytes": 3}, "c": {"op": "z", "eclass": "B", "children": ["a"]}}, "root_eclasses": ["A", "B"], "max_bytes": 2}`)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ReadGym(strings.NewReader(text), 1)
		if err != nil {
			return
		}
		if len(g.Nodes) > 50 {
			return
		}
		r, err := Solve(context.Background(), &g.Problem, Options{Steps: 1 << 16})
		if err == nil {
			if cost, bytes, ok := judged(&g.Problem, r.Choice); !ok || cost != r.Cost || bytes != r.Bytes || r.Bound > r.Cost {
				t.Fatalf("%v costs %d with %d bytes (%v)", r, cost, bytes, ok)
			}
		}
		var b bytes.Buffer
		if err := g.Write(&b); err != nil {
			if len(byClass(&g.Problem)) == g.Classes {
				t.Fatal(err)
			}
			return
		}
		if _, err := ReadGym(&b, 1); err != nil {
			t.Fatalf("%v: reading %s", err, b.String())
		}
	})
}
