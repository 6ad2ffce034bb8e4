package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/prove"
)

// rewritingLaws are those by which a training step is rewritten before it is laid out: what
// merges products or takes them apart, moves concatenations and sums past them, and puts
// parts together. A product of fewer, larger operators is cheaper on one device; parts may
// lie better on many.
var rewritingLaws = []string{
	"merge_products", "merge_convs", "sum_products", "cut_inner_product", "lift_sum", "lift_bias_columns", "put_together", "all_parts",
	"matmul_assoc", "matmul_ewadd", "matmul_ewadd_left", "matmul_concat_columns", "matmul_concat_rows", "pointwise_concat", "ewadd_concat",
	"ewadd_assoc", "split_concat", "transpose_inverse",
}

// evident is a law with its proof from what operators compute.
type evident struct {
	law   *law.Law
	proof *law.Proof
}

// evidentLaws finds the laws by which is rewritten, and those by which operands are
// exchanged, each with its proof; a law without one is left out. Laws and proofs are not
// changed afterwards.
var evidentLaws = sync.OnceValues(func() (out struct{ rewrite, exchange []evident }, err error) {
	all, err := builtin.All()
	if err != nil {
		return out, err
	}
	for _, l := range append(all, axioms.Default()...) {
		exchange := strings.HasSuffix(l.Name, "_comm")
		if l.Kind == law.Refute || !exchange && !slices.Contains(rewritingLaws, l.Name) {
			continue
		}
		c, err := prove.Shared.Certify(context.Background(), l, prove.Thorough)
		if err != nil {
			return out, err
		}
		if !c.Proved() {
			continue
		}
		e := evident{l, c.Proof}
		if exchange {
			out.exchange = append(out.exchange, e)
		} else {
			out.rewrite = append(out.rewrite, e)
		}
	}
	return out, nil
})

// rewriter rewrites a training step and keeps what shows that it is the same.
type rewriter struct {
	of       *Training
	rules    *search.Rules
	exchange *search.Rules
	evidence map[string]*law.Proof
	trail    *search.Trail
	number   map[bank.Node]graph.NodeID // of the training step, by node of the trail's network
}

// errNoRewriting says that laws are not to be used on a graph.
var errNoRewriting = errors.New("the graph is not rewritten")

// newRewriter begins with a training step; prices of the trail are those of one device. The
// error is errNoRewriting where that the graph as it comes is what is rewritten cannot be
// shown by laws.
func newRewriter(t *Training, c *machine.Cluster) (*rewriter, error) {
	if why := unclear(t.Graph); why != "" {
		return nil, fmt.Errorf("%w: %s", errNoRewriting, why)
	}
	all, err := evidentLaws()
	if err != nil {
		return nil, err
	}
	r := &rewriter{of: t, evidence: map[string]*law.Proof{}, number: map[bank.Node]graph.NodeID{}}
	rules := func(from []evident) (*search.Rules, error) {
		var laws []*law.Law
		for _, e := range from {
			laws = append(laws, e.law)
			r.evidence[e.law.Name] = e.proof
		}
		out, _, err := search.NewRules(laws) // some directions are of no use
		return out, err
	}
	if r.rules, err = rules(all.rewrite); err != nil {
		return nil, err
	}
	if r.exchange, err = rules(all.exchange); err != nil {
		return nil, err
	}
	net, place, err := bank.From(t.Graph, nil)
	if err != nil {
		return nil, err
	}
	for id := range t.Graph.Nodes() {
		if x := place(id.Out(0)); x != 0 {
			n, _ := net.NodeOf(x)
			if _, ok := r.number[n]; !ok {
				r.number[n] = id
			}
		}
	}
	p := search.NewPricer(net, lower.Separate(), apart{c.Device})
	if p.Err() != nil {
		return nil, p.Err()
	}
	r.trail = search.NewTrail(search.NewRewriter(net, r.rules), p)
	return r, nil
}

// apart are the prices of operators that each have a kernel of their own, as in plans.
type apart struct{ m cost.Model }

