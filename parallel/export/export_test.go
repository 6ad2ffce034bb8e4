package export

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/jax"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/pad"
	"github.com/taso-go/taso/parallel/plan"
)

func TestMain(m *testing.M) {
	os.Exit(golden.Main(m, "testdata/*"))
}

// layer is a network of one layer.
const layer = `
x : float32[8, 4]
w : weight float32[4, 4]
y = matmul(x, w)
return y`

// uneven has 10 samples, and 13 words to choose from.
const uneven = `
x : float32[10, 8]
v : weight float32[8, 12]
w : weight float32[12, 13]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
return y`

// timed is a plan with two micro-batches, with means along axes of two devices.
func timed(t testing.TB, tr *plan.Training, means ...plan.Means) *plan.Plan {
	t.Helper()
	axes := []plan.Axis{{Degree: 2, Time: true}}
	for range means {
		axes = append(axes, plan.Axis{Degree: 2})
	}
	p, err := plan.Make(ctx, tr, meshOf(t, axes...), plan.Options{Means: append([]plan.Means{plan.Data}, means...)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t testing.TB, p *plan.Plan) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// byHand lays a training step out along axes without a planner: samples are dealt out,
// weights are copies, each operator takes its operands as they are where it has a strategy
// for that, else it is computed on tensors that are whole.
func byHand(t testing.TB, tr *plan.Training, axes ...plan.Axis) *plan.Plan {
	t.Helper()
	p := &plan.Plan{Planner: "by hand", Training: tr, Mesh: meshOf(t, axes...), Laying: parallel.NewLaying(tr.Graph, parallel.NewStrategies())}
	for _, a := range axes {
		g, lies := p.Laying.Graph(), map[graph.Tensor]parallel.Role{}
		for _, id := range g.Inputs() {
			lies[id.Out(0)] = parallel.Role{Kind: parallel.Shard}
			if g.IsWeight(id) {
				lies[id.Out(0)] = parallel.Role{Kind: parallel.Copy}
			}
		}
		err := p.Laying.Along(ctx, a.Degree, parallel.Choice{
			Resident: func(x graph.Tensor) (parallel.Role, bool) {
				r, ok := lies[x]
				return r, ok && g.Op(x.Node) == nil
			},
			Of: func(id graph.NodeID) []*parallel.Strategy {
				all, err := p.Laying.Strategies(ctx, id, a.Degree)
				if err != nil {
					t.Fatal(err)
				}
				for _, st := range all {
					some, fits := false, true
					for i, x := range g.Operands(id) {
						r, ok := lies[x]
						some, fits = some || ok, fits && (!ok || r == st.In[i])
					}
					if some && fits {
						for k, r := range st.Out {
							lies[id.Out(k)] = r
						}
						return []*parallel.Strategy{st}
					}
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Programs as they are written.
func TestGolden(t *testing.T) {
	tr := training(t, layer, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	data := byHand(t, tr, plan.Axis{Degree: 2})
	golden.Equal(t, "testdata/data.py", written(t, data))
	micro := byHand(t, training(t, layer, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}), plan.Axis{Degree: 2, Time: true})
	golden.Equal(t, "testdata/micro.py", written(t, micro))
}

func runtime(t testing.TB) *jax.Runtime {
	t.Helper()
	rt, err := jax.Find(ctx)
	if errors.Is(err, jax.ErrAbsent) {
		t.Skip(err)
	}
	return rt
}

// JAX computes what the sequential step does, and sends what the plan is charged for. With
// TASO_ALL_MODELS=1 all networks are compared under more plans.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("runs Python")
	}
	rt, err := runtime(t).Start(ctx, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	sgd := grad.Options{Loss: grad.MeanSquare, Rate: 0.1}
	adam := grad.Options{Loss: grad.MeanSquare, Rate: 0.1, Optimizer: grad.Adam}
	compare := func(name string, p *plan.Plan) {
		t.Run(name, func(t *testing.T) {
			c, err := Compare(ctx, rt, p)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Equal() {
				t.Error(c.Text())
			}
		})
	}
	compare("perceptron fsdp", made(t, training(t, perceptron, adam), []plan.Means{plan.FSDP, plan.Megatron}, 2, 2))
	compare("perceptron micro-batches", timed(t, training(t, perceptron, sgd), plan.FSDP))
	longer := func(opt grad.Options, in int, cells ...int) *plan.Training {
		tr, err := training(t, uneven, opt).Pad(ctx, pad.Cells{in: cells})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	compare("padded samples", made(t, longer(sgd, 0, 2, 0), []plan.Means{plan.Data}, 4))
	compare("padded words", made(t, longer(grad.Options{Loss: grad.Classes, Axis: 1, Rate: 0.1, Optimizer: grad.Adam}, 2, 0, 3), []plan.Means{plan.Tensor}, 4))
	if os.Getenv("TASO_ALL_MODELS") == "" {
		return
	}
	for name, text := range map[string]string{"perceptron": perceptron, "encoder": encoder, "convolutional": convolutional, "recommender": recommender} {
		for o, opt := range []grad.Options{sgd, adam} {
			tr := training(t, text, opt)
			for _, means := range [][]plan.Means{{plan.Data}, {plan.FSDP}, {plan.Data, plan.Megatron}, {plan.FSDP, plan.Megatron}, {plan.All, plan.All}} {
				degrees := []int{2, 2}[:len(means)]
				compare(fmt.Sprintf("%s %s %v", name, grad.Optimizer(o), means), made(t, tr, means, degrees...))
			}
			compare(name+" micro-batches", timed(t, tr, plan.FSDP, plan.Megatron))
		}
	}
}

// What XLA may do with collectives is named, anything else is wrong.
func TestSends(t *testing.T) {
	reduce := func(name string, bytes int64) Send {
		return Send{Name: name, Kind: parallel.AllReduce, Axis: "a", Devices: 2, Bytes: bytes, Nodes: []string{"x" + name}, Times: 1, As: []Message{{"all-reduce", bytes}}}
	}
	scatter := Send{Name: "send0", Kind: parallel.ReduceScatter, Axis: "a", Devices: 2, Bytes: 8, Nodes: []string{"x"}, Times: 1, As: []Message{{"reduce-scatter", 8}}}
	constant := reduce("send0", 8)
	constant.constant = true
	other := reduce("send1", 8)
	other.of = [2]int{1, 0}
	micro := reduce("send0", 8)
	micro.Times = 4
	got := func(kind string, times int, bytes []int64, sends ...string) compiled {
		return compiled{Kind: kind, Sends: sends, Type: "f32", Bytes: bytes, Devices: 2, Times: times}
	}
	for _, c := range []struct {
		name         string
		list         []Send
		got          []compiled
		named, wrong string
	}{
		{"as it is", []Send{reduce("send0", 8)}, []compiled{got("all-reduce", 1, []int64{8}, "send0")}, "", ""},
		{"combined", []Send{reduce("send0", 8), reduce("send1", 4)}, []compiled{got("all-reduce", 1, []int64{4, 8}, "send0", "send1")}, "combined 2 all-reduce into one: send1, send0", ""},
		{"decomposed", []Send{scatter}, []compiled{got("all-reduce", 1, []int64{8}, "send0")}, "a slice of a reduce-scatter of 8 bytes", ""},
		{"removed", []Send{reduce("send0", 8), reduce("send1", 8)}, []compiled{got("all-reduce", 1, []int64{8}, "send1")}, "send0: XLA has removed a all-reduce of 8 bytes, of the same as send1", ""},
		{"gone, with one of another tensor", []Send{reduce("send0", 8), other}, []compiled{got("all-reduce", 1, []int64{8}, "send1")}, "", "send0: XLA does not send all-reduce of 8 bytes"},
		{"gone", []Send{reduce("send0", 8)}, nil, "", "send0: XLA does not send all-reduce of 8 bytes"},
		{"folded", []Send{constant}, nil, "send0: XLA has folded a all-reduce of 8 bytes, of what depends on no input", ""},
		{"other bytes", []Send{reduce("send0", 8)}, []compiled{got("all-reduce", 1, []int64{16}, "send0")}, "", "of 16 bytes among 2 devices (send0), which is not in the plan"},
		{"other kind", []Send{reduce("send0", 8)}, []compiled{got("all-gather", 1, []int64{8}, "send0")}, "", "XLA sends all-gather"},
		{"not ours", nil, []compiled{got("all-gather", 1, []int64{8})}, "", "XLA sends all-gather"},
		{"each", []Send{micro}, []compiled{got("all-reduce", 4, []int64{8}, "send0")}, "", ""},
		{"unrolled", []Send{micro}, slices.Repeat([]compiled{got("all-reduce", 1, []int64{8}, "send0")}, 4), "", ""},
		{"once", []Send{micro}, []compiled{got("all-reduce", 1, []int64{8}, "send0")}, "once and not in each of 4 micro-batches", ""},
		{"too often", []Send{reduce("send0", 8)}, []compiled{got("all-reduce", 4, []int64{8}, "send0")}, "", "3 times too often"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var x Comparison
			x.sends(c.list, nil, c.got)
			for _, s := range []struct {
				got  []string
				want string
			}{{x.Named, c.named}, {x.Wrong, c.wrong}} {
				if text := strings.Join(s.got, "\n"); s.want == "" && text != "" || !strings.Contains(text, s.want) {
					t.Errorf("%q, want %q", text, s.want)
				}
			}
		})
	}
}

// What is not charged is wrong unless it puts an output together.
func TestCharged(t *testing.T) {
	p := made(t, training(t, layer, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}), []plan.Means{plan.Data}, 2)
	s, err := newSPMD(p)
	if err != nil {
		t.Fatal(err)
	}
	var c Comparison
	charged := c.charged(p, s)
	if len(c.Wrong) > 0 || len(s.list) != 2 || charged["send0"] != 1 || charged["send1"] != 0 {
		t.Errorf("%v: %v of %v", c.Wrong, charged, s.list)
	}
	s.list[0].Bytes++
	c = Comparison{}
	if c.charged(p, s); len(c.Wrong) != 2 {
		t.Errorf("%v", c.Wrong)
	}
}

// What differs is wrong, unless it is rounding: then it does not in float64.
func TestNumbers(t *testing.T) {
	c := Comparison{Outputs: []Difference{{"a", 1e-6, 0, true}, {"b", 2e-5, 0, true}, {"c", 0, 0, false}, {"d", 3e-4, 0, true}}}
	off := c.numbers()
	if len(c.Wrong) != 1 || c.Worst != 3e-4 || !slices.Equal(off, []int{1, 3}) {
		t.Fatalf("%v: %v, %g", c.Wrong, off, c.Worst)
	}
	c.double(off, []Difference{{}, {"b", 1e-14, 1e-12, true}, {}, {"d", 1e-8, 0, true}})
	if len(c.Wrong) != 2 || len(c.Named) != 1 || !strings.HasPrefix(c.Wrong[1], "output d") {
		t.Errorf("%v, named %v", c.Wrong, c.Named)
	}
}

// A pipeline has no program of each device.
func TestPipeline(t *testing.T) {
	p := made(t, training(t, layer, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}), []plan.Means{plan.Data}, 2)
	p.Mesh.Stages = []plan.Submesh{{First: 0, Devices: 1}, {First: 1, Devices: 1}}
	if err := Write(&bytes.Buffer{}, p, Options{}); err == nil || !strings.Contains(err.Error(), "pipeline of 2 stages") {
		t.Error(err)
	}
	if err := Write(&bytes.Buffer{}, p, Options{Format: "x"}); err == nil || !strings.Contains(err.Error(), `format "x" is not known`) {
		t.Error(err)
	}
}

// Names of tensors are those of Python, and no two are one.
func TestNames(t *testing.T) {
	n := newNames(jax.Operators)
	var got []string
	for _, s := range []string{"layer/0.q", "layer_0_q", "relu", "lambda", "3", "", "float32"} {
		got = append(got, n.fresh(s))
	}
	if want := []string{"layer_0_q", "layer_0_q_2", "relu_2", "lambda_2", "t3", "t", "float32_2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func formatted(p *plan.Plan, f Format) (string, error) {
	var b bytes.Buffer
	err := Write(&b, p, Options{Format: f})
	return b.String(), err
}

// Placements of data parallelism by hand, and of two axes.
func TestDTensor(t *testing.T) {
	tr := training(t, layer, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	text, err := formatted(byHand(t, tr, plan.Axis{Degree: 2}), DTensor)
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/dtensor.py", text)
	for _, want := range []string{`"t21": (Partial(),),  # [4, 4]`, `"w": (Replicate(),),  # [4, 4]`, `"y": (Shard(0),),  # [8, 4]`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	micro, err := formatted(byHand(t, tr, plan.Axis{Degree: 2, Time: true}), DTensor)
	if err != nil || !strings.Contains(micro, "2 micro-batches: a loop around the step") {
		t.Errorf("%v\n%s", err, micro)
	}
}

// Data parallelism and ZeRO are said as flags; what is not of that form is an error that
// names it.
func TestFlags(t *testing.T) {
	opt := grad.Options{Loss: grad.MeanSquare, Rate: 0.5, Momentum: 0.5}
	tr := training(t, perceptron, opt)
	for _, c := range []struct {
		p    *plan.Plan
		want string
	}{
		{made(t, tr, []plan.Means{plan.Data}, 2), "--micro-batch-size 8\n--global-batch-size 16\n"},
		{made(t, tr, []plan.Means{plan.FSDP}, 2), `"stage": 3`},
		{byHand(t, training(t, layer, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}), plan.Axis{Degree: 2, Time: true}), `"gradient_accumulation_steps": 2`},
	} {
		text, err := formatted(c.p, Flags)
		if err != nil || !strings.Contains(text, c.want) || !strings.Contains(text, "--tensor-model-parallel-size 1\n") {
			t.Errorf("%v, want %s\n%s", err, c.want, text)
		}
	}
	two := made(t, tr, []plan.Means{plan.FSDP, plan.FSDP}, 2, 2)
	if _, err := formatted(two, Flags); !errors.Is(err, ErrForm) || !strings.Contains(err.Error(), "mesh axis b is the second one of its sort") {
		t.Error(err)
	}
}

// A weight that lies in parts, and of which only all of it is read, is gathered.
func TestGathered(t *testing.T) {
	g, err := graph.ParseText("layer", strings.TrimSpace(layer))
	if err != nil {
		t.Fatal(err)
	}
	tr := &plan.Training{Graph: g, Next: map[int]int{}}
	p := &plan.Plan{Training: tr, Mesh: meshOf(t, plan.Axis{Degree: 2}), Laying: parallel.NewLaying(g, parallel.NewStrategies())}
	err = p.Laying.Along(ctx, 2, parallel.Choice{
		Resident: func(x graph.Tensor) (parallel.Role, bool) {
			return parallel.Role{Kind: parallel.Shard, Axis: 1}, g.IsWeight(x.Node)
		},
		Of: func(id graph.NodeID) []*parallel.Strategy {
			all, err := p.Laying.Strategies(ctx, id, 2)
			if err != nil {
				t.Fatal(err)
			}
			return all[:1] // copies
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSPMD(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.list) != 1 || s.list[0].Kind != parallel.AllGather || s.list[0].Bytes != 4*4*2 || s.ins[1].text() != `P(None, "a")` {
		t.Errorf("%+v, %s", s.list, s.ins[1].text())
	}
}
