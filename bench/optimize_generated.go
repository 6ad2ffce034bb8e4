package bench

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/internal/randnet"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/sets"
)

func init() {
	var rewritten []string
	for _, name := range models.Names() {
		if len(models.Variants(name)) > 0 {
			rewritten = append(rewritten, name+"-tiny")
		}
	}
	packages := []string{"internal/pipeline/optimize", "rules/sets"}
	Register(&Benchmark{Name: "generated-forms", What: "rewritten forms optimized and proved equal with generated rules only",
		Takes: "20 min", Packages: append([]string{"bench/models"}, packages...), Models: true, Default: rewritten,
		Run: func(ctx context.Context, env *Env) (*Record, error) {
			return generatedOnly(ctx, env, (*compared).forms)
		}})
	Register(&Benchmark{Name: "generated-networks", What: "random networks optimized with generated rules only",
		Takes: "20 min", Packages: append([]string{"internal/randnet"}, packages...),
		Run: func(ctx context.Context, env *Env) (*Record, error) {
			return generatedOnly(ctx, env, func(c *compared, ctx context.Context) (*Record, error) { return c.random(ctx, networks) })
		}})
}

// generatedOnly compares the rule sets that ship with the program with the laws written by hand.
func generatedOnly(ctx context.Context, env *Env, run func(*compared, context.Context) (*Record, error)) (*Record, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	c := &compared{env: env, base: optimize.Options{Cost: m, CostName: "analytic:v100", Target: lower.CPU(),
		Workers: env.Workers, Progress: env.Progress, Seed: 1}}
	if c.hand, err = handWritten(); err != nil {
		return nil, err
	}
	if c.gen, err = shipped(); err != nil {
		return nil, err
	}
	rec, err := run(c, ctx)
	if err != nil {
		return nil, err
	}
	rec.Notes = append([]string{fmt.Sprintf("Generated: the %d rules of the shipped sets that are about one device, without instances of other rules, "+
		"and exchanges of operands. Written by hand: the %d laws of `taso optimize`.", len(c.gen.laws), len(c.hand.laws))}, rec.Notes...)
	return rec, nil
}

// compared are two sets of laws that are compared.
type compared struct {
	env       *Env
	base      optimize.Options
	hand, gen ruleSet
	handCache rewrite.Cache
	genCache  rewrite.Cache
}

// handWritten are the laws that models are optimized by unless others are named.
func handWritten() (ruleSet, error) {
	laws, err := optimize.DefaultLaws(false)
	return ruleSet{name: "written by hand", laws: laws}, err
}

// shipped are the rules of all shipped sets that are about one device, without instances of
// others, and exchanges of operands.
func shipped() (ruleSet, error) {
	list, err := sets.List()
	if err != nil {
		return ruleSet{}, err
	}
	all := ruleSet{name: "generated", proofs: map[string]*law.Proof{}}
	seen := map[string]bool{}
	for _, s := range list {
		set, err := rules.Load(sets.Prefix+s.Name, rules.LoadOptions{Axioms: axioms.Text(), Open: sets.Open})
		if err != nil {
			return all, err
		}
		one := generatedSet(s.Name, set)
		for _, l := range one.laws {
			if !seen[l.Name] && len(layoutsOf(l)) == 0 && !l.HasTag(law.TagOrdered) {
				seen[l.Name] = true
				all.laws = append(all.laws, l)
			}
		}
		maps.Copy(all.proofs, one.proofs)
	}
	all.laws, _ = rules.Subsume(all.laws)
	all.laws = append(all.laws, rules.Exchanges(all.laws)...)
	return all, nil
}

