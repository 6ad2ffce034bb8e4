package models

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Rewrites of convolutions and pools. Each names the laws of variants.rules that
// its steps are instances of.

// convAt is a convolution of the old graph whose kernel is a weight.
type convAt struct {
	x, w       graph.Tensor
	kh, kw     int
	groups     int
	act        string
	strideOne  bool
	keepsImage bool // stride 1, and the same window is around each cell
}

func (e *edit) convAt(id graph.NodeID) (convAt, bool) {
	if !e.is(id, "conv2d") || !e.isWeight(e.operand(id, 1)) {
		return convAt{}, false
	}
	g := e.old.Graph
	c := convAt{x: e.operand(id, 0), w: e.operand(id, 1), groups: e.intAttr(id, "groups")}
	c.kh, c.kw = g.Sizes(c.w)[2], g.Sizes(c.w)[3]
	c.act, _ = e.attr(id, "act").Name()
	stride := e.attr(id, "stride")
	c.strideOne = stride == ints(1, 1)
	c.keepsImage = c.strideOne
	for axis, k := range []int{c.kh, c.kw} {
		before, after, err := graph.WindowPads(g.Sizes(c.x)[2+axis], k, stride, e.attr(id, "pad"), axis)
		c.keepsImage = c.keepsImage && err == nil && before == k/2 && after == k/2 && k%2 == 1
	}
	return c, true
}

// mergeConvs makes one convolution of those that read the same image, are not
// grouped and differ in the kernel only: merge_convs. With enlarge, kernels of
// odd sizes that keep the image are first surrounded by zeros up to the largest
// of them: enlarge_kernel.
func mergeConvs(enlarge bool) rewrite {
	return func(e *edit) func(graph.NodeID) (tensor, bool) {
		g := e.old.Graph
		of := grouped(e, func(id graph.NodeID) (string, bool) {
			c, ok := e.convAt(id)
			if !ok || c.groups != 1 {
				return "", false
			}
			if enlarge {
				return fmt.Sprint(c.x, c.act), c.keepsImage
			}
			return fmt.Sprint(c.x, c.act, e.attr(id, "stride"), e.attr(id, "pad"), c.kh, c.kw), true
		})
		if enlarge {
			e.dropEqualKernels(of)
		}
		return func(id graph.NodeID) (tensor, bool) {
			m := of[id]
			if m == nil {
				return tensor{}, false
			}
			return m.take(e, id, 1, func() tensor {
				name := g.Name(m.members[0]) + "_merged"
				var ws []tensor
				kh, kw := 0, 0
				for _, v := range m.members {
					c, _ := e.convAt(v)
					kh, kw = max(kh, c.kh), max(kw, c.kw)
					ws = append(ws, e.to[c.w])
				}
				a := e.attrsOf(m.members[0])
				if enlarge {
					a["pad"] = pads(kh/2, kw/2)
					for i, w := range ws {
						if w.sizes[2] != kh || w.sizes[3] != kw {
							ws[i] = e.compute(name+"_larger", "enlarge", attrs{"kh": number(kh), "kw": number(kw)}, w)
						}
					}
				}
				return e.apply(name, "conv2d", a, e.to[e.operand(id, 0)], e.join(name+"_w", 0, ws))
			}), true
		}
	}
}

// dropEqualKernels removes groups in which nothing is to enlarge.
func (e *edit) dropEqualKernels(of map[graph.NodeID]*merged) {
	for id, m := range of {
		first, _ := e.convAt(m.members[0])
		same := true
		for _, v := range m.members {
			c, _ := e.convAt(v)
			same = same && c.kh == first.kh && c.kw == first.kw
		}
		if same {
			delete(of, id)
		}
	}
}

