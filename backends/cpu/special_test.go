package cpu

import (
	"fmt"
	"math"
	"testing"
)

var inf, nan = float32(math.Inf(1)), float32(math.NaN())

// TestSpecials: infinities and what is not a number go where IEEE arithmetic
// and the operators' definitions send them, wherever in a vector they are.
func TestSpecials(t *testing.T) {
	at := func(n, i int, v float32) []float32 {
		x := make([]float32, n)
		for k := range x {
			x[k] = float32(k%7) - 3
		}
		x[i] = v
		return x
	}
	isNaN := func(x float32) bool { return x != x }
	for _, tab := range allTables() {
		for _, n := range []int{1, 5, 16, 33, 70} {
			for _, i := range []int{0, n / 2, n - 1} {
				for _, text := range []string{
					fmt.Sprintf("x : float32[%d]\ny = reducemax[axes=(0)](x)\nreturn y", n),
					fmt.Sprintf("x : float32[%d]\nr = reshape[shape=[%d, 1]](x)\nb = broadcast[shape=[%d, 19]](r)\nz = reducemax[axes=(0)](b)\ny = reducemax[axes=(0)](z)\nreturn y", n, n, n),
					fmt.Sprintf("x : float32[%d]\ny = reducesum[axes=(0)](x)\nreturn y", n),
					fmt.Sprintf("x : float32[%d]\nr = reshape[shape=[1, 1, 1, %d]](x)\np = poolmax[kh=1, kw=%d, pad=valid](r)\ny = reshape[shape=[]](p)\nreturn y", n, n, n),
				} {
					if got := runText(t, tab, text, at(n, i, nan))[0].F32[0]; !isNaN(got) {
						t.Errorf("%s, element %d of %d is not a number: got %v from\n%s", tab.name(), i, n, got, text)
					}
					if got := runText(t, tab, text, at(n, i, inf))[0].F32[0]; got != inf {
						t.Errorf("%s, element %d of %d is infinite: got %v from\n%s", tab.name(), i, n, got, text)
					}
				}
				for _, f := range []string{"ewmax", "ewmin", "ewadd", "ewmul", "ewsub", "ewdiv"} {
					text := fmt.Sprintf("x : float32[%d]\ny : float32[%d]\nz = %s(x, y)\nw = %s(y, x)\nreturn z, w", n, n, f, f)
					for k, out := range runText(t, tab, text, at(n, i, nan), at(n, 0, 1)) {
						for j, v := range out.F32 {
							if zero := j%7 == 3; isNaN(v) != (j == i) && !(f == "ewdiv" && zero) {
								t.Errorf("%s, %s, output %d: element %d is %v, where %d of %d is not a number", tab.name(), f, k, j, v, i, n)
							}
						}
					}
				}
				soft := func(inner int) string {
					return fmt.Sprintf("x : float32[%d]\nr = reshape[shape=[%d, 1]](x)\nb = broadcast[shape=[%d, %d]](r)\ns = softmax[axis=0](b)\ny = slice[axis=1, lo=%d, hi=%d](s)\nreturn y", n, n, n, inner, inner-1, inner)
				}
				for _, inner := range []int{1, 18} {
					// A masked element takes no part.
					x := at(n, i, -inf)
					y := runText(t, tab, soft(inner), x)[0].F32
					sum := 0.0
					for _, v := range y {
						sum += float64(v)
					}
					if n > 1 && (y[i] != 0 || math.Abs(sum-1) > 1e-5) || n == 1 && !isNaN(y[0]) {
						t.Errorf("%s: softmax of %v is %v", tab.name(), x, y)
					}
					// Huge numbers do not overflow.
					y = runText(t, tab, soft(inner), at(n, i, 3e38))[0].F32
					for j, v := range y {
						if want := map[bool]float32{true: 1}[j == i]; v != want {
							t.Errorf("%s: softmax with 3e38 at %d of %d: element %d is %v", tab.name(), i, n, j, v)
						}
					}
					for _, v := range runText(t, tab, soft(inner), at(n, i, nan))[0].F32 {
						if !isNaN(v) {
							t.Errorf("%s: softmax of what is no number is %v", tab.name(), v)
						}
					}
				}
			}
		}
		// A pool of windows: those that see the element, and no others.
		x := make([]float32, 2*8*21)
		x[21*8+21*4+9] = nan
		text := "x : float32[1, 2, 8, 21]\ny = poolmax[kh=3, kw=3, stride=(1, 1), pad=same_upper](x)\nz = poolmax[kh=3, kw=2, stride=(2, 2), pad=(1, 1, 1, 0)](x)\nreturn y, z"
		for k, out := range runText(t, tab, text, x) {
			count, want := 0, []int{9, 1}[k]
			for _, v := range out.F32 {
				if isNaN(v) {
					count++
				} else if v != 0 {
					t.Fatalf("%s: pool %d gives %v", tab.name(), k, v)
				}
			}
			if count != want {
				t.Errorf("%s: pool %d: %d elements are no numbers, want %d", tab.name(), k, count, want)
			}
		}
		// A product: zero times infinity is no number, and what does not meet the
		// infinity is finite.
		y := runText(t, tab, "x : float32[2, 3]\nw : float32[3, 2]\ny = matmul(x, w)\nreturn y", []float32{1, 0, 2, 1, 1, 1}, []float32{1, 1, inf, 2, 1, 1})[0].F32
		if !isNaN(y[0]) || y[1] != 3 || y[2] != inf || y[3] != 4 {
			t.Errorf("%s: product %v", tab.name(), y)
		}
	}
}

// TestComparisons: infinite numbers are equal, and what is not a number is neither less,
// nor equal, nor more, whichever operand is the running value.
func TestComparisons(t *testing.T) {
	var xs, ys []float32
	all := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-44, 3e38, inf, -inf, nan}
	for _, x := range all {
		for _, y := range all {
			xs, ys = append(xs, x), append(ys, y)
		}
	}
	n := len(xs)
	for _, tab := range allTables() {
		for op, is := range map[string]func(x, y float32) bool{
			"ewless": func(x, y float32) bool { return x < y }, "ewlessequal": func(x, y float32) bool { return x <= y }, "ewequal": func(x, y float32) bool { return x == y },
		} {
			for _, text := range []string{
				"x : float32[%d]\ny : float32[%[1]d]\nu = neg(x)\nv = neg(u)\nz = %s(v, y)\nreturn z",
				"x : float32[%d]\ny : float32[%[1]d]\nu = neg(y)\nv = neg(u)\nz = %s(x, v)\nreturn z",
			} {
				for i, got := range runText(t, tab, fmt.Sprintf(text, n, op), xs, ys)[0].F32 {
					if want := truth(is(xs[i], ys[i])); got != want {
						t.Errorf("%s, %s(%v, %v) = %v, want %v", tab.name(), op, xs[i], ys[i], got, want)
					}
				}
			}
		}
	}
}
