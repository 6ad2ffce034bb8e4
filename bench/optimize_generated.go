package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
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
		Takes: "20 min", Packages: append([]string{"bench/models"}, packages...), Models: true, Default: rewritten, Needs: []string{"wide-default.rules"},
		Run: func(ctx context.Context, env *Env) (*Record, error) {
			return generatedOnly(ctx, env, (*compared).forms)
		}})
	Register(&Benchmark{Name: "generated-networks", What: "random networks optimized with generated rules only",
		Takes: "20 min", Packages: append([]string{"internal/randnet"}, packages...), Needs: []string{"wide-default.rules"},
		Run: func(ctx context.Context, env *Env) (*Record, error) {
			return generatedOnly(ctx, env, func(c *compared, ctx context.Context) (*Record, error) { return c.random(ctx, networks) })
		}})
}

// generatedOnly compares laws written by hand, the rules that ship with the program, and generated
// rules that are stated more generally.
func generatedOnly(ctx context.Context, env *Env, run func(*compared, context.Context) (*Record, error)) (*Record, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	c := &compared{env: env, base: optimize.Options{Cost: m, CostName: "analytic:v100", Target: lower.CPU(),
		Workers: env.Workers, Progress: env.Progress, Seed: 1}}
	c.sets[hand].name = "hand-written"
	if c.sets[hand].laws, err = optimize.DefaultLaws(false); err != nil {
		return nil, err
	}
	list, err := sets.List()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, s := range list {
		paths = append(paths, sets.Prefix+s.Name)
	}
	if c.sets[plain], err = oneDevice("shipped", paths); err != nil {
		return nil, err
	}
	if paths, err = filepath.Glob(filepath.Join(env.Data, "wide-*.rules")); err != nil {
		return nil, err
	}
	if c.sets[wide], err = oneDevice("widened", paths); err != nil {
		return nil, err
	}
	rec, err := run(c, ctx)
	if err != nil {
		return nil, err
	}
	rec.Notes = append([]string{fmt.Sprintf("Hand-written: the %d laws of `taso optimize`. Shipped: the %d rules of the shipped sets. "+
		"Widened: the %d rules of the sets that `scripts/laws-found` generates and states more generally. "+
		"Of generated sets, rules about meshes and about the true relu and maximum are left out, and instances of other rules. Exchanges of operands are added.",
		len(c.sets[hand].laws), len(c.sets[plain].laws), len(c.sets[wide].laws))}, rec.Notes...)
	return rec, nil
}

// The sets that are compared.
const (
	hand = iota
	plain
	wide
	numSets
)

// compared are sets of laws that are compared.
type compared struct {
	env      *Env
	base     optimize.Options
	sets     [numSets]ruleSet
	compiled [numSets]rewrite.Cache
}

// oneDevice are the rules of several sets that are about one device and proved modulo a prime,
// without instances of others, and exchanges of operands.
func oneDevice(name string, paths []string) (ruleSet, error) {
	all := ruleSet{name: name, proofs: map[string]*law.Proof{}}
	seen := map[string]bool{}
	for _, path := range paths {
		opts := rules.LoadOptions{Axioms: axioms.Text()}
		if sets.Is(path) {
			opts.Open = sets.Open
		}
		set, err := rules.Load(path, opts)
		if err != nil {
			return all, err
		}
		one := generatedSet(path, set)
		for _, l := range one.laws {
			if !seen[l.Name] && len(layoutsOf(l)) == 0 && !l.HasTag(law.TagOrdered) {
				seen[l.Name] = true
				all.laws, all.proofs[l.Name] = append(all.laws, l), one.proofs[l.Name]
			}
		}
	}
	all.laws, _ = rules.Subsume(all.laws)
	all.laws = append(all.laws, rules.Exchanges(all.laws)...)
	return all, nil
}

// by are options with one of the sets.
func (c *compared) by(o optimize.Options, set int) optimize.Options {
	o.Laws, o.Proofs, o.Compiled = c.sets[set].laws, c.sets[set].proofs, c.compiled[set].Clone()
	return o
}

// run optimizes a model by each set.
func (c *compared) run(ctx context.Context, m *model.Model, method optimize.Method, tries int) (res [numSets]*optimize.Result, cpu [numSets]float64, err error) {
	for i := range res {
		o := c.by(c.base, i)
		o.Model, o.Tries, o.Method = m, tries, method
		start := procstat.Read().CPUSeconds()
		if res[i], _, err = watched(ctx, o); err != nil { // a result that differs, too
			return res, cpu, fmt.Errorf("%s, %s: %w", m.Name, c.sets[i].name, err)
		}
		cpu[i] = procstat.Read().CPUSeconds() - start
	}
	return res, cpu, nil
}

// missing are the laws that the result of the hand-written laws uses and that no widened rule
// states; known is what was looked up.
func (c *compared) missing(res *optimize.Result, known map[string]bool) (names []string) {
	for _, s := range res.Steps {
		lacks, ok := known[s.Law]
		k := slices.IndexFunc(c.sets[hand].laws, func(l *law.Law) bool { return l.Name == s.Law })
		if !ok && k >= 0 {
			l := law.OneDirection(c.sets[hand].laws[k], s.Backward)
			lacks = !slices.ContainsFunc(c.sets[wide].laws, func(g *law.Law) bool { return rules.Covers(g, l) })
			known[s.Law] = lacks
		}
		if lacks && !slices.Contains(names, s.Law) {
			names = append(names, s.Law)
		}
	}
	slices.Sort(names)
	return names
}

// The numbers of rewrites that are tried for a form, for a random network, and behind the normal form
// of a proof: fewer than by default.
const (
	formTries   = 6000
	randomTries = 5000
	proofTries  = 200
	networks    = 200
)

