package adversary

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/law"
)

// Options configure a run. The zero value is a short one.
type Options struct {
	Laws    int    // written; 0: 300
	Workers int    // goroutines; 0: 1
	Seed    uint64 // of everything; the figures do not depend on Workers
	Points  int    // evaluated for each claim; 0: 24
	// One in so many laws is put to an engine; 0: the usual share.
	Share sample
	// Until ends the run early; zero: when all laws are written.
	Until time.Time
	// Pool are what laws are made of; nil: axioms, lemmas and Seeds.
	Pool []*law.Law
	// Seeds are laws that are asked about first, each to every engine, or to
	// those of SeedShare.
	Seeds     []*law.Law
	SeedShare sample
	// Progress is told now and then how far the run is; nil: nobody.
	Progress io.Writer
}

func (o Options) withDefaults() Options {
	if o.Laws == 0 {
		o.Laws = 300
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	if o.Points == 0 {
		o.Points = 24
	}
	if o.Share == (sample{}) {
		o.Share = sample{egraph: 1, sums: 2, theory: 40, quantified: 2000, audit: 1000, refute: 40}
	}
	return o
}

// Finding is a claim that the evaluator contradicts.
type Finding struct {
	Law     *law.Law
	Engines []string
	Notes   []string
	How     string // the law was written
	At      string // sizes
	What    string // is wrong there
}

// Kind tells findings apart that are likely to have different causes: who
// claimed the law, and which operators are in it.
func (f *Finding) Kind() string {
	ops := map[string]bool{}
	for _, t := range slices.Concat(f.Law.LHS, f.Law.RHS) {
		t.Walk(func(u *law.Term) {
			if u.Op != nil {
				ops[u.Op.Name] = true
			}
		})
	}
	return f.Engines[0] + ": " + strings.Join(slices.Sorted(maps.Keys(ops)), " ")
}

func (f *Finding) String() string {
	return fmt.Sprintf("claimed by %s (%s), written as %s:\n%sat %s: %s\n", strings.Join(f.Engines, ", "),
		strings.Join(f.Notes, ", "), f.How, law.Format(f.Law), f.At, f.What)
}

// Figures are what a run counted.
type Figures struct {
	Laws, Forged int
	Claims       map[string]int // by engine
	False        map[string]int // of these, contradicted
	Claimed      int            // laws of which something was claimed
	Wordless     int            // conditions of the audit that are not understood
	Unseen       int            // counterexamples where nothing can be evaluated
	Untested     int            // claimed laws at which no point put the claim to the test
	Blind        []*law.Law     // these
	Tally        eval.Tally
	Findings     []*Finding
	CPU, Wall    time.Duration
}

func newFigures() *Figures {
	return &Figures{Claims: map[string]int{}, False: map[string]int{}}
}

func (f *Figures) add(g *Figures) {
	f.Laws += g.Laws
	f.Forged += g.Forged
	f.Claimed += g.Claimed
	f.Untested += g.Untested
	f.Wordless += g.Wordless
	f.Unseen += g.Unseen
	for k, n := range g.Claims {
		f.Claims[k] += n
	}
	for k, n := range g.False {
		f.False[k] += n
	}
	f.Tally.Points += g.Tally.Points
	f.Tally.Met += g.Tally.Met
	f.Tally.Cells += g.Tally.Cells
	f.Tally.Skipped += g.Tally.Skipped
	f.Blind = append(f.Blind, g.Blind[:min(len(g.Blind), max(0, maxBlind-len(f.Blind)))]...)
	f.Findings = append(f.Findings, g.Findings...)
}

// String is a table.
func (f *Figures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "laws written       %9d\nforged proofs      %9d\nlaws claimed       %9d\nconditions unread  %9d\n", f.Laws, f.Forged, f.Claimed, f.Wordless)
	fmt.Fprintf(&b, "never put to test  %9d\npoints             %9d\ncells compared     %9d\n", f.Untested, f.Tally.Points, f.Tally.Cells)
	fmt.Fprintf(&b, "witnesses unseen   %9d\n", f.Unseen)
	fmt.Fprintf(&b, "CPU time %s, wall time %s\n", f.CPU.Round(time.Second), f.Wall.Round(time.Second))
	fmt.Fprintf(&b, "%-16s %9s %9s\n", "engine", "claims", "false")
	for _, e := range engineNames {
		fmt.Fprintf(&b, "%-16s %9d %9d\n", e, f.Claims[e], f.False[e])
	}
	fmt.Fprintf(&b, "disagreements: %d\n", len(f.Findings))
	return b.String()
}

// maxShrunk bounds the findings of a batch that are made small.
const maxShrunk = 6

// maxBlind bounds the laws that are kept because nothing was put to the test.
const maxBlind = 30

// batch is how many laws are asked together: engines read all axioms once for
// them.
const batch = 1000

