package optimize_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
)

// Laws are proved for sizes of at least 1. A proof that uses one at size 0, or that speaks
// of tensors without elements at all, is refused: nothing is defined there, and everything
// would follow.
func TestEmptyTensors(t *testing.T) {
	const head = "x : float32[2]\ne : float32[0]\n"
	// An input without elements is no variable: with one, the equation says nothing.
	a, b := written(t, head+"y = relu(x)\nreturn y"), written(t, head+"y = neg(x)\nz = neg(y)\nreturn z")
	refused(t, forged(t, "rule network given X : [2], E : [0] then relu(X) == neg(neg(X))", nil, ""), a, b, "sizes of at least 1")
	refused(t, forged(t, "rule network given X : [2], E : [n] then relu(X) == neg(neg(X))", nil, ""), a, b, "")
	same := written(t, head+"y = neg(x)\nz = neg(y)\nw = ewadd(z, x)\nreturn w")
	swapped := written(t, head+"y = neg(x)\nz = neg(y)\nw = ewadd(x, z)\nreturn w")
	swap := []law.InstanceText{{Law: "ewadd_comm", Tensors: map[string]string{"X": "neg(neg(X))", "Y": "X"}, Runs: map[string]string{"P": "[2]"}}}
	accepted(t, forged(t, "rule network given X : [2] then ewadd(neg(neg(X)), X) == ewadd(X, neg(neg(X)))", swap, ""), same, swapped)

	// Nor is a slice of nothing a term: it is not defined where sizes are at least 1.
	cut := "y = slice[axis=0, lo=1, hi=1](x)\nz = concat[axis=0](y, x)\n"
	a, b = written(t, "x : float32[2]\n"+cut+"return z"), written(t, "x : float32[2]\n"+cut+"r = relu(z)\nreturn r")
	const joined = "concat[axis=0](slice[axis=0, lo=1, hi=1](X), X)"
	refused(t, forged(t, "rule network given X : [2] then "+joined+" == relu("+joined+")", nil, ""), a, b, "is never at least 0")
	// The sum of no copies is not the sum of one and of the others.
	sum := func(n string) string { return "reducesum[axes=(0)](broadcast[shape=[" + n + ", 2]](X))" }
	a, b = written(t, "x : float32[2]\nc = broadcast[shape=[0, 2]](x)\ns = reducesum[axes=(0)](c)\nreturn s"),
		written(t, "x : float32[2]\nc = broadcast[shape=[0, 2]](x)\ns = reducesum[axes=(0)](c)\ny = ewadd(s, x)\nreturn y")
	refused(t, forged(t, "rule network given X : [2] then "+sum("0")+" == ewadd("+sum("0")+", X)", nil, ""), a, b, "is never at least 0")
	// A law whose size stands for 0, where the terms themselves have elements.
	halves := []law.InstanceText{{Law: "slice_concat_first", Tensors: map[string]string{"X": "X", "Y": "X"}, Dims: map[string]string{"a": "2", "b": "2", "i": "1", "j": "0"}}}
	c := written(t, "x : float32[2]\ny = relu(x)\nreturn y")
	refused(t, forged(t, "rule network given X : [2] then relu(X) == relu(X)", halves, ""), c, c, "")

	// A node that makes elements of none is cut, and compared as it is.
	nothing := "c = broadcast[shape=[0, 2]](x)\ns = reducesum[axes=(0)](c)\n"
	a = written(t, "x : float32[2]\n"+nothing+"y = ewadd(s, x)\nreturn y")
	b = written(t, "x : float32[2]\n"+nothing+"y = ewadd(x, s)\nreturn y")
	swap = []law.InstanceText{{Law: "ewadd_comm", Tensors: map[string]string{"X": "Z", "Y": "X"}, Runs: map[string]string{"P": "[2]"}}}
	cert := forged(t, "rule network given X : [2], Z : [2] then ewadd(Z, X) == ewadd(X, Z)", swap, "")
	accepted(t, cert, a, b)
	// It is no other such node.
	refused(t, cert, a, written(t, "x : float32[2]\nc = broadcast[shape=[0, 2]](x)\np = pad[before=(1, 0), after=(0, 0), value=3](c)\ns = reshape[shape=[2]](p)\ny = ewadd(x, s)\nreturn y"), "")
	// Results without elements have to be of one type.
	e, f := written(t, "x : float32[2]\ny = slice[axis=0, lo=0, hi=0](x)\nz = relu(x)\nreturn y, z"), written(t, "x : float32[2]\ny = broadcast[shape=[0, 2]](x)\nz = relu(x)\nreturn y, z")
	cert = forged(t, "rule network given X : [2] then relu(X) == relu(X)", nil, "")
	accepted(t, cert, e, e)
	refused(t, cert, e, f, "output 0")
}

// A model with tensors without elements is optimized where it has some, and the proof
// speaks of these.
func TestEmptyOptimized(t *testing.T) {
	const twice = "p = matmul(z, w)\nq = matmul(x, w)\nb = ewadd(p, q)\n" // one product is enough
	for _, text := range []string{
		"e : float32[0, 30]\ny : float32[20, 30]\nx : float32[20, 30]\nw : weight float32[30, 30]\nz = concat[axis=0](e, y)\n" + twice + "return b",
		"x : float32[20, 30]\nw : weight float32[30, 30]\ns = split[axis=0, at=20](x)\nz = relu(s.0)\n" + twice + "return b, s.1",
		"x : float32[20, 30]\ne : weight float32[0, 30]\nw : weight float32[30, 30]\ny = matmul(e, w)\nz = concat[axis=0](y, x)\nr = reducesum[axes=(0)](y)\n" + twice + "return b, y, r",
		"x : float32[20, 30]\nw : weight float32[30, 30]\ne : float32[20, 0]\nf : float32[0, 30]\nz = matmul(e, f)\ng = relu(e)\nh = relu(g)\n" + twice + "return b, h",
	} {
		m := written(t, text)
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Tries: 200})
		if err != nil || !res.ProofChecked || res.StepCount == 0 {
			t.Errorf("%s:\n%v", text, err)
			if res != nil {
				t.Errorf("%d steps, proof accepted: %t", res.StepCount, res.ProofChecked)
			}
			continue
		}
		p, err := optimize.Prove(context.Background(), m, res.Model, optimize.Options{Tries: 200})
		if err != nil || !p.Equal {
			t.Errorf("%s:\n%v, %+v", text, err, p)
		}
	}
	// With nothing that has elements there is nothing to prove.
	m := written(t, "x : float32[0, 3]\ny = relu(x)\nreturn y")
	if _, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Tries: 20}); err == nil || err.Error() != "model model: no output has elements: there is nothing to optimize" {
		t.Errorf("%v", err)
	}
}
