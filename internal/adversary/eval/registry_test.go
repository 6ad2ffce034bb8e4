package eval

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// cases are applications of the operators of the registry, their operands being X, Y, Z,
// U, V in this order, of these shapes. Functions of one element without parameters need
// none.
var cases = map[string][]struct {
	shapes, term string
}{
	"allgather": {{"[2, 3, 2]", "allgather[axis=1](X)"}},
	"allreduce": {{"[2, 3, 2]", "allreduce(X)"}},
	"alltoall":  {{"[2, 4, 3]", "alltoall[split=0, concat=1](X)"}},
	"batch":     {{"[2, 3, 2]", "batch[axis=1](X)"}},
	"batchnorm": {{"[2, 3, 2], [3], [3], [3], [3]", "batchnorm[eps=0.5](X, Y, Z, U, abs(V))"}},
	"broadcast": {{"[1, 3]", "broadcast[shape=[2, 2, 3]](X)"}},
	"cast":      {{"[64]", ""}}, // all element types and modes, see TestRegistry
	"clip":      {{"[9]", "clip[lo=-1.0, hi=0.5](X)"}, {"[9]", "clip[lo=1.0, hi=-2.0](X)"}},
	"combine":   {{"[2, 3, 2]", "combine[axis=1](X)"}},
	"concat":    {{"[2, 3], [2, 2]", "concat[axis=1](X, Y)"}},
	"conv2d": {
		{"[1, 2, 5, 4], [3, 2, 3, 2]", "conv2d[stride=(2, 1), pad=same_lower](X, Y)"},
		{"[1, 4, 5, 4], [2, 2, 2, 2]", "conv2d[pad=(1, 0, 2, 1), groups=2, act=relu, dilation=(2, 3)](X, Y)"},
		{"[1, 1, 7, 6], [1, 1, 3, 2]", "conv2d[pad=same_upper, stride=(2, 3), dilation=(2, 3)](X, Y)"},
		{"[1, 1, 7, 6], [1, 1, 3, 2]", "conv2d[pad=same_lower, stride=(2, 3), dilation=(3, 4)](X, Y)"},
		{"[1, 1, 7, 6], [1, 1, 3, 2]", "conv2d[pad=valid, stride=(2, 3), dilation=(3, 4)](X, Y)"},
	},
	"cpool":       {{"", "cpool[c=2, kh=3, kw=2]()"}},
	"drop":        {{"[2, 3]", "drop(X)"}},
	"elu":         {{"[9]", "elu[alpha=0.5](X)"}},
	"enlarge":     {{"[1, 1, 2, 2]", "enlarge[kh=5, kw=4](X)"}},
	"ewadd":       {{"[9], [9]", "ewadd(X, Y)"}},
	"ewdiv":       {{"[9], [9]", "ewdiv(X, Y)"}},
	"ewequal":     {{"[64], [64]", "ewequal(X, Y)"}},
	"ewint":       {{"[64], [64]", ""}}, // all functions
	"ewless":      {{"[64], [64]", "ewless(X, Y)"}},
	"ewlessequal": {{"[64], [64]", "ewlessequal(X, Y)"}},
	"ewmax":       {{"[9], [9]", "ewmax(X, Y)"}},
	"ewmin":       {{"[9], [9]", "ewmin(X, Y)"}},
	"ewmul":       {{"[9], [9]", "ewmul(X, Y)"}},
	"ewpow":       {{"[64], [64]", "ewpow(X, Y)"}, {"[64], [64]", "ewpow(abs(X), ewdiv(Y, Y))"}},
	"ewsub":       {{"[9], [9]", "ewsub(X, Y)"}},
	"ewwhere":     {{"[64], [64], [64]", "ewwhere(X, Y, Z)"}},
	"fill":        {{"", "fill[shape=[2, 2], value=0.5, den=3]()"}},
	"gather":      {{"[3, 3], [2]", "gather[axis=1](X, ewint[fn=rem](Y, fill[shape=[2], value=3.0]()))"}},
	"halo":        {{"[2, 3, 2]", "halo[axis=0, before=2, after=1](X)"}},
	"hardsigmoid": {{"[9]", "hardsigmoid[alpha=0.25, beta=0.5](X)"}},
	"iconv":       {{"", "iconv[c=2, kh=3, kw=2]()"}},
	"imatmul":     {{"", "imatmul[n=3]()"}},
	"iota":        {{"", "iota[n=5]()"}},
	"layernorm":   {{"[2, 3], [3], [3]", "layernorm[axis=1, eps=0.5](X, Y, Z)"}},
	"leakyrelu":   {{"[9]", "leakyrelu[alpha=0.25](X)"}},
	"lift":        {{"[2, 2]", "lift[on=3](X)"}},
	"neg":         {{"[9]", "neg(X)"}},
	"matmul":      {{"[2, 2, 3], [2, 3, 2]", "matmul(X, Y)"}},
	"one":         {{"", "one[shape=[2]]()"}},
	"pad":         {{"[2, 2]", "pad[before=(1, 0), after=(2, 1), value=0.5](X)"}},
	"partition":   {{"[2, 6]", "partition[axis=1, on=3](X)"}},
	"pick":        {{"[3, 2], [3], [2]", "pick[n=4](X, Y, ewint[fn=rem](Z, fill[shape=[2], value=4.0]()))"}},
	"pipeline":    {{"[2, 6]", "pipeline[axis=1, on=3](X)"}},
	"poolavg": {
		{"[1, 1, 4, 5]", "poolavg[kh=2, kw=3, stride=(1, 2), pad=(1, 1, 1, 2)](X)"},
		{"[1, 1, 4, 5]", "poolavg[kh=2, kw=3, stride=(1, 2), pad=same_lower, border=excluded](X)"},
	},
	"poolmax":       {{"[1, 1, 4, 5]", "poolmax[kh=2, kw=3, stride=(1, 2), pad=(1, 1, 1, 2)](X)"}},
	"reduce":        {{"[2, 3]", "reduce(X)"}},
	"reducemax":     {{"[2, 3, 2]", "reducemax[axes=(0, 2), keep=1](X)"}},
	"reducemean":    {{"[2, 3, 2]", "reducemean[axes=(0, 2)](X)"}},
	"reducescatter": {{"[2, 4]", "reducescatter[axis=0](X)"}},
	"reducesum":     {{"[2, 3, 2]", "reducesum[axes=(1), keep=1](X)"}},
	"replicate":     {{"[2, 2]", "replicate[on=3](X)"}},
	"reshape":       {{"[2, 6]", "reshape[shape=[3, 4]](X)"}},
	"resize":        {{"[3, 4]", ""}}, // all modes
	"reverse":       {{"[2, 3]", "reverse[axes=(1)](X)"}},
	"rsqrt":         {{"[9]", "rsqrt[eps=0.5](abs(X))"}},
	"scatteradd":    {{"[2, 3], [3]", "scatteradd[axis=1, n=4](X, ewint[fn=rem](Y, fill[shape=[3], value=4.0]()))"}},
	"slice":         {{"[4, 2]", "slice[axis=0, lo=1, hi=3](X)"}},
	"smul":          {{"[2, 2], []", "smul(X, Y)"}},
	"softmax":       {{"[2, 3]", "softmax[axis=1](X)"}},
	"split":         {{"[5, 2]", "split[axis=0, at=2](X).0"}, {"[5, 2]", "split[axis=0, at=2](X).1"}},
	"topk":          {{"[2, 6, 3]", "topk[axis=1, k=4](X)"}, {"[7, 2]", "topk[axis=0, k=7, smallest=1](X)"}},
	"transpose":     {{"[2, 3, 4]", "transpose[perm=(2, 0, 1)](X)"}},
}

