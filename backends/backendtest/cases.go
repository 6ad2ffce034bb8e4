package backendtest

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/backends"
)

// application is one operator in one shape: attributes as in a graph's text,
// and operands by name and type. Names say what the numbers are, see values.
type application struct {
	op, attrs string
	in        []string // "float32[2, 3]", or "pos float32[2]"
	outs      int      // 0: one
}

func (c application) name() string {
	s := c.op
	if c.attrs != "" {
		s += "[" + c.attrs + "]"
	}
	for _, t := range c.in {
		s += " " + strings.NewReplacer("float32", "", " ", "").Replace(t)
	}
	return s
}

// variant is a way to run a case.
type variant struct {
	name, text string
	opt        backends.CompileOptions
}

// graphs are the case with all operands fed; with those after the first being
// weights; with all being weights but for a graph's need of an input; and the
// first two followed by elementwise operations that a backend may fuse.
func (c application) graphs() []variant {
	text := func(weights func(i int) bool, tail bool) string {
		var b strings.Builder
		var names []string
		for i, t := range c.in {
			name := "x" + string(rune('a'+i))
			if p, rest, ok := strings.Cut(t, " float32"); ok {
				name, t = p+name, "float32"+rest
			} else if p, rest, ok := strings.Cut(t, " int64"); ok {
				name, t = name+p, "int64"+rest
			}
			if weights(i) {
				t = "weight " + t
			}
			fmt.Fprintf(&b, "%s : %s\n", name, t)
			names = append(names, name)
		}
		attrs := ""
		if c.attrs != "" {
			attrs = "[" + c.attrs + "]"
		}
		fmt.Fprintf(&b, "y = %s%s(%s)\n", c.op, attrs, strings.Join(names, ", "))
		outs := []string{"y"}
		if c.outs == 2 {
			outs = []string{"y.0", "y.1"}
		}
		if tail {
			for i, o := range outs {
				fmt.Fprintf(&b, "r%d = relu(%s)\ns%d = ewadd(r%d, r%d)\nu%d = ewmul(s%d, %s)\n", i, o, i, i, i, i, i, o)
				outs[i] = fmt.Sprintf("u%d", i)
			}
		}
		fmt.Fprintf(&b, "return %s\n", strings.Join(outs, ", "))
		return b.String()
	}
	none := func(int) bool { return false }
	rest := func(i int) bool { return i > 0 }
	all := func(int) bool { return true }
	return []variant{
		{"", text(none, false), backends.CompileOptions{}},
		{" weights", text(rest, false), backends.CompileOptions{}},
		{" constant", text(all, false), backends.CompileOptions{}},
		{" alone", text(rest, false), backends.CompileOptions{NoFuse: true}},
		{" tail", text(rest, true), backends.CompileOptions{}},
	}
}

