package saturate_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op" // the operators of the text
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/search/saturate"
)

// Two convolutions of one image, side by side, become one with both kernels.
func ExampleRun() {
	g, err := graph.ParseText("", `
x : float32[1, 16, 28, 28]
v : weight float32[32, 16, 3, 3]
w : weight float32[32, 16, 3, 3]
a = conv2d[pad=valid](x, v)
b = conv2d[pad=valid](x, w)
y = concat[axis=1](a, b)
return y
`)
	if err != nil {
		panic(err)
	}
	n, err := search.NewNetwork(g, nil)
	if err != nil {
		panic(err)
	}
	machine, err := cost.FindMachine("v100")
	if err != nil {
		panic(err)
	}
	_, err = saturate.Run(context.Background(), n, saturate.Options{
		Laws:   axioms.ByKind(law.Axiom),
		Price:  saturate.PriceOf(machine),
		Target: lower.CPU(),
		Best:   4, // of each part, judged by the plan of what would run
		Score:  saturate.ScoreOf(machine, lower.CPU()),
	})
	if err != nil {
		panic(err)
	}
	d, err := n.Derivation()
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Equation.RHS[0])
	for _, in := range d.Proof.Instances {
		fmt.Println("by", in.Law)
	}
	// Output:
	// conv2d[pad=valid](X0, concat[axis=0](X1, X2))
	// by conv_concat_out
}
