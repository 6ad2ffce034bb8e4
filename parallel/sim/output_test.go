package sim_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/page/pagetest"
	"github.com/taso-go/taso/parallel/sim"
)

// TestTrace: the trace is JSON, and on no track do two tasks overlap.
func TestTrace(t *testing.T) {
	g := random(t, 4, 300)
	add(t, g, sim.Task{Name: "a \"<b>\\\xff", Class: "</script>", Work: sim.Compute{Device: 0, Time: us}})
	run(t, g)
	var b bytes.Buffer
	if err := g.WriteTrace(&b); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Ph       string
			Pid, Tid int
			Ts, Dur  json.Number
		}
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	ps := func(n json.Number) sim.Time {
		x, err := json.Number(strings.Replace(string(n), ".", "", 1)).Int64()
		if err != nil && n != "" {
			t.Fatal(err)
		}
		return sim.Time(x)
	}
	type span struct{ from, to sim.Time }
	tracks := map[[2]int][]span{}
	for _, e := range trace.TraceEvents {
		if e.Ph != "X" || ps(e.Dur) == 0 {
			continue
		}
		s, at := span{ps(e.Ts), ps(e.Ts) + ps(e.Dur)}, [2]int{e.Pid, e.Tid}
		for _, o := range tracks[at] {
			if s.from < o.to && o.from < s.to {
				t.Fatalf("track %v: %v and %v overlap", at, s, o)
			}
		}
		tracks[at] = append(tracks[at], s)
	}
	if len(tracks) < 8 {
		t.Errorf("%d tracks: devices and links are wanted", len(tracks))
	}
}

// TestPage: the page is well-formed, hostile names are text, and bars are within the chart.
func TestPage(t *testing.T) {
	g := random(t, 4, 300)
	add(t, g, sim.Task{Name: `x</title><script>alert(1)</script>`, Class: `"><script>`, Work: sim.Compute{Device: 0, Time: us}})
	run(t, g)
	var b bytes.Buffer
	if err := g.WriteHTML(&b, "a <b>"); err != nil {
		t.Fatal(err)
	}
	bars := 0
	for _, e := range pagetest.Check(t, b.String()) {
		if e.Name == "rect" {
			bars++
		}
	}
	if strings.Contains(b.String(), "<script>alert") || strings.Contains(b.String(), "ZgotmplZ") {
		t.Error("a name is not escaped, or a style was refused")
	}
	if bars < 50 {
		t.Errorf("%d bars of 300 tasks", bars)
	}
	if err := sim.New(star(t, 2)).WriteHTML(io.Discard, "nothing"); err != nil {
		t.Error(err)
	}
}

// random is a graph of tasks that wait for some before them.
func random(t testing.TB, devices, tasks int) *sim.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	g := sim.New(star(t, devices))
	for range tasks {
		add(t, g, randomTask(r, g, sim.ID(g.Len())))
	}
	return g
}
