package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/eggrun"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	laws "github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// ourLaws are the axioms, lemmas and laws of the program, as rules.
func ourLaws(t testing.TB) *rules.Set {
	t.Helper()
	set := &rules.Set{}
	more, err := laws.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]*law.Law{axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma), more} {
		for _, l := range list {
			r, err := rules.New(l)
			if err != nil {
				t.Fatal(err)
			}
			set.Add(r)
		}
	}
	return set
}

// What is written for other programs is read there as the same laws, in the order of
// the file, each an instance of a rule of the set; and every rule is written or named.
func TestPeerRoundTrip(t *testing.T) {
	rep, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		set   *rules.Set
		least map[string]int // rules of the file
	}{
		{"laws of the program", ourLaws(t), map[string]int{formatTensat: 150, formatMulti: 2, formatFlexFlow: 40}},
		{"generated", rep.Set, map[string]int{formatTensat: 300, formatMulti: 0, formatFlexFlow: 80}},
	} {
		for name, f := range peerForms {
			data, done := f.write(c.set, taso.Reading{})
			named := map[string]bool{}
			for _, s := range done.skips {
				named[s.Rule] = true
			}
			t.Logf("%s, %s: %d rules of %d, %d lost", c.name, name, done.written, c.set.Len(), done.lost)
			if done.lost > c.set.Len() {
				t.Errorf("%s, %s: %d of %d rules lost", c.name, name, done.lost, c.set.Len())
			}
			if done.written < c.least[name] {
				t.Errorf("%s, %s: only %d rules written", c.name, name, done.written)
			}
			if done.written == 0 {
				continue
			}
			file, err := peer.Read("file", data, f.format)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, name, err)
			}
			if len(file.Rules) != done.written {
				t.Errorf("%s, %s: %d rules read, %d written", c.name, name, len(file.Rules), done.written)
			}
			// What the file says, against the instances that it should say.
			want := map[string][]string{}
			instances, _ := taso.Instances(c.set.Rules, taso.Reading{}, f.ranks...)
			for i := range instances {
				tr := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{instances[i].TASO}}, taso.Reading{})[0]
				if tr.Err != nil {
					t.Fatal(tr.Err)
				}
				want[law.ID(tr.Law)] = append(want[law.ID(tr.Law)], instances[i].Rule)
			}
			of := map[string]bool{}
			for i := range file.Rules {
				r := &file.Rules[i]
				if r.Fault != nil {
					t.Errorf("%s, %s: %s: %v", c.name, name, r.Source, r.Fault)
					continue
				}
				tr := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{*r.TASO}}, taso.Reading{})[0]
				if tr.Err != nil {
					t.Errorf("%s, %s: %s: %v", c.name, name, r.Source, tr.Err)
					continue
				}
				ids := want[law.ID(tr.Law)] // several, if a rule is also one direction of another
				if len(ids) == 0 {
					t.Errorf("%s, %s: %s is no instance of a rule", c.name, name, r.Source)
				}
				if name == formatFlexFlow {
					ids = []string{r.Name} // the file has the rule's identity
				}
				for _, id := range ids {
					of[id] = true
				}
			}
			for _, r := range c.set.Rules {
				// A rule may say nothing that another does not say in that form.
				if !of[r.ID()] && !named[r.ID()] && !covered(instances, r.ID()) {
					t.Errorf("%s, %s: %s is neither written nor named: %s", c.name, name, r.ID(), law.Body(r.Law))
				}
			}
		}
	}
}

// covered says that all instances of a rule stand as those of another.
func covered(instances []taso.Written, id string) bool {
	for i := range instances {
		if instances[i].Rule == id {
			return false
		}
	}
	return true
}

// A file of generated rules is a program of egglog that rewrites.
func TestEgglogFile(t *testing.T) {
	ctx := context.Background()
	python, err := eggrun.Python(ctx)
	if err != nil {
		t.Skip(err)
	}
	rep, err := genrules.Run(ctx, genrules.Options{MaxOps: 2, Ops: []string{"matmul", "ewadd", "relu", "transpose"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rules.egg")
	done, err := saveEgglog(path, rep.Set)
	if err != nil {
		t.Fatal(err)
	}
	if done.lost > 0 || done.written != rep.Set.Len() {
		t.Errorf("%d of %d rules: %v", done.written, rep.Set.Len(), done.skips)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(program) + `
(let $x (t-input "x")) (let $y (t-input "y")) (let $a (t-input "a"))
(set (t-shape $x) (Shape-2 2 3)) (set (t-shape $y) (Shape-2 2 3)) (set (t-shape $a) (Shape-2 3 4))
(let $two (t-ewadd (t-matmul $x $a) (t-matmul $y $a)))
(let $turned (t-transpose "(1, 0)" $two))
`
	one := "(t-matmul (t-ewadd $x $y) $a)"
	after := `(t-matmul (t-transpose "(1, 0)" $a) (t-transpose "(1, 0)" (t-ewadd $x $y)))`
	if err := eggrun.Run(ctx, python,
		text+"(run taso 1)\n(check (= $two "+one+"))\n(fail (check (= $turned "+after+")))\n(run taso 2)\n(check (= $turned "+after+"))\n",
		// With one factor of another height the sum of products is none.
		strings.Replace(text, "(set (t-shape $a) (Shape-2 3 4))", "(set (t-shape $a) (Shape-2 5 4))", 1)+"(run taso 2)\n(fail (check (= $two "+one+")))\n",
	); err != nil {
		t.Error(err)
	}
}
