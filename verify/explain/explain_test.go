package explain

import (
	"errors"
	"strings"
	"testing"

	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"pgregory.net/rapid"
)

// world is a goal over A, B, C, all of shape [a, a], and equations between
// terms over them, each the one instance of a law without variables.
func world(t testing.TB, from, to string, eqs ...[2]string) (*law.Law, *law.Proof, map[string]*law.Law) {
	t.Helper()
	given := " given A : [a, a], B : [a, a], C : [a, a] then "
	parse := func(name, l, r string) *law.Law {
		x, err := law.ParseLaw("axiom " + name + given + l + " == " + r)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	p, laws := &law.Proof{}, map[string]*law.Law{}
	for i, e := range eqs {
		l := parse("p"+string(rune('a'+i)), e[0], e[1])
		laws[l.Name] = l
		p.Instances = append(p.Instances, law.Instance{Law: l.Name})
	}
	return parse("goal", from, to), p, laws
}

func TestChain(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		eqs            [][2]string
		want           string // law, then the term
	}{
		{"both directions, below", "relu(ewadd(A, B))", "relu(matmul(C, C))",
			[][2]string{{"ewadd(B, A)", "ewadd(A, B)"}, {"ewadd(B, A)", "matmul(C, C)"}, {"A", "relu(A)"}},
			"-pa relu(ewadd(B, A)); pb relu(matmul(C, C))"},
		{"one place of several", "ewadd(A, A)", "ewadd(A, B)", [][2]string{{"A", "B"}}, "pa ewadd(A, B)"},
		{"both places", "ewadd(A, A)", "ewadd(B, B)", [][2]string{{"A", "B"}}, "pa ewadd(B, A); pa ewadd(B, B)"},
		{"nothing to do", "A", "A", [][2]string{{"A", "B"}}, ""},
		{"the short way", "A", "C", [][2]string{{"A", "relu(A)"}, {"relu(A)", "B"}, {"B", "C"}, {"A", "B"}}, "pd B; pc C"},
		{"through larger terms", "A", "B", [][2]string{{"A", "relu(C)"}, {"relu(matmul(C, C))", "B"}, {"matmul(C, C)", "C"}},
			"pa relu(C); -pc relu(matmul(C, C)); pb B"},
		{"cyclic", "relu(relu(relu(A)))", "A", [][2]string{{"A", "relu(A)"}}, "-pa relu(relu(A)); -pa relu(A); -pa A"},
		{"terms that nobody names", "ewadd(matmul(A, B), C)", "ewadd(matmul(B, A), A)", [][2]string{{"A", "C"}, {"A", "B"}},
			"pb ewadd(matmul(B, B), C); -pb ewadd(matmul(B, A), C); -pa ewadd(matmul(B, A), A)"},
	} {
		goal, p, laws := world(t, c.from, c.to, c.eqs...)
		chains, err := Chain(goal, p, laws)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, s := range chains[0] {
			name := s.Law.Name
			if s.Backward {
				name = "-" + name
			}
			got = append(got, name+" "+s.Term)
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, g, c.want)
		}
		if err := Check(goal, p, laws, chains); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestChainErrors(t *testing.T) {
	goal, p, laws := world(t, "A", "B", [2]string{"A", "relu(A)"})
	if _, err := Chain(goal, p, laws); err == nil || !strings.Contains(err.Error(), "output 0: the instances do not make A and B equal") {
		t.Error(err)
	}
	if _, err := Chain(goal, p, nil); err == nil || !strings.Contains(err.Error(), "instance 1: there is no law pa") {
		t.Error(err)
	}
	goal.RHS = append(goal.RHS, goal.RHS[0])
	if _, err := Chain(goal, p, laws); err == nil || !strings.Contains(err.Error(), "1 outputs on the left, 2 on the right") {
		t.Error(err)
	}
	if err := Text(&strings.Builder{}, goal, p, laws); err == nil {
		t.Error("text of nothing")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTextWriter(t *testing.T) {
	goal, p, laws := world(t, "A", "relu(A)", [2]string{"A", "relu(A)"})
	if err := Text(broken{}, goal, p, laws); err == nil || !strings.Contains(err.Error(), "full") {
		t.Error(err)
	}
}

// Every part of a step is checked.
func TestCheckRejects(t *testing.T) {
	goal, p, laws := world(t, "relu(A)", "relu(C)", [2]string{"A", "B"}, [2]string{"B", "C"})
	for name, spoil := range map[string]func(s []Step) []Step{
		"no step":        func(s []Step) []Step { return nil },
		"one missing":    func(s []Step) []Step { return s[1:] },
		"exchanged":      func(s []Step) []Step { return []Step{s[1], s[0]} },
		"backward":       func(s []Step) []Step { s[0].Backward = true; return s },
		"other from":     func(s []Step) []Step { s[0].From = "C"; return s },
		"other to":       func(s []Step) []Step { s[0].To = "C"; return s },
		"other term":     func(s []Step) []Step { s[0].Term = "relu(C)"; return s },
		"other law":      func(s []Step) []Step { s[0].Law = laws["pb"]; return s },
		"other place":    func(s []Step) []Step { s[0].Path = nil; return s },
		"no place":       func(s []Step) []Step { s[0].Path = []int{1}; return s },
		"too deep":       func(s []Step) []Step { s[0].Path = []int{0, 0}; return s },
		"no instance":    func(s []Step) []Step { s[0].Instance = 2; return s },
		"no output":      func(s []Step) []Step { s[0].Output = 1; return s },
		"other instance": func(s []Step) []Step { s[0].Instance = 1; return s },
	} {
		chains, err := Chain(goal, p, laws)
		if err != nil || Check(goal, p, laws, chains) != nil {
			t.Fatal(err)
		}
		chains[0] = spoil(chains[0])
		if Check(goal, p, laws, chains) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if Check(goal, p, laws, nil) == nil {
		t.Error("no chains: accepted")
	}
}

// termGen draws terms over A, B, C.
func termGen(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
			return rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "var")
		}
		if rapid.Bool().Draw(t, "one") {
			return "relu(" + termGen(depth-1).Draw(t, "x") + ")"
		}
		op := rapid.SampledFrom([]string{"ewadd", "matmul"}).Draw(t, "op")
		return op + "(" + termGen(depth-1).Draw(t, "x") + ", " + termGen(depth-1).Draw(t, "y") + ")"
	})
}

