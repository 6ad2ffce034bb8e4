package optimize_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
)

// alter returns a model with one thing changed: an operand, an operator, an attribute,
// an output, the numbers of a weight, or an opaque node that is there once more. It is
// nil if that does not fit.
func alter(m *model.Model, rnd *rand.Rand) *model.Model {
	g := m.Graph
	target := graph.NodeID(1 + rnd.IntN(g.Len()))
	kind := rnd.IntN(6)
	var b graph.Builder
	to := map[graph.Tensor]graph.Tensor{}
	// other is another tensor of the same type that is there already.
	other := func(t graph.Tensor) graph.Tensor {
		var fit []graph.Tensor
		for id := range g.Nodes() {
			for k := range g.NumOut(id) {
				u := id.Out(k)
				if _, ok := to[u]; ok && u != t && g.DType(u) == g.DType(t) && slices.Equal(g.Sizes(u), g.Sizes(t)) {
					fit = append(fit, u)
				}
			}
		}
		if len(fit) == 0 {
			return t
		}
		return fit[rnd.IntN(len(fit))]
	}
	var again graph.Tensor // an opaque node that is there once more
	for id := range g.Nodes() {
		op, t := g.Op(id), g.Type(id.Out(0))
		if op == nil {
			add := b.AddInput
			if g.IsWeight(id) {
				add = b.AddWeight
			}
			to[id.Out(0)], _ = add(g.Name(id), t.DType, t.Sizes...)
			continue
		}
		in := slices.Clone(g.Operands(id))
		attrs := slices.Clone(g.Attrs(id))
		if id == target && kind == 0 && len(in) > 0 {
			k := rnd.IntN(len(in))
			in[k] = other(in[k])
		}
		if id == target && kind == 1 {
			for _, group := range [][]string{{"relu", "neg", "abs", "tanh", "sigmoid"}, {"ewadd", "ewsub", "ewmul", "ewmax", "ewmin"}, {"poolmax", "poolavg"}, {"reducesum", "reducemean", "reducemax"}} {
				if slices.Contains(group, op.Name) {
					if o, _ := graph.Lookup(group[rnd.IntN(len(group))]); len(o.Params) == len(op.Params) {
						op = o
					}
				}
			}
		}
		if id == target && kind == 2 && len(attrs) > 0 {
			k := rnd.IntN(len(attrs))
			if d, ok := attrs[k].Dim(); ok {
				attrs[k] = graph.DimValue(d.Add(graph.Int(int64(1 - 2*rnd.IntN(2)))))
			} else if xs, ok := attrs[k].Tuple(); ok && len(xs) > 0 {
				ys := slices.Clone(xs)
				slices.Reverse(ys)
				attrs[k] = graph.TupleValue(ys...)
			} else if name, ok := attrs[k].Name(); ok {
				for _, pair := range [][2]string{{"same_upper", "same_lower"}, {"none", "relu"}, {"counted", "excluded"}} {
					if i := slices.Index(pair[:], name); i >= 0 {
						attrs[k] = graph.NameValue(pair[1-i])
					}
				}
			}
		}
		args := make([]graph.Tensor, len(in))
		for i, u := range in {
			args[i] = to[u]
			if again != (graph.Tensor{}) && u.Node == target && rnd.IntN(2) == 0 {
				args[i] = again.Node.Out(int(u.Out))
			}
		}
		var n graph.NodeID
		var err error
		if kindOf, payload, ok := g.Opaque(id); ok {
			types := make([]graph.TensorType, g.NumOut(id))
			for k := range types {
				types[k] = g.Type(id.Out(k))
			}
			n, err = b.Opaque(g.Name(id), kindOf, payload, args, types)
			if id == target && kind == 3 && err == nil {
				var x graph.NodeID
				x, err = b.Opaque("", kindOf, payload, args, types)
				again = x.Out(0)
			}
		} else if len(in) == 0 {
			n, err = b.Constant(g.Name(id), t.DType, op, attrs)
		} else {
			n, err = b.Apply(g.Name(id), op, attrs, args...)
		}
		if err != nil {
			return nil
		}
		for k := range g.NumOut(id) {
			if g.DType(id.Out(k)) != b.DType(n.Out(k)) || !slices.Equal(g.Sizes(id.Out(k)), b.Sizes(n.Out(k))) {
				return nil
			}
			to[id.Out(k)] = n.Out(k)
		}
	}
	outs := slices.Clone(g.Outputs())
	if kind == 4 {
		k := rnd.IntN(len(outs))
		outs[k] = other(outs[k])
	}
	for i := range outs {
		outs[i] = to[outs[i]]
	}
	h, err := b.Finish(outs...)
	if err != nil {
		return nil
	}
	out := *m
	out.Graph, out.Weights = h, map[graph.NodeID]*model.Weight{}
	for id, w := range m.Weights {
		out.Weights[to[id.Out(0)].Node] = w
	}
	if w := out.Weights[to[target.Out(0)].Node]; kind == 5 && w != nil && w.DType == graph.Float32 {
		out.Weights[to[target.Out(0)].Node] = model.Uniform(rnd.Uint64(), w.Sizes, 1, 2)
	} else if h.Hash() == g.Hash() {
		return nil
	}
	if out.Validate() != nil {
		return nil
	}
	return &out
}

