package saturate_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/search/saturate"
)

// A product of weights that is too much work to be computed ahead is not free because a
// sum goes into its kernel.
func TestHeavyWithTail(t *testing.T) {
	g, err := graph.ParseText("model", `x : float32[64, 1024]
u : weight float32[1024, 1024]
v : weight float32[1024, 1024]
w : weight float32[1024, 1024]
p = matmul(v, w)
r = ewadd(p, u)
y = matmul(x, r)
return y`)
	if err != nil {
		t.Fatal(err)
	}
	n, err := search.NewNetwork(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	square := graph.TensorType{DType: graph.Float32, Sizes: []int{1024, 1024}}
	product, err := o.Price(op.MatMul, nil, []graph.TensorType{square, square}, []graph.TensorType{square})
	if err != nil {
		t.Fatal(err)
	}
	st, err := saturate.Run(context.Background(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	if st.Before < product.Alone {
		t.Errorf("the network costs %d ps, the product of weights alone %d", st.Before, product.Alone)
	}
}
