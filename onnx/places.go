package onnx

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Operators that move elements to places which constants say: what they do to the numbers
// of the places themselves, which the evaluator computes, says where each element of the
// result comes from. The result is then one gather.

// placeOperators move elements to places that constants say, or read at them.
func placeOperators() []*operator {
	return []*operator{
		{name: "Compress", versions: "9 11", attrs: "axis", lower: lowerMoved(0), move: compressed},
		{name: "ReverseSequence", versions: "10", attrs: "batch_axis time_axis", lower: lowerMoved(0), move: turnedSequences, types: sameType},
		{name: "Trilu", versions: "14", attrs: "upper", lower: lowerMoved(0), move: triangle, types: sameType},
		{name: "NegativeLogLikelihoodLoss", versions: "12 13 22", attrs: "ignore_index reduction", lower: lowerLogLikelihood},
		{name: "SoftmaxCrossEntropyLoss", versions: "12 13", attrs: "ignore_index reduction", lower: lowerCrossEntropy},
	}
}

// tagged is a tensor whose elements are numbered from first on.
type tagged struct {
	v     *value
	first int
}

// lowerMoved is for a node that moves the elements of some inputs; the others are constant.
// Element 0 is zero, which a node may put where nothing else is.
func lowerMoved(data ...int) lowering {
	return func(c *call) {
		if c.foldKnown() {
			return
		}
		in := make([]*constant, len(c.in))
		var from []tagged
		next := 1
		if how := c.text("reduction", "none"); how != "none" {
			must.Do(unsupported("reduction %q is not supported", clip(how)))
		}
		for _, i := range data {
			v := c.optional(i)
			if v == nil {
				must.Failf("input %d is missing", i)
			}
			if v.dtype != c.in[data[0]].dtype {
				must.Failf("%s and %s have different element types", c.in[data[0]], v)
			}
			if v.elements() > maxConstant {
				must.Do(unsupported("%s has more than %d elements", v, maxConstant))
			}
			in[i] = newConstant(graph.Int64, v.sizes()...)
			for j := range in[i].ints {
				in[i].ints[j] = int64(next + j)
			}
			from = append(from, tagged{v, next})
			next += v.elements()
		}
		for i := range c.in {
			if in[i] == nil {
				in[i] = c.known(i, []string{"input", "second input", "third input", "fourth input"}[min(i, 3)])
			}
		}
		c.set(c.im.placed(from, c.op.move(c, in)))
	}
}

// placed is a tensor whose elements are those that numbers say: 0 is zero.
func (im *importer) placed(from []tagged, k *constant) *value {
	t := from[0].v.dtype
	if k.len() == 0 {
		return valueOf(newConstant(t, k.sizes...))
	}
	// Only what is asked for is put together.
	used := make([]bool, len(from)+1)
	source := func(n int64) int {
		s := 0
		for s < len(from) && n >= int64(from[s].first) {
			s++
		}
		return s
	}
	for _, n := range k.ints {
		used[source(n)] = true
	}
	var flat *value
	add, sum := make([]int64, len(used)), 0
	for s, yes := range used {
		if !yes {
			continue
		}
		part, first := valueOf(newConstant(t, 1)), 0
		if s > 0 {
			part, first = im.reshape(from[s-1].v, from[s-1].v.elements()), from[s-1].first
		}
		add[s] = int64(sum - first)
		sum += part.elements()
		if flat == nil {
			flat = part
		} else {
			flat = im.apply("concat", attrs{"axis": graph.IntValue(0)}, flat, part)
		}
	}
	pos, same := newConstant(graph.Int64, k.sizes...), sum == k.len()
	for i, n := range k.ints {
		pos.ints[i] = n + add[source(n)]
		same = same && pos.ints[i] == int64(i)
	}
	if same {
		return im.reshape(flat, k.sizes...)
	}
	return im.apply("gather", attrs{"axis": graph.IntValue(0)}, flat, valueOf(pos))
}

// diagonal is a number of a diagonal, which an attribute or an input says.
func diagonal(k int64) int64 { return min(max(k, -1<<32), 1<<32) }

