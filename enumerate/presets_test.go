package enumerate

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// Operators that differ in a setting only are compared: two paddings agree, and a slice begins in
// the middle.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		ops   string
		types []InputType
		want  string
	}{
		{"conv2d[pad=same_lower] 3x3,conv2d[pad=same_upper] 3x3", nil, "conv2d[pad=p2"},
		{"slice[axis=0, lo=1, hi=3],neg", []InputType{{Name: "x", Sizes: []int{4, 3}, Count: 1}}, "lo=c-1"},
		{"stretch[axis=0, n=2],neg", []InputType{{Name: "f", Sizes: []int{1, 3}, Count: 1}}, "neg(broadcast[shape="},
	} {
		u, err := New(SplitList(c.ops))
		if err != nil {
			t.Fatal(err)
		}
		if c.types != nil {
			u.Types = c.types
		}
		s := NewSession(Options{Universe: u, Workers: 1, Seed: 1})
		all := ""
		for n := 1; n <= 2; n++ {
			list, _, err := level(context.Background(), s, n, how{})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				all += law.Format(d.Law) + "\n"
			}
		}
		if !strings.Contains(all, c.want) {
			t.Errorf("%s: no law with %s among\n%s", c.ops, c.want, all)
		}
	}
}

// A composite is not lifted: with presets for meshes it is applied to tensors only.
func TestCompositeOnMesh(t *testing.T) {
	u, err := New([]string{"parallel-mlp", "reshape"})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(Options{Universe: u, Workers: 1, Seed: 1})
	if _, _, err := level(context.Background(), s, 1, how{}); err != nil {
		t.Fatal(err)
	}
}
