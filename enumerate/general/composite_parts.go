package general

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites that normalizations are made of. Each has the weights of the normalization.

// BatchNormScale multiplies each channel of an image by what batch normalization multiplies it by.
var BatchNormScale = newComposite(composite{
	Op: &graph.Op{Name: "batchnormscale", In: 1, Infer: inferChannels(1), AxisOf: ofFirst, Doc: "An image with the scales of batch normalization in it."},
	expand: func(x *expansion) *law.Term {
		return apply(op.EWMul, nil, x.args[0], perChannel(x, normScale(x, x.out[1:2])))
	},
})

// inferMatrix is the shape rule of an operator on matrices that keeps the shape.
func inferMatrix(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	x := in[0]
	if len(x) != 2 || x.HasAxisRun() {
		return nil, fmt.Errorf("shape %s: want two axes", x)
	}
	if len(in) == 2 {
		if err := f.EqShape(x[:1], in[1]); err != nil {
			return nil, fmt.Errorf("shapes %s and %s: want [k, n] and [k]: %w", x, in[1], err)
		}
	}
	return []graph.Shape{f.NormShape(x)}, nil
}

func copiedRow(x *expansion, v *law.Term) *law.Term {
	return apply(op.Broadcast, shapeAttr(x.out), v)
}

// Composites of batch normalization of the columns of a matrix.
var (
	BatchNormRows = newComposite(composite{
		Op: &graph.Op{Name: "batchnormrows", In: 1, Infer: inferMatrix, AxisOf: ofFirst, Doc: "Batch normalization of rows, with weights of its own."},
		expand: func(x *expansion) *law.Term {
			c := x.out[1:2]
			return apply(op.BatchNorm, named{"eps": x.number}, x.args[0], x.weight("K", c), x.weight("L", c), x.weight("M", c), x.weight("V", c))
		},
	})
	BatchNormRowsScale = newComposite(composite{
		Op: &graph.Op{Name: "batchnormrowsscale", In: 1, Infer: inferMatrix, AxisOf: ofFirst, Doc: "Rows with the scales of batch normalization in them."},
		expand: func(x *expansion) *law.Term {
			return apply(op.EWMul, nil, x.args[0], copiedRow(x, normScale(x, x.out[1:2])))
		},
	})
	BatchNormRowsBias = newComposite(composite{
		Op: &graph.Op{Name: "batchnormrowsbias", In: 1, Infer: inferMatrix, AxisOf: ofFirst, Doc: "Rows with the biases of batch normalization added."},
		expand: func(x *expansion) *law.Term {
			c := x.out[1:2]
			shift := apply(op.EWSub, nil, x.weight("L", c), apply(op.EWMul, nil, x.weight("M", c), normScale(x, c)))
			return apply(op.EWAdd, nil, x.args[0], copiedRow(x, shift))
		},
	})
)

// meanOf is the mean of each row, repeated along the row.
func meanOf(x *expansion, v *law.Term) *law.Term {
	return apply(op.Broadcast, shapeAttr(x.out), rowMean(x, v))
}

func rowMean(x *expansion, v *law.Term) *law.Term {
	return apply(op.ReduceMean, named{"axes": graph.TupleValue(int64(len(x.out) - 1)), "keep": graph.IntValue(1)}, v)
}

// Composites of layer normalization: it is affine(unitvariance(center(X))).
var (
	Center = newComposite(composite{
		Op:     &graph.Op{Name: "center", In: 1, Infer: inferRows, AxisOf: ofFirst, Doc: "Rows minus their means."},
		expand: func(x *expansion) *law.Term { return apply(op.EWSub, nil, x.args[0], meanOf(x, x.args[0])) },
	})
	UnitVariance = newComposite(composite{
		Op: &graph.Op{Name: "unitvariance", In: 1, Infer: inferRows, AxisOf: ofFirst, Doc: "Rows divided by the root of the mean of their squares."},
		expand: func(x *expansion) *law.Term {
			v := rowMean(x, apply(op.EWMul, nil, x.args[0], x.args[0]))
			return apply(op.EWMul, nil, x.args[0], apply(op.Broadcast, shapeAttr(x.out), apply(op.Rsqrt, named{"eps": x.number}, v)))
		},
	})
	Affine = newComposite(composite{
		Op: &graph.Op{Name: "affine", In: 1, Infer: inferRows, AxisOf: ofFirst, Doc: "Rows with the scale and bias of layer normalization."},
		expand: func(x *expansion) *law.Term {
			n := x.out[len(x.out)-1:]
			return apply(op.EWAdd, nil, apply(op.EWMul, nil, x.args[0], copiedRow(x, x.weight("K", n))), copiedRow(x, x.weight("L", n)))
		},
	})
)

// DivSum divides rows by their sums.
var DivSum = newComposite(composite{
	Op: &graph.Op{Name: "divsum", In: 1, Infer: inferRows, AxisOf: ofFirst, Doc: "Rows divided by their sums."},
	expand: func(x *expansion) *law.Term {
		sum := apply(op.ReduceSum, named{"axes": graph.TupleValue(int64(len(x.out) - 1)), "keep": graph.IntValue(1)}, x.args[0])
		return apply(op.EWDiv, nil, x.args[0], copiedRow(x, sum))
	},
})

