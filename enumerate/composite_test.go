package enumerate

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"pgregory.net/rapid"
)

// Terms of universes with composites, as laws of the case and written out:
// both have one shape, and where a composite has no weights of its own, the same
// elements.
func TestWriteOut(t *testing.T) {
	written := map[string]bool{}
	meshes := func(preset string) bool {
		return strings.HasPrefix(preset, "parallel") || strings.HasPrefix(preset, "mesh")
	}
	for _, preset := range append(presetNames(), "scale") {
		if meshes(preset) {
			continue
		}
		u := universe(t, 2, preset)
		s := newStore(u, 1)
		for ti := range u.tmpls {
			for _, a := range s.inputs {
				for _, b := range s.inputs {
					if u.tmpls[ti].arity < 2 {
						b = 0
					}
					for _, x := range applyAll(s, &u.tmpls[ti], a, b) {
						checkWritten(t, s, x, written)
					}
				}
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			s := newStore(u, 1)
			checkWritten(t, s, randomTerm(t, s, 3), written)
		})
	}
	// Those of meshes have families for operands.
	for _, preset := range presetNames() {
		if !meshes(preset) {
			continue
		}
		u := universe(t, 2, preset)
		s := newStore(u, 1)
		var families []tid
		each := func(arity int, as, bs []tid, use func(x tid)) {
			for ti := range u.tmpls {
				if u.tmpls[ti].arity != arity {
					continue
				}
				for _, a := range as {
					for _, b := range bs {
						for _, x := range applyAll(s, &u.tmpls[ti], a, b) {
							use(x)
						}
					}
				}
			}
		}
		each(1, s.inputs, []tid{0}, func(x tid) { families = append(families, x) })
		each(1, families, []tid{0}, func(x tid) { checkWritten(t, s, x, written) })
		each(2, families, families, func(x tid) { checkWritten(t, s, x, written) })
	}
	for name := range general.CompositeOps() {
		if !written[name] {
			t.Errorf("no term had %s", name)
		}
	}
}

// checkWritten compares a term of the case with what it is written out as, and
// notes the composites that it has.
func checkWritten(t rapid.TB, s *store, x tid, written map[string]bool) {
	if s.tensors[x].app == 0 {
		return
	}
	p := &general.Pair{Sizes: map[string][]int{}, Weight: map[string]bool{}}
	term := s.termOf(x, map[tid]*law.Term{}, p)
	l := &law.Law{Kind: law.Rule, Name: "same", LHS: []*law.Term{term}, RHS: []*law.Term{term}}
	for _, v := range law.Vars(term) {
		l.Given = append(l.Given, law.Declaration{Name: v, Shape: graph.Sizes(p.Sizes[v]...)})
	}
	m, err := general.WriteOut(l)
	if err != nil {
		t.Fatalf("%s: %v", term, err)
	}
	m.LHS[0].Walk(func(u *law.Term) {
		if general.IsComposite(u.Op) {
			t.Fatalf("%s still has %s", m.LHS[0], u.Op.Name)
		}
	})
	before, _ := l.Types()
	after, err := m.Types()
	if err != nil || !before.Shape[l.LHS[0]].Equal(after.Shape[m.LHS[0]]) {
		t.Fatalf("%s has another shape than %s: %v", term, m.LHS[0], err)
	}
	// Weights, keys, conditions and numbers that are inputs of the law only.
	hidden := len(m.Given) > len(l.Given)
	term.Walk(func(u *law.Term) {
		if general.IsComposite(u.Op) {
			written[u.Op.Name] = true
		}
	})
	if hidden {
		return
	}
	both := *m
	both.LHS, both.RHS = l.LHS, m.LHS
	env := &instance.Valuation{Substitution: graph.Substitution{}}
	out, err := instance.Compare[uint64](fingerprint.Zp{Key: 5}, &both, env, func(name string, n int) []uint64 {
		return fingerprint.Random(9, name, n)
	})
	if out != instance.Equal {
		t.Fatalf("%s and %s: %v %v", term, m.LHS[0], out, err)
	}
}

// A checkpoint keeps what smaller laws were with composites: the levels after it
// are the same.
func TestSaveRestoreComposites(t *testing.T) {
	u := universe(t, 1, "linear", "bias", "reshape", "ewadd")
	opt := Options{Universe: u, Seed: 3, Workers: 1}
	whole := NewSession(opt)
	levels(t, whole, 2, how{})
	var file bytes.Buffer
	if err := whole.Save(&file); err != nil {
		t.Fatal(err)
	}
	want := levels(t, whole, 3, how{})
	again := NewSession(opt)
	if err := again.Restore(&file); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Error("no candidates")
	}
	sameTexts(t, "restored", levels(t, again, 3, how{}), want)
}

func TestPresets(t *testing.T) {
	for _, p := range Presets() {
		u, err := New([]string{p.Name})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(u.Operators()), len(p.Ops); got != want {
			t.Errorf("%s: %d operators, want %d", p.Name, got, want)
		}
		if own := slices.DeleteFunc(u.Types, func(ty InputType) bool { return ty.Most > 0 }); len(own) != len(p.Types()) {
			t.Errorf("%s: inputs that no operator takes", p.Name)
		}
		more, err := New([]string{p.Name, "erf"})
		if err != nil || len(more.Operators()) != len(p.Ops)+1 {
			t.Errorf("%s with erf: %v", p.Name, err)
		}
	}
	if _, err := New([]string{"bert", "cnn"}); err == nil {
		t.Error("two presets were taken")
	}
}
