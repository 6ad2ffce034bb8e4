package parallel_test

import (
	"context"
	"fmt"
	"log"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/verify/check"
)

// In which ways can a product of matrices be spread over two devices? By rows, by columns,
// where a factor is a partial sum, and by what is summed over.
func ExampleStrategies() {
	all, err := parallel.NewStrategies().Of(context.Background(), op.MatMul, nil, [][]int{{64, 32}, {32, 16}}, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range all {
		fmt.Println(s.In, "->", s.Out)
	}
	fmt.Println(all[5].Laws[0].LHS[0], "==", all[5].Laws[0].RHS[0])
	// Output:
	// [copy copy] -> [copy]
	// [shard 0 copy] -> [shard 0]
	// [copy shard 1] -> [shard 1]
	// [sum copy] -> [sum]
	// [copy sum] -> [sum]
	// [shard 1 shard 0] -> [sum]
	// reduce(matmul(X0, X1)) == matmul(combine[axis=1](X0), combine[axis=0](X1))
}

// A layer is laid out by the rows of its weights, and the checker accepts that it computes
// the same.
func ExampleLaying() {
	ctx := context.Background()
	g, err := graph.ParseText("layer", `
x : float32[8, 4]
w : weight float32[4, 6]
y = matmul(x, w)
return y`)
	if err != nil {
		log.Fatal(err)
	}
	l := parallel.NewLaying(g, parallel.NewStrategies())
	err = l.Along(ctx, 2, parallel.Choice{Of: func(id graph.NodeID) []*parallel.Strategy {
		all, err := l.Strategies(ctx, id, 2)
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range all {
			if s.Out[0].Kind == parallel.Sum && s.In[0].Kind == parallel.Shard {
				return []*parallel.Strategy{s}
			}
		}
		return nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(l.Graph())
	r, err := check.Rule(l.Equation(), l.Proof(), check.Laws(l.Laws()))
	fmt.Println(r.Instances, err)
	// Output:
	// x : float32[8, 4]
	// w : weight float32[4, 6]
	// x_shard1_a = partition[axis=1, on=2](x)
	// w_shard0_a = partition[axis=0, on=2](w)
	// y = matmul(x_shard1_a, w_shard0_a)
	// y_whole_a = reduce(y)
	// return y_whole_a
	// 3 <nil>
}
