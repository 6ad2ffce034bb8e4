package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// perRow are graphs whose result for a row of x, whose number of rows is to be filled in, is
// a function of that row.
var perRow = []struct{ rows, text string }{
	{"1000", "y = tanh(x)"},
	{"999", "w : weight float32[999]\nv = broadcast[shape=[ROWS, 999]](w)\ny = ewmul(x, v)"},
	{"40, 25", "y = transpose[perm=(0, 2, 1)](x)\nz = relu(y)"},
	{"33, 32", "y = transpose[perm=(0, 2, 1)](x)"},
	{"1000", "y = pad[before=(0, 1), after=(0, 2)](x)"},
	{"1000", "y = concat[axis=1](x, x)"},
	{"1000", "y = reverse[axes=(1)](x)"},
	{"1000", "y = softmax[axis=1](x)"},
	{"1100", "y = softmax[axis=1](x)"},
	{"70, 33", "y = softmax[axis=1](x)"},
	{"1000", "y = reducesum[axes=(1)](x)"},
	{"20, 50", "y = reducemax[axes=(1)](x)\nz = tanh(y)"},
	{"1000", "w : weight float32[1000]\ny = layernorm[axis=1, eps=1e-05](x, w, w)"},
	{"65", "w : weight float32[65, 40]\ny = matmul(x, w)"},
	{"65, 4", "w : weight float32[4, 5]\nv = broadcast[shape=[ROWS, 4, 5]](w)\ny = matmul(x, v)"},
	{"40, 65", "t = transpose[perm=(0, 2, 1)](x)\nw : weight float32[40, 3]\nv = broadcast[shape=[ROWS, 40, 3]](w)\ny = matmul(t, v)"},
	{"4, 9, 9", "w : weight float32[6, 2, 3, 3]\ny = conv2d[pad=same_upper, groups=2](x, w)"},
	{"4, 9, 9", "w : weight float32[4, 1, 3, 3]\ny = conv2d[pad=same_upper, groups=4](x, w)"},
	{"4, 9, 9", "w : weight float32[4, 1, 9, 9]\ny = conv2d[pad=valid, groups=4](x, w)"},
	{"4, 9, 9", "y = poolmax[kh=3, kw=3, pad=same_upper](x)"},
	{"4, 9, 9", "y = poolavg[kh=2, kw=3, pad=valid](x)"},
	{"4, 9, 9", "y = resize[sizes=(ROWS, 4, 9, 17), mode=linear_half_pixel](x)"},
	{"12, 5", "y = each_softmax[over=[ROWS], axis=0](x)"},
}

// TestHuge runs the last blocks of kernels on tensors of more than 2^31 elements, of which
// only the last rows are there, and compares them with kernels on these rows alone.
func TestHuge(t *testing.T) {
	skipWithoutCgo(t)
	for _, c := range perRow {
		t.Run(c.rows+" "+c.text, func(t *testing.T) {
			few := 160
			g := make([]*graph.Graph, 2)
			for i, rows := range []int{few, 0} {
				row, err := graph.ParseText("row", "x : float32["+c.rows+"]\nreturn x")
				if err != nil {
					t.Fatal(err)
				}
				if n := graph.NumElements(row.Type(row.Outputs()[0]).Sizes); i > 0 {
					rows = (1<<31 + 1<<20) / n
				}
				text := fmt.Sprintf("x : float32[%d, %s]\n%s", rows, c.rows, strings.ReplaceAll(c.text, "ROWS", fmt.Sprint(rows)))
				last := text[strings.LastIndexByte(text, '\n')+1:]
				name, _, _ := strings.Cut(last, " ")
				if g[i], err = graph.ParseText("huge", text+"\nreturn "+name); err != nil {
					t.Fatalf("%v in:\n%s", err, text)
				}
			}
			if err := lastBlocks(g[0], g[1]); err != nil {
				t.Error(err)
			}
		})
	}
}