// splitConvs makes two convolutions of each that is not grouped, each for half of
// the output channels: merge_convs backwards, split_channels.
func splitConvs(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	return func(id graph.NodeID) (tensor, bool) {
		c, ok := e.convAt(id)
		if !ok || c.groups != 1 || g.Sizes(c.w)[0] < 2 {
			return tensor{}, false
		}
		e.count++
		x, w, name := e.to[c.x], e.to[c.w], g.Name(id)
		half := func(side string, lo, hi int) tensor {
			part := e.compute(name+"_w_"+side, "slice", attrs{"axis": number(0), "lo": number(lo), "hi": number(hi)}, w)
			return e.apply(name+"_"+side, "conv2d", e.attrsOf(id), x, part)
		}
		n := w.sizes[0]
		l, r := half("left", 0, n/2), half("right", n/2, n)
		return e.apply(name+"_joined", "concat", attrs{"axis": number(1)}, l, r), true
	}
}

// fuseRelu makes the relu behind a convolution that nothing else reads part of
// it: fuse_relu.
func fuseRelu(e *edit) func(graph.NodeID) (tensor, bool) {
	by := e.readers()
	fusable := func(id graph.NodeID) bool {
		c, ok := e.convAt(id)
		r := by[id.Out(0)]
		return ok && c.act == "none" && len(r) == 1 && e.is(r[0], "relu")
	}
	return func(id graph.NodeID) (tensor, bool) {
		switch {
		case fusable(id):
			e.count++
			a := e.attrsOf(id)
			a["act"] = graph.NameValue("relu")
			return e.apply(e.old.Graph.Name(id)+"_relu", "conv2d", a, e.new(e.old.Graph.Operands(id)...)...), true
		case e.is(id, "relu") && e.operand(id, 0).Out == 0 && fusable(e.operand(id, 0).Node):
			return e.to[e.operand(id, 0)], true
		}
		return tensor{}, false
	}
}

// sumConvs makes one convolution of a sum of two that are not grouped and differ
// in image and kernel only: the images beside each other, the kernels beside
// each other: sum_convs.
func sumConvs(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	return func(id graph.NodeID) (tensor, bool) {
		if !e.is(id, "ewadd") {
			return tensor{}, false
		}
		p, q := e.operand(id, 0), e.operand(id, 1)
		a, ok1 := e.convAt(p.Node)
		b, ok2 := e.convAt(q.Node)
		if !ok1 || !ok2 || a.groups != 1 || b.groups != 1 || a.act != "none" || b.act != "none" ||
			a.kh != b.kh || a.kw != b.kw || !g.Attrs(p.Node).Equal(g.Attrs(q.Node)) {
			return tensor{}, false
		}
		e.count++
		name := g.Name(id)
		xy := e.apply(name+"_images", "concat", attrs{"axis": number(1)}, e.new(a.x, b.x)...)
		return e.apply(name+"_conv", "conv2d", e.attrsOf(p.Node), xy, e.join(name+"_w", 1, e.new(a.w, b.w))), true
	}
}

// halveGroups makes one group of every two of grouped convolutions; the kernels
// are filled up with zeros: join_groups, used on each pair of groups by
// groups_apart.
func halveGroups(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	return func(id graph.NodeID) (tensor, bool) {
		c, ok := e.convAt(id)
		if !ok || c.groups%2 != 0 {
			return tensor{}, false
		}
		e.count++
		name, w := g.Name(id), e.to[c.w]
		a := e.attrsOf(id)
		a["groups"] = number(c.groups / 2)
		return e.apply(name+"_joined", "conv2d", a, e.to[c.x], e.pairGroups(name+"_w", w, c.groups)), true
	}
}

