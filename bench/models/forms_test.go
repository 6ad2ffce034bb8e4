package models

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/check"
)

// Each form, and any of them one after the other, leaves what a small network
// computes as it is, whatever its weights.
func TestFormsOfRandomNetworks(t *testing.T) {
	places := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		var err error
		defer func() {
			if err != nil {
				t.Fatal(err)
			}
		}()
		defer must.Catch(&err)
		n := newNet(1, 1, style(rapid.IntRange(0, 2).Draw(t, "style")))
		n.fused = rapid.Bool().Draw(t, "fused")
		var m *model.Model
		if rapid.Bool().Draw(t, "images") {
			m = n.finish(randomImages(t, n)...).Model
		} else {
			m = n.finish(randomRows(t, n)...).Model
		}
		var plain *model.Model // without a step
		for _, f := range forms {
			now, derived, steps := f.apply(m, func(m *search.Match) { places[m.Direction.Law.Law.Name]++ })
			if steps > 0 {
				sameFunction(t, m, now, derived)
			} else {
				plain = now
			}
		}
		if plain != nil {
			sameFunction(t, m, plain, map[string]bool{})
		}
		now, derived := m, map[string]bool{}
		for range rapid.IntRange(2, 5).Draw(t, "forms") {
			f := forms[rapid.IntRange(0, len(forms)-1).Draw(t, "form")]
			next, made, _ := f.apply(now, nil)
			for name := range derived { // names of what is gone are free
				if id, ok := next.Graph.Find(name); ok && next.Graph.Op(id) != nil && ofWeightsOnly(next.Graph, id) {
					made[name] = true
				}
			}
			now, derived = next, made
		}
		sameFunction(t, m, now, derived)
	})
	t.Log(places)
	for _, r := range []string{"merge_products", "merge_convs", "split_columns", "split_channels", "halve_groups", "join_two",
		"groups_beside", "fold_batchnorm", "lift_function", "part_of_part", "fuse_relu"} {
		if places[r] == 0 {
			t.Errorf("%s was never used", r)
		}
	}
}

func ofWeightsOnly(g *graph.Graph, id graph.NodeID) bool {
	if g.Op(id) == nil {
		return g.IsWeight(id)
	}
	return !slices.ContainsFunc(g.Operands(id), func(t graph.Tensor) bool { return !ofWeightsOnly(g, t.Node) })
}

// A form says which laws make it, in the models that it is of.
func TestLawsOfForms(t *testing.T) {
	for _, f := range forms {
		var used []string
		for _, e := range entries {
			if slices.Contains(f.of, e.name) {
				f.apply(e.build.build(0).Model, func(m *search.Match) {
					if name := m.Direction.Law.Law.Name; !slices.Contains(used, name) {
						used = append(used, name)
					}
				})
			}
		}
		if !slices.Equal(used, f.laws) {
			t.Errorf("form %s is made by %q, and says %q", f.name, used, f.laws)
		}
	}
}

