package enumerate

// InputType is a group of inputs of one shape.
type InputType struct {
	Name   string
	Sizes  []int // in the case
	Count  int   // inputs of this type, at most 4
	Weight bool  // not used as the image of a convolution or pool
	// Seam is, by axis, where a tensor of this type counts as joined, so that it is split
	// there; 0: nowhere.
	Seam []int
	// Defined: an operator that a text defines asks for it.
	Defined bool
	// Most is the most operators of a term with such inputs; 0: any number.
	Most int
}

// joined are inputs of two images, of twice as many kernels and of the same of one row, that
// are split: what a split does below or above an operator is said by terms of two
// operators over these, and with inputs that are not joined only by much larger ones.
func joined() []InputType {
	return []InputType{
		{Name: "j", Sizes: []int{2, 2, 4, 5}, Count: 1, Seam: []int{1, 1}, Most: 2},
		{Name: "k", Sizes: []int{4, 2, 3, 3}, Count: 1, Weight: true, Seam: []int{2, 1}, Most: 2},
		{Name: "r", Sizes: []int{4, 2, 1, 3}, Count: 1, Weight: true, Seam: []int{2, 1}, Most: 2},
	}
}

// DefaultTypes are the typed inputs of TASO's operators. Sizes: x is [m, k], w
// is [k, k], images are [b, c, h, w], kernels [c, c, kh, kw], d a depthwise
// kernel [c, 1, 3, 3].
func DefaultTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{2, 3}, Count: 3},
		{Name: "w", Sizes: []int{3, 3}, Count: 3},
		{Name: "i", Sizes: []int{1, 2, 4, 5}, Count: 3},
		{Name: "u", Sizes: []int{2, 2, 3, 3}, Count: 3, Weight: true},
		{Name: "v", Sizes: []int{2, 2, 1, 3}, Count: 3, Weight: true},
		{Name: "t", Sizes: []int{2, 2, 3, 1}, Count: 3, Weight: true},
		{Name: "d", Sizes: []int{2, 1, 3, 3}, Count: 1, Weight: true},
		{Name: "s", Sizes: []int{}, Count: 2},
	}
}

// sequenceTypes are the inputs of networks over sequences: y is [b, s, h*d], a
// batch of b sequences of s positions; q is [b, h, s, d], its heads; w is [h*d,
// h*d], a weight, and as large as the b*s rows of y; n is [h*d], a bias or the
// scale of a normalization. The factors of each size differ (2 and 3), so that
// an axis that is joined and parted again is told from another.
func sequenceTypes() []InputType {
	return []InputType{
		{Name: "y", Sizes: []int{2, 3, 6}, Count: 2},
		{Name: "q", Sizes: []int{2, 2, 3, 3}, Count: 2},
		{Name: "w", Sizes: []int{6, 6}, Count: 3},
		{Name: "n", Sizes: []int{6}, Count: 2},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}

// decoderTypes are the inputs of language models: y is [b, s, h*d], q is [b, h, s, d], its
// heads, which are even in d, p is [b, h, s, s], scores, m a mask of scores, [s, s], w a
// weight, n a gain. A weight is also as large as the features of two heads.
func decoderTypes() []InputType {
	return []InputType{
		{Name: "y", Sizes: []int{2, 3, 8}, Count: 2},
		{Name: "q", Sizes: []int{2, 2, 3, 4}, Count: 2},
		{Name: "p", Sizes: []int{2, 2, 3, 3}, Count: 1},
		{Name: "m", Sizes: []int{3, 3}, Count: 1},
		{Name: "w", Sizes: []int{8, 8}, Count: 2},
		{Name: "n", Sizes: []int{8}, Count: 1},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}

// imageTypes are the inputs of convolutional networks with biases: images
// [b, c, h, w], kernels [c, c, kh, kw] of two sizes, and one number a channel.
func imageTypes() []InputType {
	return []InputType{
		{Name: "i", Sizes: []int{1, 2, 4, 5}, Count: 2},
		{Name: "u", Sizes: []int{2, 2, 3, 3}, Count: 2, Weight: true},
		{Name: "o", Sizes: []int{2, 2, 1, 1}, Count: 1, Weight: true},
		{Name: "c", Sizes: []int{2}, Count: 2},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}
