package law_test

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Laws whose size functions are written alike and mean different things: of a
// window with SAME padding the kernel does not matter.
var alike = []string{
	`rule same
  given s : stride, p : same
  then  poolmax[kh=k, kw=l, stride=s, pad=p](one[shape=[b, c, h, w]]()) => one[shape=[b, c, window(h, k, s, p, 0), window(w, l, s, p, 1)]]()`,
	`rule any
  given s : stride, p : padding
  then  poolmax[kh=k, kw=l, stride=s, pad=p](one[shape=[b, c, h, w]]()) => one[shape=[b, c, window(h, k, s, p, 0), window(w, l, s, p, 1)]]()`,
	`rule mixed
  given s : stride, p : same, q : padding, A : [], B : [b, c, h, w]
  then  ewadd(broadcast[shape=[b, c, window(h, k, s, q, 0), window(w, l, s, q, 1)]](A), poolmax[kh=k, kw=l, stride=s, pad=p](B))
     == poolmax[kh=k, kw=l, stride=s, pad=p](B)`,
	`rule shaped
  given s : stride, p : padding, X : [window(h, k, s, p, 0), b*c]
  then  reshape[shape=[window(h, k, s, p, 0)*b, c]](X) == reshape[shape=[window(h, k, s, p, 0)*b, c]](reshape[shape=[b, window(h, k, s, p, 0), c]](X))`,
}

// The meaning of a law does not depend on which laws were read before it. Each
// round has names of its own, since what was read stays for the whole process.
func TestReadingOrder(t *testing.T) {
	names := regexp.MustCompile(`\b[hklwspq]\b`)
	describe := func(l *law.Law) string {
		ty, err := l.Types()
		out := law.ID(l) + fmt.Sprintln(law.Format(l), err)
		if err == nil {
			out += fmt.Sprintln(ty.Shape[l.LHS[0]], ty.LeftNeeds, ty.RightNeeds)
		}
		return out + law.Format(law.Canonical(l))
	}
	want := make([]string, len(alike))
	rng := rand.New(rand.NewSource(1))
	for round := range 24 {
		tag := fmt.Sprintf("_q%02d", round)
		for _, i := range rng.Perm(len(alike)) {
			l, err := law.ParseLaw(names.ReplaceAllString(alike[i], "${0}"+tag))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(describe(l), tag, "@")
			if want[i] == "" {
				want[i] = got
			}
			if got != want[i] {
				t.Errorf("round %d: read after others\n%s\nis another law than before:\n%s", round, got, want[i])
			}
			back, err := law.ParseLaw(law.Format(l))
			if err != nil || describe(back) != describe(l) {
				t.Errorf("%s does not read back: %v", law.Format(l), err)
			}
		}
	}
	for i, refused := range []bool{false, false, true, false} {
		if l, _ := law.ParseLaw(alike[i]); (lerr(l) != nil) != refused {
			t.Errorf("%s: %v", l.Name, lerr(l))
		}
	}
}

func lerr(l *law.Law) error {
	_, err := l.Types()
	return err
}

func TestTermKey(t *testing.T) {
	conv, ok := graph.Lookup("poolmax")
	if !ok {
		t.Fatal("no poolmax")
	}
	with := func(pad graph.Value) *law.Term {
		return law.Apply(conv, conv.MustAttr(map[string]graph.Value{"kh": graph.IntValue(2), "kw": graph.IntValue(2),
			"stride": graph.TupleValue(1, 1), "pad": pad}), law.V("X"))
	}
	split, _ := graph.Lookup("split")
	two := law.Apply(split, split.MustAttr(map[string]graph.Value{"axis": graph.IntValue(0), "at": graph.IntValue(1)}), law.V("X"))
	terms := []*law.Term{
		law.V("X"), law.V("f(X)"), law.Call("f", law.V("X")), law.Call("f", law.V("f(X)")), law.Call("f", law.Call("f", law.V("X"))),
		law.V("relu(X)"), law.Call("relu", law.V("X")), with(graph.VarValue("p", "same")), with(graph.VarValue("p", "padding")),
		with(graph.NameValue("p")), two, two.Output(1), law.V("split[axis=0, at=1](X).1"),
	}
	if op, ok := graph.Lookup("relu"); ok {
		x := law.Apply(op, nil, law.V("X"))
		terms = append(terms, x, x.Output(1), x.Output(2)) // outputs that there are not are others all the same
	}
	var nodes law.Nodes
	seen := map[int]int{}
	for i, x := range terms {
		if j, ok := seen[nodes.Of(x)]; ok {
			t.Errorf("terms %d and %d, %s and %s, have one number", j, i, terms[j], x)
		}
		seen[nodes.Of(x)] = i
	}
	if nodes.App(two) != nodes.App(two.Output(1)) || nodes.App(two) == nodes.App(law.V("X")) {
		t.Error("the outputs of a split are not of one application")
	}
}

// One name stands for one kind of thing in a law, whichever is written first.
func TestOneKindOfName(t *testing.T) {
	for _, given := range []string{
		"X : [s], s : stride", "s : stride, X : [s]", "X : [f], f : pointwise1", "X : [X..]", "X : [Y..], Y : [Y..]",
		"X : [P..], P : [a]", "X : [window(s, 2, s, valid, 0)], s : stride", "X : [n+1], n : number",
	} {
		src := "rule r\n  given " + given + "\n  then  relu(X) == relu(X)"
		if l, err := law.ParseLaw(src); err == nil {
			t.Errorf("read:\n%s", law.Format(l))
		}
	}
}

func TestSizesTooLarge(t *testing.T) {
	for _, src := range []string{
		"rule r given X : [524288, 524288, 524288, 524288], Y : [1048576, 1048576, 1048576, 1048576]\nthen reshape[shape=[1048576, 1048576, 1048576, 1048576]](X) == Y",
		"rule r given X : [2147483648*a, 2147483648, 4]\nthen reshape[shape=[4, 2147483648, 2147483648*a]](X) == reshape[shape=[2147483648, 4, 2147483648*a]](X)",
		"rule r given X : [0]\nthen reshape[shape=[4294967296, 4294967296]](X) == reshape[shape=[1]](X)",
	} {
		l, err := law.ParseLaw(src)
		if err == nil {
			_, err = l.Types()
		}
		if err == nil {
			t.Errorf("read and typed:\n%s", src)
		}
	}
	// Sizes grow where a law is instantiated.
	l, err := law.ParseLaw("rule r given X : [a, b, c], Y : [a*b*c]\nthen reshape[shape=[a*b*c]](X) == Y")
	if err != nil {
		t.Fatal(err)
	}
	n := graph.Int(1 << 22)
	if m := l.Subst(&graph.Substitution{Dims: map[string]graph.Dim{"a": n, "b": n, "c": n}}); lerr(m) == nil {
		t.Errorf("typed: %s", law.Format(m))
	}
}