// operators are the cases of single operators.
var operators = func() []application {
	var cs []application
	add := func(op, attrs string, in ...string) {
		cs = append(cs, application{op: op, attrs: attrs, in: in})
	}
	f := func(sizes string) string { return "float32[" + sizes + "]" }

	for _, s := range []string{"1", "17", "3, 5", "2, 3, 4, 5", "1, 1000", "2100"} {
		for _, op := range []string{"relu", "sigmoid", "tanh", "gelu", "exp", "erf", "neg", "abs", "hardswish", "step",
			"sin", "cos", "tan", "sinh", "cosh", "asinh", "asin", "acos", "atan", "atanh", "isnan", "isinf",
			"floor", "ceil", "round", "sign"} {
			add(op, "", f(s))
		}
		for _, op := range []string{"sqrt", "log", "reciprocal"} {
			add(op, "", "pos "+f(s))
		}
		add("acosh", "", "over "+f(s))
		add("leakyrelu", "alpha=0.1", f(s))
		add("elu", "alpha=0.7", f(s))
		add("clip", "lo=-0.3, hi=0.4", f(s))
		add("hardsigmoid", "alpha=0.9, beta=0.4", f(s))
		add("rsqrt", "eps=0.01", "pos "+f(s))
		for _, op := range []string{"ewadd", "ewmul", "ewsub", "ewmax", "ewmin"} {
			add(op, "", f(s), f(s))
		}
		add("ewdiv", "", f(s), "pos "+f(s))
		for _, op := range []string{"ewless", "ewlessequal", "ewequal"} {
			add(op, "", f(s), f(s))
		}
		add("ewpow", "", "pos "+f(s), f(s))
		add("ewint", "fn=rem", f(s), "pos "+f(s))
		add("ewint", "fn=mod", f(s), "pos "+f(s))
		add("ewwhere", "", "mask "+f(s), f(s), f(s))
		add("ewwhere", "", f(s), "spec "+f(s), "special "+f(s))
		add("smul", "", f(s), "float32[]")
	}
	for _, n := range [][3]int{{1, 1, 1}, {2, 3, 4}, {8, 48, 16}, {9, 7, 49}, {1, 300, 65}, {33, 300, 50}, {5, 520, 100}, {17, 1, 33}} {
		add("matmul", "", f(fmt.Sprintf("%d, %d", n[0], n[1])), f(fmt.Sprintf("%d, %d", n[1], n[2])))
	}
	add("matmul", "", f("3, 4, 5"), f("3, 5, 6"))
	add("matmul", "", f("2, 2, 20, 9"), f("2, 2, 9, 33"))
	add("matmul", "", f("300, 7"), f("7, 17"))

	for _, c := range []struct{ x, w, attrs string }{
		{"1, 1, 1, 1", "1, 1, 1, 1", "pad=valid"},
		{"1, 3, 8, 8", "4, 3, 3, 3", "pad=same_upper"},
		{"2, 3, 7, 9", "5, 3, 3, 3", "pad=same_lower"},
		{"1, 3, 7, 9", "5, 3, 2, 4", "pad=same_upper, stride=(2, 2)"},
		{"1, 3, 9, 9", "5, 3, 2, 4", "pad=same_lower, stride=(2, 2)"},
		{"1, 4, 13, 11", "9, 4, 3, 3", "pad=valid, stride=(2, 1)"},
		{"1, 4, 13, 21", "9, 4, 3, 3", "pad=(1, 2, 0, 1), stride=(1, 3)"},
		{"1, 3, 30, 30", "4, 3, 7, 7", "pad=(3, 3, 3, 3), stride=(2, 2)"},
		{"2, 8, 6, 6", "16, 8, 1, 1", "pad=valid"},
		{"1, 8, 6, 6", "130, 8, 1, 1", "pad=valid, act=relu"},
		{"1, 8, 6, 6", "130, 8, 3, 3", "pad=same_upper"},
		{"1, 8, 6, 6", "6, 8, 1, 1", "pad=valid, stride=(2, 2)"},
		{"1, 40, 5, 60", "8, 40, 3, 3", "pad=same_upper, act=relu"},
		{"1, 33, 4, 5", "131, 33, 3, 3", "pad=same_upper, act=relu"},
		{"2, 8, 9, 9", "12, 2, 3, 3", "pad=same_upper, groups=4"},
		{"1, 8, 9, 9", "12, 2, 3, 3", "pad=same_upper, groups=4, stride=(2, 2)"},
		{"2, 6, 9, 20", "6, 1, 3, 3", "pad=same_upper, groups=6"},
		{"1, 6, 9, 20", "6, 1, 3, 3", "pad=same_upper, groups=6, stride=(2, 2), act=relu"},
		{"1, 6, 20, 35", "6, 1, 5, 5", "pad=(2, 1, 2, 3), groups=6, stride=(1, 3)"},
		{"1, 6, 5, 5", "12, 1, 3, 3", "pad=same_upper, groups=6"},
		{"1, 2, 1, 40", "3, 2, 1, 9", "pad=valid"},
		{"1, 2, 6, 6", "3, 2, 1, 1", "pad=valid, stride=(3, 2)"},
		{"1, 3, 6, 6", "3, 1, 1, 1", "pad=valid, stride=(2, 3), groups=3"},
		{"1, 3, 9, 9", "4, 3, 3, 3", "pad=valid, dilation=(2, 2)"},
		{"2, 4, 13, 21", "9, 4, 3, 2", "pad=same_upper, stride=(1, 2), dilation=(3, 2)"},
		{"2, 4, 13, 21", "9, 4, 2, 3", "pad=same_lower, stride=(2, 1), dilation=(2, 5), act=relu"},
		{"1, 8, 9, 40", "12, 2, 3, 3", "pad=(2, 2, 2, 2), groups=4, dilation=(2, 2)"},
		{"1, 130, 5, 7", "131, 130, 3, 3", "pad=(4, 4, 4, 4), dilation=(4, 4)"},
		{"1, 4, 1, 60", "5, 4, 1, 2", "pad=valid, dilation=(1, 16)"},
		{"2, 6, 9, 20", "6, 1, 3, 3", "pad=same_upper, groups=6, dilation=(2, 3)"},
		{"1, 6, 11, 37", "6, 1, 3, 2", "pad=same_lower, groups=6, stride=(2, 3), dilation=(4, 2), act=relu"},
		{"1, 6, 9, 20", "6, 1, 5, 5", "pad=(3, 2, 4, 5), groups=6, dilation=(2, 2)"},
		{"1, 2, 3, 3", "2, 1, 3, 3", "pad=same_upper, groups=2, dilation=(3, 3)"},
		{"1, 2, 3, 4", "3, 2, 3, 2", "pad=same_upper, dilation=(1000, 200000)"},
		{"1, 2, 3, 4", "3, 2, 4, 3", "pad=(2000, 1, 1000, 100), stride=(7, 3), dilation=(1000, 50)"},
		{"1, 2, 5, 4", "2, 1, 2, 4", "pad=same_lower, groups=2, stride=(2, 1), dilation=(100000, 100000)"},
		{"1, 3, 6, 6", "3, 1, 1, 1", "pad=valid, stride=(2, 3), groups=3, dilation=(9, 9)"},
	} {
		add("conv2d", c.attrs, f(c.x), f(c.w))
	}
	for _, c := range []struct{ x, attrs string }{
		{"1, 1, 2, 2", "kh=2, kw=2, pad=valid"},
		{"2, 3, 8, 8", "kh=3, kw=3, pad=same_upper"},
		{"1, 3, 9, 40", "kh=3, kw=2, stride=(2, 2), pad=same_lower"},
		{"1, 2, 9, 37", "kh=3, kw=5, stride=(1, 3), pad=(1, 2, 0, 1)"},
		{"2, 5, 7, 7", "kh=7, kw=7, pad=valid"},
		{"1, 17, 2, 2", "kh=2, kw=2, stride=(2, 2), pad=valid"},
	} {
		add("poolmax", c.attrs, f(c.x))
		add("poolavg", c.attrs, f(c.x))
		add("poolavg", c.attrs+", border=excluded", f(c.x))
	}

	add("concat", "axis=0", f("2, 3"), f("1, 3"))
	add("concat", "axis=1", f("2, 3, 4"), f("2, 5, 4"))
	add("concat", "axis=3", f("1, 2, 3, 4"), f("1, 2, 3, 5"))
	add("slice", "axis=1, lo=1, hi=3", f("2, 5, 3"))
	add("slice", "axis=0, lo=1, hi=2", f("2, 5"))
	cs = append(cs,
		application{"split", "axis=1, at=2", []string{f("3, 5, 2")}, 2},
		application{"split", "axis=0, at=1", []string{f("3, 4")}, 2},
		application{"split", "axis=0, at=2", []string{f("4, 3")}, 2})
	for _, c := range [][2]string{{"1, 0", "5, 7"}, {"0, 2, 1", "3, 6, 20"}, {"2, 0, 1", "3, 4, 5"}, {"0, 2, 1, 3", "2, 3, 4, 5"},
		{"3, 2, 1, 0", "2, 3, 4, 5"}, {"0, 2, 3, 1", "2, 33, 4, 5"}, {"0, 3, 1, 2", "1, 6, 7, 18"}} {
		add("transpose", "perm=("+c[0]+")", f(c[1]))
	}
	add("enlarge", "kh=3, kw=5", f("2, 3, 2, 2"))
	add("broadcast", "shape=[2, 3, 4]", f("3, 1"))
	add("broadcast", "shape=[2, 3, 4, 5]", f("1, 3, 1, 1"))
	add("reshape", "shape=[6, 4]", f("2, 3, 4"))
	for _, op := range []string{"reducesum", "reducemean", "reducemax"} {
		add(op, "axes=(1)", f("3, 40"))
		add(op, "axes=(0)", f("3, 40"))
		add(op, "axes=(2, 3), keep=1", f("2, 5, 7, 7"))
		add(op, "axes=(0, 2)", f("3, 4, 5"))
		add(op, "axes=(1, 3), keep=1", f("2, 3, 4, 19"))
		add(op, "axes=(0, 1)", f("3, 4, 5"))
	}
	add("softmax", "axis=1", f("3, 50"))
	add("softmax", "axis=0", f("3, 50"))
	add("softmax", "axis=2", f("2, 3, 4, 5"))
	add("softmax", "axis=3", f("2, 3, 4, 16"))
	add("layernorm", "axis=1, eps=1e-05", f("3, 50"), f("50"), f("50"))
	add("layernorm", "axis=2, eps=1e-03", f("2, 3, 4, 5"), f("4, 5"), f("4, 5"))
	add("batchnorm", "eps=1e-05", f("2, 3, 4, 5"), f("3"), f("3"), f("3"), "pos "+f("3"))
	add("batchnorm", "eps=1e-03", f("2, 17"), f("17"), f("17"), f("17"), "pos "+f("17"))
	add("pad", "before=(0, 1), after=(2, 0), value=0.5", f("3, 4"))
	add("pad", "before=(0, 0, 1, 2), after=(0, 0, 0, 3)", f("1, 2, 3, 4"))
	add("gather", "axis=0", f("5, 3"), "5 int64[4]")
	add("gather", "axis=1", f("2, 3, 4"), "3 int64[2, 2]")
	add("scatteradd", "axis=0, n=5", f("4, 3"), "5 int64[4]")
	add("scatteradd", "axis=1, n=3", f("2, 2, 2, 4"), "3 int64[2, 2]")
	add("scatteradd", "axis=1, n=3", f("2, 4"), "3 int64[]")
	add("pick", "n=9", f("5, 3"), "9 int64[5]", "9 int64[4]")
	add("pick", "n=3", f("5, 2, 3"), "3 int64[5]", "3 int64[2, 2]")
	add("pick", "n=4", f("6"), "4 int64[6]", "4 int64[]")
	add("reverse", "axes=(0, 2)", f("2, 3, 4"))
	add("reverse", "axes=(1)", f("5, 7"))
	add("reverse", "axes=()", f("3"))
	for _, mode := range []string{"linear_half_pixel", "linear_align_corners", "linear_asymmetric", "linear_pytorch_half_pixel",
		"nearest_floor_asymmetric", "nearest_round_half_pixel", "nearest_ceil_align_corners", "nearest_roundup_half_pixel"} {
		add("resize", "sizes=(1, 2, 6, 20), mode="+mode, f("1, 2, 3, 4"))
		add("resize", "sizes=(1, 2, 5, 3), mode="+mode, f("1, 2, 7, 6"))
		add("resize", "sizes=(1, 2, 1, 9), mode="+mode, f("1, 2, 2, 9"))
	}
	return append(cs, families()...)
}()

