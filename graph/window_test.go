package graph_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// slide counts the places of a window of k cells over h cells with before and
// after cells of padding, by sliding it.
func slide(h, k, stride, before, after int) int {
	n := 0
	for at := -before; at+k <= h+after; at += stride {
		n++
	}
	return n
}

// samePads is the definition of SAME padding: the least total padding with
// which ceil(h/stride) places exist. It is found by trying.
func samePads(h, k, stride int) int {
	want := 0
	for covered := 0; covered < h; covered += stride {
		want++
	}
	for total := 0; ; total++ {
		if slide(h, k, stride, 0, total) >= want {
			return total
		}
	}
}

func strideOf(s, axis int) graph.Value {
	if axis == 0 {
		return graph.TupleValue(int64(s), 1)
	}
	return graph.TupleValue(1, int64(s))
}

func TestWindowSizesAgainstSliding(t *testing.T) {
	fits, misses := 0, 0
	for h := 1; h <= 7; h++ {
		for k := 1; k <= 8; k++ { // larger than the image, too
			for s := 1; s <= 4; s++ {
				for axis := 0; axis < 2; axis++ {
					st := strideOf(s, axis)
					total := samePads(h, k, s)
					for _, c := range []struct {
						pad           graph.Value
						before, after int
					}{
						{graph.NameValue("valid"), 0, 0},
						{graph.NameValue("same_upper"), total / 2, total - total/2},
						{graph.NameValue("same_lower"), total - total/2, total / 2},
					} {
						before, after, err := graph.WindowPads(h, k, st, c.pad, axis)
						if err != nil || before != c.before || after != c.after {
							t.Fatalf("h=%d k=%d stride=%d %s: pads %d, %d, %v, want %d, %d", h, k, s, c.pad, before, after, err, c.before, c.after)
						}
						want := slide(h, k, s, before, after)
						if c.pad != graph.NameValue("valid") {
							want = (h + s - 1) / s
						}
						checkWindow(t, h, k, st, c.pad, axis, want, &fits, &misses)
					}
					for before := 0; before < k; before++ {
						for after := 0; after < k; after++ {
							pad := graph.TupleValue(int64(before), 0, int64(after), 0)
							if axis == 1 {
								pad = graph.TupleValue(0, int64(before), 0, int64(after))
							}
							checkWindow(t, h, k, st, pad, axis, slide(h, k, s, before, after), &fits, &misses)
						}
					}
				}
			}
		}
	}
	if fits == 0 || misses == 0 {
		t.Errorf("%d windows fit, %d do not: one side is not tested", fits, misses)
	}
}

func checkWindow(t *testing.T, h, k int, st, pad graph.Value, axis, want int, fits, misses *int) {
	t.Helper()
	var f graph.Unifier
	d, err := graph.CheckWindow(&f, graph.Int(int64(h)), graph.Int(int64(k)), st, pad, axis)
	if want < 1 {
		*misses++
		if err == nil || !strings.Contains(err.Error(), "does not fit") {
			t.Fatalf("h=%d k=%d stride=%s pad=%s: got %s, %v, want no fit", h, k, st, pad, d, err)
		}
		return
	}
	*fits++
	if err != nil || len(f.Needs) > 0 || d != graph.Int(int64(want)) {
		t.Fatalf("h=%d k=%d stride=%s pad=%s axis %d: got %s, %v, want %d", h, k, st, pad, axis, d, err, want)
	}
	// No place lies wholly in the border, so that a maximum is never empty.
	before, _, err := graph.WindowPads(h, k, st, pad, axis)
	if err != nil {
		t.Fatal(err)
	}
	tuple, _ := st.Tuple()
	for i := 0; i < want; i++ {
		if at := i*int(tuple[axis]) - before; at >= h || at+k <= 0 {
			t.Fatalf("h=%d k=%d stride=%s pad=%s: place %d is outside", h, k, st, pad, i)
		}
	}
}

