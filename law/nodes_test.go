package law_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/taso-go/taso/law"
)

// tower is ewadd(relu(t), t) of itself, levels times: a graph of 2*levels+1
// nodes whose text doubles with each level.
func tower(levels int) *law.Law {
	l, err := law.ParseLaw("rule r given X : [n] then ewadd(relu(X), X) == X")
	if err != nil {
		panic(err)
	}
	add, relu := l.LHS[0].Op, l.LHS[0].Args[0].Op
	t, u := law.V("X"), law.V("X")
	for range levels {
		t = law.Apply(add, nil, law.Apply(relu, nil, t), t)
		u = law.Apply(add, nil, u, law.Apply(relu, nil, u))
	}
	l.LHS, l.RHS = []*law.Term{t}, []*law.Term{u}
	return l
}

// What is said of a graph takes time and memory by its nodes: written out, the
// tower of 64 levels has more than 10^19 operators.
func TestShared(t *testing.T) {
	size := map[int]int{}
	for _, levels := range []int{16, 32, 64, 1000} {
		l := tower(levels)
		if n := law.Size(l.LHS...); n != 2*levels {
			t.Errorf("%d levels: %d operators", levels, n)
		}
		if n := law.Size(l.LHS[0], l.RHS[0]); n != 4*levels-1 { // relu(X) is in both
			t.Errorf("%d levels: %d operators on both sides", levels, n)
		}
		if vs := law.Vars(l.LHS[0]); len(vs) != 1 {
			t.Errorf("variables %v", vs)
		}
		if law.Equal(l.LHS[0], l.RHS[0]) || !law.Equal(l.LHS[0], tower(levels).LHS[0]) {
			t.Error("equal terms are those with the same text")
		}
		y := l.LHS[0].Subst(map[string]*law.Term{"X": law.V("Y")}, nil, nil)
		if vs := law.Vars(y); len(vs) != 1 || vs[0] != "Y" || law.Size(y) != 2*levels {
			t.Errorf("substituted: %v, %d operators", vs, law.Size(y))
		}
		if _, err := l.Types(); err != nil {
			t.Error(err)
		}
		if n := len(l.LHS[0].Brief()); n > 303 {
			t.Errorf("%d bytes for a message", n)
		}
		if id := law.ID(l); id != law.ID(tower(levels)) || id == law.ID(tower(levels+1)) {
			t.Error("the id is not that of the law")
		}
		e := law.NewCertRule("r", l, &law.Proof{})
		if len(e.Nodes) != 4*levels {
			t.Errorf("%d levels: %d nodes", levels, len(e.Nodes))
		}
		back, _, err := e.Decode(nil)
		if err != nil || !law.Equal(back.LHS[0], l.LHS[0]) || !law.Equal(back.RHS[0], l.RHS[0]) {
			t.Errorf("%d levels: read as another law: %v", levels, err)
		}
		var b bytes.Buffer
		w := law.NewCertWriter(&b, "")
		if err := w.Rule(e); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size[levels] = b.Len()
	}
	if per := (size[1000] - size[64]) / (1000 - 64); per > 100 {
		t.Errorf("%d bytes a level: %v", per, size)
	}
}

// Numbers are those of equal terms, whatever pointers they share, and arguments
// come before what they are arguments of.
func TestNodes(t *testing.T) {
	l, err := law.ParseLaw("rule r given f : pointwise1, X : [n], Y : [n] then ewadd(f(X), relu(f(X))) == ewadd(f(X), ewadd(Y, X))")
	if err != nil {
		t.Fatal(err)
	}
	var nodes law.Nodes
	at := map[string]int{}
	for _, side := range [][]*law.Term{l.LHS, l.RHS} {
		side[0].Walk(func(u *law.Term) {
			k := nodes.Of(u)
			if old, ok := at[u.String()]; ok && old != k {
				t.Errorf("%s is %d and %d", u, old, k)
			}
			at[u.String()] = k
			for _, a := range u.Args {
				if nodes.Of(a) >= k {
					t.Errorf("%s is not before %s", a, u)
				}
			}
			if !law.Equal(nodes.Unique(u), u) || nodes.All()[k] != nodes.Unique(u) {
				t.Errorf("%s became %s", u, nodes.Unique(u))
			}
		})
	}
	if len(at) != len(nodes.All()) {
		t.Errorf("%d numbers, %d texts", len(nodes.All()), len(at))
	}
}

func ExampleNodes() {
	l, _ := law.ParseLaw("rule r given X : [n] then ewadd(relu(X), X) == relu(X)")
	var nodes law.Nodes
	fmt.Println(nodes.Of(l.LHS[0]), nodes.Of(l.RHS[0]), nodes.Of(l.LHS[0].Args[0]))
	// Output: 2 1 1
}
