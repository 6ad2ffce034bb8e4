package lower_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/lower"
	"pgregory.net/rapid"
)

// place is where the n-th element of a value lies.
func place(v *lower.Value, n int) int {
	at := v.Offset
	for i := len(v.Sizes) - 1; i >= 0; i-- {
		at += n % v.Sizes[i] * v.Strides[i]
		n /= v.Sizes[i]
	}
	return at
}

// A reshape of what lies in any way is a view with the same elements, or there is none:
// then no view of an axis more in either shape has them.
func TestReshapedViews(t *testing.T) {
	views, none := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 3}), 1, 5).Draw(t, "parts")
		join := func(name string) (sizes []int) {
			n := 1
			for _, p := range parts {
				n *= p
				if rapid.Bool().Draw(t, name) {
					sizes, n = append(sizes, n), 1
				}
			}
			return append(sizes, n)
		}
		from, to := join("from"), join("to")
		v := lower.Value{Offset: rapid.IntRange(0, 3).Draw(t, "offset"), Sizes: from, Strides: make([]int, len(from))}
		step := 1
		for _, i := range rapid.Permutation(axes(len(from))).Draw(t, "order") {
			v.Strides[i] = step * rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "gap")
			step *= max(from[i], 1)
		}
		slices.Reverse(v.Strides)
		attrs := op.Reshape.MustAttr(map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(to...))})
		got, err := lower.Views(lower.Attrs{Op: op.Reshape, Values: attrs}, &v, []graph.TensorType{{Sizes: to}})
		if err != nil {
			none++
			if has(&v, to) {
				t.Fatalf("%v with strides %v has strides as %v, and was told to have none", v.Sizes, v.Strides, to)
			}
			return
		}
		views++
		for n := range graph.NumElements(to) {
			if place(&got[0], n) != place(&v, n) {
				t.Fatalf("%v with strides %v as %v has strides %v: element %d is at %d, and was at %d",
					v.Sizes, v.Strides, to, got[0].Strides, n, place(&got[0], n), place(&v, n))
			}
		}
	})
	if views == 0 || none == 0 {
		t.Errorf("%d views, %d without", views, none)
	}
}

func axes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// has reports whether there are strides with which a value of sizes to has the elements
// of v: those at which the elements lie that are one step along each axis away.
func has(v *lower.Value, to []int) bool {
	w := lower.Value{Offset: v.Offset, Sizes: to, Strides: make([]int, len(to))}
	n := 1
	for i := len(to) - 1; i >= 0; i-- {
		if to[i] > 1 {
			w.Strides[i] = place(v, n) - v.Offset
		}
		n *= to[i]
	}
	for n := range graph.NumElements(to) {
		if place(&w, n) != place(v, n) {
			return false
		}
	}
	return true
}

// Heads of a part of the columns are read as they lie; what is joined across heads is not.
func TestReshapeReads(t *testing.T) {
	// A step behind a reshape.
	const behind = `
x : float32[4, 6]
y : float32[1, 4, 8]
w : weight float32[6, 8]
m = matmul(x, w)
r = reshape[shape=[1, 4, 8]](m)
z = ewadd(r, y)
return z`
	for _, c := range []struct{ text, want string }{
		{`
x : float32[8, 6]
w : weight float32[6, 24]
k : float32[3, 4, 5]
m = matmul(x, w)
q = slice[axis=1, lo=12, hi=24](m)
h = reshape[shape=[8, 3, 4]](q)
t = transpose[perm=(1, 0, 2)](h)
s = matmul(t, k)
return s`, "\nmatmul m\nmatmul s"},
		{`
x : float32[3, 8, 4]
w : weight float32[12, 6]
t = transpose[perm=(1, 0, 2)](x)
h = reshape[shape=[8, 12]](t)
s = matmul(h, w)
return s`, "\ncopy copy t\nmatmul s"},
		// It goes into the kernel before that, unless somebody else reads that.
		{behind, "\nmatmul m | ewadd full z"},
		{behind + ", m", "\nmatmul m\nchain chain z | ewadd full"},
		// Rows of other lengths do not.
		{`
x : float32[4, 6]
y : float32[2]
w : weight float32[6, 8]
m = matmul(x, w)
r = reshape[shape=[4, 4, 2]](m)
b = broadcast[shape=[4, 4, 2]](y)
z = ewadd(r, b)
return z`, "\nmatmul m\nchain chain z | ewadd col, in place"},
		// A kernel waits for what its last step reads.
		{`
x : float32[4, 6]
k : float32[6]
b = broadcast[shape=[4, 6]](k)
g = ewmul(x, b)
s = reducesum[axes=(1), keep=1](x)
t = broadcast[shape=[4, 6]](s)
z = ewmul(g, t)
return z`, "\nreducesum s\nchain chain g | ewmul col | ewmul row z, in place"},
	} {
		if got := text(lowered(t, parse(t, c.text), lower.CPU(), lower.Options{})); got != c.want[1:] {
			t.Errorf("%s\nis lowered to\n%s\nwant%s", c.text, got, c.want)
		}
	}
}
