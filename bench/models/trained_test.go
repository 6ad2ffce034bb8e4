package models_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// The networks to be trained have as many parameters as their sources say: exactly, or as
// their names round them, 1.3B being 1.25 to 1.35.
func TestFurtherPublished(t *testing.T) {
	for _, info := range models.ListFurther() {
		p := info.Published
		if info.Doc == "" || info.Source == "" || info.Batch < 2 || len(info.Inputs) == 0 || p.Cite == "" && p.Note == "" {
			t.Errorf("%s: %+v", info.Name, info)
		}
		if p.Learned != 0 && info.Learned != p.Learned {
			t.Errorf("%s: %d learned parameters, want %d", info.Name, info.Learned, p.Learned)
		}
		if off := float64(info.Learned)/float64(p.About) - 1; p.About != 0 && math.Abs(off) > 0.04 {
			t.Errorf("%s: %d learned parameters, want about %d", info.Name, info.Learned, p.About)
		}
		if got := float64(info.MACs) / float64(info.Batch) / 1e9; p.GMAC != 0 && math.Abs(got-p.GMAC) > 0.0005 {
			t.Errorf("%s: %.4f GMAC, want %g", info.Name, got, p.GMAC)
		}
		g := build(t, info.Name, 0).Graph
		for _, o := range p.Operators {
			if got := models.Count(g, o.Op); got != o.N {
				t.Errorf("%s: %d %s, want %d", info.Name, got, o.Op, o.N)
			}
		}
	}
}

// What is counted is what formulas of the dimensions give: those of the artifact of Alpa
// (benchmark/alpa/util.py: compute_gpt_parameter_count and its like, and the terms of
// products of compute_gpt_tflops and its like, forward), and plain sums over layers.
func TestFurtherFormulas(t *testing.T) {
	infos := map[string]models.Info{}
	for _, i := range models.ListFurther() {
		infos[i.Name] = i
	}
	check := func(name string, params, flops, slack float64) {
		t.Helper()
		i := infos[name]
		if off := float64(i.Learned)/params - 1; math.Abs(off) > slack {
			t.Errorf("%s: %d parameters, want %.0f", name, i.Learned, params)
		}
		if off := 2*float64(i.MACs)/float64(i.Batch)/flops - 1; math.Abs(off) > slack {
			t.Errorf("%s: %d operations in products, want %.0f", name, 2*i.MACs/int64(i.Batch), flops)
		}
	}
	const s = 1024.0
	for _, c := range []struct {
		name string
		h, l float64
	}{{"350m", 1024, 24}, {"760m", 1536, 24}, {"1.3b", 2048, 24}, {"2.6b", 2560, 32}, {"6.7b", 4096, 32}, {"15b", 5120, 48}, {"39b", 8192, 48}} {
		h, v := c.h, 51200.0
		// The formula leaves out the places' embedding and two thirds of some biases.
		check("gpt-"+c.name, c.l*(12*h*h+11*h)+v*(h+1), 24*s*h*h*c.l*(1+s/(6*h))+2*s*h*v, 0.005)
	}
	for _, c := range []struct {
		name    string
		h, l, e float64
	}{{"380m", 768, 8, 8}, {"690m", 768, 8, 16}, {"1.3b", 768, 16, 16}, {"2.4b", 1024, 16, 16}, {"10b", 1536, 16, 32},
		{"27b", 2048, 16, 48}, {"70b", 2048, 32, 64}} {
		h, v, m, group := c.h, 32000.0, 8.0, 2048.0
		dense, experts := (4+2*m)*h*h+(2+m+1+4)*h, (4+2*m*c.e)*h*h+(2+4)*h+c.e*(m+1)*h
		forward := s*h*h*(8+4*m) + 4*s*s*h + s*h*h*8 + 4*s*s*h + 8*s*h*h*m + 2*s*h*c.e + 8*s*h*group
		check("moe-"+c.name, c.l/2*(dense+experts)+v*(h+1), forward*c.l/2+2*s*h*v, 0.005)
	}
	linear := func(sizes ...float64) (n float64) {
		for i := range sizes[1:] {
			n += sizes[i] * sizes[i+1]
		}
		return n
	}
	repeat := func(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }
	tower := append([]float64{1024}, repeat(8192, 8)...)
	check("mlp", 2*(linear(tower...)+8*8192), 4*linear(tower...), 0)
	bottom := append([]float64{1024}, repeat(1024, 9)...)
	top := append([]float64{1024 + 8*256}, repeat(1024, 5)...)
	check("dlrm", 8e6*256+linear(bottom...)+linear(append(top, 1)...)+14*1024+1, 2*(linear(bottom...)+linear(append(top, 1)...)), 0)
	check("xdl", 4e6*64+linear(256, 256, 256, 2), 2*linear(256, 256, 256, 2), 0)
	uno := linear(append(append([]float64{5*4192 + 2}, repeat(4192, 4)...), 1)...)
	for _, in := range []float64{942, 5270, 2048, 5270, 2048} {
		uno += linear(append([]float64{in}, repeat(4192, 8)...)...)
	}
	check("candle", uno, 2*uno, 0)
	// An LSTM of one size has 8h² weights and 4h biases; its first step has no state.
	const h, steps = 2048.0, 20.0
	cell := func(firsts float64) float64 { return 2 * (steps*8 - firsts*4) * h * h }
	check("rnntc", 20480*h+4*(8*h*h+4*h)+2*h+2, 4*cell(1)+2*2*h, 0)
	check("rnnlm", 10000*h+2*(8*h*h+4*h)+10000*(h+1), 2*cell(1)+steps*2*10000*h, 0)
	check("nmt", 2*20480*h+4*(8*h*h+4*h)+2*h*h+20480*(h+1), 2*cell(1)+2*cell(0)+steps*(4*steps*h+4*h*h+2*20480*h), 0)
}

