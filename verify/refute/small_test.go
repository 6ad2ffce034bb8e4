package refute

import (
	"context"
	"encoding/json"
	"sort"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
)

// No point that is smaller than that of the witness refutes the law, as far as
// the whole space can be looked through.
func TestRefuteLeastSizes(t *testing.T) {
	complete := 0
	for _, l := range axioms.ByKind(law.Refute) {
		s, err := newSearch(l, Options{}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.find(context.Background())
		if err != nil || first == nil {
			t.Errorf("%s: not refuted (%v)", l.Name, err)
			continue
		}
		at, err := s.minimize(context.Background(), first)
		if err != nil || s.less(first, at) || !s.fails(at) {
			t.Errorf("%s: minimized from %v to %v (%v)", l.Name, first, at, err)
		}
		left := 20_000
		s.smaller(at, s.plainAttrs(), func(q point) bool {
			left--
			if _, ok := s.instance(q); ok && s.weight(q) < s.weight(at) && s.fails(q) {
				t.Errorf("%s: %v of weight %d is refuted at %v of weight %d too", l.Name, at, s.weight(at), q, s.weight(q))
				return false
			}
			return left > 0
		})
		if left > 0 {
			complete++
		}
	}
	if complete < 20 {
		t.Errorf("only %d searches were complete", complete)
	}
}

// The points that smaller lists are in order, and all that there are.
func TestSmaller(t *testing.T) {
	l := lawtext.Read(t, "l | p : same, X : [P.., 2*a, b], Y : [b, c] | | relu(X) == X")[0]
	s, err := newSpace(l, Options{MaxSize: 3, MaxRun: 1, Cells: 100})
	if err != nil {
		t.Fatal(err)
	}
	last := point{1, 2, 1, 1, 1}
	seen := map[string]bool{}
	var before point
	s.smaller(last, s.plainAttrs(), func(q point) bool {
		if seen[key(q)] || before != nil && s.weight(q) < s.weight(before) || !s.less(q, last) {
			t.Errorf("%v after %v", q, before)
		}
		seen[key(q)] = true
		before = append(point{}, q...)
		return true
	})
	all := 0
	q := make(point, len(s.limit))
	var rec func(i int)
	rec = func(i int) {
		if i == len(q) {
			if s.less(q, last) {
				all++
			}
			return
		}
		for q[i] = 0; q[i] < s.limit[i]; q[i]++ {
			rec(i + 1)
		}
		q[i] = 0
	}
	rec(0)
	if all != len(seen) || all == 0 {
		t.Errorf("%d points, want %d", len(seen), all)
	}
}

// A witness's values are plain, and none can be 0 where it is not.
func TestRefutePlainValues(t *testing.T) {
	for _, l := range axioms.ByKind(law.Refute) {
		w, err := Find(context.Background(), l, Options{})
		if err != nil || w == nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		for _, in := range w.Inputs {
			for i, v := range in.Values {
				if v != "0" && v != "1" && v != "-1" && v != "2" {
					t.Errorf("%s: %s holds %s", l.Name, in.Term, v)
				}
				in.Values[i] = "0"
				if _, err := w.Replay(l); err == nil && v != "0" {
					t.Errorf("%s: element %d of %s need not be %s", l.Name, i, in.Term, v)
				}
				in.Values[i] = v
			}
		}
	}
}

// Mutants of the axioms: what much effort refutes the default refutes but for
// a few, every witness replays to the same bytes, and a second call finds it
// again.
func TestRefuteMutants(t *testing.T) {
	ctx := context.Background()
	var quick, gave []time.Duration
	missed, n := 0, 0
	for _, l := range append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...) {
		for _, m := range mutate.Mutants(l) {
			if n++; n%sweep.Size(18, 1) != 0 { // all of them take a minute
				continue
			}
			start := time.Now()
			w, err := Find(ctx, m.Law, Options{})
			took := time.Since(start)
			if err != nil {
				t.Errorf("%s: %s: %v", l.Name, m.Name, err)
				continue
			}
			if w == nil {
				gave = append(gave, took)
				if w, err = Find(ctx, m.Law, Options{Bindings: 1000, Minimize: -1}); w != nil || err != nil {
					missed++
					t.Logf("%s: %s: the default does not refute it (%v)", l.Name, m.Name, err)
				}
				continue
			}
			quick = append(quick, took)
			again, err := w.Replay(m.Law)
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", l.Name, m.Name, err, w)
				continue
			}
			a, _ := json.Marshal(w)
			if b, _ := json.Marshal(again); string(a) != string(b) {
				t.Errorf("%s: %s: replayed as\n%s\nwas\n%s", l.Name, m.Name, b, a)
			}
			if second, _ := Find(ctx, m.Law, Options{}); second == nil || second.String() != w.String() {
				t.Errorf("%s: %s: another witness the second time", l.Name, m.Name)
			}
		}
	}
	for _, d := range []struct {
		name string
		list []time.Duration
	}{{"refuted", quick}, {"given up", gave}} {
		sort.Slice(d.list, func(i, j int) bool { return d.list[i] < d.list[j] })
		if n := len(d.list); n > 0 {
			t.Logf("%d %s: median %v, 99 in 100 within %v, at most %v", n, d.name, d.list[n/2], d.list[n*99/100], d.list[n-1])
		}
	}
	if missed*100 > len(quick) {
		t.Errorf("%d false mutants are not refuted, %d are", missed, len(quick))
	}
}

