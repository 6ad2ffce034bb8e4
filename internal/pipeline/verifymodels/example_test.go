package verifymodels_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

func ExampleRun() {
	build := func(name, text string) *model.Model {
		g, err := graph.ParseText(name, text)
		if err != nil {
			fmt.Println(err)
		}
		return &model.Model{Name: name, Graph: g}
	}
	// (x + y) z = x z + y z
	a := build("factored", "x : float32[4]\ny : float32[4]\nz : float32[4]\ns = ewadd(x, y)\nout = ewmul(s, z)\nreturn out")
	b := build("expanded", "x : float32[4]\ny : float32[4]\nz : float32[4]\np = ewmul(x, z)\nq = ewmul(y, z)\nout = ewadd(p, q)\nreturn out")
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Exact.Verdict, r.Agree)
	// Output: equal true
}