// Symbolic sizes, once filled in, are the concrete ones.
func TestWindowSymbolicAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, k := rapid.Int64Range(1, 9).Draw(t, "h"), rapid.Int64Range(1, 5).Draw(t, "k")
		stride := graph.TupleValue(rapid.Int64Range(1, 4).Draw(t, "sh"), rapid.Int64Range(1, 4).Draw(t, "sw"))
		n := func(l string) int64 { return rapid.Int64Range(0, 2).Draw(t, l) }
		pad := rapid.SampledFrom([]graph.Value{graph.NameValue("same_upper"), graph.NameValue("same_lower"),
			graph.NameValue("valid"), graph.TupleValue(n("top"), n("left"), n("bottom"), n("right"))}).Draw(t, "pad")
		axis := rapid.IntRange(0, 1).Draw(t, "axis")
		// The image may be a multiple of something, as in a law.
		m := rapid.Int64Range(1, 4).Draw(t, "multiple")
		sh := graph.Var("h").Scale(m)
		b := &graph.Substitution{Dims: map[string]graph.Dim{"h": graph.Int(h), "k": graph.Int(k)},
			Attrs: map[string]graph.Value{"s": stride, "p": pad}}
		want := graph.WindowOut(graph.Int(h*m), graph.Int(k), stride, pad, axis)
		for _, st := range []graph.Value{stride, graph.VarValue("s", "stride")} {
			for _, p := range []graph.Value{pad, graph.VarValue("p", "padding")} {
				for _, size := range []graph.Dim{sh, graph.Int(h * m)} {
					got := graph.WindowOut(size, graph.Var("k"), st, p, axis).Subst(b)
					if got != want {
						t.Fatalf("window(%s, k, %s, %s): got %s, want %s", size, st, p, got, want)
					}
				}
			}
		}
		if name, _ := pad.Name(); name == "same_upper" || name == "same_lower" {
			got := graph.WindowOut(sh, graph.Var("k"), graph.VarValue("s", "stride"), graph.VarValue("p", graph.SortSame), axis).Subst(b)
			if got != want {
				t.Fatalf("same: got %s, want %s", got, want)
			}
		}
	})
}

func TestCheckWindowErrors(t *testing.T) {
	one, valid := graph.TupleValue(1, 1), graph.NameValue("valid")
	for _, c := range []struct {
		stride, pad graph.Value
		want        string
	}{
		{graph.TupleValue(0, 1), valid, "stride (0, 1): want two positive numbers"},
		{graph.TupleValue(1), valid, "stride (1): want two positive numbers"},
		{graph.NameValue("x"), valid, "stride x: want two positive numbers"},
		{one, graph.NameValue("x"), "padding x is not known"},
		{one, graph.IntValue(1), "padding 1 is not known"},
		{one, graph.TupleValue(1, 1), "padding (1, 1): want (top, left, bottom, right)"},
		{one, graph.TupleValue(0, 0, -1, 0), "padding (0, 0, -1, 0) is negative"},
		{one, graph.TupleValue(3, 0, 0, 0), "padding (3, 0, 0, 0) is not smaller than the kernel: 4 is more than 3"},
		{one, valid, "window of 3 does not fit into 2: 1 is more than 0"},
	} {
		var f graph.Unifier
		if _, err := graph.CheckWindow(&f, graph.Int(2), graph.Int(3), c.stride, c.pad, 0); err == nil || err.Error() != c.want {
			t.Errorf("stride %s pad %s: got %v, want %s", c.stride, c.pad, err, c.want)
		}
	}
	for _, c := range []struct{ stride, pad graph.Value }{
		{graph.TupleValue(0, 1), graph.NameValue("same_upper")},
		{graph.VarValue("s", "stride"), valid},
		{one, graph.VarValue("p", "padding")},
	} {
		if _, _, err := graph.WindowPads(3, 2, c.stride, c.pad, 0); err == nil {
			t.Errorf("stride %s pad %s: pads are known", c.stride, c.pad)
		}
	}
}

func TestCheckWindowNeeds(t *testing.T) {
	h, k := graph.Var("h"), graph.Var("k")
	s, p, q := graph.VarValue("s", "stride"), graph.VarValue("p", "padding"), graph.VarValue("q", graph.SortSame)
	for _, c := range []struct {
		k           graph.Dim
		stride, pad graph.Value
		want        string
	}{
		{k, s, q, ""},
		{graph.Int(1), s, p, ""},
		{k, s, p, "1 <= window(h,k,s,p,0)"},
		{k, graph.TupleValue(1, 1), graph.NameValue("valid"), "1 <= h-k+1"},
		{graph.Int(3), graph.TupleValue(2, 2), graph.NameValue("valid"), "1 <= strided(h,(2, 2),0)-1"},
		{k, s, graph.TupleValue(1, 0, 0, 0), "2 <= k and 1 <= window(h+1,k,s,valid,0)"},
	} {
		var f graph.Unifier
		if _, err := graph.CheckWindow(&f, h, c.k, c.stride, c.pad, 0); err != nil {
			t.Fatal(err)
		}
		if got := graph.NeedsString(f.Needs); got != c.want {
			t.Errorf("k=%s stride=%s pad=%s: got %q, want %q", c.k, c.stride, c.pad, got, c.want)
		}
	}
}

