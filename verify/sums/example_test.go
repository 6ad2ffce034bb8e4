package sums_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

func ExampleProveAll() {
	laws, err := law.Parse("example", []byte(`
# Images of a batch are convolved one by one.
axiom conv_concat_batch
  given s : stride, p : padding, a : act, X : [b, g*c, h, w], Y : [d, g*c, h, w], W : [o, c, kh, kw]
  let   conv(X, W) = conv2d[stride=s, pad=p, groups=g, act=a](X, W)
  then  conv(concat[axis=0](X, Y), W) == concat[axis=0](conv(X, W), conv(Y, W))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	rs, err := sums.ProveAll(context.Background(), laws, sums.Config{}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rs[0])
	// Output: proved for all sizes
}

func ExampleShow() {
	laws, err := law.Parse("example", []byte(`
# The third power grows.
rule cubes
  given p : padding, s : stride, X : [b, c, h, w]
  then  poolmax[kh=k, kw=m, stride=s, pad=p](ewmul(X, ewmul(X, X)))
     == ewmul(poolmax[kh=k, kw=m, stride=s, pad=p](X), ewmul(poolmax[kh=k, kw=m, stride=s, pad=p](X), poolmax[kh=k, kw=m, stride=s, pad=p](X)))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	l, proof, err := sums.Show(context.Background(), laws[0], 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(proof != nil, l.Tags)
	// Output: true [ordered]
}
