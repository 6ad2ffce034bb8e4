package optimize_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// forged is a certificate of one equation with instances written out, from the
// axioms of this program that they name and the laws of a text.
func forged(t *testing.T, equation string, proof []law.InstanceText, believed string) []byte {
	t.Helper()
	var text []*law.Law
	for _, a := range axioms.ByKind(law.Axiom) {
		if slices.ContainsFunc(proof, func(in law.InstanceText) bool { return in.Law == a.Name }) && !strings.Contains(believed, " "+a.Name+"\n") {
			text = append(text, a)
		}
	}
	more, err := law.Parse("believed", []byte(believed))
	if err != nil {
		t.Fatal(err)
	}
	for i := range proof { // every variable is bound, runs to nothing if they are not
		for _, l := range append(slices.Clone(text), more...) {
			if _, runs := law.Variables(l); l.Name == proof[i].Law && len(runs) > 0 && proof[i].Runs == nil {
				proof[i].Runs = map[string]string{}
				for _, r := range runs {
					proof[i].Runs[r] = "[]"
				}
			}
		}
	}
	var b bytes.Buffer
	w := law.NewCertWriter(&b, law.FormatAll(append(text, more...)))
	if err := errors.Join(w.Rule(law.TextEntry("network", equation, proof)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// written is a model from its text, with weights drawn by their names.
func written(t *testing.T, text string) *model.Model {
	t.Helper()
	g, err := graph.ParseText("model", text)
	if err != nil {
		t.Fatal(err)
	}
	return bound(t, g)
}

func bound(t *testing.T, g *graph.Graph) *model.Model {
	t.Helper()
	m := &model.Model{Name: "model", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		switch typ := g.Type(id.Out(0)); {
		case !g.IsWeight(id):
		case typ.DType == graph.Float32:
			m.Weights[id] = model.Random(model.Seed(1, g.Name(id)), typ.Sizes, 1)
		default:
			m.Weights[id] = model.FromBytes(typ.DType, typ.Sizes, make([]byte, graph.NumElements(typ.Sizes)*typ.DType.Bytes()))
		}
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// verdictOf is the verdict on a certificate: nil if it is accepted.
func verdictOf(t *testing.T, cert []byte, a, b *model.Model) error {
	t.Helper()
	_, err := optimize.CheckProof(context.Background(), bytes.NewReader(cert), "forged", a, b, false)
	if rejected := (*optimize.Rejected)(nil); err != nil && !errors.As(err, &rejected) {
		t.Fatalf("an error that is no rejection: %v", err)
	}
	return err
}

func refused(t *testing.T, cert []byte, a, b *model.Model, why string) {
	t.Helper()
	switch err := verdictOf(t, cert, a, b); {
	case err == nil:
		t.Error("a false proof is accepted")
	case !strings.Contains(err.Error(), why):
		t.Errorf("rejected for %q, want %q", err, why)
	}
}

func accepted(t *testing.T, cert []byte, a, b *model.Model) {
	t.Helper()
	if err := verdictOf(t, cert, a, b); err != nil {
		t.Error(err)
	}
}

// The shape of a variable that stands for nothing is one more condition of the
// equation. Where it can never hold, everything follows: here, that an element of
// one input is one of the other.
func TestUnusedVariable(t *testing.T) {
	a := written(t, "x : float32[4]\ny : float32[4]\nz = slice[axis=0, lo=0, hi=1](x)\nreturn z")
	b := written(t, "x : float32[4]\ny : float32[4]\nz = slice[axis=0, lo=2, hi=3](y)\nreturn z")
	const u, v = "slice[axis=0, lo=1-p, hi=1-p+n](X)", "slice[axis=0, lo=3-p+n, hi=3-p+2*n](Y)"
	size := map[string]string{"a": "n", "b": "n", "j": "p"}
	with := func(more map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range []map[string]string{size, more} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	proof := []law.InstanceText{
		{Law: "slice_concat_first", Tensors: map[string]string{"X": u, "Y": v}, Dims: with(map[string]string{"i": "p"})},
		{Law: "slice_concat_second", Tensors: map[string]string{"X": u, "Y": v}, Dims: with(map[string]string{"i": "p-n", "j": "p-n"})},
		{Law: "slice_slice", Tensors: map[string]string{"X": "X"}, Dims: map[string]string{"n": "4", "i": "2-p", "j": "1-p+n", "k": "p", "l": "p"}},
		{Law: "slice_slice", Tensors: map[string]string{"X": "Y"}, Dims: map[string]string{"n": "4", "i": "4-p+n", "j": "3-p+2*n", "k": "p-n", "l": "p-n"}},
	}
	cert := forged(t, "rule network given X : [4], Y : [4], E : [0-1000*n-1000*p] then slice[axis=0, lo=0, hi=1](X) == slice[axis=0, lo=2, hi=3](Y)", proof, "")
	refused(t, cert, a, b, "the size n")
	// Neither with numbers.
	cert = forged(t, "rule network given X : [4], Y : [4], E : [0] then slice[axis=0, lo=0, hi=1](X) == slice[axis=0, lo=0, hi=1](X)", nil, "")
	refused(t, cert, a, a, "tensor E: shape [0]")
}

// Laws are about real numbers. A weight that is none is not what they speak of:
// infinity less itself is not 0.
func TestNotFinite(t *testing.T) {
	a := written(t, "x : float32[2]\nw : weight float32[2]\nd = ewsub(w, w)\nz = ewadd(x, d)\nreturn z")
	b := written(t, "x : float32[2]\nz = ewadd(x, x)\nreturn x")
	cert := forged(t, "rule network given X : [2], W : [2] then ewadd(X, ewsub(W, W)) == X",
		[]law.InstanceText{{Law: "ewadd_zero", Tensors: map[string]string{"X": "X", "Y": "W"}, Runs: map[string]string{"P": "[2]"}}}, "")
	accepted(t, cert, a, b)
	for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		for id := range a.Weights {
			a.Weights[id] = model.FromFloat32([]int{2}, []float32{1, float32(bad)})
		}
		refused(t, cert, a, b, "finite")
	}
}

// kept adds an opaque node.
func kept(t *testing.T, b *graph.Builder, name, kind, payload string, outs int, typ graph.TensorType, in ...graph.Tensor) graph.NodeID {
	t.Helper()
	types := make([]graph.TensorType, outs)
	for i := range types {
		types[i] = typ
	}
	id, err := b.Opaque(name, kind, payload, in, types)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// builder is a builder with inputs x and y of two elements.
func builder(t *testing.T) (b *graph.Builder, x, y graph.Tensor) {
	t.Helper()
	b = &graph.Builder{}
	x, err := b.AddInput("x", graph.Float32, 2)
	if err != nil {
		t.Fatal(err)
	}
	if y, err = b.AddInput("y", graph.Float32, 2); err != nil {
		t.Fatal(err)
	}
	return b, x, y
}

func finished(t *testing.T, b *graph.Builder, outs ...graph.Tensor) *model.Model {
	t.Helper()
	g, err := b.Finish(outs...)
	if err != nil {
		t.Fatal(err)
	}
	return bound(t, g)
}

// applied adds an operator.
func applied(t *testing.T, b *graph.Builder, name, op string, attrs map[string]graph.Value, in ...graph.Tensor) graph.Tensor {
	t.Helper()
	o, ok := graph.Lookup(op)
	if !ok {
		t.Fatal(op)
	}
	id, err := b.Apply(name, o, o.MustAttr(attrs), in...)
	if err != nil {
		t.Fatal(err)
	}
	return id.Out(0)
}

// What opaque nodes compute is known to be the same only if they are one to one, of
// one kind, with the same operands and the same output asked for.
func TestOpaqueNodes(t *testing.T) {
	pair := graph.TensorType{DType: graph.Float32, Sizes: []int{2}}
	const both = "rule network given X : [2], Y : [2], Z0 : [2], Z1 : [2] then "
	type build func(b *graph.Builder, x, y graph.Tensor) []graph.Tensor
	one := func(kind, payload string, out int) build {
		return func(b *graph.Builder, x, _ graph.Tensor) []graph.Tensor {
			return []graph.Tensor{kept(t, b, "", kind, payload, 2, pair, x).Out(out)}
		}
	}
	two := func(f func(p, q graph.Tensor) []graph.Tensor) build {
		return func(b *graph.Builder, x, y graph.Tensor) []graph.Tensor {
			return f(kept(t, b, "", "K", "", 1, pair, x).Out(0), kept(t, b, "", "K", "", 1, pair, x).Out(0))
		}
	}
	difference := func(b *graph.Builder, p, q graph.Tensor) []graph.Tensor {
		return []graph.Tensor{applied(t, b, "", "ewsub", nil, p, q)}
	}
	for _, c := range []struct {
		name, equation, why string
		a, b                build
	}{
		{"the same", "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, X) == (Z0, X)", "", one("K", "1", 0), one("K", "1", 0)},
		{"another kind", "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, X) == (Z0, X)", "is not node", one("K", "1", 0), one("L", "1", 0)},
		{"another payload", "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, X) == (Z0, X)", "is not node", one("K", "1", 0), one("K", "2", 0)},
		{"another output", "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, X) == (Z0, X)", "is not node", one("K", "1", 0), one("K", "1", 1)},
		{"outputs exchanged", both + "(Z0, Z1, X) == (Z1, Z0, X)", "the instances do not make",
			func(b *graph.Builder, x, _ graph.Tensor) []graph.Tensor {
				k := kept(t, b, "", "K", "", 2, pair, x)
				return []graph.Tensor{k.Out(0), k.Out(1)}
			}, func(b *graph.Builder, x, _ graph.Tensor) []graph.Tensor {
				k := kept(t, b, "", "K", "", 2, pair, x)
				return []graph.Tensor{k.Out(1), k.Out(0)}
			}},
		{"another operand", "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, X) == (Z0, X)", "variable X is input x", one("K", "1", 0),
			func(b *graph.Builder, _, y graph.Tensor) []graph.Tensor {
				return []graph.Tensor{kept(t, b, "", "K", "1", 2, pair, y).Out(0)}
			}},
		{"an operand less", "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, X) == (Z0, X)", "is not node", one("K", "1", 0),
			func(b *graph.Builder, _, _ graph.Tensor) []graph.Tensor {
				return []graph.Tensor{kept(t, b, "", "K", "1", 2, pair).Out(0)}
			}},
		// What draws numbers draws others the second time.
		{"two for one, left", "rule network given X : [2], Y : [2], Z0 : [2] then (ewsub(Z0, Z0), X) == (ewsub(Z0, Z0), X)", "is another tensor",
			func(b *graph.Builder, x, y graph.Tensor) []graph.Tensor {
				return two(func(p, q graph.Tensor) []graph.Tensor { return difference(b, p, q) })(b, x, y)
			}, func(b *graph.Builder, x, y graph.Tensor) []graph.Tensor {
				p := kept(t, b, "", "K", "", 1, pair, x).Out(0)
				return difference(b, p, p)
			}},
		{"two for one, right", "rule network given X : [2], Y : [2], Z0 : [2] then (ewsub(Z0, Z0), X) == (ewsub(Z0, Z0), X)", "is not node",
			func(b *graph.Builder, x, y graph.Tensor) []graph.Tensor {
				p := kept(t, b, "", "K", "", 1, pair, x).Out(0)
				return difference(b, p, p)
			}, func(b *graph.Builder, x, y graph.Tensor) []graph.Tensor {
				return two(func(p, q graph.Tensor) []graph.Tensor { return difference(b, p, q) })(b, x, y)
			}},
		// K(K(x)) for K(x): each is the other one of the first model.
		{"a circle", both + "(Z0, Z1, X, Z0) == (Z0, Z1, Z1, X)", "the instances do not make",
			func(b *graph.Builder, x, _ graph.Tensor) []graph.Tensor {
				p := kept(t, b, "", "K", "", 1, pair, x).Out(0)
				return []graph.Tensor{p, kept(t, b, "", "K", "", 1, pair, p).Out(0)}
			}, func(b *graph.Builder, x, _ graph.Tensor) []graph.Tensor {
				p := kept(t, b, "", "K", "", 1, pair, x).Out(0)
				return []graph.Tensor{kept(t, b, "", "K", "", 1, pair, p).Out(0), p}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m [2]*model.Model
			for i, f := range []build{c.a, c.b} {
				b, x, y := builder(t)
				m[i] = finished(t, b, f(b, x, y)...)
			}
			cert := forged(t, c.equation, nil, "")
			if c.why == "" {
				accepted(t, cert, m[0], m[1])
			} else {
				refused(t, cert, m[0], m[1], c.why)
			}
		})
	}
}

// A term is the same whatever its elements are, a node of which nothing is known may
// not be: this one tells the types of its operands.
func TestOpaqueOperandTypes(t *testing.T) {
	one, _ := graph.Lookup("one")
	shape := one.MustAttr(map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(2))})
	var m [2]*model.Model
	for i, typ := range []graph.DType{graph.Float32, graph.Float64} {
		b, _, _ := builder(t)
		c, err := b.Constant("c", typ, one, shape)
		if err != nil {
			t.Fatal(err)
		}
		m[i] = finished(t, b, kept(t, b, "k", "BytesOf", "", 1, graph.TensorType{DType: graph.Float32, Sizes: []int{2}}, c.Out(0)).Out(0))
	}
	cert := forged(t, "rule network given X : [2], Y : [2], Z0 : [2] then (Z0, one[shape=[2]]()) == (Z0, one[shape=[2]]())", nil, "")
	accepted(t, cert, m[0], m[0])
	refused(t, cert, m[0], m[1], "is not node")
}

// Equations of other models, and of less than the models.
func TestOtherModels(t *testing.T) {
	const text = `x : float32[2, 2]
y : float32[2, 2]
w : weight float32[2, 2]
v : weight float32[2, 2]
a = matmul(x, w)
b = ewsub(a, y)
s = split[axis=1, at=1](b)
return s.0, s.1, a`
	const right = "(slice[axis=1, lo=0, hi=1](ewsub(matmul(X, W), Y)), slice[axis=1, lo=1, hi=2](ewsub(matmul(X, W), Y)), matmul(X, W))"
	const given = "given X : [2, 2], Y : [2, 2], W : [2, 2], V : [2, 2] "
	a := written(t, text)
	for _, c := range []struct{ name, text, equation, why string }{
		{"the same", text, "rule network " + given + "then " + right + " == " + right, ""},
		{"written =>", text, "rule network " + given + "then " + right + " => " + right, "written =>"},
		{"with a condition", text, "rule network " + given + "where 1 <= 2 then " + right + " == " + right, "conditions"},
		{"an output less", text, "rule network " + given + "then (matmul(X, W), matmul(X, W)) == (matmul(X, W), matmul(X, W))", "output 0"},
		{"an output more", text, "rule network " + given + "then " + strings.TrimSuffix(right, ")") + ", X) == " + strings.TrimSuffix(right, ")") + ", X)", "terms"},
		{"a variable less", text, "rule network given X : [2, 2], Y : [2, 2], W : [2, 2] then " + right + " == " + right, "has 3 variables"},
		{"variables in another order", text, "rule network given Y : [2, 2], X : [2, 2], W : [2, 2], V : [2, 2] then " + right + " == " + right, "output 0"},
		{"inputs exchanged", strings.Replace(strings.Replace(text, "matmul(x", "matmul(y", 1), "ewsub(a, y", "ewsub(a, x", 1), "", "output 0"},
		{"inputs renamed", strings.Replace(text, "x : float32[2, 2]\ny :", "y : float32[2, 2]\nx :", 1), "", "input 0"},
		{"operands exchanged", strings.Replace(text, "ewsub(a, y)", "ewsub(y, a)", 1), "", "output 0"},
		{"another weight", strings.Replace(text, "(x, w)", "(x, v)", 1), "", "their numbers differ"},
		{"an input for a weight", strings.Replace(text, "(x, w)", "(x, y)", 1), "", "it is an input"},
		{"a weight for an input", strings.Replace(text, "(a, y)", "(a, v)", 1), "", "variable Y is input y"},
		{"a weight that is fed", strings.Replace(text, "v : weight", "v :", 1), "", "2 and 3 inputs"},
		{"an input that is a weight", strings.Replace(text, "y : float", "y : weight float", 1), "", "2 and 1 inputs"},
		{"parts exchanged", strings.Replace(text, "return s.0, s.1", "return s.1, s.0", 1), "", "number"},
		{"parts of another name exchanged", strings.Replace(text, "s = split[axis=1, at=1](b)\nreturn s.0, s.1", "r = split[axis=1, at=1](b)\nreturn r.1, r.0", 1), "", "output 0"},
		{"another axis", strings.Replace(text, "axis=1, at=1", "axis=0, at=1", 1), "", "output 0"},
		{"another element type", strings.ReplaceAll(text, "float32", "float64"), "", "input 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.equation == "" {
				c.equation = "rule network " + given + "then " + right + " == " + right
			}
			cert := forged(t, c.equation, nil, "")
			if b := written(t, c.text); c.why == "" {
				accepted(t, cert, a, b)
			} else {
				refused(t, cert, a, b, c.why)
			}
		})
	}
}

// Outputs of other names, which others have: somebody who goes by names would take one
// for the other.
func TestOutputNames(t *testing.T) {
	a := written(t, "x : float32[2]\np = relu(x)\nq = neg(x)\nreturn p, q")
	b := written(t, "x : float32[2]\nq = relu(x)\np = neg(x)\nreturn q, p")
	c := written(t, "x : float32[2]\nr = relu(x)\ns = neg(x)\nreturn r, s")
	cert := forged(t, "rule network given X : [2] then (relu(X), neg(X)) == (relu(X), neg(X))", nil, "")
	refused(t, cert, a, b, "output p is number 0")
	accepted(t, cert, a, c)
}

// Integers are no real numbers: 7/2 is 3.
func TestIntegers(t *testing.T) {
	const head = "x : float32[2]\ni : int64[2]\nj : int64[2]\n"
	a := written(t, head+"d = ewdiv(i, j)\nf = cast[to=float32](d)\nz = ewadd(x, f)\nreturn z")
	b := written(t, head+"p = cast[to=float32](i)\nq = cast[to=float32](j)\nd = ewdiv(p, q)\nz = ewadd(x, d)\nreturn z")
	const given = "rule network [real] given X : [2], I : [2], J : [2]"
	refused(t, forged(t, given+" then ewadd(X, cast[to=float32](ewdiv(I, J))) == ewadd(X, cast[to=float32](ewdiv(I, J)))", nil, ""), a, a, "laws do not speak of it")
	left := "(ewadd(X, cast[to=float32](Z0)), I, J)"
	accepted(t, forged(t, given+", Z0 : [2] then "+left+" == "+left, nil, ""), a, a)
	refused(t, forged(t, given+", Z0 : [2] then "+left+" == "+left, nil, ""), a, b, "laws are about real numbers")
	refused(t, forged(t, given+", Z0 : [2] then "+left+" == (ewadd(X, ewdiv(cast[to=float32](I), cast[to=float32](J))), I, J)",
		[]law.InstanceText{{Law: "cast_ewdiv", Tensors: map[string]string{"X": "I", "Y": "J"}, Runs: map[string]string{"P": "[2]"}}},
		"axiom cast_ewdiv\n  given X : [P..], Y : [P..]\n  then  cast[to=float32](ewdiv(X, Y)) == ewdiv(cast[to=float32](X), cast[to=float32](Y))\n"), a, b, "no axiom of this program")
	refused(t, forged(t, given+", Z0 : [2] then "+left+" == (ewadd(X, ewdiv(cast[to=float32](I), cast[to=float32](J))), I, J)", nil, ""), a, b, "the instances do not make")
}

// A weight that is computed ahead has the numbers that its term has, and no input is
// in it.
func TestComputedWeights(t *testing.T) {
	a := written(t, "x : float32[2]\nu : weight float32[2]\nv : weight float32[2]\nd = ewmul(u, v)\nz = ewadd(x, d)\nreturn z")
	cert := forged(t, "rule network given X : [2], U : [2], V : [2] then ewadd(X, ewmul(U, V)) == ewadd(X, ewmul(U, V))", nil, "")
	with := func(change float32) *model.Model {
		var numbers [2][]float32
		for i, name := range []string{"u", "v"} {
			id, _ := a.Graph.Find(name)
			numbers[i], _ = a.Weights[id].Float32s()
		}
		b := written(t, "x : float32[2]\nw : weight float32[2]\nz = ewadd(x, w)\nreturn z")
		for id := range b.Weights {
			b.Weights[id] = model.FromFloat32([]int{2}, []float32{float32(float64(numbers[0][0]) * float64(numbers[1][0])), numbers[0][1]*numbers[1][1] + change})
		}
		return b
	}
	accepted(t, cert, a, with(0))
	refused(t, cert, a, with(0.001), "their numbers differ")
	refused(t, cert, written(t, "x : float32[2]\nu : float32[2]\nv : weight float32[2]\nd = ewmul(u, v)\nz = ewadd(x, d)\nreturn z"),
		written(t, "x : float32[2]\nu : float32[2]\nw : weight float32[2]\nz = ewadd(x, w)\nreturn z"), "which is no weight")
}

// Rows of a table at places that a weight tells are not computed ahead as if all places
// were the first one, nor are integers.
func TestComputedFromIntegers(t *testing.T) {
	a := written(t, "x : float32[2, 2]\nw : weight float32[4, 2]\ni : weight int64[2]\ng = gather[axis=0](w, i)\nz = ewadd(x, g)\nreturn z")
	w, _ := a.Graph.Find("w")
	i, _ := a.Graph.Find("i")
	a.Weights[i] = model.FromInt64([]int{2}, []int64{3, 1})
	rows, err := a.Weights[w].Float32s()
	if err != nil {
		t.Fatal(err)
	}
	cert := forged(t, "rule network given X : [2, 2], W : [4, 2], I : [2] then ewadd(X, gather[axis=0](W, I)) == ewadd(X, gather[axis=0](W, I))", nil, "")
	accepted(t, cert, a, a)
	b := written(t, "x : float32[2, 2]\nv : weight float32[2, 2]\nz = ewadd(x, v)\nreturn z")
	v, _ := b.Graph.Find("v")
	b.Weights[v] = model.FromFloat32([]int{2, 2}, []float32{rows[0], rows[1], rows[0], rows[1]})
	refused(t, cert, a, b, "integers")
	// A table of places, and part of it.
	a = written(t, "x : float32[4, 2]\ni : weight int64[4]\nj : int64[2]\nk = gather[axis=0](i, j)\ng = gather[axis=0](x, k)\nreturn g")
	i, _ = a.Graph.Find("i")
	a.Weights[i] = model.FromInt64([]int{4}, []int64{3, 1, 2, 0})
	b = written(t, "x : float32[4, 2]\ni : weight int64[4]\nj : int64[2]\nl : weight int64[2]\ng = gather[axis=0](x, l)\nreturn g")
	i, _ = b.Graph.Find("i")
	b.Weights[i] = model.FromInt64([]int{4}, []int64{3, 1, 2, 0})
	for _, right := range []string{"gather[axis=0](X, slice[axis=0, lo=0, hi=2](I))", "gather[axis=0](X, gather[axis=0](I, J))", "gather[axis=0](X, Z0)"} {
		refused(t, forged(t, "rule network given X : [4, 2], I : [4], J : [2], Z0 : [2] then (gather[axis=0](X, Z0), I, J) == ("+right+", I, J)", nil, ""), a, b, "")
	}
}

// Laws among the axioms that are none: of an axiom's name without its condition, in
// the direction in which it does not hold, of the wrong functions.
func TestBelieved(t *testing.T) {
	for _, text := range []string{
		"axiom slice_concat_first\n  given X : [a], Y : [b]\n  then  slice[axis=0, lo=i-1, hi=j](concat[axis=0](X, Y)) == slice[axis=0, lo=i-1, hi=j](X)\n",
		"axiom concat_slice\n  given X : [n]\n  then  concat[axis=0](slice[axis=0, lo=i-1, hi=j](X), slice[axis=0, lo=j, hi=k](X)) == slice[axis=0, lo=i-1, hi=k](X)\n",
		"axiom slice_slice\n  given X : [n]\n  then  slice[axis=0, lo=k-1, hi=l](slice[axis=0, lo=i-1, hi=j](X)) == slice[axis=0, lo=i+k-2, hi=i+l-1](X)\n",
		"axiom cut\n  given X : [n]\n  then  slice[axis=0, lo=0, hi=k](X) == slice[axis=0, lo=0, hi=k](slice[axis=0, lo=0, hi=k+1](X))\n",
		"axiom matmul_linear\n  given f : pointwise1, X : [m, n], Y : [n, k]\n  then  f(matmul(X, Y)) == matmul(f(X), Y)\n",
		"axiom enlarge\n  given f : pointwise1, X : [b, c, h, w]\n  then  f(enlarge[kh=3, kw=3](X)) == enlarge[kh=3, kw=3](f(X))\n",
		"axiom none\n  given X : [n], E : [0-n]\n  then  X == neg(X)\n",
		"axiom cast\n  given X : [n]\n  then  cast[to=float32](cast[to=int64](X)) == X\n",
		"axiom casts\n  given X : [n]\n  then  cast[to=int64](X) == X\n",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := optimize.Believed(context.Background(), l); err == nil {
			t.Errorf("believed:\n%s", text)
		}
	}
	for _, a := range axioms.ByKind(law.Axiom)[:5] {
		if err := optimize.Believed(context.Background(), a); err != nil {
			t.Error(err)
		}
	}
}

// Each commutative operator has a law by which its operands are exchanged: without it
// a move that finds them in the other order has no proof.
func TestExchanges(t *testing.T) {
	ls := laws(t)
	for _, o := range graph.Ops() {
		if o.Commutative && !slices.ContainsFunc(ls, func(l *law.Law) bool { return l.Name == o.Name+"_comm" }) {
			t.Errorf("operator %s: no law %s_comm", o.Name, o.Name)
		}
	}
}

// What may be infinite because of a weight is cut: laws speak of the rest. Behind a
// softmax nothing is infinite.
func TestMasked(t *testing.T) {
	const head = "x : float32[2, 2]\nm : weight float32[2, 2]\nw : weight float32[2, 2]\n"
	masked := func(text string) *model.Model {
		m := written(t, head+text)
		for id := range m.Weights {
			xs := []float32{1, 2, 3, 4}
			if m.Graph.Name(id) == "m" {
				xs[1] = float32(math.Inf(-1))
			}
			m.Weights[id] = model.FromFloat32([]int{2, 2}, xs)
		}
		return m
	}
	const given = "rule network given X : [2, 2], M : [2, 2], W : [2, 2]"
	swap := []law.InstanceText{{Law: "ewadd_comm", Tensors: map[string]string{"X": "P", "Y": "W"}, Runs: map[string]string{"P": "[2, 2]"}}}
	a := masked("s = ewadd(x, m)\np = softmax[axis=1](s)\nz = ewadd(p, w)\nreturn z")
	b := masked("s = ewadd(x, m)\np = softmax[axis=1](s)\nz = ewadd(w, p)\nreturn z")
	behind := given + ", P : [2, 2], S : [2, 2] then (ewadd(P, W), S, X, M) == (ewadd(W, P), S, X, M)"
	cert := forged(t, behind, swap, "")
	accepted(t, cert, a, b)
	// The softmax of something else.
	refused(t, cert, a, masked("s = ewadd(x, w)\np = softmax[axis=1](s)\nz = ewadd(w, p)\nreturn z"), "")
	// Of another mask.
	other := masked("s = ewadd(x, m)\np = softmax[axis=1](s)\nz = ewadd(w, p)\nreturn z")
	for id := range other.Weights {
		if other.Graph.Name(id) == "m" {
			other.Weights[id] = model.FromFloat32([]int{2, 2}, []float32{1, 2, 3, 4})
		}
	}
	refused(t, cert, a, other, "numbers differ")
	// An equation of what is not finite itself, or of a weight that is computed from it.
	refused(t, forged(t, given+" then ewsub(M, M) == ewsub(M, M)", nil, ""), masked("z = ewsub(m, m)\nreturn z"), masked("z = ewsub(m, m)\nreturn z"), "finite")
	refused(t, forged(t, given+", S : [2, 2] then (ewsub(S, S), X, M) == (ewsub(S, S), X, M)", nil, ""), masked("s = ewadd(x, m)\nz = ewsub(s, s)\nreturn z"), masked("s = ewadd(x, m)\nz = ewsub(s, s)\nreturn z"), "finite")
	zero := written(t, "x : float32[2, 2]\nv : weight float32[2, 2]\nz = ewadd(x, v)\nreturn z")
	for id := range zero.Weights {
		zero.Weights[id] = model.FromFloat32([]int{2, 2}, []float32{2, 4, 6, 8})
	}
	sum := masked("v = ewadd(w, w)\nz = ewadd(x, v)\nreturn z")
	accepted(t, forged(t, given+" then ewadd(X, ewadd(W, W)) == ewadd(X, ewadd(W, W))", nil, ""), sum, zero)
	relu := masked("v = relu(m)\nz = ewadd(x, v)\nreturn z")
	for id := range zero.Weights {
		zero.Weights[id] = model.FromFloat32([]int{2, 2}, []float32{1, 0, 3, 4})
	}
	refused(t, forged(t, given+" then ewadd(X, relu(M)) == ewadd(X, relu(M))", nil, ""), relu, zero, "finite")
}

// Padding with what is infinite is cut, and so is what may be infinite because of it: laws
// speak of what is before, and of nothing behind.
func TestPaddedInfinitely(t *testing.T) {
	padded := func(value, behind string) *model.Model {
		return written(t, "x : float32[2, 2]\nw : weight float32[2, 2]\n"+
			"s = ewadd(x, w)\np = pad[before=(0, 1), after=(0, 0), value="+value+"](s)\n"+behind+"\nreturn z")
	}
	const max, difference = "z = reducemax[axes=(1)](p)", "z = ewsub(p, p)"
	const given = "rule network given X : [2, 2], W : [2, 2], P : [2, 3]"
	swap := []law.InstanceText{{Law: "ewadd_comm", Tensors: map[string]string{"X": "X", "Y": "W"}, Runs: map[string]string{"P": "[2, 2]"}}}
	cert := forged(t, given+", Z : [2] then (Z, P, ewadd(X, W)) == (Z, P, ewadd(W, X))", swap, "")
	other := written(t, "x : float32[2, 2]\nw : weight float32[2, 2]\n"+
		"s = ewadd(w, x)\np = pad[before=(0, 1), after=(0, 0), value=-inf](s)\n"+max+"\nreturn z")
	accepted(t, cert, padded("-inf", max), other)
	refused(t, cert, padded("-inf", max), padded("inf", max), "")
	refused(t, cert, padded("0.0", max), padded("0.0", max), "")
	// What is infinite less itself is not 0.
	refused(t, forged(t, given+" then (ewsub(P, P), ewadd(X, W)) == (ewsub(P, P), ewadd(X, W))", nil, ""), padded("-inf", difference), padded("-inf", difference), "finite")
	// An optimized model has a proof.
	m := padded("-inf", "t = reducemax[axes=(1)](p)\nq = reducemax[axes=(1)](s)\nr = relu(q)\nd = relu(r)\nz = ewadd(d, t)")
	on := machine(t)
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: on, Tries: 500})
	if err != nil || !res.ProofChecked {
		t.Fatalf("%v, %+v", err, res)
	}
}

// Nodes of which laws do not speak are not one because their operands are the same in
// another order: no law says so, and the proof would be refused.
func TestOrderOfIntegers(t *testing.T) {
	for _, typ := range []string{"int32", "bool", "float32"} {
		m := written(t, "x : "+typ+"[2, 3]\nc : "+typ+"[2, 3]\ny = ewmax(x, c)\nz = ewmax(c, x)\nreturn y, z")
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Tries: 100})
		if err != nil || !res.ProofChecked {
			t.Errorf("%s: %v, %+v", typ, err, res)
		}
	}
}
