package define

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
)

// textbook are the definitions that are shipped.
func textbook(t testing.TB) map[string]*Definition {
	path := "../../docs/ops/textbook.ops"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ds, err := Parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Definition{}
	for _, d := range ds {
		out[d.Name] = d
	}
	return out
}

func random(rng *rand.Rand, sizes []int) []float64 {
	out := make([]float64, graph.NumElements(sizes))
	for i := range out {
		out[i] = float64(rng.IntN(17)-8) / 4
	}
	return out
}

func apply(o *graph.Op, in [][]float64, sizes [][]int) ([]float64, []int, error) {
	ts := make([]interp.Tensor[float64], len(in))
	for i := range in {
		ts[i] = interp.Tensor[float64]{Sizes: sizes[i], Data: in[i]}
	}
	out, err := interp.Apply(interp.Float{}, o, nil, ts)
	if err != nil {
		return nil, nil, err
	}
	return out[0].Data, out[0].Sizes, nil
}

func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.Abs(x-y) <= 1e-9*(1+math.Abs(x)) || math.IsNaN(x) && math.IsNaN(y)
	})
}

// The operators that are shipped compute what loops written for each of them compute.
func TestTextbook(t *testing.T) {
	type tensor = func(i, j int) float64
	loops := map[string]struct {
		sizes [][]int
		out   []int
		of    func(x, y tensor, i, j int) float64
	}{
		"softsign": {[][]int{{3, 4}}, []int{3, 4}, func(x, _ tensor, i, j int) float64 { return x(i, j) / (1 + math.Abs(x(i, j))) }},
		"cumsum": {[][]int{{4, 2}}, []int{4, 2}, func(x, _ tensor, i, j int) float64 {
			s := 0.0
			for k := 0; k <= i; k++ {
				s += x(k, j)
			}
			return s
		}},
		"normpool": {[][]int{{3, 6}}, []int{3, 3}, func(x, _ tensor, i, j int) float64 { return math.Hypot(x(i, 2*j), x(i, 2*j+1)) }},
		"outer":    {[][]int{{3}, {2}}, []int{3, 2}, func(x, y tensor, i, j int) float64 { return x(0, i) * y(0, j) }},
		"roll":     {[][]int{{4, 3}}, []int{4, 3}, func(x, _ tensor, i, j int) float64 { return x((i+1)%4, j) }},
		"sqdist": {[][]int{{3, 2}, {4, 2}}, []int{3, 4}, func(x, y tensor, i, j int) float64 {
			return math.Pow(x(i, 0)-y(j, 0), 2) + math.Pow(x(i, 1)-y(j, 1), 2)
		}},
	}
	ds := textbook(t)
	if len(ds) != len(loops) {
		t.Errorf("%d operators, %d with loops", len(ds), len(loops))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for name, c := range loops {
		in := make([][]float64, len(c.sizes))
		views := make([]tensor, 2)
		for i, s := range c.sizes {
			in[i] = random(rng, s)
			views[i] = func(a, b int) float64 { return in[i][a*s[len(s)-1]+b] }
		}
		var want []float64
		for i := range c.out[0] {
			for j := range c.out[1] {
				want = append(want, c.of(views[0], views[1], i, j))
			}
		}
		got, sizes, err := apply(ds[name].Op(), in, c.sizes)
		if err != nil || !slices.Equal(sizes, c.out) || !alike(got, want) {
			t.Errorf("%s of %v is %v %v, want %v %v (%v)", name, in, sizes, got, c.out, want, err)
		}
	}
}

// right are definitions of all kinds of parts.
var right = []string{
	"op double(x) = 2*x",
	"op mix3(x, y, z) = x*y - z/3 + min(x, max(y, -z))^2",
	"op total(X : [n, m]) : [] = sum i in 0..n - 1 of sum j in 0..m - 1 of X[i, j]",
	"op strict(X : [n]) : [n] at i = sum k in 0..i - 1 of X[k]",
	"op tail(X : [n]) : [n] at i = sum k in i..n - 1 of X[k] * k",
	"op windows(X : [n + 2]) : [n] at i = sum k in i..i + 2 of X[k]",
	"op alternating(X : [n], Y : [2*n]) : [n] at i = Y[2*i] - Y[2*i + 1] + X[n - 1 - i]",
	"op most(X : [n, 3]) : [n] at i = max k in 0..2 of X[i, k] - min k in 0..2 of X[i, k]",
	"op band(X : [n, n]) : [n, n] at i, j = where(i <= j + 1 and j <= i + 1, X[i, j], 0)",
	"op diagonal(X : [n]) : [n, n] at i, j = where(i == j, X[i], -1)",
	"op triangle(X : [n]) : [n] at i = sum k in 0..i of sum l in k..i of X[k] * X[l]",
	"op mean(X : [n, m]) : [m] at j = (sum k in 0..n - 1 of X[k, j]) / n",
	"op decay(X : [n]) : [n] at i = X[i] / (1 + i)",
	"op skew(X : [n, m]) : [m, n] at i, j = tanh(X[j, i]) - 3",
	"op middle(X : [3*n]) : [n] at i = X[n + i]",
	"op odd(X : [n]) : [n] at i = sum k in 1..3 of sum l in k - 1..k + 1 of l*X[i]",
	"op padded(X : [n]) : [n + 2] at i = where(i < 1, 0, where(i > n, 0, X[i - 1]))",
}

// Compiled operators compute what definitions say when they are read as loops.
func TestPlain(t *testing.T) {
	ds, err := Parse("right", strings.Join(right, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range textbook(t) {
		ds = append(ds, d)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for _, d := range ds {
		for n := 1; n <= 4; n++ {
			agree(t, d, n, rng)
		}
	}
}

// agree compares a compiled operator with the loops, with sizes that begin at n.
func agree(t *testing.T, d *Definition, n int, rng *rand.Rand) {
	at := map[string]int{}
	var sizes [][]int
	elements := 0
	for _, o := range d.operands {
		s := []int{}
		for _, l := range o.shape {
			k := l.c
			for _, f := range l.t {
				if at[f.name] == 0 {
					at[f.name] = 1 + (n+len(at))%4
				}
				k += f.k * int64(at[f.name])
			}
			if k > 100 {
				return
			}
			s = append(s, int(k))
		}
		if !d.shaped {
			s = []int{n, 2}
		}
		if elements += graph.NumElements(s); elements > 10000 {
			return
		}
		sizes = append(sizes, s)
	}
	var in [][]float64
	for _, s := range sizes {
		in = append(in, random(rng, s))
	}
	p, err := newPlain(d, in, sizes)
	if err != nil {
		t.Fatalf("%s: sizes %v: %v", d, sizes, err)
	}
	cells := 1
	for _, l := range d.out {
		if cells *= int(min(p.value(l), 1<<20)); cells > 10000 {
			return
		}
	}
	want, out, err := p.all()
	if errors.Is(err, errSteps) {
		return
	}
	if err != nil {
		t.Fatalf("%s: sizes %v: what does not exist is read: %v", d, sizes, err)
	}
	got, shape, err := apply(d.Op(), in, sizes)
	if err != nil || !slices.Equal(shape, out) || !alike(got, want) {
		t.Fatalf("%s of %v is %v %v, want %v %v (%v)", d, in, shape, got, out, want, err)
	}
}

// What is wrong is refused, with its place.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"rule r", `f:1:1: found "rule", want "op"`},
		{"op Upper(x) = x", `f:1:4: operator Upper: a name has at least 3 characters and begins with a small letter, and not with each_`},
		{"op sum(x) = x", `f:1:4: sum is a word of the language, want the name of an operator`},
		{"op twice(x, x) = x", `f:1:13: an operand x: the name stands for something else already`},
		{"op mixed(x, Y : [n]) = x", `f:1:13: operand Y: all operands have shapes, or none`},
		{"op next(X : [n]) : [n] at i = X[i + 1]", `f:1:1: operator next: X[i + 1]: index i + 1 is not shown to be from 0 to n - 1`},
		{"op before(X : [n]) : [n] at i = X[i - 1]", `f:1:1: operator before: X[i - 1]: index i - 1 is not shown to be from 0 to n - 1`},
		{"op wide(X : [n], Y : [m]) : [n] at i = Y[i]", `f:1:1: operator wide: Y[i]: index i is not shown to be from 0 to m - 1`},
		{"op most(X : [n]) : [n] at i = max k in 0..i - 1 of X[k]", `f:1:1: operator most: max k in 0..i - 1: the range is not shown to have an element`},
		{"op free(X : [n]) : [m] at i = X[0]", `f:1:21: size m is that of no operand`},
		{"op sizes(X : [n + m]) : [n] at i = X[i]", `f:1:1: operator sizes: operand X: size n + m: its variables are the sizes of no axes by themselves`},
		{"op less(X : [n - 1]) : [n] at i = X[0]", `f:1:14: size n - 1: sizes are at least 1, and sums without differences`},
		{"op rank(X : [n, m]) : [n] at i = X[i]", `f:1:34: X has 1 indices, want 2`},
		{"op axes(X : [n]) : [n] = X[0]", `f:1:24: 0 indices behind "at", want 1, one for each axis of the result`},
		{"op who(x) = x + y", `f:1:17: y is no operand, index, bound variable or size`},
		{"op call(x) = foo(x)", `f:1:14: foo is no built-in function of one element`},
		{"op call(x) = matmul(x)", `f:1:14: operator matmul is no function of one element without parameters`},
		{"op call(x) = clip(x)", `f:1:14: operator clip is no function of one element without parameters`},
		{"op zero(x) = x / 0", `f:1:18: division by 0`},
		{"op power(x) = x^17", `f:1:17: found "17", want a power from 1 to 16`},
		{"op product(X : [n]) : [n] at i = X[i*n]", `f:1:38: a product of i and n: indices and sizes are sums of names times numbers`},
		{"op end(x) =", `f:1:12: found the end of the text, want an entry`},
		{"\n\nop strange(x) = x $ 2", `f:3:19: unexpected character '$'`},
		{"op shift(X : [n]) : [n] at i = where(i != 0, X[i], 0)", `f:1:40: found "!=", want one of < <= > >= ==`},
		{"op one1(x) = x op one1(x) = x", `f:1:16: operator one1 is defined twice`},
		{"op big(X : [n]) : [n] at i = X[99999999*i]", `f:1:32: number 99999999 is more than 1048576`},
		{"op huge(x) = " + strings.Repeat("(", 200) + "x" + strings.Repeat(")", 200), `f:1:64: nested more than 100 deep`},
		{"op powers(x) = ((x^16)^16)^16", `f:1:28: the entry has more than 1000 parts`},
	} {
		ds, err := Parse("f", c.text)
		if err == nil || err.Error() != c.want || ds != nil {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Numbers do not overflow: each range multiplies those of the one around it.
func TestLarge(t *testing.T) {
	text := "op large(X : [n]) : [n] at i = sum a in 1048576*i..1048576*i of sum b in 1048576*a..1048576*a of" +
		" sum c in 1048576*b..1048576*b of sum d in 1048576*c..1048576*c of X[d]"
	if _, err := Parse("f", text); err == nil || err.Error() != "f:1:1: operator large: numbers are too large" {
		t.Errorf("error %v", err)
	}
}

// A name has one definition in a program, and those of built-in operators are taken.
func TestRegister(t *testing.T) {
	read := func(text string) []*Definition {
		ds, err := Parse("f", text)
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	if err := Register(read("op once_defined(x) = x + 1")); err != nil {
		t.Fatal(err)
	}
	first, ok := graph.Lookup("once_defined")
	if !ok {
		t.Fatal("the operator is not known")
	}
	if err := Register(read("# Again, written otherwise.\nop once_defined( x ) = (x) + 1")); err != nil {
		t.Errorf("the same definition: %v", err)
	}
	if again, _ := graph.Lookup("once_defined"); again != first {
		t.Error("the operator was replaced")
	}
	if slices.Contains(graph.Ops(), first) || !slices.Contains(graph.Defined(), first) {
		t.Error("Ops lists it, or Defined does not")
	}
	err := Register(read("op new_one(x) = x op once_defined(x) = x + 2"))
	if err == nil || err.Error() != "operator once_defined is already defined otherwise: op once_defined(x) = x + 1" {
		t.Errorf("another definition: %v", err)
	}
	if _, ok := graph.Lookup("new_one"); ok {
		t.Error("an operator of a text with an error is known")
	}
	if err := Register(read("op relu(x) = x")); err == nil || err.Error() != "operator relu: the name is that of a built-in operator" {
		t.Errorf("a built-in name: %v", err)
	}
}

// Properties follow from the definition.
func TestProperties(t *testing.T) {
	ds := textbook(t)
	for _, c := range []struct {
		name                           string
		elementwise, moves, rearranges bool
		axes                           string
	}{
		{"softsign", true, false, false, "[{0 0}] [{0 1}]"},
		{"cumsum", false, false, false, "[] [{0 1}]"},
		{"normpool", false, false, false, "[{0 0}] []"},
		{"outer", false, false, false, "[{0 0}] [{1 0}]"},
		{"roll", false, true, true, "[] [{0 1}]"},
		{"sqdist", false, false, false, "[{0 0}] [{1 0}]"},
	} {
		o := ds[c.name].Op()
		ranks := []int{2, 2}[:o.In]
		axes := fmt.Sprint(o.OperandAxes(nil, ranks, 0), " ", o.OperandAxes(nil, ranks, 1))
		if o.Elementwise != c.elementwise || o.Moves != c.moves || o.Rearranges != c.rearranges || axes != c.axes {
			t.Errorf("%s: %v %v %v %s", c.name, o.Elementwise, o.Moves, o.Rearranges, axes)
		}
	}
	pads, err := Parse("f", "op padded(X : [n]) : [n + 1] at i = where(i < n, X[i], 0)")
	if err != nil {
		t.Fatal(err)
	}
	if o := pads[0].Op(); !o.Moves || o.Rearranges {
		t.Errorf("padded: %v %v", o.Moves, o.Rearranges)
	}
}

// FuzzParse: what is accepted has a canonical form that reads back as itself, and computes what
// loops compute, without reading what does not exist.
func FuzzParse(f *testing.F) {
	for _, text := range right {
		f.Add(text)
	}
	f.Add("op outer(X : [n], Y : [m]) : [n, m] at i, j = X[i] * Y[j]\n# Doc.\nop softsign(x) = x / (1 + max(x, -x))")
	f.Fuzz(func(t *testing.T, text string) {
		ds, err := Parse("f", text)
		var fault *Error
		if err != nil && (!errors.As(err, &fault) || fault.Line < 1 || fault.Col < 1) {
			t.Fatalf("error %v has no place", err)
		}
		for _, d := range ds {
			again, err := Parse("f", d.String())
			if err != nil || len(again) != 1 || again[0].String() != d.String() {
				t.Fatalf("%s reads back as %v (%v)", d, again, err)
			}
			for n := 1; n <= 2; n++ {
				agree(t, d, n, rand.New(rand.NewPCG(3, uint64(n))))
			}
		}
	})
}

// Sizes says what shape inference says, for shapes that fit and shapes that do not.
func TestSizes(t *testing.T) {
	texts := textbook(t)
	for i, text := range []string{
		"op halves(X : [2*n, m + 3], Y : [m]) : [n + m, m] at i, j = X[i - i, 0] * Y[j]",
		"op both(X : [n + m], Y : [m], Z : [2*n]) : [n] at i = X[i] * Z[i]",
		"op more(X : [n]) : [2*n + 1] at i = X[0]",
		"op two(x, y) = x + 2*y",
	} {
		ds, err := Parse("sizes.ops", text)
		if err != nil {
			t.Fatal(err)
		}
		texts[fmt.Sprint(i)] = ds[0]
	}
	fit, unfit := 0, 0
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		d := texts[name]
		for range 3000 {
			var in [][]int
			for _, o := range d.operands {
				s := make([]int, max(0, len(o.shape)+rng.IntN(20)/19))
				if !d.shaped {
					s = make([]int, 1+rng.IntN(2))
				}
				for k := range s {
					s[k] = rng.IntN(6)
				}
				in = append(in, s)
			}
			got, err := d.Sizes(in)
			want, infers := graph.InferSizes(d.Op(), nil, in)
			if slices.ContainsFunc(in, func(s []int) bool { return slices.Contains(s, 0) }) {
				if err == nil {
					t.Fatalf("%s of %v: sizes of 0 are taken", d, in)
				}
				continue
			}
			if (err == nil) != (infers == nil) || err == nil && !slices.Equal(got, want[0]) {
				t.Fatalf("%s of %v: %v, %v; inference says %v, %v", d, in, got, err, want, infers)
			}
			if err == nil {
				fit++
			} else {
				unfit++
			}
		}
	}
	if fit < 100 || unfit < 100 {
		t.Errorf("%d fit, %d do not", fit, unfit)
	}
}
