package adversary

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/refute"
	"github.com/taso-go/taso/verify/smt"
	"github.com/taso-go/taso/verify/sums"
)

// claim is what an engine says of a law.
type claim struct {
	engine string
	law    *law.Law
	says   eval.Claim
	// within is what the claim is limited to.
	within eval.Limits
	// where says at which points the claim is made; nil is everywhere.
	where func(*eval.Point) bool
	// at is a point at which the engine says that the law fails; nil for a claim
	// that it holds.
	at *eval.Point
	// note is what the engine adds: a scope, a condition.
	note string
	// broken: the engine panicked, and note says how.
	broken bool
}

// guarded calls f and returns what it panicked with.
func guarded(f func()) (why string) {
	defer func() {
		if r := recover(); r != nil {
			why = fmt.Sprint("panic: ", r)
		}
	}()
	f()
	return ""
}

// Names of engines, in the order of reports.
const (
	engineEGraph     = "e-graph"
	engineGround     = "z3 ground"
	engineQuantified = "z3 quantified"
	engineSums       = "sums"
	engineUpTo       = "sums, up to"
	engineMeaning    = "meaning"
	engineChecker    = "checker"
	engineCheckerZ3  = "checker's z3"
	engineTheory     = "theory"
	engineAudit      = "audit"
	engineIf         = "audit, if" // conditional verdicts
	engineRefuter    = "refuter"
	engineForged     = "forged proofs"
)

var engineNames = []string{engineEGraph, engineGround, engineQuantified, engineSums, engineUpTo, engineMeaning, engineChecker,
	engineCheckerZ3, engineTheory, engineAudit, engineIf, engineRefuter, engineForged}

// rounds of the e-graph: little room, since most laws are false.
var rounds = []tensor.Limits{
	{Nodes: 120, Iters: 3, Level: tensor.Shrinking},
	{Nodes: 160, Iters: 1, Level: tensor.Growing},
}

// sample says which share of the laws an engine is asked about, one in so many;
// 0 is none.
type sample struct{ egraph, sums, theory, quantified, audit, refute int }

// panel are the engines as one goroutine holds them.
type panel struct {
	theory *theory.Theory
	rng    *rand.Rand
	ground *smt.Grounder
	sums   *sums.Prover
	cfg    sums.Config
	z3     *check.Z3
	share  sample
	// proofs are those found, with their laws: what is forged is made of them.
	proofs       []proved
	forgedProofs int // put to the checker
	wordless     int // conditions that are not understood
}

type proved struct {
	law   *law.Law
	proof *law.Proof
}

func newPanel(t *theory.Theory, seed uint64, share sample) (*panel, error) {
	rng := rand.New(rand.NewPCG(seed, 5))
	// One law in a hundred takes as long as all others, by its cases.
	cfg := sums.Config{Ordered: true, MaxCases: 40}
	if rng.IntN(10) == 0 || share.sums == 1 {
		cfg.MaxCases = 0
	}
	s, err := sums.New(cfg)
	if err != nil {
		return nil, err
	}
	p := &panel{theory: t, rng: rng, sums: s, cfg: cfg, z3: &check.Z3{}, share: share,
		ground: smt.NewGrounder(t.Laws, smt.GroundOptions{KeepAll: true})}
	for _, l := range t.Lemmas {
		p.proofs = append(p.proofs, proved{l.Law, l.Proof})
	}
	return p, nil
}

func (p *panel) close() error { return errors.Join(p.ground.Close(), p.sums.Close(), p.z3.Close()) }

// some takes one in so many.
func (p *panel) some(ls []*law.Law, one int) []*law.Law {
	if one <= 0 {
		return nil
	}
	var out []*law.Law
	for _, l := range ls {
		if p.rng.IntN(one) == 0 {
			out = append(out, l)
		}
	}
	return out
}

// together takes as many as some, but of few batches more: for engines that
// first read all axioms.
func (p *panel) together(ls []*law.Law, one int) []*law.Law {
	const batches = 10
	if one < batches {
		return p.some(ls, one)
	}
	if p.rng.IntN(batches) > 0 {
		return nil
	}
	return p.some(ls, one/batches)
}

// ask puts laws to the engines.
func (p *panel) ask(ctx context.Context, ls []*law.Law) ([]claim, error) {
	var out []claim
	for _, f := range []func(context.Context, []*law.Law) ([]claim, error){p.egraph, p.bySums, p.byTheory, p.quantified, p.audit, p.refute} {
		cs, err := f(ctx, ls)
		if err != nil {
			return nil, err
		}
		out = append(out, cs...)
	}
	return out, nil
}

