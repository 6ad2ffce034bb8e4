package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

func TestReshapeTo(t *testing.T) {
	for _, c := range []struct {
		from, shape []int
		zero        bool
		want        string
	}{
		{[]int{2, 3, 4}, []int{0, -1}, false, "[2 12]"},
		{[]int{2, 3, 4}, []int{4, 6}, false, "[4 6]"},
		{[]int{}, []int{1, -1}, false, "[1 1]"},
		{[]int{0, 3}, []int{3, 0}, true, "[3 0]"},
		{[]int{2, 3}, []int{-1, -1}, false, "size -1"},
		{[]int{2, 3}, []int{4, -1}, false, "cannot be reshaped"},
		{[]int{2, 3}, []int{7}, false, "cannot be reshaped"},
		{[]int{2}, []int{2, 0}, false, "keeps axis 1"},
		{[]int{2}, []int{1 << 40}, false, "size 1099511627776"},
	} {
		var got []int
		err := must.Try(func() { got = numbersOf((*dynamic)(nil).reshapeTo(dimsOf(c.from...), dimsOf(c.shape...), c.zero)) })
		if s := fmt.Sprint(got, err); !strings.Contains(s, c.want) {
			t.Errorf("%v to %v: %s, want %s", c.from, c.shape, s, c.want)
		}
	}
}

// One of our windows is as large as ceil_mode asks for.
func TestCeilMode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
		n, k, s := draw("n", 1, 20), draw("k", 1, 5), draw("s", 1, 5)
		p := draw("p", 0, k-1)
		w := &window{kernel: []int{k}, stride: []int{s}, dilation: []int{1}, before: []int{p}, after: []int{p}, ceil: true}
		var added []int
		err := must.Try(func() { added = w.explicit([]int{n}) })
		if n+2*p-k <= -s {
			if err == nil {
				t.Fatal("a window that does not fit")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := (n+2*p-k+s-1)/s + 1 // ONNX: rounded up, windows begin inside
		if (want-1)*s >= n+p {
			want--
		}
		if got := (n+2*p+added[0]-k)/s + 1; got != want {
			t.Fatalf("%d windows, want %d", got, want)
		}
	})
}

// TestNotes: a note that does not tell the truth is not believed.
func TestNotes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one[shape=[2, 3]]", "weight"}, // the numbers are zeros
		{"iconv[c=2, kh=3, kw=3]", "weight"},
		{"no such operator", "weight"},
		{"relu", "weight"},
	} {
		m := small()
		m.ProducerName = proto.String(producer)
		weightOf([]int64{2, 3}, make([]byte, 24))(m)
		m.Graph.Initializer[0].DocString = proto.String(note + c.text)
		m.Graph.Node[0].Input[1] = "w"
		got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil || !strings.Contains(got.Graph.String(), "w : weight float32[2, 3]") {
			t.Errorf("%s: %v\n%s", c.text, err, got.Graph)
		}
	}
	m := small()
	m.ProducerName = proto.String(producer)
	m.Graph.Node = []*onnxpb.NodeProto{node("LeakyRelu", []string{"x"}, []string{"z"}, floatAttribute("alpha", 0.5))}
	m.Graph.Node[0].DocString = proto.String(note + "alpha=0.25")
	got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil || !strings.Contains(got.Graph.String(), "leakyrelu[alpha=0.5]") {
		t.Errorf("%v\n%s", err, got.Graph)
	}
}

