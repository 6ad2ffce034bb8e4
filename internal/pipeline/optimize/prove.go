package optimize

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/pipeline/weightfacts"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/network"
)

// Proved says how far a proof that two models compute the same has come.
type Proved struct {
	// Equal: the certificate is there, and accepted.
	Equal bool `json:"equal"`
	// Outputs is the number of outputs, operands of nodes without laws among them;
	// Same are those that were brought to the same.
	Outputs int `json:"outputs"`
	Same    int `json:"same"`
	// Operators are those of both models that are left when equal ones are one, Of
	// those of the larger model.
	Operators int      `json:"operators"`
	Of        int      `json:"of"`
	Steps     int      `json:"steps"`
	Tried     int      `json:"tried"`
	Why       string   `json:"why,omitempty"` // there is no proof
	Checked   *Checked `json:"proof,omitempty"`
	// Proof is the certificate.
	Proof []byte `json:"-"`
}

// Prove looks for a proof that two models compute the same. Both are put into one
// network, in which equal operators are one, and rewritten until they are one: a
// network costs least when nothing is computed twice, so that this is what the
// search for a cheaper one finds. o.Model and o.Cost are not read. That no proof was found does
// not mean that the models differ. The error is that of models that cannot be
// compared.
func Prove(ctx context.Context, a, b *model.Model, o Options) (*Proved, error) {
	o.Model, o.Cost, o.Target = a, flat{}, lower.Separate()
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if _, err := o.unproved(ctx); err != nil {
		return nil, err
	}
	c, err := together(a, b, &o)
	if err != nil {
		return &Proved{Why: err.Error()}, nil
	}
	o.Model = &model.Model{Graph: c}
	// The weights of both have the names that they have in the first model.
	if o.weights, err = weightfacts.Of(a); err != nil {
		return nil, err
	}
	found, all, err := o.unite(ctx)
	if err != nil {
		return nil, err
	}
	n, steps, err := o.replay(found)
	if err != nil {
		return nil, err
	}
	outs := n.Net.Outputs()
	half := len(outs) / 2
	p := &Proved{Outputs: half, Steps: len(steps), Tried: movesOf(all), Of: max(operators(a.Graph), operators(b.Graph))}
	for i := range half {
		if outs[i] == outs[half+i] {
			p.Same++
		}
	}
	p.Operators = operatorsOf(n.Net)
	if p.Same < half {
		p.Why = fmt.Sprintf("%d of %d outputs were proved equal; %d operators of both models remain, the larger model has %d", p.Same, half, p.Operators, p.Of)
		return p, nil
	}
	left := n.Left()
	given, err := variablesOf(n.Given(), filledInputs(a.Graph), left[:half], left[half:])
	if err != nil {
		p.Why = err.Error()
		return p, nil
	}
	d := &search.Derivation{
		Equation: law.Stated(&law.Law{Kind: law.Rule, Name: search.EquationName, Given: given, LHS: left[:half], RHS: left[half:], Where: n.Where(given)}),
		Proof:    &law.Proof{Instances: n.Proof()},
		Laws:     n.Laws(),
	}
	var cert bytes.Buffer
	ctx = context.WithoutCancel(ctx)
	if err := WriteProof(ctx, &cert, d, o.Proofs); err != nil {
		return nil, err
	}
	if p.Checked, err = CheckProof(ctx, bytes.NewReader(cert.Bytes()), "proof", a, b, false); errors.Is(err, network.ErrLimit) {
		p.Why = "the computation of a weight is too large for the checker: " + err.Error()
		return p, nil
	} else if errors.Is(err, network.ErrRounding) {
		p.Why = "the checker rejects a weight: " + err.Error()
		return p, nil
	} else if err != nil {
		return nil, fmt.Errorf("the proof is not accepted: %w", err)
	}
	p.Equal, p.Proof = true, cert.Bytes()
	return p, nil
}

// unite brings the two halves of a network together: both to their normal form, and if
// they are not one then, by searches from there.
func (o *Options) unite(ctx context.Context) (found *searching, all []*searching, err error) {
	net, _, err := bank.FromReal(o.Model.Graph, nil, o.weights)
	if err != nil {
		return nil, nil, err
	}
	if o.first, err = o.normalize(ctx, net, normal); err != nil {
		return nil, nil, err
	}
	outs := net.Outputs()
	if half := len(outs) / 2; slices.Equal(outs[:half], outs[half:]) {
		rules, _, err := search.NewRulesFrom(o.Compiled, o.Laws)
		return &searching{o: o, rules: rules, path: o.first}, nil, err
	}
	return o.search(ctx)
}

// filledInputs counts the inputs and weights that have elements.
func filledInputs(g *graph.Graph) (n int) {
	for _, id := range g.Inputs() {
		if !g.Type(id.Out(0)).Empty() {
			n++
		}
	}
	return n
}

