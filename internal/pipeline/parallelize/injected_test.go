package parallelize

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/plan"
	"github.com/taso-go/taso/verify/check"
)

var (
	cop   = parallel.Role{Kind: parallel.Copy}
	sum   = parallel.Role{Kind: parallel.Sum}
	first = parallel.Role{Kind: parallel.First}
)

func shard(axis int) parallel.Role { return parallel.Role{Kind: parallel.Shard, Axis: axis} }

// wrong is a row in the table of strategies that is wrong: the operator of a node is said
// to make Out of In. Forged is what a prover that says yes to everything would say of it: a law
// over members, or the tensor of copies, at these sizes.
type wrong struct {
	name, network, node string
	in, out             []parallel.Role
	forged              string
	// right are nodes that are computed by strategies that are right, for partial sums to be there.
	right map[string][]parallel.Role
}

const (
	product = "x : float32[4, 8]\nw : weight float32[8, 6]\ny = matmul(x, w)\nreturn y"
	partial = "x : float32[4, 8]\nw : weight float32[8, 6]\nb : weight float32[4, 6]\nv : weight float32[6, 6]\ny = matmul(x, w)\nz = "
	rows    = "x : float32[4, 8]\ny = "
)

// summed: the product before is a partial sum.
var summed = map[string][]parallel.Role{"y": {shard(1), shard(0)}}

var wrongs = []wrong{
	{"missing all-reduce: a sum is taken for copies", product, "y", []parallel.Role{shard(1), shard(0)}, []parallel.Role{cop},
		"given X0 : [2, 4, 4], X1 : [2, 4, 6]\n then matmul(X0, X1) == replicate[on=2](matmul(combine[axis=1](X0), combine[axis=0](X1)))", nil},
	{"a member dropped: the first is taken for all", product, "y", []parallel.Role{shard(1), shard(0)}, []parallel.Role{first},
		"given X0 : [2, 4, 4], X1 : [2, 4, 6]\n then matmul(X0, X1) == lift[on=2](matmul(combine[axis=1](X0), combine[axis=0](X1)))", nil},
	{"wrong collective: copies are added up", product, "y", []parallel.Role{cop, cop}, []parallel.Role{sum},
		"given X0 : [4, 8], X1 : [8, 6]\n then reduce(matmul(replicate[on=2](X0), replicate[on=2](X1))) == matmul(X0, X1)", nil},
	{"bias added in each member", partial + "ewadd(y, b)\nreturn z", "z", []parallel.Role{sum, cop}, []parallel.Role{sum},
		"given X0 : [2, 4, 6], X1 : [4, 6]\n then reduce(ewadd(X0, replicate[on=2](X1))) == ewadd(reduce(X0), X1)", summed},
	{"relu of a partial sum", partial + "relu(y)\nreturn z", "z", []parallel.Role{sum}, []parallel.Role{sum},
		"given X0 : [2, 4, 6]\n then reduce(relu(X0)) == relu(reduce(X0))", summed},
	{"largest element of a partial sum", partial + "reducemax[axes=(0)](y)\nreturn z", "z", []parallel.Role{sum}, []parallel.Role{sum},
		"given X0 : [2, 4, 6]\n then reduce(each_reducemax[over=[2], axes=(0)](X0)) == reducemax[axes=(0)](reduce(X0))", summed},
	{"early reduce: members of two sums are multiplied", partial + "matmul(y, v)\nreturn z", "z", []parallel.Role{sum, sum}, []parallel.Role{sum},
		"given X0 : [2, 4, 6], X1 : [2, 6, 6]\n then reduce(matmul(X0, X1)) == matmul(reduce(X0), reduce(X1))", summed},
	{"missing scaling: means of parts are added up", rows + "reducemean[axes=(0)](x)\nreturn y", "y", []parallel.Role{shard(0)}, []parallel.Role{sum},
		"given X0 : [2, 2, 8]\n then reduce(each_reducemean[over=[2], axes=(0)](X0)) == reducemean[axes=(0)](combine[axis=0](X0))", nil},
	{"statistic of a micro-batch", rows + "reducemean[axes=(0)](x)\nreturn y", "y", []parallel.Role{shard(0)}, []parallel.Role{cop},
		"given X0 : [2, 2, 8]\n then each_reducemean[over=[2], axes=(0)](X0) == replicate[on=2](reducemean[axes=(0)](combine[axis=0](X0)))", nil},
	{"softmax split on its axis", rows + "softmax[axis=1](x)\nreturn y", "y", []parallel.Role{shard(1)}, []parallel.Role{shard(1)},
		"given X0 : [2, 4, 4]\n then combine[axis=1](each_softmax[over=[2], axis=1](X0)) == softmax[axis=1](combine[axis=1](X0))", nil},
	{"halo too thin: none at all", "x : float32[1, 2, 8, 4]\nw : weight float32[2, 2, 3, 3]\ny = conv2d[pad=(1, 1, 1, 1)](x, w)\nreturn y", "y", []parallel.Role{shard(2), cop}, []parallel.Role{shard(2)},
		"given X0 : [2, 1, 2, 4, 4], X1 : [2, 2, 3, 3]\n then combine[axis=2](each_conv2d[over=[2], pad=(1, 1, 1, 1)](X0, replicate[on=2](X1))) == conv2d[pad=(1, 1, 1, 1)](combine[axis=2](X0), X1)", nil},
}

