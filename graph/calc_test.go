package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
)

func ExampleCalc() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2, 3)
	c := graph.NewCalc(&b)
	var y graph.Tensor
	err := c.Do(func() {
		mean := c.Mean(x, true, 1)
		y = c.Sub(x, c.Broadcast(mean, 2, 3))
		y = c.Add(y, c.Sub(x, c.Broadcast(c.Mean(x, true, 1), 2, 3))) // made once
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Finish(y)
	fmt.Print(g)
	fmt.Println(err)
	// Output:
	// x : float32[2, 3]
	// t2 = reducesum[axes=(1), keep=1](x)
	// t3 = fill[shape=[], den=3]()
	// t4 = smul(t2, t3)
	// t5 = broadcast[shape=[2, 3]](t4)
	// t6 = ewsub(x, t5)
	// t7 = ewadd(t6, t6)
	// return t7
	// <nil>
}

func ExampleOp_Backward() {
	tanh, _ := graph.Lookup("tanh")
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 3)
	y, _ := b.Apply("y", tanh, graph.Attrs{}, x)
	d, _ := b.AddInput("d", graph.Float32, 3)
	in, err := tanh.Backward(&graph.Backward{Calc: graph.NewCalc(&b), In: []graph.Tensor{x}, Out: []graph.Tensor{y.Out(0)},
		D: []graph.Tensor{d}, Want: []bool{true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Finish(in...)
	fmt.Print(g)
	fmt.Println(err)
	// Output:
	// x : float32[3]
	// y = tanh(x)
	// d : float32[3]
	// t4 = fill[shape=[]]()
	// t5 = broadcast[shape=[3]](t4)
	// t6 = ewmul(y, y)
	// t7 = ewsub(t5, t6)
	// t8 = ewmul(d, t7)
	// return t8
	// <nil>
}

// What would change nothing is not written.
func TestCalcWritesNoCopies(t *testing.T) {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2, 1)
	c := graph.NewCalc(&b)
	err := c.Do(func() {
		for what, y := range map[string]graph.Tensor{
			"reshape": c.Reshape(x, 2, 1), "broadcast": c.Broadcast(x, 2, 1), "transpose": c.Transpose(x, 0, 1),
			"slice": c.Slice(x, 0, 0, 2), "pad": c.PadAxis(x, 1, 0, 0), "reverse": c.Reverse(x, 1), "sum": c.Sum(x, true),
			"sum to": c.SumTo(x, 2, 1), "times": c.Times(x, 3, 3), "total": c.Total(x, graph.Tensor{}),
		} {
			if y != x {
				t.Errorf("%s writes a copy", what)
			}
		}
	})
	if err != nil || b.Graph().Len() != 1 {
		t.Errorf("%d nodes, %v", b.Graph().Len(), err)
	}
}

func TestCalcErrors(t *testing.T) {
	for want, f := range map[string]func(c *graph.Calc, x graph.Tensor){
		"there is no operator nothing":                func(c *graph.Calc, x graph.Tensor) { c.Op("nothing", nil, x) },
		"operator softmax: attribute axis is missing": func(c *graph.Calc, x graph.Tensor) { c.Op("softmax", nil, x) },
		"size 2 is not 3":                             func(c *graph.Calc, x graph.Tensor) { c.MatMul(x, x) },
	} {
		var b graph.Builder
		x, _ := b.AddInput("x", graph.Float32, 3, 2)
		c := graph.NewCalc(&b)
		if err := c.Do(func() { f(c, x) }); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "2 is not 3") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Copies of all kinds of nodes are the nodes, and names are given once.
func TestCopyAndRename(t *testing.T) {
	var a graph.Builder
	x, _ := a.AddInput("x", graph.Int64, 2)
	w, _ := a.AddWeight("w", graph.Float32, 4, 3)
	gather, _ := graph.Lookup("gather")
	y, _ := a.Apply("y", gather, graph.Attrs{graph.IntValue(0)}, w, x)
	z, _ := a.Opaque("z", "Odd", "payload", []graph.Tensor{y.Out(0)}, []graph.TensorType{{DType: graph.Float16, Sizes: []int{2}}, {}})
	fill, _ := graph.Lookup("fill")
	one, _ := a.Constant("one", graph.Float64, fill, fill.MustAttr(map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(2))}))
	g, err := a.Finish(z.Out(1), one.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	var b graph.Builder
	for id := range g.Nodes() {
		if to, err := b.Copy(g, id, g.Operands(id)); err != nil || to != id {
			t.Fatalf("node %d is %d, %v", id, to, err)
		}
	}
	h, err := b.Finish(g.Outputs()...)
	if err != nil || !g.Equal(h) {
		t.Errorf("copy differs, %v\n%s", err, h)
	}

	relu, _ := graph.Lookup("relu")
	for _, c := range []struct{ first, second, want string }{
		{"r", "", "<nil>"}, {"x", "", "node x: the name is empty or taken"}, {"", "", `node "": the name is empty or taken`},
		{"r", "s", "node 2 has a name, or is not there"},
	} {
		var b graph.Builder
		x, _ := b.AddInput("x", graph.Float32, 2)
		r, _ := b.Apply("", relu, graph.Attrs{}, x)
		err := b.Rename(r, c.first)
		if err == nil && c.second != "" {
			err = b.Rename(r, c.second)
		}
		if fmt.Sprint(err) != c.want {
			t.Errorf("%v: got %v", c, err)
		}
		g, finished := b.Finish(r.Out(0))
		if (finished == nil) != (err == nil) || err == nil && g.Name(r) != c.first {
			t.Errorf("%v: %v", c, finished)
		}
	}
}