// variablesOf are the variables of an equation: the inputs of the first model, and of
// the others those that its terms have. The error names one that only the second
// model's have.
func variablesOf(given []law.Declaration, inputs int, left, right []*law.Term) ([]law.Declaration, error) {
	used := map[string]bool{}
	for _, name := range law.Vars(left...) {
		used[name] = true
	}
	var out []law.Declaration
	for i, g := range given {
		if i < inputs || used[g.Name] {
			out = append(out, g)
			used[g.Name] = true
		}
	}
	for _, name := range law.Vars(right...) {
		if !used[name] {
			return nil, fmt.Errorf("the second model uses a weight that the first one does not have")
		}
	}
	return out, nil
}

// flat is the cost by which two networks are brought together: so much for each
// operator, and more for products, whatever their sizes.
type flat struct{}

func (flat) Cost(a cost.Application) (cost.Seconds, cost.Source, error) {
	switch cost.WorkOf(a).Class {
	case cost.Pointwise, cost.View, cost.Copy:
		return 1e-6, cost.Modelled, nil
	}
	return 3e-6, cost.Modelled, nil
}

func (flat) Fused(cost.Fused, graph.TensorType) (cost.Seconds, cost.Source, error) {
	return 1e-6, cost.Modelled, nil
}

// operatorsOf counts the operators of a network.
func operatorsOf(net *bank.Bank) (n int) {
	net.Nodes(func(bank.Node) bool { n++; return true })
	return n
}

func operators(g *graph.Graph) (n int) {
	for id := range g.Nodes() {
		if g.Op(id) != nil {
			n++
		}
	}
	return n
}

// together is one graph of two models that are fed the same: the outputs of the
// first, what its nodes without laws are computed from, in the order in which they
// are met, and then the same of the second. What such nodes compute is fed. Inputs
// are the first model's, in their order, and then weights that only the second has.
// Of the options, the laws are looked at.
func together(a, b *model.Model, o *Options) (*graph.Graph, error) {
	t := &union{o: o, a: a, b: b, weights: map[[sha256.Size]byte]graph.Tensor{}, named: map[string]named{}}
	if err := t.inputs(); err != nil {
		return nil, err
	}
	first, err := t.side(a, t.ofA, nil)
	if err != nil {
		return nil, err
	}
	second, err := t.side(b, t.ofB, t.cuts)
	if err != nil {
		return nil, err
	}
	if len(first) != len(second) {
		return nil, fmt.Errorf("the models have %d and %d outputs and operands of nodes without laws", len(first), len(second))
	}
	return t.g.Finish(append(first, second...)...)
}

type union struct {
	o        *Options
	a, b     *model.Model
	g        graph.Builder
	ofA, ofB map[graph.Tensor]graph.Tensor
	weights  map[[sha256.Size]byte]graph.Tensor // of a, by what is in them
	arrays   []array                            // the same
	parts    int                                // that may still be looked for
	named    map[string]named                   // by their names
	cuts     []graph.NodeID                     // of a, as they are met
	fed      map[graph.Tensor]graph.Tensor
}

// named is a weight of the first model.
type named struct {
	digest [sha256.Size]byte
	at     graph.Tensor
}

// inputs adds what is fed and the weights; equal weights of both are one.
func (u *union) inputs() error {
	u.ofA, u.ofB, u.fed = map[graph.Tensor]graph.Tensor{}, map[graph.Tensor]graph.Tensor{}, map[graph.Tensor]graph.Tensor{}
	x, y := u.a.Inputs(), u.b.Inputs()
	if len(x) != len(y) || len(u.a.Graph.Outputs()) != len(u.b.Graph.Outputs()) {
		return errors.New("the models do not have as many inputs and outputs")
	}
	if !u.a.Graph.Sizing().Equal(u.b.Graph.Sizing()) {
		return fmt.Errorf("the models have different dynamic sizes: %s and %s", u.a.Graph.Sizing(), u.b.Graph.Sizing())
	}
	if s := u.a.Graph.Sizing(); s != nil {
		if err := u.g.Vary(s); err != nil {
			return err
		}
	}
	for _, id := range u.a.Graph.Inputs() {
		var t graph.Tensor
		var err error
		if typ := u.a.Graph.Type(id.Out(0)); u.a.Graph.IsWeight(id) {
			t, err = u.g.AddWeight(u.a.Graph.Name(id), typ.DType, typ.Sizes...)
		} else {
			t, err = u.g.AddOpen(u.a.Graph.Name(id), typ.DType, u.a.Graph.Shape(id.Out(0)))
		}
		if err != nil {
			return err
		}
		u.ofA[id.Out(0)] = t
		if u.a.Graph.IsWeight(id) {
			w, err := arrayOf(u.a.Weights[id])
			if err != nil {
				return fmt.Errorf("weight %s: %w", u.a.Graph.Name(id), err)
			}
			w.at = t
			h := w.digest()
			u.named[u.a.Graph.Name(id)] = named{h, t}
			if u.weights[h].Node == 0 {
				u.weights[h] = t
				u.arrays = append(u.arrays, w)
			}
		}
	}
	for i, id := range y {
		s, t := u.a.Graph.Type(x[i].Out(0)), u.b.Graph.Type(id.Out(0))
		if s.DType != t.DType || !u.a.Graph.Shape(x[i].Out(0)).Equal(u.b.Graph.Shape(id.Out(0))) || u.a.Graph.Name(x[i]) != u.b.Graph.Name(id) {
			return fmt.Errorf("input %d is %s %s and %s %s", i, u.a.Graph.Name(x[i]), s, u.b.Graph.Name(id), t)
		}
		u.ofB[id.Out(0)] = u.ofA[x[i].Out(0)]
	}
	return u.others()
}

