package cost_test

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/golden"
)

// timed is a time that DeepBench published, as an application of this program.
type timed struct {
	cost.Observation
	device string
	// shape is the application without its element type.
	shape string
}

// halves says of each shape whether rates are fitted to it.
type halves map[string]bool

var deepBenchTypes = map[string]graph.DType{"float32": graph.Float32, "float16-mixed": graph.Float16}

// readCSV calls row with the fields of each line by their names, empty ones as NaN.
func readCSV(t testing.TB, file string, row func(word map[string]string, number map[string]float64)) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "deepbench", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		word, number := map[string]string{}, map[string]float64{}
		for i, name := range lines[0] {
			x, err := strconv.ParseFloat(line[i], 64)
			if err != nil {
				x = math.NaN()
			}
			word[name], number[name] = line[i], x
		}
		row(word, number)
	}
}

// deepBench are the rows as operators of this program. A gradient is the operator that
// package graph/op derives: that by the image of a convolution with stride 1 is one with
// inputs and outputs exchanged, that by the kernel is one whose kernel is as large as the
// result. Gradients by the image of strided convolutions are cut into several operators
// and left out; left counts them. So are convolutions that are padded by more than their
// kernel.
func deepBench(t testing.TB) (rows []timed, left int) {
	add := func(word map[string]string, ms float64, shape, op string, attrs map[string]graph.Value, in ...[]int) {
		if math.IsNaN(ms) {
			return // not published
		}
		d := deepBenchTypes[word["precision"]]
		ts := make([]graph.TensorType, len(in))
		for i, sizes := range in {
			ts[i] = graph.TensorType{DType: d, Sizes: sizes}
		}
		rows = append(rows, timed{cost.Observation{
			Work: cost.WorkOf(*applied(t, op, attrs, ts...)), DType: d, Time: cost.Seconds(ms / 1e3), Name: shape,
		}, word["device"], shape})
	}
	readCSV(t, "gemm.csv", func(word map[string]string, x map[string]float64) {
		m, n, k := int(x["m"]), int(x["n"]), int(x["k"])
		add(word, x["ms"], fmt.Sprint(m, n, k, word["trans_a"], word["trans_b"]), "matmul", nil, []int{n, k}, []int{k, m})
	})
	readCSV(t, "conv.csv", func(word map[string]string, x map[string]float64) {
		of := func(name string) int { return int(x[name]) }
		b, c, o := of("batch"), of("in_channels"), of("out_channels")
		image, kernel := [2]int{of("height"), of("width")}, [2]int{of("kernel_h"), of("kernel_w")}
		pad, stride := [2]int{of("pad_h"), of("pad_w")}, [2]int{of("stride_h"), of("stride_w")}
		if pad[0] >= kernel[0] {
			return // operators of this program cannot say it
		}
		var out [2]int
		for i := range 2 {
			out[i] = (image[i]+2*pad[i]-kernel[i])/stride[i] + 1
		}
		tuple := func(n ...int) graph.Value { return graph.TupleValue(n...) }
		attrs := func(p0, p1, s0, s1, d0, d1 int) map[string]graph.Value {
			return map[string]graph.Value{"pad": tuple(p0, p1, p0, p1), "stride": tuple(s0, s1), "dilation": tuple(d0, d1)}
		}
		add(word, x["forward_ms"], fmt.Sprint(b, c, o, image, kernel, pad, stride), "conv2d",
			attrs(pad[0], pad[1], stride[0], stride[1], 1, 1), []int{b, c, image[0], image[1]}, []int{o, c, kernel[0], kernel[1]})
		if stride == [2]int{1, 1} {
			add(word, x["backward_input_ms"], fmt.Sprint(b, o, c, out, kernel, pad, stride), "conv2d",
				attrs(kernel[0]-1-pad[0], kernel[1]-1-pad[1], 1, 1, 1, 1), []int{b, o, out[0], out[1]}, []int{c, o, kernel[0], kernel[1]})
		} else if !math.IsNaN(x["backward_input_ms"]) {
			left++
		}
		shape := fmt.Sprint(b, c, o, image, kernel, pad, stride, "weight")
		if kernel == [2]int{1, 1} { // only the cells that are read
			stride = [2]int{1, 1}
		}
		read := func(i int) int { return (out[i]-1)*stride[i] + kernel[i] }
		add(word, x["backward_weight_ms"], shape, "conv2d",
			attrs(0, 0, 1, 1, stride[0], stride[1]), []int{c, b, read(0), read(1)}, []int{o, b, out[0], out[1]})
	})
	return rows, left
}