// Every operator of the registry is evaluated here, and the cells are those that package
// interp computes, which shares nothing with this one: among the rationals where a number
// is one, and in float64. So each claim about any operator can be judged.
func TestRegistry(t *testing.T) {
	for _, op := range graph.Ops() {
		list := cases[op.Name]
		if op.Pointwise && len(op.Params) == 0 && len(list) == 0 {
			list = append(list, struct{ shapes, term string }{"[32]", op.Name + "(X)"})
		}
		if len(list) == 0 {
			t.Errorf("operator %s: a case is wanted", op.Name)
		}
		for _, c := range list {
			terms := []string{c.term}
			switch {
			case c.term != "":
			case op.Name == "cast":
				terms = nil
				for _, d := range graph.DTypes() {
					for _, m := range graph.Modes(d) {
						terms = append(terms, "cast[to="+d.String()+", mode="+m+"](X)")
					}
				}
			case op.Name == "ewint":
				terms = nil
				for _, n := range op.Params[0].Names {
					terms = append(terms, "ewint[fn="+n+"](X, Y)")
				}
			case op.Name == "resize":
				terms = nil
				for _, n := range op.Params[1].Names {
					for _, to := range []string{"(3, 7)", "(2, 9)", "(1, 1)", "(5, 3)"} {
						terms = append(terms, "resize[sizes="+to+", mode="+n+"](X)")
					}
				}
			}
			for _, term := range terms {
				compareWithInterp(t, op, c.shapes, term)
			}
		}
	}
}

func compareWithInterp(t *testing.T, op *graph.Op, shapes, term string) {
	t.Helper()
	var given []string
	for i, s := range strings.SplitAfter(shapes, "]") {
		if s = strings.TrimPrefix(s, ", "); s != "" {
			given = append(given, string("XYZUV"[i])+" : "+s)
		}
	}
	text := "rule r "
	if len(given) > 0 {
		text += "given " + strings.Join(given, ", ") + " "
	}
	l := parse(t, text+"then "+term+" == "+term)
	used := false
	l.LHS[0].Walk(func(u *law.Term) { used = used || u.Op == op })
	if !used {
		t.Errorf("%s: no case of %s", term, op.Name)
	}
	laws := []*law.Law{l}
	if each := law.Each(l); each != l { // applied to each of two members
		laws = append(laws, each.Subst(&graph.Substitution{Runs: map[string]graph.Shape{"M": graph.Sizes(2)}}))
	}
	for _, l := range laws {
		compareLaw(t, l)
	}
}