// What a witness says is checked before it is used.
func TestReplayHostile(t *testing.T) {
	l := lawtext.Read(t, "l | f : zero1, s : stride, p : padding, X : [b, c, h, w] | | f(relu(X)) == poolmax[kh=1, kw=1, stride=s, pad=p](f(X))")[0]
	fresh := func() *Witness {
		w, err := Find(context.Background(), l, Options{})
		if err != nil || w == nil {
			t.Fatal(w, err)
		}
		return w
	}
	if _, err := fresh().Replay(l); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(w *Witness){
		"no attribute":           func(w *Witness) { delete(w.Attrs, "s") },
		"one attribute too many": func(w *Witness) { w.Attrs["q"] = "valid" },
		"another attribute":      func(w *Witness) { delete(w.Attrs, "s"); w.Attrs["q"] = "valid" },
		"no such padding":        func(w *Witness) { w.Attrs["p"] = "wide" },
		"stride as padding":      func(w *Witness) { w.Attrs["p"] = "(1, 1)" },
		"negative pads":          func(w *Witness) { w.Attrs["p"] = "(-1, 0, 0, 0)" },
		"stride 0":               func(w *Witness) { w.Attrs["s"] = "(0, 1)" },
		"huge stride":            func(w *Witness) { w.Attrs["s"] = "(1, 4611686018427387904)" },
		"huge size":              func(w *Witness) { w.Dims["h"] = 1 << 40 },
		"large tensor":           func(w *Witness) { w.Dims["h"], w.Dims["w"], w.Dims["c"] = 4096, 4096, 4096 },
		"another size":           func(w *Witness) { w.Dims["n"] = 1 },
		"a run":                  func(w *Witness) { w.Runs = map[string][]int{"P": {1}} },
		"no such function":       func(w *Witness) { w.Fns = map[string]Function{"f": {Op: "sqrt"}} },
		"function of two":        func(w *Witness) { w.Fns = map[string]Function{"f": {Op: "ewadd"}} },
		"another function":       func(w *Witness) { w.Fns["g"] = Function{Op: "relu"} },
		"not 0 at 0":             func(w *Witness) { w.Fns = map[string]Function{"f": {Table: map[string]string{"0": "1"}}} },
		"table of words":         func(w *Witness) { w.Fns = map[string]Function{"f": {Table: map[string]string{"0": "x"}}} },
		"table at words":         func(w *Witness) { w.Fns = map[string]Function{"f": {Table: map[string]string{"x": "1"}}} },
	} {
		w := fresh()
		spoil(w)
		if now, err := w.Replay(l); err == nil {
			t.Errorf("%s: accepted: %s", name, now)
		}
	}
}

// Sides of different numbers of outputs are an error, not a panic.
func TestRefuteOutputs(t *testing.T) {
	l := lawtext.Read(t, "l | X : [a], Y : [a] | | (X, Y) == (Y, X)")[0]
	w, err := Find(context.Background(), l, Options{})
	if err != nil || w == nil {
		t.Fatal(w, err)
	}
	l.RHS = l.RHS[:1]
	if _, err := Find(context.Background(), l, Options{}); err == nil {
		t.Error("no error")
	}
	if _, err := w.Replay(l); err == nil {
		t.Error("replayed")
	}
}

func BenchmarkRefuteTrue(b *testing.B) {
	l := lawtext.Read(b, "l | s : stride, p : padding, X : [a, c, h, w], V : [o, c, m, n], W : [o, c, m, n] | | conv2d[stride=s, pad=p](X, ewadd(V, W)) == ewadd(conv2d[stride=s, pad=p](X, V), conv2d[stride=s, pad=p](X, W))")[0]
	for b.Loop() {
		if w, err := Find(context.Background(), l, Options{}); w != nil || err != nil {
			b.Fatal(w, err)
		}
	}
}