// families are the cases of operators that lay tensors out over a mesh, and of operators
// on each member of a family.
func families() []application {
	return []application{
		{"partition", "axis=1, on=3", []string{"float32[4, 12, 5]"}, 0},
		{"partition", "axis=0, on=4", []string{"float32[4, 3]"}, 0},
		{"combine", "axis=1", []string{"float32[3, 4, 4, 5]"}, 0},
		{"combine", "axis=0", []string{"float32[2, 17]"}, 0},
		{"replicate", "on=3", []string{"float32[5, 7]"}, 0},
		{"lift", "on=3", []string{"float32[5, 7]"}, 0},
		{"reduce", "", []string{"float32[3, 5, 7]"}, 0},
		{"reduce", "", []string{"float32[40]"}, 0},
		{"drop", "", []string{"float32[3, 5, 7]"}, 0},
		{"halo", "axis=1, before=1, after=2", []string{"float32[3, 2, 4, 5]"}, 0},
		{"halo", "axis=0, before=0, after=1", []string{"float32[2, 1]"}, 0},
		{"allreduce", "", []string{"float32[3, 5, 7]"}, 0},
		{"reducescatter", "axis=1", []string{"float32[3, 5, 6]"}, 0},
		{"allgather", "axis=1", []string{"float32[3, 5, 2]"}, 0},
		{"alltoall", "split=0, concat=1", []string{"float32[3, 6, 5]"}, 0},
		{"pipeline", "axis=0, on=4", []string{"float32[8, 5]"}, 0},
		{"batch", "axis=0", []string{"float32[4, 2, 5]"}, 0},
		{"each_allreduce", "over=[2]", []string{"float32[2, 3, 5]"}, 0},
		{"each_softmax", "over=[3], axis=0", []string{"float32[3, 20, 5]"}, 0},
		{"each_concat", "over=[2, 3], axis=1", []string{"float32[2, 3, 4, 5]", "float32[2, 3, 4, 2]"}, 0},
		{"each_split", "over=[3], axis=0, at=2", []string{"float32[3, 5, 2]"}, 2},
		{"each_transpose", "over=[3], perm=(1, 0)", []string{"float32[3, 6, 20]"}, 0},
		{"each_reducesum", "over=[2], axes=(0)", []string{"float32[2, 3, 40]"}, 0},
		{"each_layernorm", "over=[3], axis=1, eps=1e-05", []string{"float32[3, 4, 50]", "float32[3, 50]", "float32[3, 50]"}, 0},
		{"each_smul", "over=[4]", []string{"float32[4, 5, 6]", "float32[4]"}, 0},
		{"each_conv2d", "over=[2], pad=same_upper, act=relu", []string{"float32[2, 1, 3, 7, 9]", "float32[2, 5, 3, 3, 3]"}, 0},
		{"each_poolmax", "over=[2], kh=3, kw=3, pad=same_upper", []string{"float32[2, 1, 3, 8, 8]"}, 0},
		{"each_reshape", "over=[2], shape=[12]", []string{"float32[2, 3, 4]"}, 0},
		{"each_gather", "over=[2], axis=0", []string{"float32[2, 5, 3]", "5 int64[2, 4]"}, 0},
		{"each_pick", "over=[2], n=7", []string{"float32[2, 5, 3]", "7 int64[2, 5]", "7 int64[2, 4]"}, 0},
		{"each_partition", "over=[3], axis=0, on=2", []string{"float32[3, 4, 5]"}, 0},
		{"each_reduce", "over=[3]", []string{"float32[3, 2, 5]"}, 0},
	}
}
