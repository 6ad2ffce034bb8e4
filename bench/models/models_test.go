package models_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

func build(t testing.TB, name string, seed uint64) *model.Model {
	t.Helper()
	m, err := models.Build(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPublished compares the graphs with what their sources publish, see
// models.Published. Of the graphs of the papers all is known.
func TestPublished(t *testing.T) {
	for i, info := range models.List() {
		p := info.Published
		if i < 9 && (p.Learned == 0 || p.GMAC == 0 || p.Total == 0) {
			t.Errorf("%s: %+v", info.Name, p)
		}
		if p.Cite == "" || p.Learned == 0 && p.GMAC == 0 && len(p.Operators) == 0 {
			t.Errorf("%s: nothing is published", info.Name)
		}
		if p.Learned != 0 && info.Learned != p.Learned {
			t.Errorf("%s: %d learned parameters, want %d", info.Name, info.Learned, p.Learned)
		}
		slack := p.Slack
		if slack == 0 {
			_, digits, _ := strings.Cut(fmt.Sprint(p.GMAC), ".")
			slack = 0.5 / math.Pow10(len(digits))
		}
		if got := float64(info.MACs) / 1e9; p.GMAC != 0 && math.Abs(got-p.GMAC) > slack {
			t.Errorf("%s: %.4f GMAC, want %g", info.Name, got, p.GMAC)
		}
		if p.Total != 0 && info.Operators != p.Total+p.Extra || p.Extra != 0 && p.Note == "" {
			t.Errorf("%s: %d operators, want %d and %d", info.Name, info.Operators, p.Total, p.Extra)
		}
		g := build(t, info.Name, 0).Graph
		for _, o := range p.Operators {
			if got := models.Count(g, o.Op); got != o.N {
				t.Errorf("%s: %d %s, want %d", info.Name, got, o.Op, o.N)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the tables of docs/models.md anew")

// The tables of docs/models.md are what Markdown and MarkdownFurther write. After a change
// of the models: go test ./bench/models -run Docs -update
func TestDocs(t *testing.T) {
	const file = "../../docs/models.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, c := range []struct{ begin, end, table string }{
		{"<!-- begin table -->\n", "<!-- end table -->", models.Markdown()},
		{"<!-- begin table to be trained -->\n", "<!-- end table to be trained -->", models.MarkdownFurther()},
	} {
		before, rest, ok1 := strings.Cut(text, c.begin)
		old, after, ok2 := strings.Cut(rest, c.end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no table between %q and %q", file, c.begin, c.end)
		}
		if text = before + c.begin + c.table + c.end + after; old != c.table && !*update {
			t.Errorf("%s is stale; run: go test ./bench/models -run Docs -update", file)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// All models of the list build, and say what they are.
func TestList(t *testing.T) {
	infos := models.List()
	for i, name := range models.Names() {
		in := infos[i]
		if in.Name != name || in.Doc == "" || in.Source == "" || len(in.Inputs) == 0 || in.Operators == 0 ||
			in.Weights == 0 || in.Learned > in.Params || in.MACs*2 > in.FLOPs || in.MACs == 0 {
			t.Errorf("%s: %+v", name, in)
		}
	}
}

// A small variant has the same nodes as its model, of other sizes.
func TestTinyIsTheSame(t *testing.T) {
	for _, name := range models.Names() {
		if strings.HasPrefix(name, "bert-") {
			continue // the small encoder has fewer layers
		}
		g, h := build(t, name, 0).Graph, build(t, name+"-tiny", 0).Graph
		if g.Len() != h.Len() {
			t.Errorf("%s: %d and %d nodes", name, g.Len(), h.Len())
			continue
		}
		for id := range g.Nodes() {
			if g.Op(id) != h.Op(id) || g.Name(id) != h.Name(id) || !slices.Equal(g.Operands(id), h.Operands(id)) {
				t.Errorf("%s: node %s differs", name, g.Name(id))
				break
			}
		}
		if h.Work().FLOPs > 1e7 {
			t.Errorf("%s-tiny: %d FLOPs are not small", name, h.Work().FLOPs)
		}
	}
}

// eval runs a model on random inputs and returns every output.
func eval(t testing.TB, m *model.Model) []interp.Tensor[float64] {
	t.Helper()
	var in []interp.Tensor[float64]
	for i, id := range m.Graph.Inputs() {
		sizes := m.Graph.Sizes(id.Out(0))
		w := m.Weights[id]
		if w == nil {
			w = model.Random(uint64(i+1), sizes, math.Sqrt(3))
		}
		xs, err := w.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		x := interp.Tensor[float64]{Sizes: sizes}
		for _, v := range xs {
			x.Data = append(x.Data, float64(v))
		}
		in = append(in, x)
	}
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, m.Graph, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Random weights keep the outputs in range, and the outputs depend on the seed.
func TestOutputs(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range models.Names() {
		tiny := name + "-tiny"
		m := build(t, tiny, 1)
		if key := m.Graph.String(); seen[key] {
			continue // the encoders share their small variants
		} else {
			seen[key] = true
		}
		a, b := eval(t, m), eval(t, build(t, tiny, 2))
		for i, x := range a {
			var sum, same float64
			for j, v := range x.Data {
				sum += v * v
				if v == b[i].Data[j] {
					same++
				}
			}
			n := float64(len(x.Data))
			if rms := math.Sqrt(sum / n); !(rms > 1e-3 && rms < 1e3) {
				t.Errorf("%s: output %d has root mean square %g", tiny, i, rms)
			}
			// Rectified outputs are 0 for about half of their elements.
			if same > 3*n/4 {
				t.Errorf("%s: output %d: %g of %g elements do not depend on the seed", tiny, i, same, n)
			}
		}
	}
}

// A seed decides every number, and a weight's numbers depend on its name only.
func TestSeeds(t *testing.T) {
	a, b, c := build(t, "resnet50-tiny", 1), build(t, "resnet50-tiny", 1), build(t, "resnet50-tiny", 2)
	full := build(t, "resnet50", 1)
	if !a.Graph.Equal(b.Graph) || !a.Graph.Equal(c.Graph) {
		t.Error("the graph depends on the seed")
	}
	for _, id := range a.Graph.Inputs() {
		if !a.Graph.IsWeight(id) {
			continue
		}
		x, err := a.Weights[id].Float32s()
		if err != nil {
			t.Fatal(err)
		}
		y, _ := b.Weights[id].Float32s()
		z, _ := c.Weights[id].Float32s()
		if !slices.Equal(x, y) || slices.Equal(x, z) {
			t.Errorf("weight %s does not follow the seed", a.Graph.Name(id))
		}
	}
	id, ok := full.Graph.Find("stage1_0_a_bn_bias")
	if !ok {
		t.Fatal("resnet50 has no weight stage1_0_a_bn_bias")
	}
	x, _ := a.Weights[id].Float32s()
	y, _ := full.Weights[id].Float32s()
	if len(x) != 4 || !slices.Equal(x, y[:4]) {
		t.Errorf("%v is not the beginning of %v", x, y[:4])
	}
}

func TestErrors(t *testing.T) {
	_, err := models.Build("resnet51", 0)
	if !errors.Is(err, models.ErrUnknown) || !strings.Contains(err.Error(), `build model "resnet51": there is no such model; did you mean resnet50?`) {
		t.Errorf("got %v", err)
	}
	good := models.EncoderConfig{Layers: 1, Sequence: 2, Hidden: 6, Heads: 3}
	for _, c := range []struct {
		change func(*models.EncoderConfig)
		want   string
	}{
		{func(c *models.EncoderConfig) {}, ""},
		{func(c *models.EncoderConfig) { c.Heads = 4 }, "build encoder: 4 heads do not divide hidden size 6"},
		{func(c *models.EncoderConfig) { c.Batch = -1 },
			"build encoder: {Batch:-1 Layers:1 Sequence:2 Hidden:6 Heads:3 Inner:24}: sizes must be at least 1"},
		{func(c *models.EncoderConfig) { c.Layers = 0 },
			"build encoder: {Batch:0 Layers:0 Sequence:2 Hidden:6 Heads:3 Inner:24}: sizes must be at least 1"},
		{func(c *models.EncoderConfig) { c.Sequence = 1 << 40 },
			"build encoder: input x: shape [1099511627776, 6]: size 1099511627776 is not in 0 to 2147483647"},
		{func(c *models.EncoderConfig) { c.Sequence = 1 << 24 },
			"build encoder: node layer0_scores: operator matmul: output 0: shape [3, 16777216, 16777216]: more than 1099511627776 elements"},
	} {
		cfg := good
		c.change(&cfg)
		_, err := models.Encoder(cfg, 0)
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// An encoder computes of each sample what it computes of one without an axis of samples.
func TestEncoderBatch(t *testing.T) {
	c := models.EncoderConfig{Layers: 2, Sequence: 3, Hidden: 8, Heads: 2}
	one, err := models.Encoder(c, 3)
	if err != nil {
		t.Fatal(err)
	}
	c.Batch = 2
	two, err := models.Encoder(c, 3)
	if err != nil {
		t.Fatal(err)
	}
	in := doubles(t, two)
	want := outputs(t, two, in)[0]
	for i := range 2 {
		mine := doubles(t, one)
		mine[0].Data = halfOf(t, in[0], i).Data
		for j, v := range outputs(t, one, mine)[0].Data {
			if math.Abs(v-want.Data[i*24+j]) > 1e-12 {
				t.Errorf("sample %d, element %d: %g, with both %g", i, j, v, want.Data[i*24+j])
			}
		}
	}
}

// Normalized rows have mean square 1, up to the random scale and bias.
func TestEncoderNormalizes(t *testing.T) {
	m, err := models.Encoder(models.EncoderConfig{Layers: 2, Sequence: 3, Hidden: 64, Heads: 4}, 3)
	if err != nil {
		t.Fatal(err)
	}
	out := eval(t, m)[0]
	for i := 0; i < 3; i++ {
		var sum float64
		for _, v := range out.Data[i*64 : (i+1)*64] {
			sum += v * v
		}
		if sum/64 < 0.8 || sum/64 > 1.25 {
			t.Errorf("row %d has mean square %g", i, sum/64)
		}
	}
	if m.Name != "encoder-2x64-3" {
		t.Errorf("name %s", m.Name)
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"nasneta", "resnet50", "bert-large-128"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				build(b, name, 0)
			}
		})
	}
}
