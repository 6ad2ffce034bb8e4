package onnx

// constantOperators give constants, sizes, or tensors of a type.
func constantOperators() []*operator {
	return []*operator{
		{name: "Constant", versions: "1 9 11 12 13 19 21 23 24 25", lower: func(c *call) { c.set(c.literal()) },
			attrs: "!sparse_value value value_float value_floats value_int value_ints !value_string !value_strings"},
		{name: "ConstantOfShape", versions: "9 20 21 23 24 25", attrs: "value", lower: lowerConstantOfShape},
		{name: "EyeLike", versions: "9 22", attrs: "dtype k", lower: lowerEyeLike},
		{name: "Range", versions: "11", fold: evalRange},
		{name: "Shape", versions: "1 13 15 19 21 23 24 25", attrs: "end start", lower: lowerShape},
		{name: "Size", versions: "1 13 19 21 23 24 25", lower: lowerShape},
		{name: "Cast", versions: "1 6 9 13 19 21 23 24 25", attrs: "round_mode saturate to", lower: lowerCast, types: castType,
			writes: map[string]writer{"cast": writeCast}},
		{name: "CastLike", versions: "15 19 21 23 24 25", attrs: "round_mode saturate", lower: lowerCastLike, types: castLikeType},
		{name: "BitCast", versions: "26", attrs: "to", lower: lowerBitCast, fold: evalBitCast, types: castType},
	}
}

func lowerShape(c *call) { c.set(c.shape(c.need(1, 1)[0])) }

// randomOperators are kept, with the types of what they draw.
func randomOperators() []*operator {
	return []*operator{
		{name: "Bernoulli", versions: "15 22", attrs: "dtype seed", types: randomType},
		{name: "RandomNormalLike", versions: "1 22", attrs: "dtype mean scale seed", types: randomType},
		{name: "RandomUniformLike", versions: "1 22", attrs: "dtype high low seed", types: randomType},
	}
}
