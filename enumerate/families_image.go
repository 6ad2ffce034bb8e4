package enumerate

import (
	"slices"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// The case's window attributes. With odd kernels and stride 1 both SAME
// paddings agree; the general form is found by typing a candidate anew.
var (
	caseStride = graph.TupleValue(1, 1)
	casePad    = graph.NameValue(graph.SameLower)
)

var imageFamilies = []family{
	{name: "conv2d", add: func(u *Universe) { u.addConv(caseConv("none"), [2]int{}) }},
	{name: "conv2d_relu", add: func(u *Universe) { u.addConv(caseConv("relu"), [2]int{}) }},
	{name: "poolavg", add: func(u *Universe) { u.addPool(op.PoolAvg) }},
	{name: "poolmax", add: func(u *Universe) { u.addPool(op.PoolMax) }},
}

func (u *Universe) addPool(o *graph.Op) {
	u.when(o, named{"kh": graph.IntValue(general.CaseKernel), "kw": graph.IntValue(general.CaseKernel), "stride": caseStride, "pad": casePad},
		rank(4))
}

// caseConv is the convolution of the case with an activation.
func caseConv(act string) graph.Attrs {
	return op.Conv2D.MustAttr(named{"stride": caseStride, "pad": casePad, "act": graph.NameValue(act)})
}

// addConv adds convolution with 1 to 8 groups, which follow from the operands' channels. kernel
// is the height and width of its kernels, 0: any.
func (u *Universe) addConv(attrs graph.Attrs, kernel [2]int) {
	var byGroups [9]uint16
	for g := 1; g <= 8; g++ {
		attrs := slices.Clone(attrs)
		attrs[op.Conv2D.ParamIndex("groups")] = graph.IntValue(int64(g))
		u.insts = append(u.insts, newInst(op.Conv2D, attrs))
		byGroups[g] = uint16(len(u.insts) - 1)
	}
	u.template(op.Conv2D, func(a, b []int, _ seamSet) []uint16 {
		if len(a) != 4 || len(b) != 4 || a[1]%b[1] != 0 {
			return nil
		}
		if kernel != [2]int{} && kernel != [2]int(b[2:]) {
			return nil
		}
		g := a[1] / b[1]
		if g > 8 || b[0]%g != 0 {
			return nil
		}
		return byGroups[g : g+1]
	})
}

// channelFamilies are the operators of images that go channel by channel.
var channelFamilies = []family{
	{name: "bias2d", add: func(u *Universe) { u.when(general.Bias2D.Op, nil, isImage) }, types: imageTypes},
	{name: "scale2d", add: func(u *Universe) { u.when(general.Scale2D.Op, nil, isImage) }, types: imageTypes},
	{name: "scalekernel", add: func(u *Universe) { u.when(general.ScaleKernel.Op, nil, isKernel) }, types: imageTypes},
	{name: "batchnorm", add: func(u *Universe) { u.when(general.BatchNorm.Op, nil, isImage) }, types: imageTypes},
	{name: "batchnormkernel", add: func(u *Universe) { u.when(general.BatchNormKernel.Op, nil, isKernel) }, types: imageTypes},
	{name: "batchnormbias", add: func(u *Universe) { u.when(general.BatchNormBias.Op, nil, isImage) }, types: imageTypes},
	{name: "pad", add: func(u *Universe) {
		u.when(op.Pad, named{"before": graph.TupleValue(0, 0, 1, 1), "after": graph.TupleValue(0, 0, 1, 1)}, isImage)
	}, types: imageTypes},
}

// isKernel and isImage tell kernels and images apart by their size in the case.
func isKernel(a, _ []int) bool {
	return len(a) == 4 && a[2] <= general.CaseKernel && a[3] <= general.CaseKernel
}

func isImage(a, _ []int) bool {
	return len(a) == 4 && a[2] > general.CaseKernel && a[3] > general.CaseKernel
}