// Run writes laws, asks the engines and judges their claims.
func Run(ctx context.Context, o Options) (*Figures, error) {
	o = o.withDefaults()
	start, cpu := time.Now(), procstat.Read().CPU()
	t, err := theory.Load(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	pool := o.Pool
	if pool == nil {
		pool = slices.Concat(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma), o.Seeds)
	}
	sum := newFigures()
	batches := (o.Laws + batch - 1) / batch
	results := make([]*Figures, batches+1)
	var mu sync.Mutex
	next, done := 0, 0
	var wg sync.WaitGroup
	errs := make([]error, o.Workers)
	for k := range o.Workers {
		wg.Go(func() {
			w := newWriter(pool, 0)
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i > batches || ctx.Err() != nil || !o.Until.IsZero() && time.Now().After(o.Until) {
					return
				}
				f, err := o.batch(ctx, t, w, i)
				mu.Lock()
				results[i] = f
				if f != nil && o.Progress != nil {
					for _, x := range f.Findings {
						fmt.Fprintf(o.Progress, "batch %d: %s", i, x)
					}
				}
				done++
				if o.Progress != nil && done%4 == 0 {
					n := 0
					for _, r := range results {
						if r != nil {
							n += len(r.Findings)
						}
					}
					fmt.Fprintf(o.Progress, "%d of %d laws, %d disagreements, %s\n", done*batch, o.Laws, n, time.Since(start).Round(time.Second))
				}
				mu.Unlock()
				if err != nil {
					errs[k] = err
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for _, f := range results {
		if f != nil {
			sum.add(f)
		}
	}
	sum.CPU, sum.Wall = procstat.Read().CPU()-cpu, time.Since(start)
	return sum, ctx.Err()
}

// batch writes and judges the laws of one batch; number 0 is that of the seeds.
func (o Options) batch(ctx context.Context, t *theory.Theory, w *writer, i int) (*Figures, error) {
	f := newFigures()
	w.rng = rand.New(rand.NewPCG(o.Seed, uint64(i)))
	var ls []*law.Law
	how := map[*law.Law]string{}
	share := o.Share
	if i == 0 {
		ls = o.Seeds
		if share = o.SeedShare; share == (sample{}) {
			share = sample{1, 1, 1, 1, 1, 1}
		}
	} else {
		for range min(batch, o.Laws-(i-1)*batch) {
			l, h := w.law()
			ls = append(ls, l)
			how[l] = h
		}
	}
	f.Laws = len(ls)
	if len(ls) == 0 {
		return f, nil
	}
	p, err := newPanel(t, w.rng.Uint64(), share)
	if err != nil {
		return f, err
	}
	claims, err := p.ask(ctx, ls)
	if err == nil {
		claims = append(claims, p.forge(ctx, w, len(ls))...)
		f.Forged, f.Wordless = p.forgedProofs, p.wordless
		f.judge(claims, how, o.Points, w.rng)
		for k, x := range f.Findings {
			if k >= maxShrunk || i == 0 {
				break
			}
			if ask := p.shrinker(ctx, x.Engines[0]); ask != nil {
				shrink(x, 200, ask)
			}
		}
	}
	if e := p.close(); err == nil {
		err = e
	}
	return f, err
}

// judge evaluates claims, those about one law together.
func (f *Figures) judge(claims []claim, how map[*law.Law]string, points int, rng *rand.Rand) {
	by := map[string][]claim{}
	for _, c := range claims {
		f.Claims[c.engine]++
		if c.broken {
			f.False[c.engine]++
			f.Findings = append(f.Findings, &Finding{Law: c.law, How: how[c.law], Engines: []string{c.engine}, What: c.note})
			continue
		}
		if c.at != nil {
			f.judgeWitness(c, how[c.law], rng)
			continue
		}
		text := law.Format(named(c.law)) + fmt.Sprint(c.within)
		if c.where != nil {
			text += c.note
		}
		by[text] = append(by[text], c)
	}
	texts := make([]string, 0, len(by))
	for text := range by {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	for _, text := range texts {
		f.Claimed++
		cs := by[text]
		var all eval.Claim
		for _, c := range cs {
			all.Equal = all.Equal || c.says.Equal
			all.Forward = all.Forward || c.says.Forward
			all.Backward = all.Backward || c.says.Backward
		}
		// What is found to be broken is no longer asked.
		for all != (eval.Claim{}) {
			n := points
			if cs[0].where != nil { // few points meet it
				n *= 8
			}
			bad, tally := eval.CheckWhere(cs[0].law, all, cs[0].within, cs[0].where, n, rng)
			f.Tally.Points += tally.Points
			f.Tally.Met += tally.Met
			f.Tally.Cells += tally.Cells
			f.Tally.Skipped += tally.Skipped
			if bad == nil {
				if tally.Met == 0 {
					f.Untested++
					f.Blind = append(f.Blind, cs[0].law)
				}
				break
			}
			broken := all.Broken(bad.Outcome)
			x := &Finding{Law: cs[0].law, How: how[cs[0].law], At: bad.Point.String(),
				What: bad.Outcome.Kind.String() + ": " + bad.Outcome.Detail}
			for _, c := range cs {
				if c.says.Broken(bad.Outcome) != (eval.Claim{}) && !slices.Contains(x.Engines, c.engine) {
					f.False[c.engine]++
					x.Engines, x.Notes = append(x.Engines, c.engine), append(x.Notes, c.note)
				}
			}
			f.Findings = append(f.Findings, x)
			all.Equal, all.Forward, all.Backward = all.Equal && !broken.Equal, all.Forward && !broken.Forward, all.Backward && !broken.Backward
		}
	}
}

// judgeWitness evaluates a law where an engine says that it fails: it must be
// seen to with some values.
func (f *Figures) judgeWitness(c claim, how string, rng *rand.Rand) {
	j := eval.New(c.law)
	if j.Unjudged() != "" {
		return
	}
	var last eval.Outcome
	for range 40 {
		last = j.At(c.at, rng, eval.Options{})
		if last.Breaks(false) || last.Breaks(true) && !c.law.OneWay {
			return
		}
		if last.Kind != eval.Agree && !last.Unseen() {
			break
		}
	}
	if last.Unseen() { // too many cells, or positions outside a table
		f.Unseen++
		return
	}
	f.False[c.engine]++
	f.Findings = append(f.Findings, &Finding{Law: c.law, How: how, Engines: []string{c.engine}, Notes: []string{c.note},
		At: c.at.String(), What: "it does not fail there: " + last.Kind.String() + " " + last.Detail})
}