// closed is congruence closure by brute force: it joins until nothing is left
// to join.
func closed(b *bank, eqs []equation) func(u, v int) bool {
	class := make([]int, len(b.All()))
	for i := range class {
		class[i] = i
	}
	join := func(u, v int) bool {
		cu, cv := class[u], class[v]
		for i := range class {
			if class[i] == cu {
				class[i] = cv
			}
		}
		return cu != cv
	}
	for again := true; again; {
		again = false
		for _, e := range eqs {
			again = join(e.left, e.right) || again
		}
		for u := range b.All() {
			for v := range u {
				x, y := b.at(u), b.at(v)
				same := x.head == y.head && len(x.args) == len(y.args)
				for i := 0; same && i < len(x.args); i++ {
					same = class[x.args[i]] == class[y.args[i]]
				}
				if same {
					again = join(u, v) || again
				}
			}
		}
	}
	return func(u, v int) bool { return class[u] == class[v] }
}

// Random equations: a chain is found exactly where the sides are equal, both
// by cheapest paths and by the forest; it replays, visits no term twice, and
// that of the forest is not the shorter one.
func TestChainProperty(t *testing.T) {
	found, longest := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(r, "equations")
		eqs := make([][2]string, n)
		for i := range eqs {
			eqs[i] = [2]string{termGen(2).Draw(r, "left"), termGen(2).Draw(r, "right")}
		}
		from := termGen(3).Draw(r, "from")
		to := from
		if rapid.IntRange(0, 3).Draw(r, "free") == 0 {
			to = termGen(3).Draw(r, "to")
		}
		// Otherwise the goal is made by steps; a term's text is found in
		// another's only where it is a subterm.
		for range rapid.IntRange(0, 6).Draw(r, "steps") {
			var fit [][2]string
			for _, e := range eqs {
				for k := range 2 {
					if strings.Contains(to, e[k]) && len(to) < 200 {
						fit = append(fit, [2]string{e[k], e[1-k]})
					}
				}
			}
			if len(fit) > 0 {
				e := rapid.SampledFrom(fit).Draw(r, "use")
				to = strings.Replace(to, e[0], e[1], rapid.IntRange(1, 2).Draw(r, "places"))
			}
		}
		goal, p, laws := world(t, from, to, eqs...)
		b := newBank()
		u, v := b.Of(goal.LHS[0]), b.Of(goal.RHS[0])
		var es []equation
		for i := range p.Instances {
			l := laws[p.Instances[i].Law]
			es = append(es, equation{b.Of(l.LHS[0]), b.Of(l.RHS[0])})
		}
		want := closed(b, es)(u, v)
		chains, err := Chain(goal, p, laws)
		if (err == nil) != want {
			r.Fatalf("found %v (%v), want %v", err == nil, err, want)
		}
		if !want {
			return
		}
		if err := Check(goal, p, laws, chains); err != nil {
			r.Fatal(err)
		}
		c, err := newClosure(b, es)
		if err != nil {
			r.Fatal(err)
		}
		ls, err := c.forest(es, u, v)
		if err != nil {
			r.Fatal(err)
		}
		if len(ls) < len(chains[0]) {
			r.Fatalf("the forest needs %d steps, the chain %d", len(ls), len(chains[0]))
		}
		use := make([]source, len(es))
		for i := range es {
			use[i] = source{laws[p.Instances[i].Law], i, 0}
		}
		other := [][]Step{steps(b, es, use, u, ls)}
		if err := Check(goal, p, laws, other); err != nil {
			r.Fatalf("forest: %v", err)
		}
		for _, chain := range [][]Step{chains[0], other[0]} {
			seen := map[string]bool{goal.LHS[0].String(): true}
			for _, s := range chain {
				if seen[s.Term] {
					r.Fatalf("%s comes twice", s.Term)
				}
				seen[s.Term] = true
			}
		}
		if len(chains[0]) > 0 {
			found++
		}
		longest = max(longest, len(chains[0]))
	})
	t.Logf("%d chains with steps, the longest has %d", found, longest)
	if found < 3 || longest < 2 {
		t.Error("too few chains were long enough to say anything")
	}
}

