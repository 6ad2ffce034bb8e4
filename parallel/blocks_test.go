package parallel

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// Roles are read as they are written.
func TestRoleText(t *testing.T) {
	for _, r := range []Role{{}, {Kind: Copy}, {Kind: Sum}, {Kind: First}, {Kind: Shard, Axis: 2},
		{Kind: Shard, Axis: 1, Before: 1, After: 2}, {Kind: Shard, Axis: 1, Blocks: 32}} {
		if got, err := ParseRole(r.String()); err != nil || got != r {
			t.Errorf("%s is read as %s, %v", r, got, err)
		}
	}
	for _, text := range []string{"shard", "shard 1 of 0 blocks", "shard 1 of 2 blocks and more", "shard 1 of 2"} {
		if r, err := ParseRole(text); err == nil {
			t.Errorf("%q is read as %s", text, r)
		}
	}
}

// Parts of blocks are put together where somebody wants the tensor, also below mesh axes
// that are there already.
func TestBlocksEnd(t *testing.T) {
	g, err := graph.ParseText("test", `
x : float32[3, 2, 8]
y = reshape[shape=[3, 16]](x)
z = softmax[axis=1](y)
return z`)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLaying(g, NewStrategies())
	for pass := range 2 {
		found := false
		err := l.Along(ctx, 2, Choice{Of: func(id graph.NodeID) []*Strategy {
			o := l.Graph().Op(id)
			if one, _, _ := o.Member(l.Graph().Attrs(id)); one != nil {
				o = one
			}
			all, err := l.Strategies(ctx, id, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, st := range all {
				if o == op.Reshape && len(st.Out) == 1 && st.Out[0].Blocks > 0 {
					found = true
					return []*Strategy{st}
				}
			}
			return nil
		}})
		if err != nil {
			t.Fatalf("%v\n%s", err, l.Graph())
		}
		if !found {
			t.Fatalf("pass %d: no blocks\n%s", pass, l.Graph())
		}
	}
	if err := accepted(l); err != nil {
		t.Errorf("%v\n%s", err, l.Graph())
	}
	if q, err := New(ctx, l.Graph()); err != nil {
		t.Errorf("%v\n%s", err, l.Graph())
	} else if q.Devices() != 4 {
		t.Errorf("%d devices", q.Devices())
	}
}