// split puts the shapes of each class in the order of their hashes and takes every other.
func split(rows []timed) halves {
	hash := func(s string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(s))
		return h.Sum64()
	}
	classes := map[cost.Class]map[string]bool{}
	for _, r := range rows {
		if classes[r.Work.Class] == nil {
			classes[r.Work.Class] = map[string]bool{}
		}
		classes[r.Work.Class][r.shape] = true
	}
	first := halves{}
	for _, shapes := range classes {
		order := slices.SortedFunc(maps.Keys(shapes), func(a, b string) int {
			return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b))
		})
		for i, s := range order {
			first[s] = i%2 == 0
		}
	}
	return first
}

// families are classes whose kernels start and fill a device alike: they share the numbers
// of results and of channels at which half of a rate is reached, and launch. With numbers
// of its own for each class, the classes with few rows would have small convolutions that
// are cheaper than those that they contain.
var families = [][]cost.Class{
	{cost.MatMul},
	{cost.Conv, cost.Conv1x1, cost.Conv3x3, cost.ConvStrided, cost.ConvThin},
	{cost.ConvWeight, cost.ConvWeight1x1, cost.ConvWeight3x3, cost.ConvWeightThin},
}

// starts are where a fit begins: results and channels at which half of a rate is reached,
// launch, and fractions of arithmetic and of bandwidth. The least loss from any counts; the
// second is what few rows say nothing about stays near to.
var starts = [][5]float64{{3e3, 3, 5e-6, 0.7, 0.8}, {6e4, 20, 5e-6, 0.7, 0.8}, {1e6, 100, 5e-6, 0.7, 0.8}}

// fitRates fits the rates of a family by search along each axis, in logarithms. It
// minimizes Huber's loss of relative errors.
func fitRates(m *cost.Machine, t graph.DType, family []cost.Class, rows map[cost.Class][]timed) {
	const huberAt, ridge, longest, shortest = 0.1, 3e-2, 0.7, 0.02
	logs := func(s [5]float64) []float64 {
		x := []float64{math.Log(s[0]), math.Log(s[1]), math.Log(s[2])}
		for range family {
			x = append(x, math.Log(s[3]), math.Log(s[4]))
		}
		return x
	}
	center := logs(starts[1])
	set := func(x []float64, digits func(float64) float64) {
		for i, class := range family {
			m.Fitted[t.String()][class] = cost.Rate{Outputs: digits(math.Exp(x[0])), Depth: digits(math.Exp(x[1])),
				Launch: cost.Seconds(digits(max(float64(m.Launch), math.Exp(x[2])))), FLOPS: digits(math.Exp(x[3+2*i])),
				Bandwidth: digits(min(m.Rates[cost.Pointwise].Bandwidth, math.Exp(x[4+2*i])))}
		}
	}
	// The loss of each class, and the whole. The numbers of a class change the loss of this class only.
	lossOf := func(i int) (sum float64) {
		for _, r := range rows[family[i]] {
			e := math.Abs(float64(m.Time(r.Work, t)/r.Time) - 1)
			if e > huberAt {
				e = huberAt * (2*e - huberAt)
			} else {
				e *= e
			}
			sum += e
		}
		return sum
	}
	loss := func(x []float64) (sum float64) {
		set(x, func(v float64) float64 { return v })
		for i := range family {
			sum += lossOf(i)
		}
		for i, v := range x {
			sum += ridge * (v - center[i]) * (v - center[i])
		}
		return sum
	}
	var best []float64
	least := math.Inf(1)
	for _, s := range starts {
		x := logs(s)
		step := slices.Repeat([]float64{longest}, len(x))
		now := loss(x)
		for slices.Max(step) > shortest {
			for i := range x {
				better := false
				for _, sign := range [2]float64{1, -1} {
					y := slices.Clone(x)
					y[i] += sign * step[i]
					if l := loss(y); l < now-1e-9 {
						x, now, better = y, l, true
						break
					}
				}
				if better {
					step[i] *= 1.3
				} else {
					step[i] /= 2
				}
			}
		}
		if now < least {
			best, least = x, now
		}
	}
	set(best, func(x float64) float64 {
		y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
		return y
	})
}