// doubles are numbers for all inputs of a model: those of its weights, and random ones;
// positions are small.
func doubles(t testing.TB, m *model.Model) []interp.Tensor[float64] {
	t.Helper()
	var in []interp.Tensor[float64]
	for k, id := range m.Graph.Inputs() {
		typ := m.Graph.Type(id.Out(0))
		x := interp.Tensor[float64]{Sizes: typ.Sizes}
		w := m.Weights[id]
		switch {
		case w != nil:
			raw, err := w.Read()
			if err != nil {
				t.Fatal(err)
			}
			for ; len(raw) > 0; raw = raw[typ.DType.Bytes():] {
				n, v := model.Element(typ.DType, raw)
				x.Data = append(x.Data, float64(n)+v)
			}
		default:
			xs, err := model.Random(uint64(k+1), typ.Sizes, math.Sqrt(3)).Float32s()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range xs {
				if !typ.DType.IsFloat() {
					v = float32(int(4+2*v) % 4)
				}
				x.Data = append(x.Data, float64(v))
			}
		}
		in = append(in, x)
	}
	return in
}

func outputs(t testing.TB, m *model.Model, in []interp.Tensor[float64]) []interp.Tensor[float64] {
	t.Helper()
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, m.Graph, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// takers are the small variants of all models that take any batch, one of each kind.
func takers(t testing.TB) (names []string) {
	seen := map[string]bool{}
	for _, name := range slices.Concat(models.Names(), models.Further()) {
		if !models.Batched(name) {
			continue
		}
		if key := build(t, name+"-tiny", 0).Graph.String(); !seen[key] {
			names = append(names, name+"-tiny")
			seen[key] = true
		}
	}
	if len(names) < 18 {
		t.Fatalf("only %v take a batch", names)
	}
	return names
}

// No sample depends on another one: a batch of two halves gives what the halves give, one
// behind the other along the first axis.
func TestBatchIsTheFirstAxis(t *testing.T) {
	for _, name := range takers(t) {
		half := 2 // samples; a group of experts has two
		whole, err := models.BuildNetwork(name, models.Options{Batch: 2 * half, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		part, err := models.BuildNetwork(name, models.Options{Batch: half, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if whole.Batch != 2*half || part.Graph.Len() != whole.Graph.Len() || part.Params() != whole.Params() {
			t.Errorf("%s: batch %d, %d nodes and %d parameters, with half the batch %d and %d",
				name, whole.Batch, whole.Graph.Len(), whole.Params(), part.Graph.Len(), part.Params())
		}
		in := doubles(t, whole.Model)
		want := outputs(t, whole.Model, in)
		for i := range 2 {
			mine := slices.Clone(in)
			for k, id := range whole.Graph.Inputs() {
				if !whole.Graph.IsWeight(id) {
					mine[k] = halfOf(t, in[k], i)
				}
			}
			for o, y := range outputs(t, part.Model, mine) {
				want := halfOf(t, want[o], i)
				if !slices.Equal(y.Sizes, want.Sizes) {
					t.Fatalf("%s: half an output has sizes %v, want %v", name, y.Sizes, want.Sizes)
				}
				for j, v := range y.Data {
					if !(math.Abs(v-want.Data[j]) <= 1e-9*(1+math.Abs(v))) {
						t.Errorf("%s: output %d, half %d: element %d is %g, want %g", name, o, i, j, v, want.Data[j])
						break
					}
				}
			}
		}
	}
}

// halfOf is one half of a tensor along its first axis.
func halfOf(t testing.TB, x interp.Tensor[float64], i int) interp.Tensor[float64] {
	t.Helper()
	if len(x.Sizes) == 0 || x.Sizes[0]%2 != 0 {
		t.Fatalf("sizes %v have no halves", x.Sizes)
	}
	n := len(x.Data) / 2
	return interp.Tensor[float64]{Sizes: append([]int{x.Sizes[0] / 2}, x.Sizes[1:]...), Data: x.Data[i*n : (i+1)*n]}
}

// Random weights keep the outputs in range.
func TestFurtherOutputs(t *testing.T) {
	for _, name := range takers(t) {
		m := build(t, name, 1)
		for i, y := range outputs(t, m, doubles(t, m)) {
			var sum float64
			for _, v := range y.Data {
				sum += v * v
			}
			if rms := math.Sqrt(sum / float64(len(y.Data))); !(rms > 1e-3 && rms < 1e3) {
				t.Errorf("%s: output %d has root mean square %g", name, i, rms)
			}
		}
	}
}

// assign gives each position of a group two experts and a place in the room of each, as a
// gate does, in the place of random numbers.
func assign(m *model.Model, in []interp.Tensor[float64]) {
	for k, id := range m.Graph.Inputs() {
		x := in[k]
		choice, dispatch := strings.HasSuffix(m.Graph.Name(id), "choice"), strings.HasSuffix(m.Graph.Name(id), "dispatch")
		if !choice && !dispatch {
			continue
		}
		experts := x.Sizes[2]
		taken := map[[2]int]int{}
		graph.Each(x.Sizes, func(flat int, at []int) {
			group, expert := at[0], at[2]
			mine := (expert-at[1]%experts+experts)%experts < 2
			switch {
			case choice && mine:
				x.Data[flat] = 0
			case choice:
				x.Data[flat] = -10000
			default:
				x.Data[flat] = 0
				if key := [2]int{group, expert}; mine && at[3] == taken[key] {
					x.Data[flat] = 1
				}
				if at[3] == x.Sizes[3]-1 && mine {
					taken[[2]int{group, expert}]++
				}
			}
		})
	}
}

// The scores of a word do not depend on later ones, but on it and earlier ones.
func TestCausal(t *testing.T) {
	for _, name := range []string{"gpt-350m-tiny", "moe-380m-tiny"} {
		m := build(t, name, 1)
		in := doubles(t, m)
		assign(m, in)
		tokens := slices.IndexFunc(m.Graph.Inputs(), func(id graph.NodeID) bool { return m.Graph.Name(id) == "tokens" })
		before := outputs(t, m, in)[0]
		x := in[tokens]
		positions, words := x.Sizes[1], before.Sizes[1]
		for at := range positions { // of the first sample
			x.Data = slices.Clone(in[tokens].Data)
			x.Data[at] = 4 + float64(at%3)
			other := slices.Clone(in)
			other[tokens] = x
			after := outputs(t, m, other)[0]
			for p := range positions {
				same := slices.Equal(before.Data[p*words:(p+1)*words], after.Data[p*words:(p+1)*words])
				if same != (p < at) {
					t.Errorf("%s: word %d changes, scores at %d: the same %v", name, at, p, same)
				}
			}
		}
	}
}

// The nodes of layers have the layers' names, layers share none, and what repeats is alike.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		kinds int // different sequences of operators
	}{
		{"gpt-39b", 48, 1}, {"moe-70b", 32, 2}, {"bert-large-512", 24, 1}, {"bert-base-128", 12, 1}, {"mmt", 32, 1}, {"bert", 8, 1},
		{"wrn-13b", 16, 2}, {"resnet101", 33, 2}, {"mlp", 16, 1}, {"candle", 44, 1}, {"nasrnn", 5, 1},
		{"rnnlm", 40, 2}, {"nmt", 80, 2}, {"inceptionv3-full", 11, 5}, {"alexnet", 0, 0},
	} {
		n, err := models.BuildNetwork(c.name, models.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kinds, owner := map[string]bool{}, map[graph.NodeID]string{}
		for _, l := range n.Layers {
			var ops strings.Builder
			for _, id := range l.Nodes {
				if owner[id] != "" || !strings.HasPrefix(n.Graph.Name(id), l.Name+"_") || n.Graph.Op(id) == nil {
					t.Errorf("%s: node %s of layer %s, and of %q", c.name, n.Graph.Name(id), l.Name, owner[id])
				}
				owner[id] = l.Name
				fmt.Fprintln(&ops, n.Graph.Op(id).Name)
			}
			kinds[ops.String()] = true
		}
		for id := range n.Graph.Nodes() {
			if n.Graph.Op(id) != nil && owner[id] == "" && strings.Contains(n.Graph.Name(id), "layer") {
				t.Errorf("%s: node %s is in no layer", c.name, n.Graph.Name(id))
			}
		}
		if len(n.Layers) != c.count || len(kinds) != c.kinds {
			t.Errorf("%s: %d layers of %d kinds, want %d of %d", c.name, len(n.Layers), len(kinds), c.count, c.kinds)
		}
	}
}

func TestBatchErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		batch int
		want  string
	}{
		{"moe-27b", 7, "build model moe-27b: 7 samples of 1024 positions: no groups of 2048 for 48 experts"},
		{"squeezenet", 2, "build model squeezenet: batch 2: its sizes are fixed"},
		{"resnet50+fold", 2, "build model resnet50+fold: batch 2: its sizes are fixed"},
		{"resnet50", -1, "build model resnet50: batch -1 is not a size"},
		{"resnet50", 1 << 40, "build model resnet50: batch 1099511627776 is not a size"},
		{"gpt-39b", 1 << 30, "build model gpt-39b: node word: operator gather: output 0: shape [1073741824, 1024, 8192]: more than 1099511627776 elements"},
	} {
		if _, err := models.BuildNetwork(c.name, models.Options{Batch: c.batch}); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Every run of a suite can be built with its batch.
func TestSuites(t *testing.T) {
	runs := 0
	for _, s := range models.Suites() {
		for _, r := range s.Runs {
			n, err := models.BuildNetwork(r.Model, models.Options{Batch: r.Batch})
			if err != nil {
				t.Error(err)
			} else if n.Batch != r.Batch || r.Devices > 64 {
				t.Errorf("%s: %+v has batch %d", s.Paper, r, n.Batch)
			}
			runs++
		}
	}
	if runs != 7+21+6+2 {
		t.Errorf("%d runs", runs)
	}
}