// Sizes of windows that are equal for all sizes of the image are the same size.
func TestWindowForms(t *testing.T) {
	h, w := graph.Var("h"), graph.Var("w")
	valid, two := graph.NameValue(graph.Valid), graph.TupleValue(2, 2)
	half := graph.WindowOut(h, graph.Int(1), two, valid, 0)
	for what, d := range map[string]graph.Dim{
		"a padded window of 3":           graph.WindowOut(h, graph.Int(3), two, graph.TupleValue(1, 1, 1, 1), 0),
		"along the other axis":           graph.WindowOut(h, graph.Int(1), two, valid, 1),
		"another stride along the other": graph.WindowOut(h, graph.Int(1), graph.TupleValue(2, 7), valid, 0),
		"same padding":                   graph.WindowOut(h, graph.Int(5), two, graph.NameValue(graph.SameLower), 0),
		"of 2 more, less 1":              graph.WindowOut(h.Add(graph.Int(2)), graph.Int(1), two, valid, 0).Sub(graph.Int(1)),
		"of 2*w more, less w":            graph.WindowOut(h.Add(w.Scale(2)), graph.Int(1), two, valid, 0).Sub(w),
	} {
		if d != half {
			t.Errorf("%s: %s is not %s", what, d, half)
		}
	}
	if d := graph.WindowOut(h, graph.Int(2), two, valid, 0); d == half {
		t.Errorf("rounded down and rounded up are both %s", d)
	}
	if d := graph.WindowOut(h.Scale(32).Add(graph.Int(2)), graph.Int(3), two, valid, 0); d != h.Scale(16) {
		t.Errorf("32*h+2 cells have %s windows of 3, want 16*h", d)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-9, 9)
		a, b, c, k, s := n.Draw(t, "a"), n.Draw(t, "b"), n.Draw(t, "c"), rapid.Int64Range(1, 9).Draw(t, "k"), rapid.Int64Range(1, 5).Draw(t, "s")
		d := graph.WindowOut(h.Scale(a).Add(h.Mul(w).Scale(b)).Add(graph.Int(c)), graph.Int(k), graph.TupleValue(s, s), valid, 0)
		for x := int64(1); x < 8; x++ {
			for y := int64(1); y < 8; y++ {
				got, err := d.Eval(&graph.Substitution{Dims: map[string]graph.Dim{"h": graph.Int(x), "w": graph.Int(y)}})
				if want := graph.FloorDiv(a*x+b*x*y+c-k, s) + 1; err != nil || got != want {
					t.Fatalf("%s at h=%d, w=%d is %d, %v, want %d", d, x, y, got, err, want)
				}
			}
		}
	})
}

// TestWindowNormalForm: the sizes of two windows over images of one variable size are one Dim just
// where they are the same at all sizes of it.
func TestWindowNormalForm(t *testing.T) {
	var dims []graph.Dim
	h := graph.Var("h")
	for k := range int64(5) {
		for s := range int64(3) {
			for p := range int64(4) {
				for axis := range 2 {
					stride, pad := []int64{7, 7}, []int64{5, 6, 5, 6}
					stride[axis], pad[axis], pad[axis+2] = s+1, p/2, p%2
					for _, size := range []graph.Dim{h, h.Add(graph.Int(1)), h.Scale(2), h.Scale(6).Sub(graph.Int(3))} {
						dims = append(dims, graph.WindowOut(size, graph.Int(k+1), graph.TupleValue(stride...), graph.TupleValue(pad...), axis))
					}
				}
			}
		}
	}
	at := func(d graph.Dim, n int64) int64 {
		x, err := d.Eval(&graph.Substitution{Dims: map[string]graph.Dim{"h": graph.Int(n)}})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	values := map[graph.Dim][40]int64{}
	forms := map[[40]int64]graph.Dim{}
	for _, d := range dims {
		var v [40]int64
		for n := range v {
			v[n] = at(d, int64(n+1))
		}
		if old, ok := values[d]; ok && old != v {
			t.Fatalf("%s has two values", d)
		}
		if old, ok := forms[v]; ok && old != d {
			t.Fatalf("%s and %s are the same at all sizes", old, d)
		}
		values[d], forms[v] = v, d
	}
	if len(forms) < 40 || len(forms) > len(dims)/4 {
		t.Errorf("%d sizes have %d forms", len(dims), len(forms))
	}
}

func TestWords(t *testing.T) {
	n, m := graph.Var("n"), graph.Var("m")
	half := func(d graph.Dim) graph.Dim {
		return graph.WindowOut(d, graph.Int(2), graph.TupleValue(2, 2), graph.NameValue(graph.Valid), 0)
	}
	up := func(d graph.Dim) graph.Dim { return half(d.Add(graph.Int(1))) }
	for want, d := range map[string]graph.Dim{
		"7": graph.Int(7), "n-1": n.Sub(graph.Int(1)), "-2*m*n+n+3": n.Sub(n.Mul(m).Scale(2)).Add(graph.Int(3)),
		"floor(n/2)": half(n), "ceil(n/2)": up(n), "n+floor(m/2)": half(n.Scale(2).Add(m)), "floor((m+n)/2)": half(n.Add(m)),
		"floor(n/4)": half(half(n)), "ceil(n/8)": up(up(up(n))), "ceil(n/4)-1": up(up(n).Sub(graph.Int(2))),
		"3*m*ceil((n+1)/2)-3*m+1": half(n).Mul(m).Scale(3).Add(graph.Int(1)),
	} {
		if got := d.Words(); got != want {
			t.Errorf("%s reads %s, want %s", d, got, want)
		}
	}
}