// others finds what the second model's weights are of the first one's: the same, parts of
// them beside each other, or made of them by a law. Those that are none of this are
// weights that only the second model has.
func (u *union) others() error {
	var ids []graph.NodeID
	var wanted []array
	for _, id := range u.b.Graph.Inputs() {
		if !u.b.Graph.IsWeight(id) {
			continue
		}
		w, err := arrayOf(u.b.Weights[id])
		if err != nil {
			return fmt.Errorf("weight %s: %w", u.b.Graph.Name(id), err)
		}
		ok, err := u.find(id, w)
		if err != nil {
			return err
		}
		if !ok {
			ids, wanted = append(ids, id), append(wanted, w)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := u.laws(wanted); err != nil {
		return err
	}
	for i, id := range ids {
		ok, err := u.find(id, wanted[i])
		if err == nil && !ok {
			typ := u.b.Graph.Type(id.Out(0))
			u.ofB[id.Out(0)], err = u.g.AddWeight("second "+u.b.Graph.Name(id), typ.DType, typ.Sizes...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find finds what a weight of the second model is of the arrays.
func (u *union) find(id graph.NodeID, w array) (ok bool, err error) {
	h := w.digest()
	t, ok := u.weights[h]
	switch same := u.named[u.b.Graph.Name(id)]; {
	case !ok:
		t, ok, err = u.madeOf(w)
	case same.digest == h: // of several that are alike the one that is called so
		t = same.at
	}
	if ok {
		u.ofB[id.Out(0)] = t
	}
	return ok, err
}

// side adds the operators of one model. Of the second one cuts are the nodes without
// laws that its own are to be, one after the other.
func (u *union) side(m *model.Model, to map[graph.Tensor]graph.Tensor, cuts []graph.NodeID) (outs []graph.Tensor, err error) {
	g := m.Graph
	first := m == u.a
	silent, err := network.Silent(m)
	if err != nil {
		return nil, err
	}
	var met []graph.NodeID
	var visit func(t graph.Tensor) (graph.Tensor, error)
	visit = func(t graph.Tensor) (x graph.Tensor, err error) {
		if x, ok := to[t]; ok {
			return x, nil
		}
		id := t.Node
		_, _, opaque := g.Opaque(id)
		if opaque || !g.DType(t).IsReal() || silent[id] {
			if !slices.Contains(met, id) {
				met = append(met, id)
			}
			if x, err = u.feed(g, t, slices.Index(met, id), cuts, first); err == nil {
				to[t] = x
			}
			return x, err
		}
		in := make([]graph.Tensor, len(g.Operands(id)))
		for i, o := range g.Operands(id) {
			if in[i], err = visit(o); err != nil {
				return x, err
			}
		}
		op := g.Op(id)
		var made graph.NodeID
		if op.In == 0 {
			made, err = u.g.Constant("", g.DType(t), op, g.OpenAttrs(id))
		} else {
			made, err = u.g.Apply("", op, g.OpenAttrs(id), in...)
		}
		if err != nil {
			return x, err
		}
		for k := range g.NumOut(id) {
			to[id.Out(k)] = made.Out(k)
		}
		return to[t], nil
	}
	add := func(ts []graph.Tensor) error {
		for _, t := range g.Filled(ts) { // laws do not speak of others, which are equal if their types are
			x, err := visit(t)
			if err != nil {
				return err
			}
			outs = append(outs, x)
		}
		return nil
	}
	if err := add(g.Outputs()); err != nil {
		return nil, err
	}
	for i := 0; i < len(met); i++ {
		if err := add(g.Operands(met[i])); err != nil {
			return nil, err
		}
	}
	if first {
		u.cuts = met
	} else if len(met) != len(cuts) {
		return nil, fmt.Errorf("the models have %d and %d nodes without laws", len(cuts), len(met))
	}
	return outs, nil
}

// feed is what stands for a tensor of which laws do not speak.
func (u *union) feed(g *graph.Graph, t graph.Tensor, k int, cuts []graph.NodeID, first bool) (graph.Tensor, error) {
	if first {
		x, err := u.g.AddOpen("cut "+strconv.Itoa(k)+" "+strconv.Itoa(int(t.Out)), g.DType(t), g.Shape(t))
		u.fed[t] = x
		return x, err
	}
	if k >= len(cuts) {
		return graph.Tensor{}, fmt.Errorf("node %s is none of the first model", g.Name(t.Node))
	}
	x, ok := u.fed[graph.Tensor{Node: cuts[k], Out: t.Out}]
	if !ok {
		return x, fmt.Errorf("node %s: another output of it is used in the first model", g.Name(t.Node))
	}
	return x, nil
}
