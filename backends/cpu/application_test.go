package cpu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// lengths are sizes around the widths of vectors and tiles.
var lengths = []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 50, 63, 64, 65}

// writer writes the text of a small graph: one operator, and what may be fused
// with it.
type writer struct {
	t     *rapid.T
	lines []string
	count int
}

func (w *writer) int(lo, hi int, what string) int { return rapid.IntRange(lo, hi).Draw(w.t, what) }
func (w *writer) length(most int, what string) int {
	n := rapid.SampledFrom(lengths).Draw(w.t, what)
	for n > most {
		n /= 2
	}
	return n
}

func sizes(n []int) string { return graph.Sizes(n...).String() }

// input adds an operand, perhaps a weight, perhaps a view of something larger
// or transposed, and returns its name.
func (w *writer) input(dims ...int) string { return w.named("x", dims...) }

func (w *writer) named(prefix string, dims ...int) string {
	w.count++
	name := prefix + string(rune('a'+w.count))
	weight := ""
	if w.int(0, 2, "weight") == 0 {
		weight = "weight "
	}
	put := func(name string, dims []int) {
		w.lines = append(w.lines, fmt.Sprintf("%s : %sfloat32%s", name, weight, sizes(dims)))
	}
	if len(dims) == 0 {
		put(name, dims)
		return name
	}
	switch w.int(0, 5, "view") {
	case 0: // transposed
		perm := rapid.Permutation(axesOf(len(dims))).Draw(w.t, "perm")
		from := make([]int, len(dims))
		text := make([]string, len(dims))
		for i, p := range perm {
			from[p] = dims[i]
			text[i] = fmt.Sprint(p)
		}
		put(name, from)
		w.lines = append(w.lines, fmt.Sprintf("%sv = transpose[perm=(%s)](%s)", name, strings.Join(text, ", "), name))
		return name + "v"
	case 1: // a part
		axis, lo := w.int(0, len(dims)-1, "axis"), w.int(0, 2, "lo")
		from := append([]int{}, dims...)
		from[axis] += lo + 1
		put(name, from)
		w.lines = append(w.lines, fmt.Sprintf("%sv = slice[axis=%d, lo=%d, hi=%d](%s)", name, axis, lo, lo+dims[axis], name))
		return name + "v"
	case 2: // repeated
		axis := w.int(0, len(dims)-1, "axis")
		from := append([]int{}, dims...)
		from[axis] = 1
		put(name, from)
		w.lines = append(w.lines, fmt.Sprintf("%sv = broadcast[shape=%s](%s)", name, sizes(dims), name))
		return name + "v"
	}
	put(name, dims)
	return name
}

