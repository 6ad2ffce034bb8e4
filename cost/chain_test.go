package cost_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// links are operators that keep the shape [n, n] or [2, c, h, w] of x, as lines of a
// graph that define y from x.
var links = []string{
	"y = neg(x)", "y = relu(x)", "y = ewadd(x, F)", "y = ewsub(F, x)", "y = ewmul(x, C)", "y = ewsub(x, S)", "y = ewsub(S, x)",
	"y = ewmax(x, R)", "y = sigmoid(x)", "y = exp(x)", "y = clip[lo=0.0, hi=6.0](x)", "y = smul(x, scalar)", "y = softmax[axis=1](x)",
	"y = layernorm[axis=1, eps=0.001](x, G, G)",
}

var matrixLinks = []string{"y = matmul(x, F)", "y = transpose(x)", "t = reducemean[axes=(1)](x)\nu = reshape[shape=[LAST, 1]](t)\nv = broadcast[shape=[SHAPE]](u)\ny = ewsub(x, v)"}

var imageLinks = []string{"y = conv2d[pad=same_upper](x, K)", "y = conv2d[pad=same_upper, groups=4](x, D)", "y = conv2d[pad=same_upper](x, H)",
	"y = batchnorm[eps=0.001](x, B, B, B, B)", "y = poolavg[kh=3, kw=3, stride=(1, 1), pad=same_upper](x)", "y = poolmax[kh=3, kw=3, stride=(1, 1), pad=same_upper](x)"}

// chainText is the text of a graph of links, one after the other.
func chainText(sizes []int, lines []string) string {
	var b strings.Builder
	shape := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(sizes)), ", "), "[]")
	n := sizes[len(sizes)-1]
	ones := strings.Repeat("1, ", len(sizes)-1)
	fmt.Fprintf(&b, "x0 : float32[%s]\nF : float32[%s]\nscalar : float32[]\ns : weight float32[]\nr : weight float32[%d]\nc : weight float32[%s%d]\n", shape, shape, n, ones, n)
	fmt.Fprintf(&b, "G : weight float32[%s]\n", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(sizes[1:])), ", "), "[]"))
	for _, x := range []string{"s", "r", "c"} {
		fmt.Fprintf(&b, "%s = broadcast[shape=[%s]](%s)\n", strings.ToUpper(x), shape, x)
	}
	if len(sizes) == 4 {
		b.WriteString("K : weight float32[4, 4, 3, 3]\nD : weight float32[4, 1, 3, 3]\nH : weight float32[4, 4, 1, 1]\nB : weight float32[4]\n")
	}
	for i, l := range lines {
		l = strings.NewReplacer("SHAPE", shape, "LAST", fmt.Sprint(n), "y =", fmt.Sprintf("x%d =", i+1), "(x", fmt.Sprintf("(x%d", i), " x)", fmt.Sprintf(" x%d)", i),
			"t =", fmt.Sprintf("t%d =", i), "(t)", fmt.Sprintf("(t%d)", i), "u =", fmt.Sprintf("u%d =", i), "(u)", fmt.Sprintf("(u%d)", i), "v =", fmt.Sprintf("v%d =", i), "v)", fmt.Sprintf("v%d)", i)).Replace(l)
		b.WriteString(l + "\n")
	}
	fmt.Fprintf(&b, "return x%d", len(lines))
	return b.String()
}

// total is the cost of a graph on a machine.
func total(t *testing.T, m *cost.Machine, text string) cost.Seconds {
	t.Helper()
	g, err := graph.ParseText("chain", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := lower.Graph(g, lower.CPU(), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := cost.GraphCost(p, m)
	if err != nil {
		t.Fatal(err)
	}
	return b.Total
}

// TestChains: on every machine, an operator more in a chain never makes it cheaper.
func TestChains(t *testing.T) {
	machines, err := cost.Machines()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sizes, from := []int{1 << r.IntN(12)}, slices.Concat(links, matrixLinks)
		sizes = append(sizes, sizes[0])
		if r.IntN(2) == 0 {
			n := 1 << r.IntN(10)
			sizes, from = []int{2, 4, n, n}, slices.Concat(links, imageLinks)
		}
		lines := make([]string, 1+r.IntN(5))
		for i := range lines {
			lines[i] = from[r.IntN(len(from))]
		}
		at := r.IntN(len(lines) + 1)
		more := slices.Insert(slices.Clone(lines), at, from[r.IntN(len(from))])
		for _, m := range machines {
			if before, after := total(t, m, chainText(sizes, lines)), total(t, m, chainText(sizes, more)); after < before*(1-1e-12) {
				t.Errorf("%s: %s becomes %s with one more operator at %d:\n%s", m.Name, before, after, at, chainText(sizes, more))
			}
		}
	}
}

// TestEqualTraffic: elementwise operators that read and write tensors of the same sizes
// cost the same, whatever else they read that has one element.
func TestEqualTraffic(t *testing.T) {
	machines, err := cost.Machines()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		for _, n := range []int{1, 16, 256, 443, 1024, 4096} {
			sizes := []int{n, n}
			of := func(line string) cost.Seconds { return total(t, m, chainText(sizes, []string{line})) }
			one := of("y = neg(x)")
			for _, l := range []string{"y = relu(x)", "y = ewsub(x, S)", "y = ewsub(S, x)", "y = ewmul(x, S)", "y = ewmax(S, x)", "y = smul(x, scalar)"} {
				if c := of(l); n > 1 && c != one {
					t.Errorf("%s, %d by %d: %s costs %v, neg %v", m.Name, n, n, l, c, one)
				}
			}
			if a, b := of("y = ewadd(x, F)"), of("y = ewmax(F, x)"); a != b || n > 1 && a <= one {
				t.Errorf("%s, %d by %d: a sum of two costs %v, a maximum %v, neg %v", m.Name, n, n, a, b, one)
			}
		}
	}
}
