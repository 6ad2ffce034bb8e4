package enumerate

import (
	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
)

// decoderFamilies are the operators of language models that encoders do not have.
var decoderFamilies = []family{
	{name: "mask", add: func(u *Universe) { u.when(general.Mask.Op, nil, rank(3, 4)) }, types: decoderTypes},
	{name: "silu", add: func(u *Universe) { u.always(general.Silu.Op, nil) }, types: decoderTypes},
	{name: "rmsnorm", add: func(u *Universe) { u.when(general.RMSNorm.Op, nil, rank(2, 3, 4)) }, types: decoderTypes},
	{name: "rotary", add: addRotary, types: decoderTypes},
	{name: "repeat", add: addRepeat, types: decoderTypes},
}

// addRotary adds rotary positions of all even numbers of features.
func addRotary(u *Universe) {
	var byHalf [maxCut/2 + 1]uint16
	for d := 1; d < len(byHalf); d++ {
		byHalf[d] = u.add(general.Rotary.Op, named{"half": graph.IntValue(d)})
	}
	u.template(general.Rotary.Op, func(a, _ []int, _ seamSet) []uint16 {
		if len(a) < 3 || a[len(a)-1]%2 != 0 || a[len(a)-1] > maxCut {
			return nil
		}
		return byHalf[a[len(a)-1]/2:][:1]
	})
}

// addRepeat adds heads that two queries share.
func addRepeat(u *Universe) {
	u.when(general.Repeat.Op, named{"times": graph.IntValue(partFactor)}, rank(4))
}