// run optimizes a model by one of the sets.
func (c *compared) run(ctx context.Context, m *model.Model, tries int, generated bool) (*optimize.Result, error) {
	o := c.base
	o.Model, o.Tries, o.Laws, o.Proofs, o.Compiled = m, tries, c.hand.laws, nil, &c.handCache
	if generated {
		o.Laws, o.Proofs, o.Compiled = c.gen.laws, c.gen.proofs, &c.genCache
	}
	o.Compiled = o.Compiled.Clone()
	res, _, err := watched(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return res, nil
}

// missing are the laws that a result uses and that no generated rule states.
func (c *compared) missing(res *optimize.Result, known map[string]bool) (names []string) {
	for _, s := range res.Steps {
		lacks, ok := known[s.Law]
		if k := slices.IndexFunc(c.hand.laws, func(l *law.Law) bool { return l.Name == s.Law }); !ok && k >= 0 {
			l := c.hand.laws[k]
			lacks = !slices.ContainsFunc(c.gen.laws, func(g *law.Law) bool { return rules.Covers(g, l) || rules.Covers(g, law.OneDirection(l, false)) })
			known[s.Law] = lacks
		}
		if lacks && !slices.Contains(names, s.Law) {
			names = append(names, s.Law)
		}
	}
	slices.Sort(names)
	return names
}

// formTries is the number of rewrites that are tried of a form, and randomTries of a random
// network: fewer than a run tries that is told nothing.
const (
	formTries   = 15000
	randomTries = 1000
	proofTries  = 10000
	networks    = 200
)

// forms optimizes each form by both sets, and looks for proofs that it is equal to its model.
func (c *compared) forms(ctx context.Context) (*Record, error) {
	t := NewTable("Rewritten forms, optimized:", Label("form"), Modelled("cost", "µs").Digits(4), Modelled("hand-written", "µs").Digits(4), Modelled("generated", "µs").Digits(4),
		Modelled("generated vs hand-written", "%").Decimals(2).Signed(), Label("used by the hand-written result, stated by no generated rule"))
	p := NewTable("Proofs that a model and its form are equal; search: behind the normal form, rewrites are tried:", Label("form"), Counted("hand-written, steps"), Counted("generated, steps"), Counted("rewrites tried, generated"),
		Label("without a proof"))
	reached, cheaper, count := 0, 0, 0
	proved := [2]int{}
	lacking, known := map[string]int{}, map[string]bool{}
	for _, name := range c.env.Models {
		of, err := c.env.model(name)
		if err != nil {
			return nil, err
		}
		for _, v := range models.Variants(name) {
			x, err := c.env.model(v.Name)
			if err != nil {
				return nil, err
			}
			hand, err := c.run(ctx, x, formTries, false)
			if err != nil {
				return nil, err
			}
			gen, err := c.run(ctx, x, formTries, true)
			if err != nil {
				return nil, err
			}
			count++
			more := 100 * (float64(gen.CostAfter/hand.CostAfter) - 1)
			var without []string
			switch {
			case more < -0.005:
				cheaper++
				fallthrough
			case more < 0.005:
				reached++
			default:
				without = c.missing(hand, known)
				for _, l := range without {
					lacking[l]++
				}
			}
			t.Add(shown(v.Name), 1e6*float64(hand.CostBefore), 1e6*float64(hand.CostAfter), 1e6*float64(gen.CostAfter), more, strings.Join(without, ", "))

			var steps [2]any
			var last *optimize.Proved
			for i, generated := range []bool{false, true} {
				o := optimize.Options{Tries: 1, Progress: c.env.Progress, Workers: c.env.Workers}
				if generated {
					o.Laws, o.Proofs, o.Compiled, o.Tries = c.gen.laws, c.gen.proofs, c.genCache.Clone(), proofTries
				}
				if last, err = optimize.Prove(ctx, of, x, o); err != nil {
					return nil, fmt.Errorf("%s: %w", v.Name, err)
				}
				if last.Equal {
					proved[i]++
					steps[i] = last.Checked.Steps
				}
			}
			p.Add(shown(v.Name), steps[0], steps[1], last.Tried, last.Why)
		}
	}
	return &Record{Tables: []*Table{t, p}, Notes: []string{
		fmt.Sprintf("With generated rules only, %d of %d forms reach the cost that the hand-written laws reach; %d of these are cheaper. %d rewrites are tried for each. "+
			"Of the others the laws are named that no generated rule states: %s.", reached, count, cheaper, formTries, tallied(lacking)),
		fmt.Sprintf("Proofs from a model to its form: %d of %d by hand-written laws, %d by generated rules.", proved[0], count, proved[1]),
	}}, nil
}

// tallied lists names by how often they were counted.
func tallied(count map[string]int) string {
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("`%s` (%d)", n, count[n])
	}
	return strings.Join(names, ", ")
}

// random optimizes random networks by both sets. Every result is compared with its network by
// [optimize.Run], and its proof is checked once more.
func (c *compared) random(ctx context.Context, count int) (*Record, error) {
	var gains [2][]float64
	var accepted, rewritten [2]int
	var cpu [2]float64
	better, worse := 0, 0
	lacking, known := map[string]int{}, map[string]bool{}
	for seed := uint64(1); seed <= uint64(count); seed++ {
		m, err := randnet.Model(seed)
		if err != nil {
			return nil, fmt.Errorf("network %d: %w", seed, err)
		}
		var res [2]*optimize.Result
		for i, generated := range []bool{false, true} {
			start := procstat.Read().CPUSeconds()
			if res[i], err = c.run(ctx, m, randomTries, generated); err != nil {
				return nil, err // a result that differs, too
			}
			cpu[i] += procstat.Read().CPUSeconds() - start
			if _, err := optimize.CheckProof(ctx, bytes.NewReader(res[i].Proof), "proof", m, res[i].Model, true); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			accepted[i]++
			if res[i].StepCount > 0 {
				rewritten[i]++
			}
			gains[i] = append(gains[i], 100*(1-float64(res[i].CostAfter/res[i].CostBefore)))
		}
		switch r := float64(res[1].CostAfter / res[0].CostAfter); {
		case r < 1-alike:
			better++
		case r > 1+alike:
			worse++
			for _, l := range c.missing(res[0], known) {
				lacking[l]++
			}
		}
	}
	t := NewTable(fmt.Sprintf("%d random networks:", count), Label("laws"), Counted("laws"), Counted("rewritten"), Counted("certificates accepted"), Counted("results that differ"),
		Modelled("cost saved, median", "%").Decimals(1), Modelled("mean", "%").Decimals(1), Measured("CPU", "s").Digits(3))
	for i, s := range []ruleSet{c.hand, c.gen} {
		sum := 0.0
		for _, g := range gains[i] {
			sum += g
		}
		slices.Sort(gains[i])
		t.Add(s.name, len(s.laws), rewritten[i], accepted[i], 0, median(gains[i]), sum/float64(len(gains[i])), cpu[i])
	}
	return &Record{Tables: []*Table{t}, Notes: []string{fmt.Sprintf("Of %d random networks (seeds 1 to %d, %d rewrites tried), %d are cheaper by generated rules than by hand-written laws, %d cost the same, %d are more expensive. "+
		"Laws of the hand-written results of the latter that no generated rule states: %s.", count, count, randomTries, better, count-better-worse, worse, tallied(lacking))}}, nil
}

// median is that of sorted numbers.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
