package hostile

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Graphs are models in the text form of graphs.
func Graphs() []Input {
	l := &list{ext: ".graph"}
	x := "x : float32[4, 4]\n"
	l.add("tensor of 2^62 elements", "x : float32[2147483647, 2147483647]\ny = relu(x)\nreturn y")
	l.add("intermediate of 2*10^9 elements", "x : float32[50000, 1]\nw : float32[1, 40000]\ny = matmul(x, w)\nz = reducesum[axes=(0, 1)](y)\nreturn z")
	l.add("constant of 2*10^9 elements", "x : float32[1]\nf = fill[shape=[2000000000], value=1.0]()\ns = reducesum[axes=(0), keep=1](f)\ny = ewadd(x, s)\nreturn y")
	l.add("broadcast to 2*10^9 elements", "x : float32[1]\nb = broadcast[shape=[2000000000]](x)\ny = reducesum[axes=(0)](b)\nreturn y")
	l.add("size 0", "x : float32[0, 4]\ny = relu(x)\nreturn y")
	l.add("negative size", "x : float32[-4]\nreturn x")
	l.add("size of 400 digits", "x : float32["+strings.Repeat("9", 400)+"]\nreturn x")
	l.add("rank 200", "x : float32["+each(200, ", ", func(int) string { return "1" })+"]\nreturn x")
	l.add("rank 32 transposed 50 times", "x0 : float32["+each(30, ", ", func(int) string { return "1" })+", 2, 2]\n"+
		each(50, "", func(i int) string {
			return fmt.Sprintf("x%d = transpose[perm=(%s)](x%d)\n", i+1, each(32, ", ", func(k int) string { return fmt.Sprint((k*7 + 3) % 32) }), i)
		})+"return x50")
	l.add("cycle", x+"a = relu(c)\nb = relu(a)\nc = relu(b)\nreturn c")
	l.add("cycle of 10,000", x+each(10_000, "", func(i int) string { return fmt.Sprintf("n%d = relu(n%d)\n", i, (i+1)%10_000) })+"return n0")
	l.add("reads itself", x+"a = ewadd(a, x)\nreturn a")
	l.add("defined twice", x+"a = relu(x)\na = relu(x)\nreturn a")
	l.add("20,000 nodes in a chain", "n0 : float32[4]\n"+each(20_000, "", func(i int) string { return fmt.Sprintf("n%d = relu(n%d)\n", i+1, i) })+"return n20000")
	l.add("60 doublings", "n0 : float32[2]\n"+each(60, "", func(i int) string { return fmt.Sprintf("n%d = concat[axis=0](n%d, n%d)\n", i+1, i, i) })+"return n60")
	l.add("60 squares", "n0 : float32[2]\n"+each(60, "", func(i int) string { return fmt.Sprintf("n%d = ewmul(n%d, n%d)\n", i+1, i, i) })+"return n60")
	l.add("operand list of 100,000", x+"a = ewadd("+each(100_000, ", ", func(int) string { return "x" })+")\nreturn a")
	l.add("100,000 outputs", x+"return "+each(100_000, ", ", func(int) string { return "x" }))
	l.add("output number of 400 digits", x+"a = relu(x)\nreturn a."+strings.Repeat("9", 400))
	l.add("brackets, 100,000 deep", x+"a = reshape[shape="+strings.Repeat("[", 100_000))
	l.add("attribute list of a megabyte", x+"a = transpose[perm=("+each(300_000, ", ", func(i int) string { return fmt.Sprint(i) })+")](x)\nreturn a")
	l.add("100,000 attributes", x+"a = relu["+each(100_000, ", ", func(i int) string { return fmt.Sprintf("a%d=1", i) })+"](x)\nreturn a")
	l.add("unknown operator of a megabyte", x+"a = "+strings.Repeat("o", 1<<20)+"(x)\nreturn a")
	l.add("name of a megabyte", strings.Repeat("x", 1<<20)+" : float32[4]\nreturn x")
	l.add("huge kernel", "x : float32[1, 1, 60000, 60000]\na = maxpool[kh=60000, kw=60000, stride=(1, 1), pad=same_upper](x)\nb = reducesum[axes=(0, 1, 2, 3)](a)\nreturn b")
	l.add("pads beyond 31 bits", x+"a = pad[before=(2147483647, 0), after=(2147483647, 0)](x)\nreturn a")
	l.add("numbers beyond 64 bits", x+"f = fill[shape=[], value=1e"+strings.Repeat("9", 300)+"]()\na = smul(x, f)\nreturn a")
	l.add("not a number", x+"f = fill[shape=[], value=nan]()\na = smul(x, f)\nreturn a")
	l.add("no return", x)
	l.add("nothing", "")
	l.add("invalid UTF-8", "x\xff : float32[4]\nreturn x\xfe")
	l.add("zero bytes", strings.Repeat("\x00", 1<<20))
	l.add("a million empty lines", strings.Repeat("\n", 1_000_000)+x+"return x")
	l.add("a million broken lines", strings.Repeat("x = (\n", 1_000_000))
	return l.all
}