func compareLaw(t *testing.T, l *law.Law) {
	t.Helper()
	term := l.LHS[0]
	if why := New(l).Unjudged(); why != "" {
		t.Errorf("%s is not judged: %s", term, why)
		return
	}
	p := &Point{}
	exact, near := 0, 0
	for seed := range uint64(6) {
		for _, whole := range []bool{true, false} {
			q := cellsOf[frac](t, rational{}, l, p, seed, whole)
			exact += sameCells(t, l, q, interp.Rational{}, func(x frac) (interp.Q, bool) { return interp.Q{Num: x.num, Den: x.den}, x.den != 0 },
				interp.Q.IsBad, func(a, b interp.Q) bool { return a == b })
			f := cellsOf[float64](t, floating{}, l, p, seed, whole)
			near += sameCells(t, l, f, interp.Float{}, func(x float64) (float64, bool) { return x, !floating{}.IsBad(x) },
				floating{}.IsBad, floating{}.Same)
		}
	}
	if exact+near < 12 {
		t.Errorf("%s: %d and %d cells compared", term, exact, near)
	}
}

func cellsOf[V any](t *testing.T, f Field[V], l *law.Law, p *Point, seed uint64, whole bool) *Cells[V] {
	t.Helper()
	c, err := NewCells(f, l, p, seed)
	if err != nil {
		t.Fatalf("%s is not evaluated: %v", l.LHS[0], err)
	}
	c.m.whole = whole
	return c
}

// sameCells compares the cells of a term with what interp makes of the same numbers, and
// counts those that have a value in both.
func sameCells[V, W any](t *testing.T, l *law.Law, c *Cells[V], ring interp.Ring[W], to func(V) (W, bool), bad func(W) bool, same func(a, b W) bool) (compared int) {
	t.Helper()
	known := map[string]interp.Tensor[W]{}
	for _, b := range l.Given {
		sizes, _ := b.Shape.Concrete()
		x := interp.Tensor[W]{Sizes: sizes}
		eachCell(sizes, func(at []int64) {
			v, ok := c.Given(b.Name, at)
			w, fine := to(v)
			if !ok || !fine {
				t.Fatalf("no %s%v", b.Name, at)
			}
			x.Data = append(x.Data, w)
		})
		known[b.Name] = x
	}
	var value func(u *law.Term) (interp.Tensor[W], error)
	value = func(u *law.Term) (x interp.Tensor[W], err error) {
		if u.IsVar() {
			return known[u.Var], nil
		}
		in := make([]interp.Tensor[W], len(u.Args))
		for i, a := range u.Args {
			if in[i], err = value(a); err != nil {
				return x, err
			}
		}
		out, err := interp.Apply(ring, u.Op, u.Attrs, in)
		if err != nil {
			return x, err
		}
		return out[u.Out], nil
	}
	want, err := value(l.LHS[0])
	if err != nil {
		t.Errorf("%s: %v", l.LHS[0], err)
		return 0
	}
	i := 0
	eachCell(want.Sizes, func(at []int64) {
		w := want.Data[i]
		i++
		v, err := c.At(0, 0, at)
		if err != nil {
			t.Errorf("%s at %v: %v", l.LHS[0], at, err)
			return
		}
		got, ok := to(v)
		if !ok || bad(w) {
			return
		}
		if compared++; !same(got, w) {
			t.Errorf("%s at %v is %v, by interp %v", l.LHS[0], at, got, w)
		}
	})
	if got := c.Shape(0, 0); len(got) != len(want.Sizes) {
		t.Errorf("%s: shape %v, by interp %v", l.LHS[0], got, want.Sizes)
	}
	return compared
}

func eachCell(sizes []int, f func(at []int64)) {
	n := make([]int64, len(sizes))
	for i, s := range sizes {
		n[i] = int64(s)
	}
	m := &machine[uint64]{work: math.MaxInt}
	m.each(n, func(at []int64) { f(append([]int64{}, at...)) })
}

// Near a jump float64 says nothing, and at numbers with few digits it says which side.
func TestSteady(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	f := floating{}
	for range 100 {
		n := float64(rng.IntN(9) - 4)
		if got := f.Func("floor", nil, n); got != n {
			t.Errorf("floor(%v) = %v", n, got)
		}
		if got := f.Func("floor", nil, n-1e-14); !math.IsNaN(got) && n-1e-14 != n {
			t.Errorf("floor(%v-1e-14) = %v", n, got)
		}
		if got := f.Func("floor", nil, n+0.3); got != n {
			t.Errorf("floor(%v) = %v", n+0.3, got)
		}
	}
	if got := f.Func("step", nil, 1e-17); !math.IsNaN(got) {
		t.Errorf("step(1e-17) = %v", got)
	}
}
