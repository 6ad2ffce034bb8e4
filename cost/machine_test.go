package cost_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

func machine(t testing.TB, name string) *cost.Machine {
	t.Helper()
	m, err := cost.FindMachine(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBuiltInMachines(t *testing.T) {
	all, err := cost.Machines()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range all {
		names[m.Name] = true
		if found, err := cost.FindMachine(m.Name); err != nil || !reflect.DeepEqual(found, m) {
			t.Errorf("%s: found by its name as %+v, %v", m.Name, found, err)
		}
		if m.Doc == "" {
			t.Errorf("%s: no source of its numbers", m.Name)
		}
		file := filepath.Join(t.TempDir(), m.Name+".json")
		if err := m.Write(file); err != nil {
			t.Fatal(err)
		}
		back, err := cost.FindMachine(file)
		if err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%s: read back as %+v, %v", m.Name, back, err)
		}
	}
	if !names["v100"] || !names["laptop"] || !names["zen5"] {
		t.Errorf("built in: %v", names)
	}
}

// broken is what follows in each case of TestMachineErrors.
const whole = `{"name": "m", "doc": "", "flops": {"float32": 1e9}, "bandwidth": 1e9,
"caches": [{"name": "L1", "bytes": 10, "bandwidth": 4e9}, {"name": "L2", "bytes": 20, "bandwidth": 2e9}],
"launch": 1e-6, "view": 1e-7, "rates": {"conv": {"flops": 0.5, "bandwidth": 1}}}`

func TestMachineErrors(t *testing.T) {
	if _, err := cost.ParseMachine("m.json", []byte(whole)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"name": "m"`, `"name": ""`, "name is missing"},
		{`"float32": 1e9`, `"float64": 1e9`, "flops of float32 is missing"},
		{`"float32": 1e9`, `"float32": 1e9, "float31": 1`, `element type "float31"`},
		{`"float32": 1e9`, `"float32": -1`, "flops of float32 is -1"},
		{`"bandwidth": 1e9`, `"bandwidth": 0`, "bandwidth is 0, want a number above 0"},
		{`"bandwidth": 1e9`, `"bandwith": 1e9`, `unknown field "bandwith"`},
		{`"bandwidth": 1e9`, `"bandwidth": 3e9`, "cache L2 is slower than the memory"},
		{`"launch": 1e-6`, `"launch": 0`, "launch is 0"},
		{`"view": 1e-7`, `"view": 0`, "view is 0"},
		{`"view": 1e-7`, `"view": 1e-7, "serial": 1.5`, "serial is 1.5"},
		{`"view": 1e-7`, `"view": 1e-7, "memory": -1`, "memory is -1"},
		{`"bytes": 20`, `"bytes": 10`, "cache L2 is not larger than L1"},
		{`"bytes": 10`, `"bytes": 0`, "cache L1: 0 bytes"},
		{`"bandwidth": 2e9`, `"bandwidth": 9e9`, "cache L2 is faster than the smaller L1"},
		{`"conv"`, `"konv"`, `class "konv" is not known`},
		{`"rates"`, `"matrix": {"tf32": 0}, "rates"`, "matrix of tf32 is 0"},
		{`"rates"`, `"matrix": {"tf33": 1}, "rates"`, `element type "tf33"`},
		{`"rates"`, `"fitted": {"tf32": {}}, "rates"`, `fitted: element type "tf32"`},
		{`"rates"`, `"fitted": {"float32": {"konv": {"flops": 1, "bandwidth": 1}}}, "rates"`, `fitted float32: class "konv" is not known`},
		{`"rates"`, `"fitted": {"float32": {"conv": {"flops": 1, "bandwidth": 1, "depth": -1}}}, "rates"`, `fitted float32 of conv: depth is -1, want 0 or more`},
		{`0.5`, `0`, "rates of conv: flops is 0"},
		{`"caches"`, `caches`, "m.json:2: invalid character"},
		{`1}}}`, `1}}} {}`, "text after the description"},
		{whole, ``, "EOF"},
		{`"name": "m"`, `"name": 7`, "cannot unmarshal number"},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Fatalf("%q does not occur", c.old)
		}
		_, err := cost.ParseMachine("m.json", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "machine m.json") {
			t.Errorf("%s → %s: got %v, want an error with %q", c.old, c.new, err, c.want)
		}
	}
	// All that is wrong is said at once.
	err := (&cost.Machine{}).Check()
	for _, want := range []string{"name", "float32", "bandwidth", "launch", "view"} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("the empty machine: %v, want %s too", err, want)
		}
	}
	for _, name := range []string{"v101", "./no.json", "v100:tf32", "v101:tf32"} {
		if _, err := cost.FindMachine(name); err == nil {
			t.Errorf("machine %s found", name)
		}
	}
	if _, err := cost.ReadMachine("m", strings.NewReader(strings.Repeat(" ", 2<<20))); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a large file: %v", err)
	}
	if _, err := cost.ReadMachine("m", failing{}); !errors.Is(err, errFailing) {
		t.Errorf("a reader that fails: %v", err)
	}
}

func FuzzParseMachine(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"name":"m","flops":{"float32":1e308},"bandwidth":1e-308,"launch":1,"view":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := cost.ParseMachine("fuzz", b)
		if err != nil {
			return
		}
		s, _, err := m.Cost(cost.Application{Op: op.Relu, In: []graph.TensorType{f32(8)}, Out: []graph.TensorType{f32(8)}})
		if err != nil || !(s > 0) {
			t.Fatalf("relu costs %v, %v", s, err)
		}
	})
}

func TestEveryOperatorHasAClass(t *testing.T) {
	for _, o := range slices.Concat(graph.Ops(), graph.Lifted()) {
		// A function of one element is of class function unless it says more.
		if c := cost.Class(o.Class); !slices.Contains(cost.Classes(), c) && (c != "" || !o.IsFunction()) {
			t.Errorf("operator %s: class %q is none of %v", o.Name, o.Class, cost.Classes())
		}
	}
}

func TestWorkOf(t *testing.T) {
	perm := func(p ...int64) map[string]graph.Value { return map[string]graph.Value{"perm": graph.TupleValue(p...)} }
	conv := func(groups int64) map[string]graph.Value {
		m := same()
		m["groups"] = graph.IntValue(groups)
		return m
	}
	slid := func(name string, n int64) map[string]graph.Value {
		m := same()
		m[name] = graph.TupleValue(n, n)
		return m
	}
	attr := func(kv ...any) map[string]graph.Value {
		m := map[string]graph.Value{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = graph.IntValue(int64(kv[i+1].(int)))
		}
		return m
	}
	for _, c := range []struct {
		name string
		app  *cost.Application
		want cost.Work
	}{
		{"matmul", applied(t, "matmul", nil, f32(2, 3), f32(3, 5)), cost.Work{Class: cost.MatMul, FLOPs: 2 * 2 * 3 * 5, Read: 4 * (6 + 15), Write: 40, Weights: 60, Outputs: 10, Depth: 3, Padded: 60}},
		{"conv", applied(t, "conv2d", conv(1), f32(1, 4, 8, 8), f32(8, 4, 3, 3)), cost.Work{Class: cost.ConvThin, FLOPs: 2 * 512 * 36, Read: 4 * (256 + 288), Write: 2048, Weights: 4 * 288, Outputs: 512, Depth: 4, Padded: 4 * 512 * 36}},
		{"conv 1x1", applied(t, "conv2d", conv(1), f32(1, 8, 8, 8), f32(8, 8, 1, 1)), cost.Work{Class: cost.Conv1x1, FLOPs: 2 * 512 * 8, Read: 4 * (512 + 64), Write: 2048, Weights: 4 * 64, Outputs: 512, Depth: 8, Padded: 2 * 512 * 8}},
		{"conv 3x3", applied(t, "conv2d", conv(1), f32(1, 10, 8, 8), f32(8, 10, 3, 3)), cost.Work{Class: cost.Conv3x3, FLOPs: 2 * 512 * 90, Read: 4 * (640 + 720), Write: 2048, Weights: 4 * 720, Outputs: 512, Depth: 10, Padded: 2 * 512 * 16 * 9}},
		{"conv 5x5", applied(t, "conv2d", conv(1), f32(1, 8, 8, 8), f32(8, 8, 5, 5)), cost.Work{Class: cost.Conv, FLOPs: 2 * 512 * 200, Read: 4 * (512 + 1600), Write: 2048, Weights: 4 * 1600, Outputs: 512, Depth: 8, Padded: 2 * 512 * 200}},
		{"conv with stride reads rows of windows", applied(t, "conv2d", slid("stride", 2), f32(1, 8, 8, 8), f32(8, 8, 1, 1)), cost.Work{Class: cost.ConvStrided, FLOPs: 2 * 128 * 8, Read: 4 * (256 + 64), Write: 512, Weights: 4 * 64, Outputs: 128, Depth: 8, Padded: 2 * 128 * 8}},
		{"conv with dilation", applied(t, "conv2d", slid("dilation", 2), f32(1, 8, 8, 8), f32(8, 8, 3, 3)), cost.Work{Class: cost.ConvOther, FLOPs: 2 * 512 * 72, Read: 4 * (512 + 576), Write: 2048, Weights: 4 * 576, Outputs: 512, Depth: 8, Padded: 2 * 512 * 72}},
		{"gradient of a kernel", applied(t, "conv2d", map[string]graph.Value{"pad": graph.NameValue("valid")}, f32(8, 2, 10, 10), f32(9, 2, 8, 8)), cost.Work{Class: cost.ConvWeight3x3, FLOPs: 2 * 648 * 128, Read: 4 * (1600 + 1152), Write: 4 * 648, Weights: 4 * 1152, Outputs: 648, Depth: 128, Padded: 2 * 9 * 8 * 16 * 128}},
		{"conv in groups", applied(t, "conv2d", conv(2), f32(1, 4, 8, 8), f32(8, 2, 3, 3)), cost.Work{Class: cost.GroupConv, FLOPs: 2 * 512 * 18, Read: 4 * (256 + 144), Write: 2048, Weights: 4 * 144, Outputs: 512, Depth: 2}},
		{"depthwise", applied(t, "conv2d", conv(4), f32(1, 4, 8, 8), f32(4, 1, 3, 3)), cost.Work{Class: cost.Depthwise, FLOPs: 2 * 256 * 9, Read: 4 * (256 + 36), Write: 1024, Weights: 4 * 36, Outputs: 256}},
		{"depthwise over the whole image", applied(t, "conv2d", map[string]graph.Value{"pad": graph.NameValue("valid"), "groups": graph.IntValue(4)}, f32(1, 4, 8, 8), f32(4, 1, 8, 8)), cost.Work{Class: cost.Reduce, FLOPs: 2 * 256, Read: 4 * (256 + 256), Write: 16, Weights: 4 * 256}},
		{"average of the whole image", applied(t, "poolavg", map[string]graph.Value{"kh": graph.IntValue(8), "kw": graph.IntValue(8), "pad": graph.NameValue("valid")}, f32(1, 4, 8, 8)), cost.Work{Class: cost.Reduce, FLOPs: 256, Read: 4 * 256, Write: 16}},
		{"matmul in a batch has no weights", applied(t, "matmul", nil, f32(7, 2, 3), f32(7, 3, 5)), cost.Work{Class: cost.MatMul, FLOPs: 7 * 60, Read: 28 * (6 + 15), Write: 280, Outputs: 70, Depth: 3, Padded: 420}},
		{"transpose", applied(t, "transpose", perm(1, 0), f32(2, 3)), cost.Work{Class: cost.Transpose, Read: 24, Write: 24}},
		{"transpose of an axis of size 1", applied(t, "transpose", perm(1, 0, 2), f32(1, 3, 4)), cost.Work{Class: cost.View}},
		{"slice reads what it writes", applied(t, "slice", attr("axis", 1, "lo", 1, "hi", 3), f32(5, 10)), cost.Work{Class: cost.Copy, Read: 40, Write: 40}},
		{"the first rows", applied(t, "slice", attr("axis", 0, "lo", 1, "hi", 3), f32(10, 5)), cost.Work{Class: cost.View}},
		{"concat", applied(t, "concat", attr("axis", 0), f32(2), f32(3)), cost.Work{Class: cost.Copy, Read: 20, Write: 20}},
		{"gather reads rows", applied(t, "gather", attr("axis", 0), f32(1000, 5), graph.TensorType{DType: graph.Int64, Sizes: []int{2}}), cost.Work{Class: cost.Gather, Read: 40 + 16, Write: 40}},
		{"reshape", applied(t, "reshape", map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(6))}, f32(2, 3)), cost.Work{Class: cost.View}},
		{"constant", applied(t, "imatmul", attr("n", 4)), cost.Work{Class: cost.Constant, Write: 64}},
		{"relu of float16", applied(t, "relu", nil, graph.TensorType{DType: graph.Float16, Sizes: []int{8}}), cost.Work{Class: cost.Pointwise, FLOPs: 8, Read: 16, Write: 16}},
	} {
		a := c.app
		if got := cost.WorkOf(*a); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if got, want := cost.WorkOf(cost.Application{In: []graph.TensorType{f32(2)}, Out: []graph.TensorType{f32(3)}}), (cost.Work{Class: cost.Opaque, Read: 8, Write: 12}); got != want {
		t.Errorf("opaque: got %+v, want %+v", got, want)
	}
}

// TestWholeImage: an average costs no more than the same as a convolution, which reads
// its kernels besides, on every machine, with its caches and without.
func TestWholeImage(t *testing.T) {
	all, err := cost.Machines()
	if err != nil {
		t.Fatal(err)
	}
	valid := func(groups int64) map[string]graph.Value {
		return map[string]graph.Value{"pad": graph.NameValue("valid"), "groups": graph.IntValue(groups)}
	}
	for _, m := range all {
		plain := *m
		plain.Caches = nil
		for _, m := range []*cost.Machine{m, &plain} {
			for _, s := range [][3]int{{8, 12, 160}, {200, 2, 160}, {88, 3, 160}, {576, 7, 7}, {1280, 7, 7}, {64, 112, 112}} {
				c, h, w := s[0], s[1], s[2]
				price := func(a *cost.Application) cost.Seconds {
					s, _, err := m.Cost(*a)
					if err != nil {
						t.Fatal(err)
					}
					return s
				}
				mean := price(applied(t, "reducemean", map[string]graph.Value{"axes": graph.TupleValue(2, 3), "keep": graph.IntValue(1)}, f32(1, c, h, w)))
				pool := price(applied(t, "poolavg", map[string]graph.Value{"kh": graph.IntValue(int64(h)), "kw": graph.IntValue(int64(w)), "pad": graph.NameValue("valid")}, f32(1, c, h, w)))
				conv := price(applied(t, "conv2d", valid(int64(c)), f32(1, c, h, w), f32(c, 1, h, w)))
				if mean > conv || pool > conv {
					t.Errorf("%s, %d caches, %v: mean %v, pool %v, convolution %v", m.Name, len(m.Caches), s, mean, pool, conv)
				}
			}
		}
	}
}

func TestRoofline(t *testing.T) {
	m, err := cost.ParseMachine("m.json", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	const launch = 1e-6
	for _, c := range []struct {
		work   cost.Work
		serial float64
		want   float64
		bound  cost.Bound
	}{
		{cost.Work{Class: cost.View}, 0, 1e-7, cost.ByLaunch},
		{cost.Work{Class: cost.MatMul, FLOPs: 1e9, Read: 1e6}, 0, launch + 1, cost.ByCompute},
		{cost.Work{Class: cost.Conv, FLOPs: 1e9, Read: 1e6}, 0, launch + 2, cost.ByCompute},
		{cost.Work{Class: cost.MatMul, FLOPs: 10, Read: 1e9, Write: 1e9}, 0, launch + 2, cost.ByMemory},
		{cost.Work{Class: cost.MatMul, FLOPs: 1e9, Read: 1e9}, 1, launch + 2, cost.ByCompute},
		{cost.Work{Class: cost.Copy, Read: 10}, 0, launch + 10/4e9, cost.ByLaunch},
		{cost.Work{Class: cost.Copy, Read: 10, Write: 10}, 0, launch + 20/2e9, cost.ByLaunch},
		{cost.Work{Class: cost.Copy, Read: 11, Write: 10}, 0, launch + 21/1e9, cost.ByLaunch},
		{cost.Work{Class: cost.Copy, Read: 20, Write: 10, Weights: 20}, 0, launch + 20/1e9 + 10/4e9, cost.ByLaunch},
		{cost.Work{Class: cost.Constant}, 0, launch, cost.ByLaunch},
	} {
		m.Serial = c.serial
		if got := float64(m.Time(c.work, graph.Float32)); !near(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.work, got, c.want)
		}
		if got := m.BoundOf(c.work, graph.Float32); got != c.bound {
			t.Errorf("%+v: bound by %s, want %s", c.work, got, c.bound)
		}
	}
	m.Serial = 0
	if got := float64(m.Time(cost.Work{Class: cost.MatMul, FLOPs: 1e9}, graph.Float16)); !near(got, launch+0.5) {
		t.Errorf("a type without a peak: %v", got)
	}
}

func near(a, b float64) bool { return a-b < 1e-9*b && b-a < 1e-9*b }

func ExampleMachine_Cost() {
	m, err := cost.FindMachine("v100")
	if err != nil {
		fmt.Println(err)
		return
	}
	app := cost.Application{Op: op.MatMul, In: []graph.TensorType{f32(1024, 1024), f32(1024, 1024)}, Out: []graph.TensorType{f32(1024, 1024)}}
	s, source, err := m.Cost(app)
	fmt.Println(s, source, err, m.BoundOf(cost.WorkOf(app), graph.Float32))
	// Output: 175 µs modelled <nil> compute
}

// TestMoreTakesLonger: a product or a convolution with more rows, columns or channels
// never takes less time, on every machine.
func TestMoreTakesLonger(t *testing.T) {
	all, err := cost.Machines()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		for _, d := range []graph.DType{graph.Float32, graph.Float16, graph.BFloat16} {
			of := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: d, Sizes: sizes} }
			last := map[string]cost.Seconds{}
			for n := 1; n <= 4096; n *= 2 {
				for what, a := range map[string]*cost.Application{
					"rows":     applied(t, "matmul", nil, of(n, 64), of(64, 64)),
					"columns":  applied(t, "matmul", nil, of(64, 64), of(64, n)),
					"sums":     applied(t, "matmul", nil, of(64, n), of(n, 64)),
					"batch":    applied(t, "conv2d", same(), of(n, 16, 14, 14), of(16, 16, 3, 3)),
					"channels": applied(t, "conv2d", same(), of(8, 16, 14, 14), of(n, 16, 3, 3)),
				} {
					s, _, err := m.Cost(*a)
					if err != nil {
						t.Fatal(err)
					}
					if s < last[what] {
						t.Errorf("%s, %v: %d %s take %v, half as many %v", m.Name, d, n, what, s, last[what])
					}
					last[what] = s
				}
			}
		}
	}
}

// TestMatrixUnits: products and convolutions have the peak of matrix units, on channels in
// multiples of 8, and TF32 where it is asked for.
func TestMatrixUnits(t *testing.T) {
	a100, rounded := machine(t, "a100"), machine(t, "a100:tf32")
	ratio := func(x, y *cost.Machine, a *cost.Application) float64 {
		s, _, _ := x.Cost(*a)
		r, _, _ := y.Cost(*a)
		return float64((s - x.Launch) / (r - y.Launch))
	}
	product := applied(t, "matmul", nil, f32(4096, 4096), f32(4096, 4096))
	if r := ratio(a100, rounded, product); !near(r, 8) || rounded.Name != "a100:tf32" {
		t.Errorf("%s: products are %v times as fast, want 8", rounded.Name, r)
	}
	if r := ratio(a100, rounded, applied(t, "relu", nil, f32(1<<26))); r != 1 {
		t.Errorf("relu in TF32 is %v times as fast", r)
	}
	half := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: graph.Float16, Sizes: sizes} }
	nine, sixteen := *applied(t, "conv2d", same(), half(64, 9, 56, 56), half(64, 9, 5, 5)), *applied(t, "conv2d", same(), half(64, 16, 56, 56), half(64, 16, 5, 5))
	v100 := machine(t, "v100")
	v100.Bandwidth, v100.Caches, v100.Fitted = 1e24, nil, nil // only arithmetic
	x, _, _ := v100.Cost(nine)
	y, _, _ := v100.Cost(sixteen)
	if !near(float64(x), float64(y)) {
		t.Errorf("9 channels take %v, 16 %v", x, y)
	}
}

func TestExtrapolates(t *testing.T) {
	for _, c := range []struct {
		machine string
		class   cost.Class
		d       graph.DType
		want    bool
	}{
		{"v100", cost.MatMul, graph.Float32, false},
		{"v100", cost.Conv3x3, graph.Float16, false},
		{"v100", cost.MatMul, graph.Float64, true},
		{"v100", cost.GroupConv, graph.Float32, true},
		{"v100", cost.ConvOther, graph.Float32, true},
		{"v100", cost.View, graph.Float32, false},
		{"a100", cost.GroupConv, graph.Float32, false}, // nothing is fitted
	} {
		if got := machine(t, c.machine).Extrapolates(cost.Work{Class: c.class}, c.d); got != c.want {
			t.Errorf("%s, %s of %v: %v", c.machine, c.class, c.d, got)
		}
	}
}