// Alone is the time of an operator, be it a view or not.
func (a apart) Alone(op *graph.Op, attrs graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error) {
	s, _, err := a.m.Cost(cost.Application{Op: op, Attrs: attrs, In: in, Out: out})
	if err != nil {
		return 0, 0, err
	}
	t, err := machine.FromSeconds(s)
	return int64(t), int64(t), err
}

// Fused is not asked for.
func (a apart) Fused(*graph.Op, graph.Attrs, []graph.TensorType, graph.TensorType) (int64, error) {
	return 0, errors.New("operators of a plan are not fused")
}

// unclear says why laws do not show that a graph is what a rewriter begins with: in that
// derived operators are what they stand for, and operators whose operands are the same in
// another order are one.
func unclear(g *graph.Graph) string {
	needed := reached(g, g.Outputs())
	same := map[graph.NodeID]graph.NodeID{}
	at := map[string]graph.NodeID{}
	key := func(id graph.NodeID, in []graph.Tensor) string {
		s := g.Op(id).Name + g.Op(id).FormatAttrs(g.Attrs(id)) + string(g.DType(id.Out(0)))
		if len(in) == 0 {
			s += fmt.Sprint(g.Sizes(id.Out(0)))
		}
		for _, t := range in {
			s += fmt.Sprint(" ", same[t.Node], t.Out)
		}
		return s
	}
	for id := range g.Nodes() {
		same[id] = id
		o := g.Op(id)
		if _, _, opaque := g.Opaque(id); opaque {
			return fmt.Sprintf("node %s is opaque", g.Name(id))
		}
		if o == nil || !needed[id] {
			continue
		}
		if o.Expand != nil {
			return fmt.Sprintf("node %s applies %s, a derived operator", g.Name(id), o.Name)
		}
		in := g.Operands(id)
		k := key(id, in)
		if like, ok := at[k]; ok {
			same[id] = like
			continue
		}
		at[k] = id
		if o.Commutative && same[in[0].Node] != same[in[1].Node] {
			if like, ok := at[key(id, []graph.Tensor{in[1], in[0]})]; ok {
				return fmt.Sprintf("nodes %s and %s differ in the order of their operands", g.Name(like), g.Name(id))
			}
		}
	}
	return ""
}

// rewritten is what moves make of the training step, with the instances that show it.
func (r *rewriter) rewritten(path []search.Move) (*parallel.Rewriting, error) {
	n, err := search.NewNetwork(r.of.Graph, nil)
	if err != nil {
		return nil, err
	}
	n.SwapBy(r.exchange)
	w := search.NewRewriter(n.Net, r.rules)
	for i := range path {
		made := errors.New("it is not there")
		w.Find(&path[i], func(m *search.Match) { made = n.Make(w, m) })
		if made != nil {
			return nil, fmt.Errorf("move %d by %s: %w", i+1, path[i].Direction.Law.Law.Name, made)
		}
	}
	d, err := n.Derivation()
	if err != nil {
		return nil, err
	}
	inputs := len(r.of.Graph.Inputs())
	own := map[string]bool{}
	for i := range inputs {
		own[fmt.Sprintf("X%d", i)] = true
	}
	seen := map[*law.Term]bool{}
	var known func(u *law.Term) bool
	known = func(u *law.Term) bool {
		if seen[u] {
			return true
		}
		seen[u] = true
		return (!u.IsVar() || own[u.Var]) && !slices.ContainsFunc(u.Args, func(a *law.Term) bool { return !known(a) })
	}
	for _, in := range d.Proof.Instances {
		for _, u := range in.Tensors {
			if !known(u) { // a tensor of which laws do not speak
				return nil, fmt.Errorf("%w: law %s was used of what depends on a tensor that is not of numbers", errNoRewriting, in.Law)
			}
		}
	}
	out := &parallel.Rewriting{To: d.To, Instances: d.Proof.Instances, Laws: d.Laws, Evidence: map[string]*law.Proof{}}
	for name := range d.Laws {
		out.Evidence[name] = r.evidence[name]
	}
	return out, nil
}
