package taso_test

import (
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
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
