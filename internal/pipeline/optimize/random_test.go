package optimize_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/randnet"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/search"
)

// machine is what random networks are optimized for.
func machine(t testing.TB) cost.Model {
	t.Helper()
	m, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// networkOf is the random network of a seed.
func networkOf(t testing.TB, seed uint64) *model.Model {
	t.Helper()
	m, err := randnet.Model(seed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return m
}

// whim is a cost model in which prices mean nothing: which operators are cheap, a number
// decides, so that a search makes moves that no machine asks for.
type whim uint64

func (w whim) price(op *graph.Op, attrs graph.Attrs, sizes []int) cost.Seconds {
	h, name := fnv.New64a(), "copy"
	if op != nil {
		name = op.Name
	}
	fmt.Fprint(h, uint64(w), name, attrs, len(sizes))
	return cost.Seconds(float64(1+h.Sum64()%97) * float64(graph.NumElements(sizes)) * 1e-7)
}

func (w whim) Cost(a cost.Application) (cost.Seconds, cost.Source, error) {
	return w.price(a.Op, a.Attrs, a.Out[0].Sizes), cost.Modelled, nil
}

func (w whim) Fused(f cost.Fused, t graph.TensorType) (cost.Seconds, cost.Source, error) {
	return w.price(f.Op, f.Attrs, t.Sizes) / 2, cost.Modelled, nil
}

func laws(t testing.TB) []*law.Law {
	t.Helper()
	ls, err := optimize.DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// fromEnv is a number from the environment.
func fromEnv(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Random networks are optimized by each method: the proof is accepted, the result
// computes the same modulo a prime and in float64, costs no more, and is the same
// again. TASO_RANDOM_NETWORKS is how many, TASO_RANDOM_SEED from which seed on,
// TASO_RANDOM_TRIES with how many tries.
func TestRandomNetworks(t *testing.T) {
	count, first, tries := fromEnv(t, "TASO_RANDOM_NETWORKS", 16), fromEnv(t, "TASO_RANDOM_SEED", 1), fromEnv(t, "TASO_RANDOM_TRIES", 300)
	ls, on := laws(t), machine(t)
	ordered := map[string]bool{}
	for _, l := range ls {
		ordered[l.Name] = l.HasTag(law.TagOrdered)
	}
	var rewritten, steps, folded, undecided, failed int
	used := map[string]int{}
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		m := networkOf(t, seed)
		method := optimize.Method(optimize.Methods()[int(seed)%len(optimize.Methods())])
		o := optimize.Options{Model: m, Cost: on, CostName: "modelled", Method: method, Tries: tries, Seed: seed, Alpha: 1.2}
		if seed/4%2 == 1 {
			o.Cost, o.CostName = whim(seed), "whim"
		}
		res, err := safely(o)
		if err == nil {
			err = right(m, res, o, func(name string) bool { return ordered[name] })
		}
		if err != nil {
			failed++
			t.Errorf("seed %d, %s: %v", seed, method, err)
			continue
		}
		if res.StepCount > 0 {
			rewritten++
		}
		for i := range res.Steps {
			used[res.Steps[i].Law]++
		}
		steps, folded = steps+res.StepCount, folded+res.Folded
		if res.Exact != string(verifymodels.Equal) {
			undecided++
		}
		if n := int(seed) - first + 1; n%500 == 0 {
			t.Logf("%d networks, %d failed", n, failed)
		}
	}
	if rewritten < count/3 {
		t.Errorf("of %d networks %d were rewritten: too few to tell", count, rewritten)
	}
	t.Logf("%d networks from seed %d: %d rewritten by %d steps of %d laws, %d weights computed ahead, %d not decided exactly, %d failed",
		count, first, rewritten, steps, len(used), folded, undecided, failed)
}

// Networks that a search once failed at.
func TestNetworksThatFailed(t *testing.T) {
	on := machine(t)
	for _, c := range []struct {
		seed uint64
		why  string
	}{
		{2212208, "the result is right and deviates in numbers, so that the model is returned"},
		{1003916, "in an e-graph, a part of a tensor whose operands' element types do not fit"},
	} {
		m := networkOf(t, c.seed)
		for _, method := range []optimize.Method{optimize.Auto, optimize.Saturate} {
			res, err := safely(optimize.Options{Model: m, Cost: on, CostName: "modelled", Method: method, Tries: 300, Seed: c.seed, Alpha: 1.2})
			if err != nil {
				t.Errorf("seed %d (%s), %s: %v", c.seed, c.why, method, err)
			} else if !res.ProofChecked {
				t.Errorf("seed %d (%s), %s: the proof is not checked", c.seed, c.why, method)
			}
		}
	}
}

// safely turns a panic into an error, so that a long run goes on.
func safely(o optimize.Options) (res *optimize.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return optimize.Run(context.Background(), o)
}

// right says what is wrong with the result of a model.
func right(m *model.Model, res *optimize.Result, o optimize.Options, ordered func(string) bool) error {
	if res.CostAfter > res.CostBefore {
		return fmt.Errorf("it costs %g, before %g", res.CostAfter, res.CostBefore)
	}
	if !res.ProofChecked {
		return fmt.Errorf("the proof is not checked")
	}
	if _, err := optimize.CheckProof(context.Background(), bytes.NewReader(res.Proof), "proof", m, res.Model, true); err != nil {
		return err
	}
	// Laws of the true relu and maximum are seen in numbers only, and so is sometimes what
	// is special about a maximum of maxima and of what is taken off them.
	if res.Exact != string(verifymodels.Equal) && (res.Exact != string(verifymodels.Undecided) || res.Numbers != string(verifymodels.ModelsAgree) ||
		!slices.ContainsFunc(res.Steps, func(s optimize.Step) bool { return ordered(s.Law) || strings.Contains(s.Text, "max(") })) {
		return fmt.Errorf("exactly, the result is %s", res.Exact)
	}
	if res.MaxRelError > 1e-4 {
		return fmt.Errorf("in numbers, the result differs by %g", res.MaxRelError)
	}
	// What deviates in numbers is taken back only where numbers are looked at.
	o.NoVerify = res.Deviated == 0
	again, err := safely(o)
	if err != nil {
		return fmt.Errorf("again: %w", err)
	}
	if !bytes.Equal(again.Proof, res.Proof) || again.Model.Graph.String() != res.Model.Graph.String() {
		return fmt.Errorf("the same search gives another result")
	}
	return nil
}

// Random moves of all laws, whatever they cost: the proof of what they lead to is
// accepted, also when weights are computed ahead, and it computes the same.
// TASO_RANDOM_WALKS is how many networks, TASO_RANDOM_SEED from which seed on.
func TestRandomWalks(t *testing.T) {
	count, first := fromEnv(t, "TASO_RANDOM_WALKS", 16), fromEnv(t, "TASO_RANDOM_SEED", 1)
	rules := rulesOf(t)
	var made, failed, different int
	used := map[string]int{}
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		n, differs, err := walk(networkOf(t, seed), rules, seed, used)
		if err != nil {
			failed++
			t.Errorf("seed %d: %v", seed, err)
		}
		if made += n; differs {
			different++
		}
		if n := int(seed) - first + 1; n%500 == 0 {
			t.Logf("%d networks, %d failed", n, failed)
		}
	}
	if different < count/2 {
		t.Errorf("of %d networks %d became others: too few to tell", count, different)
	}
	t.Logf("%d networks from seed %d: %d became others by %d moves of %d laws, %d failed", count, first, different, made, len(used), failed)
}

// wander makes random moves in a network; ordered is whether laws of the true relu and
// maximum were among them.
func wander(m *model.Model, rules *search.Rules, seed uint64) (d *search.Derivation, path []string, differs, ordered bool, err error) {
	rnd := rand.New(rand.NewPCG(seed, 12))
	n, err := search.NewNetwork(m.Graph, nil)
	if err != nil {
		return nil, nil, false, false, err
	}
	n.SwapBy(rules)
	rw := search.NewRewriter(n.Net, rules)
	moves := search.NewMoves(rw)
	before := n.Net.Hash()
	for range 12 {
		byLaw := map[string][]search.Move{}
		n.Net.Nodes(func(x bank.Node) bool {
			one, many := moves.At(x)
			for _, mv := range append(slices.Clone(one), many...) {
				name := mv.Direction.Law.Law.Name
				byLaw[name] = append(byLaw[name], mv)
			}
			return true
		})
		if len(byLaw) == 0 {
			break
		}
		// Laws alike, however many places they have.
		names := slices.Sorted(maps.Keys(byLaw))
		name := names[rnd.IntN(len(names))]
		mv := byLaw[name][rnd.IntN(len(byLaw[name]))]
		mark := n.Net.Mark()
		var failed error
		if !rw.Find(&mv, func(x *search.Match) { failed = n.Make(rw, x) }) {
			return nil, path, false, false, fmt.Errorf("a move of %s is gone", name)
		}
		moves.Update(mark)
		n.Net.Keep(mark)
		if failed == nil {
			path = append(path, name)
			ordered = ordered || mv.Direction.Law.Law.HasTag(law.TagOrdered)
		}
	}
	d, err = n.Derivation()
	return d, path, n.Net.Hash() != before, ordered, err
}

// walk makes random moves in a network and says what is wrong with where they lead.
func walk(m *model.Model, rules *search.Rules, seed uint64, used map[string]int) (made int, differs bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx := context.Background()
	d, path, differs, ordered, err := wander(m, rules, seed)
	for _, name := range path {
		used[name]++
	}
	wrong := func(err error) (int, bool, error) { return len(path), differs, fmt.Errorf("%v: %w", path, err) }
	if err != nil {
		return wrong(err)
	}
	out, err := m.WithGraph(d.To)
	if err != nil {
		return wrong(err)
	}
	rep, err := verifymodels.Run(ctx, verifymodels.Options{A: m, B: out, Seed: seed, MaxFLOPs: 1e8})
	if err != nil {
		return wrong(err)
	}
	// What cancels is 0 or a rounding in numbers, which are relative: what is exact decides.
	if equal := rep.Exact.Verdict == verifymodels.Equal; !equal && (!ordered || rep.Verdict == verifymodels.ModelsDiffer) {
		return wrong(fmt.Errorf("another function:\n%s", rep))
	}
	worth := fold.Worth(out.Graph, fold.Limits{})
	if out, err = fold.Model(out, func(id graph.NodeID) bool { return worth[id] }); err != nil {
		return wrong(err)
	}
	var cert bytes.Buffer
	if err := optimize.WriteProof(ctx, &cert, d, nil); err != nil {
		return wrong(err)
	}
	if _, err := optimize.CheckProof(ctx, &cert, "proof", m, out, false); err != nil {
		return wrong(err)
	}
	return len(path), differs, nil
}

func rulesOf(t testing.TB) *search.Rules {
	t.Helper()
	rules, _, err := search.NewRules(laws(t))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func randomOf(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// Rows that are taken from a table and then cut: to take fewer costs less, but positions
// are integers, of which laws do not speak.
func TestPositionsStay(t *testing.T) {
	m := written(t, `x : float32[64, 64]
i : int64[48]
k : weight float32[64, 64]
g = gather[axis=0](x, i)
s = slice[axis=0, lo=0, hi=2](g)
p = matmul(s, k)
r = relu(s)
z = ewadd(p, r)
return z`)
	for _, method := range optimize.Methods() {
		o := optimize.Options{Model: m, Cost: machine(t), Method: optimize.Method(method), Tries: 300, Alpha: 1.2}
		res, err := safely(o)
		if err == nil {
			err = right(m, res, o, func(string) bool { return false })
		}
		if err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// A model with a node that no backend runs is optimized all the same, and not measured.
func TestOpaqueIsNotRun(t *testing.T) {
	b, x, y := builder(t)
	k := kept(t, b, "k", "K", "", 1, graph.TensorType{DType: graph.Float32, Sizes: []int{2}}, x)
	p := applied(t, b, "p", "relu", nil, k.Out(0))
	q := applied(t, b, "q", "ewsub", nil, y, y)
	m := finished(t, b, applied(t, b, "r", "ewadd", nil, p, q))
	runner, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Runner: runner, Measure: true, Tries: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !res.ProofChecked || res.NodesAfter != 2 || res.Exact != string(verifymodels.Equal) || res.MeasuredBefore != 0 {
		t.Errorf("%+v", res.Report)
	}
}
