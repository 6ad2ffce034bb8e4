package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// quantizedGraph quantizes x of any sizes, and gives it back with and without its zero point.
func quantizedGraph(typ string, lo, hi int, zero bool) string {
	text := fmt.Sprintf("x : float32[7, 33]\ns : float32[]\nz : %s[]\nsb = broadcast[shape=[7, 33]](s)\nd = ewdiv(x, sb)\nr = round(d)\n", typ)
	at := "r"
	if zero {
		text += "zf = cast[to=float32](z)\nzb = broadcast[shape=[7, 33]](zf)\nr1 = ewadd(r, zb)\n"
		at = "r1"
	}
	text += fmt.Sprintf("c = clip[lo=%d.0, hi=%d.0](%s)\nq = cast[to=%s](c)\nf = cast[to=float32](q)\n", lo, hi, at, typ)
	if zero {
		text += "b = ewsub(f, zb)\nt = ewmul(b, sb)\nv = reciprocal(f)\nreturn t, v"
	} else {
		text += "t = ewmul(f, sb)\nv = reciprocal(f)\nreturn t, v"
	}
	return text
}

// TestQuantized: what is quantized and given back has the same bits, of 0 the same sign too,
// whether the integers are there or stay float32 numbers: of halves, at the ends of the
// types and far beyond them, with zero points at the ends.
func TestQuantized(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	special := []float32{0, float32(math.Copysign(0, -1)), 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 127, 127.5, 128, -128, -128.5, -129, 254.5, 255, 255.5, 256,
		1e9, -1e9, 3e38, float32(math.Inf(1)), float32(math.Inf(-1)), 16777217}
	xs := make([]float32, 7*33)
	for i := range xs {
		if xs[i] = float32(r.IntN(1200)-600) / 2; i < len(special) {
			xs[i] = special[i]
		}
	}
	for _, tab := range allTables() {
		b := &Backend{t: tab}
		for _, c := range []struct {
			typ    string
			lo, hi int
		}{{"uint8", 0, 255}, {"int8", -128, 127}, {"int16", -32768, 32767}} {
			for _, zero := range []bool{false, true} {
				g, err := graph.ParseText("g", quantizedGraph(c.typ, c.lo, c.hi, zero))
				if err != nil {
					t.Fatal(err)
				}
				m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
				for _, z := range []int{c.lo, c.hi, 0, 3} {
					d := g.DType(g.Inputs()[2].Out(0))
					in := []backends.Tensor{
						{DType: graph.Float32, Sizes: []int{7, 33}, F32: xs}, {DType: graph.Float32, F32: []float32{1}},
						{DType: d, I64: []int64{int64(z)}},
					}
					got, kernels := runPlan(t, b, m, in, backends.CompileOptions{})
					want, each := runPlan(t, b, m, in, backends.CompileOptions{NoFuse: true})
					if strings.Contains(kernels, "cast q") || !strings.Contains(each, "cast q") {
						t.Fatalf("%s: kernels %s and %s", c.typ, kernels, each)
					}
					for o := range want {
						for i, x := range want[o].F32 {
							if y := got[o].F32[i]; math.Float32bits(x) != math.Float32bits(y) {
								t.Fatalf("%s, %s, zero point %t %d: output %d of %v is %v, want %v", tab.name(), c.typ, zero, z, o, xs[i], y, x)
							}
						}
					}
				}
			}
		}
	}
}

// runPlan runs a model, and names the kernels that ran.
func runPlan(t *testing.T, b *Backend, m *model.Model, in []backends.Tensor, opt backends.CompileOptions) ([]backends.Tensor, string) {
	t.Helper()
	p, err := b.Compile(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var kernels []string
	for _, k := range p.(*Plan).plan.Run {
		kernels = append(kernels, k.As+" "+m.Graph.Name(k.Node))
	}
	return out, strings.Join(kernels, ", ")
}