// pairGroups widens a kernel [g*o, c, kh, kw] to [g*o, 2*c, kh, kw]: those of even
// groups get zeros behind, those of odd groups before.
func (e *edit) pairGroups(name string, w tensor, groups int) tensor {
	o, c, cells := w.sizes[0]/groups, w.sizes[1], w.sizes[2]*w.sizes[3]
	pairs := e.compute(name+"_pairs", "reshape", attrs{"shape": shape(groups/2, 2, o, c, cells)}, w)
	wide := make([]tensor, 2)
	for k := range wide {
		v := e.compute(fmt.Sprintf("%s_of%d", name, k), "slice", attrs{"axis": number(1), "lo": number(k), "hi": number(k + 1)}, pairs)
		before, after := ints(0, 0, 0, k*c, 0), ints(0, 0, 0, (1-k)*c, 0)
		wide[k] = e.compute(fmt.Sprintf("%s_wide%d", name, k), "pad", attrs{"before": before, "after": after}, v)
	}
	return e.compute(name, "reshape", attrs{"shape": shape(w.sizes[0], 2*c, w.sizes[2], w.sizes[3])}, e.join(name+"_both", 1, wide))
}

// foldNorms makes a batch norm behind a convolution that nothing else reads part
// of its kernel, and a bias: fold_batchnorm.
func foldNorms(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	by := e.readers()
	foldable := func(id graph.NodeID) bool {
		c, ok := e.convAt(id)
		r := by[id.Out(0)]
		return ok && c.act == "none" && len(r) == 1 && e.is(r[0], "batchnorm") && e.operand(r[0], 0) == id.Out(0)
	}
	return func(id graph.NodeID) (tensor, bool) {
		if !e.is(id, "batchnorm") || !foldable(e.operand(id, 0).Node) {
			return tensor{}, false
		}
		e.count++
		conv := e.operand(id, 0).Node
		c, _ := e.convAt(conv)
		name, w := g.Name(id), e.to[c.w]
		in := e.new(g.Operands(id)...) // after the image: scale, bias, mean, variance
		o := w.sizes[0]
		root := e.compute(name+"_root", "rsqrt", attrs{"eps": e.attr(id, "eps")}, in[4])
		scale := e.compute(name+"_factor", "ewmul", nil, in[1], root)
		rows := e.compute(name+"_rows", "reshape", attrs{"shape": shape(o, 1, 1, 1)}, scale)
		rows = e.compute(name+"_all", "broadcast", attrs{"shape": shape(w.sizes...)}, rows)
		kernel := e.compute(name+"_w", "ewmul", nil, w, rows)
		shift := e.compute(name+"_shift", "ewmul", nil, in[3], scale)
		shift = e.compute(name+"_b", "ewsub", nil, in[2], shift)
		shift = e.compute(name+"_b_axes", "reshape", attrs{"shape": shape(o, 1, 1)}, shift)
		y := e.apply(name+"_conv", "conv2d", e.attrsOf(conv), e.to[c.x], kernel)
		shift = e.apply(name+"_b_all", "broadcast", attrs{"shape": shape(y.sizes...)}, shift)
		return e.apply(name+"_bias", "ewadd", nil, y, shift), true
	}
}

// poolsAsConv makes one convolution of the sum of two equal averages of the same
// image: pools_as_conv.
func poolsAsConv(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	return func(id graph.NodeID) (tensor, bool) {
		if !e.is(id, "ewadd") {
			return tensor{}, false
		}
		p, q := e.operand(id, 0).Node, e.operand(id, 1).Node
		if !e.is(p, "poolavg") || !e.is(q, "poolavg") || e.operand(p, 0) != e.operand(q, 0) || !g.Attrs(p).Equal(g.Attrs(q)) {
			return tensor{}, false
		}
		if border, _ := e.attr(p, "border").Name(); border != "counted" {
			return tensor{}, false
		}
		e.count++
		name, x := g.Name(id), e.to[e.operand(p, 0)]
		c := number(x.sizes[1])
		one := e.compute(name+"_average", "cpool", attrs{"c": c, "kh": e.attr(p, "kh"), "kw": e.attr(p, "kw")})
		two := e.compute(name+"_w", "ewadd", nil, one, one)
		return e.apply(name+"_conv", "conv2d", attrs{"groups": c, "stride": e.attr(p, "stride"), "pad": e.attr(p, "pad")}, x, two), true
	}
}
