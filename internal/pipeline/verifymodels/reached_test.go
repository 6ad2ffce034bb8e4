package verifymodels_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// Models that agree where one looks, and differ elsewhere, are not said to agree.
func TestReached(t *testing.T) {
	const table = "E : weight float32[6, 2]\ni : int64[2]\n"
	many := "E : weight float32[6, 2]\ni : int64[20]\nm : int64 = fill[shape=[20], value=5]()\n"
	const quantized = "x : float32[2, 3]\nc : float32 = fill[shape=[2, 3], value=4096]()\nv = ewmul(x, c)\nq = clip[lo=0, hi=255](v)\nr = round(q)\n"
	const powers = "x : float32[16, 3]\no : float32 = one[shape=[16]]()\nn = abs(x)\nl = log(n)\ne = exp(l)\ns = reducesum[axes=(1)](e)\n"
	const words = "i : int32[12]\nw : int32 = fill[shape=[5], value=91]()\nv : int32 = fill[shape=[5], value=57]()\nb = slice[axis=0, lo=7, hi=12](i)\nl = ewequal(b, v)\n"
	const steep = "x : float32[3]\nk : float32 = fill[shape=[3], value=-800]()\nv = ewmul(x, k)\ng = sigmoid(v)\n"
	const quotient = "x : float32[3]\nz = relu(x)\nq = reciprocal(z)\nt = atan(q)\n"
	const hat = "x : float32[3]\nc : float32 = fill[shape=[3], value=9]()\no : float32 = one[shape=[3]]()\nd = ewsub(x, c)\na = abs(d)\ns = ewsub(o, a)\nu = relu(s)\n"
	const root = "x : float32[3]\nv : float32[3]\n"
	inf := float32(math.Inf(1))
	rows := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	last := append(append([]float32{}, rows[:11]...), 13)
	for _, c := range []struct {
		name    string
		a, b    string
		wa, wb  map[string][]float32
		o       verifymodels.Options
		exact   verifymodels.Verdict
		verdict verifymodels.Conclusion
		reached string // part of what was not
	}{
		{name: "a row, exactly", a: table + "y = gather[axis=0](E, i)\nreturn y", b: table + "y = gather[axis=0](E, i)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": last},
			o: verifymodels.Options{NoNumbers: true}, exact: verifymodels.Different, verdict: verifymodels.ModelsDiffer},
		{name: "a row, in numbers alone", a: table + "y = gather[axis=0](E, i)\nreturn y", b: table + "y = gather[axis=0](E, i)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": last},
			o: verifymodels.Options{NoExact: true}, exact: verifymodels.NotRun, verdict: verifymodels.ModelsDiffer},
		{name: "a row, and no work allowed", a: table + "y = gather[axis=0](E, i)\nreturn y", b: table + "z = gather[axis=0](E, i)\ny = relu(z)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": rows},
			o: verifymodels.Options{MaxFLOPs: 10}, exact: verifymodels.Undecided, verdict: verifymodels.ModelsAgree},
		{name: "another table, and no work allowed", a: table + "y = gather[axis=0](E, i)\nreturn y", b: table + "F = relu(E)\ny = gather[axis=0](F, i)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": rows},
			o: verifymodels.Options{MaxFLOPs: 100}, exact: verifymodels.Undecided, verdict: verifymodels.NotKnown, reached: "positions that it may read"},
		{name: "positions behind a reshape", a: table + "j = reshape[shape=[2, 1]](i)\ny = gather[axis=0](E, j)\nreturn y",
			b:  table + "k = gather[axis=0](E, i)\nr = relu(k)\ny = reshape[shape=[2, 1, 2]](r)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": append(append([]float32{}, rows[:11]...), -12)},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "positions from numbers", a: table + "x : float32[2]\nj = cast[to=int64](x)\ny = gather[axis=0](E, j)\nreturn y",
			b:  table + "x : float32[2]\nj = cast[to=int64](x)\nF = relu(E)\ny = gather[axis=0](F, j)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": rows},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsAgree},
		{name: "an element that is never the largest", a: "w : weight float32[1, 9]\nm = reducemax[axes=(1)](w)\nreturn m",
			b:  "w : weight float32[1, 9]\nm = reducemax[axes=(1)](w)\nreturn m",
			wa: map[string][]float32{"w": {1, 2, 3, 4, 5, 6, 7, 8, 9}}, wb: map[string][]float32{"w": {1, 2, 0, 4, 5, 6, 7, 8, 9}},
			o: verifymodels.Options{NoNumbers: true}, exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "beyond the usual inputs", a: "x : float32[64]\ny = relu(x)\nreturn y", b: "x : float32[64]\ny = clip[lo=0, hi=6](x)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "saturated", a: "x : float32[4]\nw : weight float32[4]\ns = ewadd(x, w)\ny = sigmoid(s)\nreturn y",
			b:  "x : float32[4]\nw : weight float32[4]\ns = ewadd(x, w)\nr = relu(s)\ny = sigmoid(r)\nreturn y",
			wa: map[string][]float32{"w": {900, 900, 900, 900}}, wb: map[string][]float32{"w": {900, 900, 900, 900}},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "saturated but for some small integers", a: quantized + "s = softmax[axis=0](r)\nz = ewmul(r, s)\nt = tanh(z)\nreturn t", b: quantized + "t = tanh(r)\nreturn t",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "equal numbers beside powers of zero", a: powers + "k = ewless(s, o)\nm = ewsub(s, o)\ny = ewwhere(k, s, m)\nreturn y",
			b:     powers + "k = ewlessequal(s, o)\nm = ewsub(s, o)\ny = ewwhere(k, s, m)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "two words in their places", a: words + "a = slice[axis=0, lo=0, hi=5](i)\nk = ewequal(a, w)\nc = ewmul(k, l)\nreturn c",
			b:     words + "a = slice[axis=0, lo=1, hi=6](i)\nk = ewequal(a, w)\nc = ewmul(k, l)\nreturn c",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "less or equal in two nodes", a: "i : int32[4, 5]\nj : int32[4, 5]\na = ewless(i, j)\nb = ewequal(i, j)\nc = ewmax(a, b)\nreturn c",
			b: "i : int32[4, 5]\nj : int32[4, 5]\nc = ewlessequal(i, j)\nreturn c", exact: verifymodels.Undecided, verdict: verifymodels.ModelsAgree},
		{name: "less or equal in two nodes, and less", a: "i : int32[4, 5]\nj : int32[4, 5]\na = ewless(i, j)\nb = ewequal(i, j)\nc = ewmax(a, b)\nreturn c",
			b: "i : int32[4, 5]\nj : int32[4, 5]\nc = ewless(i, j)\nreturn c", exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "a weight that is the rest of a difference", a: "x : float32[2]\nw : weight float32[2]\ns = ewadd(x, w)\ny = round(s)\nreturn y", b: "x : float32[2]\nu : weight float32[2]\nv : weight float32[2]\nw = ewsub(u, v)\ns = ewadd(x, w)\ny = round(s)\nreturn y",
			wa: map[string][]float32{"w": {1, 1.4901161e-08}}, wb: map[string][]float32{"u": {1.5, 1}, "v": {0.5, 1}}, exact: verifymodels.Undecided, verdict: verifymodels.ModelsAgree},
		{name: "rows of zeros beside others", a: "x : float32[2, 2]\nn = abs(x)\ns = reducesum[axes=(1)](n)\no : float32 = one[shape=[2]]()\nm = ewmin(s, o)\ny = ceil(m)\nreturn y",
			b:     "x : float32[2, 2]\nn = abs(x)\ns = reducesum[axes=(0)](n)\no : float32 = one[shape=[2]]()\nm = ewmin(s, o)\ny = ceil(m)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "quotients of zeros of either sign", a: "x : float32[3]\ny : float32[3]\nz = relu(x)\nq = ewdiv(y, z)\nr = clip[lo=0, hi=255](q)\nreturn r",
			b:     "x : float32[3]\ny : float32[3]\nn = neg(x)\no : float32 = fill[shape=[3], value=0]()\nm = ewmin(n, o)\nz = neg(m)\nq = ewdiv(y, z)\nr = clip[lo=0, hi=255](q)\nreturn r",
			exact: verifymodels.Undecided, verdict: verifymodels.NotKnown, reached: "operand q more than 255"},
		{name: "quotients of zeros of either sign beside a difference", a: "x : float32[3]\ny : float32[3]\nz = relu(x)\nq = ewdiv(y, z)\nr = clip[lo=0, hi=255](q)\ns = ewadd(r, x)\nreturn s",
			b:     "x : float32[3]\ny : float32[3]\nn = neg(x)\no : float32 = fill[shape=[3], value=0]()\nm = ewmin(n, o)\nz = neg(m)\nq = ewdiv(y, z)\nr = clip[lo=0, hi=255](q)\nt = ewadd(r, x)\ns = ewadd(t, z)\nreturn s",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "exponentials beyond float64", a: "x : float32[4]\nc : float32 = fill[shape=[4], value=4096]()\nv = ewmul(x, c)\nr = relu(v)\nb = abs(v)\nn = neg(b)\ne = exp(n)\no : float32 = one[shape=[4]]()\ns = ewadd(e, o)\nl = log(s)\ny = ewadd(r, l)\nreturn y",
			b:     "x : float32[4]\nc : float32 = fill[shape=[4], value=4096]()\nv = ewmul(x, c)\ne = exp(v)\no : float32 = one[shape=[4]]()\ns = ewadd(e, o)\ny = log(s)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsAgree},
		{name: "infinite weights that count", a: "x : float32[6]\nw : weight float32[6]\ni = isinf(w)\ns = ewadd(x, i)\ny = reducemax[axes=(0)](s)\nreturn y",
			b:  "x : float32[6]\nw : weight float32[6]\ny = reducemax[axes=(0)](x)\nreturn y",
			wa: map[string][]float32{"w": {1, 1, 1, 1, inf, 1}}, wb: map[string][]float32{"w": {1, 1, 1, 1, inf, 1}},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "a sigmoid that underflows beside a difference", a: steep + "y = ewadd(x, g)\nreturn y",
			b:     steep + "o : float32 = one[shape=[3]]()\nd = ewsub(x, o)\nr = relu(d)\ns = ewadd(x, r)\ny = ewadd(s, g)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "a quotient by zero beside a difference", a: quotient + "y = ewadd(x, t)\nreturn y",
			b:     quotient + "n = neg(x)\nc = clip[lo=0, hi=3](n)\ns = ewadd(x, t)\ny = ewadd(s, c)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "a narrow hat of both, read in two ways", a: hat + "y = ewadd(x, u)\nreturn y", b: hat + "v = ewadd(u, u)\ny = ewadd(x, v)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.NotKnown, reached: "node u (relu)"},
		{name: "outputs of one node in another order", a: "x : float32[4]\ns = split[axis=0, at=2](x)\nreturn s.0, s.1", b: "x : float32[4]\ns = split[axis=0, at=2](x)\nreturn s.1, s.0",
			exact: verifymodels.Different, verdict: verifymodels.ModelsDiffer},
		{name: "a square root that bounds of other digits decide", a: root + "q = rsqrt[eps=1e-05](v)\ny = ewmul(x, q)\nreturn y",
			b:  root + "e : weight float32[3]\ns = ewadd(v, e)\nq = sqrt(s)\ny = ewdiv(x, q)\nreturn y",
			wb: map[string][]float32{"e": {1e-5, 1e-5, 1e-5}}, exact: verifymodels.Undecided, verdict: verifymodels.NotKnown, reached: "and rounding decides"},
		{name: "nothing but what is no number", a: "x : float32[4]\nn = abs(x)\nm = neg(n)\no : float32 = one[shape=[4]]()\nk = ewsub(m, o)\ny = log(k)\nreturn y",
			b:     "x : float32[4]\nn = abs(x)\nm = neg(n)\no : float32 = one[shape=[4]]()\nk = ewsub(m, o)\ny = sqrt(k)\nreturn y",
			exact: verifymodels.Undecided, verdict: verifymodels.NotKnown, reached: "4 of 4 elements are finite in no run"},
		{name: "infinite weights that are the same", a: "x : float32[1]\nw : weight float32[1]\ny = ewadd(x, w)\nreturn y",
			b: "x : float32[1]\nw : weight float32[1]\ny = ewadd(w, x)\nreturn y", wa: map[string][]float32{"w": {inf}}, wb: map[string][]float32{"w": {inf}},
			exact: verifymodels.Equal, verdict: verifymodels.ModelsEqual},
		{name: "integers above 1", a: "i : int32[4]\nx = cast[to=float64, mode=exact](i)\ny = ewmul(x, x)\nreturn y", b: "i : int32[4]\nx = cast[to=float64, mode=exact](i)\nreturn x",
			exact: verifymodels.Different, verdict: verifymodels.ModelsDiffer},
		{name: "integers below 0", a: "i : int64[20]\ny = abs(i)\nreturn y", b: "i : int64[20]\nreturn i",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "positions computed of integers below 0", a: many + "j = abs(i)\nk = ewmin(j, m)\ny = gather[axis=0](E, k)\nreturn y",
			b:  many + "j = relu(i)\nk = ewmin(j, m)\ny = gather[axis=0](E, k)\nreturn y",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": rows},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "positions computed of integers above the table, and used besides", a: many + "k = ewmin(i, m)\ny = gather[axis=0](E, k)\nreturn y, i",
			b:  many + "k = ewmin(i, m)\ny = gather[axis=0](E, k)\nreturn y, k",
			wa: map[string][]float32{"E": rows}, wb: map[string][]float32{"E": rows},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "a part of a weight that is cut away", a: "x : float32[2]\nw : weight float32[3]\nv = slice[axis=0, lo=0, hi=2](w)\ny = ewmul(x, v)\nreturn y",
			b:  "x : float32[2]\nw : weight float32[3]\nv = slice[axis=0, lo=0, hi=2](w)\ny = ewmul(x, v)\nreturn y",
			wa: map[string][]float32{"w": {1, 2, 3}}, wb: map[string][]float32{"w": {1, 2, 4}},
			exact: verifymodels.Equal, verdict: verifymodels.ModelsEqual},
		{name: "weights that are one modulo the prime", a: "x : float32[2]\nw : weight float32[2]\ny = ewmul(x, w)\nreturn y",
			b:  "x : float32[2]\nw : weight float32[2]\ny = ewmul(x, w)\nreturn y",
			wa: map[string][]float32{"w": {1, 1e-6}}, wb: map[string][]float32{"w": {1, float32(math.Ldexp(float64(float32(1e-6)), -61))}},
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
		{name: "outputs in another order", a: "x : float32[2]\ny = relu(x)\nz = neg(x)\nreturn y, z", b: "x : float32[2]\nz = neg(x)\ny = relu(x)\nreturn z, y",
			exact: verifymodels.Equal, verdict: verifymodels.ModelsEqual},
		{name: "outputs that change places", a: "x : float32[2]\ny = relu(x)\nz = neg(x)\nreturn y, z", b: "x : float32[2]\nz = relu(x)\ny = neg(x)\nreturn z, y",
			exact: verifymodels.Undecided, verdict: verifymodels.ModelsDiffer},
	} {
		c.o.A, c.o.B = parse(t, "a", c.a, c.wa), parse(t, "b", c.b, c.wb)
		r, err := verifymodels.Run(context.Background(), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Exact.Verdict != c.exact || r.Verdict != c.verdict || (len(r.Unreached) > 0) != (c.reached != "") ||
			!strings.Contains(strings.Join(r.Unreached, "\n"), c.reached) {
			t.Errorf("%s: %s %s\n%s", c.name, r.Exact.Verdict, r.Verdict, r)
		}
	}
}

// A backend stops at a position that a table does not have, which integers that are fed to
// see what they do may lead to: then the models are not known to agree.
func TestStrangeIntegers(t *testing.T) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const head = "E : weight float32[3, 2]\nm : int64[40]\nn : int64[40]\nk = ewadd(m, n)\n"
	const other = "E : weight float32[3, 2]\nm : int64[40]\nn : int64[40]\nl = ewsub(m, n)\nj = ewadd(n, n)\nk = ewadd(l, j)\n"
	o := verifymodels.Options{A: parse(t, "a", head+"y = gather[axis=0](E, k)\nreturn y", nil),
		B: parse(t, "b", other+"r = relu(E)\ny = gather[axis=0](r, k)\nreturn y", nil), Backend: b}
	r, err := verifymodels.Run(context.Background(), o)
	if err != nil || r.Verdict != verifymodels.NotKnown || !strings.Contains(strings.Join(r.Unreached, "\n"), "integers that may be out of range") {
		t.Errorf("%v\n%s", err, r)
	}
	// What stops for other integers, too, is an error.
	o.A = parse(t, "a", head+"l = ewadd(k, k)\ny = gather[axis=0](E, l)\nreturn y", nil)
	if r, err := verifymodels.Run(context.Background(), o); err == nil {
		t.Errorf("%s", r)
	}
}
