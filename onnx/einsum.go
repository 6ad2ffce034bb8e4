package onnx

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Einsum as products of matrices: of two operands, the letters that both have and nothing
// needs behind them are the inner axis, those that both have and something needs are the
// batch.

// lettered is a tensor with a letter for each axis.
type lettered struct {
	v  *value
	by []rune
}

func lowerEinsum(c *call) {
	im := c.im
	in, out := c.equation()
	for i := range in {
		c.arithmetic("", in[i].v)
		in[i] = im.diagonals(in[i])
	}
	acc := in[0]
	for i := range in {
		need := slices.Clone(out)
		for _, o := range in[i+1:] {
			need = append(need, o.by...)
		}
		if i == 0 {
			acc = im.only(acc, need)
		} else {
			acc = im.contract(acc, in[i], need)
		}
	}
	c.set(im.arrange(acc, out).v)
}

// ellipsis letters are numbered from the last axis on, beyond all that can be written.
const ellipsisLetter = rune(0x110000)

// equation is what the attribute says: operands with letters, in which an ellipsis is as many
// letters as it stands for, and the letters of the result.
func (c *call) equation() (in []lettered, out []rune) {
	text := strings.ReplaceAll(c.text("equation", ""), " ", "")
	left, right, arrow := strings.Cut(text, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(c.in) {
		must.Failf("the equation %q for %d inputs", clip(text), len(c.in))
	}
	longest := 0
	spell := func(term string, dots int) []rune {
		head, tail, has := strings.Cut(term, "...")
		by := []rune(head)
		for _, r := range head + tail {
			if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
				must.Failf("the equation %q", clip(text))
			}
		}
		if has {
			for i := dots; i > 0; i-- {
				by = append(by, ellipsisLetter+rune(i))
			}
		}
		return append(by, []rune(tail)...)
	}
	size := map[rune]graph.Dim{}
	for i, term := range terms {
		v := c.in[i]
		if v == nil {
			must.Failf("input %d is missing", i)
		}
		dots := v.rank() - len(strings.ReplaceAll(term, ".", ""))
		if dots < 0 || dots > 0 && !strings.Contains(term, "...") {
			must.Failf("the equation %q for %s", clip(text), v)
		}
		longest = max(longest, dots)
		in = append(in, lettered{v, spell(term, dots)})
		for j, r := range in[i].by {
			n, one := v.size(j), graph.Int(1)
			if old, ok := size[r]; ok && old != one && n != one && !c.im.open.same(old, n) {
				must.Failf("%c is %s and %s in the equation %q", r, old, n, clip(text))
			} else if !ok || old == one {
				size[r] = n
			}
		}
	}
	for i, t := range in { // sizes of 1 broadcast
		sizes := make([]graph.Dim, len(t.by))
		for j, r := range t.by {
			sizes[j] = size[r]
		}
		in[i].v = c.im.broadcastTo(t.v, sizes)
	}
	if arrow {
		out = spell(right, longest)
	} else {
		// The letters that come once, in their order, behind the ellipsis.
		count := map[rune]int{}
		for _, t := range in {
			for _, r := range t.by {
				count[r]++
			}
		}
		for i := longest; i > 0; i-- {
			out = append(out, ellipsisLetter+rune(i))
		}
		var once []rune
		for r, n := range count {
			if n == 1 && r < ellipsisLetter {
				once = append(once, r)
			}
		}
		slices.Sort(once)
		out = append(out, once...)
	}
	for i, r := range out {
		if _, ok := size[r]; !ok || slices.Contains(out[:i], r) {
			must.Failf("the equation %q", clip(text))
		}
	}
	return in, out
}

// diagonals takes the diagonal of axes that have the same letter.
func (im *importer) diagonals(t lettered) lettered {
	for i := 0; i < len(t.by); i++ {
		j := slices.Index(t.by[i+1:], t.by[i]) + i + 1
		if j == i {
			continue
		}
		// [.., n, .., n, ..] as [n*n, ..], of which every n+1st is taken.
		first := []rune{t.by[i], t.by[j]}
		rest := slices.Delete(slices.Delete(slices.Clone(t.by), j, j+1), i, i+1)
		perm := append([]int{i, j}, slices.DeleteFunc(upTo(0, len(t.by)), func(k int) bool { return k == i || k == j })...)
		v := im.transpose(t.v, perm...)
		n, behind := v.sizes()[0], slices.Clone(v.sizes()[2:])
		v = im.every(im.reshape(v, append([]int{n * n}, behind...)...), 0, 0, n+1, n)
		t = lettered{v, append(first[:1], rest...)}
		i--
	}
	return t
}

// only sums over the axes whose letters nothing needs.
func (im *importer) only(t lettered, need []rune) lettered {
	var axes []int
	var by []rune
	for i, r := range t.by {
		if slices.Contains(need, r) {
			by = append(by, r)
		} else {
			axes = append(axes, i)
		}
	}
	if axes == nil {
		return t
	}
	return lettered{im.reduce("reducesum", t.v, axes, false), by}
}

// arrange puts the axes in an order.
func (im *importer) arrange(t lettered, by []rune) lettered {
	perm := make([]int, len(by))
	for i, r := range by {
		perm[i] = slices.Index(t.by, r)
	}
	return lettered{im.transpose(t.v, perm...), by}
}

// contract multiplies two operands, and sums over what both have and nothing needs.
func (im *importer) contract(x, y lettered, need []rune) lettered {
	x = im.only(x, append(slices.Clone(need), y.by...))
	y = im.only(y, append(slices.Clone(need), x.by...))
	var batch, inner, rows, columns []rune
	for _, r := range x.by {
		switch shared := slices.Contains(y.by, r); {
		case !shared:
			rows = append(rows, r)
		case slices.Contains(need, r):
			batch = append(batch, r)
		default:
			inner = append(inner, r)
		}
	}
	for _, r := range y.by {
		if !slices.Contains(x.by, r) {
			columns = append(columns, r)
		}
	}
	x, y = im.arrange(x, slices.Concat(batch, rows, inner)), im.arrange(y, slices.Concat(batch, inner, columns))
	b, m := len(batch), len(batch)+len(rows)
	k := len(batch) + len(inner)
	sizes := slices.Concat(x.v.dims()[:m], y.v.dims()[k:])
	fold := func(v *value, at int) *value {
		to := []graph.Dim{product(v.dims()[b:at]...), product(v.dims()[at:]...)}
		if b > 0 {
			to = slices.Insert(to, 0, product(v.dims()[:b]...))
		}
		return im.reshapeTo(v, to)
	}
	v := im.matmul(fold(x.v, m), fold(y.v, k))
	return lettered{im.reshapeTo(v, sizes), slices.Concat(batch, rows, columns)}
}