// egraph asks the e-graph with the laws of the theory in random order, and
// what checks its proofs.
func (p *panel) egraph(ctx context.Context, ls []*law.Law) ([]claim, error) {
	ls = p.some(ls, p.share.egraph)
	laws := slices.Clone(p.theory.Laws)
	p.rng.Shuffle(len(laws), func(i, j int) { laws[i], laws[j] = laws[j], laws[i] })
	eg := &verify.EGraph{Laws: laws, Rounds: rounds, Workers: 1}
	vs, err := eg.Prove(ctx, ls)
	if err != nil {
		return nil, err
	}
	var out []claim
	for i, v := range vs {
		if v.Status != verify.Proved {
			continue
		}
		l := ls[i]
		p.keep(proved{l, v.Proof})
		out = append(out, claim{engine: engineEGraph, law: l, says: eval.Claim{Equal: true}})
		if z := p.ground.Ground(ctx, l, v.Proof); z.Status == verify.Proved {
			out = append(out, claim{engine: engineGround, law: l, says: eval.Claim{Equal: true}})
		}
		cs := p.checked(ctx, l, v.Proof, "")
		out = append(out, cs...)
		if len(cs) == 2 && p.rng.IntN(4) > 0 {
			continue
		}
		// The same proof for what is written the other way round.
		for _, back := range []bool{false, true} {
			w := *l
			w.OneWay = true
			if back {
				w.LHS, w.RHS = l.RHS, l.LHS
			}
			out = append(out, p.checked(ctx, &w, v.Proof, "")...)
		}
	}
	return out, nil
}

// maxProofs bounds the proofs that are kept.
const maxProofs = 400

func (p *panel) keep(q proved) {
	if len(p.proofs) < maxProofs {
		p.proofs = append(p.proofs, q)
		return
	}
	p.proofs[len(p.theory.Lemmas)+p.rng.IntN(maxProofs-len(p.theory.Lemmas))] = q
}

// checked asks the checker, and Z3 behind it.
func (p *panel) checked(ctx context.Context, l *law.Law, proof *law.Proof, note string) []claim {
	var out []claim
	engine, z3 := engineChecker, engineCheckerZ3
	if proof.Meaning != nil {
		engine = engineMeaning
	}
	if note != "" {
		engine, z3 = engineForged, engineForged
	}
	var r *check.Result
	err, zerr := errors.New("not asked"), errors.New("not asked")
	if why := guarded(func() {
		r, err = check.Rule(l, proof, p.theory.ByName)
		zerr = p.z3.Rule(ctx, l, proof, p.theory.ByName)
	}); why != "" {
		return []claim{{engine: engine, law: l, note: why, broken: true}}
	}
	if err == nil {
		out = append(out, claim{engine: engine, law: l, note: note,
			says: eval.Claim{Equal: true, Forward: r.Forward, Backward: r.Backward || !l.OneWay}})
	}
	if zerr == nil {
		out = append(out, claim{engine: z3, law: l, note: note, says: eval.Claim{Equal: true}})
	}
	return out
}

