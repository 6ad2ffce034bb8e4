package kernel_test

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// A product by a library takes what it can of the elementwise operators behind it; a kernel
// that is generated does the rest, or takes all of them where there is no library.
func ExampleCalls() {
	g, err := graph.ParseText("dense layer", `
x : float32[8, 64]
w : weight float32[64, 100]
b : weight float32[100]
p = matmul(x, w)
bb = broadcast[shape=[8, 100]](b)
q = ewadd(p, bb)
y = tanh(q)
return y`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := lower.Graph(g, lower.CUDA(), lower.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, lib := range []kernel.Libraries{{CublasLt: true}, {}} {
		calls, scratch, err := kernel.Calls(p, &p.Run[0], lib)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d calls, %d bytes of scratch memory\n", len(calls), scratch)
		for _, c := range calls {
			switch {
			case c.Matmul != nil:
				m := c.Matmul
				fmt.Printf("  product [%d, %d] x [%d, %d], bias %v, %d launches instead\n", m.M, m.K, m.K, m.N, m.Bias.Value != lower.None, len(c.Fallback))
			case c.Launch != nil:
				fmt.Println("  kernel in", c.Launch.Grid, "blocks of", c.Launch.Block, "threads, with tanh:", strings.Contains(c.Launch.Source, "tanhf("))
			}
		}
	}
	// Output:
	// 2 calls, 0 bytes of scratch memory
	//   product [8, 64] x [64, 100], bias true, 1 launches instead
	//   kernel in [4 1 1] blocks of [256 1 1] threads, with tanh: true
	// 1 calls, 0 bytes of scratch memory
	//   kernel in [2 1 1] blocks of [16 16 1] threads, with tanh: true
}
