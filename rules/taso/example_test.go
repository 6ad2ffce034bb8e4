package taso_test

import (
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

func mustRule(src string) *rules.Rule {
	r, err := rules.Parse(src)
	if err != nil {
		panic(err)
	}
	return r
}

func ExampleTo() {
	r := mustRule(`rule a given p : padding, X : [b, c, h, w], W : [o, c, k, l]
	  then relu(conv2d[pad=p](X, W)) == conv2d[pad=p, act=relu](X, W)`)
	back := mustRule(`rule b given X : [m, n] then transpose(transpose(X)) == X`)
	c, skips := taso.To([]*rules.Rule{r, back}, taso.Reading{})
	for i := range c.Rules {
		fmt.Println(c.Rules[i].String())
	}
	for _, s := range skips {
		fmt.Println("skipped:", s.Reason)
	}
	// Output:
	// relu(conv2d[stride=1x1, pad=same, act=none](x1, x2)) => conv2d[stride=1x1, pad=same, act=relu](x1, x2)
	// conv2d[stride=1x1, pad=same, act=relu](x1, x2) => relu(conv2d[stride=1x1, pad=same, act=none](x1, x2))
	// relu(conv2d[stride=1x1, pad=valid, act=none](x1, x2)) => conv2d[stride=1x1, pad=valid, act=relu](x1, x2)
	// conv2d[stride=1x1, pad=valid, act=relu](x1, x2) => relu(conv2d[stride=1x1, pad=valid, act=none](x1, x2))
	// skipped: a side is the input A
}

func ExampleFrom() {
	r := mustRule(`rule a given X : [m, k], A : [k, a], B : [k, b]
	  then (matmul(X, A), matmul(X, B)) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B)))`)
	c, _ := taso.To([]*rules.Rule{r}, taso.Reading{})
	for _, tr := range taso.From(c, taso.Reading{})[:1] {
		fmt.Println(law.FormatOutputs(tr.Law.RHS))
		fmt.Println(law.ID(tr.Law) == r.ID(), tr.Err)
	}
	// Output:
	// (matmul(X1, X3), matmul(X1, X2))
	// true <nil>
}

// For a program that has tensors of three axes.
func ExampleInstances() {
	r := mustRule(`rule a given Y : [P.., a, S..], Z : [P.., b, S..]
	  then relu(concat[axis=#P](Y, Z)) == concat[axis=#P](relu(Y), relu(Z))`)
	all, _ := taso.Instances([]*rules.Rule{r}, taso.Reading{}, 3)
	for _, w := range all[:2] {
		fmt.Println(w.Instance, w.Backward, w.TASO.String())
	}
	fmt.Println(len(all))
	// Output:
	// P.. = 0 axes, Q.. = 2 axes false concat[numdim=3, axis=0](relu(x1), relu(x2)) => relu(concat[numdim=3, axis=0](x1, x2))
	// P.. = 0 axes, Q.. = 2 axes true relu(concat[numdim=3, axis=0](x1, x2)) => concat[numdim=3, axis=0](relu(x1), relu(x2))
	// 6
}

func ExampleAt() {
	// conv2d(x1, w) + conv2d(x2, w) => conv2d(x1 + x2, w), the images having one channel and two.
	same := func(k int32) []tasopb.Parameter {
		return []tasopb.Parameter{{Key: tasopb.ParamStrideH, Value: 1}, {Key: tasopb.ParamStrideW, Value: 1},
			{Key: tasopb.ParamPad, Value: 0}, {Key: tasopb.ParamActi, Value: k}}
	}
	r := &tasopb.Rule{
		SrcOps: []tasopb.Operator{
			{Type: tasopb.OpConv2D, Params: same(0), Inputs: []tasopb.Tensor{{OpID: -1}, {OpID: -3}}},
			{Type: tasopb.OpConv2D, Params: same(0), Inputs: []tasopb.Tensor{{OpID: -2}, {OpID: -3}}},
			{Type: tasopb.OpEwAdd, Inputs: []tasopb.Tensor{{OpID: 0}, {OpID: 1}}},
		},
		DstOps: []tasopb.Operator{
			{Type: tasopb.OpEwAdd, Inputs: []tasopb.Tensor{{OpID: -1}, {OpID: -2}}},
			{Type: tasopb.OpConv2D, Params: same(0), Inputs: []tasopb.Tensor{{OpID: 0}, {OpID: -3}}},
		},
		Mapped: []tasopb.MapOutput{{SrcOpID: 2, DstOpID: 1}},
	}
	l, err := taso.At(r, taso.Reading{Grouped: true}, taso.Point{Broadcast: true,
		Shapes: map[string][]int{"X1": {1, 1, 1, 1}, "X2": {1, 2, 1, 1}, "X3": {2, 1, 3, 5}}})
	if err != nil {
		panic(err)
	}
	fmt.Print(law.Format(l))
	// Output:
	// rule rule_0
	//   given X1 : [1, 1, 1, 1], X3 : [2, 1, 3, 5], X2 : [1, 2, 1, 1]
	//   then  ewadd(conv2d[pad=same_upper](X1, X3), conv2d[pad=same_upper, groups=2](X2, X3))
	//      => conv2d[pad=same_upper, groups=2](ewadd(X1, X2), X3)
}