// splice replaces what stands in a file between two texts, which it keeps; with -update.
func splice(t *testing.T, file, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: no text from %q to %q", file, begin, end)
	}
	if got == want {
		return
	}
	if !updates() {
		t.Errorf("%s is not what the fit says (make fit writes it): want\n%s", file, want)
		return
	}
	if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

func updates() bool { return flag.Lookup("update").Value.String() == "true" }

var _ = golden.Equal // declares -update

// TestDeepBench fits the rates of products and convolutions of each device to one half of
// the rows, compares them with the machine's description, and lists in docs/costs.md how
// well they predict the other half.
func TestDeepBench(t *testing.T) {
	rows, left := deepBench(t)
	first := split(rows)
	var table strings.Builder
	table.WriteString("\n| device | type | class | rows fitted | rows predicted | median error | 90th percentile |\n|---|---|---|---|---|---|---|\n")
	line := func(device string, d graph.DType, class string, fit, others int, errors []float64) {
		fmt.Fprintf(&table, "| %s | %v | %s | %d | %d | %.0f %% | %.0f %% |\n", device, d, class, fit, others,
			100*cost.Median(errors), 100*cost.Quantile(errors, 0.9))
	}
	classes, over := 0, 0
	for _, device := range []string{"V100", "T4", "P100"} {
		m := machine(t, strings.ToLower(device))
		m.Fitted = map[string]map[cost.Class]cost.Rate{}
		var types []string
		for _, d := range []graph.DType{graph.Float32, graph.Float16} {
			m.Fitted[d.String()] = map[cost.Class]cost.Rate{}
			a, b := map[cost.Class][]timed{}, map[cost.Class][]timed{}
			for _, r := range rows {
				switch {
				case r.device != device || r.DType != d:
				case first[r.shape]:
					a[r.Work.Class] = append(a[r.Work.Class], r)
				default:
					b[r.Work.Class] = append(b[r.Work.Class], r)
				}
			}
			for _, family := range families {
				fitRates(m, d, family, a)
			}
			var lines []string
			var all []float64
			var fit, others int
			for _, class := range slices.Concat(families...) {
				text, err := json.Marshal(m.Fitted[d.String()][class])
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, fmt.Sprintf("      %q: %s", class, text))
				var errors []float64
				for _, r := range b[class] {
					errors = append(errors, math.Abs(float64(m.Time(r.Work, d)/r.Time)-1))
				}
				line(device, d, string(class), len(a[class]), len(b[class]), errors)
				if classes++; cost.Median(errors) >= 0.2 {
					over++
				}
				all = append(all, errors...)
				fit, others = fit+len(a[class]), others+len(b[class])
			}
			line(device, d, "all", fit, others, all)
			types = append(types, fmt.Sprintf("    %q: {\n%s\n    }", d, strings.Join(lines, ",\n")))
		}
		splice(t, filepath.Join("machines", strings.ToLower(device)+".json"), "  \"fitted\": {\n", "\n  }\n}", strings.Join(types, ",\n"))
	}
	fmt.Fprintf(&table, "\n%d of %d classes have a median error of 20 %% or more. %d gradients by the image of strided\nconvolutions are left out.\n", over, classes, left)
	splice(t, filepath.Join("..", "docs", "costs.md"), "<!-- deepbench -->\n", "<!-- /deepbench -->\n", table.String())
}
