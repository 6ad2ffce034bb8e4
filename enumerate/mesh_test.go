package enumerate

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Every application in a universe of meshes is typed: operands are on one mesh, and the
// axes of a mesh are in front and are of no other size.
func TestMeshTyped(t *testing.T) {
	for _, p := range Presets() {
		if p.Mesh == 0 {
			continue
		}
		u, err := New([]string{p.Name})
		if err != nil {
			t.Fatal(err)
		}
		st := newStore(u, 1)
		seen := map[string]bool{}
		w := &walker{s: st, want: 3, ok: func(tid) bool { return true }, stop: func() bool { return false }}
		w.emit = func(id appID) {
			for ; id != 0; id = st.tensors[st.apps[id].args[0]].app {
				a := st.apps[id]
				in := st.insts[a.inst]
				own := meshAxes(in)
				seen[in.op.Name] = true
				for i, x := range a.args {
					if x == 0 || i >= in.op.In {
						continue
					}
					sizes := st.sizes(x)
					mesh := u.meshOf(sizes)
					if layout(in.op) {
						mesh = min(mesh, own) // of the rest one axis may be ended
					}
					if in.op.Each() != in.op || strings.HasPrefix(in.op.Name, graph.EachPrefix) {
						if mesh != own {
							t.Fatalf("%s: %s of a tensor %v on a mesh of %d axes, taken for %d", p.Name, in.key, sizes, u.meshOf(sizes), own)
						}
					}
				}
			}
		}
		w.run(0, 1)
		for _, o := range []string{"partition", "combine", "replicate", "reduce", "lift", "drop", "each_partition", "each_combine", "each_reduce"} {
			if !seen[o] {
				t.Errorf("%s: no graph with %s", p.Name, o)
			}
		}
	}
}

// meshAxes is the number of axes of the mesh over which an instance is lifted.
func meshAxes(in inst) int {
	if _, _, over := in.op.Member(in.attrs); over != nil {
		return len(over)
	}
	return 0
}

// layout says whether an operator, or the one it applies to each member, makes or ends an
// axis of a mesh.
func layout(o *graph.Op) bool {
	if one, _, _ := o.Member(make(graph.Attrs, len(o.Params))); one != nil {
		o = one
	}
	return slices.ContainsFunc(layoutFamilies, func(f family) bool { return f.name == o.Name })
}

// What is stated of meshes has a size of its own for every mesh axis.
func TestMeshDegreesAreVariables(t *testing.T) {
	u, err := New([]string{"parallel-mlp"})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(Options{Universe: u, MaxOps: 2, Workers: 1, Seed: 1})
	defer s.Close()
	layouts := 0
	for n := 1; n <= 2; n++ {
		cands, _, err := level(context.Background(), s, n, how{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cands {
			c.Law.EachTerm(func(u *law.Term) {
				if u.Op == nil {
					return
				}
				for i, p := range u.Op.Params {
					if p.Name != "on" {
						continue
					}
					layouts++
					if d, ok := u.Attrs[i].Dim(); !ok || len(d.String()) == 0 {
						t.Errorf("%s has no size", u)
					} else if _, literal := d.Const(); literal {
						t.Errorf("%s: the number of members is a literal", law.Format(c.Law))
					}
				}
			})
		}
	}
	if layouts < 50 {
		t.Errorf("%d applications of layout operators in candidates, want at least 50", layouts)
	}
}
