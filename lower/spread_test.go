package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/lower"
)

// spread is a convolution of an image that is spread with zeros, with something in front of
// the convolution and something more that is returned.
func spread(pad, between, conv, more string) string {
	return `
x : float32[1, 2, 4, 3]
w : float32[3, 2, 3, 3]
a = reshape[shape=[1, 2, 4, 1, 3, 1]](x)
p = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 0, 1, 0, 1)` + pad + `](a)
s = reshape[shape=[1, 2, 8, 6]](p)
` + between + "y = conv2d[" + conv + "\nreturn y" + more
}

// TestSpread: which images are read as they were before they were spread, and how they lie
// under the windows.
func TestSpread(t *testing.T) {
	rest := func(k int) string { return fmt.Sprintf("conv2d y, %d before", k) }
	for _, c := range []struct {
		name, text string
		want       string
	}{
		{"plain", spread("", "", "pad=(2, 2, 1, 1)](s, w)", ""), "spread y {[2 2] [2 2] [1 1]}"},
		{"dilated", spread("", "", "pad=(1, 0, 1, 0), dilation=(2, 1)](s, w)", ""), "spread y {[2 2] [1 0] [2 1]}"},
		{"cut, and a border on the other side", spread("", "c = slice[axis=2, lo=1, hi=8](s)\nd = slice[axis=3, lo=0, hi=5](c)\n", "pad=(0, 2, 1, 0)](d, w)", ""), "spread y {[2 2] [-1 2] [1 1]}"},
		{"a border of zeros", spread("", "c = pad[before=(0, 0, 1, 0), after=(0, 0, 2, 0)](s)\n", "pad=(2, 2, 1, 1)](c, w)", ""), "spread y {[2 2] [3 2] [1 1]}"},
		{"one cell", "x : float32[2, 3, 1, 1]\nw : float32[4, 3, 4, 4]\ny = conv2d[pad=(3, 2, 3, 3)](x, w)\nreturn y", "spread y {[7 6] [3 2] [1 1]}"},
		{"cells behind a border are gone", spread("", "c = slice[axis=2, lo=1, hi=8](s)\n", "pad=(1, 2, 1, 0)](c, w)", ""), rest(2)},
		{"cells before a border behind are gone", spread("", "c = slice[axis=3, lo=0, hi=5](s)\n", "pad=(1, 2, 1, 1)](c, w)", ""), rest(2)},
		{"a border where cells were cut off", spread("", "c = slice[axis=2, lo=1, hi=8](s)\nd = pad[before=(0, 0, 1, 0), after=(0, 0, 0, 0)](c)\n", "pad=valid](d, w)", ""), rest(2)},
		{"not with zeros", spread(", value=0.5", "", "pad=(2, 2, 1, 1)](s, w)", ""), rest(1)},
		{"a border of ones", spread("", "c = pad[before=(0, 0, 1, 0), after=(0, 0, 2, 0), value=1.0](s)\n", "pad=(2, 2, 1, 1)](c, w)", ""), rest(2)},
		{"another stride", spread("", "", "pad=(2, 2, 1, 1), stride=(2, 1)](s, w)", ""), rest(1)},
		{"others read it", spread("", "", "pad=(2, 2, 1, 1)](s, w)", ", s"), rest(1)},
		{"others read it before", spread("", "", "pad=(2, 2, 1, 1)](s, w)", ", p"), rest(1)},
		{"channels take part", `
x : float32[1, 2, 4, 3]
w : float32[3, 4, 3, 3]
a = reshape[shape=[1, 2, 1, 4, 3, 1]](x)
p = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 1, 0, 0, 1)](a)
s = reshape[shape=[1, 4, 4, 6]](p)
y = conv2d[pad=same_upper](s, w)
return y`, rest(1)},
	} {
		got := ""
		p := lowered(t, parse(t, c.text), lower.CPU(), lower.Options{})
		for i, k := range p.Run {
			if p.Graph.Name(k.Node) != "y" {
				continue
			}
			if got = fmt.Sprintf("%s y, %d before", k.As, i); k.As == "spread" {
				got = fmt.Sprint("spread y ", k.Spread)
				if i > 0 {
					got += " and what is before"
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s in\n%s", c.name, got, c.want, text(p))
		}
		check(t, c.name, p)
		for _, opt := range []lower.Options{{NoFuse: true}, {KeepAll: true}} {
			if p := lowered(t, parse(t, c.text), lower.CPU(), opt); strings.Contains(text(p), "spread") {
				t.Errorf("%s, %+v: spread", c.name, opt)
			}
		}
	}
}

// TestSpreadKernels: kernels that are prepared for images that lie otherwise are not taken
// for one another.
func TestSpreadKernels(t *testing.T) {
	target := lower.CPU()
	target.Packed = func(a *lower.App) ([]lower.Packed, error) {
		return []lower.Packed{{}, {Elements: a.In[1].Elements()}}, nil
	}
	p := lowered(t, parse(t, `
x : float32[1, 2, 4, 3]
w : weight float32[3, 2, 3, 3]
a = reshape[shape=[1, 2, 4, 1, 3, 1]](x)
p = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 0, 1, 0, 1)](a)
s = reshape[shape=[1, 2, 8, 6]](p)
q = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 0, 1, 0, 1)](a)
r = reshape[shape=[1, 2, 8, 6]](q)
c = conv2d[pad=(2, 2, 1, 1)](s, w)
d = conv2d[pad=(1, 2, 1, 1)](r, w)
return c, d`), target, lower.Options{})
	if want := "once: prepare spread c\nonce: prepare spread d\nspread c\nspread d"; text(p) != want {
		t.Errorf("%s\nwant\n%s", text(p), want)
	}
}