// Results of random networks with one thing changed: where they compute something else,
// neither the proof of the result shows that they do not, nor do equations that are
// true of one of both. TASO_ALTERED is how many networks, TASO_RANDOM_SEED from which
// seed on.
func TestAlteredResults(t *testing.T) {
	count, first := fromEnv(t, "TASO_ALTERED", 6), fromEnv(t, "TASO_RANDOM_SEED", 1)
	rules := rulesOf(t)
	ctx := context.Background()
	var tried, same int
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		m := networkOf(t, seed)
		d, _, _, _, err := wander(m, rules, seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		out, err := m.WithGraph(d.To)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var cert bytes.Buffer
		if err := optimize.WriteProof(ctx, &cert, d, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := optimize.CheckProof(ctx, bytes.NewReader(cert.Bytes()), "proof", m, out, false); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		f := readProof(t, cert.Bytes())
		rnd := rand.New(rand.NewPCG(seed, 13))
		for range 12 {
			bad := alter(out, rnd)
			if bad == nil {
				continue
			}
			certs := [][]byte{cert.Bytes()}
			if n, err := search.NewNetwork(bad.Graph, nil); err == nil {
				// The instances of the proof, with sides that are true of either network.
				for _, sides := range [][2][]*law.Term{{d.Equation.LHS, n.Left()}, {d.Equation.LHS, d.Equation.LHS}, {d.Equation.RHS, d.Equation.RHS}} {
					if len(sides[0]) != len(sides[1]) {
						continue
					}
					eq := *d.Equation
					eq.LHS, eq.RHS = sides[0], sides[1]
					certs = append(certs, (&proofFile{f.axioms, f.lemmas, law.NewCertRule("network", &eq, d.Proof)}).bytes(t))
				}
			}
			for i, c := range certs {
				if refusedAnyhow(c, m, bad) {
					tried++
					continue
				}
				rep, err := verifymodels.Run(ctx, verifymodels.Options{A: m, B: bad, Seed: seed, MaxFLOPs: 1e8})
				if err != nil || rep.Exact.Verdict != verifymodels.Equal {
					t.Errorf("seed %d, certificate %d: accepted for another model: %v\n%v\n%s\n%s", seed, i, err, rep, out.Graph, bad.Graph)
				}
				same++
			}
		}
	}
	if tried < 5*count {
		t.Errorf("%d certificates were refused: too few to tell", tried)
	}
	t.Logf("%d networks: %d certificates are refused, %d are right for the altered result too", count, tried, same)
}
