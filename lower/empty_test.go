package lower_test

import (
	"testing"

	"github.com/taso-go/taso/lower"
)

// No kernel computes a tensor without elements, or reads one, but for those that make
// elements of none; a concatenation is that of the parts that have some.
func TestEmpty(t *testing.T) {
	for _, c := range []struct{ graph, want string }{
		{"x : float32[0, 3]\ny = relu(x)\nz = softmax[axis=1](y)\nreturn z", ""},
		{"x : float32[0, 3]\ny : float32[2, 3]\nz = concat[axis=0](x, y)\nr = relu(z)\nreturn r", "chain chain r | relu, in place"},
		{"x : float32[0, 3]\ny : float32[2, 3]\na = concat[axis=0](y, x)\nb = concat[axis=0](a, y)\nreturn b", "concat b"},
		{"x : float32[2, 3]\ns = split[axis=0, at=2](x)\nr = relu(s.0)\nreturn r, s.1", "chain chain r | relu, in place"},
		{"x : float32[2, 0]\ny : float32[0, 3]\nz : float32[2, 3]\nm = matmul(x, y)\nr = ewadd(m, z)\nreturn r", "constant matmul m\nchain chain r | ewadd full, in place"},
		{"w : weight float32[2, 0]\nx : float32[2]\ns = reducesum[axes=(1)](w)\nr = ewadd(x, s)\nreturn r", "once: constant reducesum s\nchain chain r | ewadd full, in place"},
		{"x : float32[0, 2, 4, 4]\nw : weight float32[3, 2, 3, 3]\ny = conv2d[pad=same_upper, act=relu](x, w)\nreturn y", ""},
	} {
		p := lowered(t, parse(t, c.graph), lower.CPU(), lower.Options{})
		if got := text(p); got != c.want {
			t.Errorf("got\n%s\nwant\n%s\nof\n%s", got, c.want, c.graph)
		}
		for _, b := range p.Buffers {
			if b.Bytes < 0 || b.Offset < 0 {
				t.Errorf("buffer %+v of\n%s", b, c.graph)
			}
		}
	}
}
