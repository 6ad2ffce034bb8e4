package cost_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

var here = cost.Setting{Device: "test, 1 thread", Library: "test 1"}

func f32(sizes ...int) graph.TensorType { return graph.TensorType{Sizes: sizes} }

// applied makes the parts of an application by the graph's own inference.
func applied(t testing.TB, name string, attrs map[string]graph.Value, in ...graph.TensorType) *cost.Application {
	t.Helper()
	o, ok := graph.Lookup(name)
	if !ok {
		t.Fatalf("operator %s is not there", name)
	}
	a, err := o.Attr(attrs)
	if err != nil {
		t.Fatal(err)
	}
	var b graph.Builder
	var ts []graph.Tensor
	for i, x := range in {
		v, err := b.AddInput(fmt.Sprint("x", i), x.DType, x.Sizes...)
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, v)
	}
	id, err := b.Apply("y", o, a, ts...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Finish(id.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	app := cost.At(g, id)
	return &app
}

func keyOf(a *cost.Application) cost.Key { return cost.KeyOf(here, *a) }

func same() map[string]graph.Value {
	return map[string]graph.Value{"pad": graph.NameValue("same_upper")}
}

func TestKeyText(t *testing.T) {
	for _, c := range []struct {
		app  *cost.Application
		want string
	}{
		{applied(t, "matmul", nil, f32(2, 3), f32(3, 4)), "matmul(float32[2, 3], float32[3, 4]) -> float32[2, 4]"},
		{applied(t, "conv2d", same(), f32(1, 3, 8, 8), f32(4, 3, 3, 3)),
			"conv2d[stride=(1, 1), pad=same_upper, groups=1, act=none](float32[1, 3, 8, 8], float32[4, 3, 3, 3]) -> float32[1, 4, 8, 8]"},
		{applied(t, "conv2d", map[string]graph.Value{"pad": graph.NameValue("valid"), "dilation": graph.TupleValue(2, 3)}, f32(1, 3, 8, 8), f32(4, 3, 3, 3)),
			"conv2d[stride=(1, 1), pad=valid, groups=1, act=none, dilation=(2, 3)](float32[1, 3, 8, 8], float32[4, 3, 3, 3]) -> float32[1, 4, 4, 2]"},
		{applied(t, "split", map[string]graph.Value{"axis": graph.IntValue(1), "at": graph.IntValue(2)}, f32(2, 5)),
			"split[axis=1, at=2](float32[2, 5]) -> float32[2, 2], float32[2, 3]"},
		{applied(t, "imatmul", map[string]graph.Value{"n": graph.IntValue(3)}), "imatmul[n=3]() -> float32[3, 3]"},
		{applied(t, "smul", nil, f32(2), f32()), "smul(float32[2], float32[]) -> float32[2]"},
	} {
		k := keyOf(c.app)
		if got := k.Application(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if want := c.want + ` on "test, 1 thread" by "test 1"`; k.String() != want {
			t.Errorf("got  %s\nwant %s", k, want)
		}
		back, err := k.Parse()
		if err != nil {
			t.Errorf("%s: %v", k, err)
			continue
		}
		if back.Op != c.app.Op || !back.Attrs.Equal(c.app.Attrs) || keyOf(back) != k {
			t.Errorf("%s: read back as %s", k, keyOf(back))
		}
	}
}

// TestKeyOfToday: attributes of all sorts and other element types are read back
// as they were.
func TestKeyOfToday(t *testing.T) {
	i64 := graph.TensorType{DType: graph.Int64, Sizes: []int{2}}
	for want, app := range map[string]*cost.Application{
		"softmax[axis=1](float32[2, 3]) -> float32[2, 3]": applied(t, "softmax", map[string]graph.Value{"axis": graph.IntValue(1)}, f32(2, 3)),
		"layernorm[axis=1, eps=1e-05](float32[2, 3], float32[3], float32[3]) -> float32[2, 3]": applied(t, "layernorm",
			map[string]graph.Value{"axis": graph.IntValue(1), "eps": graph.NumberValue(1e-5)}, f32(2, 3), f32(3), f32(3)),
		"pad[before=(0, 1), after=(0, 0), value=-inf](float32[2, 3]) -> float32[2, 4]": applied(t, "pad",
			map[string]graph.Value{"before": graph.TupleValue(0, 1), "after": graph.TupleValue(0, 0), "value": graph.NumberValue(math.Inf(-1))}, f32(2, 3)),
		"gather[axis=0](float32[5, 3], int64[2]) -> float32[2, 3]":  applied(t, "gather", map[string]graph.Value{"axis": graph.IntValue(0)}, f32(5, 3), i64),
		"reducemean[axes=(1), keep=0](float32[2, 3]) -> float32[2]": applied(t, "reducemean", map[string]graph.Value{"axes": graph.TupleValue(1)}, f32(2, 3)),
		"cast[to=float32](int64[2]) -> float32[2]":                  applied(t, "cast", map[string]graph.Value{"to": graph.NameValue("float32")}, i64),
		"cast[to=int8, mode=wrap](int64[2]) -> int8[2]": applied(t, "cast",
			map[string]graph.Value{"to": graph.NameValue("int8"), "mode": graph.NameValue("wrap")}, i64),
		"reshape[shape=[6]](float32[2, 3]) -> float32[6]": applied(t, "reshape", map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(6))}, f32(2, 3)),
		"resize[sizes=(1, 1, 4, 4), mode=nearest_floor_asymmetric](float32[1, 1, 2, 2]) -> float32[1, 1, 4, 4]": applied(t, "resize",
			map[string]graph.Value{"sizes": graph.TupleValue(1, 1, 4, 4), "mode": graph.NameValue("nearest_floor_asymmetric")}, f32(1, 1, 2, 2)),
	} {
		k := keyOf(app)
		if got := k.Application(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if back, err := k.Parse(); err != nil || keyOf(back) != k {
			t.Errorf("%s: read back as %v, %v", k, back, err)
		}
	}
}

func TestKeySeparates(t *testing.T) {
	base := keyOf(applied(t, "relu", nil, f32(2, 3)))
	seen := map[uint64]cost.Key{base.Hash(): base}
	for _, change := range []func(*cost.Key){
		func(k *cost.Key) { k.Device += "x" },
		func(k *cost.Key) { k.Library += "x" },
		func(k *cost.Key) { k.Layout = "nhwc" },
		func(k *cost.Key) { k.Math = "nhwc" },
		func(k *cost.Key) { k.Device, k.Library = k.Device+`" by "a`, "" },
		func(k *cost.Key) { k.In = "float16[2, 3]" },
		func(k *cost.Key) { k.Attrs = "[a=1]" },
		func(k *cost.Key) { k.Op = "tanh" },
	} {
		k := base
		change(&k)
		if old, twice := seen[k.Hash()]; twice {
			t.Errorf("%s and %s have one hash", old, k)
		}
		seen[k.Hash()] = k
	}
}

func TestKeyParseErrors(t *testing.T) {
	base := keyOf(applied(t, "split", map[string]graph.Value{"axis": graph.IntValue(1), "at": graph.IntValue(2)}, f32(2, 5)))
	for want, change := range map[string]func(*cost.Key){
		"operator":                 func(k *cost.Key) { k.Op = "splat" },
		"not in canonical form":    func(k *cost.Key) { k.Out = "float32[2, 2]" },
		"no application has":       func(k *cost.Key) { k.In = "float32[2, 5]\nreturn x0" },
		"wanted":                   func(k *cost.Key) { k.Attrs = "[axis=1" },
		"at":                       func(k *cost.Key) { k.Attrs = "[axis=1, at=7]" },
		"9999999999":               func(k *cost.Key) { k.In = "float32[2, 9999999999]" },
		"float99":                  func(k *cost.Key) { k.In = "float99[2, 5]" },
		"not in canonical form, w": func(k *cost.Key) { k.Attrs = "[at=2, axis=1]" },
	} {
		k := base
		change(&k)
		_, err := k.Parse()
		if err == nil {
			t.Errorf("%s: read", k.Application())
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", k.Application(), err, want)
		}
	}
}

func ExampleKeyOf() {
	a, b := f32(64, 1024), f32(1024, 1024)
	k := cost.KeyOf(cost.Setting{Device: "cpu, 1 thread", Library: "taso 1"},
		cost.Application{Op: op.MatMul, In: []graph.TensorType{a, b}, Out: []graph.TensorType{f32(64, 1024)}})
	fmt.Println(k)
	// Output: matmul(float32[64, 1024], float32[1024, 1024]) -> float32[64, 1024] on "cpu, 1 thread" by "taso 1"
}
