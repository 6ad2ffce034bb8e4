package plan

import (
	"fmt"
	"testing"
)

// patterns are what networks have beside layers of matrices.
var patterns = []struct {
	name, text string
	means      []Means
}{
	// The derivative of a kernel of groups takes groups and samples for one axis.
	{"groups", `
x : float32[8, 8, 4, 4]
w : weight float32[8, 4, 3, 3]
y = conv2d[pad=(1, 1, 1, 1), groups=2](x, w)
return y`, []Means{Data, FSDP, Megatron}},
	// That of a table is where its rows are looked up.
	{"table", `
at : int64[8, 3]
table : weight float32[12, 4]
w : weight float32[4, 6]
found = gather[axis=0](table, at)
rows = reshape[shape=[24, 4]](found)
y = matmul(rows, w)
return y`, []Means{Data, FSDP, Megatron}},
	// Statistics of the samples of all devices.
	{"normalized", `
x : float32[8, 4, 3, 3]
a : weight float32[4]
b : weight float32[4]
m : weight float32[4]
v : weight float32[4]
w : weight float32[6, 4, 1, 1]
n = batchnorm[eps=0.01](x, a, b, m, v)
y = conv2d[pad=(0, 0, 0, 0)](n, w)
return y`, []Means{Data, FSDP}},
}

// Training steps of patterns have plans, which compute the same.
func TestPatterns(t *testing.T) {
	s := strategies
	for _, c := range patterns {
		tr := training(t, c.text)
		for _, means := range c.means {
			for _, degrees := range [][]int{{2}, {2, 2}} {
				t.Run(fmt.Sprintf("%s %s %v", c.name, means, degrees), func(t *testing.T) {
					p, err := Make(ctx, tr, meshOf(t, "summit", degrees...), Options{Means: []Means{means}, Strategies: s, Steps: 1 << 16})
					if err != nil {
						t.Fatal(err)
					}
					verified(t, p)
					if means != Megatron && sent(t, p) == "" {
						t.Error("nothing is sent: all devices do the same")
					}
				})
			}
		}
	}
}