// lastBlocks runs the kernels of a graph and the last blocks of those of a larger one, which
// has the same last rows.
func lastBlocks(small, large *graph.Graph) error {
	plans := make([]*lower.Plan, 2)
	for i, g := range []*graph.Graph{small, large} {
		var err error
		if plans[i], err = lower.Graph(g, lower.CUDA(), lower.Options{}); err != nil {
			return err
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	values := [2]map[lower.BufferID][]float32{{}, {}}
	get := func(i int, v lower.ValueID, out bool) []float32 {
		b := plans[0].Values[v].Buffer
		if values[i][b] == nil {
			x := make([]float32, plans[0].Buffers[b].Bytes/4)
			for j := range x {
				x[j] = float32(rng.NormFloat64())
				if out {
					x[j] = float32(math.NaN())
				}
			}
			values[i][b] = x
			if !out {
				values[1-i][b] = x
			}
		}
		return values[i][b]
	}
	// What is made of weights does not depend on the rows.
	for n, list := range [][2][]lower.Kernel{{plans[0].Once, plans[1].Once}, {plans[0].Run, plans[1].Run}} {
		if len(list[0]) != len(list[1]) {
			return fmt.Errorf("%d kernels, and %d", len(list[0]), len(list[1]))
		}
		for j := range list[0] {
			for i, p := range plans {
				k := &list[i][j]
				calls, scratch, err := kernel.Calls(p, k, kernel.Libraries{})
				if err != nil {
					return err
				}
				if len(calls) != 1 || scratch != 0 {
					return fmt.Errorf("%d calls and %d bytes of scratch", len(calls), scratch)
				}
				l := calls[0].Launch
				if i == 1 && n == 1 && !strings.Contains(l.Source, "long long") {
					return fmt.Errorf("32 bits count the places in:\n%s", l.Source)
				}
				for _, v := range k.Out {
					get(i, v, true)
				}
				var args []any
				for _, a := range l.Args {
					args = append(args, get(i, a.Value, false)[int64(plans[0].Values[a.Value].Offset)+a.Offset/4:])
				}
				source, grid := l.Source, l.Grid
				if i == 1 && n == 1 {
					source, grid = lastOnly(plans, l)
				}
				if err := fake.Try(fake.Kernel{Source: source, Grid: grid, Block: l.Block}, args...); err != nil {
					return fmt.Errorf("%w in:\n%s", err, source)
				}
			}
		}
	}
	b := plans[0].Values[plans[0].Outputs[0]].Buffer
	same := 0
	for j, want := range values[0][b] {
		switch got := values[1][b][j]; {
		case math.IsNaN(float64(got)):
		case got != want:
			return fmt.Errorf("element %d from the end is %v, %v without the rows before", len(values[0][b])-j, got, want)
		default:
			same++
		}
	}
	if same == 0 {
		return fmt.Errorf("the last blocks have written nothing")
	}
	return nil
}

// lastOnly is a source that runs the last few blocks of a launch, on memory that begins
// so much later as tensors of the second plan are larger than those of the first.
func lastOnly(plans []*lower.Plan, l *kernel.Launch) (string, [3]int) {
	const blocks = 2
	source := strings.ReplaceAll(l.Source, "blockIdx.x", fmt.Sprintf("(blockIdx.x + %du)", l.Grid[0]-blocks))
	head, body, _ := strings.Cut(source[strings.Index(source, "extern"):], " {\n")
	var shift strings.Builder
	for i, a := range l.Args {
		more := plans[1].Buffers[plans[1].Values[a.Value].Buffer].Bytes - plans[0].Buffers[plans[0].Values[a.Value].Buffer].Bytes
		fmt.Fprintf(&shift, "\tp%d -= %d;\n", i, more/4)
	}
	return source[:strings.Index(source, "extern")] + head + " {\n" + shift.String() + body, [3]int{blocks, 1, 1}
}