// Fields of the ONNX schema that are written here (onnx.proto3).
const (
	modelVersion, modelGraph, modelOpset      = 1, 7, 8
	graphNode, graphName, graphInit           = 1, 2, 5
	graphInput, graphOutput                   = 11, 12
	nodeInput, nodeOutput, nodeName           = 1, 2, 3
	nodeOp, nodeAttr                          = 4, 5
	attrName, attrInt, attrGraph              = 1, 3, 6
	attrInts, attrType                        = 8, 20
	tensorDims, tensorType, tensorName        = 1, 2, 8
	tensorRaw, tensorExternal, tensorLocation = 9, 13, 14
	valueName, valueType                      = 1, 2
)

type message []byte

func (m message) bytes(field int, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, protowire.Number(field), protowire.BytesType), b)
}

func (m message) text(field int, s string) message { return m.bytes(field, []byte(s)) }

func (m message) number(field int, n int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(field), protowire.VarintType), uint64(n))
}

func value(name string, dims ...int64) message {
	var shape message
	for _, d := range dims {
		shape = shape.bytes(1, message{}.number(1, d))
	}
	typ := message{}.bytes(1, message{}.number(1, 1).bytes(2, shape))
	return message{}.text(valueName, name).bytes(valueType, typ)
}

func node(op string, in, out []string, attrs ...message) message {
	var m message
	for _, s := range in {
		m = m.text(nodeInput, s)
	}
	for _, s := range out {
		m = m.text(nodeOutput, s)
	}
	m = m.text(nodeName, out[0]+"_node").text(nodeOp, op)
	for _, a := range attrs {
		m = m.bytes(nodeAttr, a)
	}
	return m
}

func ints(name string, list ...int64) message {
	m := message{}.text(attrName, name)
	for _, n := range list {
		m = m.number(attrInts, n)
	}
	return m.number(attrType, 7)
}

func integer(name string, n int64) message {
	return message{}.text(attrName, name).number(attrInt, n).number(attrType, 2)
}

func tensor(name string, typ int64, raw []byte, dims ...int64) message {
	var m message
	for _, d := range dims {
		m = m.number(tensorDims, d)
	}
	m = m.number(tensorType, typ).text(tensorName, name)
	if raw != nil {
		m = m.bytes(tensorRaw, raw)
	}
	return m
}

// file is a model with inputs and outputs, of opset 17.
func file(in, out []message, parts ...message) message {
	g := message{}.text(graphName, "g")
	for _, p := range parts {
		g = append(g, p...)
	}
	for _, v := range in {
		g = g.bytes(graphInput, v)
	}
	for _, v := range out {
		g = g.bytes(graphOutput, v)
	}
	return wrapped(g)
}

func wrapped(g message) message {
	return message{}.number(modelVersion, 8).bytes(modelGraph, g).bytes(modelOpset, message{}.text(1, "").number(2, 17))
}

func nodes(list ...message) (m message) {
	for _, n := range list {
		m = m.bytes(graphNode, n)
	}
	return m
}

func initial(list ...message) (m message) {
	for _, t := range list {
		m = m.bytes(graphInit, t)
	}
	return m
}

func int64s(list ...int64) (raw []byte) {
	for _, n := range list {
		for k := range 8 {
			raw = append(raw, byte(uint64(n)>>(8*k)))
		}
	}
	return raw
}

