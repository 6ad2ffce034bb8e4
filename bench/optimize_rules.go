package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/builtin"
)

func init() {
	Register(&Benchmark{Name: "optimize-rules", What: "optimized cost by rule set: axioms, default, generated",
		Takes: "40 min", Packages: []string{"internal/pipeline/optimize", "internal/pipeline/genrules", "bench/models"},
		Models: true, Default: append(slices.Clone(papers), "squeezenet-full"), Run: optimizeRules})
}

// ruleSet is a set of laws to optimize by, with the proofs that are known of them.
type ruleSet struct {
	name   string
	laws   []*law.Law
	proofs map[string]*law.Proof
}

// defaultSet is the name of the set that optimize uses unless it is told otherwise.
const defaultSet = "default: axioms, lemmas, network laws"

// optimizeRules generates rules and optimizes by each set.
func optimizeRules(ctx context.Context, env *Env) (*Record, error) {
	var made []ruleSet
	for _, g := range []struct {
		name string
		o    genrules.Options
	}{
		{"rules of 2 operators", genrules.Options{MaxOps: 2}},
		{"rules of 3 operators", genrules.Options{MaxOps: 3}},
		{"rules of 4 operators", genrules.Options{MaxOps: 4}},
		{"rules of 3 operators of `bert`", genrules.Options{MaxOps: 3, Ops: []string{"bert"}}},
		{"rules of 3 operators of `cnn`", genrules.Options{MaxOps: 3, Ops: []string{"cnn"}}},
	} {
		g.o.SemanticOps = -1 // what arithmetic modulo a prime does not know is no default either
		rep, err := generate(ctx, env, g.o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		made = append(made, generatedSet(g.name, rep.Set))
	}
	sets, err := ruleSets(made)
	if err != nil {
		return nil, err
	}
	// An eighth of the moves of a run that is told nothing.
	return rulesCompared(ctx, env, sets, 15000)
}

// generatedSet are the rules of a set that are proved.
func generatedSet(name string, set *rules.Set) ruleSet {
	s := ruleSet{name: name, proofs: map[string]*law.Proof{}}
	for _, r := range set.Rules {
		if r.Proof != nil {
			s.laws = append(s.laws, r.Law)
			s.proofs[r.Law.Name] = r.Proof
		}
	}
	return s
}

// ruleSets are the sets that come with the program, and generated ones, alone and
// added to the default; of those that are added, what is an instance of a law of the
// default is left out.
func ruleSets(generated []ruleSet) ([]ruleSet, error) {
	all, err := optimize.DefaultLaws(false)
	if err != nil {
		return nil, err
	}
	networks, err := builtin.All()
	if err != nil {
		return nil, err
	}
	ordered := func(l *law.Law) bool { return l.HasTag(law.TagOrdered) }
	alone := slices.DeleteFunc(axioms.ByKind(law.Axiom), ordered)
	lemmas := slices.DeleteFunc(axioms.ByKind(law.Lemma), ordered)
	sets := []ruleSet{
		{name: "axioms", laws: alone},
		{name: "axioms, lemmas", laws: slices.Concat(alone, lemmas)},
		{name: "network laws", laws: networks},
		{name: defaultSet, laws: all},
	}
	for _, g := range generated {
		more := ruleSet{name: "default, " + g.name, laws: slices.Concat(all, news(all, g.laws)), proofs: g.proofs}
		sets = append(sets, g, more)
	}
	return sets, nil
}

// news are the laws that are no instances of one that is known, whatever its sides
// and variables are called.
func news(known, laws []*law.Law) []*law.Law {
	ids := map[string]bool{}
	for _, l := range known {
		ids[law.ID(l)] = true
	}
	kept, _ := rules.Subsume(slices.Concat(known, laws))
	return slices.DeleteFunc(kept, func(l *law.Law) bool { return slices.Contains(known, l) || ids[law.ID(l)] })
}

// rulesCompared optimizes each model by each set of laws, with auto and with one
// saturation.
func rulesCompared(ctx context.Context, env *Env, sets []ruleSet, tries int) (*Record, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	methods := []optimize.Method{optimize.Auto, optimize.Saturate}
	type outcome struct {
		after, seconds float64
		nodes          int
	}
	found := map[optimize.Method][][]outcome{} // by model and set
	before := make([]float64, len(env.Models))
	for i, name := range env.Models {
		x, err := env.model(name)
		if err != nil {
			return nil, err
		}
		for _, method := range methods {
			row := make([]outcome, len(sets))
			for j, s := range sets {
				var cpu [2]float64
				cpu[0] = procstat.Read().CPUSeconds()
				res, _, err := watched(ctx, optimize.Options{Model: x, Laws: s.laws, Proofs: s.proofs, Method: method, Tries: tries, Workers: 1,
					Cost: m, CostName: "analytic:v100", Target: lower.CPU(), Seed: 1, Progress: env.Progress, NoVerify: true,
					Searched: func() { cpu[1] = procstat.Read().CPUSeconds() }})
				if err != nil {
					return nil, fmt.Errorf("%s, %s, %s: %w", name, s.name, method, err)
				}
				before[i] = float64(res.CostBefore)
				row[j] = outcome{after: float64(res.CostAfter), seconds: cpu[1] - cpu[0]}
				if res.EGraph != nil {
					row[j].nodes = res.EGraph.Nodes
				}
			}
			found[method] = append(found[method], row)
		}
	}
	base := slices.IndexFunc(sets, func(s ruleSet) bool { return s.name == defaultSet })
	sum := NewTable("", Label("laws"), Counted("laws"), Modelled("cost vs default, auto", "%").Decimals(2).Signed(), Counted("cheaper models"), Counted("more expensive models"),
		Measured("search CPU, auto", "s").Digits(3), Modelled("cost vs default, one saturation", "%").Decimals(2).Signed(),
		Counted("cheaper models"), Counted("more expensive models"), Measured("saturation CPU", "s").Digits(3), Counted("e-nodes"))
	for j, s := range sets {
		cells := []any{s.name, len(s.laws)}
		for _, method := range methods {
			ratio, seconds := 0.0, 0.0
			less, more, nodes := 0, 0, 0
			for i := range env.Models {
				o, d := found[method][i][j], found[method][i][base]
				ratio += math.Log(o.after / d.after)
				seconds += o.seconds
				nodes += o.nodes
				switch r := o.after / d.after; {
				case r < 1-alike:
					less++
				case r > 1+alike:
					more++
				}
			}
			cells = append(cells, 100*(math.Exp(ratio/float64(len(env.Models)))-1), less, more, seconds)
			if method == optimize.Saturate {
				cells = append(cells, nodes)
			}
		}
		sum.Add(cells...)
	}
	rec := &Record{Tables: []*Table{sum}, Notes: []string{
		fmt.Sprintf("%d moves per search of `auto`. Cost ratios are geometric means over the models. "+
			"Every result has a proof that the checker accepts. A set added to the default leaves out instances of the default's laws.", tries)}}
	for _, method := range methods {
		t := NewTable(fmt.Sprintf("Cost of each model after `%s`, ms:", method), Label("laws"))
		t.Across = true
		for _, name := range env.Models {
			t.Columns = append(t.Columns, Modelled(shown(name), "").Digits(4))
		}
		row := []any{"none: the model"}
		for _, c := range before {
			row = append(row, 1e3*c)
		}
		t.Add(row...)
		for j, s := range sets {
			row := []any{s.name}
			for i := range env.Models {
				row = append(row, 1e3*found[method][i][j].after)
			}
			t.Add(row...)
		}
		rec.Tables = append(rec.Tables, t)
	}
	return rec, nil
}

// alike is by which part costs may differ and be told as the same: a ten-thousandth.
const alike = 1e-4
