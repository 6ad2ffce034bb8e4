package feed_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/npy"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// lookups is a graph that picks rows by two inputs, one of them from two tables,
// and has an integer input that is no position and one of numbers.
const lookups = `ids : int64[2, 3]
kinds : int64[2, 3]
mask : int64[2, 3]
x : float32[2, 3]
words : weight float32[50, 4]
more : weight float32[7, 4]
types : weight float32[2, 4]
a = gather[axis=0](words, ids)
b = gather[axis=0](more, ids)
flat = reshape[shape=[6]](kinds)
c = gather[axis=0](types, flat)
m = cast[to=float32](mask)
return a, b, c, m, x
`

func TestInputs(t *testing.T) {
	var got []string
	for _, in := range feed.Inputs(parse(t, lookups)) {
		got = append(got, fmt.Sprint(in.Name, " ", in.Type, " ", in.Below, " ", in.Positions))
	}
	want := []string{"ids int64[2, 3] 7 true", "kinds int64[2, 3] 2 true", "mask int64[2, 3] 2 false", "x float32[2, 3] 2 false"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Rows bound what an input picks by its elements as they are, wherever these are moved,
// and not what is computed from them or looked up at them.
func TestRows(t *testing.T) {
	const head = "ids : int64[2, 3]\nw : weight float32[5, 4]\n"
	for _, c := range []struct {
		text string
		rows int64
	}{
		{"a = gather[axis=0](w, ids)\nreturn a\n", 5},
		{"t = transpose[perm=(1, 0)](ids)\nc = cast[to=int32](t)\na = gather[axis=0](w, c)\nreturn a\n", 5},
		{"t = relu(ids)\na = gather[axis=0](w, t)\nreturn a\n", 0},
		{"c = cast[to=uint8](ids)\nd = cast[to=int64](c)\na = gather[axis=0](w, d)\nreturn a\n", 0},
		{"r : weight int64[9]\nt = gather[axis=0](r, ids)\na = gather[axis=0](w, t)\nreturn a\n", 9},
		{"t = relu(ids)\nv : weight float32[7, 4]\na = gather[axis=0](w, t)\nb = gather[axis=0](v, ids)\nreturn a, b\n", 7},
	} {
		if in := feed.Inputs(parse(t, head+c.text))[0]; in.Rows != c.rows || !in.Positions {
			t.Errorf("%s: %+v, want %d rows", c.text, in, c.rows)
		}
	}
}

func TestPair(t *testing.T) {
	of := func(names ...string) (list []feed.Input) {
		for _, n := range names {
			list = append(list, feed.Input{Name: n})
		}
		return list
	}
	for _, c := range []struct {
		a, b []feed.Input
		want []int
	}{
		{of("x", "y"), of("y", "x"), []int{1, 0}},
		{of("x", "y"), of("y", "z"), []int{0, 1}},
		{nil, nil, []int{}},
	} {
		if got := feed.Pair(c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	a, b := feed.Input{Rows: 9}, feed.Input{}
	if a.Both(b).Rows != 9 || b.Both(a).Rows != 9 || a.Both(feed.Input{Rows: 5}).Rows != 5 {
		t.Error("the fewest rows of both are not kept")
	}
	a, b = feed.Input{Below: 9, Positions: true}, feed.Input{Below: 2}
	if got := a.Both(b); got.Below != 9 || !got.Positions {
		t.Errorf("got %v", got)
	}
	if got := b.Both(a); got.Below != 9 || !got.Positions {
		t.Errorf("got %v", got)
	}
	if got := a.Both(feed.Input{Below: 5, Positions: true}); got.Below != 5 {
		t.Errorf("got %v", got)
	}
}

// TestRandom: positions are such that the table has, all of them occur, numbers
// stay in their range, and the same seed gives the same.
func TestRandom(t *testing.T) {
	in := feed.Inputs(parse(t, "ids : int64[1000]\nx : float32[1000]\nflags : bool[1000]\nd : int8[1000]\nw : weight float32[50, 4]\na = gather[axis=0](w, ids)\nn = neg(d)\nq = ewint[fn=quo](d, n)\nreturn a, x, flags, q\n"))
	made, err := feed.Make(in, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := feed.Make(in, nil, 1)
	other, _ := feed.Make(in, nil, 2)
	seen := map[int64]int{}
	for i, m := range made {
		if !bytes.Equal(m.Raw, again[i].Raw) || bytes.Equal(m.Raw, other[i].Raw) {
			t.Errorf("%s: the seed does not decide", m.Name)
		}
		step := m.Type.DType.Bytes()
		for at := 0; at < len(m.Raw); at += step {
			n, x := model.Element(m.Type.DType, m.Raw[at:])
			if m.Type.DType.IsFloat() && (x < -1 || x > 1) {
				t.Fatalf("%s holds %v", m.Name, x)
			}
			if m.Name == "ids" {
				seen[n]++
			} else if m.Name == "d" && (n == 1 || n == 2) {
				continue // it divides
			} else if m.Name == "d" || n != 0 && n != 1 {
				t.Fatalf("%s holds %d", m.Name, n)
			}
		}
	}
	for n, times := range seen {
		if n < 0 || n > 49 || len(seen) != 50 || times > 60 {
			t.Fatalf("positions: %v", seen)
		}
	}
	if made[0].How != "random positions, 0 to 49" || made[1].How != "random, -1 to 1" || made[2].How != "random, 0 and 1" || made[3].How != "random, 1 and 2" {
		t.Errorf("%q, %q, %q, %q", made[0].How, made[1].How, made[2].How, made[3].How)
	}
}

// save writes a .npy file of numbers.
func save(t *testing.T, dtype graph.DType, sizes []int, xs ...float64) string {
	t.Helper()
	var raw []byte
	for _, x := range xs {
		raw = model.AppendElement(raw, dtype, int64(x), x)
	}
	var b bytes.Buffer
	if err := npy.Write(&b, &npy.Array{Type: dtype.String(), Sizes: sizes, Data: raw}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func numbers(m feed.Tensor) (out []float64) {
	for at := 0; at < len(m.Raw); at += m.Type.DType.Bytes() {
		n, x := model.Element(m.Type.DType, m.Raw[at:])
		out = append(out, x+float64(n))
	}
	return out
}

func TestSources(t *testing.T) {
	g := parse(t, "ids : int64[6]\nx : float32[6]\nh : float16[6]\nw : weight float32[4, 1]\na = gather[axis=0](w, ids)\nreturn a, x, h\n")
	six := []int{6}
	for _, c := range []struct {
		name, source, how string // %s is the file
		want              []float64
	}{
		{"x", "range", "0, 1, 2 and so on", []float64{0, 1, 2, 3, 4, 5}},
		{"ids", "range", "0 to 3, over and over", []float64{0, 1, 2, 3, 0, 1}},
		{"h", "ones", "ones", []float64{1, 1, 1, 1, 1, 1}},
		{"ids", "zeros", "zeros", []float64{0, 0, 0, 0, 0, 0}},
		{"x", save(t, graph.Float32, six, 1, 2, 3, 4, 5, 0.5), "%s", []float64{1, 2, 3, 4, 5, 0.5}},
		{"x", save(t, graph.Float64, six, 1, 2, 3, 4, 5, 0.5), "%s, float64", []float64{1, 2, 3, 4, 5, 0.5}},
		{"x", save(t, graph.Float64, six, 0.1, 2, 3, 4, 5, 0.2), "%s, float64, 2 of 6 elements rounded to float32", []float64{float64(float32(0.1)), 2, 3, 4, 5, float64(float32(0.2))}},
		{"ids", save(t, graph.Int32, six, 3, 2, 1, 0, 1, 2), "%s, int32", []float64{3, 2, 1, 0, 1, 2}},
		{"ids", save(t, graph.Float64, six, 3, 2, 1, 0, 1, 2), "%s, float64", []float64{3, 2, 1, 0, 1, 2}},
		{"ids", save(t, graph.Int64, six, 3, -1, -4, 0, 1, 2), "%s", []float64{3, -1, -4, 0, 1, 2}},
		{"x", save(t, graph.Bool, six, 1, 0, 1, 0, 1, 0), "%s, bool", []float64{1, 0, 1, 0, 1, 0}},
	} {
		made, err := feed.Make(feed.Inputs(g), map[string]feed.Source{c.name: feed.Source(c.source)}, 1)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		for _, m := range made {
			if m.Name == c.name && (m.How != strings.ReplaceAll(c.how, "%s", c.source) || !slices.Equal(numbers(m), c.want)) {
				t.Errorf("%s: %q, %v", c.source, m.How, numbers(m))
			}
		}
	}
	for _, c := range []struct{ name, source, want string }{
		{"y", "ones", "unknown input y; want one of ids, x, h"},
		{"x", "none.npy", "input x: none.npy: no such file or directory"},
		{"x", save(t, graph.Float32, []int{2, 3}, 1, 2, 3, 4, 5, 6), "holds float32[2, 3], the input is float32[6]"},
		{"ids", save(t, graph.Float32, six, 1, 2, 3, 0.5, 5, 6), "element 3 is 0.5, which int64 does not hold"},
		{"x", save(t, graph.Float64, six, 1, 1e300, 3, 0.5, 5, 6), "element 1 is 1e+300, which float32 does not hold"},
		{"x", save(t, graph.Int64, six, 1, 1<<24+1, 3, 4, 5, 6), "element 1 is 16777217, which float32 does not hold"},
		{"ids", save(t, graph.Int64, six, 1, 2, 3, 4, 5, 6), "element 3 is 4, and the table from which it picks has the rows -4 to 3"},
		{"ids", save(t, graph.Int64, six, 1, -5, 3, 4, 5, 6), "element 1 is -5, and the table"},
	} {
		_, err := feed.Make(feed.Inputs(g), map[string]feed.Source{c.name: feed.Source(c.source)}, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: got %v, want %s", c.name, c.source, err, c.want)
		}
	}
	one := feed.Inputs(parse(t, "ids : int64[6]\nw : weight float32[1, 4]\na = gather[axis=0](w, ids)\nreturn a\n"))
	if _, err := feed.Make(one, map[string]feed.Source{"ids": feed.Ones}, 1); err == nil || !strings.Contains(err.Error(), "one row") {
		t.Errorf("got %v", err)
	}
}

// TestEveryType: each source gives numbers that the type has.
func TestEveryType(t *testing.T) {
	for _, typ := range graph.DTypes() {
		in := feed.Inputs(parse(t, fmt.Sprintf("x : %s[40]\nreturn x\n", typ)))
		for _, s := range []feed.Source{feed.Random, feed.Ones, feed.Zeros, feed.Range} {
			made, err := feed.Make(in, map[string]feed.Source{"x": s}, 1)
			if none := typ == graph.Float8E8M0 && (s == feed.Zeros || s == feed.Range); none != (err != nil) {
				t.Errorf("%s, %s: %v", typ, s, err)
			}
			if err != nil {
				continue
			}
			for i := 0; i < len(made[0].Raw); i += typ.Bytes() {
				n, x := model.Element(typ, made[0].Raw[i:])
				if v := float64(n) + x; math.IsNaN(v) || s == feed.Ones && v != 1 || s == feed.Zeros && v != 0 || s == feed.Range && i > 0 && v == 0 && i/typ.Bytes() == 1 {
					t.Errorf("%s, %s: element %d is %v", typ, s, i/typ.Bytes(), v)
				}
			}
		}
	}
}

func TestParseSources(t *testing.T) {
	got, err := feed.ParseSources([]string{"a=ones", "b=x/y=z.npy", "c=range"})
	if err != nil || len(got) != 3 || got["a"] != feed.Ones || got["b"] != "x/y=z.npy" || !got["b"].IsFile() || got["c"].IsFile() {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range [][]string{{"a"}, {"=ones"}, {"a="}, {"a=twos"}, {"a=x.txt"}, {"a=ones", "a=zeros"}} {
		if _, err := feed.ParseSources(bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// TestConvert: every number of every type into every type comes back the same, or
// is an error, or a rounded floating-point number.
func TestConvert(t *testing.T) {
	types := graph.DTypes()
	special := []float64{0, 1, -1, 0.5, 127, 128, -128, -129, 255, 256, 2048, 2049, 65504, 65520, 1 << 24, 1<<24 + 1, math.MaxInt32, math.MinInt32,
		1 << 31, 1 << 53, 1 << 62, -1 << 63, 1 << 63, 1e38, 1e39, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 0.1}
	for _, from := range types {
		for _, x := range special {
			if !from.IsFloat() && (x != math.Trunc(x) || math.Abs(x) >= 1<<63) {
				continue
			}
			raw := model.AppendElement(nil, from, int64(x), x)
			n, v := model.Element(from, raw)
			number := func(t graph.DType, n int64, v float64) float64 {
				if t == graph.Uint64 {
					return float64(uint64(n))
				}
				return float64(n) + v
			}
			for _, to := range types {
				out, rounded, err := model.Convert(raw, from, to)
				if err != nil {
					continue
				}
				m, w := model.Element(to, out)
				same := number(to, m, w) == number(from, n, v) || math.IsNaN(w) && math.IsNaN(v)
				if same != (rounded == 0) || rounded > 0 && !(from.IsFloat() && to.IsFloat() && !math.IsInf(w, 0)) {
					t.Errorf("%v as %s to %s: %d %v, %d rounded", x, from, to, m, w, rounded)
				}
			}
		}
	}
	largest := model.AppendElement(nil, graph.Int64, math.MaxInt64, 0)
	for _, to := range []graph.DType{graph.Float64, graph.Float32, graph.Float16, graph.Int32} {
		if _, _, err := model.Convert(largest, graph.Int64, to); err == nil {
			t.Errorf("2^63 - 1 as %s", to)
		}
	}
	for _, c := range []struct {
		from, to graph.DType
		n        int64
		x        float64
		ok       bool
	}{
		{graph.Uint64, graph.Int64, -1, 0, false}, {graph.Int64, graph.Uint64, -1, 0, false}, {graph.Float64, graph.Uint64, 0, 1 << 63, true}, {graph.Uint64, graph.Float32, math.MinInt64, 0, true},
		{graph.Float32, graph.Float4E2M1, 0, 6.5, true}, {graph.Float32, graph.Float4E2M1, 0, 7, false}, {graph.Float32, graph.Float4E2M1, 0, math.NaN(), false}, {graph.Float32, graph.Float8E4M3FN, 0, 465, false},
		{graph.Float32, graph.Float8E4M3FN, 0, math.Inf(1), false}, {graph.Float32, graph.Float8E5M2, 0, math.Inf(1), true}, {graph.Float32, graph.Float8E8M0, 0, 0, false}, {graph.Int8, graph.Uint4, 15, 0, true}, {graph.Int8, graph.Int4, 8, 0, false},
	} {
		if _, _, err := model.Convert(model.AppendElement(nil, c.from, c.n, c.x), c.from, c.to); (err == nil) != c.ok {
			t.Errorf("%d %v as %s to %s: %v", c.n, c.x, c.from, c.to, err)
		}
	}
	for _, typ := range types {
		kept := model.Stored(typ)
		for code := range 1 << min(typ.Bits(), 8) {
			raw := []byte{byte(code), 0, 0, 0, 0, 0, 0, 0x40}[:typ.Bytes()]
			n, x := model.Element(typ, raw)
			raw = model.AppendElement(nil, typ, n, x)
			out, rounded, err := model.Convert(raw, typ, kept)
			back, _, err2 := model.Convert(out, kept, typ)
			if err != nil || err2 != nil || rounded > 0 || !bytes.Equal(back, raw) && !math.IsNaN(x) {
				t.Fatalf("%s %x is %x as %s, and then %x: %v, %v", typ, raw, out, kept, back, err, err2)
			}
		}
		if err := npy.Write(io.Discard, &npy.Array{Type: kept.String(), Sizes: []int{1}, Data: make([]byte, kept.Bytes())}); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if _, _, err := model.Convert(make([]byte, 7), graph.Int64, graph.Int32); err == nil {
		t.Error("half an element")
	}
}

func ExampleMake() {
	g, err := graph.ParseText("example", "ids : int64[4]\nw : weight float32[3, 2]\ny = gather[axis=0](w, ids)\nreturn y\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := feed.Make(feed.Inputs(g), map[string]feed.Source{"ids": feed.Range}, 1)
	fmt.Println(made[0].Name, made[0].Type, made[0].How, err)
	// Output: ids int64[4] 0 to 2, over and over <nil>
}

// Positions in a table without rows are none: they say nothing of the input that they are
// taken from.
func TestNoRows(t *testing.T) {
	g, err := graph.ParseText("m", "i : int64[3]\nt : float32[0, 2]\nj = slice[axis=0, lo=1, hi=1](i)\ny = gather[axis=0](t, j)\nreturn y, i")
	if err != nil {
		t.Fatal(err)
	}
	in := feed.Inputs(g)
	if in[0].Below != 2 || in[0].Positions || in[0].Rows != 0 {
		t.Errorf("%+v", in[0])
	}
}