// ONNX are models in the ONNX format.
func ONNX() []Input {
	l := &list{ext: ".onnx"}
	add := func(name string, m message) { l.add(name, string(m)) }
	x, y := value("x", 4), value("y", 4)
	one := func(v ...message) []message { return v }
	names := func(s ...string) []string { return s }
	relu := node("Relu", names("x"), names("y"))
	add("input of 2^62 elements", file(one(value("x", 1<<31, 1<<31)), one(value("y", 1<<31, 1<<31)), nodes(relu)))
	add("input of -5", file(one(value("x", -5)), one(y), nodes(relu)))
	add("intermediate of 2*10^9 elements", file(one(value("x", 50000, 1), value("w", 1, 40000)), one(value("z")),
		nodes(node("MatMul", names("x", "w"), names("y")), node("ReduceSum", names("y"), names("z"), integer("keepdims", 0)))))
	add("ConstantOfShape of 2*10^9", file(one(x), one(y), nodes(node("ConstantOfShape", names("s"), names("c")), node("ReduceSum", names("c"), names("r")), node("Add", names("x", "r"), names("y"))),
		initial(tensor("s", 7, int64s(2_000_000_000), 1))))
	add("Expand to 2^60", file(one(x), one(value("y")), nodes(node("Expand", names("x", "s"), names("e")), node("ReduceSum", names("e"), names("y"), integer("keepdims", 0))),
		initial(tensor("s", 7, int64s(1<<30, 1<<30, 4), 3))))
	add("Tile 2^40 times", file(one(x), one(value("y")), nodes(node("Tile", names("x", "s"), names("y"))), initial(tensor("s", 7, int64s(1<<40), 1))))
	add("Range of 2^62", file(one(x), one(y), nodes(node("Range", names("a", "b", "c"), names("r")), node("Add", names("x", "r"), names("y"))),
		initial(tensor("a", 7, int64s(0)), tensor("b", 7, int64s(1<<62)), tensor("c", 7, int64s(1)))))
	add("Pad by 2^62", file(one(x), one(value("y")), nodes(node("Pad", names("x", "p"), names("y"))), initial(tensor("p", 7, int64s(1<<62, 1<<62), 2))))
	add("OneHot of depth 2^62", file(one(x), one(value("y")), nodes(node("OneHot", names("i", "d", "v"), names("y"))),
		initial(tensor("i", 7, int64s(1, 2), 2), tensor("d", 7, int64s(1<<62)), tensor("v", 7, int64s(0, 1), 2))))
	add("Reshape with a product that leaves 64 bits", file(one(x), one(value("y")), nodes(node("Reshape", names("x", "s"), names("y"))), initial(tensor("s", 7, int64s(1<<62, 4, -1), 3))))
	add("Slice with steps of 2^62", file(one(x), one(value("y")), nodes(node("Slice", names("x", "a", "b", "c", "d"), names("y"))),
		initial(tensor("a", 7, int64s(-1<<63), 1), tensor("b", 7, int64s(1<<62), 1), tensor("c", 7, int64s(0), 1), tensor("d", 7, int64s(-1<<63), 1))))
	add("Transpose of rank 30", file(one(value("x", rep(30, 1)...)), one(value("y", rep(30, 1)...)), nodes(node("Transpose", names("x"), names("y"), ints("perm", turned(30)...)))))
	add("perm of a million", file(one(x), one(y), nodes(node("Transpose", names("x"), names("y"), ints("perm", rep(1_000_000, 0)...)))))
	add("rank 1000", file(one(value("x", rep(1000, 1)...)), one(value("y", rep(1000, 1)...)), nodes(relu)))
	add("100,000 attributes", file(one(x), one(y), nodes(node("Relu", names("x"), names("y"), many(100_000)...))))
	add("attribute name of 8 MB", file(one(x), one(y), nodes(node("Relu", names("x"), names("y"), integer(strings.Repeat("a", 8<<20), 1)))))
	add("100,000 inputs of a node", file(one(x), one(y), nodes(node("Sum", strings.Split(strings.Repeat("x ", 100_000)+"x", " "), names("y")))))
	add("cycle", file(one(x), one(y), nodes(node("Add", names("x", "b"), names("a")), node("Relu", names("a"), names("b")), node("Relu", names("b"), names("y")))))
	add("defined twice", file(one(x), one(y), nodes(relu, relu)))
	add("subgraphs nested 1000 deep", file(one(x), one(y), nodes(branches(1000))))
	add("subgraphs nested 60 deep", file(one(x), one(y), nodes(branches(60))))
	add("Loop of 2^62 rounds", file(one(x), one(y), nodes(node("Loop", names("m", "c", "x"), names("y"),
		message{}.text(attrName, "body").bytes(attrGraph, body()).number(attrType, 5))), initial(tensor("m", 7, int64s(1<<62)), tensor("c", 9, []byte{1}))))
	add("Scan of 2^40 rounds", file(one(value("x", 1<<40)), one(value("y", 1<<40)), nodes(node("Scan", names("x"), names("y"), integer("num_scan_inputs", 1),
		message{}.text(attrName, "body").bytes(attrGraph, body()).number(attrType, 5)))))
	add("20,000 nodes", chainOf(20_000, func(i int) message {
		return node("Relu", names(fmt.Sprint("n", i)), names(fmt.Sprint("n", i+1)))
	}))
	add("40 doublings", chainOf(40, func(i int) message {
		return node("Concat", names(fmt.Sprint("n", i), fmt.Sprint("n", i)), names(fmt.Sprint("n", i+1)), integer("axis", 0))
	}))
	add("initializer that is shorter than its sizes", file(one(x), one(y), nodes(node("Add", names("x", "w"), names("y"))), initial(tensor("w", 1, []byte{1, 2, 3}, 1<<40))))
	add("initializer without numbers", file(one(x), one(y), nodes(node("Add", names("x", "w"), names("y"))), initial(tensor("w", 1, nil, 1<<40))))
	add("initializer in a file that is not there", file(one(x), one(y), nodes(node("Add", names("x", "w"), names("y"))), initial(outside("/dev/zero", 1<<40))))
	add("initializer in another folder", file(one(x), one(y), nodes(node("Add", names("x", "w"), names("y"))), initial(outside("../../../../../../etc/passwd", 4))))
	add("element type 9999", file(one(x), one(y), nodes(node("Add", names("x", "w"), names("y"))), initial(tensor("w", 9999, []byte{1, 2, 3, 4}, 1))))
	add("operator name of 8 MB", file(one(x), one(y), nodes(node(strings.Repeat("R", 8<<20), names("x"), names("y")))))
	add("opset 2^62", append(message{}.number(modelVersion, 1<<62).bytes(modelOpset, message{}.number(2, 1<<62)), file(one(x), one(y), nodes(relu))...))
	add("length beyond the end", message{0x3a, 0xff, 0xff, 0xff, 0xff, 0x7f})
	add("varint of 200 bytes", message(strings.Repeat("\xff", 200)))
	add("groups nested a million deep", message(strings.Repeat("\x0b", 1_000_000)))
	add("graphs nested a million deep", nestedBytes(1000))
	add("nothing", nil)
	add("zero bytes", make(message, 1<<20))
	add("gzip of nothing", message("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"+strings.Repeat("\x00", 1000)))
	add("zip", message("PK\x03\x04"+strings.Repeat("\x00", 1000)))
	return l.all
}