// plan is one by a table with that row, and the law by which it would be right.
func (w *wrong) plan(t *testing.T, s *parallel.Strategies) (*plan.Plan, *law.Law) {
	t.Helper()
	g, err := graph.ParseText(w.name, w.network)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := law.ParseLaw("lemma forged\n " + w.forged + "\n")
	if err != nil {
		t.Fatal(err)
	}
	l := parallel.NewLaying(g, s)
	of := func(id graph.NodeID) []*parallel.Strategy {
		have, err := l.Strategies(ctx, id, 2)
		if err != nil || len(have) == 0 {
			t.Fatalf("%d strategies, %v", len(have), err)
		}
		if g.Name(id) == w.node {
			st := *have[0]
			st.In, st.Out, st.Laws = w.in, w.out, []*law.Law{forged}
			return []*parallel.Strategy{&st}
		}
		for _, st := range have {
			if in, ok := w.right[g.Name(id)]; ok && slices.Equal(st.In, in) {
				return []*parallel.Strategy{st}
			}
		}
		return nil
	}
	if err := l.Along(ctx, 2, parallel.Choice{Of: of}); err != nil {
		t.Fatal(err)
	}
	m, err := plan.NewMesh(cluster(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	return &plan.Plan{Training: &plan.Training{Graph: g, Next: map[int]int{}}, Mesh: m, Laying: l, Passes: []plan.Pass{{Means: plan.All, Degree: 2}}}, forged
}

// certificate is that of a laying by some of its instances. Of a law in axioms it says that it
// is one; the others have proofs.
func certificate(t *testing.T, l *parallel.Laying, insts []law.Instance, axioms []*law.Law, proofs map[string]*law.Proof) string {
	t.Helper()
	var b bytes.Buffer
	text := ""
	if len(axioms) > 0 {
		text = law.FormatAll(axioms)
	}
	w := law.NewCertWriter(&b, text)
	p := &law.Proof{Instances: insts}
	for _, name := range p.Laws() {
		if slices.ContainsFunc(axioms, func(a *law.Law) bool { return a.Name == name }) {
			continue
		}
		if err := w.Lemma(law.NewCertRule(name, l.Laws()[name], proofs[name])); err != nil {
			t.Fatal(err)
		}
	}
	e := l.Equation()
	if err := w.Rule(law.NewCertRule(e.Name, e, p)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// file is the file of a plan that says nothing else that is wrong.
func file(t *testing.T, p *plan.Plan, certificate string) *plan.File {
	t.Helper()
	f := p.File()
	f.Certificate = certificate
	var err error
	if f.Step, err = p.Figures(ctx); err != nil {
		t.Fatal(err)
	}
	return f
}

// refused wants a plan to be rejected, for a reason, and devices to which it is given all the
// same to fail, or to compute something else.
func refused(t *testing.T, f *plan.File, want string) {
	t.Helper()
	_, err := Check(ctx, f, "plan.json", cluster(t), nil, false)
	var rejected *optimize.Rejected
	if !errors.As(err, &rejected) || !strings.Contains(err.Error(), want) {
		t.Errorf("the checker says %v, want %q", err, want)
	}
	ran, err := Run(ctx, f, cluster(t), nil)
	if err != nil { // members have no place on devices
		return
	}
	if ran.Why != "" || ran.Equal {
		t.Errorf("virtual devices say %+v", ran)
	}
}

// A planner whose table of strategies is wrong: the certificate that it writes has no law for
// that, or one that is not so, with a proof of something else. Who checks did not make the
// plan, and says no; so does who runs it, to whom the certificate is nothing.
func TestWrongStrategies(t *testing.T) {
	s := strategies
	adds, err := s.Of(ctx, op.EWAdd, nil, [][]int{{8}, {8}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	other := adds[0].Laws[0].Name
	for _, w := range wrongs {
		t.Run(w.name, func(t *testing.T) {
			p, forged := w.plan(t, s)
			l := p.Laying
			proofs := map[string]*law.Proof{}
			for name := range l.Laws() {
				proofs[name] = l.Evidence(name)
			}
			var with, without []law.Instance
			for _, in := range l.Proof().Instances {
				if in.Law == forged.Name {
					in.Dims = nil // sizes are numbers
					with = append(with, in)
					continue
				}
				with, without = append(with, in), append(without, in)
			}
			refused(t, file(t, p, certificate(t, l, without, nil, proofs)), "network")
			proofs[forged.Name] = s.Proof(other) // of something that is true
			refused(t, file(t, p, certificate(t, l, with, nil, proofs)), "forged")
			axiom := *forged
			axiom.Kind = law.Axiom
			f := file(t, p, certificate(t, l, with, []*law.Law{&axiom}, proofs))
			refused(t, f, "forged is no axiom")
			// Nothing else is wrong: from that axiom the equation follows.
			rep, err := check.File(ctx, strings.NewReader(f.Certificate), "plan.json", check.Options{Axiom: func(*law.Law) error { return nil }})
			if err != nil || len(rep.Rejected) > 0 || rep.Rules != 1 {
				t.Errorf("with the law: %+v, %v", rep, err)
			}
		})
	}
}

// twoAxes is a plan of two layers: samples along one axis, columns and rows of weights along the
// other.
func twoAxes(t *testing.T) *plan.File {
	t.Helper()
	g, err := graph.ParseText("layers", "x : float32[8, 8]\nv : weight float32[8, 8]\nw : weight float32[8, 8]\nh = matmul(x, v)\nr = relu(h)\ny = matmul(r, w)\nreturn y")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Training(g, &plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	m, err := plan.NewMesh(cluster(t), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(ctx, tr, m, plan.Options{Strategies: strategies, Means: []plan.Means{plan.Data, plan.Megatron}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Certificate(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	f := file(t, p, string(c))
	if _, err := Check(ctx, f, "plan.json", cluster(t), nil, false); err != nil {
		t.Fatal(err)
	}
	return f
}

// A planner that gives a graph which is not the one that its certificate is about: the
// collectives of the training step are others, conversions are missing, updates are not what
// becomes the weights.
func TestWrongGraphs(t *testing.T) {
	one, two := made(t, "mlp-tiny", 16, "data", 4).File, twoAxes(t)
	assigned := func(line string) (name, term string) {
		name, term, _ = strings.Cut(line, " = ")
		return name, term
	}
	// in puts a text in the place of another where a line is the first that has it.
	in := func(old, by string) func(lines []string) bool {
		return func(lines []string) bool {
			for i, l := range lines {
				if _, term := assigned(l); strings.HasPrefix(term, old) {
					lines[i] = strings.Replace(l, old, by, 1)
					return true
				}
			}
			return false
		}
	}
	returns := func(lines []string) (at int, outs []string) {
		at = slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "return ") })
		return at, strings.Split(strings.TrimPrefix(lines[at], "return "), ", ")
	}
	for _, bug := range []struct {
		name string
		of   *plan.File
		edit func(lines []string) bool
	}{
		{"gradients are not added up", one, in("reduce(", "drop(")},
		{"copies are added up", one, in("drop(", "reduce(")},
		{"weights are on the first device only", one, in("replicate[", "lift[")},
		{"added up along the other mesh axis", two, in("each_reduce[over=[2]](", "reduce(")},
		{"a conversion is left out", one, func(lines []string) bool {
			of := map[string]string{}
			for _, l := range lines {
				name, term := assigned(l)
				of[name] = term
			}
			for _, l := range lines { // an all-reduce, of which readers take the partial sums
				name, term := assigned(l)
				from, ok := strings.CutPrefix(term, "replicate[on=4](")
				if !ok {
					continue
				}
				parts, ok := strings.CutPrefix(of[strings.TrimSuffix(from, ")")], "reduce(")
				if !ok {
					continue
				}
				for i := range lines {
					if to, term := assigned(lines[i]); to != name {
						lines[i] = to + " = " + strings.NewReplacer("("+name+",", "("+strings.TrimSuffix(parts, ")")+",", " "+name+")", " "+strings.TrimSuffix(parts, ")")+")").Replace(term)
						if term == "" {
							lines[i] = to
						}
					}
				}
				return true
			}
			return false
		}},
		{"weights stay as they were", one, func(lines []string) bool {
			at, outs := returns(lines)
			for _, l := range lines {
				if name, _, ok := strings.Cut(l, " : weight "); ok {
					outs[1] = name
					lines[at] = "return " + strings.Join(outs, ", ")
					return true
				}
			}
			return false
		}},
		{"two weights take each other's place", one, func(lines []string) bool {
			at, outs := returns(lines)
			n := len(outs)
			outs[n-1], outs[n-3] = outs[n-3], outs[n-1]
			lines[at] = "return " + strings.Join(outs, ", ")
			return true
		}},
		{"a loss of some samples", one, in("each_reducesum[over=[4], axes=(0, 1)](", "each_reducemax[over=[4], axes=(0, 1)](")},
	} {
		t.Run(bug.name, func(t *testing.T) {
			f := copied(t, bug.of)
			lines := strings.Split(f.Graph, "\n")
			if !bug.edit(lines) {
				t.Fatalf("there is no place for it in\n%s", f.Graph)
			}
			f.Graph = strings.Join(lines, "\n")
			refused(t, f, "other models")
		})
	}
}

// A matcher that does not look at a law's condition: with a kernel of two by two it matters on
// which side the odd cell of a padding lies.
func TestConditionIgnored(t *testing.T) {
	for _, kernel := range []int64{3, 2} {
		shape := fmt.Sprintf("x : float32[1, 2, 4, 4]\nw : weight float32[2, 2, %d, %d]\n", kernel, kernel)
		came, err := graph.ParseText("came", shape+"y = conv2d[pad=same_upper](x, w)\nreturn y")
		if err != nil {
			t.Fatal(err)
		}
		to, err := graph.ParseText("to", shape+"y = conv2d[pad=same_lower](x, w)\nreturn y")
		if err != nil {
			t.Fatal(err)
		}
		all := axioms.Default()
		same := all[slices.IndexFunc(all, func(l *law.Law) bool { return l.Name == "conv_same_odd" })]
		k := graph.Int(kernel)
		r := &parallel.Rewriting{To: to, Laws: map[string]*law.Law{same.Name: same}, Instances: []law.Instance{{Law: same.Name,
			Tensors: map[string]*law.Term{"X": law.V("X0"), "W": law.V("X1")},
			Dims:    map[string]graph.Dim{"b": graph.Int(1), "g": graph.Int(1), "c": graph.Int(2), "h": graph.Int(4), "w": graph.Int(4), "o": graph.Int(2), "kh": k, "kw": k},
			Attrs:   map[string]graph.Value{"q": graph.NameValue("same_upper"), "a": graph.NameValue("none")}}}}
		l, err := parallel.NewLayingOf(came, r, strategies)
		if err != nil {
			t.Fatal(err)
		}
		p := &plan.Plan{Training: &plan.Training{Graph: came, Next: map[int]int{}}, Rewritten: to, Laying: l}
		if p.Mesh, err = plan.NewMesh(cluster(t)); err != nil {
			t.Fatal(err)
		}
		f := file(t, p, certificate(t, l, l.Proof().Instances, []*law.Law{same}, nil))
		if kernel == 2 {
			refused(t, f, "condition 2 % 2 == 1 is false")
		} else if _, err := Check(ctx, f, "plan.json", cluster(t), nil, false); err != nil {
			t.Error(err)
		}
	}
}