// eye is the matrix that an EyeLike makes, of which only the type is its input's.
func (c *call) eye() *constant {
	x := c.need(1, 1)[0]
	t := x.dtype
	if c.has("dtype") {
		t = must.Get(dtypeOf(elem(c.int("dtype", 0))))
	}
	if x.rank() != 2 {
		must.Failf("%s is no matrix", x)
	}
	out, k := newConstant(t, x.sizes()...), diagonal(c.int("k", 0))
	graph.Each(x.sizes(), func(flat int, idx []int) {
		if int64(idx[1]-idx[0]) != k {
			return
		}
		if t.IsFloat() {
			out.floats[flat] = 1
		} else {
			out.ints[flat] = 1
		}
	})
	return out
}

// lowerEyeLike: only the type of its input matters.
func lowerEyeLike(c *call) {
	if x := c.need(1, 1)[0]; x.elements() > maxConstant {
		must.Do(unsupported("%s has more than %d elements", x, maxConstant))
	}
	c.set(valueOf(c.eye()))
}

// lowerLogLikelihood: the opposite of what stands at the places of the targets, times
// their weights.
func lowerLogLikelihood(c *call) {
	in := c.need(2, 3)
	c.set(c.logLikelihood(in[0], in[2]))
}

func (c *call) logLikelihood(x, weights *value) *value {
	im := c.im
	c.arithmetic("", x)
	k := c.known(1, "targets")
	if x.rank() < 2 || k.rank() != x.rank()-1 || !k.dtype.IsInt() {
		must.Failf("targets %s%v for %s", k.dtype, k.sizes, x)
	}
	for i, n := range append([]int{x.sizes()[0]}, x.sizes()[2:]...) {
		if k.sizes[i] != n {
			must.Failf("targets of sizes %v for %s", k.sizes, x)
		}
	}
	if x.elements() > maxConstant {
		must.Do(unsupported("%s has more than %d elements", x, maxConstant))
	}
	ignored, ignores := c.int("ignore_index", 0), c.has("ignore_index")
	// The places of the targets, and of their weights; 0 where one is ignored.
	at, of := newConstant(graph.Int64, k.sizes...), newConstant(graph.Int64, k.sizes...)
	classes := x.sizes()[1]
	behind := graph.NumElements(x.sizes()[2:])
	some := false
	for i, t := range k.ints {
		if ignores && t == ignored {
			some = true
			continue
		}
		t := position(t, classes)
		at.ints[i] = int64(1 + (i/behind*classes+t)*behind + i%behind)
		of.ints[i] = int64(1 + t)
	}
	y := im.do("neg", im.placed([]tagged{{x, 1}}, at))
	var w *value
	if weights != nil {
		if weights.rank() != 1 || weights.sizes()[0] != classes || weights.dtype != x.dtype {
			must.Failf("weights %s for %d classes", weights, classes)
		}
		w = im.placed([]tagged{{weights, 1}}, of)
		y = im.do("ewmul", y, w)
	} else if some {
		ones := newConstant(x.dtype, k.sizes...)
		for i, n := range of.ints {
			ones.floats[i] = float64(truth(n > 0))
		}
		w = valueOf(ones)
	}
	all := upTo(0, y.rank())
	switch how := c.text("reduction", "mean"); {
	case how == "none":
		return y
	case how == "sum":
		return im.reduce("reducesum", y, all, false)
	case how != "mean":
		must.Failf("reduction is %q", clip(how))
	case w == nil:
		return im.reduce("reducemean", y, all, false)
	}
	return im.do("ewdiv", im.reduce("reducesum", y, all, false), im.reduce("reducesum", w, all, false))
}

// lowerCrossEntropy: the same of logarithms of a softmax over the classes.
func lowerCrossEntropy(c *call) {
	in := c.need(2, 3)
	x := in[0]
	c.arithmetic("", x)
	if x.rank() < 2 {
		must.Failf("%s has no classes", x)
	}
	logs := c.im.logSoftmax(x, 1)
	if len(c.outs) < 1 || len(c.outs) > 2 {
		must.Failf("%d outputs", len(c.outs))
	}
	c.outs[0] = c.logLikelihood(logs, in[2])
	if c.wanted(1) {
		c.outs[1] = logs
	}
}