func rep(n int, x int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func turned(n int) (out []int64) {
	for i := range n {
		out = append(out, int64((i*7+3)%n))
	}
	return out
}

func many(n int) (out []message) {
	for i := range n {
		out = append(out, integer(fmt.Sprint("a", i), 1))
	}
	return out
}

// branches is an If in an If, n deep.
func branches(n int) message {
	inner := node("Relu", []string{"x"}, []string{"y"})
	for range n {
		g := message{}.text(graphName, "b").bytes(graphNode, inner).bytes(graphOutput, value("y", 4))
		branch := func(name string) message {
			return message{}.text(attrName, name).bytes(attrGraph, g).number(attrType, 5)
		}
		inner = node("If", []string{"c"}, []string{"y"}, branch("then_branch"))
	}
	return inner
}

// body is the body of a loop that adds a tensor to itself.
func body() message {
	return message{}.text(graphName, "body").bytes(graphNode, node("Identity", []string{"cond"}, []string{"go"})).
		bytes(graphNode, node("Add", []string{"v", "v"}, []string{"w"})).
		bytes(graphInput, value("i")).bytes(graphInput, value("cond")).bytes(graphInput, value("v", 4)).
		bytes(graphOutput, value("go")).bytes(graphOutput, value("w", 4))
}

func chainOf(n int, f func(i int) message) message {
	var list []message
	for i := range n {
		list = append(list, f(i))
	}
	return file([]message{value("n0", 2)}, []message{value(fmt.Sprint("n", n))}, nodes(list...))
}

// outside is an initializer whose numbers are in another file.
func outside(path string, length int64) message {
	entry := func(k, v string) message { return message{}.text(1, k).text(2, v) }
	return tensor("w", 1, nil, length/4).bytes(tensorExternal, entry("location", path)).
		bytes(tensorExternal, entry("length", fmt.Sprint(length))).number(tensorLocation, 1)
}

// nestedBytes are submessages of a graph in a graph.
func nestedBytes(n int) (m message) {
	for range n {
		m = message{}.bytes(modelGraph, message{}.bytes(graphNode, message{}.bytes(nodeAttr, message{}.bytes(attrGraph, m))))
	}
	return m
}