// TestWriteErrors: what cannot be written is named.
func TestWriteErrors(t *testing.T) {
	old := small()
	old.OpsetImport[0].Version = proto.Int64(9)
	old.Graph.Node = []*onnxpb.NodeProto{node("Upsample", []string{"x", "y"}, []string{"z"})}
	m, _, err := Read(put(t, marshal(t, old)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.onnx")
	err = Write(path, m, WriteOptions{})
	var e *Error
	if !errors.As(err, &e) || e.File != path || !strings.Contains(err.Error(), `node "z" (opaque): it is opaque and of operator set 9; in the 17 that is written, Upsample has another form`) {
		t.Errorf("got %v", err)
	}

	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2)
	id, _ := b.Opaque("q", "elsewhere.Frob", "payload", []graph.Tensor{x}, []graph.TensorType{{Sizes: []int{2}}})
	g, err := b.Finish(id.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(path, &model.Model{Graph: g}, WriteOptions{}); err == nil || !strings.Contains(err.Error(), `node "q" (opaque): it is opaque, and not a node of ONNX`) {
		t.Errorf("got %v", err)
	}
	m, _, err = Read(put(t, marshal(t, small())), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, opset := range []int64{16, 27} {
		if err := Write(path, m, WriteOptions{Opset: opset}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("operator set %d, but the model needs 17 to 26", opset)) {
			t.Errorf("%d: got %v", opset, err)
		}
	}
	if err := Write(filepath.Join(t.TempDir(), "no", "m.onnx"), m, WriteOptions{}); err == nil {
		t.Error("a folder that is not there")
	}
}

// TestOperatorsRoundTrip: graphs that no ONNX file gives come back: constants,
// activations within convolutions, operators that do nothing, numbers that
// float32 does not hold, values used twice.
func TestOperatorsRoundTrip(t *testing.T) {
	for _, text := range []string{
		"x : float32[1, 4, 8, 8]\nw : weight float32[4, 4, 3, 3]\ny = conv2d[pad=same_upper, act=relu](x, w)\nreturn y\n",
		"x : float32[1, 4, 8, 8]\nw : weight float32[4, 4, 3, 3]\nc = conv2d[pad=same_lower](x, w)\ny = relu(c)\nreturn y\n",
		"x : float32[1, 4, 8, 8]\nw : weight float32[4, 4, 3, 3]\nc = conv2d[pad=same_lower](x, w)\ny = relu(c)\nreturn y, c\n",
		"x : float32[1, 4, 8, 8]\ny = poolavg[kh=3, kw=3, pad=(0, 0, 0, 0)](x)\nz = poolavg[kh=3, kw=3, pad=valid, border=excluded](y)\nreturn z\n",
		"x : float32[1, 4, 8, 8]\nw : weight float32[4, 4, 3, 3]\nb : weight float32[4]\nc = conv2d[pad=valid](x, w)\nr = reshape[shape=[1, 4, 1, 1]](b)\ns = broadcast[shape=[1, 4, 6, 6]](r)\ny = ewadd(s, c)\nreturn y\n",
		"x : float32[1, 4, 8, 8]\nw : weight float32[4, 4, 8, 8]\nb : weight float32[4]\nc = conv2d[pad=valid](x, w)\nr = reshape[shape=[1, 4, 1, 1]](b)\ny = ewadd(c, r)\nreturn y\n",
		"x : float32[2, 3]\nb : weight float32[3]\ns = broadcast[shape=[2, 3]](b)\ny = ewadd(x, s)\nz = ewmul(y, s)\nreturn z\n",
		"x : float32[2, 3]\nb : weight float32[1]\ns = broadcast[shape=[2, 3]](b)\ny = ewmul(x, s)\nd = ewdiv(y, s)\nreturn d\n",
		"x : float32[2, 3]\ns : float32[]\nt : float32[]\ny = smul(x, s)\nu = smul(s, t)\nv = ewmul(s, t)\nreturn y, u, v\n",
		"x : float32[2, 3]\nr = reshape[shape=[2, 3]](x)\nt = transpose[perm=(0, 1)](r)\nb = broadcast[shape=[2, 3]](t)\nc = cast[to=float32](b)\nl = slice[axis=0, lo=0, hi=2](c)\np = pad[before=(0, 0), after=(0, 0)](l)\nq = clip[lo=-inf, hi=inf](p)\nreturn q\n",
		"x : float32[2, 3]\ny = hardsigmoid[alpha=0.16666666666666666, beta=0.5](x)\nz = leakyrelu[alpha=0.1](y)\nw = clip[lo=-inf, hi=0.3333333333333333](z)\np = pad[before=(0, 1), after=(1, 0), value=0.1234567890123](w)\nreturn p\n",
		"x : float32[2, 3]\ny = rsqrt[eps=1e-05](x)\nz = rsqrt[eps=0.3333333333333333](y)\nreturn z\n",
		"x : float32[2, 3]\ny = gelu(x)\nz = reducemean[axes=(1), keep=1](y)\nw = reducemax[axes=(0)](z)\nreturn w\n",
		"x : float32[2, 6]\ns = split[axis=1, at=2](x)\nreturn s.0, s.1\n",
		"x : float32[2, 6]\na = concat[axis=1](x, x)\nb = concat[axis=1](a, x)\nc = concat[axis=1](x, b)\nd = concat[axis=0](c, c)\nreturn d\n",
		"x : float32[2, 6]\na = concat[axis=1](x, x)\nb = concat[axis=1](a, x)\nreturn a, b\n",
		"x : float32[3, 2, 3, 3]\ny = enlarge[kh=4, kw=5](x)\nz = pad[before=(0, 0, 0, 1), after=(0, 0, 1, 1)](x)\nreturn y, z\n",
		"x : float32[2, 2]\ni = imatmul[n=2]()\no = one[shape=[2, 2]]()\ny = matmul(x, i)\nz = ewadd(y, o)\nreturn z\n",
		"x : float16[2, 2]\ni : float16 = imatmul[n=2]()\no : float16 = one[shape=[2, 2]]()\ny = matmul(x, i)\nz = ewadd(y, o)\nreturn z\n",
		"x : float64[2, 2]\no : float64 = one[shape=[2, 2]]()\nz = ewadd(x, o)\nreturn z\n",
		"x : float32[2, 3]\nreturn x, x\n",
		"x : float32[2, 3]\ny = relu(x)\nreturn y, y, x\n",
		"x : float32[2, 3, 4]\nw : weight float32[2, 4, 5]\ny = matmul(x, w)\nreturn y\n",
		"x : float32[4, 3]\ni : int64[2, 2]\ny = gather[axis=0](x, i)\nreturn y\n",
		"x : float32[4, 3]\ni : weight int64[2, 2]\ny = gather[axis=1](x, i)\nreturn y\n",
		"x : float32[1, 2, 4, 4]\na = resize[sizes=(1, 2, 8, 6), mode=linear_half_pixel](x)\nb = resize[sizes=(1, 2, 3, 3), mode=nearest_roundup_align_corners](a)\nreturn b\n",
		"x : float32[2, 4, 3, 3]\ns : weight float32[4]\nt : weight float32[4]\nm : weight float32[4]\nv : weight float32[4]\ny = batchnorm[eps=0.001](x, s, t, m, v)\nreturn y\n",
		"x : float32[2, 4, 3]\ns : weight float32[4, 3]\nt : weight float32[4, 3]\ny = layernorm[axis=1, eps=1e-12](x, s, t)\nz = softmax[axis=0](y)\nreturn z\n",
		"x : float32[2, 3]\nw : weight int64[2, 3]\nc = cast[to=float32](w)\nr = reshape[shape=[3, 2]](w)\ny = ewadd(x, c)\nreturn y, r\n",
		"\"a b\" : float32[2]\n\"\\\"q\\\"\" = relu(\"a b\")\nreturn \"\\\"q\\\"\"\n",
	} {
		g, err := graph.ParseText("test", text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for _, id := range g.Inputs() {
			if g.IsWeight(id) {
				k := newConstant(g.DType(id.Out(0)), g.Sizes(id.Out(0))...)
				for i := range k.floats {
					k.floats[i] = float64(i%7) - 2
				}
				m.Weights[id] = k.weight()
			}
		}
		for _, opset := range []int64{0, 21, 26} {
			_, back := reread(t, m, WriteOptions{Opset: opset})
			sameGraph(t, back.Graph, g)
			if opset == 0 && !slices.EqualFunc(back.Graph.Outputs(), g.Outputs(), func(a, b graph.Tensor) bool {
				return back.Graph.Name(a.Node) == g.Name(b.Node)
			}) {
				t.Errorf("outputs have other names:\n%s\nwas\n%s", back.Graph, g)
			}
		}
	}
}

// TestNumbers: every way in which a file can hold numbers gives the same ones,
// short or long enough to stay in the file.
func TestNumbers(t *testing.T) {
	for _, n := range []int{6, 3000} {
		for dtype, e := range map[graph.DType]elem{
			graph.Float32: elemFloat, graph.Float64: onnxpb.TensorProto_DOUBLE, graph.Float16: onnxpb.TensorProto_FLOAT16, graph.Int64: elemInt64,
			graph.Int32: onnxpb.TensorProto_INT32, graph.Uint8: elemUint8, graph.Int8: onnxpb.TensorProto_INT8, graph.Bool: elemBool,
		} {
			want := newConstant(dtype, n)
			typed := tensorProto("w", graph.TensorType{DType: dtype, Sizes: []int{n}})
			if elemOf(dtype) != e {
				t.Fatalf("%s is %s", dtype, elemOf(dtype))
			}
			for i := range n {
				x := i%100 - 50
				if dtype == graph.Uint8 {
					x += 50
				}
				if dtype == graph.Bool {
					x = i % 2
				}
				switch dtype {
				case graph.Float32:
					want.floats[i] = float64(x) / 4
					typed.FloatData = append(typed.FloatData, float32(x)/4)
				case graph.Float64:
					want.floats[i] = float64(x) / 3
					typed.DoubleData = append(typed.DoubleData, float64(x)/3)
				case graph.Float16:
					want.floats[i] = float64(x) / 4
					typed.Int32Data = append(typed.Int32Data, int32(binary.LittleEndian.Uint16(model.AppendElement(nil, dtype, 0, float64(x)/4))))
				case graph.Int64:
					want.ints[i] = int64(x)
					typed.Int64Data = append(typed.Int64Data, int64(x))
				default:
					want.ints[i] = int64(x)
					typed.Int32Data = append(typed.Int32Data, int32(x))
				}
			}
			raw := tensorProto("w", graph.TensorType{DType: dtype, Sizes: []int{n}})
			raw.RawData = want.encode()
			for i, p := range []*onnxpb.TensorProto{typed, raw} {
				m := small()
				m.Graph.Initializer = []*onnxpb.TensorProto{p}
				m.Graph.Node = append(m.Graph.Node, node("Shape", []string{"w"}, []string{"s"}))
				m.Graph.Output = append(m.Graph.Output, &onnxpb.ValueInfoProto{Name: proto.String("w")})
				got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
				if err != nil {
					t.Errorf("%s, %d elements, way %d: %v", dtype, n, i, err)
					continue
				}
				id, _ := got.Graph.Find("w")
				b, err := got.Weights[id].Read()
				if err != nil {
					t.Errorf("%s, %d elements, way %d: %v", dtype, n, i, err)
					continue
				}
				k, err := decodeConstant(dtype, []int{n}, b)
				if err != nil || !slices.Equal(k.ints, want.ints) || !slices.Equal(k.floats, want.floats) {
					t.Errorf("%s, %d elements, way %d: other numbers, %v", dtype, n, i, err)
				}
			}
		}
	}
}

// TestExternal: weights in a second file come back, and so do nodes that are
// kept.
func TestExternal(t *testing.T) {
	m := small()
	m.Graph.Initializer = []*onnxpb.TensorProto{floatsWeight("w", []int{1000}, make([]float32, 1000)...), floatsWeight("v", []int{3}, 1, 2, 3)}
	for i := range m.Graph.Initializer[0].FloatData {
		m.Graph.Initializer[0].FloatData[i] = float32(i)
	}
	m.Graph.Node = append(m.Graph.Node, node("Frobnicate", []string{"w", "", "v"}, []string{"q"}))
	m.Graph.Output = append(m.Graph.Output, float32Info("q", 7))
	a, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.onnx")
	if err := Write(path, a, WriteOptions{External: true}); err != nil {
		t.Fatal(err)
	}
	b, r, err := Read(path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, b.Graph, a.Graph)
	if len(r.Opaque) != 1 {
		t.Errorf("opaque %v", r.Opaque)
	}
	id, _ := b.Graph.Find("w")
	xs, err := b.Weights[id].Float32s()
	if err != nil || !slices.Equal(xs, m.Graph.Initializer[0].FloatData) {
		t.Errorf("other numbers: %v", err)
	}
}