// A class too large for cheapest paths is explained by the forest, and by
// cheapest paths over the equations it uses.
func TestLargeClass(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("relu(", n) + "A" + strings.Repeat(")", n) }
	eqs := [][2]string{{"A", "B"}, {"B", "C"}}
	goal, p, laws := world(t, "relu(A)", "relu(C)", eqs...)
	for n := 1; n <= 180; n++ { // a star: every one of these terms is B
		l, err := law.ParseLaw("axiom x given A : [a], B : [a] then B == " + deep(n))
		if err != nil {
			t.Fatal(err)
		}
		l.Name = "x" + deep(n)
		laws[l.Name] = l
		p.Instances = append(p.Instances, law.Instance{Law: l.Name})
	}
	b := newBank()
	var es []equation
	for i := range p.Instances {
		l := laws[p.Instances[i].Law]
		es = append(es, equation{b.Of(l.LHS[0]), b.Of(l.RHS[0])})
	}
	c, err := newClosure(b, es)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := shortest(c, es); ok {
		t.Fatal("the class is not too large")
	}
	chains, err := Chain(goal, p, laws)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(goal, p, laws, chains); err != nil {
		t.Error(err)
	}
	if n := len(chains[0]); n > 3 {
		t.Errorf("%d steps", n)
	}
}

func BenchmarkChain(b *testing.B) {
	goal, p, laws := world(b, "ewadd(matmul(A, B), C)", "ewadd(matmul(B, A), A)",
		[2]string{"A", "C"}, [2]string{"A", "B"}, [2]string{"matmul(A, A)", "relu(B)"})
	for b.Loop() {
		if _, err := Chain(goal, p, laws); err != nil {
			b.Fatal(err)
		}
	}
}
