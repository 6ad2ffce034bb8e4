package theory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// The general laws are those without the tag, and no lemma among them rests on one with it.
func TestGeneral(t *testing.T) {
	th, err := Load(context.Background(), []*graph.Op{op.Relu, op.Transpose, op.MatMul, op.EWSub, op.EWMax}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := th.General()
	tagged := 0
	for _, l := range th.Laws {
		if l.HasTag(law.TagOrdered) {
			tagged++
			if slices.Contains(g.Laws, l) {
				t.Errorf("%s is general", l.Name)
			}
		}
	}
	if tagged == 0 || len(g.Laws) != len(th.Laws)-tagged || len(g.Lemmas) == 0 || g.General() != g {
		t.Errorf("%d laws, %d of them general, %d with the tag", len(th.Laws), len(g.Laws), tagged)
	}
	// A lemma from a law with the tag has it too, as far as that goes.
	axiom := th.AxiomsOf(th.Lemmas[0].Proof)[0]
	o := &Theory{ByName: th.ByName, Lemmas: th.Lemmas}
	for _, l := range th.Laws {
		c := *l
		if c.Name == axiom {
			c.Tags = []string{law.TagOrdered}
		}
		o.Laws = append(o.Laws, &c)
	}
	o.generalize()
	resting := 0
	for _, lm := range th.Lemmas {
		rests := slices.Contains(th.AxiomsOf(lm.Proof), axiom)
		if rests == slices.ContainsFunc(o.general.Laws, func(l *law.Law) bool { return l.Name == lm.Law.Name }) {
			t.Errorf("%s rests on %s: %v", lm.Law.Name, axiom, rests)
		}
		if rests {
			resting++
		}
	}
	if resting == 0 || resting == len(th.Lemmas) {
		t.Errorf("%d of %d lemmas rest on %s", resting, len(th.Lemmas), axiom)
	}
}

// A law without the tag is not proved from one with it, but with the tag it is.
func TestDecideByTag(t *testing.T) {
	th, err := Load(context.Background(), []*graph.Op{op.Relu, op.Transpose, op.MatMul, op.EWSub, op.EWMax}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var goals []*law.Law
	for _, text := range []string{
		"rule a given X : [n] then relu(relu(X)) == relu(X)",
		"rule b [ordered] given X : [n] then relu(relu(X)) == relu(X)",
		"rule c given X : [a, b] then transpose(relu(transpose(X))) == relu(X)",
		"rule d [ordered] given X : [a, b] then relu(transpose(relu(transpose(X)))) == relu(X)",
		"rule e given X : [a, b] then relu(transpose(relu(transpose(X)))) == relu(X)",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		goals = append(goals, l)
	}
	done := 0
	ps, err := th.DecideByTag(context.Background(), goals, Options{Workers: 1, Done: func() { done++ }})
	if err != nil {
		t.Fatal(err)
	}
	var proved []string
	for i, p := range ps {
		if p.Goal != goals[i] {
			t.Fatalf("answer %d is about %s", i, p.Goal.Name)
		}
		if p.Verdict.Status == verify.Proved {
			proved = append(proved, p.Goal.Name)
		}
	}
	if got := strings.Join(proved, " "); got != "b c d" || done != len(goals) {
		t.Errorf("proved: %s, %d done", got, done)
	}
}

func ExampleTheory_DecideByTag() {
	th, err := Load(context.Background(), []*graph.Op{op.Relu, op.Transpose, op.MatMul, op.EWSub, op.EWMax}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tag := range []string{"", "[ordered]"} {
		l, err := law.ParseLaw(fmt.Sprintf("rule twice %s given X : [n] then relu(relu(X)) == relu(X)", tag))
		if err != nil {
			fmt.Println(err)
			return
		}
		ps, err := th.DecideByTag(context.Background(), []*law.Law{l}, Options{})
		fmt.Println(ps[0].Verdict.Status, err)
	}
	// Output:
	// unknown <nil>
	// proved <nil>
}
