package optimize_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
)

// keysOf lists the keys of an object of JSON.
func keysOf(t *testing.T, raw json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The keys of the report are what others read it by. They are there whatever the
// method was, and all times are in seconds.
func TestReportKeys(t *testing.T) {
	m, err := models.Build("squeezenet-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"model", "search", "cost_model", "cost_before", "cost_after", "measured_before", "measured_after", "steps",
		"nodes_before", "nodes_after", "heaviest", "egraph", "extract", "seconds", "max_rel_error", "proof_checked"}
	for _, method := range []optimize.Method{optimize.Saturate, optimize.Descend} {
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), CostName: "v100", Method: method, Tries: 100, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		res.MeasuredBefore = 0.002
		raw, err := json.Marshal(&res.Report)
		if err != nil {
			t.Fatal(err)
		}
		keys := keysOf(t, raw)
		for _, k := range want {
			if _, ok := keys[k]; !ok {
				t.Errorf("%s: there is no %s", method, k)
			}
		}
		if string(keys["measured_before"]) != "0.002" || string(keys["measured_after"]) != "0" {
			t.Errorf("%s: measured %s and %s", method, keys["measured_before"], keys["measured_after"])
		}
		if method == optimize.Descend {
			if string(keys["egraph"]) != "null" || string(keys["extract"]) != "null" {
				t.Errorf("e-graphs of a search without: %s", raw)
			}
			continue
		}
		for k, parts := range map[string][]string{"egraph": {"classes", "nodes", "iterations", "stop", "bytes"}, "extract": {"method", "bound", "gap"}} {
			have := keysOf(t, keys[k])
			for _, part := range parts {
				if _, ok := have[part]; !ok {
					t.Errorf("%s has no %s", k, part)
				}
			}
		}
		checkTally(t, res)
	}
}

// checkTally holds the counts of laws against the steps, and what is marked in the
// graphs against the names of nodes.
func checkTally(t *testing.T, res *optimize.Result) {
	t.Helper()
	kept, together := 0, 0
	for _, u := range res.Laws {
		kept += u.Kept
		together += u.Together
	}
	if kept != len(res.Steps) || kept == 0 || together != kept {
		t.Errorf("%d steps, laws have %d, %d of them together", len(res.Steps), kept, together)
	}
	if len(res.Made) == 0 || len(res.Gone) == 0 {
		t.Errorf("steps changed nothing: %d nodes made, %d gone", len(res.Made), len(res.Gone))
	}
	first, last := res.Steps[0], res.Steps[len(res.Steps)-1]
	if first.Before <= last.After || last.After <= 0 {
		t.Errorf("a saturation from %s to %s", first.Before, last.After)
	}
}

// A law that nothing proves is refused before the search, unless it is asked for:
// then a result that it leads to has no proof, and one of a false law is dropped.
func TestUnproved(t *testing.T) {
	m := written(t, "x : float32[4, 8]\ne = exp(x)\ny = tanh(e)\nz = relu(y)\nreturn z")
	for name, c := range map[string]struct {
		text     string
		unproved bool
		want     string // in the error; "": none
		proved   bool
	}{
		// True, since tanh keeps signs, which the provers do not know.
		"refused": {"rule positive given X : [m, n] then relu(tanh(exp(X))) == tanh(exp(X))", false, "law positive is not known to be true", false},
		"false":   {"rule wrong given X : [m, n] then relu(tanh(exp(X))) == X", true, "differs from the model", false},
		// It is not used where it does not match.
		"elsewhere": {"rule other given X : [m, n] then relu(sin(X)) == sin(X)", true, "", true},
		"claimed":   {"axiom claimed given X : [m, n] then relu(tanh(exp(X))) == X", false, "law claimed is not known to be true", false},
	} {
		l, err := law.ParseLaw(c.text)
		if err != nil {
			t.Fatal(err)
		}
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Laws: []*law.Law{l}, Method: optimize.Descend, Unproved: c.unproved, Seed: 1, NoVerify: true})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
			var differs *optimize.Differs
			if errors.As(err, &differs) != (name == "false") {
				t.Errorf("%s: %T", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if res.ProofChecked != c.proved || (res.Proof != nil) != c.proved || (res.Checked != nil) != c.proved {
			t.Errorf("%s: proved %v, proof of %d bytes", name, res.ProofChecked, len(res.Proof))
		}
		if !slices.ContainsFunc(res.Unproved, func(u optimize.Unproved) bool { return u.Law == l.Name && u.Why != "" }) {
			t.Errorf("%s: %v", name, res.Unproved)
		}
	}
}

// A true law without a proof leads to a result without one, which was compared.
func TestUnprovedUsed(t *testing.T) {
	m := written(t, "x : float32[4, 8]\ne = exp(x)\ny = tanh(e)\nz = relu(y)\nreturn z")
	l, err := law.ParseLaw("rule positive given X : [m, n] then relu(tanh(exp(X))) == tanh(exp(X))")
	if err != nil {
		t.Fatal(err)
	}
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Laws: []*law.Law{l}, Method: optimize.Descend, Unproved: true, Seed: 1, NoVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	if res.NodesAfter != 2 || res.ProofChecked || res.Proof != nil || !slices.Equal(res.UnprovedUsed, []string{"positive"}) || res.Numbers == "" {
		t.Errorf("%+v", res.Report)
	}
}

// A search whose heap is larger than its bound ends with what it has.
func TestMemory(t *testing.T) {
	m, err := models.Build("nasneta-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Method: optimize.Backtrack, Alpha: 2, Tries: 1e12, Memory: 1 << 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Interrupted || res.Why != "memory bound reached" || !res.ProofChecked {
		t.Errorf("interrupted %v: %s", res.Interrupted, res.Why)
	}
}

// Everything that is used unless others are named is known to be true.
func TestDefaultLawsAreTrue(t *testing.T) {
	all, err := optimize.DefaultLaws(true)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := optimize.UnprovedOf(context.Background(), all, nil)
	if err != nil || len(bad) > 0 {
		t.Errorf("%v, %v", bad, err)
	}
}