// ScaleRows multiplies each row of a matrix by a number.
var ScaleRows = newComposite(composite{
	Op: &graph.Op{Name: "scalerows", In: 2, Infer: inferMatrix, AxisOf: ofFirst, Doc: "The product of a matrix and a scale of each row: [k, n] and [k]."},
	expand: func(x *expansion) *law.Term {
		column := apply(op.Reshape, shapeAttr(graph.Shape{x.out[0], graph.Axis(graph.Int(1))}), x.args[1])
		return apply(op.EWMul, nil, x.args[0], copiedRow(x, column))
	},
})

// A sharded normalization has copies of the weights, or shards of them. The mesh has one axis, which
// is the first of the operand.

func onShards(shape func(x *expansion) graph.Shape, how *graph.Op, x *expansion, name string) *law.Term {
	n := named{"on": graph.DimValue(x.out[0].Dim)}
	if how == op.Partition {
		n["axis"] = graph.IntValue(0)
	}
	return apply(how, n, x.weight(name, shape(x)))
}

func sharded(o *graph.Op, how *graph.Op, shape func(x *expansion) graph.Shape, names ...string) func(x *expansion) *law.Term {
	return func(x *expansion) *law.Term {
		args := []*law.Term{x.args[0]}
		for _, name := range names {
			args = append(args, onShards(shape, how, x, name))
		}
		n := named{"over": graph.ShapeValue(x.out[:1]), "eps": x.number}
		if o == op.LayerNorm {
			n["axis"] = graph.IntValue(int64(len(x.out) - 2))
		}
		return apply(o.Each(), n, args...)
	}
}

func inferShards(axes int) func(*graph.Unifier, graph.Attrs, []graph.Shape) ([]graph.Shape, error) {
	return func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if x := in[0]; len(x) != axes || x.HasAxisRun() {
			return nil, fmt.Errorf("shape %s: want %d axes", x, axes)
		}
		return []graph.Shape{f.NormShape(in[0])}, nil
	}
}

// Normalizations of shards.
var (
	ShardLayerNorm = newComposite(composite{
		Op:     &graph.Op{Name: "shardlayernorm", In: 1, Infer: inferShards(3), AxisOf: ofFirst, Doc: "Layer normalization of shards."},
		expand: sharded(op.LayerNorm, op.Replicate, func(x *expansion) graph.Shape { return x.out[2:] }, "K", "L"),
	})
	ShardBatchNorm = newComposite(composite{
		Op:     &graph.Op{Name: "shardbatchnorm", In: 1, Infer: inferShards(5), AxisOf: ofFirst, Doc: "Batch normalization of shards, each with all channels."},
		expand: sharded(op.BatchNorm, op.Replicate, func(x *expansion) graph.Shape { return x.out[2:3] }, "K", "L", "M", "V"),
	})
	ShardBatchNormChannels = newComposite(composite{
		Op: &graph.Op{Name: "shardbatchnormchannels", In: 1, Infer: inferShards(5), AxisOf: ofFirst, Doc: "Batch normalization of shards, each with channels of its own."},
		expand: sharded(op.BatchNorm, op.Partition, func(x *expansion) graph.Shape {
			return graph.Shape{graph.Axis(x.out[0].Dim.Mul(x.out[2].Dim))}
		}, "K", "L", "M", "V"),
	})
)

func inferShardPick(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	x, at := f.NormShape(in[0]), in[1]
	if len(x) < 2 || x[:2].HasAxisRun() || len(at) != 2 || at.HasAxisRun() {
		return nil, fmt.Errorf("shapes %s and %s: want [g, k, S..] and [g, m]", x, at)
	}
	if err := f.EqShape(x[:1], at[:1]); err != nil {
		return nil, fmt.Errorf("shapes %s and %s: want families over one mesh: %w", x, at, err)
	}
	return []graph.Shape{f.NormShape(slices.Concat(at, x[2:]))}, nil
}

func shardPickAxes(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
	switch axis {
	case 0:
		return []graph.OperandAxis{{Operand: 0}, {Operand: 1}}
	case 1:
		return []graph.OperandAxis{{Operand: 1, Axis: 1}}
	}
	return []graph.OperandAxis{{Operand: 0, Axis: axis}}
}

func shardPick(how *graph.Op, keys func(x *expansion) graph.Shape) func(x *expansion) *law.Term {
	return func(x *expansion) *law.Term {
		return apply(op.Pick.Each(), named{"over": graph.ShapeValue(x.in[0][:1]), "n": x.attrs[0]}, x.args[0], onShards(keys, how, x, "K"), x.args[1])
	}
}

// Rows of shards of a table that are looked up by keys.
var (
	ShardPick = newComposite(composite{
		Op: &graph.Op{Name: "shardpick", In: 2, Infer: inferShardPick, AxisOf: shardPickAxes, Params: pickSize, Doc: "Rows of shards looked up, each shard with keys of its own."},
		expand: shardPick(op.Partition, func(x *expansion) graph.Shape {
			return graph.Shape{graph.Axis(x.in[0][0].Dim.Mul(x.in[0][1].Dim))}
		}),
		free: freePick,
	})
	ShardPickCopies = newComposite(composite{
		Op:     &graph.Op{Name: "shardpickcopies", In: 2, Infer: inferShardPick, AxisOf: shardPickAxes, Params: pickSize, Doc: "Rows of shards looked up, all with the same keys."},
		expand: shardPick(op.Replicate, func(x *expansion) graph.Shape { return x.in[0][1:2] }),
		free:   freePick,
	})
)
