package enumerate

import (
	"context"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
)

// naiveTerms lists all tensors of up to n applications over all named inputs:
// every operator applied to every tensor of fewer, in no clever order.
func naiveTerms(s *store, n int) map[tid]bool {
	all := map[tid]bool{}
	for _, t := range s.inputs {
		all[t] = true
	}
	for level := 1; level <= n; level++ {
		var old []tid
		for t := range all {
			old = append(old, t)
		}
		slices.Sort(old)
		add := func(tm *template, a, b tid) {
			for _, t := range applyAll(s, tm, a, b) {
				if int(s.tensors[t].size) <= level {
					all[t] = true
				}
			}
		}
		for ti := range s.u.tmpls {
			tm := &s.u.tmpls[ti]
			if tm.arity == 0 {
				add(tm, 0, 0)
				continue
			}
			for _, a := range old {
				if tm.arity == 1 {
					add(tm, a, 0)
					continue
				}
				if tm.op.Name == "conv2d" && s.tensors[a].weight {
					continue // kernels are not used as images
				}
				for _, b := range old {
					if len(appsUnion(s, a, b)) < level {
						add(tm, a, b)
					}
				}
			}
		}
	}
	return all
}

func appsUnion(s *store, a, b tid) []appID {
	x, y := &s.tensors[a], &s.tensors[b]
	out := append([]appID(nil), x.nodes[:x.size]...)
	for _, id := range y.nodes[:y.size] {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// walked are the session's terms of each level.
func walked(t testing.TB, s *Session, n int) []code {
	t.Helper()
	v, err := s.generate(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	var codes []code
	for c, ok := v.Next(); ok; c, ok = v.Next() {
		codes = append(codes, c)
	}
	if err := v.Err(); err != nil {
		t.Fatal(err)
	}
	return codes
}

// compareCodes reports codes of one set that the other lacks.
func compareCodes(t *testing.T, s *store, got []code, want map[code]bool) {
	t.Helper()
	seen := map[code]bool{}
	for _, c := range got {
		if seen[c] {
			t.Errorf("visited twice: %s", naiveText(s, s.decode(c, nil), namings1(s)))
		}
		seen[c] = true
		if !want[c] {
			t.Errorf("not a term: %s", naiveText(s, s.decode(c, nil), namings1(s)))
		}
	}
	missed := 0
	for c := range want {
		if !seen[c] {
			if missed++; missed <= 5 {
				t.Errorf("missed: %s", naiveText(s, s.decode(c, nil), namings1(s)))
			}
		}
	}
	if missed > 5 {
		t.Errorf("and %d more missed", missed-5)
	}
}

var smallUniverses = []struct {
	name   string
	count  int
	levels int
	ops    []string
}{
	{"algebra", 3, 2, []string{"matmul", "ewadd", "transpose", "concat", "split"}},
	{"cuts", 2, 3, []string{"ewadd", "concat", "split"}},
	{"products", 2, 3, []string{"matmul", "ewmul", "transpose", "smul"}},
	{"constants", 1, 3, []string{"matmul", "ewmul", "imatmul", "one"}},
	{"images", 1, 2, []string{"conv2d", "conv2d_relu", "poolavg", "enlarge", "iconv", "cpool", "relu"}},
	{"joined images", 2, 2, []string{"conv2d", "concat", "split", "ewadd"}},
}

// The walk of --exhaustive meets every term, once.
func TestWalkIsComplete(t *testing.T) {
	for _, su := range smallUniverses {
		t.Run(su.name, func(t *testing.T) {
			u := universe(t, su.count, su.ops...)
			s := NewSession(Options{Universe: u, Exhaustive: true, Workers: 2})
			st := newStore(u, 0)
			byLevel := make([]map[code]bool, su.levels+1)
			for i := range byLevel {
				byLevel[i] = map[code]bool{}
			}
			for x := range naiveTerms(st, su.levels) {
				byLevel[st.tensors[x].size][st.encode(x, nil)] = true
			}
			for n := 1; n <= su.levels; n++ {
				got := walked(t, s, n)
				if !slices.IsSortedFunc(got, code.compare) {
					t.Errorf("level %d is not in canonical order", n)
				}
				compareCodes(t, st, got, byLevel[n])
				t.Logf("level %d: %d terms", n, len(got))
			}
		})
	}
}

// By default the walk meets every term whose operands are representatives,
// once.
func TestWalkExtendsRepresentatives(t *testing.T) {
	for _, su := range smallUniverses {
		t.Run(su.name, func(t *testing.T) {
			u := universe(t, su.count, su.ops...)
			s := NewSession(Options{Universe: u, Workers: 2})
			for n := 1; n < su.levels; n++ {
				if _, _, err := level(context.Background(), s, n, how{}); err != nil {
					t.Fatal(err)
				}
			}
			reps := map[code]bool{}
			for i := range s.starts[su.levels] {
				if s.links.rep[i] {
					reps[s.codes[i]] = true
				}
			}
			st := newStore(u, 0)
			want := map[code]bool{}
			dropped := 0
			for x := range naiveTerms(st, su.levels) {
				if int(st.tensors[x].size) != su.levels {
					continue
				}
				ok := true
				var operands func(x tid)
				operands = func(x tid) {
					a := st.apps[st.tensors[x].app]
					for _, y := range []tid{a.args[0], a.args[1]} {
						if y != 0 && st.tensors[y].app != 0 {
							ok = ok && reps[st.encode(y, nil)]
							operands(y)
						}
					}
				}
				operands(x)
				if ok {
					want[st.encode(x, nil)] = true
				} else {
					dropped++
				}
			}
			if dropped == 0 && su.levels > 2 {
				t.Errorf("nothing was dropped: the test tests nothing")
			}
			if err := s.settle(); err != nil {
				t.Fatal(err)
			}
			compareCodes(t, st, walked(t, s, su.levels), want)
		})
	}
}

// TASO's walk uses inputs in order and never twice in some places; ours meets
// these terms.
func TestWalkMeetsWhatTASOsDoesNot(t *testing.T) {
	u := universe(t, 3, "ewadd", "matmul", "concat", "transpose")
	s := NewSession(Options{Universe: u, Exhaustive: true})
	st := newStore(u, 0)
	inst := func(name string, axis int64) uint16 {
		for i, in := range st.insts {
			if in.op.Name == name && (name != "concat" || in.nums[0] == axis) {
				return uint16(i)
			}
		}
		t.Fatalf("no %s", name)
		return 0
	}
	apply := func(in uint16, a, b tid) tid { return st.apps[st.apply(in, a, b)].outs[0] }
	x1, x2 := st.inputs[0], st.inputs[1]
	w1 := st.inputs[st.first[1]]
	concat, add := inst("concat", 0), inst("ewadd", 0)
	for _, c := range []struct {
		name string
		term tid
	}{
		{"concat(x1, x1)", apply(concat, x1, x1)},
		{"x1 + x1", apply(add, x1, x1)},
		{"matmul(w1, w1)", apply(inst("matmul", 0), w1, w1)},
		{"transpose(transpose(x1))", apply(inst("transpose", 0), apply(inst("transpose", 0), x1, 0), 0)},
		{"concat(x1, x2) + concat(x2, x1)", apply(add, apply(concat, x1, x2), apply(concat, x2, x1))},
		{"concat(x2, x1 + x2)", apply(concat, x2, apply(add, x1, x2))},
	} {
		n := int(st.tensors[c.term].size)
		if !slices.Contains(walked(t, s, n), st.encode(c.term, nil)) {
			t.Errorf("%s is not visited", c.name)
		}
	}
}

// naiveGraphs lists graphs of up to n applications with any number of outputs,
// as the set of their canonical texts: no application yields only tensors that
// are there already.
func naiveGraphs(s *store, n int) map[string]bool {
	all := namings(s)
	graphs := map[string]bool{}
	values := map[tid]fingerprint.Hash{}
	value := func(t tid) fingerprint.Hash {
		if _, ok := values[t]; !ok {
			values[t] = fingerprint.Sum(s.sizes(t), s.value(t))
		}
		return values[t]
	}
	text := func(apps []appID) string {
		best := ""
		for i, r := range all {
			var lines []string
			for _, id := range apps {
				lines = append(lines, naiveApp(s, id, r))
			}
			sort.Strings(lines)
			if l := strings.Join(lines, ";"); i == 0 || l < best {
				best = l
			}
		}
		return best
	}
	var grow func(apps []appID, avail []tid)
	grow = func(apps []appID, avail []tid) {
		if len(apps) > 0 {
			graphs[text(apps)] = true
		}
		if len(apps) == n {
			return
		}
		each := func(tm *template, a, b tid) {
			for _, out := range applyAll(s, tm, a, b) {
				t := s.tensors[out]
				if t.out != 0 || slices.Contains(apps, t.app) {
					continue
				}
				next := slices.Clone(avail)
				for _, o := range s.apps[t.app].outs {
					if o != 0 && !slices.ContainsFunc(avail, func(x tid) bool { return value(x) == value(o) }) {
						next = append(next, o)
					}
				}
				if len(next) > len(avail) {
					grow(append(slices.Clone(apps), t.app), next)
				}
			}
		}
		for ti := range s.u.tmpls {
			tm := &s.u.tmpls[ti]
			switch tm.arity {
			case 0:
				each(tm, 0, 0)
			case 1:
				for _, a := range avail {
					each(tm, a, 0)
				}
			case 2:
				for _, a := range avail {
					for _, b := range avail {
						each(tm, a, b)
					}
				}
			}
		}
	}
	grow(nil, slices.Clone(s.inputs))
	return graphs
}

// CountGraphs counts each graph with any number of outputs once.
func TestCountGraphs(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		ops   []string
		n     int
	}{
		{"algebra", 2, []string{"matmul", "ewadd", "transpose", "relu"}, 2},
		{"three", 1, []string{"matmul", "ewadd", "transpose"}, 3},
		{"cuts", 1, []string{"concat", "split", "relu"}, 3},
		{"scalars", 2, []string{"ewmul", "smul", "one"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := universe(t, c.count, c.ops...)
			for n := 1; n <= c.n; n++ {
				want := naiveGraphs(newStore(u, 0), n)
				g, err := CountGraphs(context.Background(), Options{Universe: u, Workers: 2}, n)
				if err != nil {
					t.Fatal(err)
				}
				if g.Graphs != len(want) {
					t.Errorf("%d operators: %d graphs, want %d", n, g.Graphs, len(want))
				}
				if g.Buckets > g.Graphs || g.Buckets < 1 || uint64(g.Graphs) > g.Visits || g.Ops != n {
					t.Errorf("%d operators: %+v", n, g)
				}
			}
		})
	}
}

// Counts do not depend on the number of workers.
func TestCountGraphsWorkers(t *testing.T) {
	u := universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split")
	var first *Graphs
	for _, workers := range []int{1, 2, 5} {
		g, err := CountGraphs(context.Background(), Options{Universe: u, Workers: workers}, 3)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = g
		}
		if *g != *first {
			t.Errorf("%d workers: %+v, one worker: %+v", workers, *g, *first)
		}
	}
	if _, err := CountGraphs(context.Background(), Options{Universe: u}, maxOps+1); err == nil {
		t.Error("too many operators are accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CountGraphs(ctx, Options{Universe: u}, 2); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
}
