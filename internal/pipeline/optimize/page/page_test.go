package page_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/page/pagetest"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/optimize/page"
	"github.com/taso-go/taso/model"

	_ "github.com/taso-go/taso/graph/op"
)

// evil is text that would be markup, or run, if it were not escaped.
const evil = `</script><script>alert("x")</script><img src=x onerror='alert(1)'>`

const products = `
x : float32[4, 8]
v : weight float32[8, 16]
w : weight float32[8, 16]
q = matmul(x, v)
k = matmul(x, w)
y = ewadd(q, k)
return y
`

// optimized is a model, and what has become of it by a method.
func optimized(text string, method optimize.Method) (*model.Model, *optimize.Result, error) {
	g, err := graph.ParseText("products", text)
	if err != nil {
		return nil, nil, err
	}
	m := &model.Model{Name: "products", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(model.Seed(1, g.Name(id)), g.Sizes(id.Out(0)), 1)
		}
	}
	v100, err := cost.FindMachine("v100")
	if err != nil {
		return nil, nil, err
	}
	r, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: v100, CostName: "v100", Method: method, Tries: 1000})
	return m, r, err
}

func ExampleWrite() {
	m, r, err := optimized(products, optimize.Descend)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b bytes.Buffer
	if err := page.Write(&b, m, r); err != nil {
		fmt.Println(err)
		return
	}
	// The plot of costs in two widths, both sides of the law, both graphs.
	fmt.Println(bytes.HasPrefix(b.Bytes(), []byte("<!DOCTYPE html>")), r.StepCount, bytes.Count(b.Bytes(), []byte("<svg")))
	// Output: true 1 6
}

func ExampleSVG() {
	m, r, err := optimized(products, optimize.Descend)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	if err := page.SVG(&b, m, r); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(b.String(), ">before: x<"), strings.Count(b.String(), ">after: x<"))
	// Output: 1 1
}

// Pages are well formed, whatever texts are in them, and run no script but their own.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name, text string
		method     optimize.Method
		says       []string
	}{
		{"descend", products, optimize.Descend, []string{"Cost after each step", "cost, µs", "merge_products", "saved: ", "1 step,"}},
		{"saturate", products, optimize.Saturate, []string{"have no costs of their own", "found together"}},
		{"nothing", "x : float32[4, 8]\ny = exp(x)\nreturn y", optimize.Descend, []string{"No improvement found"}},
	} {
		m, r, err := optimized(c.text, c.method)
		if err != nil {
			t.Fatal(err)
		}
		m.Name = evil
		r.CostModel = evil
		for i := range r.Steps {
			r.Steps[i].Why = evil
			r.Steps[i].Removed, r.Steps[i].Where = []string{evil}, []string{evil}
		}
		var b bytes.Buffer
		if err := page.Write(&b, m, r); err != nil {
			t.Fatal(err)
		}
		pagetest.Check(t, b.String())
		for _, s := range c.says {
			if !strings.Contains(b.String(), s) {
				t.Errorf("%s: the page does not say %q", c.name, s)
			}
		}
		b.Reset()
		if err := page.SVG(&b, m, r); err != nil {
			t.Fatal(err)
		}
		pagetest.Elements(t, b.String())
	}
}

// What changed is marked, and nothing else.
func TestMarks(t *testing.T) {
	m, r, err := optimized(strings.Replace(products, "return y", "z = exp(x)\nreturn y, z", 1), optimize.Descend)
	if err != nil {
		t.Fatal(err)
	}
	names := func(g *graph.Graph, ids map[graph.NodeID]bool) (out []string) {
		for id := range g.Nodes() {
			if ids[id] {
				out = append(out, g.Op(id).Name)
			}
		}
		return out
	}
	if got := fmt.Sprint(names(m.Graph, r.Gone)); got != "[matmul matmul ewadd]" {
		t.Errorf("gone: %s", got)
	}
	for _, n := range names(r.Model.Graph, r.Made) {
		if n == "exp" {
			t.Error("what did not change is marked")
		}
	}
	if len(r.Made) == 0 {
		t.Error("nothing was made")
	}
}