// The checker of certificates accepts each step of each form as a use of the law it
// is said to be a use of.
func TestStepsAreInstances(t *testing.T) {
	laws := FormLaws(t)
	use := check.Laws{}
	for _, l := range laws {
		use[l.Name] = l
	}
	seen := map[string]bool{}
	steps := 0
	for _, e := range entries {
		for _, f := range forms {
			if !slices.Contains(f.of, e.name) {
				continue
			}
			f.apply(e.tiny.build(1).Model, func(m *search.Match) {
				steps++
				goal, in := instance(m)
				text := law.Format(goal)
				if seen[text] {
					return
				}
				seen[text] = true
				if _, err := check.Rule(goal, &law.Proof{Instances: []law.Instance{*in}}, use); err != nil {
					t.Errorf("%s+%s: %v\n%s", e.name, f.name, err, text)
				}
			})
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d steps, %d of them different: too few to tell", steps, len(seen))
	}
	t.Logf("%d steps, %d of them different", steps, len(seen))
}

// instance is what a step says for its sizes, as a law from source to target, and
// the use of the law that shows it.
func instance(m *search.Match) (*law.Law, *law.Instance) {
	l := m.Direction.Law.Law
	b := m.Substitution()
	in := &law.Instance{Law: l.Name, Tensors: map[string]*law.Term{}, Dims: b.Dims, Runs: b.Runs, Attrs: b.Attrs, Fns: map[string]string{}}
	for _, g := range l.Given {
		if g.Sort == "" {
			in.Tensors[g.Name] = law.V(g.Name)
		}
	}
	for i, f := range m.Direction.Law.Fns {
		in.Fns[f.Name] = m.Fns[i].String()
	}
	goal := law.OneDirection(l.Subst(b), m.Direction.Backward)
	given := goal.Given[:0:0]
	for _, g := range goal.Given {
		if _, isFn := in.Fns[g.Name]; !isFn {
			given = append(given, g)
		}
	}
	goal.Given, goal.Where = given, nil
	subst := func(ts []*law.Term) (out []*law.Term) {
		for _, u := range ts {
			out = append(out, u.Subst(nil, in.Fns, nil))
		}
		return out
	}
	goal.LHS, goal.RHS = subst(goal.LHS), subst(goal.RHS)
	return goal, in
}

// sameFunction compares a model with what rewrites made of it: exactly and for
// all weights as it is, in numbers with its weights computed.
func sameFunction(t *rapid.T, m, now *model.Model, derived map[string]bool) {
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: now, NoNumbers: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Exact.Verdict != verifymodels.Equal || len(m.Weights) > 0 && !r.Exact.AnyWeights {
		t.Fatalf("%s\nbecomes\n%s\n%s", m.Graph, now.Graph, r)
	}
	r, err = verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: settled(now, derived), NoExact: true, NoSearch: true, Tolerance: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Agree {
		t.Fatalf("%s\nbecomes\n%s\n%s", m.Graph, now.Graph, r)
	}
}

// randomImages draws layers of convolutions and pools side by side, whose results
// are joined, added and read together.
func randomImages(t *rapid.T, n *net) []tensor {
	x := n.input("x", 1, 4, 5, 6)
	layers := rapid.IntRange(1, 2).Draw(t, "layers")
	var outputs []tensor
	for i := range layers {
		var ys []tensor
		var c conv
		for k := range rapid.IntRange(1, 4).Draw(t, "branches") {
			name := fmt.Sprintf("l%d_%d", i, k)
			if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				ys = append(ys, n.pool(name, "poolavg", x, 3, 1, same))
				continue
			}
			if k > 0 && c.out > 0 && rapid.Bool().Draw(t, "alike") {
				ys = append(ys, n.conv(name, x, c))
				continue
			}
			c = conv{out: 4, kh: rapid.SampledFrom([]int{1, 3}).Draw(t, "kh"), kw: rapid.SampledFrom([]int{1, 3}).Draw(t, "kw"),
				act: rapid.SampledFrom([]string{"", "relu"}).Draw(t, "act"), groups: rapid.SampledFrom([]int{1, 1, 1, 2, 4}).Draw(t, "groups")}
			if x.sizes[1]%c.groups != 0 {
				c.groups = 1
			}
			c.pad = rapid.SampledFrom([]graph.Value{same, pads(c.kh/2, c.kw/2)}).Draw(t, "pad")
			ys = append(ys, n.conv(name, x, c))
		}
		x = randomReader(t, n, ys)
		outputs = append(outputs, ys[rapid.IntRange(0, len(ys)-1).Draw(t, "output")])
	}
	return append(outputs, x)
}

// randomRows does so with products of matrices.
func randomRows(t *rapid.T, n *net) []tensor {
	x, s := n.input("x", 3, 4), n.input("s", 3, 4)
	var ys []tensor
	for k := range rapid.IntRange(1, 5).Draw(t, "branches") {
		bias := rapid.Bool().Draw(t, "bias")
		y := n.linear(fmt.Sprintf("x%d", k), x, 4, bias)
		if rapid.Bool().Draw(t, "sum") {
			y = n.apply("sum", "ewadd", nil, y, n.linear(fmt.Sprintf("s%d", k), s, 4, bias))
		}
		if f := rapid.SampledFrom([]string{"", "", "relu", "tanh"}).Draw(t, "function"); f != "" {
			y = n.apply(f, f, nil, y)
		}
		ys = append(ys, y)
	}
	return []tensor{randomReader(t, n, ys), ys[0]}
}

// randomReader joins tensors, or adds them if it can.
func randomReader(t *rapid.T, n *net, ys []tensor) tensor {
	y := ys[0]
	same := !slices.ContainsFunc(ys, func(z tensor) bool { return z.sizes[1] != y.sizes[1] })
	if !same || rapid.Bool().Draw(t, "joined") {
		return n.concat(ys...)
	}
	for _, z := range ys[1:] {
		y = n.apply("add", "ewadd", nil, y, z)
	}
	return y
}