func axesOf(n int) []int {
	axes := make([]int, n)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// apply adds the operator.
func (w *writer) apply(op, attrs string, in ...string) {
	if attrs != "" {
		attrs = "[" + attrs + "]"
	}
	w.lines = append(w.lines, fmt.Sprintf("y = %s%s(%s)", op, attrs, strings.Join(in, ", ")))
}

// window is a size of an image with a kernel, a stride and a padding that suit.
func (w *writer) window() (h, wd, kh, kw int, attrs string, oh, ow int) {
	kh, kw = w.int(1, 5, "kh"), w.int(1, 5, "kw")
	sh, sw := w.int(1, 3, "sh"), w.int(1, 3, "sw")
	h, wd = kh+w.int(0, 9, "h"), kw+w.length(50, "w")
	pads := [4]int{}
	switch pad := rapid.SampledFrom([]string{"same_upper", "same_lower", "valid", "explicit"}).Draw(w.t, "pad"); pad {
	case "explicit":
		for i := range pads {
			pads[i] = w.int(0, []int{kh, kw}[i%2]-1, "border")
		}
		attrs = fmt.Sprintf("pad=(%d, %d, %d, %d)", pads[0], pads[1], pads[2], pads[3])
		oh, ow = (h+pads[0]+pads[2]-kh)/sh+1, (wd+pads[1]+pads[3]-kw)/sw+1
	case "valid":
		attrs = "pad=valid"
		oh, ow = (h-kh)/sh+1, (wd-kw)/sw+1
	default:
		attrs = "pad=" + pad
		oh, ow = (h+sh-1)/sh, (wd+sw-1)/sw
	}
	return h, wd, kh, kw, attrs + fmt.Sprintf(", stride=(%d, %d)", sh, sw), oh, ow
}

// dims are the sizes of a tensor of rank axes and at most most elements.
func (w *writer) dims(least, rank, most int) []int {
	d := make([]int, w.int(least, rank, "rank"))
	for i := range d {
		d[i] = w.length(most, "size")
		most /= d[i]
	}
	return d
}

// tail adds elementwise operations on y, whose sizes are dims.
func (w *writer) tail(dims []int) {
	last := "y"
	for i := range w.int(0, 4, "tail") {
		name := fmt.Sprintf("t%d", i)
		kind := w.int(0, 5, "operation")
		if kind == 0 {
			w.lines = append(w.lines, fmt.Sprintf("%s = %s(%s)", name,
				rapid.SampledFrom([]string{"relu", "tanh", "sigmoid", "clip[lo=-0.5, hi=0.5]", "gelu"}).Draw(w.t, "function"), last))
			last = name
			continue
		}
		// An operand that is repeated along some axes: all, leading ones, all but
		// the channels, any.
		small := append([]int{}, dims...)
		for k := range small {
			one := false
			switch kind {
			case 1:
				one = true
			case 2:
				one = k < len(small)-2
			case 3:
				one = k != 1
			case 4:
				one = rapid.Bool().Draw(w.t, "repeated")
			}
			if one {
				small[k] = 1
			}
		}
		p := w.input(small...)
		if kind < 5 {
			w.lines = append(w.lines, fmt.Sprintf("%sb = broadcast[shape=%s](%s)", name, sizes(dims), p))
			p = name + "b"
		}
		args := []string{last, p}
		if rapid.Bool().Draw(w.t, "exchanged") {
			args[0], args[1] = p, last
		}
		w.lines = append(w.lines, fmt.Sprintf("%s = %s(%s, %s)", name,
			rapid.SampledFrom([]string{"ewadd", "ewadd", "ewadd", "ewsub", "ewmul", "ewmax", "ewmin"}).Draw(w.t, "function"), args[0], args[1]))
		last = name
	}
	out := last
	if last != "y" && w.int(0, 4, "also y") == 0 {
		out += ", y"
	}
	w.lines = append(w.lines, "return "+out)
}

// application is the text of a random small graph around one operator.
func application(t *rapid.T) string {
	w := &writer{t: t}
	var out []int
	switch op := rapid.SampledFrom([]string{"conv2d", "conv2d", "depthwise", "grouped", "pool", "matmul", "matmul", "reduce", "softmax",
		"layernorm", "batchnorm", "concat", "pad", "transpose", "resize", "gather", "function"}).Draw(t, "operator"); op {
	case "conv2d", "grouped", "depthwise":
		h, wd, kh, kw, attrs, oh, ow := w.window()
		b, groups, cg, og := w.int(1, 2, "batch"), 1, w.int(1, 5, "channels"), w.length(33, "results")
		if w.int(0, 5, "wide") == 0 {
			og = w.int(127, 131, "results")
		}
		if op == "depthwise" {
			groups, cg, og = w.int(2, 18, "groups"), 1, 1
		} else if op == "grouped" {
			groups, og = w.int(2, 4, "groups"), w.int(1, 9, "results")
		}
		if w.int(0, 4, "act") == 0 {
			attrs += ", act=" + rapid.SampledFrom([]string{"relu", "tanh", "sigmoid"}).Draw(t, "act")
		}
		w.apply("conv2d", fmt.Sprintf("%s, groups=%d", attrs, groups), w.input(b, groups*cg, h, wd), w.input(groups*og, cg, kh, kw))
		out = []int{b, groups * og, oh, ow}
	case "pool":
		h, wd, kh, kw, attrs, oh, ow := w.window()
		b, c := w.int(1, 2, "batch"), w.int(1, 17, "channels")
		kind := rapid.SampledFrom([]string{"poolmax", "poolavg", "poolavg"}).Draw(t, "kind")
		if kind == "poolavg" && rapid.Bool().Draw(t, "excluded") {
			attrs += ", border=excluded"
		}
		w.apply(kind, fmt.Sprintf("kh=%d, kw=%d, %s", kh, kw, attrs), w.input(b, c, h, wd))
		out = []int{b, c, oh, ow}
	case "matmul":
		batch := [][]int{{}, {}, {3}, {2, 2}, {1, 3}}[w.int(0, 4, "batch")]
		m, k, n := w.length(65, "m"), w.length(65, "k"), w.length(65, "n")
		with := func(r, c int) []int { return append(append([]int{}, batch...), r, c) }
		a := w.input(with(m, k)...)
		b := ""
		if len(batch) > 0 && rapid.Bool().Draw(t, "one matrix") {
			w.lines = append(w.lines, fmt.Sprintf("bb = broadcast[shape=%s](%s)", sizes(with(k, n)), w.input(k, n)))
			b = "bb"
		} else {
			b = w.input(with(k, n)...)
		}
		w.apply("matmul", "", a, b)
		out = with(m, n)
	case "reduce":
		d := w.dims(1, 4, 2000)
		keep := w.int(0, 1, "keep")
		var axes []string
		first := w.int(0, len(d)-1, "first")
		for i := range d {
			if i == first || rapid.Bool().Draw(t, "reduced") {
				axes = append(axes, fmt.Sprint(i))
				if keep == 1 {
					out = append(out, 1)
				}
			} else {
				out = append(out, d[i])
			}
		}
		w.apply(rapid.SampledFrom([]string{"reducesum", "reducemean", "reducemax"}).Draw(t, "kind"),
			fmt.Sprintf("axes=(%s), keep=%d", strings.Join(axes, ", "), keep), w.input(d...))
	case "softmax":
		out = w.dims(1, 4, 2000)
		w.apply(op, fmt.Sprintf("axis=%d", w.int(0, len(out)-1, "axis")), w.input(out...))
	case "layernorm":
		out = w.dims(1, 3, 2000)
		axis := w.int(0, len(out)-1, "axis")
		w.apply(op, fmt.Sprintf("axis=%d, eps=0.01", axis), w.input(out...), w.input(out[axis:]...), w.input(out[axis:]...))
	case "batchnorm":
		out = w.dims(2, 5, 2000)
		c := out[1]
		w.apply(op, "eps=0.001", w.input(out...), w.input(c), w.input(c), w.input(c), w.named("pos", c))
	case "concat":
		out = w.dims(1, 4, 1000)
		axis := w.int(0, len(out)-1, "axis")
		other := append([]int{}, out...)
		other[axis] = w.int(1, 5, "other")
		w.apply(op, fmt.Sprintf("axis=%d", axis), w.input(out...), w.input(other...))
		out[axis] += other[axis]
	case "pad":
		d := w.dims(1, 4, 1000)
		var before, after []string
		for _, n := range d {
			b, a := w.int(0, 2, "before"), w.int(0, 2, "after")
			before, after = append(before, fmt.Sprint(b)), append(after, fmt.Sprint(a))
			out = append(out, n+a+b)
		}
		w.apply(op, fmt.Sprintf("before=(%s), after=(%s), value=-0.75", strings.Join(before, ", "), strings.Join(after, ", ")), w.input(d...))
	case "transpose":
		d := w.dims(1, 5, 4000)
		var perm []string
		for _, p := range rapid.Permutation(axesOf(len(d))).Draw(t, "perm") {
			perm = append(perm, fmt.Sprint(p))
			out = append(out, d[p])
		}
		w.apply(op, "perm=("+strings.Join(perm, ", ")+")", w.input(d...))
	case "resize":
		d := w.dims(2, 4, 1000)
		var to []string
		for _, n := range d {
			m := n
			if w.int(0, 1, "resized") == 1 {
				m = w.int(1, 9, "to")
			}
			out, to = append(out, m), append(to, fmt.Sprint(m))
		}
		method := rapid.SampledFrom([]string{"linear", "nearest_floor", "nearest_ceil", "nearest_round", "nearest_roundup"}).Draw(t, "method")
		coord := rapid.SampledFrom([]string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}).Draw(t, "coordinates")
		w.apply(op, fmt.Sprintf("sizes=(%s), mode=%s_%s", strings.Join(to, ", "), method, coord), w.input(d...))
	case "gather":
		d := w.dims(1, 3, 500)
		axis := w.int(0, len(d)-1, "axis")
		idx := w.dims(0, 2, 40)
		// The positions count through 0, 1, …, as far as the name's digit says.
		w.lines = append(w.lines, fmt.Sprintf("i%d : int64%s", min(9, d[axis]), sizes(idx)))
		w.apply(op, fmt.Sprintf("axis=%d", axis), w.input(d...), fmt.Sprintf("i%d", min(9, d[axis])))
		out = append(append(append(out, d[:axis]...), idx...), d[axis+1:]...)
	case "function":
		out = w.dims(0, 4, 3000)
		w.apply(rapid.SampledFrom([]string{"relu", "sigmoid", "tanh", "gelu", "exp", "erf", "neg", "abs", "hardswish", "elu[alpha=0.5]",
			"leakyrelu[alpha=0.2]", "hardsigmoid[alpha=0.3, beta=0.4]"}).Draw(t, "function"), "", w.input(out...))
	}
	w.tail(out)
	return strings.Join(w.lines, "\n")
}

// TestApplications: each operator in many shapes, on views, with tails, by all
// kernels, fused and not, against the interpreter.
func TestApplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 4 {
			text := application(t)
			g, err := graph.ParseText("case", text)
			if err != nil {
				t.Fatalf("%v in:\n%s", err, text)
			}
			opt := rapid.SampledFrom([]backends.CompileOptions{{}, {}, {NoFuse: true}, {KeepAll: true}}).Draw(t, "options")
			for _, k := range allTables() {
				if err := backendtest.Agree(context.Background(), &Backend{t: k}, g, opt); err != nil {
					t.Fatalf("%s, %+v: %v in:\n%s", k.name(), opt, err, text)
				}
			}
		}
	})
}
