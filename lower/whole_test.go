package lower_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// TestWhole: a cast to integers is a view where it changes no number and where float32 is
// all that comes of the integers, and a step where 0 may have a sign. It has a kernel where
// numbers may be no whole ones, or be outside of the type, or somebody reads integers.
func TestWhole(t *testing.T) {
	const head = "x : float32[2, 3]\nz : weight float32[2, 3]\nu : uint8[2, 3]\ns : float32[2, 3]\n"
	for _, c := range []struct{ name, graph, want string }{
		{"rounded and cut", "r = round(x)\nc = clip[lo=0.0, hi=255.0](r)\nq = cast[to=uint8](c)\ny = cast[to=float32](q)\nreturn y",
			"chain chain r | round | clip c | whole q, in place"},
		{"without a sign of 0", "r = round(x)\nv = cast[to=float32](u)\na = ewadd(r, v)\nc = clip[lo=-3.0, hi=255.0](a)\nq = cast[to=int16](c)\ny = cast[to=float32](q)\nreturn y",
			"chain chain r | round, in place\ncast v\nchain chain a | ewadd full reversed | clip c, in place"},
		{"dequantized behind views", "r = round(x)\nc = clip[lo=0.0, hi=255.0](r)\nq = cast[to=uint8](c)\nw = reshape[shape=[6]](q)\ny = cast[to=float32](w)\nreturn y",
			"chain chain r | round | clip c | whole q, in place"},
		{"a sum of products", "v = cast[to=float32](u)\nw = transpose[perm=(1, 0)](v)\nm = matmul(v, w)\nq = cast[to=int32](m)\nf = cast[to=float32](q)\ny = relu(f)\nreturn y",
			"cast v\nmatmul m | relu y"},
		{"a product with constant integers", "k : weight int8[16, 4]\nu16 : uint8[2, 16]\nv = cast[to=float32](u16)\nw = cast[to=float32](k)\nm = matmul(v, w)\nq = cast[to=int32](m)\nf = cast[to=float32](q)\ny = relu(f)\nreturn y",
			"once: cast w\ncast v\nintegers m | relu y"},
		{"a product with constants that may be no integers", "k : weight float32[16, 4]\nu16 : uint8[2, 16]\nv = cast[to=float32](u16)\nm = matmul(v, k)\nreturn m",
			"cast v\nmatmul m"},
		{"sums beyond 2^31", "k : weight int8[70000, 2]\nu16 : uint8[2, 70000]\nv = cast[to=float32](u16)\nw = cast[to=float32](k)\nm = matmul(v, w)\nreturn m",
			"once: cast w\ncast v\nmatmul m"},
		{"not rounded", "c = clip[lo=0.0, hi=255.0](x)\nq = cast[to=uint8](c)\ny = cast[to=float32](q)\nreturn y", "cast"},
		{"outside of the type", "r = round(x)\nc = clip[lo=0.0, hi=256.0](r)\nq = cast[to=uint8](c)\ny = cast[to=float32](q)\nreturn y", "cast"},
		{"outside of a type with a sign", "r = round(x)\nc = clip[lo=0.0, hi=255.0](r)\nq = cast[to=int8](c)\ny = cast[to=float32](q)\nreturn y", "cast"},
		{"not cut", "r = round(x)\nq = cast[to=int32](r)\ny = cast[to=float32](q)\nreturn y", "cast"},
		{"cut between whole numbers", "r = round(x)\nc = clip[lo=0.0, hi=254.5](r)\nq = cast[to=uint8](c)\ny = cast[to=float32](q)\nreturn y", "cast"},
		{"something added that is not whole", "r = round(x)\na = ewadd(r, z)\nc = clip[lo=0.0, hi=255.0](a)\nq = cast[to=uint8](c)\ny = cast[to=float32](q)\nreturn y", "cast"},
		{"integers come out", "r = round(x)\nc = clip[lo=0.0, hi=255.0](r)\nq = cast[to=uint8](c)\ny = cast[to=float32](q)\nreturn y, q", "cast"},
		{"integers are added", "r = round(x)\nc = clip[lo=0.0, hi=255.0](r)\nq = cast[to=uint8](c)\na = ewadd(q, u)\ny = cast[to=float32](a)\nreturn y", "cast"},
		{"sums beyond 2^24", "v = cast[to=float32](u)\nw = broadcast[shape=[200, 2, 3]](v)\na = reshape[shape=[2, 600]](w)\nb = reshape[shape=[600, 2]](w)\nm = matmul(a, b)\nq = cast[to=int32](m)\ny = cast[to=float32](q)\nreturn y", "cast"},
	} {
		g, err := graph.ParseText("g", head+c.graph)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := text(lowered(t, g, lower.CPU(), lower.Options{}))
		if c.want != "cast" && got != c.want || c.want == "cast" && !strings.Contains(got, "cast q") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