func (p *panel) bySums(ctx context.Context, ls []*law.Law) ([]claim, error) {
	var out []claim
	for _, l := range p.some(ls, p.share.sums) {
		var r sums.Result
		var err error
		if why := guarded(func() { r, err = p.sums.Prove(ctx, l) }); why != "" {
			out = append(out, claim{engine: engineSums, law: l, note: why, broken: true})
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.Equal {
			out = append(out, claim{engine: engineSums, law: l,
				says: eval.Claim{Equal: true, Forward: r.Forward, Backward: r.Backward}})
		}
		if u := r.UpTo; u != nil && u.Groups == 0 && u.Axes == 0 {
			out = append(out, claim{engine: engineUpTo, law: l, within: eval.Limits{Stride: u.Strides},
				says: eval.Claim{Equal: u.Equal, Forward: u.Forward, Backward: u.Backward}, note: u.String()})
		}
		var proof []int64
		if why := guarded(func() { proof, err = sums.Certify(ctx, l) }); why != "" {
			out = append(out, claim{engine: engineMeaning, law: l, note: why, broken: true})
			continue
		}
		if err != nil {
			return nil, err
		}
		if proof != nil {
			p.keep(proved{l, &law.Proof{Meaning: proof}})
			out = append(out, p.checked(ctx, l, &law.Proof{Meaning: proof}, "")...)
		}
		// A new prover has read nothing.
		if p.rng.IntN(50) == 0 {
			q, err := sums.New(p.cfg)
			if err != nil {
				return nil, err
			}
			again, err := q.Prove(ctx, l)
			if err = errors.Join(err, q.Close()); err != nil {
				return nil, err
			}
			if again.Equal != r.Equal || again.Forward != r.Forward || again.Backward != r.Backward {
				out = append(out, claim{engine: engineSums, law: l, broken: true,
					note: fmt.Sprintf("the verdict depends on what was asked before: %s; alone: %s", r, again)})
			}
		}
	}
	return out, nil
}

// byTheory asks for the verdict on which e-graph, Z3 and checker agree.
func (p *panel) byTheory(ctx context.Context, ls []*law.Law) ([]claim, error) {
	ps, err := p.theory.Decide(ctx, p.together(ls, p.share.theory), theory.Options{Rounds: rounds, Workers: 1})
	if err != nil {
		return nil, err
	}
	var out []claim
	for _, q := range ps {
		if q.Verdict.Status == verify.Proved {
			out = append(out, claim{engine: engineTheory, law: q.Goal,
				says: eval.Claim{Equal: true, Forward: q.Forward, Backward: q.Backward}})
		}
	}
	return out, nil
}

func (p *panel) quantified(ctx context.Context, ls []*law.Law) ([]claim, error) {
	ls = p.together(ls, p.share.quantified)
	if len(ls) == 0 {
		return nil, nil
	}
	vs, err := (&smt.Quantified{Laws: p.theory.Laws, Steps: 100_000}).Prove(ctx, ls)
	if err != nil {
		return nil, err
	}
	var out []claim
	for i, v := range vs {
		if v.Status == verify.Proved {
			out = append(out, claim{engine: engineQuantified, law: ls[i], says: eval.Claim{Equal: true}})
		}
	}
	return out, nil
}

// audit asks what a report says of each direction.
func (p *panel) audit(ctx context.Context, ls []*law.Law) ([]claim, error) {
	ls = p.together(ls, p.share.audit)
	if len(ls) == 0 {
		return nil, nil
	}
	f := &peer.File{Path: "written", Format: peer.Text}
	for i, l := range ls {
		f.Rules = append(f.Rules, peer.Rule{Index: i, Name: fmt.Sprint("rule ", i), Law: l, Equation: !l.OneWay})
	}
	reps, err := audit.Run(ctx, []*peer.File{f}, audit.Options{Workers: 1, NoSet: true})
	if err != nil {
		return nil, err
	}
	var out []claim
	for i, r := range reps[0].Rules {
		for _, g := range r.Readings {
			for back, d := range []audit.Direction{g.Forward, g.Backward} {
				l := ls[i]
				c := claim{engine: engineAudit, law: l, note: string(d.Verdict), says: eval.Claim{Forward: back == 0, Backward: back == 1}}
				switch d.Verdict {
				case audit.Proved:
					out = append(out, c)
				case audit.Conditional:
					w, ok := readWords(l, d.Condition)
					if !ok {
						p.wordless++
						continue
					}
					c.engine = engineIf
					if c.note = "under: " + d.Condition; w.both {
						c.says = eval.Claim{Equal: true}
					}
					c.where = func(p *eval.Point) bool { h, ok := w.hold(p); return h && ok }
					out = append(out, c)
				}
			}
		}
	}
	return out, nil
}

// refute asks for counterexamples; each is a claim that the law fails there.
func (p *panel) refute(ctx context.Context, ls []*law.Law) ([]claim, error) {
	var out []claim
	for _, l := range p.some(ls, p.share.refute) {
		var w *refute.Witness
		var err error
		if why := guarded(func() {
			w, err = refute.Find(ctx, l, refute.Options{Seed: p.rng.Uint64(), Minimize: -1, Bindings: 40})
		}); why != "" {
			out = append(out, claim{engine: engineRefuter, law: l, note: why, broken: true})
			continue
		}
		if err != nil || w == nil {
			continue // an ill-typed law, or none was found
		}
		at := &eval.Point{Sizes: w.Dims, Runs: map[string][]int64{}, Attrs: map[string]eval.Attr{}}
		for n, r := range w.Runs {
			at.Runs[n] = []int64{}
			for _, x := range r {
				at.Runs[n] = append(at.Runs[n], int64(x))
			}
		}
		for _, b := range l.Given {
			if text, ok := w.Attrs[b.Name]; ok {
				v, err := eval.ReadAttr(text, b.Sort)
				if err != nil {
					return nil, err
				}
				at.Attrs[b.Name] = v
			}
		}
		out = append(out, claim{engine: engineRefuter, law: l, at: at, note: w.Kind})
	}
	return out, nil
}