// forms optimizes each form by each set, and looks for proofs that it is equal to its model.
func (c *compared) forms(ctx context.Context) (*Record, error) {
	t := NewTable("Rewritten forms, optimized:", Label("form"), Modelled("cost", "µs").Digits(4), Modelled("hand-written", "µs").Digits(4),
		Modelled("shipped", "µs").Digits(4), Modelled("widened", "µs").Digits(4), Modelled("widened vs hand-written", "%").Decimals(2).Signed(),
		Label("stated by no widened rule"))
	p := NewTable("Proofs that a model and its form are equal:", Label("form"), Counted("steps, hand-written"),
		Counted("steps, shipped"), Counted("steps, widened"), Label("widened: why there is none"))
	count := 0
	var reached, cheaper, proved [numSets]int
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
			res, _, err := c.run(ctx, x, optimize.Auto, formTries)
			if err != nil {
				return nil, err
			}
			count++
			row := []any{shown(v.Name), 1e6 * float64(res[hand].CostBefore)}
			for i, r := range res {
				row = append(row, 1e6*float64(r.CostAfter))
				switch ratio := float64(r.CostAfter / res[hand].CostAfter); {
				case ratio < 1-alike:
					cheaper[i]++
				case ratio < 1+alike:
					reached[i]++
				}
			}
			more := 100 * (float64(res[wide].CostAfter/res[hand].CostAfter) - 1)
			var without []string
			if more > 100*alike {
				without = c.missing(res[hand], known)
			}
			for _, l := range without {
				lacking[l]++
			}
			t.Add(append(row, more, strings.Join(without, ", "))...)

			row = []any{shown(v.Name)}
			why := ""
			for i := range c.sets {
				o := c.by(optimize.Options{Tries: proofTries, Method: optimize.Descend, Progress: c.env.Progress, Workers: c.env.Workers}, i)
				r, err := optimize.Prove(ctx, of, x, o)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", v.Name, c.sets[i].name, err)
				}
				var steps any
				if why = r.Why; r.Equal {
					proved[i]++
					steps = r.Checked.Steps
				}
				row = append(row, steps)
			}
			p.Add(append(row, why)...)
		}
	}
	return &Record{Tables: []*Table{t, p}, Notes: []string{
		fmt.Sprintf("Of %d forms, the shipped rules alone reach the cost of the hand-written laws for %d and a lower one for %d, the widened rules for %d and %d. "+
			"%d rewrites are tried for each. Every result has a proof that the checker accepts. Of the others, the last column names the laws in the hand-written result that no widened rule states: %s.",
			count, reached[plain], cheaper[plain], reached[wide], cheaper[wide], formTries, tallied(lacking)),
		fmt.Sprintf("Proofs from a model to its form: %d of %d by hand-written laws, %d by shipped rules, %d by widened rules. "+
			"A proof brings both to a normal form; then %d rewrites are tried.", proved[hand], count, proved[plain], proved[wide], proofTries),
	}}, nil
}

// tallied lists names by how often they were counted.
func tallied(count map[string]int) string {
	if len(count) == 0 {
		return "none"
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("`%s` (%d)", n, count[n])
	}
	return strings.Join(names, ", ")
}

// random optimizes random networks by each set. [optimize.Run] compares every result with its
// network; its proof is checked once more.
func (c *compared) random(ctx context.Context, count int) (*Record, error) {
	var saved [numSets][]float64
	var rewritten, accepted, cheaper, same, moreExpensive [numSets]int
	var cpu [numSets]float64
	lacking, known := map[string]int{}, map[string]bool{}
	for seed := uint64(1); seed <= uint64(count); seed++ {
		m, err := randnet.Model(seed)
		if err != nil {
			return nil, fmt.Errorf("network %d: %w", seed, err)
		}
		res, took, err := c.run(ctx, m, optimize.Descend, randomTries)
		if err != nil {
			return nil, err
		}
		for i, r := range res {
			cpu[i] += took[i]
			if _, err := optimize.CheckProof(ctx, bytes.NewReader(r.Proof), "proof", m, r.Model, true); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", m.Name, c.sets[i].name, err)
			}
			accepted[i]++
			if r.StepCount > 0 {
				rewritten[i]++
			}
			saved[i] = append(saved[i], 100*(1-float64(r.CostAfter/r.CostBefore)))
			switch ratio := float64(r.CostAfter / res[hand].CostAfter); {
			case ratio < 1-alike:
				cheaper[i]++
			case ratio > 1+alike:
				moreExpensive[i]++
				if i == wide {
					for _, l := range c.missing(res[hand], known) {
						lacking[l]++
					}
				}
			default:
				same[i]++
			}
		}
	}
	t := NewTable("", Label("laws"), Counted("networks rewritten"), Counted("certificates accepted"), Modelled("cost saved, median", "%").Decimals(1),
		Modelled("mean", "%").Decimals(1), Counted("cheaper than hand-written"), Counted("the same"), Counted("more expensive"), Measured("CPU", "s").Digits(3))
	for i, s := range c.sets {
		sum := 0.0
		for _, g := range saved[i] {
			sum += g
		}
		slices.Sort(saved[i])
		n := len(saved[i])
		t.Add(s.name, rewritten[i], accepted[i], (saved[i][(n-1)/2]+saved[i][n/2])/2, sum/float64(n), cheaper[i], same[i], moreExpensive[i], cpu[i])
	}
	return &Record{Tables: []*Table{t}, Notes: []string{fmt.Sprintf("%d random networks, of seeds 1 to %d, by `descend`, %d rewrites tried for each. No result differs from its network, "+
		"modulo 2^61 - 1 and in floating point. Laws of hand-written results that no widened rule states, where widened rules save less: %s.",
		count, count, randomTries, tallied(lacking))}}, nil
}
