package parallel_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/parallel"
)

// Two linear layers on two devices: the columns of the first matrix, the rows of the second.
const layers = `
x : float32[4, 2]
v : weight float32[2, 6]
w : weight float32[6, 3]
px = replicate[on=2](x)
pv = partition[axis=1, on=2](v)
pw = partition[axis=0, on=2](w)
h = matmul(px, pv)
r = relu(h)
y = matmul(r, pw)
z = reduce(y)
return z
`

func ExampleNew() {
	g, err := graph.ParseText("layers", layers)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := parallel.New(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range g.Nodes() {
		if l := p.Layout(id.Out(0)); len(l) > 0 {
			fmt.Println(g.Name(id), "\t", p.LayoutText(l))
		}
	}
	for _, c := range p.Collectives {
		fmt.Println(c.Kind, c.Total, "bytes")
	}
	// Output:
	// px 	 a=2 copy
	// pv 	 a=2 shard 1
	// pw 	 a=2 shard 0
	// h 	 a=2 shard 1
	// r 	 a=2 shard 1
	// y 	 a=2 sum
	// broadcast 32 bytes
	// scatter 24 bytes
	// scatter 36 bytes
	// reduce 48 bytes
}

func ExampleRun() {
	g, err := graph.ParseText("halves", `
x : float32[4]
p = partition[axis=0, on=2](x)
r = relu(p)
c = combine[axis=0](r)
a = replicate[on=2](c)
z = reduce(a)
return z
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := parallel.New(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := parallel.Run(context.Background(), p, interp.Float{}, []interp.Tensor[float64]{{Sizes: []int{4}, Data: []float64{-1, 2, 3, -4}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Outputs[0].Data)
	for i, c := range p.Collectives {
		fmt.Println(c.Kind, "sent by device", res.Counts[i].Sent)
	}
	for _, f := range p.Findings {
		fmt.Println(f.Text)
	}
	// Output:
	// [0 4 6 0]
	// scatter sent by device [8 0]
	// all-gather sent by device [8 8]
	// reduce sent by device [0 16]
	// node z: operator reduce: mesh axis a of a is: copy
}

func ExampleAtDegrees() {
	l, err := law.ParseLaw(`rule row_linear
  given X : [m, g*k], W : [g*k, n]
  then  matmul(X, W) == reduce(matmul(partition[axis=1, on=g](X), partition[axis=0, on=g](W)))
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(parallel.Degrees(l))
	for _, m := range parallel.AtDegrees(l, 2, 4) {
		fmt.Println(m.Name, m.Given[0].Shape)
	}
	// Output:
	// [g]
	// row_linear_g2 [m, 2*k]
	// row_linear_g4 [m, 4*k]
}

func ExamplePCG_Member() {
	g, err := graph.ParseText("rows", "x : float32[6]\np = partition[axis=0, on=3](x)\nz = combine[axis=0](p)\nreturn z")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := parallel.New(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"x", "p"} {
		id, _ := g.Find(name)
		for d := range p.Devices() {
			place, has := p.Member(id.Out(0), d)
			fmt.Println(name, "on device", d, has, place)
		}
	}
	// Output:
	// x on device 0 true []
	// x on device 1 false []
	// x on device 2 false []
	// p on device 0 true [0]
	// p on device 1 true [1]
	// p on device 2 true [2]
}

func ExampleLaidOut() {
	for _, text := range []string{"x : float32[4]\nz = relu(x)\nreturn z", layers} {
		g, err := graph.ParseText("g", text)
		fmt.Println(parallel.LaidOut(g), err)
	}
	// Output:
	// false <nil>
	// true <nil>
}

// Two devices have half of the samples each, and what they find of the weights' gradient
// is added up.
func ExamplePCG_Pullback() {
	g, err := graph.ParseText("samples", `
x : float32[4, 2]
w : weight float32[2, 3]
px = partition[axis=0, on=2](x)
pw = replicate[on=2](w)
y = matmul(px, pw)
z = combine[axis=0](y)
return z
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := parallel.New(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := g.Find("w")
	h, err := p.Pullback([]graph.NodeID{w})
	fmt.Print(h)
	fmt.Println(err)
	// Output:
	// x : float32[4, 2]
	// w : weight float32[2, 3]
	// px = partition[axis=0, on=2](x)
	// pw = replicate[on=2](w)
	// y = matmul(px, pw)
	// z = combine[axis=0](y)
	// d_z : float32[4, 3]
	// t8 = partition[axis=0, on=2](d_z)
	// t11 = each_transpose[over=[2]](px)
	// t12 = matmul(t11, t8)
	// t13 = reduce(t12)
	// return z, t13
	// <nil>
}
